//! Locks left by a killed git.

use crate::plain::Place;
use crate::{GitError, Repo};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Locks of what all work trees share, which are beside those of the main one.
const SHARED: [&str; 4] = ["config.lock", "gc.pid.lock", "packed-refs.lock", "shallow.lock"];

/// A running git keeps a branch, or the list of branches, locked for milliseconds.
const PATIENCE: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_millis(20);

impl Repo {
    /// Removes the locks of this work tree's index and heads, of the branch `branch`, and of the files that list branches. Only for
    /// callers who know that the git that took them was killed: a live one would lose its work. Returns the removed locks.
    ///
    /// # Errors
    /// [`GitError::Io`] if one can't be removed.
    pub fn remove_stale_locks(&self, branch: &str) -> Result<Vec<PathBuf>, GitError> {
        let Some(place) = Place::of(self.root()) else { return Ok(Vec::new()) };
        let shared = ["packed-refs.lock", "config.lock"].map(|name| place.common.join(name));
        remove_files(locks_of(&place, branch).into_iter().chain(shared))
    }

    /// The same locks, if there are any, without those that all work trees share, except the branch's: nobody else takes these.
    pub fn own_locks(&self, branch: &str) -> Vec<PathBuf> {
        let all = Place::of(self.root()).map(|place| locks_of(&place, branch)).unwrap_or_default();
        all.into_iter().filter(|lock| lock.symlink_metadata().is_ok()).collect()
    }

    /// The locks of a branch that is checked out nowhere, and of the list of branches, that stay for longer than a running git keeps them.
    pub fn lasting_branch_locks(&self, branch: &str) -> Vec<PathBuf> {
        let Some(place) = Place::of(self.root()) else { return Vec::new() };
        let mut left: Vec<PathBuf> =
            ["packed-refs.lock".to_owned(), format!("refs/heads/{branch}.lock")].map(|name| place.common.join(name)).into();
        let begin = Instant::now();
        loop {
            left.retain(|lock| lock.symlink_metadata().is_ok());
            if left.is_empty() || begin.elapsed() >= PATIENCE {
                return left;
            }
            std::thread::park_timeout(LOOK);
        }
    }

    /// Removes locks. Only for callers who know that no git holds them.
    ///
    /// # Errors
    /// [`GitError::Io`] if one can't be removed.
    pub fn remove_locks(locks: Vec<PathBuf>) -> Result<Vec<PathBuf>, GitError> {
        remove_files(locks)
    }
}

/// The locks of a work tree's own files, such as its index, its heads and the message of a merge, and of its branch.
fn locks_of(place: &Place, branch: &str) -> Vec<PathBuf> {
    let names = place.own.read_dir().into_iter().flatten().flatten().map(|entry| entry.file_name());
    let is_own = |name: &OsString| name.as_encoded_bytes().ends_with(b".lock") && !SHARED.iter().any(|shared| name == shared);
    let own = names.filter(is_own).map(|name| place.own.join(name));
    own.chain([place.common.join(format!("refs/heads/{branch}.lock"))]).collect()
}

fn remove_files(paths: impl IntoIterator<Item = PathBuf>) -> Result<Vec<PathBuf>, GitError> {
    let mut removed = Vec::new();
    for path in paths {
        match std::fs::remove_file(&path) {
            Ok(()) => removed.push(path),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(GitError::Io { path, source }),
        }
    }
    Ok(removed)
}
