//! Parses the content of a `<failure-report>`: `key: value` lines, or `<key>value</key>`.

use super::{FailureReport, read_list, says_something, scan};
use crate::{limits, text::cut};

const KEYS: [&str; 6] = ["what_was_tried", "why_it_failed", "error_category", "relevant_files", "stack_trace", "retry_suggestion"];

/// Why a report is invalid.
#[derive(Debug, thiserror::Error)]
#[error("lacks {keys}")]
pub(super) struct Lacking {
    /// Names of the required keys without a value.
    keys: String,
}

/// Parses a report. A line without a known key continues the previous value, so that traces and lists may take several lines.
///
/// # Errors
/// The required keys that are missing.
pub(super) fn parse(content: &str) -> Result<FailureReport, Lacking> {
    let mut values: [String; KEYS.len()] = Default::default();
    let mut current = None;
    for line in content.lines() {
        if let Some((key, value)) = split_key(line) {
            current = Some(key);
            // The last value of a key wins.
            values[key] = value.to_owned();
        } else if let Some(key) = current
            && !holds_a_sigil(line)
        {
            values[key].push('\n');
            values[key].push_str(without_end(line, key));
        }
    }
    let missing: Vec<&str> = (0..2).filter(|key| !says_something(&values[*key])).map(|key| KEYS[key]).collect();
    if !missing.is_empty() {
        return Err(Lacking { keys: missing.join(" and ") });
    }
    let required = |key: usize| cut(values[key].trim(), limits::REPORT_FIELD_CHARS).to_owned();
    let optional = |key: usize, chars| Some(cut(values[key].trim(), chars).to_owned()).filter(|value| says_something(value));
    Ok(FailureReport {
        what_was_tried: required(0),
        why_it_failed: required(1),
        error_category: optional(2, limits::TAG_CHARS),
        relevant_files: read_list(&values[3], limits::LIST_ITEMS, limits::TITLE_CHARS),
        stack_trace: optional(4, limits::REPORT_TRACE_CHARS),
        retry_suggestion: optional(5, limits::REPORT_SUGGESTION_CHARS),
    })
}

/// Splits `What was tried: x`, `- **why_it_failed**: x` and the like into the key's index and the value.
fn split_key(line: &str) -> Option<(usize, &str)> {
    if let Some((key, value)) = line.trim_start().strip_prefix('<').and_then(|line| line.split_once('>'))
        && !holds_a_sigil(line)
        && let Some(place) = place_of(key)
    {
        return Some((place, without_end(value, place).trim()));
    }
    let (key, value) = line.split_once(':')?;
    Some((place_of(key)?, value.trim_start_matches('*').trim()))
}

/// A line without the closing tag of a key at its end, and without white space there.
fn without_end(line: &str, key: usize) -> &str {
    let line = line.trim_end();
    let closed = line.strip_suffix('>').and_then(|line| line.rsplit_once("</")).filter(|(_, name)| place_of(name) == Some(key));
    closed.map_or(line, |(value, _)| value.trim_end())
}

/// The index of a key, as agents spell it.
fn place_of(key: &str) -> Option<usize> {
    let key = key.trim().trim_matches(|c: char| "-*`# ".contains(c));
    let same = |a: u8, b: u8| a.eq_ignore_ascii_case(&b) || (b == b'_' && (a == b' ' || a == b'-'));
    KEYS.iter().position(|k| k.len() == key.len() && key.bytes().zip(k.bytes()).all(|(a, b)| same(a, b)))
}

/// Whether a line begins with another sigil nested in the report.
fn holds_a_sigil(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('<') && scan::tag_at(line, 0).is_some()
}
