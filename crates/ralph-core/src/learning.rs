//! Learning: a lesson about a feature.

use crate::consolidation::KnowledgePlace;
use crate::replica::{Own, ReplicaId};
use crate::time::Timestamp;
use crate::{LearningId, TaskId, limits};
use serde::{Deserialize, Serialize};

/// How lines of the journal name the person behind a review, a resolved conflict or an audit. Lines about selections name the same person
/// as [`crate::feedback::SelectionSource::Person`]: each has its word from the version that wrote it first, and no line is ever rewritten.
pub const BY_PERSON: &str = "human";

crate::word_enum! {
    /// Who wrote a learning. A review never rewrites it.
    LearningSource {
        /// Read from an agent's sigils or operations by Ralph.
        Auto = "auto",
        /// Written by an agent through MCP.
        Agent = "agent",
        /// Written by a person.
        Human = "human",
    }
}

crate::word_enum! {
    /// State of a learning. Every state but `active` is reversible.
    LearningState {
        /// Counts towards saturation and is included in prompts.
        Active = "active",
        /// Waits for room.
        Parked = "parked",
        /// Removed to make room for a newer one.
        Pruned = "pruned",
        /// Put away by a person.
        Retired = "retired",
        /// Replaced by a newer one about the same thing.
        Superseded = "superseded",
        /// Moved into a knowledge file.
        Consolidated = "consolidated",
    }
}

crate::word_enum! {
    /// What `remember` did with a candidate. `added` always means that it is active now.
    Verdict {
        /// Stored as a new active learning.
        Added = "added",
        /// Already known: counted as an observation of the known one.
        Observed = "observed",
        /// Stored, waiting for room: all active learnings are protected. On the wire this is the error `knowledge_full`.
        Parked = "parked",
        /// Equal to one that was put away; it stays away.
        PutAway = "put_away",
        /// Stored, but contradicts a known one; both are kept for review.
        Conflict = "conflict",
        /// Rejected by the quality gate: kept as retired, so that a person can restore it.
        Refused = "refused",
        /// Staged on its branch; it goes through `remember` when that branch is merged.
        Staged = "staged",
    }
}

/// A lesson about a feature.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FeatureLearning {
    /// ULID.
    pub id: LearningId,
    /// Name of the feature that holds it.
    pub feature: String,
    /// The lesson, at most [`limits::LEARNING_TEXT_CHARS`] characters.
    pub text: String,
    /// Why it holds.
    pub reason: Option<String>,
    /// Kind of lesson: pitfall, success_pattern, tool_usage, code_structure, testing_strategy, convention …
    pub category: String,
    /// What it is about: files, identifiers, error codes, words.
    pub tags: Vec<String>,
    /// Who wrote it.
    pub source: LearningSource,
    /// The task it came from; no foreign key, since journals travel to clones without tasks.
    pub task_id: Option<TaskId>,
    /// The iteration it came from; any number.
    pub iteration: Option<u32>,
    /// The database that assigned the two numbers; `None` in journals older than replicas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica: Option<ReplicaId>,
    /// When it was first written.
    pub created: Timestamp,
    /// When it was last included in a prompt.
    pub last_used: Option<Timestamp>,
    /// Distinct iterations that observed it; the first write counts as one.
    pub hit_count: u32,
    /// Last reviewer.
    pub reviewed_by: Option<String>,
    /// How often it was reviewed.
    pub review_count: u32,
    /// Its state.
    pub state: LearningState,
    /// The learning that replaced it.
    pub superseded_by: Option<LearningId>,
    /// Its place in a document, once consolidated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consolidated_into: Option<KnowledgePlace>,
    /// Learnings it contradicts, until a person decides.
    pub conflicts_with: Vec<LearningId>,
}

/// The remark on a memory that contradicts others: an agent that is told one of two between which a person has yet to decide must not take
/// it for settled.
pub fn dispute(conflicts_with: &[LearningId]) -> Option<&'static str> {
    (!conflicts_with.is_empty()).then_some("another learning contradicts this, and no person has decided yet")
}

