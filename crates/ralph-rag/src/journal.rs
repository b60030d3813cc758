//! The journal: every change of knowledge as one versioned JSON line, and the way back from lines to knowledge.
//!
//! The journal is the source of truth. Ids are globally unique and grow with time, so lines of two clones merge by line; replay sorts and
//! dedupes by id. What events mean stands in one place, [`Knowledge::apply`].
//!
//! Length: every event that there is, in one list.

mod consolidations;
mod entry;
mod feedback;
mod knowledge;
mod memories;
mod names;
mod record;
#[cfg(test)]
mod tests;
mod undo;
mod wash;

pub use knowledge::{GateRecord, Knowledge, replay};
pub use memories::{PROJECT_JOURNAL, journal_of};
pub use record::{FeatureRecord, GateMark};
pub use undo::{Change, UndoableAct, last_decision};
pub use wash::wash_line;

use ralph_core::audit::AuditClass;
use ralph_core::consolidation::KnowledgePlace;
use ralph_core::feedback::{Importance, SelectionSource, TermsDropped};
use ralph_core::learning::{ConflictChoice, FeatureLearning, NewLearning};
use ralph_core::memory::{Episode, Fact, WithdrawalReason};
use ralph_core::quality::Reconciliation;
use ralph_core::replica::{IterationRef, ReplicaId};
use ralph_core::run::Outcome;
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, LearningId, MemoryId, TaskId};
use serde::{Deserialize, Serialize};

/// Version of the line format that this program writes. 2 added the replica, the act and the writer's offset from UTC.
pub const VERSION: u32 = 2;

/// One line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Line {
    /// Version of the format.
    pub v: u32,
    /// ULID: unique over all clones, growing within one database.
    pub id: String,
    /// When it happened.
    pub at: Timestamp,
    /// Minutes by which the writer's clock is ahead of UTC, so that a day is its author's day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<i32>,
    /// The database that wrote it; none of before there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica: Option<ReplicaId>,
    /// Shared by all lines of one act: the id of its first line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<String>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What can happen to the knowledge of a feature, or of the project.
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
        /// The database that the iteration ran in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        in_replica: Option<ReplicaId>,
    },
    /// What was put away was said again; it stays away.
    SaidAgain {
        /// The learning.
        learning: LearningId,
        /// In which iteration.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seen: Option<IterationRef>,
    },
    /// A person, asked once more, leaves it away.
    KeptAway {
        /// The learning.
        learning: LearningId,
    },
    /// Learnt on a branch. It stands in a file of that branch, and means nothing before the branch is merged.
    Staged {
        /// The branch.
        branch: String,
        /// What was learnt.
        learning: Box<NewLearning>,
    },
    /// What was learnt on a branch that is merged went through the door; what that changed are events of their own.
    Landed {
        /// The id of the line that tells of it.
        staged: LearningId,
    },
    /// An earlier act of a person was taken back; what that changed are events of their own.
    Undone {
        /// The act.
        undone: String,
    },
    /// A known learning was met again.
    Observed {
        /// The known one.
        learning: LearningId,
        /// In which iteration.
        iteration: Option<u32>,
        /// The database that the iteration ran in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        in_replica: Option<ReplicaId>,
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
        /// Who decided; missing where a comparison did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
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
    /// What an iteration did.
    Episode {
        /// The whole record.
        episode: Box<Episode>,
    },
    /// A fact was stated. It takes the place of what was stated about the same.
    Fact {
        /// The whole record.
        fact: Box<Fact>,
    },
    /// An episode or a fact is no longer told.
    MemoryWithdrawn {
        /// Which.
        memory: MemoryId,
        /// Why.
        because: WithdrawalReason,
        /// What is gone; may be empty.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
    },
    /// An episode or a fact is told again.
    MemoryReturned {
        /// Which.
        memory: MemoryId,
    },
    /// A class of junk was put away; what that changed are events of their own.
    Audited {
        /// Which class.
        class: AuditClass,
        /// Memories that were put away.
        memories: u32,
        /// Who did.
        by: String,
    },
    /// Entries of a source went into documents. What follows from it for learnings are events of their own.
    Consolidation {
        /// The feature; none: the learnings file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feature: Option<String>,
        /// Name of the feature, or path of the file.
        source: String,
        /// Keys of the entries.
        entries: Vec<String>,
        /// Documents that they went into.
        files: Vec<String>,
    },
    /// Somebody said whether a learning helped.
    Validated {
        /// Which.
        learning: LearningId,
        /// Whether it did.
        useful: bool,
        /// Whose word it is: `person`, `run`, `agent` or `agent:ITERATION@REPLICA`.
        by: String,
        /// For which question, if for one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        query: Option<String>,
    },
    /// What was said of a learning is taken back.
    ValidationsDropped {
        /// Which.
        learning: LearningId,
        /// By whom it was said; none: by anybody.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<SelectionSource>,
        /// Since when; none: ever.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Timestamp>,
    },
    /// A learning is found by further words from now on.
    TermsLearnt {
        /// Which.
        learning: LearningId,
        /// The words, in lower case.
        terms: Vec<String>,
        /// Who chose it.
        by: String,
        /// For which question.
        query: String,
        /// At which place it was found there, from 1.
        rank: u32,
    },
    /// A learning is no longer found by words that it had learnt.
    TermsDropped {
        /// Which.
        learning: LearningId,
        /// The words.
        terms: Vec<String>,
        /// Why.
        because: TermsDropped,
    },
    /// What stands behind a learning by what was said of it changed.
    Promoted {
        /// Which.
        learning: LearningId,
        /// To what.
        to: Importance,
    },
    /// A learning is part of a document now.
    Consolidated {
        /// Which.
        learning: LearningId,
        /// Where it stands.
        place: KnowledgePlace,
    },
}

