//! Automatic learning, the pure part: operations are tracked in a ring, and patterns in them detected. Rules state only what they can know:
//! "this failed, this fixed it", but never "X leads to success".

mod about;
mod between;
mod commands;
mod detect;
mod edits;
mod errors;
mod evading;
pub mod extract;
mod failures;
mod instead;
mod mended;
mod named;
mod operation;
mod otherwise;
mod told;
mod unmended;
mod validate;

pub use detect::{detect_deployment, detect_pattern, detect_repeated_query, detect_task_completion};
pub use mended::{lesson_of, rests_on};
pub use operation::Operation;
pub use told::Fingerprints;
pub use unmended::{is_answered, works_again};
pub use validate::{Candidate, says_nothing, validate};

use ralph_core::detection::DetectionKind;
use ralph_core::settings::{AutomaticLearning, LearningMode};
use ralph_core::shell_words::Try;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};

/// Operations that a ring holds.
pub const RING: usize = 100;

/// A pattern found in operations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Detection {
    /// What it is.
    pub kind: DetectionKind,
    /// The situation.
    pub situation: String,
    /// The action.
    pub action: String,
    /// The outcome.
    pub outcome: String,
    /// Confidence of the detector, from 0 to 1.
    pub confidence: f64,
    /// The operations that it consumed, oldest first.
    pub operations: Vec<Operation>,
    /// Fingerprints of what Ralph had shown in the session until then, see [`Fingerprints`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<u32>,
    /// Whether one of its calls asked for learning: then it takes place, whatever the settings say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
}

impl Detection {
    fn of<W: Into<String>>(kind: DetectionKind, words: [W; 3], confidence: f64, operations: Vec<Operation>) -> Detection {
        let [situation, action, outcome] = words.map(Into::into);
        let asked = operations.iter().any(|operation| operation.asked);
        Detection { kind, situation, action, outcome, confidence, operations, told: Vec::new(), asked }
    }

    /// What had worked, if this detection says that it fails again as before: then nobody knows what had mended it.
    pub fn refuted(&self) -> Option<&Operation> {
        self.operations.first().filter(|worked| self.kind == DetectionKind::RepeatedFailure && worked.succeeded())
    }

    /// Files that its operations changed, at most `most`.
    pub fn files(&self, most: usize) -> Vec<String> {
        BTreeSet::from_iter(edits::edited(&self.operations)).into_iter().take(most).collect()
    }
}

/// The ring of one session.
#[derive(Debug, Default)]
pub struct Tracker {
    ring: VecDeque<Operation>,
    /// Operations of the ring, newest last, that no detection has consumed.
    free: usize,
    /// The last failure and the success of each story reported as mended; a refuted one no longer counts.
    mended: Vec<(Operation, Operation)>,
    /// Commands that worked, the newest last, each once.
    worked: VecDeque<String>,
    told: Fingerprints,
    settings: AutomaticLearning,
}

impl Tracker {
    /// Tracks one operation and returns what it completes. A detection consumes its operations, so that none is reported twice.
    ///
    /// A failure waits for its fix: as long as it can be fixed, only [`Tracker::finish`] reports it. If something that seemed mended fails
    /// as before, that is reported at once, see [`Detection::refuted`].
    pub fn track_operation(&mut self, operation: Operation) -> Option<Detection> {
        let found = self.detect(operation)?;
        Some(Detection { told: self.told.hashes(), ..found })
    }

    /// From now on the settings decide when operations amount to something.
    pub fn tune(&mut self, settings: &AutomaticLearning) {
        self.settings.clone_from(settings);
    }

    /// Takes note of a call that is not to be learnt from. One that worked ends the story of what failed before: that is no longer known.
    pub fn pass_over(&mut self, operation: &Operation) {
        if operation.worked() {
            let tried = operation.tried();
            self.ring.retain(|other| !tried.says(&other.tried()));
            self.free = self.free.min(self.ring.len());
        }
    }

    /// Remembers that Ralph said something: what an agent learns from that is not a lesson.
    pub fn was_told(&mut self, text: &str) {
        self.told.add(text);
    }

    /// Commands that worked: earlier failures of them are over.
    pub fn worked(&self) -> impl Iterator<Item = &str> {
        self.worked.iter().map(String::as_str)
    }

    fn note_working(&mut self, operation: &Operation) {
        let Some(command) = operation.command().filter(|_| operation.worked() && failures::counts(operation)) else { return };
        self.worked.retain(|known| known != command);
        if self.worked.len() == RING {
            self.worked.pop_front();
        }
        self.worked.push_back(command.to_owned());
    }

    fn detect(&mut self, operation: Operation) -> Option<Detection> {
        self.note_working(&operation);
        if self.ring.len() == RING {
            self.ring.pop_front();
        }
        let refuted = self.mended.iter().position(|(failed, worked)| mended::refutes(&operation, failed, worked));
        let refuted = refuted.map(|at| mended::refutation(self.mended.remove(at).1, &operation, self.settings.failed_confidence));
        self.ring.push_back(operation);
        self.free = (self.free + 1).min(self.ring.len());
        if refuted.is_some() {
            return refuted;
        }
        let (operations, settings) = (self.ring.make_contiguous(), &self.settings);
        let mended = mended::detect_mended_failure(operations, settings).or_else(|| mended::detect_replaced_failure(operations, settings));
        if let Some(detection) = mended {
            // The attempts, and what replaced them. Edits stay: they may fix another failure.
            let worked = detection.operations.last();
            let failed = detection.operations.iter().rfind(|operation| !operation.succeeded());
            let consumed: Vec<Try> = worked.into_iter().chain(failed).map(Operation::tried).collect();
            self.ring.retain(|operation| !consumed.iter().any(|tried| operation.tried().is_like(tried)));
            self.free = 0;
            self.mended.extend(failed.cloned().zip(worked.cloned()));
            return Some(detection);
        }
        let free = &operations[operations.len() - self.free..];
        let worked = free.iter().rev().take_while(|operation| operation.succeeded()).count();
        let worked = &free[free.len() - worked..];
        let detection = detect_deployment(operations, settings)
            .or_else(|| detect_task_completion(worked, settings))
            .or_else(|| detect_repeated_query(worked, settings))
            .or_else(|| detect_pattern(worked, settings))?;
        // Edits stay in the ring: they may be what mends a failure.
        self.free = 0;
        Some(detection)
    }

    /// Remaining detections when no more operations follow.
    pub fn finish(&mut self) -> Vec<Detection> {
        let told = self.told.hashes();
        let found = unmended::unmended_failures(self.ring.make_contiguous(), &self.settings);
        *self = Tracker { settings: std::mem::take(&mut self.settings), ..Tracker::default() };
        found.into_iter().map(|detection| Detection { told: told.clone(), ..detection }).collect()
    }
}

/// Whether a kind of detection is in scope: the mode decides, and the switches only narrow it.
pub fn should_auto_learn(settings: &AutomaticLearning, kind: DetectionKind) -> bool {
    let tracked = match kind {
        DetectionKind::TaskCompletion => settings.track_tasks,
        DetectionKind::RepeatedFailure | DetectionKind::MendedFailure | DetectionKind::RepeatedSuccess | DetectionKind::RepeatedQuery => {
            settings.track_operations
        }
    };
    let learnt = match settings.mode {
        LearningMode::Aggressive => true,
        LearningMode::Moderate => !matches!(kind, DetectionKind::RepeatedSuccess | DetectionKind::RepeatedQuery),
        LearningMode::Minimal => false,
    };
    settings.enabled && tracked && learnt
}

#[cfg(test)]
mod accuracy;
#[cfg(test)]
mod tests;
