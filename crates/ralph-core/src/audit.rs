//! Audit: what should not be in the store, or is no longer worth including in prompts.

use crate::recall::MemoryKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

crate::word_enum! {
    /// What an audit looks for.
    AuditClass {
        /// Has the same text as another active memory.
        Duplicate = "duplicate",
        /// Says the same as another active memory in other words.
        NearDuplicate = "near_duplicate",
        /// Never shown and never selected for [`crate::limits::UNUSED_ACTIVE_DAYS`] active days.
        NeverUsed = "never_used",
        /// Generic session text: a status, a refusal, an agent's own instructions.
        Boilerplate = "boilerplate",
        /// Repeats what Ralph itself had shown to the agent that said it.
        RecallLoop = "recall_loop",
        /// Keys, tokens, passwords.
        Secret = "secret",
        /// Records a success that did not last.
        DeadEnd = "dead_end",
        /// A fact whose file, or whose line in that file, is gone.
        StaleFact = "stale_fact",
    }
}

/// A memory that an audit found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AuditedMemory {
    /// Its id.
    pub id: String,
    /// Learning, episode or fact.
    pub kind: MemoryKind,
    /// The feature that it belongs to; `None` = the project.
    pub feature: Option<String>,
    /// Its words, without secrets.
    pub text: String,
    /// Why it belongs to the class.
    pub why: String,
    /// Whether a person wrote it, somebody reviewed it, or it is well supported: it is put away only by id, or on explicit request.
    pub protected: bool,
}

/// A place in the store that contains secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AuditPlace {
    /// `tasks.title` of the database, `backups/regular-00001.db`, or a file's path below `.ralph`.
    pub place: String,
    /// Number of secrets found there; 0 = it is damaged, and could not be looked at.
    pub count: u32,
    /// Whether it is the user's own file, which Ralph never rewrites.
    pub yours: bool,
}

/// The findings of one class.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AuditFinding {
    /// Memories in the class; for secrets, the occurrences in all places of the store.
    pub count: u32,
    /// Share of all active memories, 0 to 1; for secrets, the share of all texts of the store that contain one.
    pub share: f64,
    /// The memories, oldest first.
    pub memories: Vec<AuditedMemory>,
    /// Places that contain secrets, most occurrences first, and those that could not be looked at; clean places are omitted.
    pub places: Vec<AuditPlace>,
    /// Whether the findings have been removed, except where a place says otherwise.
    pub washed: bool,
}

/// Findings by class.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(transparent)]
pub struct Audit(pub BTreeMap<AuditClass, AuditFinding>);

/// Share of junk among the active memories on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AuditDay {
    /// `2026-01-31`, by the clock of the person at the time.
    pub day: String,
    /// Active memories.
    pub memories: u32,
    /// Of these, those in at least one class other than `never_used`.
    pub junk: u32,
    /// Memories by class; empty classes are omitted.
    pub classes: BTreeMap<AuditClass, u32>,
}

/// Result of putting a class away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AuditRetired {
    /// The act, by which it can be undone; `None` = nothing was put away.
    pub act: Option<String>,
    /// Which class.
    pub class: AuditClass,
    /// Memories that were put away.
    pub retired: Vec<String>,
    /// Memories that were kept because they are protected.
    pub kept: Vec<String>,
}

/// Result of an undo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AuditUndone {
    /// The class that had been put away.
    pub class: AuditClass,
    /// Memories that are active again.
    pub returned: Vec<String>,
    /// Memories left as they are: changed since, superseded by another statement on the same subject, or their feature is full.
    pub left: Vec<String>,
}

/// Everything that the Knowledge page shows about an audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AuditReport {
    /// Active memories.
    pub memories: u32,
    /// Of these, those in at least one class other than `never_used`.
    pub junk: u32,
    /// Findings by class; secrets are searched for in memories only.
    pub classes: BTreeMap<AuditClass, AuditFinding>,
    /// Daily history, oldest first.
    pub days: Vec<AuditDay>,
    /// What an undo would bring back; `None` when there is nothing to undo.
    pub undoable: Option<PutAway>,
}

/// A class that was put away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PutAway {
    /// The act.
    pub act: String,
    /// Which class.
    pub class: AuditClass,
}
