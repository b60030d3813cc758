//! Characters that split a secret for a rule but not for a reader: colors in the middle of a token, zero-width characters, and both
//! escaped as in JSON. The text is searched without them, and matches are mapped back to the original.

use memchr::memmem;
use ralph_core::visible::{is_hidden, suspects, terminal_sequence};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Colors and zero-width characters in JSON escapes, at any level of quoting.
static WRITTEN_OUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\\+u001[bB]\[[0-9;?]{0,20}[A-Za-z]|\\+u(?:200[b-fB-F]|2060|[fF][eE][fF][fF]|00[aA][dD])").expect("a constant pattern")
});

/// Non-breaking spaces, which French puts before a colon: a rule expects an ordinary space.
const FIXED_BLANKS: [char; 2] = ['\u{a0}', '\u{202f}'];

/// A text without its hidden characters, and the mapping to the original.
pub(super) struct VisibleText {
    pub(super) text: String,
    /// Start of each run here and in the original, in order.
    runs: Vec<(usize, usize)>,
}

/// The text as a reader sees it; `None` when nothing is hidden, which is the usual case.
pub(super) fn seen(text: &str) -> Option<VisibleText> {
    let hidden = hidden(text);
    if hidden.is_empty() {
        return None;
    }
    let mut seen = VisibleText { text: String::with_capacity(text.len()), runs: Vec::with_capacity(hidden.len() + 1) };
    let mut at = 0;
    for range in hidden.iter().chain(std::iter::once(&(text.len()..text.len()))) {
        if range.start > at {
            seen.runs.push((seen.text.len(), at));
            seen.text.push_str(&text[at..range.start]);
        }
        if text[range.clone()].starts_with(FIXED_BLANKS) {
            seen.runs.push((seen.text.len(), range.start));
            seen.text.push(' ');
        }
        at = at.max(range.end);
    }
    Some(seen)
}

impl VisibleText {
    /// The range in the original text that corresponds to one in the visible text, including everything hidden inside.
    pub(super) fn place(&self, range: &Range<usize>) -> Range<usize> {
        let of = |at: usize| {
            let run = self.runs.partition_point(|(start, _)| *start <= at).saturating_sub(1);
            self.runs.get(run).map_or(at, |(here, there)| there + (at - here))
        };
        if range.is_empty() { of(range.start)..of(range.start) } else { of(range.start)..of(range.end - 1) + 1 }
    }
}

fn hidden(text: &str) -> Vec<Range<usize>> {
    let mut hidden: Vec<Range<usize>> = Vec::new();
    let mut past = 0;
    for (at, c) in suspects(text) {
        if FIXED_BLANKS.contains(&c) {
            hidden.push(at..at + c.len_utf8());
        } else if at >= past && !c.is_ascii_whitespace() && c != '\u{85}' && is_hidden(c) {
            past = at + terminal_sequence(&text[at..]).max(c.len_utf8());
            hidden.push(at..past);
        }
    }
    if memmem::find(text.as_bytes(), b"\\u").is_some() {
        hidden.extend(WRITTEN_OUT.find_iter(text).map(|found| found.range()));
    }
    hidden.sort_unstable_by_key(|range| (range.start, range.end));
    hidden
}

#[cfg(test)]
mod tests {
    use super::seen;

    #[test]
    fn what_is_seen_is_found_again_where_it_stands() {
        for (given, expected, part, whole) in [
            ("a\u{200b}bc", "abc", 0..2, 0..5),
            ("x\x1b[31mAK\x1b[0mIA\x1b[0m", "xAKIA", 1..5, 6..14),
            ("a\u{a0}bc", "a bc", 2..4, 3..5),
            ("\\u001b[1mto\\u200bken", "token", 0..5, 9..20),
        ] {
            let seen = seen(given).expect(given);
            assert_eq!(seen.text, expected);
            assert_eq!(seen.place(&part), whole, "{given:?}");
        }
        assert!(seen("plain\r\n\ttext, naïve").is_none());
    }
}
