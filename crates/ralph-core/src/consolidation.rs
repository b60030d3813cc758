//! Consolidation: what has proved true for days of work leaves the learnings for documents that people read too.

use crate::LearningId;
use crate::active_days::Day;
use crate::errand::{Errand, ErrandId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// What an entry stands in.
    SourceKind {
        /// The learnings of a feature.
        Feature = "feature",
        /// The file that people and agents write learnings into.
        File = "file",
    }
}

crate::word_enum! {
    /// How far the days of a project are known.
    HistoryKind {
        /// All commits are there.
        Complete = "complete",
        /// The clone holds only the newest commits: everything is at least as old as it seems.
        Shallow = "shallow",
        /// There is no git repository, or git can't be asked: no age is known.
        Unknown = "unknown",
    }
}

/// A learning, or an entry of the learnings file, with its age.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Entry {
    /// By which a document marks that it holds the entry: the learning's id, or one made of the words of the file's entry.
    pub key: String,
    /// The learning; `None` for an entry of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<LearningId>,
    /// The heading of an entry of the file; `None` for a learning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Name of the feature, or path of the file from the project.
    pub source: String,
    /// Which of the two.
    pub kind: SourceKind,
    /// Line of the heading in the file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What it says; of the file without the heading.
    pub text: String,
    /// Why a learning holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_given: Option<String>,
    /// When a learning was written; `None` for an entry of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The day on which its oldest line was written, in its author's calendar; `None` while it is not committed, or where it is not known.
    pub written: Option<Day>,
    /// Days with commits after that day; `None` where it is not known.
    pub age_active_days: Option<u32>,
    /// Whether it has proved itself for long enough.
    pub eligible: bool,
    /// Why it is, or is not.
    pub reason: String,
    /// Whether a person stands behind it, or three iterations: what contradicts it is then a person's to decide.
    pub protected: bool,
    /// What the quality gate says of an entry of the file. Warnings only: the file is its writers'.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Every entry with its age.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningAges {
    /// The file's in its order, then those of the features by age, the oldest first.
    pub entries: Vec<Entry>,
    /// How many there are of what age.
    pub summary: AgeSummary,
}

/// Entries counted by age.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AgeSummary {
    /// How far the days are known.
    pub history: HistoryKind,
    /// Days with commits in the history.
    pub active_days: u32,
    /// Active days from which an entry is eligible.
    pub fresh_days: u32,
    /// All entries.
    pub entries: u32,
    /// Those that are eligible.
    pub eligible: u32,
    /// Those that are not committed.
    pub uncommitted: u32,
    /// The greatest age; `None` where none is known.
    pub oldest: Option<u32>,
    /// What a person should know of the ages: a shallow clone, a file that can't be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

crate::word_enum! {
    /// What asks for a consolidation.
    TriggerCause {
        /// There are too many lines.
        Size = "size",
        /// The last one is too many active days ago.
        Stale = "stale",
    }
}

/// Whether one source, a feature or the file, asks for a consolidation, with the numbers that say so.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SourceTrigger {
    /// Name of the feature, or path of the file.
    pub source: String,
    /// Which of the two.
    pub kind: SourceKind,
    /// Whether it asks for one.
    pub due: bool,
    /// What asks, whether or not there are entries enough.
    pub causes: Vec<TriggerCause>,
    /// Lines of the file, or those that the feature's active learnings would take in one.
    pub lines: u32,
    /// Lines from which there are too many.
    pub lines_limit: u32,
    /// Active days since the last consolidation, or, before the first one, since the oldest entry was written; `None` where not known.
    pub active_days_since: Option<u32>,
    /// Active days from which that is too long ago.
    pub stale_days: u32,
    /// The day of the last consolidation; `None` before the first one.
    pub last: Option<Day>,
    /// All entries.
    pub entries: u32,
    /// Those that are eligible.
    pub fresh: u32,
    /// How many must be.
    pub min_entries: u32,
    /// Active days from which an entry is eligible.
    pub fresh_days: u32,
    /// Whether a person is needed: too many lines, and too few entries that have proved themselves.
    pub needs_person: bool,
    /// All of that in words.
    pub why: String,
}

crate::word_enum! {
    /// What a consolidation would do with an entry.
    Fate {
        /// It goes into a document.
        Goes = "goes",
        /// It has not proved itself yet.
        Young = "young",
        /// It is one of the newest of its source, which stay.
        Newest = "newest",
        /// A newer entry says otherwise: only the final state becomes a document.
        Superseded = "superseded",
        /// A document, or an older entry, says it already.
        Redundant = "redundant",
        /// Something contradicts it, and which of the two is right is a person's to say.
        Contradiction = "contradiction",
    }
}