impl Line {
    /// The line as it is written, without the line feed.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("events hold only strings, numbers and lists")
    }

    /// The names of features that stand in it.
    pub fn names(&self) -> Vec<&str> {
        names::of(&self.event)
    }
}

/// What could not be read, told to the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedLine {
    /// File name of the journal.
    pub file: String,
    /// Line number from 1; 0 where the whole file can't be read.
    pub line: u32,
    /// What is wrong with it.
    pub fault: String,
    /// Whether a newer Ralph wrote it: nothing is wrong with it, but this program can't know what it means.
    pub newer: bool,
    /// Whether a name in it holds what looks like a secret: its knowledge is missing here until it has another name.
    pub secret_name: bool,
}

/// Reads the lines of one journal. A torn last line, like any other that can't be read, is skipped and told.
pub fn parse(file: &str, bytes: &[u8]) -> (Vec<Line>, Vec<SkippedLine>) {
    /// All that is taken for granted of a line that a newer Ralph wrote.
    #[derive(Deserialize)]
    struct Header {
        v: u64,
        #[serde(default)]
        event: serde_json::Value,
    }
    let mut lines = Vec::new();
    let mut skipped = Vec::new();
    for (index, raw) in bytes.split(|b| *b == b'\n').enumerate() {
        if raw.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let mut skip = |fault: String, newer: bool| {
            let line = u32::try_from(index + 1).unwrap_or(u32::MAX);
            skipped.push(SkippedLine { file: file.to_owned(), line, fault, newer, secret_name: false });
        };
        let error = match serde_json::from_slice::<Line>(raw) {
            Ok(line) if line.v <= VERSION => {
                match names::fault(&line.event).or_else(|| names::id_fault(&line.id)) {
                    Some(fault) => skip(fault, false),
                    None => lines.push(line),
                }
                continue;
            }
            Ok(line) => {
                skip(format!("version {} is newer than {VERSION}", line.v), true);
                continue;
            }
            Err(error) => error,
        };
        match serde_json::from_slice::<Header>(raw) {
            Ok(header) if header.v > u64::from(VERSION) => skip(format!("version {} is newer than {VERSION}", header.v), true),
            Ok(Header { event: serde_json::Value::String(event), .. }) if !Event::NAMES.contains(&event.as_str()) => {
                skip(format!("the event '{}' is newer than this Ralph", ralph_core::text::cut(&event, 40)), true);
            }
            _ => skip(error.to_string(), false),
        }
    }
    (lines, skipped)
}
