//! Memories that repeat another. Of several that say the same, one stays.

use super::{JunkSubject, plain};
use crate::relation::Relation;
use crate::words::{SAME_SUBJECT_JACCARD, Words};
use ralph_core::audit::AuditClass;
use ralph_core::memory::subject_key;
use ralph_core::recall::MemoryKind;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Memories that repeat another, with which and how. The one that stays is preferably protected, then a learning, then the oldest.
pub(super) fn repeats<'a>(stored: &[&'a JunkSubject]) -> BTreeMap<&'a str, (AuditClass, String)> {
    let mut best_first: Vec<&'a JunkSubject> = stored.to_vec();
    best_first.sort_by_key(|memory| (Reverse(memory.protected), memory.kind != MemoryKind::Learning, memory.created, memory.id.as_str()));
    let texts: Vec<Text<'a>> = best_first.into_iter().map(Text::of).collect();
    let index = Index::of(&texts);
    let mut found: BTreeMap<&str, (AuditClass, String)> = BTreeMap::new();
    for (at, text) in texts.iter().enumerate() {
        let before = index.candidates(text).into_iter().filter(|other| *other < at).map(|other| &texts[other]);
        // A memory that is itself a repetition is no reason to remove another.
        let stays = before.filter(|other| !found.contains_key(other.memory.id.as_str()) && are_told_together(text.memory, other.memory));
        let same = |other: &Text<'_>| -> Option<AuditClass> {
            if text.plain == other.plain {
                return Some(AuditClass::Duplicate);
            }
            let both_lessons = text.memory.kind != MemoryKind::Fact && other.memory.kind != MemoryKind::Fact;
            (both_lessons && text.words.relation(&other.words) == Relation::Duplicate).then_some(AuditClass::NearDuplicate)
        };
        if let Some((class, other)) = stays.filter_map(|other| Some((same(other)?, other))).min_by_key(|(class, _)| *class) {
            found.insert(&text.memory.id, (class, format!("it says the same as {} {}", other.memory.kind, other.memory.id)));
        }
    }
    found
}

/// Whether one prompt can include both: memories of two features are shown separately.
fn are_told_together(one: &JunkSubject, other: &JunkSubject) -> bool {
    let same_home = match (&one.feature, &other.feature) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        _ => true,
    };
    same_home && (one.kind == MemoryKind::Fact) == (other.kind == MemoryKind::Fact)
}

struct Text<'a> {
    memory: &'a JunkSubject,
    words: Words,
    /// Normalized text for equality; for a fact, including its subject.
    plain: String,
}

impl<'a> Text<'a> {
    fn of(memory: &'a JunkSubject) -> Text<'a> {
        let plain = match &memory.about {
            Some((kind, subject)) => format!("{kind}\n{}\n{}", subject_key(subject), memory.text.trim()),
            None => plain(&memory.text),
        };
        Text { memory, words: Words::of(&memory.text), plain }
    }
}

/// Index of texts by their rarest words: two similar texts share one of them, so that not every pair has to be compared.
struct Index<'t> {
    rarity: BTreeMap<&'t str, usize>,
    by_word: BTreeMap<&'t str, Vec<usize>>,
    by_plain: BTreeMap<&'t str, Vec<usize>>,
}

impl<'t> Index<'t> {
    fn of(texts: &'t [Text<'_>]) -> Index<'t> {
        let mut rarity: BTreeMap<&str, usize> = BTreeMap::new();
        for word in texts.iter().flat_map(|text| text.words.by_length()) {
            *rarity.entry(word).or_default() += 1;
        }
        let mut index = Index { rarity, by_word: BTreeMap::new(), by_plain: BTreeMap::new() };
        for (at, text) in texts.iter().enumerate() {
            for word in index.telling(text) {
                index.by_word.entry(word).or_default().push(at);
            }
            index.by_plain.entry(&text.plain).or_default().push(at);
        }
        index
    }

    /// The rarest words of a text, as many as needed so that two texts above [`SAME_SUBJECT_JACCARD`] share one of them.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of words in a short text"
    )]
    fn telling<'x>(&self, text: &'x Text<'_>) -> Vec<&'x str> {
        let mut words = text.words.by_length();
        words.sort_by_key(|word| (self.rarity.get(word).copied().unwrap_or_default(), *word));
        let common = (words.len() as f64 * SAME_SUBJECT_JACCARD).ceil() as usize;
        words.truncate(words.len() - common.min(words.len()) + 1);
        words
    }

    fn candidates(&self, text: &Text<'_>) -> BTreeSet<usize> {
        let by_word = self.telling(text).into_iter().filter_map(|word| self.by_word.get(word)).flatten();
        by_word.chain(self.by_plain.get(text.plain.as_str()).into_iter().flatten()).copied().collect()
    }
}
