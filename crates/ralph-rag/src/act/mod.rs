//! Acts on knowledge: each decides, as events, what follows from the current state, and then settles the consequences.
//!
//! A [`Draft`] of an act works on the part of [`Knowledge`] that it needs. Its events are applied at once by the single interpretation of
//! events, so that a decision sees its own effects; nothing outside changes before the whole act is stored.

mod audit;
mod code;
mod conflict;
mod consolidate;
mod door;
mod feature;
mod feedback;
mod memory;
mod moving;
mod person;
mod reconcile;
mod remember;
mod replaced;
mod settle;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;
mod undo;

pub use audit::{UndoableAudit, undoable_audit};
pub use code::{FromCode, UndoableScan, undoable_scan};
pub use consolidate::Consolidating;
pub use door::{DoorOutcome, words_of_episode, words_of_fact, words_of_hit};
pub use feature::IterationEnd;
pub use feedback::{AskedBefore, FeedbackOutcome, Word};
pub use memory::FactOutcome;
pub use reconcile::ComparisonOutcome;
pub use remember::{Candidate, is_news};
pub use settle::{SplitNeed, split_need};
pub use undo::{Undoable, undoable};

use crate::admit;
use crate::journal::{Event, Knowledge, Line, VERSION};
use ralph_core::LearningId;
use ralph_core::consolidation::LostWords;
use ralph_core::feature::{Feature, FeatureState};
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::noun::Noun;
use ralph_core::replica::Own;
use ralph_core::saturation::{FeatureSaturation, compute_feature_saturation};
use ralph_core::time::Timestamp;
use std::collections::BTreeSet;

/// Time and place of an act: everything it may not ask the system for.
pub struct Occasion<'a> {
    /// Now.
    pub now: Timestamp,
    /// Offset of the local clock from UTC in minutes.
    pub offset: Option<i32>,
    /// The acting database.
    pub own: &'a Own,
    /// The project's cap, for features without their own.
    pub default_cap: u32,
    /// What became of the words of consolidated learnings in the documents.
    pub documents: &'a LostWords,
    /// Generates ids, each greater than all before.
    pub next_id: &'a mut dyn FnMut() -> String,
}

/// Why an act is refused. Nothing has changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The named item does not exist.
    #[error("there is no {what} '{name}'")]
    NotFound {
        /// Learning, conflict …
        what: Noun,
        /// Its id.
        name: String,
    },
    /// The feature is decomposed or archived.
    #[error("feature '{name}' takes no more learnings")]
    Closed {
        /// Its name.
        name: String,
    },
    /// A field is invalid.
    #[error("{field}: {fault}")]
    Invalid {
        /// Which.
        field: &'static str,
        /// What is wrong.
        fault: String,
        /// How to fix it.
        hint: &'static str,
    },
    /// No room, and nothing prunable.
    #[error("the knowledge of '{}' is full", saturation.feature)]
    Full {
        /// The learning that was to return.
        learning: LearningId,
        /// Saturation of the feature.
        saturation: FeatureSaturation,
    },
}

impl Refusal {
    fn no_learning(id: &str) -> Refusal {
        Refusal::NotFound { what: Noun::Learning, name: id.to_owned() }
    }
}

/// A line and the feature of its journal.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalLine {
    /// Name of the feature.
    pub feature: String,
    /// The line.
    pub line: Line,
}

/// One act, from its decision to its consequences.
pub struct Draft<'a> {
    known: Knowledge,
    told: Vec<JournalLine>,
    occasion: Occasion<'a>,
}

