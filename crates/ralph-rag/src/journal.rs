//! The journal: every change of knowledge as one versioned JSON line, and the way back from lines to knowledge.
//!
//! The journal is the source of truth. Ids are globally unique and grow with time, so lines of two clones
//! merge by line; replay sorts and dedupes by id, and skips, by name, what it can't read.

mod names;
mod replay;
#[cfg(test)]
mod tests;
mod undo;
mod wash;

pub use replay::{Knowledge, replay};
pub use undo::{Change, Decision, last_decision};
pub use wash::wash_line;

use ralph_core::feature::{Feature, FeatureState};
use ralph_core::learning::{ConflictChoice, FeatureLearning, JournalEntry};
use ralph_core::quality::Reconciliation;
use ralph_core::run::Outcome;
use ralph_core::task::TaskProvenance;
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, LearningId, TaskId, text};
use serde::{Deserialize, Serialize};

/// Version of the line format that this program writes.
pub const VERSION: u32 = 1;

/// One line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Line {
    /// Version of the format.
    pub v: u32,
    /// ULID: unique over all clones, growing within one database.
    pub id: String,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What can happen to a feature's knowledge.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The feature was made or one of its fields changed: the whole record.
    Feature {
        /// The record.
        feature: Box<FeatureRecord>,
    },
    /// A learning was stored: active, or parked when there was no room.
    Learned {
        /// The whole record.
        learning: Box<FeatureLearning>,
        /// What the gate said; missing where it was not asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gate: Option<GateMark>,
    },
    /// A person decided about the gate's warning.
    GateDecided {
        /// Which learning.
        learning: LearningId,
        /// Kept, or put away.
        kept: bool,
    },
    /// What a person decided about the gate's warning is taken back.
    WarningReopened {
        /// Which learning.
        learning: LearningId,
    },
    /// A learning was compared with what was known by its vector. What follows from it are events of their own.
    Reconciled {
        /// What was found.
        reconciliation: Box<Reconciliation>,
    },
    /// Two learnings are different things, whatever is found later: a person said so.
    KeptApart {
        /// The one that was there.
        older: LearningId,
        /// The one that came.
        newer: LearningId,
    },
    /// An observation that was handed on is taken back.
    Withdrawn {
        /// The learning that had it.
        learning: LearningId,
        /// The iteration.
        iteration: u32,
    },
    /// A known learning was met again.
    Observed {
        /// The known one.
        learning: LearningId,
        /// In which iteration.
        iteration: Option<u32>,
        /// Whether it counted: a distinct iteration.
        counted: bool,
    },
    /// Someone reviewed a learning.
    Reviewed {
        /// Which.
        learning: LearningId,
        /// Who.
        by: String,
    },
    /// Gave its place to another.
    Pruned {
        /// Which.
        learning: LearningId,
        /// To whom.
        for_learning: LearningId,
    },
    /// Put away by a person.
    Retired {
        /// Which.
        learning: LearningId,
    },
    /// Active again.
    Restored {
        /// Which.
        learning: LearningId,
    },
    /// No longer active for want of room.
    Parked {
        /// Which.
        learning: LearningId,
    },
    /// Replaced by a newer one.
    Superseded {
        /// Which.
        learning: LearningId,
        /// By which.
        by: LearningId,
    },
    /// Two learnings contradict each other.
    Conflict {
        /// The one that was there.
        older: LearningId,
        /// The one that came.
        newer: LearningId,
    },
    /// A person decided a conflict.
    ConflictResolved {
        /// The one that was there.
        older: LearningId,
        /// The one that came.
        newer: LearningId,
        /// The decision.
        choice: ConflictChoice,
    },
    /// What was decided about a conflict is taken back: it waits for a person again.
    ConflictReopened {
        /// The one that was there.
        older: LearningId,
        /// The one that came.
        newer: LearningId,
    },
    /// Left for another feature with its task.
    MovedOut {
        /// Which.
        learning: LearningId,
        /// Name of the feature it went to.
        to: String,
    },
    /// Came from another feature with its task.
    MovedIn {
        /// The whole record as it is here.
        learning: Box<FeatureLearning>,
        /// Name of the feature it came from.
        from: String,
    },
    /// An iteration on one of the feature's tasks ended.
    Iteration {
        /// Its number.
        iteration: IterationId,
        /// Its task.
        task: TaskId,
        /// What became of it.
        outcome: Outcome,
        /// Model.
        model: String,
        /// Learnings that were in its prompt: they were used.
        told: Vec<LearningId>,
    },
    /// The details of a done task's failed attempts were forgotten, since they had grown old. No knowledge changes by it.
    Thinned {
        /// The task.
        task: TaskId,
        /// Attempts whose details went; what became of them stays.
        attempts: u32,
    },
}

