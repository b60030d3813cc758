//! A fact as a file states it.

use super::routers::{Mount, Router};
use serde::{Deserialize, Serialize};

/// Kind of fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// A required package: subject its name, value the required version, or [`ANY`].
    Dependency,
    /// A framework in use: subject its name, value as for a dependency.
    Framework,
    /// An endpoint: subject `METHOD /path`, value its handler.
    Endpoint,
    /// The entry point of a program or a package.
    EntryPoint,
    /// A command that runs tests.
    TestCommand,
    /// A command that builds.
    BuildCommand,
    /// A router of another file, mounted below a path: what it serves is below that path. Not a fact by itself.
    Mount,
    /// A router that a file makes, subject the path that the file itself puts it at: others may register endpoints on it. Not a fact
    /// by itself.
    Router,
    /// What a file re-exports from another under its own name; subject that name, `*` for all. Not a fact by itself.
    Export,
    /// A text that may be a part of paths, by its name; one that belongs to a class or an object begins with a dot. Not a fact by itself.
    Constant,
    /// A manifest whose commands also apply to the manifests below it. Not a fact by itself.
    Workspace,
    /// A tool that runs the commands of a folder and of those below it, shown by a lock file or a wrapper: `pnpm`, `gradlew`. Not a fact by
    /// itself.
    Tool,
}

impl FactKind {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            FactKind::Dependency => "dependency",
            FactKind::Framework => "framework",
            FactKind::Endpoint => "endpoint",
            FactKind::EntryPoint => "entry_point",
            FactKind::TestCommand => "test_command",
            FactKind::BuildCommand => "build_command",
            FactKind::Mount => "mount",
            FactKind::Router => "router",
            FactKind::Export => "export",
            FactKind::Constant => "constant",
            FactKind::Workspace => "workspace",
            FactKind::Tool => "tool",
        }
    }

    /// Whether facts of this kind are reported, rather than only tying files together.
    pub(super) fn is_told(self) -> bool {
        !matches!(self, FactKind::Mount | FactKind::Router | FactKind::Export | FactKind::Constant | FactKind::Workspace | FactKind::Tool)
    }
}

/// The value for any version.
pub(super) const ANY: &str = "any";
/// The value of a package whose version the workspace states.
pub(super) const OF_WORKSPACE: &str = "workspace";
/// The handler of an endpoint without a name.
pub(super) const INLINE: &str = "inline handler";

/// Characters of a version: longer ones are addresses that nobody reads.
const LONGEST_VERSION: usize = 200;

/// Confidence of a fact stated by a manifest.
pub(super) const DECLARED: f64 = 1.0;
/// Confidence of a fact stated by code.
pub(super) const WRITTEN: f64 = 0.9;
/// Confidence of a fact implied by a convention or an import alone.
pub(super) const IMPLIED: f64 = 0.7;

/// A fact that a file states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundFact {
    /// Kind of fact.
    pub kind: FactKind,
    /// Its subject.
    pub subject: String,
    /// What is true of it.
    pub value: String,
    /// The line that states it, from 1.
    pub line: u32,
    /// Text of that line, trimmed.
    #[serde(default)]
    pub quote: String,
    /// Confidence, from 0 to 1.
    pub confidence: f64,
    /// The top module of an undeclared import: it may be one of the project's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
    /// For an endpoint: the router of its file that serves it, if another file can mount it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub router: Option<Router>,
    /// For a mount or an export: what is mounted or re-exported; for a router: itself; for an endpoint: the router of another file that it
    /// is registered on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mount: Option<Mount>,
}

impl FoundFact {
    pub(super) fn new(kind: FactKind, subject: impl Into<String>, value: impl Into<String>, line: u32, confidence: f64) -> FoundFact {
        let (subject, value, quote) = (subject.into(), value.into(), String::new());
        FoundFact { kind, subject, value, line, quote, confidence, imported: None, router: None, mount: None }
    }

    /// A dependency stated by a manifest; without a version, or with something that is not one, any version is meant.
    pub(super) fn dependency(name: impl Into<String>, version: &str, line: u32) -> FoundFact {
        let version = version.trim();
        let version = if version != "*" && is_version(version) { version } else { ANY };
        FoundFact::new(FactKind::Dependency, name, version, line, DECLARED)
    }
}

/// Whether a text can be a version: a range, an address, or the name of one. Agents are told it, and a manifest may come from anybody.
fn is_version(text: &str) -> bool {
    let plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "._-+@:/#~^=!*|,%&?$[]".contains(c));
    let number =
        |word: &str| word.strip_prefix('v').unwrap_or(word).starts_with(|c: char| c.is_ascii_digit() || matches!(c, '*' | 'x' | 'X'));
    let words: Vec<&str> = text.split(' ').map(|word| word.trim_start_matches(['<', '>', '=', '~', '^', '!', '|', ',', '-'])).collect();
    let is_range = || words.iter().all(|word| word.is_empty() || number(word));
    let fits = text.len() <= LONGEST_VERSION && words.iter().all(|word| plain(word));
    fits && words.iter().any(|word| !word.is_empty()) && (words.len() == 1 || is_range())
}

/// What the spellings of one subject have in common. The store of facts folds subjects in the same way: they do not differ by case or
/// white space alone, in any alphabet.
pub(super) fn key(subject: &str) -> String {
    subject.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The folder of a file; empty at the root of the project.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name of a file, without its folder.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder of a file, and those above it up to the project's own.
pub(super) fn folders_up(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder(path)), |at| (!at.is_empty()).then(|| folder(at)))
}

/// The folder of a manifest, and its suffix for subjects; both are empty at the root of the project.
pub(super) fn place(path: &str) -> (String, String) {
    match folder(path) {
        "" => (String::new(), String::new()),
        folder => (folder.to_owned(), format!(" in {folder}")),
    }
}

/// A folder as a word of a shell command.
pub(super) fn quoted(folder: &str) -> String {
    let plain = folder.chars().all(|c| c.is_alphanumeric() || "/._-+@:,".contains(c));
    if plain { folder.to_owned() } else { format!("'{}'", folder.replace('\'', "'\\''")) }
}

/// A shell command that a program can be given in its own folder only.
pub(super) fn run_in(folder: &str, program: &str) -> String {
    if folder.is_empty() { program.to_owned() } else { format!("cd {} && {program}", quoted(folder)) }
}

/// The text in the quotes that a line begins with.
pub(super) fn in_quotes(line: &str) -> Option<&str> {
    let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    line[1..].split_once(quote).map(|(text, _)| text)
}

/// A path in a manifest, relative to the project.
pub(super) fn from_project(folder: &str, path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}
