//! Automatic learning, the pure part: operations are tracked in a ring, and what they come to is detected. What a rule can't know is not
//! said: "this failed so, this mended it" is told, "X leads to success" never.

mod commands;
mod detect;
pub mod extract;
mod mended;
mod operation;
mod told;
mod validate;

pub use detect::{detect_pattern, detect_task_completion};
pub use mended::lesson_of;
pub use operation::Operation;
pub use told::Fingerprints;
pub use validate::{Candidate, validate};

use ralph_core::detection::{DetectionKind, ToolKind};
use ralph_core::settings::{AutomaticLearning, LearningMode};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};

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
    /// Fingerprints of what Ralph told in the session until then, see [`Fingerprints`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<u32>,
}

impl Detection {
    fn of<W: Into<String>>(kind: DetectionKind, words: [W; 3], confidence: f64, operations: Vec<Operation>) -> Detection {
        let [situation, action, outcome] = words.map(Into::into);
        Detection { kind, situation, action, outcome, confidence, operations, told: Vec::new() }
    }

    /// Files that its operations changed, at most `most`.
    pub fn files(&self, most: usize) -> Vec<String> {
        let edits = self.operations.iter().filter(|operation| operation.succeeded() && operation.kind() == ToolKind::Edit);
        let files: BTreeSet<&str> = edits.flat_map(|operation| mended::paths_of(&operation.arguments)).collect();
        files.into_iter().take(most).map(str::to_owned).collect()
    }
}

/// The ring of one session.
#[derive(Debug, Default)]
pub struct Tracker {
    ring: VecDeque<Operation>,
    /// Operations of the ring, newest last, that no detection has consumed.
    free: usize,
    told: Fingerprints,
}

impl Tracker {
    /// Takes one operation and answers what it completes. A detection consumes its operations, so that no event tells twice.
    ///
    /// A failure waits for what mends it: as long as it can be mended, only [`Tracker::finish`] tells it.
    pub fn track_operation(&mut self, operation: Operation) -> Option<Detection> {
        let found = self.detect(operation)?;
        Some(Detection { told: self.told.hashes(), ..found })
    }

    /// Remembers that Ralph told something: what an agent learns of it is no lesson.
    pub fn was_told(&mut self, text: &str) {
        self.told.add(text);
    }

    fn detect(&mut self, operation: Operation) -> Option<Detection> {
        if self.ring.len() == RING {
            self.ring.pop_front();
        }
        self.ring.push_back(operation);
        self.free = (self.free + 1).min(self.ring.len());
        let operations = self.ring.make_contiguous();
        let mended = mended::detect_mended_failure(operations).or_else(|| mended::detect_replaced_failure(operations));
        if let Some(detection) = mended {
            // The tries, and what took their place. Edits stay: they may be what mends another failure.
            let name = |operation: Option<&Operation>| operation.map(Operation::name).unwrap_or_default();
            let worked = name(detection.operations.last());
            let failed = name(detection.operations.iter().rfind(|operation| !operation.succeeded()));
            self.ring.retain(|operation| operation.name() != worked && operation.name() != failed);
            self.free = 0;
            return Some(detection);
        }
        let free = &operations[operations.len() - self.free..];
        let worked = free.iter().rev().take_while(|operation| operation.succeeded()).count();
        let worked = &free[free.len() - worked..];
        let detection = detect_task_completion(worked).or_else(|| detect_pattern(worked))?;
        // Edits stay in the ring: they may be what mends a failure.
        self.free = 0;
        Some(detection)
    }

    /// What is left to tell when no more operations come.
    pub fn finish(&mut self) -> Vec<Detection> {
        let told = self.told.hashes();
        let found = mended::unmended_failures(self.ring.make_contiguous());
        *self = Tracker::default();
        found.into_iter().map(|detection| Detection { told: told.clone(), ..detection }).collect()
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
mod accuracy;
#[cfg(test)]
mod tests;
