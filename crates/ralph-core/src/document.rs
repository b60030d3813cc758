//! Documents: files of the project that recall searches section by section.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// An ingested document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Document {
    /// The file, relative to the project, with `/`.
    pub path: String,
    /// The one feature whose `knowledge_paths` name it; `None` = it belongs to the project.
    pub feature: Option<String>,
    /// Number of its sections.
    pub sections: u32,
    /// When it was last read.
    pub read: Timestamp,
}

/// Result of ingesting files.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IngestOutcome {
    /// Ingested files, by path.
    pub ingested: Vec<IngestedFile>,
    /// Skipped files, by path.
    pub skipped: Vec<SkippedFile>,
    /// Whether a requested path that was not skipped itself is looked at from now on, whatever it holds.
    #[serde(skip)]
    pub remembered: bool,
}

/// An ingested file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IngestedFile {
    /// The file, relative to the project, with `/`.
    pub path: String,
    /// Number of its sections.
    pub sections: u32,
}

/// A file or folder that was skipped.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SkippedFile {
    /// Relative to the project if it lies within.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Result of forgetting documents.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Forgotten {
    /// Files that are no longer documents.
    pub forgotten: Vec<String>,
    /// Files that stay, each with what still requires it.
    pub kept: Vec<SkippedFile>,
}

/// What to do with the section of `AGENTS.md` or `CLAUDE.md` that agents outside of Ralph read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum AgentsFileAct {
    /// Only show what would change.
    Show,
    /// Write it, or bring it up to date.
    Write,
    /// Take it out.
    Remove,
}

/// What changes, or changed, in that file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AgentsFileChange {
    /// The file, relative to the project.
    pub file: String,
    /// Whether the file differs from what it should be.
    pub changed: bool,
    /// The lines that go and come; empty where none do.
    pub diff: String,
    /// Whether that was written.
    pub written: bool,
    /// Facts and learnings that it leaves out: they came from a clone or a pull, and nobody reviewed them here.
    pub left_out: u32,
}