/// The default category.
pub const DEFAULT_CATEGORY: &str = "general";

impl FeatureLearning {
    /// A new active learning of an agent with one observation and only a text; not stored yet.
    pub fn new(id: impl Into<LearningId>, feature: &str, text: impl Into<String>, at: Timestamp) -> FeatureLearning {
        FeatureLearning {
            id: id.into(),
            feature: feature.to_owned(),
            text: text.into(),
            reason: None,
            category: DEFAULT_CATEGORY.to_owned(),
            tags: Vec::new(),
            source: LearningSource::Agent,
            task_id: None,
            iteration: None,
            replica: None,
            created: at,
            last_used: None,
            hit_count: 1,
            reviewed_by: None,
            review_count: 0,
            state: LearningState::Active,
            superseded_by: None,
            consolidated_into: None,
            conflicts_with: Vec::new(),
        }
    }

    /// Its place among others by age: when it was created, then its id.
    pub fn age(&self) -> (Timestamp, &LearningId) {
        (self.created, &self.id)
    }

    /// Whether it came from this task of the given database.
    pub fn is_from(&self, task: TaskId, own: &Own) -> bool {
        self.task_id == Some(task) && own.gave(self.replica.as_deref())
    }

    /// Whether Ralph may prune it by itself: not human, not reviewed, seen by fewer than three iterations.
    pub fn is_auto_prunable(&self) -> bool {
        self.source != LearningSource::Human && self.reviewed_by.is_none() && self.hit_count < limits::PROTECTING_HITS
    }
}

/// A learning as a row on screen.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningRow {
    /// The learning itself.
    #[serde(flatten)]
    pub learning: FeatureLearning,
    /// Whether its words came from outside: by a clone, a pull or a merge, not by this database. Clones differ in it.
    pub outside: bool,
    /// The replica that the line with those words names.
    pub outside_replica: Option<ReplicaId>,
}

/// Which learnings to list; empty fields do not filter.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct LearningFilter {
    /// Name of the feature.
    pub feature: Option<String>,
    /// States to show; all when empty.
    pub states: Vec<LearningState>,
    /// The category.
    pub category: Option<String>,
    /// Sources to show; all when empty.
    pub sources: Vec<LearningSource>,
    /// Words that text, tags or feature contain, in any case.
    pub words: Vec<String>,
}

/// Some rows of a long list of learnings, oldest first.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningPage {
    /// The rows asked for.
    pub rows: Vec<LearningRow>,
    /// Number of rows of the whole list.
    pub total: u32,
}

/// A lesson that is known only on a branch until that branch is merged.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct StagedLearning {
    /// ULID; kept by the learning that it becomes.
    pub id: LearningId,
    /// The branch.
    pub branch: String,
    /// When it was learned.
    pub at: Timestamp,
    /// The candidate.
    pub learning: NewLearning,
    /// Its state.
    pub standing: StagedStanding,
}

crate::word_enum! {
    /// State of a lesson learned on a branch.
    StagedStanding {
        /// Included in prompts on its branch only.
        Waiting = "waiting",
        /// Its branch was merged, and it went through `remember`.
        Landed = "landed",
        /// Its branch was discarded; it returns if the branch does.
        Dropped = "dropped",
    }
}

/// A candidate for `remember`. A bare JSON string is its text, with defaults for the rest.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct NewLearning {
    /// Name of the feature; may be empty where the call names it otherwise.
    pub feature: String,
    /// The lesson.
    pub text: String,
    /// Why it holds.
    pub reason: Option<String>,
    /// Kind of lesson.
    pub category: Option<String>,
    /// What it is about.
    pub tags: Vec<String>,
    /// Who writes it.
    pub source: LearningSource,
    /// The task it came from.
    pub task_id: Option<TaskId>,
    /// The iteration it came from.
    pub iteration: Option<u32>,
}

