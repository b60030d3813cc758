//! What concerns a feature as a whole: its record, the end of its split, and the iterations on its tasks.

use super::{Draft, Refusal};
use crate::journal::{Event, GateMark};
use ralph_core::feature::{Feature, FeatureState};
use ralph_core::learning::FeatureLearning;
use ralph_core::run::Outcome;
use ralph_core::{IterationId, LearningId, TaskId};

/// An iteration that ended, as the journal tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct IterationEnd {
    /// Its number.
    pub iteration: IterationId,
    /// Its task.
    pub task: TaskId,
    /// What became of it.
    pub outcome: Outcome,
    /// Model.
    pub model: String,
    /// Learnings that were in its prompt: they were used.
    pub told: Vec<LearningId>,
}

impl Draft<'_> {
    /// Stores the record of a new or changed feature. Another cap or state is settled like everything else.
    pub fn set_feature(&mut self, feature: &Feature) {
        self.tell(&feature.name, Event::Feature { feature: Box::new(feature.into()) });
    }

    /// Tells of a learning that is known and that no line tells of, as it stands.
    pub fn adopt(&mut self, learning: &FeatureLearning, gate: Option<GateMark>) {
        self.store(learning, gate, &[]);
    }

    /// Ends a feature that was split: it takes no more knowledge, and what stayed is its history.
    pub fn close_split(&mut self, feature: &str) -> Result<(), Refusal> {
        let feature = self.feature(feature)?;
        self.set_feature(&Feature { state: FeatureState::Decomposed, updated: self.occasion.now, ..feature });
        Ok(())
    }

    /// Tells that an iteration ended, and which learnings it was told.
    pub fn end_iteration(&mut self, feature: &str, end: IterationEnd) {
        let IterationEnd { iteration, task, outcome, model, told } = end;
        self.tell(feature, Event::Iteration { iteration, task, outcome, model, told });
    }

    /// Tells that details of a done task's failed attempts were forgotten.
    pub fn thin(&mut self, feature: &str, task: TaskId, attempts: u32) {
        self.tell(feature, Event::Thinned { task, attempts });
    }
}
