//! Linked work trees whose folder or repository was moved or copied by hand.

use crate::command::Git;
use crate::paths::path_from_bytes;
use crate::plain::Place;
use crate::worktree::{admin_folder, forget};
use crate::{GitError, Repo};
use std::path::Path;

impl Repo {
    /// Tells git the new place of a linked work tree that was moved by hand.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn repair_worktree(&self, path: &Path) -> Result<(), GitError> {
        Git::writing(self.root()).args(["worktree", "repair", "--"]).args([path]).output("worktree repair").map(drop)
    }

    /// Whether the folder at `path` is a linked work tree of this repository that lost it, because the repository was moved: its `.git`
    /// names a place that is gone, and git's record of it here names the folder.
    pub fn was_left_behind(&self, path: &Path) -> bool {
        let lost = admin_folder(path).filter(|admin| !admin.exists());
        let (Some(lost), Ok(common)) = (lost, self.common_folder()) else { return false };
        let Some(name) = lost.file_name() else { return false };
        is_record_of(&common.join("worktrees").join(name), path)
    }

    /// Forgets the work tree at `path` if its folder is another repository's, as in a copy of a repository, whose records name the work
    /// trees of the original: git would take its branch for checked out. Answers whether it is; the folder is not touched.
    ///
    /// # Errors
    /// [`GitError::Io`] if the record can't be removed.
    pub fn forget_copied(&self, path: &Path) -> Result<bool, GitError> {
        let common = self.common_folder()?;
        if !Place::is_of_another(path, &common) {
            return Ok(false);
        }
        let mut records = std::fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten().map(|record| record.path());
        let Some(record) = records.find(|record| is_record_of(record, path)) else { return Ok(true) };
        forget(&record).map(|()| true).map_err(|source| GitError::Io { path: record, source })
    }
}

/// Whether git's record of a linked work tree names the folder at `path`.
fn is_record_of(record: &Path, path: &Path) -> bool {
    std::fs::read(record.join("gitdir")).is_ok_and(|named| path_from_bytes(named.trim_ascii_end()) == path.join(".git"))
}
