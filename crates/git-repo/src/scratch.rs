//! Temporary files and folders in git's own folder, such as an index beside the person's.

use crate::paths::bytes_of_paths;
use crate::{GitError, Repo};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The beginning of such names.
const NAMED: &str = "ralph-";
/// After this long nobody uses one any longer: no git command may take even a tenth of it.
const LEFT_BEHIND: Duration = Duration::from_secs(86_400);

/// A place for a file or a folder, which is removed when dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

/// Removes what was made at a place, if anything was, and git's lock on it.
fn remove(path: &Path) {
    let mut lock = OsString::from(path);
    lock.push(".lock");
    let _ = std::fs::remove_file(lock);
    if std::fs::remove_file(path).is_err() {
        let _ = std::fs::remove_dir_all(path);
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
        let place = self.git_folder()?.join(format!("{NAMED}{what}-{}-{number}", std::process::id()));
        // In a container a process that was killed may have had the same id.
        remove(&place);
        Ok(Scratch(place))
    }

    /// Removes what processes that were killed left in such places.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub(crate) fn clear_scratch(&self) -> Result<(), GitError> {
        // Whatever can't be read or removed now is found again the next time.
        for entry in std::fs::read_dir(self.git_folder()?).into_iter().flatten().flatten() {
            let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
            if entry.file_name().to_string_lossy().starts_with(NAMED) && age().is_some_and(|age| age > LEFT_BEHIND) {
                remove(&entry.path());
            }
        }
        Ok(())
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