/// What a consolidation would do with one entry, and why.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Decision {
    /// The entry's key.
    pub key: String,
    /// The learning; `None` for an entry of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<LearningId>,
    /// The heading of an entry of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Name of the feature, or path of the file.
    pub source: String,
    /// What it does.
    pub decision: Fate,
    /// Why, in words.
    pub reason: String,
    /// What decided: another entry's key, or a place of a document as `file:line`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The words of that which decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_text: Option<String>,
    /// How like the two are, calibrated, in 0..=1; by their words alone where there is no vector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// Whether a consolidation is due, with the numbers of the source that asks for it first, and those of every source.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Trigger {
    /// The source that asks for one, else the one with the most lines; `None` in a project without any.
    #[serde(flatten)]
    pub leading: Option<SourceTrigger>,
    /// Every source.
    pub sources: Vec<SourceTrigger>,
}

/// What a consolidation would do. Looking at it changes nothing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ConsolidationPreview {
    /// Whether it is due.
    pub trigger: Trigger,
    /// The entries that would go into documents.
    pub batch: Vec<Entry>,
    /// Every entry, with what would become of it.
    pub decisions: Vec<Decision>,
    /// What a person should know: a shallow clone, a model that can't be asked.
    pub notes: Vec<String>,
}

/// A proposal that is being written, or waits for its review.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OpenProposal {
    /// The errand.
    pub errand: ErrandId,
    /// Whether its agent is still at work.
    pub writing: bool,
}

/// Everything that a page about consolidation shows. Looking at it changes nothing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ConsolidationView {
    /// Every entry with its age.
    pub entries: Vec<Entry>,
    /// How many there are of what age.
    pub summary: AgeSummary,
    /// Whether each source asks for a consolidation, with its numbers.
    pub sources: Vec<SourceTrigger>,
    /// What would become of each entry.
    pub decisions: Vec<Decision>,
    /// The proposal of documents that is open; one at a time.
    pub open: Option<OpenProposal>,
    /// The report of the last one that was ordered, from the project; `None` when there is none.
    pub report: Option<String>,
    /// What a person should know.
    pub notes: Vec<String>,
    /// What went into documents, the newest first.
    pub history: Vec<Consolidation>,
}

/// A place in a document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct KnowledgePlace {
    /// Path from the project.
    pub file: String,
    /// The heading above it, without marks; may be empty.
    pub heading: String,
}

/// What went into documents from one source. A consolidation of several sources has a row for each.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Consolidation {
    /// Of the journal's line that tells it.
    pub id: String,
    /// Shared by all rows of one consolidation; by it the whole is taken back.
    pub act: String,
    /// The feature; `None`: the learnings file.
    pub feature: Option<String>,
    /// Name of the feature, or path of the file.
    pub source: String,
    /// Keys of the entries that went.
    pub entries: Vec<String>,
    /// Documents that they went into.
    pub files: Vec<String>,
    /// When.
    pub at: Timestamp,
    /// The day of whoever did it.
    pub day: Day,
    /// When it was taken back.
    pub undone: Option<Timestamp>,
}

impl ConsolidationOrdered {
    /// The proposal that waits for its review.
    pub fn waiting(self) -> Option<String> {
        self.review.filter(|_| !self.merged)
    }
}

/// What an errand that proposes documents is about, from its order to its merge: data for Ralph itself, kept with the errand.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum ProposalMatter {
    /// A consolidation.
    Consolidation(ConsolidationMatter),
    /// The way back from one, by its act.
    Undo {
        /// The act that is taken back.
        undone: String,
    },
}

/// What a consolidation is about.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ConsolidationMatter {
    /// The entries that must land.
    pub batch: Vec<Entry>,
    /// The commit that the agent began from; `None` while it has not.
    #[serde(default)]
    pub start: Option<String>,
    /// The commit of the proposal that was found good.
    #[serde(default)]
    pub proposal: Option<String>,
    /// Whether a document was divided after the agent, so that links in its lines were mended.
    #[serde(default)]
    pub divided: bool,
    /// What a person should know, such as a document that is too long and has no headings to divide it by.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The act that told it, once it was merged.
    #[serde(default)]
    pub act: Option<String>,
}

/// A consolidation that was ordered, and how far it came.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ConsolidationOrdered {
    /// The errand; `None`: no entry was ready to go, so nobody was sent.
    pub errand: Option<ErrandId>,
    /// Its row.
    #[serde(flatten)]
    pub row: Option<Errand>,
    /// By which `ralph diff`, `merge` and `discard` know the proposal.
    pub review: Option<String>,
    /// Whether it is merged already, since nobody needs to review it.
    pub merged: bool,
    /// Keys of the entries that the proposal holds, or, of an undo, those that come back.
    pub entries: Vec<String>,
    /// What a person should know.
    pub notes: Vec<String>,
}
