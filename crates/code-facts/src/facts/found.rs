//! A fact as a file states it.

use serde::{Deserialize, Serialize};

/// What kind of fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// A package that is needed: subject its name, value the version that is asked for, or [`ANY`].
    Dependency,
    /// A framework that is used: subject its name, value as for a dependency.
    Framework,
    /// An address that is answered: subject `METHOD /path`, value what answers.
    Endpoint,
    /// Where a program or a package begins.
    EntryPoint,
    /// A command that runs tests.
    TestCommand,
    /// A command that builds.
    BuildCommand,
}

impl FactKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            FactKind::Dependency => "dependency",
            FactKind::Framework => "framework",
            FactKind::Endpoint => "endpoint",
            FactKind::EntryPoint => "entry_point",
            FactKind::TestCommand => "test_command",
            FactKind::BuildCommand => "build_command",
        }
    }
}

/// The version of what is needed in any version.
pub(super) const ANY: &str = "any";
/// The handler of an endpoint that has no name.
pub(super) const INLINE: &str = "inline handler";

/// How sure a fact is that a manifest states.
pub(super) const DECLARED: f64 = 1.0;
/// How sure a fact is that code states.
pub(super) const WRITTEN: f64 = 0.9;
/// How sure a fact is that follows from a convention or an import alone.
pub(super) const IMPLIED: f64 = 0.7;

/// A fact that a file states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundFact {
    /// What kind of fact.
    pub kind: FactKind,
    /// What it is about.
    pub subject: String,
    /// What is so.
    pub value: String,
    /// The line that says so, from 1.
    pub line: u32,
    /// What stands in that line, without the blanks around it.
    #[serde(default)]
    pub quote: String,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// The top module of an import that nothing declares: it may be one of the project's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
}

impl FoundFact {
    pub(super) fn new(kind: FactKind, subject: impl Into<String>, value: impl Into<String>, line: u32, confidence: f64) -> FoundFact {
        FoundFact { kind, subject: subject.into(), value: value.into(), line, quote: String::new(), confidence, imported: None }
    }

    /// A dependency that a manifest states; without a version it is any.
    pub(super) fn dependency(name: impl Into<String>, version: &str, line: u32) -> FoundFact {
        let version = version.trim();
        let version = if matches!(version, "" | "*") { ANY } else { version };
        FoundFact::new(FactKind::Dependency, name, version, line, DECLARED)
    }
}

/// The folder of a manifest, and how it is named behind a subject; both are empty at the top of the project.
pub(super) fn place(path: &str) -> (String, String) {
    match path.rsplit_once('/') {
        Some((folder, _)) => (folder.to_owned(), format!(" in {folder}")),
        None => (String::new(), String::new()),
    }
}

/// A path that a manifest names, as seen from the project.
pub(super) fn from_project(folder: &str, path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}
