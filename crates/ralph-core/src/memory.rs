//! Memories that journals hold in addition to learnings: episodes (what an iteration did) and facts (what is true of the project).

use crate::document::SkippedFile;
use crate::learning::{LearningSource, Verdict};
use crate::replica::{IterationRef, Own, ReplicaId};
use crate::time::Timestamp;
use crate::{IterationId, MemoryId, TaskId, limits};
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// State of an episode or a fact.
    MemoryState {
        /// Found by recall and included in prompts.
        Active = "active",
        /// No longer included, with a reason and a time; reversible.
        Withdrawn = "withdrawn",
    }
}

crate::word_enum! {
    /// Why an episode or a fact was withdrawn.
    WithdrawalReason {
        /// A person put it away. It stays away, whatever happens to its source.
        Person = "person",
        /// Its file, or the line it was read from, is gone. It returns with them.
        SourceGone = "source_gone",
        /// Replaced by a newer statement on the same subject.
        Replaced = "replaced",
        /// Newer ones took its place.
        Aged = "aged",
        /// An agent outside of runs put it away or reworded it.
        Agent = "agent",
        /// The work it records was undone: its commit was reverted, or its files are as they were before.
        DeadEnd = "dead_end",
    }
}

crate::word_enum! {
    /// Origin of a fact.
    FactSource {
        /// Derived by Ralph from what agents did.
        Auto = "auto",
        /// An agent.
        Agent = "agent",
        /// A person.
        Human = "human",
        /// A file of the project: code or a manifest. Such a fact follows the file.
        Code = "code",
    }
}

crate::word_enum! {
    /// Kind of lesson of an episode.
    LessonType {
        /// The task was done at the first attempt.
        Success = "success",
        /// It failed before, and was then fixed.
        Mistake = "mistake",
        /// It failed repeatedly in the same way, and nothing fixed it.
        Failure = "failure",
        /// It works repeatedly.
        Pattern = "pattern",
    }
}

impl WithdrawalReason {
    /// Whether a rule found it for an episode, so that a person who restores the episode has overruled it.
    pub fn is_by_rule(self) -> bool {
        matches!(self, WithdrawalReason::Aged | WithdrawalReason::DeadEnd)
    }
}

/// Why and when an episode or a fact was withdrawn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Withdrawal {
    /// When.
    pub at: Timestamp,
    /// Why.
    pub because: WithdrawalReason,
    /// What is gone, or the id of its replacement; may be empty.
    pub detail: String,
}

/// What an iteration did. Failed attempts have failure reports; an episode records one that completed its task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Episode {
    /// ULID.
    pub id: MemoryId,
    /// Name of the task's feature; `None` = it belongs to the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// What was done, at most [`limits::EPISODE_CHARS`] characters.
    pub lesson: String,
    /// What kind of lesson.
    pub lesson_type: LessonType,
    /// Confidence, from 0 to 1.
    pub confidence: f64,
    /// Who wrote it.
    pub source: LearningSource,
    /// The task, numbered by the database that wrote the episode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<IterationId>,
    /// The database that assigned the two numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica: Option<ReplicaId>,
    /// Other iterations that learnt the same, each once. That makes the lesson more certain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<IterationRef>,
    /// Files that it changed, relative to the project.
    #[serde(default)]
    pub files: Vec<String>,
    /// Whether a person restored it: no rule withdraws it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
    /// When it was written.
    pub created: Timestamp,
    /// Why and when it was withdrawn, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<Withdrawal>,
}

impl Episode {
    /// Whether it records work on this task of the given database.
    pub fn is_from(&self, task: TaskId, own: &Own) -> bool {
        self.task_id == Some(task) && own.gave(self.replica.as_deref())
    }

    /// Whether an iteration supports it already.
    pub fn comes_from(&self, seen: &IterationRef) -> bool {
        let own = self.iteration == Some(seen.iteration) && self.replica == seen.replica;
        own || self.seen.contains(seen)
    }
}

/// What is true in the project, or in a feature: one value for each subject of a kind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Fact {
    /// ULID.
    pub id: MemoryId,
    /// Name of the feature that it applies to; `None` = the whole project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// Kind of fact: one word such as `dependency`; see [`is_fact_kind`].
    pub kind: String,
    /// Its subject.
    pub subject: String,
    /// What is true of it.
    pub value: String,
    /// Confidence, from 0 to 1.
    pub confidence: f64,
    /// Its origin.
    pub source: FactSource,
    /// The file that states it, relative to the project, with `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line there when it was recorded, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Text of that line, trimmed, by which it is found again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The task it came from, numbered by the database that wrote the fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The iteration that it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<IterationId>,
    /// The database that assigned the two numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica: Option<ReplicaId>,
    /// When it was recorded.
    pub created: Timestamp,
    /// Why and when it was withdrawn, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<Withdrawal>,
}

/// State of an episode or a fact.
pub fn state_of(withdrawn: Option<&Withdrawal>) -> MemoryState {
    if withdrawn.is_some() { MemoryState::Withdrawn } else { MemoryState::Active }
}

