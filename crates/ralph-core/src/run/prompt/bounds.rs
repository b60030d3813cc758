//! Bounds on what a prompt shows.

use crate::limits;
use crate::text::{cut, one_line};

/// Appended where a text was cut.
const MARK: &str = " … (cut; the ralph tools tell the rest)";
/// Entries of a list that one line shows.
const LINE_ITEMS: usize = 10;

/// A free text, complete or cut with a mark.
pub(super) fn bounded(text: &str) -> String {
    bounded_to(text, limits::PROMPT_FIELD_CHARS)
}

/// A free text, complete or cut with a mark after `max_chars` characters.
pub(super) fn bounded_to(text: &str, max_chars: usize) -> String {
    let text = text.trim();
    let head = cut(text, max_chars);
    if head.len() == text.len() { text.to_owned() } else { format!("{head}{MARK}") }
}

/// The beginning of a text as one line of at most a title's length.
pub(super) fn title_line(text: &str) -> String {
    one_line(text, limits::TITLE_CHARS)
}

/// A text on one line, at most `max_chars` characters.
pub(super) fn squeezed(text: &str, max_chars: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        // Stops early: the text may be long.
        if line.len() > 4 * max_chars {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    cut(&line, max_chars).to_owned()
}

/// One bullet per text with content.
pub(super) fn bullets<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts = texts.map(|text| text.trim().trim_start_matches("- ")).filter(|text| !text.is_empty());
    texts.take(limits::LIST_ITEMS).map(|text| hanging(&bounded_to(text, limits::TITLE_CHARS * 5))).collect()
}

/// A bullet whose further lines are indented under its first.
pub(super) fn hanging(text: &str) -> String {
    format!("- {}\n", text.lines().collect::<Vec<_>>().join("\n  "))
}

/// The first entries of a list on one line, and the number of further ones.
pub(super) fn line_list(items: &[String]) -> String {
    let mut shown: Vec<String> = items.iter().take(LINE_ITEMS).map(|item| title_line(item)).collect();
    if items.len() > LINE_ITEMS {
        shown.push(format!("and {} more", items.len() - LINE_ITEMS));
    }
    shown.join(", ")
}

/// Indices of the items that fit into `max_chars` together: in order, complete, skipping those that do not fit.
pub(super) fn fitting(items: &[String], max_chars: usize) -> Vec<usize> {
    let mut room = max_chars;
    let mut chosen = Vec::new();
    for (i, item) in items.iter().enumerate() {
        if let Some(left) = room.checked_sub(item.chars().count()) {
            room = left;
            chosen.push(i);
        }
    }
    chosen
}
