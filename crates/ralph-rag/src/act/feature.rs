//! Acts on a feature as a whole: its record, the end of its split, and the iterations on its tasks.

use super::{Draft, Refusal};
use crate::journal::{Event, GateMark, feature_changes};
use ralph_core::feature::{Feature, FeatureState};
use ralph_core::learning::FeatureLearning;
use ralph_core::run::Outcome;
use ralph_core::{IterationId, LearningId, TaskId};

/// An ended iteration, as recorded in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct IterationEnd {
    /// Its number.
    pub iteration: IterationId,
    /// Its task.
    pub task: TaskId,
    /// Its outcome.
    pub outcome: Outcome,
    /// Model.
    pub model: String,
    /// Learnings included in its prompt.
    pub told: Vec<LearningId>,
}

impl Draft<'_> {
    /// Stores the record of a new or changed feature. A changed cap or state is settled like any other act.
    pub fn set_feature(&mut self, feature: &Feature) {
        let changed = self.known.feature(&feature.name).map(|known| feature_changes(known, feature));
        self.tell(&feature.name, Event::Feature { feature: Box::new(Feature { id: 0, ..feature.clone() }), changed });
    }

    /// Records that the project's cap differs from `before`: the saturation of a feature without a cap of its own is measured by it.
    pub fn change_default_cap(&mut self, feature: &str, before: u32) {
        let Some(feature) = self.known.feature(feature) else { return };
        let (feature, max_learnings) = (feature.name.clone(), self.occasion.default_cap);
        self.tell(&feature.clone(), Event::DefaultCap { feature, max_learnings, before });
    }

    /// Records a known learning that no line contains, in its current state.
    pub fn adopt(&mut self, learning: &FeatureLearning, gate: Option<GateMark>) {
        self.store(learning, gate, &[]);
    }

    /// Closes a feature that was split: it accepts no further knowledge, and the remaining learnings are its history.
    pub fn close_split(&mut self, feature: &str) -> Result<(), Refusal> {
        let feature = self.feature(feature)?;
        self.set_feature(&Feature { state: FeatureState::Decomposed, updated: self.occasion.now, ..feature });
        Ok(())
    }

    /// Records that an iteration ended, and which learnings its prompt included.
    pub fn end_iteration(&mut self, feature: &str, end: IterationEnd) {
        let IterationEnd { iteration, task, outcome, model, told } = end;
        self.tell(feature, Event::Iteration { iteration, task, outcome, model, told });
    }

    /// Records that details of a done task's failed attempts were deleted.
    pub fn thin(&mut self, feature: &str, task: TaskId, attempts: u32) {
        self.tell(feature, Event::Thinned { task, attempts });
    }
}
