//! Consequences of an act: learnings without room are parked, parked ones return when there is room, and a saturated feature is split.

use super::Draft;
use crate::admit;
use crate::journal::Event;
use ralph_core::LearningId;
use ralph_core::feature::FeatureState;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::saturation::{FeatureSaturation, SaturationLevel};

impl Draft<'_> {
    /// Settles every affected feature, and the project. Deterministic, so that every clone settles the same way. What an act replaced hands
    /// on its observations at once: a rebuild must find nothing left to do.
    pub(super) fn settle(&mut self) {
        let touched = self.touched_features();
        self.hand_observations_on(|feature| touched.contains(feature));
        for name in self.touched_features() {
            self.settle_feature(&name);
        }
    }

    /// Limits episodes; parks learnings above the cap and unparks below it. One pass: unparking fills the room, parking empties it.
    pub fn settle_feature(&mut self, name: &str) {
        self.bound_episodes(name);
        let Some(feature) = self.known.feature(name).filter(|f| f.state == FeatureState::Active).cloned() else { return };
        // Pruned in one clone while another protected it, or reviewed by a person since: protected learnings are never pruned.
        let pruned = self.known.of_feature(name, LearningState::Pruned);
        let protected: Vec<LearningId> = pruned.filter(|l| !l.is_auto_prunable()).map(|l| l.id.clone()).collect();
        for learning in protected {
            self.tell(&feature.name, Event::Parked { learning, by_rule: true });
        }
        self.restore_replaced(name);
        let cap = self.cap(&feature);
        let active: Vec<&FeatureLearning> = self.known.of_feature(name, LearningState::Active).collect();
        let excess = active.len().saturating_sub(cap as usize);
        if excess > 0 {
            for learning in admit::select_for_parking(&active, excess) {
                self.tell(&feature.name, Event::Parked { learning, by_rule: true });
            }
            return;
        }
        let room = cap as usize - active.len();
        let parked: Vec<&FeatureLearning> = self.known.of_feature(name, LearningState::Parked).collect();
        let returning: Vec<LearningId> = admit::select_for_unparking(&parked, room);
        for learning in returning {
            self.tell(&feature.name, Event::Restored { learning, by_rule: true, instead_of: None });
        }
    }
}

/// The needed change to a feature's split task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitNeed {
    /// None.
    Nothing,
    /// A split task.
    Task,
    /// The split is done, by another clone: its task needs no work here.
    Done,
    /// None any more: what made the feature critical has gone another way, as into documents or under a larger cap.
    Over,
    /// Forget that a person skipped it: saturation has fallen below critical since.
    ForgetSkipped,
}

/// Whether a feature needs a split task: it is critical, has no active one, and no person has skipped it since it became critical. A
/// decomposed one no longer needs any, nor does one that is below high again: between high and critical a task stays, so that it does not
/// come and go with each learning.
pub fn split_need(state: FeatureState, saturation: &FeatureSaturation, has_active: bool, skipped: bool) -> SplitNeed {
    let critical = saturation.level == SaturationLevel::Critical;
    match (state, critical) {
        (FeatureState::Active, true) if !has_active && !skipped => SplitNeed::Task,
        (FeatureState::Decomposed, _) if has_active => SplitNeed::Done,
        (FeatureState::Active, false) if has_active && saturation.level != SaturationLevel::High => SplitNeed::Over,
        (_, false) if skipped => SplitNeed::ForgetSkipped,
        _ => SplitNeed::Nothing,
    }
}
