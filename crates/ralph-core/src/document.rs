//! Documents: files of the project that recall searches section by section.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A document that is known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Document {
    /// The file, relative to the project, with `/`.
    pub path: String,
    /// The one feature whose `knowledge_paths` name it; `None` = it is the project's.
    pub feature: Option<String>,
    /// Sections that it has.
    pub sections: u32,
    /// When it was read last.
    pub read: Timestamp,
}

/// What became of files that were to be brought in.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IngestOutcome {
    /// Those that are known now, by path.
    pub ingested: Vec<IngestedFile>,
    /// Those that were passed over, by path.
    pub skipped: Vec<SkippedFile>,
}

/// A file that was brought in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IngestedFile {
    /// The file, relative to the project, with `/`.
    pub path: String,
    /// Sections that it has.
    pub sections: u32,
}

/// A file or folder that was passed over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SkippedFile {
    /// Relative to the project where it lies in it.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// What became of documents that were to be forgotten.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Forgotten {
    /// Files that are no longer known.
    pub forgotten: Vec<String>,
    /// Files that stay, each with who still asks for it.
    pub kept: Vec<SkippedFile>,
}

/// What to do with the section of `AGENTS.md` or `CLAUDE.md` that agents outside of Ralph read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum AgentsFileAct {
    /// Only tell what would change.
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
}
