//! Memories that journals keep beside learnings: episodes (what an iteration did) and facts (what is so in the project).

use crate::document::SkippedFile;
use crate::learning::{LearningSource, Verdict};
use crate::replica::{IterationRef, ReplicaId};
use crate::time::Timestamp;
use crate::{IterationId, MemoryId, TaskId, limits};
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// Where an episode or a fact stands.
    MemoryState {
        /// Found, and told to agents.
        Active = "active",
        /// No longer told; it says why and when, and it can return.
        Withdrawn = "withdrawn",
    }
}

crate::word_enum! {
    /// Why an episode or a fact is no longer told.
    WithdrawalReason {
        /// A person put it away. It stays away, whatever becomes of its source.
        Person = "person",
        /// Its file, or the line that it was read from, is gone. It returns with them.
        SourceGone = "source_gone",
        /// Another one says what is so about the same subject.
        Replaced = "replaced",
        /// Newer ones took its room.
        Aged = "aged",
        /// An agent outside of runs put it away, or said it anew.
        Agent = "agent",
        /// What it tells of was taken back: a commit that was reverted, files that are as they were.
        DeadEnd = "dead_end",
    }
}

crate::word_enum! {
    /// Who states a fact.
    FactSource {
        /// Ralph, of what agents did.
        Auto = "auto",
        /// An agent.
        Agent = "agent",
        /// A person.
        Human = "human",
        /// A file of the project: its code, or a manifest. Such a fact follows the file.
        Code = "code",
    }
}

crate::word_enum! {
    /// What kind of lesson an episode is.
    LessonType {
        /// What was asked for was done at the first attempt.
        Success = "success",
        /// It failed before, and was mended.
        Mistake = "mistake",
        /// It failed in the same way again and again, and nothing mended it.
        Failure = "failure",
        /// It works so again and again.
        Pattern = "pattern",
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
    /// What is gone, or the id of what took its place; may be empty.
    pub detail: String,
}

/// What an iteration did. What failed is told by failure reports; an episode is of one that came to its end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Episode {
    /// ULID.
    pub id: MemoryId,
    /// Name of the feature whose task it was; `None` = it is the project's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// What was done, at most [`limits::EPISODE_CHARS`] characters.
    pub lesson: String,
    /// What kind of lesson.
    pub lesson_type: LessonType,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// Who wrote it.
    pub source: LearningSource,
    /// The task, as the database that wrote it numbers tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<IterationId>,
    /// The database that gave out the two numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica: Option<ReplicaId>,
    /// Other iterations that learnt the same, each once. What it tells is the surer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<IterationRef>,
    /// Files that it changed, relative to the project.
    #[serde(default)]
    pub files: Vec<String>,
    /// When it was written.
    pub created: Timestamp,
    /// Why it is no longer told, when it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<Withdrawal>,
}

impl Episode {
    /// Whether an iteration stands behind it already.
    pub fn comes_from(&self, seen: &IterationRef) -> bool {
        let own = self.iteration == Some(seen.iteration) && self.replica == seen.replica;
        own || self.seen.contains(seen)
    }
}

/// What is so in the project, or in a feature: one value for each subject of a kind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Fact {
    /// ULID.
    pub id: MemoryId,
    /// Name of the feature that it holds for; `None` = it is the project's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// What kind of fact, in one word such as `dependency`; see [`is_fact_kind`].
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// What is so.
    pub value: String,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// Who states it.
    pub source: FactSource,
    /// The file that says so, relative to the project, with `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line there when it was stated, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What stood in that line, without the blanks around it: by this it is known again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The task that it came from, as the database that wrote it numbers tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The iteration that it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<IterationId>,
    /// The database that gave out the two numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica: Option<ReplicaId>,
    /// When it was stated.
    pub created: Timestamp,
    /// Why it is no longer told, when it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<Withdrawal>,
}

/// Where an episode or a fact stands.
pub fn state_of(withdrawn: Option<&Withdrawal>) -> MemoryState {
    if withdrawn.is_some() { MemoryState::Withdrawn } else { MemoryState::Active }
}

