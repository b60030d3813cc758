//! Facts from files: dependencies, frameworks, endpoints, entry points and commands stated by manifests and code.
//!
//! A scan asks git for the files, reads those that changed since the last one, and records the differences: a fact follows its
//! file. If the settings enable facts from code, it runs in the background soon after the window opened or a run began, after each
//! iteration and at the run's end, at the end of an MCP session with calls, by `ralph reconcile`, and by `ralph fact scan`.

mod read;
mod tell;

pub(crate) use tell::{key, stated_by_code, statement};

use crate::app::App;
use crate::documents::within;
use crate::error::Result;
use ralph_core::authority::Act;
use ralph_core::document::SkippedFile;
use ralph_core::limits;
use ralph_core::memory::CodeScan;
use ralph_core::settings::AutomaticLearning;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

/// Why code is scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanCause {
    /// The settings say so.
    Settings,
    /// Somebody asked for these facts, whatever the settings say.
    Asked,
}

impl App {
    /// Scans all files that git tracks or would add, and records their facts.
    pub fn learn_from_code(&self) -> Result<CodeScan> {
        self.look_at_code(None, ScanCause::Settings, &|| false)
    }

    /// Scans one file, absolute or relative to the project, and records its facts.
    pub fn learn_facts_of(&self, path: &Path, cause: ScanCause) -> Result<CodeScan> {
        let path = within(&self.paths.root, &self.paths.root.join(path));
        if Path::new(&path).is_absolute() || path.contains('\0') {
            let skipped = vec![SkippedFile { path, reason: "it is outside of the project".to_owned() }];
            return Ok(CodeScan { enabled: true, skipped, ..CodeScan::default() });
        }
        self.look_at_code(Some(&path), cause, &|| false)
    }

    /// The same scan in the background: an error is logged, and existing facts stay.
    pub(crate) fn learn_from_code_or_warn(&self) {
        self.learn_from_code_until(&|| false);
    }

    /// The same until somebody is in a hurry: the next scan reads the files that are left.
    pub(crate) fn learn_from_code_until(&self, stopped: &dyn Fn() -> bool) {
        if let Err(error) = self.look_at_code(None, ScanCause::Settings, stopped) {
            tracing::warn!("facts of the code could not be looked for: {error}");
        }
    }

    fn look_at_code(&self, only: Option<&str>, cause: ScanCause, stopped: &dyn Fn() -> bool) -> Result<CodeScan> {
        if self.is_read_only() || !(cause == ScanCause::Asked || learns_from_code(&self.settings()?.automatic_learning)) {
            return Ok(CodeScan::default());
        }
        // One scan at a time: a second one would read the same files.
        let _one = self.code_look.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scan = CodeScan { enabled: true, ..CodeScan::default() };
        let paths = self.code_paths(only)?;
        if let Some(path) = only.filter(|_| paths.is_empty()) {
            let reason = "it is not known to git, or neither a manifest nor a source that facts are read from".to_owned();
            scan.skipped.push(SkippedFile { path: path.to_owned(), reason });
        }
        self.read_code(&paths, only.is_none(), stopped, &mut scan)?;
        self.tell_code(&mut scan)?;
        let gone = std::mem::take(&mut *self.sources_gone.lock().unwrap_or_else(PoisonError::into_inner));
        scan.withdrawn += self.count_unstated(&gone)?;
        Ok(scan)
    }

    /// Undoes the newest scan that added facts: those are put away for good, and what it withdrew returns. Returns the number of facts
    /// withdrawn and returned.
    pub fn undo_code_scan(&self) -> Result<CodeScan> {
        self.allowed(&Act::Curate)?;
        self.take_back_code()
    }

    /// The files that can state facts, by path; only the given one if any.
    fn code_paths(&self, only: Option<&str>) -> Result<Vec<String>> {
        let root = &self.paths.root;
        let listed: Vec<PathBuf> = match &self.repo {
            Some(repo) => repo.list(root, &[Path::new(only.unwrap_or("."))])?.files,
            None => {
                let found = self.paths.files().walk(&only.map_or_else(|| root.clone(), |path| root.join(path)), limits::DOCUMENTS)?;
                found.iter().filter_map(|path| Some(path.strip_prefix(root).ok()?.to_owned())).collect()
            }
        };
        let paths = listed
            .iter()
            .filter_map(|path| path.to_str())
            .map(|path| if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() });
        // A path that contains a secret can't be stored as a fact's file.
        let mut paths: Vec<String> = paths.filter(|path| code_facts::reads(path) && crate::secrets::wash::text(path) == *path).collect();
        paths.sort();
        paths.dedup();
        Ok(paths)
    }
}

/// Whether the settings enable facts from code. The mode is irrelevant: a fact can't be a wrong lesson.
pub(crate) fn learns_from_code(settings: &AutomaticLearning) -> bool {
    settings.enabled && settings.track_code_changes
}
