//! Automatic learning, the pure part: operations are tracked in a ring, and what they come to is detected. What a rule can't know is not
//! said: "this failed so, this mended it" is told, "X leads to success" never.

mod detect;
mod mended;
mod operation;

pub use detect::{detect_pattern, detect_task_completion};
pub use mended::lesson_of;
pub use operation::Operation;

use ralph_core::detection::DetectionKind;
use ralph_core::settings::{AutomaticLearning, LearningMode};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Operations that a ring holds.
pub const RING: usize = 100;

/// What operations came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Detection {
    /// What it is.
    pub kind: DetectionKind,
    /// What it was about.
    pub situation: String,
    /// What was done.
    pub action: String,
    /// How it came out.
    pub outcome: String,
    /// How sure the detector is, from 0 to 1.
    pub confidence: f64,
    /// The operations that it consumed, oldest first.
    pub operations: Vec<Operation>,
}

/// The ring of one session.
#[derive(Debug, Default)]
pub struct Tracker {
    ring: VecDeque<Operation>,
}

impl Tracker {
    /// Takes one operation and answers what it completes. A detection consumes its operations, so that no event tells twice.
    pub fn track_operation(&mut self, operation: Operation) -> Option<Detection> {
        if self.ring.len() == RING {
            self.ring.pop_front();
        }
        self.ring.push_back(operation);
        let operations = self.ring.make_contiguous();
        if let Some(detection) = detect::detect_mended_failure(operations) {
            self.ring.clear();
            return Some(detection);
        }
        None
    }
}

/// Whether a kind of detection is learnt from: the mode decides, and the switches only narrow it.
pub fn should_auto_learn(settings: &AutomaticLearning, kind: DetectionKind) -> bool {
    let tracked = match kind {
        DetectionKind::TaskCompletion => settings.track_tasks,
        DetectionKind::RepeatedFailure | DetectionKind::MendedFailure | DetectionKind::RepeatedSuccess => settings.track_operations,
    };
    let learnt = match settings.mode {
        LearningMode::Aggressive => true,
        LearningMode::Moderate => kind != DetectionKind::RepeatedSuccess,
        LearningMode::Minimal => false,
    };
    settings.enabled && tracked && learnt
}

#[cfg(test)]
mod tests;