impl Fact {
    /// Whether both have the same subject, so that only one of them can hold.
    pub fn is_about_the_same(&self, other: &Fact) -> bool {
        let home = |fact: &Fact| fact.feature.as_ref().map(|name| name.to_ascii_lowercase());
        self.kind == other.kind && subject_key(&self.subject) == subject_key(&other.subject) && home(self) == home(other)
    }
}

/// What two spellings of one subject have in common: subjects do not differ by case or white space alone.
pub fn subject_key(subject: &str) -> String {
    subject.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Whether a word is a valid kind of fact: lower-case letters, digits, `_` and `-`.
pub fn is_fact_kind(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    !word.is_empty() && word.len() <= limits::FACT_KIND_CHARS && word.bytes().all(plain)
}

/// The default kind of a fact.
pub const NOTE: &str = "note";

/// Input to record a fact.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct NewFact {
    /// The feature that it applies to; `None` = the project.
    pub feature: Option<String>,
    /// Kind of fact; [`NOTE`] if omitted.
    pub kind: Option<String>,
    /// Its subject.
    pub subject: String,
    /// What is true of it.
    pub value: String,
    /// From 0 to 1; 1 if omitted.
    pub confidence: Option<f64>,
    /// The file that states it, absolute or relative to the project.
    pub file: Option<String>,
    /// Its line there, from 1.
    pub line: Option<u32>,
}

/// Input to record an episode.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NewEpisode {
    /// The feature that it belongs to; `None` = the project.
    pub feature: Option<String>,
    /// What to do, or to avoid, next time.
    pub lesson: String,
    /// Kind of lesson; a pattern if omitted.
    pub lesson_type: Option<LessonType>,
    /// The situation it applies to; counts as the reason for the gate.
    pub situation: Option<String>,
}

/// Result of recording an episode.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ToldEpisode {
    /// `added`; `observed` if already known, `parked` if a learning that says it waits for room; `put_away` if somebody put the same away,
    /// which stays so.
    pub verdict: Verdict,
    /// The episode, or the learning or fact that says the same.
    pub id: MemoryId,
}

/// Result of recording a fact.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct StatedFact {
    /// `added`; `observed` if already known, `parked` if a learning that says it waits for room; `put_away` if somebody put the same away,
    /// which stays so.
    pub verdict: Verdict,
    /// The fact, or the learning or episode that says the same.
    pub id: MemoryId,
    /// The fact, if it is one.
    pub fact: Option<FactRow>,
    /// Facts that it replaced.
    pub replaced: Vec<MemoryId>,
}

/// An episode as a row on screen.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EpisodeRow {
    /// The episode itself.
    #[serde(flatten)]
    pub episode: Episode,
    /// Its state.
    pub state: MemoryState,
    /// Whether its words came from outside: by a clone, a pull or a merge, not by this database. Clones differ in it.
    pub outside: bool,
    /// The replica that the line with those words names.
    pub outside_replica: Option<ReplicaId>,
}

/// A tool call that an episode was derived from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OperationBehind {
    /// The tool's name.
    pub tool: String,
    /// Its arguments, cut to [`limits::TITLE_CHARS`]; for a command, the command line.
    pub arguments: String,
    /// Error message, cut likewise; `None` = success.
    pub error: Option<String>,
    /// Exit code of a command, if known.
    pub exit_code: Option<i32>,
    /// When it began.
    pub at: Timestamp,
    /// Duration in milliseconds.
    pub duration_ms: u32,
}

/// A fact as a row on screen. Its line is the current one as of the last scan of its file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FactRow {
    /// The fact itself.
    #[serde(flatten)]
    pub fact: Fact,
    /// Its state.
    pub state: MemoryState,
    /// Whether its words came from outside: by a clone, a pull or a merge, not by this database. Clones differ in it.
    pub outside: bool,
    /// The replica that the line with those words names.
    pub outside_replica: Option<ReplicaId>,
}

/// Result of scanning the files that state facts themselves: manifests and code.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CodeScan {
    /// Whether the settings enable facts from files; otherwise nothing is scanned.
    pub enabled: bool,
    /// Files that can state facts.
    pub files: u32,
    /// Files that were read because they were new or changed.
    pub read: u32,
    /// Facts stated by the files.
    pub facts: u32,
    /// New facts.
    pub added: u32,
    /// Facts whose value or place changed.
    pub updated: u32,
    /// Withdrawn facts that returned.
    pub returned: u32,
    /// Facts that no file states any more.
    pub withdrawn: u32,
    /// Facts skipped because a person stated otherwise or put them away.
    pub left: u32,
    /// Facts above the project's limit.
    pub cut: u32,
    /// Skipped files, with the reason.
    pub skipped: Vec<SkippedFile>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_one_plain_word() {
        assert!(["note", "test_command", "api-2"].into_iter().all(is_fact_kind));
        assert!(!["", "Note", "two words", "a/b", "é", &"x".repeat(41)].into_iter().any(is_fact_kind));
    }
}
