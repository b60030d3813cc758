//! A list of texts as a person laid it out: when its entries change, each one that stays keeps its line and its comments.

use toml_edit::{Array, RawString, Value};

/// An entry with its surroundings: the lines before it, and the rest of its own line.
struct Laid {
    value: Value,
    before: String,
    after: String,
}

/// The entries of `new`, laid out as in `old`.
pub(super) fn laid_out(old: &Array, new: &Array) -> Array {
    let (opening, mut known, last) = laid(old);
    let indent = known.iter().rev().find_map(|entry| entry.before.rsplit_once('\n')).map_or("  ", |(_, indent)| indent);
    let indent = format!("\n{indent}");
    let is_in_lines = last.contains('\n') || known.iter().any(|entry| entry.before.contains('\n'));
    let mut list = Array::new();
    let mut after = opening;
    for (place, entry) in new.iter().enumerate() {
        let stays = known.iter().position(|known| known.value.as_str() == entry.as_str()).map(|at| known.remove(at));
        let (value, before, own) = match stays {
            Some(Laid { value, before, after }) if is_in_lines => (value, before, after),
            _ if is_in_lines => (entry.clone(), indent.clone(), String::new()),
            _ => (entry.clone(), " ".repeat(usize::from(place > 0)), String::new()),
        };
        // Nothing but the end of its line ends a comment.
        let before = if after.contains('#') && !before.contains('\n') { indent.clone() } else { before };
        list.push_formatted(value.decorated(after + &before, ""));
        after = own;
    }
    list.set_trailing(after + &last);
    list.set_trailing_comma(is_in_lines && !list.is_empty());
    list
}

/// What follows the bracket, the entries, and what follows the line of the last one.
fn laid(list: &Array) -> (String, Vec<Laid>, String) {
    let mut opening = String::new();
    let mut entries: Vec<Laid> = Vec::new();
    let mut rest = String::new();
    for value in list {
        let (after, before) = cut(&(rest + &text(value.decor().prefix())));
        *entries.last_mut().map_or(&mut opening, |earlier| &mut earlier.after) = after;
        entries.push(Laid { value: value.clone(), before, after: String::new() });
        // What was before the comma now comes after it.
        rest = text(value.decor().suffix());
    }
    let (after, last) = cut(&(rest + &text(Some(list.trailing()))));
    *entries.last_mut().map_or(&mut opening, |earlier| &mut earlier.after) = after;
    (opening, entries, last)
}

/// The rest of a line, and what follows from its end on.
fn cut(text: &str) -> (String, String) {
    let (rest, lines) = text.split_at(text.find('\n').unwrap_or(0));
    (rest.to_owned(), lines.to_owned())
}

fn text(raw: Option<&RawString>) -> String {
    raw.and_then(RawString::as_str).unwrap_or_default().to_owned()
}
