//! Facts that files state themselves: what manifests and code say of dependencies, frameworks, endpoints, entry points and commands.
//!
//! A look asks git for the files, reads what changed since the last one, and tells what differs from what is known: a fact follows its
//! file. It is done beside a run after each of its iterations and at its end, by `ralph reconcile`, and by `ralph fact scan`, wherever
//! the settings have facts learnt from code.

mod read;
mod tell;

use crate::App;
use crate::documents::within;
use crate::error::Result;
use ralph_core::authority::Act;
use ralph_core::document::SkippedFile;
use ralph_core::limits;
use ralph_core::memory::CodeScan;
use ralph_core::view::Settings;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

impl App {
    /// Looks at all files that git knows or would take, and tells what they state.
    pub fn learn_from_code(&self) -> Result<CodeScan> {
        self.look_at_code(None, false)
    }

    /// Looks at one file, absolute or relative to the project, and tells what it states; `asked` = whatever the settings say.
    pub fn learn_facts_of(&self, path: &Path, asked: bool) -> Result<CodeScan> {
        let path = within(&self.paths.root, &self.paths.root.join(path));
        if Path::new(&path).is_absolute() || path.contains('\0') {
            let skipped = vec![SkippedFile { path, reason: "it is outside of the project".to_owned() }];
            return Ok(CodeScan { skipped, ..CodeScan::default() });
        }
        self.look_at_code(Some(&path), asked)
    }

    /// The same look where nobody waits for it: a fault is told, and what is known stays.
    pub(crate) fn learn_from_code_or_warn(&self) {
        if let Err(error) = self.learn_from_code() {
            tracing::warn!("facts of the code could not be looked for: {error}");
        }
    }

    fn look_at_code(&self, only: Option<&str>, asked: bool) -> Result<CodeScan> {
        if self.is_read_only() || !(asked || learns_from_code(&self.settings()?)) {
            return Ok(CodeScan::default());
        }
        // One look at a time: a second one would read the same files.
        let _one = self.code_look.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scan = CodeScan { enabled: true, ..CodeScan::default() };
        let paths = self.code_paths(only)?;
        if let Some(path) = only.filter(|_| paths.is_empty()) {
            let reason = "it is not known to git, or neither a manifest nor a source that facts are read from".to_owned();
            scan.skipped.push(SkippedFile { path: path.to_owned(), reason });
        }
        self.read_code(&paths, only.is_none(), &mut scan)?;
        self.tell_code(&mut scan)?;
        Ok(scan)
    }

    /// Takes back what the newest look changed: what it told is put away for good, and what it withdrew is told again. Answers how many
    /// facts were withdrawn and returned.
    pub fn undo_code_scan(&self) -> Result<CodeScan> {
        self.allowed(&Act::Curate)?;
        self.take_back_code()
    }

    /// The files that can state facts, by path; those of one path alone where it is given.
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
        // A name that holds what is not kept is no name for a fact's file.
        let mut paths: Vec<String> = paths.filter(|path| code_facts::reads(path) && crate::wash::text(path) == *path).collect();
        paths.sort();
        paths.dedup();
        Ok(paths)
    }
}

/// Whether the settings have facts learnt from code. The mode does not matter: a fact is nothing that could be a wrong lesson.
pub(crate) fn learns_from_code(settings: &Settings) -> bool {
    settings.automatic_learning.enabled && settings.automatic_learning.track_code_changes
}