impl NewLearning {
    /// A candidate with defaults: agent-written, no reason, no tags.
    pub fn new(feature: &str, text: &str) -> NewLearning {
        NewLearning {
            feature: feature.to_owned(),
            text: text.to_owned(),
            reason: None,
            category: None,
            tags: Vec::new(),
            source: LearningSource::Agent,
            task_id: None,
            iteration: None,
        }
    }
}

impl<'de> Deserialize<'de> for NewLearning {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            #[serde(default)]
            feature: String,
            text: String,
            reason: Option<String>,
            category: Option<String>,
            #[serde(default)]
            tags: Vec<String>,
            source: Option<LearningSource>,
            task_id: Option<TaskId>,
            iteration: Option<u32>,
        }
        // Not `#[serde(untagged)]`: that would hide which field is at fault.
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Ok(NewLearning::new("", &text)),
            value => {
                let fields = Fields::deserialize(value).map_err(|e| serde::de::Error::custom(format!("learning: {e}")))?;
                Ok(NewLearning {
                    feature: fields.feature,
                    text: fields.text,
                    reason: fields.reason,
                    category: fields.category,
                    tags: fields.tags,
                    source: fields.source.unwrap_or(LearningSource::Agent),
                    task_id: fields.task_id,
                    iteration: fields.iteration,
                })
            }
        }
    }
}

/// An earlier learning that stays put away although it was said again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PutAwayNote {
    /// Who put it away: `human`, or `gate` for the quality gate.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Whether a person is asked about it again.
    pub asks_again: bool,
}

/// One pair of learnings that contradict each other and wait for a person.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Conflict {
    /// The one that was there first.
    pub older: FeatureLearning,
    /// The one that came later.
    pub newer: FeatureLearning,
}

crate::word_enum! {
    /// What a person decides about a conflict.
    ConflictChoice {
        /// The older one stays; the newer one is retired.
        KeepOlder = "keep_older",
        /// The newer one supersedes the older one.
        KeepNewer = "keep_newer",
        /// Both are true.
        KeepBoth = "keep_both",
    }
}

/// Similar learnings of one feature, offered for merging.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MergeOffer {
    /// The feature.
    pub feature: String,
    /// Their category.
    pub category: String,
    /// The learnings, oldest first.
    pub learnings: Vec<FeatureLearning>,
}

/// One line of a feature's journal as the screen shows it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct JournalEntry {
    /// Event id: a ULID.
    pub id: String,
    /// When it happened.
    pub at: Timestamp,
    /// Kind of event: learned, observed, pruned …
    pub event: String,
    /// The learning it concerns.
    pub learning: Option<LearningId>,
    /// One line for people.
    pub summary: String,
    /// Id shared by all events of the same act; `None` in journals older than acts.
    pub act: Option<String>,
}

/// What a learning lacked until a comparison gave it what the other of two said: it goes again when the comparison is undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filled {
    /// Which learning.
    pub learning: LearningId,
    /// Whether it had no reason.
    pub reason: bool,
    /// Whether it had no tags.
    pub tags: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_json_string_is_a_learning_with_defaults() {
        let learning: NewLearning = serde_json::from_str("\"Use the clock\"").expect("bare string");
        assert_eq!(learning, NewLearning::new("", "Use the clock"));
    }

    #[test]
    fn anything_else_malformed_is_refused_by_name() {
        for (json, named) in [
            ("{}", "text"),
            ("{\"text\": 3}", "learning"),
            ("{\"text\": \"x\", \"source\": \"cat\"}", "cat"),
            ("{\"text\": \"x\", \"colour\": 1}", "colour"),
            ("[1]", "learning"),
        ] {
            let error = serde_json::from_str::<NewLearning>(json).expect_err(json).to_string();
            assert!(error.contains(named), "{json}: {error}");
        }
    }
}
