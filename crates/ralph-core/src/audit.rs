//! Audit: what should not be in the store, or is no longer worth telling.

use crate::recall::MemoryKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

crate::word_enum! {
    /// What an audit looks for.
    AuditClass {
        /// Says literally what another active memory says.
        Duplicate = "duplicate",
        /// Says in other words what another active memory says.
        NearDuplicate = "near_duplicate",
        /// Told to nobody and chosen by nobody for [`crate::limits::UNUSED_ACTIVE_DAYS`] active days.
        NeverUsed = "never_used",
        /// Says what every session says: a status, a refusal, an agent's own instructions.
        Boilerplate = "boilerplate",
        /// Repeats what Ralph itself told the agent that said it.
        RecallLoop = "recall_loop",
        /// Keys, tokens, passwords.
        Secret = "secret",
        /// Tells of a success that did not last.
        DeadEnd = "dead_end",
        /// A fact whose file, or whose line in it, is gone.
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
    /// Why it is in the class.
    pub why: String,
    /// Whether a person wrote it, somebody reviewed it, or much stands behind it: it is put away by name alone, or where that is asked for.
    pub protected: bool,
}

/// A place of the store that holds secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AuditPlace {
    /// `tasks.title` of the database, `backups/regular-00001.db`, or a file's path below `.ralph`.
    pub place: String,
    /// Finds in it.
    pub count: u32,
    /// Whether it is the person's own file, which Ralph never rewrites.
    pub yours: bool,
}

/// What was found of one class.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AuditFinding {
    /// Memories of the class; of secrets the finds in all places of the store.
    pub count: u32,
    /// Share of all active memories, from 0 to 1; of secrets the share of all texts of the store that hold one.
    pub share: f64,
    /// The memories, oldest first.
    pub memories: Vec<AuditedMemory>,
    /// Where secrets stand, with the most first; places without a find are left out.
    pub places: Vec<AuditPlace>,
    /// Whether what was found is gone, except where a place says otherwise.
    pub washed: bool,
}

/// What was found, by class.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(transparent)]
pub struct Audit(pub BTreeMap<AuditClass, AuditFinding>);

/// How much of what is told was junk on a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AuditDay {
    /// `2026-01-31`, UTC.
    pub day: String,
    /// Active memories.
    pub memories: u32,
    /// Those of them in at least one class other than `never_used`.
    pub junk: u32,
    /// Memories by class; those without any are left out.
    pub classes: BTreeMap<AuditClass, u32>,
}

/// What became of a class that was put away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AuditRetired {
    /// Which class.
    pub class: AuditClass,
    /// Memories that were put away.
    pub retired: Vec<String>,
    /// Memories that stay, since they are protected.
    pub kept: Vec<String>,
}

/// What an undo brought back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AuditUndone {
    /// The class that had been put away.
    pub class: AuditClass,
    /// Memories that are told again.
    pub returned: Vec<String>,
    /// Memories that are not: something else became of them since, what they are about is stated otherwise, or their feature is full.
    pub left: Vec<String>,
}

/// Everything that the Knowledge page shows of an audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AuditReport {
    /// Active memories.
    pub memories: u32,
    /// Those of them in at least one class other than `never_used`.
    pub junk: u32,
    /// What was found, by class; secrets are looked for among the memories alone.
    pub classes: BTreeMap<AuditClass, AuditFinding>,
    /// The days before, oldest first.
    pub days: Vec<AuditDay>,
    /// The class that an undo would bring back, where there is one.
    pub undoable: Option<AuditClass>,
}