/// What the gate said when a learning came in: the part of the report that can't be computed again from the text alone.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GateMark {
    /// Whether it passed.
    pub passed: bool,
    /// Signal density.
    pub density: f64,
    /// Whether it was refused.
    #[serde(default)]
    pub refused: bool,
}

/// A feature without what is only this database's own (its row number).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "the fields are those of `Feature`")]
pub struct FeatureRecord {
    pub name: String,
    pub display_name: String,
    pub acronym: String,
    pub description: String,
    pub architecture: String,
    pub boundaries: String,
    pub context_files: Vec<String>,
    pub knowledge_paths: Vec<String>,
    pub dependencies: Vec<String>,
    pub parent: Option<String>,
    pub state: FeatureState,
    pub author: TaskProvenance,
    pub max_learnings: Option<u32>,
    pub created: Timestamp,
    pub updated: Timestamp,
}

impl Default for FeatureRecord {
    fn default() -> Self {
        FeatureRecord::from(&Feature { acronym: String::new(), ..Feature::new("", Timestamp::default()) })
    }
}

impl From<&Feature> for FeatureRecord {
    fn from(f: &Feature) -> Self {
        FeatureRecord {
            name: f.name.clone(),
            display_name: f.display_name.clone(),
            acronym: f.acronym.clone(),
            description: f.description.clone(),
            architecture: f.architecture.clone(),
            boundaries: f.boundaries.clone(),
            context_files: f.context_files.clone(),
            knowledge_paths: f.knowledge_paths.clone(),
            dependencies: f.dependencies.clone(),
            parent: f.parent.clone(),
            state: f.state,
            author: f.author,
            max_learnings: f.max_learnings,
            created: f.created,
            updated: f.updated,
        }
    }
}

impl From<FeatureRecord> for Feature {
    fn from(f: FeatureRecord) -> Self {
        Feature {
            id: 0,
            name: f.name,
            display_name: f.display_name,
            acronym: f.acronym,
            description: f.description,
            architecture: f.architecture,
            boundaries: f.boundaries,
            context_files: f.context_files,
            knowledge_paths: f.knowledge_paths,
            dependencies: f.dependencies,
            parent: f.parent,
            state: f.state,
            author: f.author,
            max_learnings: f.max_learnings,
            created: f.created,
            updated: f.updated,
        }
    }
}

impl Event {
    /// The word in the line.
    pub fn name(&self) -> &'static str {
        match self {
            Event::Feature { .. } => "feature",
            Event::Learned { .. } => "learned",
            Event::GateDecided { .. } => "gate_decided",
            Event::WarningReopened { .. } => "warning_reopened",
            Event::Reconciled { .. } => "reconciled",
            Event::KeptApart { .. } => "kept_apart",
            Event::Withdrawn { .. } => "withdrawn",
            Event::Observed { .. } => "observed",
            Event::Reviewed { .. } => "reviewed",
            Event::Pruned { .. } => "pruned",
            Event::Retired { .. } => "retired",
            Event::Restored { .. } => "restored",
            Event::Parked { .. } => "parked",
            Event::Superseded { .. } => "superseded",
            Event::Conflict { .. } => "conflict",
            Event::ConflictResolved { .. } => "conflict_resolved",
            Event::ConflictReopened { .. } => "conflict_reopened",
            Event::MovedOut { .. } => "moved_out",
            Event::MovedIn { .. } => "moved_in",
            Event::Iteration { .. } => "iteration",
            Event::Thinned { .. } => "thinned",
        }
    }
}

