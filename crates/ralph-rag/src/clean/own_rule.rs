//! A rule of our own, as written in the source.

use super::found::SecretCandidate;

/// A rule written in code.
pub(super) struct OwnRule {
    /// Its id, as in the mark it leaves.
    pub id: &'static str,
    /// The pattern; the secret is its first non-empty unnamed group, otherwise the whole match. Named groups are for `confirm`.
    pub pattern: &'static str,
    /// Lowercase words, one of which must be in the text.
    pub keywords: &'static [&'static str],
    /// Minimum bits per byte of the secret; 0 = none.
    pub entropy: f64,
    /// An additional condition.
    pub confirm: Option<fn(&SecretCandidate<'_>) -> bool>,
}

/// Identified by position: the value must look like a secret.
pub(super) const fn placed(
    id: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    confirm: fn(&SecretCandidate<'_>) -> bool,
) -> OwnRule {
    OwnRule { id, pattern, keywords, entropy: 0.0, confirm: Some(confirm) }
}