impl<'a> Draft<'a> {
    /// Begins an act on `known`: at least the features and learnings that it names; the active learnings of every feature where it may
    /// prune or park, and the parked ones where it may make room. Where it only adds what there is room for, and nothing waits, it needs
    /// neither.
    pub fn new(known: Knowledge, occasion: Occasion<'a>) -> Draft<'a> {
        Draft { known, told: Vec::new(), occasion }
    }

    /// Current knowledge, including the draft's events.
    pub fn known(&self) -> &Knowledge {
        &self.known
    }

    /// Settles the consequences, and returns the resulting knowledge and all lines of the act, in order.
    pub fn finish(mut self) -> (Knowledge, Vec<JournalLine>) {
        self.settle();
        (self.known, self.told)
    }

    fn tell(&mut self, feature: &str, event: Event) {
        let id = (self.occasion.next_id)();
        let act = self.told.first().map_or_else(|| id.clone(), |first| first.line.id.clone());
        let line = Line {
            v: VERSION,
            id,
            at: self.occasion.now,
            offset: self.occasion.offset,
            replica: Some(self.occasion.own.replica.clone()),
            act: Some(act),
            event,
        };
        self.known.apply(&line);
        self.told.push(JournalLine { feature: feature.to_owned(), line });
    }

    fn new_id(&mut self) -> LearningId {
        (self.occasion.next_id)()
    }

    fn learning(&self, id: &str) -> Result<FeatureLearning, Refusal> {
        self.known.learnings.get(id).cloned().ok_or_else(|| Refusal::no_learning(id))
    }

    fn open_feature(&self, name: &str) -> Result<Feature, Refusal> {
        let feature = self.feature(name)?;
        if feature.state == FeatureState::Active { Ok(feature) } else { Err(Refusal::Closed { name: feature.name }) }
    }

    fn feature(&self, name: &str) -> Result<Feature, Refusal> {
        self.known.feature(name).cloned().ok_or_else(|| Refusal::NotFound { what: Noun::Feature, name: name.to_owned() })
    }

    fn cap(&self, feature: &Feature) -> u32 {
        feature.max_learnings.unwrap_or(self.occasion.default_cap)
    }

    fn active_count(&self, feature: &str) -> usize {
        self.known.of_feature(feature, LearningState::Active).count()
    }

    fn saturation(&self, feature: &Feature) -> FeatureSaturation {
        saturation_in(&self.known, feature, self.cap(feature))
    }

    /// Prunes learnings so that `id` can become active, or fails if there is no room.
    fn make_room(&mut self, feature: &Feature, id: &str) -> Result<Vec<LearningId>, Refusal> {
        let active: Vec<&FeatureLearning> = self.known.of_feature(&feature.name, LearningState::Active).collect();
        let Some(pruned) = admit::room_for_one(&active, self.cap(feature), |id| self.refusals(id)) else {
            return Err(Refusal::Full { learning: id.to_owned(), saturation: self.saturation(feature) });
        };
        for other in &pruned {
            self.tell(&feature.name, Event::Pruned { learning: other.clone(), for_learning: id.to_owned() });
        }
        Ok(pruned)
    }

    /// Parks learnings so that one can be active again, or fails if there is no room: a learning that makes room for an act being undone
    /// must not be lost as a pruned one would be. None of those that return with it gives way. A closed feature takes nothing new, but this
    /// is not new, and it has no cap.
    fn make_room_again(&mut self, back: &FeatureLearning, returning: &[LearningId]) -> Result<(), Refusal> {
        let feature = self.feature(&back.feature)?;
        if feature.state != FeatureState::Active {
            return Ok(());
        }
        let active: Vec<&FeatureLearning> = self.known.of_feature(&feature.name, LearningState::Active).collect();
        let excess = (active.len() + 1).saturating_sub(self.cap(&feature) as usize);
        let others: Vec<&FeatureLearning> = active.into_iter().filter(|other| !returning.contains(&other.id)).collect();
        let parked = admit::select_for_pruning(&others, excess, |id| self.refusals(id));
        if parked.len() < excess {
            return Err(Refusal::Full { learning: back.id.clone(), saturation: self.saturation(&feature) });
        }
        for learning in parked {
            self.tell(&feature.name, Event::Parked { learning, by_rule: true });
        }
        Ok(())
    }

    /// How often somebody said, or a measurement showed, that a learning does not help.
    fn refusals(&self, id: &str) -> u32 {
        self.known.feedback.get(id).map_or(0, ralph_core::feedback::Feedback::not_useful)
    }

    fn retire(&mut self, learning: &FeatureLearning) {
        self.tell(&learning.feature, Event::Retired { learning: learning.id.clone() });
    }

    fn restore(&mut self, learning: &FeatureLearning) {
        self.tell(&learning.feature, Event::Restored { learning: learning.id.clone(), by_rule: false, instead_of: None });
    }

    fn supersede(&mut self, old: &FeatureLearning, by: &str) {
        self.tell(&old.feature, Event::Superseded { learning: old.id.clone(), by: by.to_owned() });
    }

    fn touched_features(&self) -> BTreeSet<String> {
        self.told.iter().map(|told| told.feature.clone()).collect()
    }
}

/// Saturation of a feature, from the known learnings.
pub fn saturation_in(known: &Knowledge, feature: &Feature, cap: u32) -> FeatureSaturation {
    let (mut active, mut protected) = (0, 0);
    for learning in known.of_feature(&feature.name, LearningState::Active) {
        active += 1;
        protected += u32::from(!learning.is_auto_prunable());
    }
    compute_feature_saturation(&feature.name, active, protected, cap)
}
