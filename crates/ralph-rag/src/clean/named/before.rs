//! A value before its name: "hunter2 is the admin password", "use … as the API token".

use crate::clean::value;
use ralph_core::secret::{Promise, promise_of};
use std::ops::Range;

/// Bytes before a name that are searched.
const SEARCHED: usize = 200;
/// Words between the joining one and the name.
const BETWEEN: usize = 5;
/// Words that join a value to a following name.
const JOINING: &[&str] = &["is", "was", "as", "=", "are", "ist", "als", "est", "comme", "es", "como"];
/// What may follow the name; a noun there means something else, such as the password hasher.
const FOLLOWING: &[&str] =
    &["for", "of", "to", "on", "in", "and", "but", "at", "from", "which", "that", "so", "here", "now", "für", "pour"];

/// The secret before a name, if any.
pub(super) fn secret_before(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let from = text.floor_char_boundary(name.start.saturating_sub(SEARCHED));
    let line = text[from..name.start].rsplit('\n').next().unwrap_or_default();
    if !line.contains(' ') || !ends_its_clause(&text[name.end..]) {
        return None;
    }
    let start = name.start - line.len();
    let words: Vec<(usize, &str)> = words(line).collect();
    let joining = words.iter().rev().take(BETWEEN).position(|(_, word)| JOINING.contains(word)).map(|back| words.len() - 1 - back)?;
    let (at, told) = *words.get(joining.checked_sub(1)?)?;
    let (at, told) = trimmed(at, told);
    let between = words[joining + 1..].iter().all(|(_, word)| word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-'));
    let qualified = &text[start + words.last().map_or(0, |(at, _)| *at)..name.end];
    let promise = promise_of(&text[name.clone()]).or_else(|| promise_of(qualified))?;
    let secret = match promise {
        Promise::Password => value::is_told_password(told) && value::has_digit(told),
        Promise::Token => value::is_told_token(told),
        Promise::Handle => false,
    };
    let readable = !value::is_placeholder(told) && !value::is_expression(told, false, "") && !value::is_public_form(told);
    (between && secret && readable).then(|| start + at..start + at + told.len())
}

fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split(' ')
        .scan(0, |at, word| {
            let start = *at;
            *at += word.len() + 1;
            Some((start, word))
        })
        .filter(|(_, word)| !word.is_empty())
}

fn trimmed(at: usize, word: &str) -> (usize, &str) {
    let told = word.trim_end_matches(['"', '\'', '`', ')', '*', ',', ':', '\\']);
    let start = told.rfind(['"', '\'', '`', '(', '*', '\\']).map_or(0, |at| at + 1);
    (at + start, &told[start..])
}

fn ends_its_clause(after: &str) -> bool {
    let rest = after.trim_start_matches(['"', '\'', '`', '*', ')', '\\']);
    let Some(rest) = rest.strip_prefix(' ') else {
        return rest.is_empty() || rest.starts_with(['.', ',', ';', '!', '?', '\n', '\r', ':', '}', ']', '<']);
    };
    let word = rest.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    FOLLOWING.contains(&word)
}
