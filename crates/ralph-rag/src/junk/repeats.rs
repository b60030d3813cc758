//! Memories that repeat another. Of several that say the same, one stays.

use super::{JunkSubject, plain};
use crate::relation::Relation;
use crate::words::{SAME_SUBJECT_JACCARD, Words};
use ralph_core::audit::AuditClass;
use ralph_core::memory::subject_key;
use ralph_core::recall::MemoryKind;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Memories that repeat another, with that one and how; `None` once `stopped` says so. The one that stays is preferably protected, then a
/// learning, then the oldest.
pub(super) fn repeats<'a>(stored: &[&'a JunkSubject], stopped: &dyn Fn() -> bool) -> Option<BTreeMap<&'a str, (AuditClass, String)>> {
    let mut best_first: Vec<&'a JunkSubject> = stored.to_vec();
    best_first.sort_by_key(|memory| (Reverse(memory.protected), memory.kind != MemoryKind::Learning, memory.created, memory.id.as_str()));
    let texts = best_first.into_iter().map(|memory| (!stopped()).then(|| Text::of(memory))).collect::<Option<Vec<Text<'a>>>>()?;
    // A memory that is itself a repetition is not a reason to remove another.
    let mut staying = Index::of(&texts);
    let mut found: BTreeMap<&str, (AuditClass, String)> = BTreeMap::new();
    for (at, text) in texts.iter().enumerate() {
        if stopped() {
            return None;
        }
        let same = |other: &Text<'_>| -> Option<AuditClass> {
            let same_words = text.plain == other.plain;
            // Two lessons may differ only in signs: `a == b` and `a != b`, C++ and C#.
            let says_it = if text.is_lesson() && other.is_lesson() {
                text.memory.text == other.memory.text || text.words.relation(&other.words) == Relation::Duplicate
            } else {
                same_words
            };
            says_it.then_some(if same_words { AuditClass::Duplicate } else { AuditClass::NearDuplicate })
        };
        let telling = staying.telling(text);
        let before = staying.candidates(text, &telling).into_iter().map(|other| &texts[other]);
        let together = before.filter(|other| are_told_together(text.memory, other.memory));
        match together.filter_map(|other| Some((same(other)?, other))).min_by_key(|(class, _)| *class) {
            Some((class, other)) => {
                found.insert(&text.memory.id, (class, format!("it says the same as {} {}", other.memory.kind, other.memory.id)));
            }
            None => staying.add(at, text, telling),
        }
    }
    Some(found)
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
    /// Its feature however it is spelled; `None` = the project.
    home: Option<String>,
    words: Words,
    /// Its words without signs, by which equal texts are found; for a fact, its subject and its literal value.
    plain: String,
}

impl<'a> Text<'a> {
    fn of(memory: &'a JunkSubject) -> Text<'a> {
        let plain = match &memory.about {
            Some((kind, subject)) => format!("{kind}\n{}\n{}", subject_key(subject), memory.text.trim()),
            None => plain(&memory.text),
        };
        let home = memory.feature.as_ref().map(|feature| feature.to_ascii_lowercase());
        Text { memory, home, words: Words::of(&memory.text), plain }
    }

    fn is_lesson(&self) -> bool {
        self.memory.kind != MemoryKind::Fact
    }
}

/// The texts with one word, by home: those of two features are never compared, and a project has many features.
type Homes<'t> = BTreeMap<Option<&'t str>, Vec<usize>>;

/// Index of texts by their rarest words: two similar texts share one of them, so that not every pair has to be compared.
struct Index<'t> {
    rarity: BTreeMap<&'t str, usize>,
    by_word: BTreeMap<&'t str, Homes<'t>>,
    by_plain: BTreeMap<&'t str, Homes<'t>>,
}

impl<'t> Index<'t> {
    /// An index without texts, by the rarity of words in these.
    fn of(texts: &'t [Text<'_>]) -> Index<'t> {
        let mut rarity: BTreeMap<&str, usize> = BTreeMap::new();
        for word in texts.iter().flat_map(|text| text.words.content_words()) {
            *rarity.entry(word).or_default() += 1;
        }
        Index { rarity, by_word: BTreeMap::new(), by_plain: BTreeMap::new() }
    }

    fn add(&mut self, at: usize, text: &'t Text<'_>, telling: Vec<&'t str>) {
        let home = text.home.as_deref();
        for word in telling {
            self.by_word.entry(word).or_default().entry(home).or_default().push(at);
        }
        self.by_plain.entry(&text.plain).or_default().entry(home).or_default().push(at);
    }

    /// The rarest words of a text, as many as needed so that two texts above [`SAME_SUBJECT_JACCARD`] share one of them. None for a fact:
    /// facts repeat each other literally.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of words in a short text"
    )]
    fn telling(&self, text: &'t Text<'_>) -> Vec<&'t str> {
        if !text.is_lesson() {
            return Vec::new();
        }
        let mut words = text.words.by_length();
        words.sort_by_key(|word| (self.rarity.get(word).copied().unwrap_or_default(), *word));
        let common = (words.len() as f64 * SAME_SUBJECT_JACCARD).ceil() as usize;
        words.truncate(words.len() - common.min(words.len()) + 1);
        words
    }

    fn candidates(&self, text: &Text<'_>, telling: &[&str]) -> BTreeSet<usize> {
        let by_word = telling.iter().filter_map(|word| self.by_word.get(word));
        let homes = by_word.chain(self.by_plain.get(text.plain.as_str()));
        match text.home.as_deref() {
            Some(home) => homes.flat_map(|homes| [homes.get(&Some(home)), homes.get(&None)]).flatten().flatten().copied().collect(),
            None => homes.flat_map(BTreeMap::values).flatten().copied().collect(),
        }
    }
}
