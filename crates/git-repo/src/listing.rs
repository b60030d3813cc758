//! Which files of a folder git would take, and which it ignores.

use crate::command::{Git, path_from_bytes};
use crate::{GitError, Repo};
use std::path::{Path, PathBuf};

/// The files of a folder; paths are relative to where was asked from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Tracked, or neither tracked nor ignored. A path that ends with a separator is a repository of its own.
    pub files: Vec<PathBuf>,
    /// Ignored; a folder of which everything is ignored stands for all that it holds.
    pub ignored: Vec<PathBuf>,
}

impl Repo {
    /// The files that are, or are below, some paths, as seen from `from`, a folder of the work tree. Tracked ones that are gone are listed.
    ///
    /// # Errors
    /// [`GitError`] when git cannot be run in time.
    pub fn list(&self, from: &Path, paths: &[&Path]) -> Result<Listing, GitError> {
        let list = |wanted: &[&str]| {
            let git = Git::reading(from).args(["--literal-pathspecs", "ls-files", "-z", "--exclude-standard"]).args(wanted).args(["--"]);
            let output = git.args(paths).output("ls-files")?;
            let entries = output.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
            Ok::<_, GitError>(entries.map(path_from_bytes).collect())
        };
        let mut ignored: Vec<PathBuf> = list(&["--others", "--ignored", "--directory"])?;
        ignored.sort();
        // Git names some folders and what is in them.
        ignored.dedup_by(|path, folder| path.starts_with(folder));
        Ok(Listing { files: list(&["--cached", "--others"])?, ignored })
    }
}
