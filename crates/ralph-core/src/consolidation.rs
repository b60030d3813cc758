//! Consolidation: learnings that have proved true over days of work move into documents, which people read too.
//!
//! Length: the values of one noun, each with what it means.

use crate::active_days::Day;
use crate::errand::{Errand, ErrandId};
use crate::time::Timestamp;
use crate::{LearningId, NoticeId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

crate::word_enum! {
    /// Where an entry comes from.
    SourceKind {
        /// The learnings of a feature.
        Feature = "feature",
        /// The file that people and agents write learnings into.
        File = "file",
    }
}

crate::word_enum! {
    /// How much of the project's history is available.
    HistoryKind {
        /// All commits are available.
        Complete = "complete",
        /// The clone is shallow, so computed ages are lower bounds.
        Shallow = "shallow",
        /// There is no git repository, or git failed: ages are unknown.
        Unknown = "unknown",
    }
}

/// A learning, or an entry of the learnings file, with its age.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Entry {
    /// Key in the document's entry mark: the learning's id, or one derived from the words of the file's entry.
    pub key: String,
    /// The learning; `None` for an entry of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<LearningId>,
    /// The heading of an entry of the file; `None` for a learning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Name of the feature, or path of the file from the project.
    pub source: String,
    /// Kind of source.
    pub kind: SourceKind,
    /// Line of the heading in the file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its text; for an entry of the file, without the heading.
    pub text: String,
    /// Why a learning holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_given: Option<String>,
    /// When a learning was written; `None` for an entry of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The day its oldest line was written, in its author's calendar; `None` while uncommitted or unknown.
    pub written: Option<Day>,
    /// Days with commits after that day; `None` when unknown.
    pub age_active_days: Option<u32>,
    /// Whether it is old enough to be consolidated.
    pub eligible: bool,
    /// Why it is or is not eligible.
    pub reason: String,
    /// Whether a person vouched for it or three iterations observed it: contradictions are then for a person to decide.
    pub protected: bool,
    /// Warnings of the quality gate about an entry of the file. Warnings only: the file belongs to those who write it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Every entry with its age.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningAges {
    /// Entries of the file in file order, then those of the features by age, oldest first.
    pub entries: Vec<Entry>,
    /// Counts by age.
    pub summary: AgeSummary,
}

/// Entries counted by age.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AgeSummary {
    /// How much of the history is available.
    pub history: HistoryKind,
    /// Days with commits in the history.
    pub active_days: u32,
    /// Active days from which an entry is eligible.
    pub fresh_days: u32,
    /// All entries.
    pub entries: u32,
    /// Eligible entries.
    pub eligible: u32,
    /// Uncommitted entries.
    pub uncommitted: u32,
    /// The greatest age; `None` when no age is known.
    pub oldest: Option<u32>,
    /// Notes for a person on these ages: a shallow clone, an unreadable file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

crate::word_enum! {
    /// Why a consolidation is due.
    TriggerCause {
        /// There are too many lines.
        Size = "size",
        /// The last consolidation is too many active days ago.
        Stale = "stale",
    }
}

/// Whether one source, a feature or the file, is due for consolidation, with the underlying numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SourceTrigger {
    /// Name of the feature, or path of the file.
    pub source: String,
    /// Kind of source.
    pub kind: SourceKind,
    /// Whether a consolidation is due.
    pub due: bool,
    /// The conditions that are met, whether or not there are enough entries.
    pub causes: Vec<TriggerCause>,
    /// Lines of the file, or the lines that the feature's active learnings would take in one.
    pub lines: u32,
    /// Number of lines from which there are too many.
    pub lines_limit: u32,
    /// Active days since the last consolidation or, before the first one, since the oldest entry was written; `None` when unknown.
    pub active_days_since: Option<u32>,
    /// Active days from which the last consolidation is stale.
    pub stale_days: u32,
    /// The day of the last consolidation; `None` before the first one.
    pub last: Option<Day>,
    /// All entries.
    pub entries: u32,
    /// Eligible entries.
    pub fresh: u32,
    /// Eligible entries that are required.
    pub min_entries: u32,
    /// Active days from which an entry is eligible.
    pub fresh_days: u32,
    /// Whether a person is needed: too many lines, but too few eligible entries.
    pub needs_person: bool,
    /// The explanation in words.
    pub why: String,
}

