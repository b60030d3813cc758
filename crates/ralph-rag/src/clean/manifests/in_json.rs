//! The same in JSON, as `kubectl get secret -o json` prints it, also inside a JSON string, where each quote is escaped.

use super::{DATA, MANIFEST_BYTES, secret};
use std::ops::Range;

/// Keys before the kind that are examined, the nearest first.
const KEYS_BEFORE: usize = 4;

/// The values of the manifest whose kind is at `stem`, and where it ends. Nothing before `from` is examined.
pub(super) fn values(text: &str, stem: &Range<usize>, from: usize) -> Option<(usize, Vec<Range<usize>>)> {
    let from = text.floor_char_boundary(stem.start.saturating_sub(MANIFEST_BYTES)).max(from);
    let to = text.floor_char_boundary((stem.end + MANIFEST_BYTES).min(text.len()));
    let before = &text[from..stem.start];
    let escapes = backslashes(before.strip_suffix('"')?);
    let quote = format!("{}\"", "\\".repeat(escapes));
    let key = before[..before.len() - quote.len()].trim_end().strip_suffix(':')?.trim_end();
    let before = key.strip_suffix(&format!("{quote}kind{quote}"))?;
    if !text[stem.end..to].starts_with(&quote) {
        return None;
    }
    let part = |range: Range<usize>| Part { text: &text[..range.end], at: range.start, escapes };
    let mut found = Vec::new();
    for key in DATA {
        let key = format!("{quote}{key}{quote}");
        let places = before.rmatch_indices(&key).take(KEYS_BEFORE).map(|(at, _)| from + at);
        // The members beside the kind are in the same object.
        let beside = places.map(|at| part(at..from + before.len()).read()).find(|members| members.depth == 0);
        found.extend(beside.into_iter().flat_map(|members| members.secrets));
    }
    let after = part(stem.end + quote.len()..to).read();
    found.extend(after.secrets);
    Some((after.end, found))
}

/// A part of an object.
struct Part<'t> {
    text: &'t str,
    at: usize,
    /// Backslashes before each of its quotes.
    escapes: usize,
}

/// What was read of it.
struct Members {
    secrets: Vec<Range<usize>>,
    end: usize,
    /// The nesting depth at which it ended; below 0 if the object ended.
    depth: i32,
}

impl Part<'_> {
    /// Reads to the end of the object, or as far as there is text.
    fn read(mut self) -> Members {
        let (mut secrets, mut depth, mut is_data) = (Vec::new(), 0, false);
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                b'"' => {
                    let Some(string) = self.string() else { break };
                    let words = &self.text[string.clone()];
                    let is_key = self.text[self.at + 1..].trim_start().starts_with(':');
                    match depth {
                        0 if is_key => is_data = DATA.contains(&words),
                        1 if is_data && !is_key => secrets.extend(secret(words, string.start)),
                        _ => {}
                    }
                }
                _ => {}
            }
            if depth < 0 {
                break;
            }
            self.at += 1;
        }
        Members { secrets, end: self.at, depth }
    }

    /// The string whose opening quote is here; goes on to its closing one. `None` if this quote ends what is around the object.
    fn string(&mut self) -> Option<Range<usize>> {
        if backslashes(&self.text[..self.at]) != self.escapes {
            return None;
        }
        let start = self.at + 1;
        let quotes = self.text[start..].match_indices('"').map(|(at, _)| start + at);
        let end = quotes.map(|at| (at, backslashes(&self.text[start..at]))).find(|(_, before)| match self.escapes {
            0 => before % 2 == 0,
            escapes => *before == escapes,
        });
        let (at, before) = end?;
        self.at = at;
        Some(start..if self.escapes == 0 { at } else { at - before })
    }
}

/// Backslashes at the end of a text.
fn backslashes(text: &str) -> usize {
    text.len() - text.trim_end_matches('\\').len()
}
