//! Matches of rules, before redaction.

use regex::bytes::Captures;
use std::ops::Range;

/// A candidate: what a pattern matched, and where.
pub(super) struct SecretCandidate<'t> {
    /// The searched text.
    pub text: &'t str,
    /// The whole match.
    pub whole: &'t str,
    /// The part to be redacted.
    pub secret: &'t str,
    /// Byte offset of the secret in the text.
    pub start: usize,
    /// The capture groups of the match.
    pub groups: &'t Captures<'t>,
}

impl<'t> SecretCandidate<'t> {
    /// A named group of the match; empty if it did not participate.
    pub(super) fn group(&self, name: &str) -> &'t str {
        self.groups.name(name).and_then(|group| self.text.get(group.range())).unwrap_or("")
    }

    /// The text after the secret.
    pub(super) fn after(&self) -> &'t str {
        &self.text[self.start + self.secret.len()..]
    }

    pub(super) fn line(&self) -> &'t str {
        let start = self.text[..self.start].rfind('\n').map_or(0, |at| at + 1);
        let end = self.after().find('\n').map_or(self.text.len(), |at| self.start + self.secret.len() + at);
        &self.text[start..end]
    }
}

/// A place to redact.
pub(super) struct Secret {
    pub(super) range: Range<usize>,
    pub(super) rule: &'static str,
    /// Position of the rule: the smallest one names the mark.
    pub(super) rank: usize,
}