crate::word_enum! {
    /// What a consolidation would do with an entry.
    Fate {
        /// It moves into a document.
        Goes = "goes",
        /// It is not old enough yet.
        Young = "young",
        /// It is one of the newest of its source, which stay.
        Newest = "newest",
        /// A newer entry contradicts it: only the final state goes into a document.
        Superseded = "superseded",
        /// A document or an older entry already says it.
        Redundant = "redundant",
        /// Something contradicts it, and a person has to decide which is right.
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
    /// The decision.
    pub decision: Fate,
    /// The reason, in words.
    pub reason: String,
    /// What determined it: another entry's key, or a place in a document as `file:line`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// Text of what determined it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_text: Option<String>,
    /// Calibrated similarity of the two, in 0..=1; lexical only when there is no vector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// Whether a consolidation is due, with the numbers of each source.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Trigger {
    /// The source that is due, otherwise the one with the most lines; `None` in a project without sources.
    #[serde(flatten)]
    pub leading: Option<SourceTrigger>,
    /// Every source.
    pub sources: Vec<SourceTrigger>,
}

/// What a consolidation would do. Computing it changes nothing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ConsolidationPreview {
    /// Whether one is due.
    pub trigger: Trigger,
    /// The entries that would move into documents.
    pub batch: Vec<Entry>,
    /// The decision for each entry.
    pub decisions: Vec<Decision>,
    /// Notes for a person: a shallow clone, an unavailable model.
    pub notes: Vec<String>,
}

/// A proposal that is being written or awaits review.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OpenProposal {
    /// The errand.
    pub errand: ErrandId,
    /// Whether its agent is still running.
    pub writing: bool,
}

/// Everything that the consolidation page shows. Computing it changes nothing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ConsolidationView {
    /// Every entry with its age.
    pub entries: Vec<Entry>,
    /// Counts by age.
    pub summary: AgeSummary,
    /// Each source with its numbers and whether it is due.
    pub sources: Vec<SourceTrigger>,
    /// The decision for each entry.
    pub decisions: Vec<Decision>,
    /// The open proposal; at most one.
    pub open: Option<OpenProposal>,
    /// Path of the last report, relative to the project; `None` when there is none.
    pub report: Option<String>,
    /// Notes for a person.
    pub notes: Vec<String>,
    /// Past consolidations, newest first.
    pub history: Vec<Consolidation>,
}

/// A place in a document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct KnowledgePlace {
    /// Path relative to the project.
    pub file: String,
    /// The heading above it, without Markdown markers; may be empty.
    pub heading: String,
}

/// What moved into documents from one source. A consolidation of several sources has a row for each.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Consolidation {
    /// Id of the journal line that records it.
    pub id: String,
    /// Shared by all rows of one consolidation; the whole is undone by it.
    pub act: String,
    /// The feature; `None`: the learnings file.
    pub feature: Option<String>,
    /// Name of the feature, or path of the file.
    pub source: String,
    /// Keys of the consolidated entries.
    pub entries: Vec<String>,
    /// Documents they moved into.
    pub files: Vec<String>,
    /// When.
    pub at: Timestamp,
    /// The local day of whoever did it.
    pub day: Day,
    /// When it was undone.
    pub undone: Option<Timestamp>,
}

