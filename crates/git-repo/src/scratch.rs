//! Files and folders for a moment in git's own folder, such as an index beside the person's.

use crate::paths::bytes_of_paths;
use crate::{GitError, Repo};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A place for a file or a folder, which is removed when dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing may ever have been made there.
        if std::fs::remove_file(&self.0).is_err() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

impl Repo {
    /// A place that nothing else uses, in this process or another one.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub(crate) fn scratch(&self, what: &str) -> Result<Scratch, GitError> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        Ok(Scratch(self.git_folder()?.join(format!("ralph-{what}-{}-{number}", std::process::id()))))
    }

    /// Makes an index of these files; of each its mode and object, as an index names them.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub(crate) fn fill_index<'e>(&self, index: &Scratch, files: impl IntoIterator<Item = (&'e str, &'e Path)>) -> Result<(), GitError> {
        let mut entries = Vec::new();
        for (entry, path) in files {
            entries.extend_from_slice(entry.as_bytes());
            entries.push(b'\t');
            entries.extend(bytes_of_paths([path]));
        }
        self.quietly().index(index.path()).args(["update-index", "-z", "--index-info"]).input(entries).output("update-index").map(drop)
    }
}
