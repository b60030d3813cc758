//! Locks left by a killed git.

use crate::paths::path_from_bytes;
use crate::{GitError, Repo};
use std::path::PathBuf;

impl Repo {
    /// Removes the locks of this work tree's index and heads, of the branch `branch`, and of the files that list branches. Only for
    /// callers who know that the git that took them was killed: a live one would lose its work. Returns the removed locks.
    ///
    /// # Errors
    /// [`GitError::Io`] if one can't be removed.
    pub fn remove_stale_locks(&self, branch: &str) -> Result<Vec<PathBuf>, GitError> {
        let fixed = ["index", "HEAD", "ORIG_HEAD", "AUTO_MERGE", "MERGE_HEAD", "packed-refs", "config"].map(|name| format!("{name}.lock"));
        self.remove_files(&fixed.into_iter().chain([format!("refs/heads/{branch}.lock")]).collect::<Vec<_>>())
    }

    /// The same for a branch that is checked out nowhere: of no work tree anything is touched.
    ///
    /// # Errors
    /// [`GitError::Io`] if one can't be removed.
    pub fn remove_stale_branch_locks(&self, branch: &str) -> Result<Vec<PathBuf>, GitError> {
        self.remove_files(&["packed-refs.lock".to_owned(), format!("refs/heads/{branch}.lock")])
    }

    fn remove_files(&self, names: &[String]) -> Result<Vec<PathBuf>, GitError> {
        let paths = self.reading().args(["rev-parse"]).args(names.iter().flat_map(|name| ["--git-path", name])).output("rev-parse")?;
        let mut removed = Vec::new();
        for path in paths.split(|&byte| byte == b'\n').filter(|path| !path.is_empty()) {
            let path = self.root().join(path_from_bytes(path));
            match std::fs::remove_file(&path) {
                Ok(()) => removed.push(path),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(source) => return Err(GitError::Io { path, source }),
            }
        }
        Ok(removed)
    }
}