/// Consolidated learnings whose words are gone from the documents, moved, changed, or there for good: what was found when they were last
/// looked at.
/// Internal data.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LostWords {
    /// The commits whose documents were looked at, and the newest consolidation.
    pub looked_at: Vec<String>,
    /// The learnings.
    pub learnings: BTreeSet<LearningId>,
    /// Where the words of other learnings are that have moved since they were consolidated.
    #[serde(default)]
    pub moved: BTreeMap<LearningId, KnowledgePlace>,
    /// The notice that tells a person.
    pub notice: Option<NoticeId>,
    /// The last words of those that are in a document without their mark.
    #[serde(default)]
    pub unmarked: BTreeMap<LearningId, String>,
    /// What the documents say for others, if the words differ from the learning's own.
    #[serde(default)]
    pub said: BTreeMap<LearningId, String>,
    /// What somebody put away but a document still says.
    #[serde(default)]
    pub still_said: BTreeSet<LearningId>,
    /// The notice that tells a person of it.
    #[serde(default)]
    pub still_notice: Option<NoticeId>,
}

impl ConsolidationOrdered {
    /// The proposal awaiting review.
    pub fn waiting(self) -> Option<String> {
        self.review.filter(|_| !self.merged)
    }
}

/// The matter of an errand that proposes documents, from its order to its merge: internal data, stored with the errand.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum ProposalMatter {
    /// A consolidation.
    Consolidation(ConsolidationMatter),
    /// Undoes one, identified by its act.
    Undo {
        /// The act to undo.
        undone: String,
    },
}

/// Words of a proposal that may say something other than their entry. Whether they do is for a person to decide.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Divergence {
    /// The document, relative to the project.
    pub file: String,
    /// The line in it at which the words end, from 1.
    pub line: u32,
    /// What may be different.
    pub text: String,
    /// What the entry says; empty if the divergence is about words that no entry says.
    pub entry: String,
}

/// The matter of a consolidation.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ConsolidationMatter {
    /// The entries that must land.
    pub batch: Vec<Entry>,
    /// Entries of the learnings file that leave it with the newer ones of the batch, which say otherwise.
    #[serde(default)]
    pub superseded: Vec<Entry>,
    /// The folder of the documents when they were written, whatever the settings say today; `None` before that, and for older ones.
    #[serde(default)]
    pub folder: Option<String>,
    /// The file that entries left, with links resolved; `None` as for the folder.
    #[serde(default)]
    pub learnings_file: Option<String>,
    /// The commit the agent started from; `None` before it starts.
    #[serde(default)]
    pub start: Option<String>,
    /// The proposal's commit that passed the checks.
    #[serde(default)]
    pub proposal: Option<String>,
    /// Whether a document was divided after the agent's work, so that links in its lines were fixed.
    #[serde(default)]
    pub divided: bool,
    /// Notes for a person, such as a document that is too long and has no headings to divide it at.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Where it may say something other than its entries.
    #[serde(default)]
    pub divergences: Vec<Divergence>,
    /// The act that recorded it after the merge.
    #[serde(default)]
    pub act: Option<String>,
}

impl ConsolidationMatter {
    /// Keys of what leaves the learnings file.
    pub fn leaving(&self) -> BTreeSet<String> {
        let of_file = self.batch.iter().filter(|entry| entry.id.is_none());
        of_file.chain(&self.superseded).map(|entry| entry.key.clone()).collect()
    }
}

/// A consolidation that was ordered, and its progress.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ConsolidationOrdered {
    /// The errand; `None` when no entry was eligible, so that none was started.
    pub errand: Option<ErrandId>,
    /// Its row.
    #[serde(flatten)]
    pub row: Option<Errand>,
    /// Name of the proposal for `ralph diff`, `merge` and `discard`.
    pub review: Option<String>,
    /// Whether it is already merged because it needs no review.
    pub merged: bool,
    /// Keys of the entries in the proposal or, for an undo, of those that return.
    pub entries: Vec<String>,
    /// Where the proposal may say something other than its entries: with any, a person reviews it.
    pub divergences: Vec<Divergence>,
    /// Notes for a person.
    pub notes: Vec<String>,
}
