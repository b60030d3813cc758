//! Fingerprints of what Ralph itself showed in a session: hashed word sequences. Repeating that is not a lesson.

use crate::words::Words;
use ralph_core::limits::TOLD_HASHES;
use std::collections::BTreeSet;

/// Words of a sequence: three in a row are seldom shared by unrelated texts, and an inserted word breaks
/// few of them.
const SEQUENCE: usize = 3;

/// Fingerprints of texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fingerprints(BTreeSet<u32>);

impl Fingerprints {
    /// Stored fingerprints.
    pub fn of_hashes(hashes: impl IntoIterator<Item = u32>) -> Fingerprints {
        Fingerprints(hashes.into_iter().collect())
    }

    /// Adds a text, as far as there is room.
    pub fn add(&mut self, text: &str) {
        for hash in hashes(text) {
            if self.0.len() >= TOLD_HASHES {
                return;
            }
            self.0.insert(hash);
        }
    }

    /// The fingerprints, for storing.
    pub fn hashes(&self) -> Vec<u32> {
        self.0.iter().copied().collect()
    }

    /// Share of a text that was shown before, from 0 to 1.
    pub fn share_of(&self, text: &str) -> f64 {
        let hashes = hashes(text);
        if hashes.is_empty() || self.0.is_empty() {
            return 0.0;
        }
        hashes.iter().filter(|hash| self.0.contains(hash)).count() as f64 / hashes.len() as f64
    }
}

fn hashes(text: &str) -> Vec<u32> {
    let words = Words::of(text);
    let words: Vec<&str> = words.tokens().iter().map(|token| token.lower.as_str()).collect();
    words.windows(SEQUENCE).map(hash).collect()
}

/// FNV-1a: the same on every machine.
fn hash(words: &[&str]) -> u32 {
    let bytes = words.iter().flat_map(|word| word.bytes().chain([0]));
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_known_again_in_other_words_around_it() {
        let mut told = Fingerprints::default();
        told.add("Refund windows are compared in the provider time zone, never in ours.");
        assert!(told.share_of("Lesson: refund windows are compared in the provider time zone") > 0.6);
        assert!(told.share_of("Refund windows close after thirty days at the provider") < 0.2);
        assert!(told.share_of("ok") == 0.0 && Fingerprints::default().share_of("a b c d e f") == 0.0);
        assert_eq!(Fingerprints::of_hashes(told.hashes()), told);
    }

    #[test]
    fn a_flood_is_bounded() {
        let mut told = Fingerprints::default();
        for number in 0..TOLD_HASHES {
            told.add(&format!("word{number} is told to an agent in answer number {number}"));
        }
        assert_eq!(told.hashes().len(), TOLD_HASHES);
    }
}
