//! Which learnings contradict each other: by their words, or by what a comparison found.

use super::Knowledge;
use crate::relation::Relation;
use crate::words::Words;
use ralph_core::LearningId;
use ralph_core::learning::FeatureLearning;
use ralph_core::quality::PairVerdict;
use std::collections::BTreeMap;

/// Answers that never change, since words never do; they are not part of what is known.
#[derive(Debug, Default, Clone)]
pub struct Opposites(pub(super) BTreeMap<(LearningId, LearningId), bool>);

impl PartialEq for Opposites {
    fn eq(&self, _: &Opposites) -> bool {
        true
    }
}

impl Knowledge {
    /// Whether the replacement of a learning contradicts it: then repeating the old one is not an observation of the new one.
    pub(crate) fn contradicts(&self, old: &FeatureLearning, by: &FeatureLearning) -> bool {
        self.was_found_opposite(&old.id, &by.id) || has_opposite_words(old, by)
    }

    /// Whether a comparison found that two learnings contradict each other.
    pub(crate) fn was_found_opposite(&self, one: &LearningId, other: &LearningId) -> bool {
        let found = |pair: (LearningId, LearningId)| self.acts.get(&pair).is_some_and(|f| f.judgement.verdict == PairVerdict::Conflict);
        found((one.clone(), other.clone())) || found((other.clone(), one.clone()))
    }
}

/// Whether the words of two learnings say the opposite.
pub(super) fn has_opposite_words(one: &FeatureLearning, other: &FeatureLearning) -> bool {
    Words::of(&one.text).relation(&Words::of(&other.text)) == Relation::Opposite
}