impl Line {
    /// The line as it is written, without the line feed.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("events hold only strings, numbers and lists")
    }

    /// The line as the screen shows it.
    pub fn entry(&self) -> JournalEntry {
        let (learning, summary) = self.summary();
        JournalEntry { id: self.id.clone(), at: self.at, event: self.event.name().to_owned(), learning, summary }
    }

    fn summary(&self) -> (Option<LearningId>, String) {
        match &self.event {
            Event::Feature { feature } => (
                None,
                format!("Feature '{}' is {}, parent {}", feature.display_name, feature.state, feature.parent.as_deref().unwrap_or("none")),
            ),
            Event::Learned { learning, gate } => {
                let gate =
                    gate.as_ref().filter(|g| !g.passed).map(|g| if g.refused { ", refused by the gate" } else { ", the gate warns" });
                let text = text::cut(&learning.text, 160);
                (Some(learning.id.clone()), format!("{} ({}{}): {text}", learning.state, learning.source, gate.unwrap_or_default()))
            }
            Event::GateDecided { learning, kept } => {
                (Some(learning.clone()), format!("The gate's warning was {}", if *kept { "overruled" } else { "confirmed" }))
            }
            Event::WarningReopened { learning } => (Some(learning.clone()), "The gate's warning waits again".to_owned()),
            Event::Reconciled { reconciliation } => {
                let Reconciliation { learning, other, judgement, .. } = &**reconciliation;
                let to = other.as_ref().map_or_else(|| "nothing known is like it".to_owned(), |other| format!("to {other}"));
                (Some(learning.clone()), format!("Compared: {}, {to} (similarity {:.2})", judgement.verdict, judgement.similarity))
            }
            Event::KeptApart { older, newer } => (Some(newer.clone()), format!("Another thing than {older}: a person said so")),
            Event::Withdrawn { learning, iteration } => {
                (Some(learning.clone()), format!("Observation of iteration {iteration} taken back"))
            }
            Event::Observed { learning, iteration, counted } => {
                let place = iteration.map_or_else(|| "outside an iteration".to_owned(), |i| format!("in iteration {i}"));
                (Some(learning.clone()), format!("Seen again {place}{}", if *counted { "" } else { ", not counted" }))
            }
            Event::Reviewed { learning, by } => (Some(learning.clone()), format!("Reviewed by {by}")),
            Event::Pruned { learning, for_learning } => (Some(learning.clone()), format!("Pruned for {for_learning}")),
            Event::Retired { learning } => (Some(learning.clone()), "Retired".to_owned()),
            Event::Restored { learning } => (Some(learning.clone()), "Restored".to_owned()),
            Event::Parked { learning } => (Some(learning.clone()), "Parked for want of room".to_owned()),
            Event::Superseded { learning, by } => (Some(learning.clone()), format!("Superseded by {by}")),
            Event::Conflict { older, newer } => (Some(newer.clone()), format!("Contradicts {older}")),
            Event::ConflictResolved { older, newer, choice } => (Some(newer.clone()), format!("Conflict with {older} decided: {choice}")),
            Event::ConflictReopened { older, newer } => (Some(newer.clone()), format!("Conflict with {older} waits again")),
            Event::MovedOut { learning, to } => (Some(learning.clone()), format!("Moved to '{to}' with its task")),
            Event::MovedIn { learning, from } => {
                (Some(learning.id.clone()), format!("Came from '{from}' with its task: {}", text::cut(&learning.text, 160)))
            }
            Event::Iteration { iteration, task, outcome, model, .. } => {
                (None, format!("Iteration {iteration} on #{task} with {model}: {outcome}"))
            }
            Event::Thinned { task, attempts } => (None, format!("Details of failed attempts at #{task} forgotten by age: {attempts}")),
        }
    }
}

/// What could not be read, told to the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedLine {
    /// File name of the journal.
    pub file: String,
    /// Line number from 1.
    pub line: u32,
    /// What is wrong with it.
    pub fault: String,
}

/// Reads the lines of one journal. A torn last line, like any other that can't be read, is skipped and told.
pub fn parse(file: &str, bytes: &[u8]) -> (Vec<Line>, Vec<SkippedLine>) {
    let mut lines = Vec::new();
    let mut skipped = Vec::new();
    for (index, raw) in bytes.split(|b| *b == b'\n').enumerate() {
        if raw.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Line>(raw) {
            Ok(line) if line.v <= VERSION => match names::fault(&line.event) {
                Some(fault) => skipped.push(skip(file, index, fault)),
                None => lines.push(line),
            },
            Ok(line) => skipped.push(skip(file, index, format!("version {} is newer than {VERSION}", line.v))),
            Err(error) => skipped.push(skip(file, index, error.to_string())),
        }
    }
    (lines, skipped)
}

fn skip(file: &str, index: usize, fault: String) -> SkippedLine {
    SkippedLine { file: file.to_owned(), line: u32::try_from(index + 1).unwrap_or(u32::MAX), fault }
}
