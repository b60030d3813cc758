//! Values in a separate field next to the name: `name: X, value: …`, `<add key="X" value="…"/>`, a property list, a variable block.

use super::cursor::{is_blank, line_end, skip, window};
use std::ops::Range;

/// The start of the separate field with the value of the name that was just closed.
pub(super) fn field(text: &str, name: &Range<usize>, closed: usize) -> Option<usize> {
    let before = text[..name.start].trim_end_matches(['"', '\'', '\\', ' ', '>']);
    let lower = |word: &str| before.get(before.len().saturating_sub(word.len())..).is_some_and(|end| end.eq_ignore_ascii_case(word));
    // `<key>apiToken</key><string>…`
    if lower("<key") && text[closed..].starts_with("</key>") {
        let next = skip(text.as_bytes(), line_end(text.as_bytes(), closed + 6), 16, |b| is_blank(b) || b == b'\n');
        return text[next..].starts_with("<string>").then_some(next + 8);
    }
    let field = before.trim_end_matches([':', '=']).trim_end_matches(['"', '\'', '\\', ' ']);
    let names = before.len() > field.len()
        && ["name", "key", "id", "field", "variable", "property"]
            .iter()
            .any(|word| field.get(field.len().saturating_sub(word.len())..).is_some_and(|end| end.eq_ignore_ascii_case(word)));
    if names {
        return value_field(text, closed, 120);
    }
    if text[name.clone()].starts_with("--") && text[name.end..closed].contains(['"', '\'']) {
        return default_of_an_option(text, closed);
    }
    // `variable "db_password" { default = "…" }`
    let block = lower("variable") && text[closed..].trim_start().starts_with('{');
    block.then(|| value_field(text, closed, 240)).flatten()
}

/// `add_argument("--api-key", default="…")`: the start of the value, which is a string of the same call.
fn default_of_an_option(text: &str, closed: usize) -> Option<usize> {
    let call = window(text, closed, 160).split([')', '\n']).next()?;
    let start = closed + call.starts_with(',').then(|| call.find("default=").map(|at| at + "default=".len()))??;
    text[start..].trim_start_matches('\\').starts_with(['"', '\'']).then_some(start)
}

/// The start of the value in the block of a name: `"db_password": { "sensitive": true, "value": "…" }`.
pub(super) fn block(text: &str, closed: usize) -> Option<usize> {
    let inside =
        text[closed..].trim_start_matches([' ', '\t']).strip_prefix([':', '='])?.trim_start_matches([' ', '\t']).strip_prefix('{')?;
    value_field(text, text.len() - inside.len(), 240)
}

/// Whether name and value are a row below `Key   Value`, as stores print their entries.
pub(super) fn are_a_row(before: &str, name: &str, after: &str) -> bool {
    let mut lines = before.rsplit('\n');
    let is_row = lines.next().is_some_and(|line| line.trim() == name && line.ends_with("  "));
    let ends = after.trim_start_matches([' ', '\t', '\r']);
    is_row && (ends.is_empty() || ends.starts_with('\n')) && lines.any(|line| line.split_whitespace().eq(["Key", "Value"]))
}

/// The start of the value of the next field called `value`, `default` or `content`.
pub(super) fn value_field(text: &str, at: usize, max: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let window = window(text, at, max);
    let ended = window.find(['}', '<']).unwrap_or(window.len());
    let lower = window[..ended].to_ascii_lowercase();
    let (place, word) = ["value", "default", "content"].iter().filter_map(|word| Some((lower.find(word)?, word))).min()?;
    let boundary = lower[..place].ends_with(['"', '\'', ' ', '\n', '\t', ',']);
    let closed = skip(bytes, at + place + word.len(), 10, |b| matches!(b, b'"' | b'\'' | b'\\' | b' '));
    let is_joined = matches!(bytes.get(closed), Some(b':' | b'='));
    (boundary && is_joined).then(|| skip(bytes, closed + 1, 4, is_blank))
}
