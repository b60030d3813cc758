//! Cleaning: makes text written by an agent, a file or a person safe to store and to show to an agent again.
//!
//! Order matters. Invisible characters are removed first, because they can hide a secret; then secrets are redacted, before anything else
//! is examined; then patterns that would act as instruction or markup are fenced; truncation is last, so that a secret or a pattern that
//! crosses the limit is seen completely. Compatibility look-alikes (full-width letters, homoglyphs) are left as they are.

#[cfg(test)]
mod cases;
mod characters;
mod commands;
mod fence;
mod found;
mod given;
mod hidden;
mod inserts;
mod json;
mod manifests;
mod named;
mod outputs;
mod own_rule;
mod own_rules;
mod prefixes;
mod private_key;
mod rules;
mod runs;
mod secrets;
mod tables;
#[cfg(test)]
mod tests;
mod unwanted;
mod value;
mod words;

use icu_normalizer::ComposingNormalizerBorrowed;
use std::borrow::Cow;

pub use json::redact_json;
pub use ralph_core::secret::names_a_secret;
pub use ralph_core::visible::visible;
pub use secrets::{compile, redact, without_marks};
pub use unwanted::{UnwantedFault, UnwantedText};

/// Bytes of input beyond what `max_chars` can need: room for what redaction removes, such as private keys.
const INPUT_SLACK_BYTES: usize = 65_536;
/// Bytes dropped before the input limit when no blank is found there: longer than any single token worth stealing.
const TORN_TOKEN_BYTES: usize = 4_096;
/// Rounds after which cleaning stops looking for what an earlier round uncovered. Two are usual; truncation can uncover more.
const MAX_ROUNDS: usize = 8;

/// A secret that was removed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Redaction {
    /// Id of the rule that found it, as in the mark `[redacted:rule-id]`.
    pub rule: String,
}

/// A cleaned text, and what was done to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CleanText {
    /// The text to keep: at most `max_chars` characters.
    pub text: String,
    /// Secrets that were replaced by a mark, in the order found.
    pub redactions: Vec<Redaction>,
    /// Whether anything was fenced because it could act as instruction or markup.
    pub fenced: bool,
    /// Whether the text was truncated.
    pub cut: bool,
}

/// Cleans `text` and truncates it to `max_chars` characters. Idempotent. Time is linear in `max_chars`,
/// whatever the length of `text`.
pub fn clean(text: &str, max_chars: usize) -> CleanText {
    let bounded = bound_input(text, max_chars);
    let mut cleaned =
        CleanText { text: characters::normalise(bounded), redactions: Vec::new(), fenced: false, cut: bounded.len() < text.len() };
    // Fencing and truncation can uncover something new (cut after the 20th character, a longer word looks like a
    // key), so the steps repeat until nothing changes.
    for _ in 0..MAX_ROUNDS {
        let next = round(&cleaned.text, max_chars, &mut cleaned.redactions);
        cleaned.fenced |= next.fenced;
        cleaned.cut |= next.cut;
        if next.text == cleaned.text {
            break;
        }
        cleaned.text = next.text;
    }
    cleaned
}

/// Cleans words that somebody says now. A letter and its marks become one character ([`composed`]), so that a lesson is recognized
/// whoever says it; words that are stored already stay as they are.
pub fn clean_said(text: &str, max_chars: usize) -> CleanText {
    clean(&composed(text), max_chars)
}

/// `text` with each letter and its marks as one character where there is one (NFC). Keyboards produce that; file names on macOS and texts
/// from PDFs have them separate, also the parts of a Korean syllable, and look the same.
pub fn composed(text: &str) -> Cow<'_, str> {
    ComposingNormalizerBorrowed::new_nfc().normalize(text)
}

/// Result of one round.
struct Round {
    text: String,
    fenced: bool,
    cut: bool,
}

/// Redacts, fences and cuts once.
fn round(text: &str, max_chars: usize, redactions: &mut Vec<Redaction>) -> Round {
    let (redacted, rules) = secrets::redact_all(text);
    redactions.extend(rules.into_iter().map(|rule| Redaction { rule: rule.to_owned() }));
    let (fenced_text, fenced) = fence::fence(&redacted);
    let kept = cut_outside_marks(&fenced_text, max_chars);
    let cut = kept.len() < fenced_text.len();
    Round { text: characters::normalise(kept), fenced, cut }
}

/// The part of `text` that can matter for `max_chars` characters. It ends at a blank, so that no torn token escapes its rule.
fn bound_input(text: &str, max_chars: usize) -> &str {
    let limit = max_chars.saturating_mul(4).saturating_add(INPUT_SLACK_BYTES);
    if text.len() <= limit {
        return text;
    }
    let end = text.floor_char_boundary(limit);
    let from = text.floor_char_boundary(end.saturating_sub(TORN_TOKEN_BYTES));
    match text[from..end].rfind(char::is_whitespace) {
        Some(at) => &text[..from + at],
        None => &text[..from],
    }
}

/// Truncates to `max_chars` characters, never inside a redaction mark: half a mark would hide that something was removed.
pub fn cut_outside_marks(text: &str, max_chars: usize) -> &str {
    let kept = ralph_core::text::cut(text, max_chars);
    if kept.len() == text.len() {
        return kept;
    }
    let crossed = secrets::marks(text).into_iter().find(|mark| mark.start < kept.len() && kept.len() < mark.end);
    crossed.map_or(kept, |mark| &text[..mark.start])
}

/// The last `max_chars` characters, and all of a redaction mark that they begin in.
pub fn end_outside_marks(text: &str, max_chars: usize) -> &str {
    let from = text.char_indices().rev().take(max_chars).last().map_or(text.len(), |(at, _)| at);
    let crossed = secrets::marks(text).into_iter().find(|mark| mark.start < from && from < mark.end);
    &text[crossed.map_or(from, |mark| mark.start)..]
}
