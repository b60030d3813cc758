//! The journal: every change of knowledge as one versioned JSON line, and the replay of lines into knowledge.
//!
//! The journal is the source of truth. Ids are globally unique and grow with time, so lines of two clones merge by line; replay sorts and
//! dedupes by id. Events are interpreted in one place, [`Knowledge::apply`].
//!
//! Length: all events in one list.

mod consolidations;
mod entry;
mod feedback;
mod knowledge;
mod memories;
mod names;
mod numbers;
mod opposites;
mod record;
mod said;
#[cfg(test)]
mod tests;
mod undo;
mod wash;

pub use knowledge::{GateRecord, Knowledge, replay};
pub use memories::{PROJECT_JOURNAL, journal_of};
pub use numbers::numbers_of;
pub use opposites::Opposites;
pub use record::GateMark;
pub(crate) use record::feature_changes;
pub use said::Said;
pub(crate) use undo::answered_between;
pub use undo::{Change, UndoableAct, last_decision};
pub use wash::wash_line;

use ralph_core::audit::AuditClass;
use ralph_core::consolidation::KnowledgePlace;
use ralph_core::feature::Feature;
use ralph_core::feedback::{Importance, SelectionSource, TermsDropped};
use ralph_core::learning::{ConflictChoice, FeatureLearning, NewLearning};
use ralph_core::memory::{Episode, Fact, WithdrawalReason};
use ralph_core::quality::Reconciliation;
use ralph_core::replica::{IterationRef, ReplicaId};
use ralph_core::run::Outcome;
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, LearningId, MemoryId, TaskId, count};
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
    /// Offset of the writer's clock from UTC in minutes, so that a day is the author's day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<i32>,
    /// The database that wrote it; `None` for lines older than replicas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica: Option<ReplicaId>,
    /// Shared by all lines of one act: the id of its first line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<String>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Everything that can happen to the knowledge of a feature, or of the project.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The feature was created, or fields of it changed.
    Feature {
        /// The whole record; its row number is 0.
        #[serde(with = "record::feature")]
        feature: Box<Feature>,
        /// The fields that the line changes, by name: another clone may have changed others meanwhile. Missing in older lines, and when the
        /// feature was created: all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        changed: Option<Vec<String>>,
    },
    /// A learning was stored: active, or parked when there was no room.
    Learned {
        /// The whole record.
        learning: Box<FeatureLearning>,
        /// The gate's verdict; missing if the gate did not judge it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gate: Option<GateMark>,
    },
    /// A person decided on the gate's warning.
    GateDecided {
        /// Which learning.
        learning: LearningId,
        /// Kept, or put away.
        kept: bool,
    },
    /// A person's decision on the gate's warning, or on what was said again, was undone.
    WarningReopened {
        /// Which learning.
        learning: LearningId,
    },
    /// A learning was compared with the known ones by its vector. The consequences are separate events.
    Reconciled {
        /// The comparison.
        reconciliation: Box<Reconciliation>,
    },
    /// A person decided that two learnings are different things, whatever is found later.
    KeptApart {
        /// The earlier one.
        older: LearningId,
        /// The later one.
        newer: LearningId,
    },
    /// A transferred observation was removed.
    Withdrawn {
        /// The learning that had it.
        learning: LearningId,
        /// The iteration.
        iteration: u32,
        /// The database that the iteration ran in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        in_replica: Option<ReplicaId>,
    },
    /// A put-away learning was repeated; it stays away.
    SaidAgain {
        /// The learning.
        learning: LearningId,
        /// The iteration.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seen: Option<IterationRef>,
    },
    /// A person was asked again and leaves it away.
    KeptAway {
        /// The learning.
        learning: LearningId,
    },
    /// Learned on a branch. It is in a file of that branch and has no effect before the branch is merged.
    Staged {
        /// The branch.
        branch: String,
        /// The candidate.
        learning: Box<NewLearning>,
    },
    /// A staged lesson of a merged branch was remembered; the resulting changes are separate events.
    Landed {
        /// The id of the line that recorded it.
        staged: LearningId,
    },
    /// An earlier act of a person was undone; the resulting changes are separate events.
    Undone {
        /// The act.
        undone: String,
    },
    /// A known learning was observed again.
    Observed {
        /// The known one.
        learning: LearningId,
        /// The iteration.
        iteration: Option<u32>,
        /// The database that the iteration ran in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        in_replica: Option<ReplicaId>,
        /// Whether it counted: a distinct iteration.
        counted: bool,
        /// What was said in addition to what is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        said: Option<Box<Said>>,
    },
    /// Someone reviewed a learning.
    Reviewed {
        /// Which.
        learning: LearningId,
        /// Who.
        by: String,
    },
    /// A person's review was taken back.
    Unreviewed {
        /// Which.
        learning: LearningId,
        /// Who had reviewed it before that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// Pruned to make room for another.
    Pruned {
        /// Which.
        learning: LearningId,
        /// The other one.
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
        /// By rule, because there is room or it was observed again; then it does not affect what another clone put away or replaced.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_rule: bool,
        /// What a rule had wrongly put in its place: the line changes nothing once anything else stands there, or somebody has put the
        /// learning away. Not `by_rule`, so that an older Ralph, which doesn't know the field, restores it, too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instead_of: Option<LearningId>,
    },
    /// Waits for room, or for a person.
    Parked {
        /// Which.
        learning: LearningId,
        /// By rule, as for `restored`.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_rule: bool,
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
        /// The earlier one.
        older: LearningId,
        /// The later one.
        newer: LearningId,
    },
    /// A person decided a conflict.
    ConflictResolved {
        /// The earlier one.
        older: LearningId,
        /// The later one.
        newer: LearningId,
        /// The decision.
        choice: ConflictChoice,
        /// Who decided; missing if a comparison did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// A decision on a conflict was undone: it awaits a person again.
    ConflictReopened {
        /// The earlier one.
        older: LearningId,
        /// The later one.
        newer: LearningId,
    },
    /// Moved to another feature, with its task or alone.
    MovedOut {
        /// Which.
        learning: LearningId,
        /// Name of the feature it went to.
        to: String,
    },
    /// Moved from another feature, with its task or alone.
    MovedIn {
        /// The whole record: a clone without the other feature's journal still has the learning.
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
        /// Its outcome.
        outcome: Outcome,
        /// Model.
        model: String,
        /// Learnings included in its prompt.
        told: Vec<LearningId>,
    },
    /// Old details of a done task's failed attempts were deleted. Knowledge is unchanged.
    Thinned {
        /// The task.
        task: TaskId,
        /// Attempts whose details were deleted; their outcomes stay.
        attempts: u32,
    },
    /// What an iteration did.
    Episode {
        /// The whole record.
        episode: Box<Episode>,
    },
    /// A fact was recorded. It replaces others on the same subject.
    Fact {
        /// The whole record.
        fact: Box<Fact>,
    },
    /// An episode or a fact was withdrawn.
    MemoryWithdrawn {
        /// Which.
        memory: MemoryId,
        /// Why.
        because: WithdrawalReason,
        /// What is gone; may be empty.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
    },
    /// The lesson of an episode was learnt again, which raises its confidence.
    EpisodeSeen {
        /// Which.
        episode: MemoryId,
        /// The iteration that learnt it again.
        seen: IterationRef,
    },
    /// The project's cap of learnings changed, which holds for features without their own.
    DefaultCap {
        /// Name of the feature.
        feature: String,
        /// The new cap.
        max_learnings: u32,
        /// The cap before.
        before: u32,
    },
    /// The task of an episode went to another feature, and the episode with it. Recorded where the episode was written.
    EpisodeMoved {
        /// Which.
        episode: MemoryId,
        /// Name of the feature.
        to: String,
    },
    /// An episode or a fact is active again.
    MemoryReturned {
        /// Which.
        memory: MemoryId,
        /// Whether a rule brought it back: then one that a person put away stays away, and so does one on the same subject as a person's
        /// statement.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_rule: bool,
        /// Whether an undo brought it back: an episode that nobody had restored before then ages like any other.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        as_before: bool,
    },
    /// A class of junk was put away; the resulting changes are separate events.
    Audited {
        /// Which class.
        class: AuditClass,
        /// Memories that were put away.
        memories: u32,
        /// By whom.
        by: String,
    },
    /// Entries of a source moved into documents. The resulting changes of learnings are separate events.
    Consolidation {
        /// The feature; `None`: the learnings file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feature: Option<String>,
        /// Name of the feature, or path of the file.
        source: String,
        /// Keys of the entries.
        entries: Vec<String>,
        /// Documents that they moved into.
        files: Vec<String>,
    },
    /// A statement on whether a learning helped.
    Validated {
        /// Which.
        learning: LearningId,
        /// Whether it did.
        useful: bool,
        /// Who made it: `person`, `run`, `agent` or `agent:ITERATION@REPLICA`.
        by: String,
        /// The question, if it was about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        query: Option<String>,
    },
    /// Validations of a learning were rolled back.
    ValidationsDropped {
        /// Which.
        learning: LearningId,
        /// By source; `None`: of any source.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<SelectionSource>,
        /// Since when; `None`: all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Timestamp>,
    },
    /// Terms were learned for a learning.
    TermsLearnt {
        /// Which.
        learning: LearningId,
        /// The terms, in lower case.
        terms: Vec<String>,
        /// Who selected it.
        by: String,
        /// For which question.
        query: String,
        /// The learning's rank there, from 1.
        rank: u32,
    },
    /// Learned terms of a learning were dropped.
    TermsDropped {
        /// Which.
        learning: LearningId,
        /// The terms.
        terms: Vec<String>,
        /// Why.
        because: TermsDropped,
    },
    /// The importance of a learning changed through validations.
    Promoted {
        /// Which.
        learning: LearningId,
        /// The new importance.
        to: Importance,
    },
    /// A learning moved into a document.
    Consolidated {
        /// Which.
        learning: LearningId,
        /// Its place there.
        place: KnowledgePlace,
    },
}

impl Line {
    /// The line as written, without the line feed.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("events hold only strings, numbers and lists")
    }

    /// The act that it takes back.
    pub fn undoes(&self) -> Option<&str> {
        match &self.event {
            Event::Undone { undone } => Some(undone),
            _ => None,
        }
    }

    /// The names of features in it.
    pub fn names(&self) -> Vec<&str> {
        names::of(&self.event)
    }
}

