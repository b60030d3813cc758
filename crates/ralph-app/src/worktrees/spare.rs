//! A spare worktree, and the lock beside it, which shows whether the process that created it is alive.

use super::lock_of;
use crate::error::{AppError, Result};
use crate::owner::{RunLock, look_at_locks};
use git_repo::Repo;
use ralph_core::limits::WORKERS;
use ralph_core::run::owner::LockSeen;
use std::path::{Path, PathBuf};

/// Beginning of their folders' names: those of tasks and errands begin with a number or an `e`.
pub(super) const NAME: &str = "spare-";

/// A spare worktree of this process.
#[derive(Debug)]
pub(crate) struct Spare {
    pub path: PathBuf,
    pub lock: RunLock,
}

impl Spare {
    /// Its folder belongs to another worktree, or is gone.
    pub fn release(self) {
        // Removed while held.
        let _ = std::fs::remove_file(lock_of(&self.path));
        drop(self.lock);
    }
}

/// The first free place for a spare, with its lock.
pub(super) fn free_place(folder: &Path) -> Result<Option<Spare>> {
    for number in 1..=WORKERS {
        let path = folder.join(format!("{NAME}{number}"));
        let lock = lock_of(&path);
        let is_free = path.symlink_metadata().is_err() && look_at_locks(std::slice::from_ref(&lock)) != LockSeen::Held;
        if is_free && let Some(lock) = RunLock::take(std::slice::from_ref(&lock))? {
            return Ok(Some(Spare { path, lock }));
        }
    }
    Ok(None)
}

/// Removes a spare's folder and git's record of it. One that can't be removed keeps its lock file, by which it is found again.
pub(super) fn remove(repo: &Repo, spare: Spare) -> Result<()> {
    if repo.worktrees()?.iter().any(|known| known.path == spare.path) {
        repo.remove_worktree(&spare.path)?;
    } else if spare.path.is_dir() && !spare.path.is_symlink() {
        // Its creator was killed between recording it and making its folder. It never held work.
        std::fs::remove_dir_all(&spare.path).map_err(|source| AppError::io(&spare.path, source))?;
    }
    spare.release();
    Ok(())
}
