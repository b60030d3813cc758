//! Signs by which a text compares two values, such as `<=`.

use std::ops::Range;

/// Signs that compare two values: a different one makes a different lesson.
const COMPARISONS: [&str; 11] = ["<", ">", "<=", ">=", "≤", "≥", "==", "===", "!=", "!==", "≠"];

/// Whether a word is a sign that compares.
pub(crate) fn is_comparison(word: &str) -> bool {
    COMPARISONS.contains(&word)
}

/// Where a piece of text compares by a sign: alone, or right before a number, as in "<30". A sign of several characters is not a bracket
/// whatever follows, as in "<=limit".
pub(super) fn comparison(raw: &str) -> Option<Range<usize>> {
    let bare = raw.trim_start_matches('`');
    let after = bare.trim_start_matches(['<', '>', '=', '!', '≤', '≥', '≠']);
    let (start, end) = (raw.len() - bare.len(), raw.len() - after.len());
    let stands = end - start > 1 || after.trim_end_matches('`').is_empty() || begins_with_number(after) || after.starts_with("-.");
    (stands && is_comparison(&raw[start..end])).then_some(start..end)
}

/// Whether a text begins with a number. At the beginning of a text a ">" before anything else marks a quote.
pub(super) fn begins_with_number(text: &str) -> bool {
    text.trim_start().trim_start_matches(['$', '€', '£', '-', '.']).starts_with(|c: char| c.is_ascii_digit())
}