/// A line that could not be read, reported to the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedLine {
    /// File name of the journal.
    pub file: String,
    /// Line number from 1; 0 if the whole file can't be read.
    pub line: u32,
    /// What is wrong with it.
    pub fault: String,
    /// Whether a newer Ralph wrote it: it is valid, but this program can't interpret it.
    pub newer: bool,
    /// Whether a name in it looks like a secret: its knowledge is missing here until it is renamed.
    pub secret_name: bool,
}

/// Parses the lines of one journal. A torn last line, like any other that can't be read, is skipped and reported.
pub fn parse(file: &str, bytes: &[u8]) -> (Vec<Line>, Vec<SkippedLine>) {
    /// All that is assumed about a line that a newer Ralph wrote.
    #[derive(Deserialize)]
    struct Header {
        v: u64,
        #[serde(default)]
        event: serde_json::Value,
    }
    let mut lines = Vec::new();
    let mut skipped = Vec::new();
    // Some editors put a byte order mark before the first line.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for (index, raw) in bytes.split(|b| *b == b'\n').enumerate() {
        if raw.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let mut skip = |fault: String, newer: bool| {
            let line = count(index + 1);
            skipped.push(SkippedLine { file: file.to_owned(), line, fault, newer, secret_name: false });
        };
        let error = match serde_json::from_slice::<Line>(raw) {
            Ok(line) if line.v <= VERSION => {
                match names::fault(&line.event).or_else(|| names::id_fault(&line.id)).or_else(|| wash::text_fault(&line.event)) {
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