impl Fact {
    /// Whether both are about the same: one of them holds.
    pub fn is_about_the_same(&self, other: &Fact) -> bool {
        let home = |fact: &Fact| fact.feature.as_ref().map(|name| name.to_ascii_lowercase());
        self.kind == other.kind && self.subject.eq_ignore_ascii_case(&other.subject) && home(self) == home(other)
    }
}

/// Whether a word can be the kind of a fact: lower-case letters, digits, `_` and `-`.
pub fn is_fact_kind(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    !word.is_empty() && word.len() <= limits::FACT_KIND_CHARS && word.bytes().all(plain)
}

/// The kind of a fact that names none.
pub const NOTE: &str = "note";

/// A fact that somebody states.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct NewFact {
    /// The feature that it holds for; `None` = the project.
    pub feature: Option<String>,
    /// What kind of fact; [`NOTE`] when left out.
    pub kind: Option<String>,
    /// What it is about.
    pub subject: String,
    /// What is so.
    pub value: String,
    /// From 0 to 1; 1 when left out.
    pub confidence: Option<f64>,
    /// The file that says so, absolute or relative to the project.
    pub file: Option<String>,
    /// Its line there, from 1.
    pub line: Option<u32>,
}

/// An episode that somebody tells.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NewEpisode {
    /// The feature that it belongs to; `None` = the project.
    pub feature: Option<String>,
    /// What to do, or not to do, another time.
    pub lesson: String,
    /// What kind of lesson; a pattern when left out.
    pub lesson_type: Option<LessonType>,
    /// What it was about; counted where the gate asks for a reason.
    pub situation: Option<String>,
}

/// What became of an episode that was told.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ToldEpisode {
    /// `added`; `observed` where it is known; `put_away` where a person put the same away, and it stays so.
    pub verdict: Verdict,
    /// The episode as it stands.
    pub episode: EpisodeRow,
}

/// What became of a fact that was stated.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct StatedFact {
    /// `added`; `observed` where it is known; `put_away` where a person put the same away, and it stays so.
    pub verdict: Verdict,
    /// The fact as it stands.
    pub fact: FactRow,
    /// Facts whose place it took.
    pub replaced: Vec<MemoryId>,
}

/// An episode as it is shown.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EpisodeRow {
    /// The episode itself.
    #[serde(flatten)]
    pub episode: Episode,
    /// Where it stands.
    pub state: MemoryState,
    /// Whether its words came from outside: by a clone, a pull or a merge, not by this database. Clones differ in it.
    pub outside: bool,
    /// The replica that the line with those words names.
    pub outside_replica: Option<ReplicaId>,
}

/// A call of a tool that an episode was learnt from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OperationBehind {
    /// The tool's name.
    pub tool: String,
    /// What it was called with, cut to [`limits::TITLE_CHARS`]; of a command its words.
    pub arguments: String,
    /// Why it failed, cut likewise; `None` = it worked.
    pub error: Option<String>,
    /// What a command ended with, where that is known.
    pub exit_code: Option<i32>,
    /// When it began.
    pub at: Timestamp,
    /// How long it took.
    pub duration_ms: u32,
}

/// A fact as it is shown. Its line is where it stands now, as far as the last look at its file knows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FactRow {
    /// The fact itself.
    #[serde(flatten)]
    pub fact: Fact,
    /// Where it stands.
    pub state: MemoryState,
    /// Whether its words came from outside: by a clone, a pull or a merge, not by this database. Clones differ in it.
    pub outside: bool,
    /// The replica that the line with those words names.
    pub outside_replica: Option<ReplicaId>,
}

/// What a look at the files found that state facts themselves: manifests and code.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CodeScan {
    /// Whether the settings have facts learnt from files; nothing is looked at otherwise.
    pub enabled: bool,
    /// Files that can state facts.
    pub files: u32,
    /// Files that were read, being new or changed.
    pub read: u32,
    /// Facts that hold by the files.
    pub facts: u32,
    /// Facts that were not known.
    pub added: u32,
    /// Facts whose value or place is another than before.
    pub updated: u32,
    /// Facts that are told again.
    pub returned: u32,
    /// Facts that no file states any more.
    pub withdrawn: u32,
    /// Facts that were left away, since a person stated otherwise or put them away.
    pub left: u32,
    /// Facts above the bound of a project.
    pub cut: u32,
    /// Files that were passed over, with the reason.
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
