//! Spare worktrees: prepared while agents work, so that the next task of a lane does not wait for its files. They belong to no task and
//! hold no work; the task that takes one moves it to its place.

use super::lives;
use super::spare::{NAME, Spare, free_place, remove};
use crate::app::App;
use crate::error::Result;
use crate::owner::{RunLock, look_at_locks};
use git_repo::{Repo, bytes_of_folder};
use ralph_core::limits::{GIGABYTE, WORKERS};
use ralph_core::run::owner::LockSeen;
use ralph_core::run::schedule::spares;
use std::sync::{MutexGuard, PoisonError};

impl App {
    fn spares(&self) -> MutexGuard<'_, Vec<Spare>> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes spare worktrees for the tasks that the lanes of a run will take next from `base`, where that can be done.
    pub(crate) fn make_spares(&self, lanes: u32, iterations: u32, base: Option<String>) -> Result<()> {
        let settings = self.settings_with_base(base)?;
        let Some(repo) = self.repo.as_ref().filter(|_| iterations > 0) else { return Ok(()) };
        let ready = self.db.read(|r| {
            let mut without = 0;
            for task in r.ready_tasks(None, WORKERS)? {
                without += u32::from(!r.worktree_of(task.id)?.is_some_and(|known| lives(&known)));
            }
            Ok::<_, crate::error::AppError>(without)
        })?;
        let standing = u32::try_from(self.spares().len()).unwrap_or(u32::MAX);
        let [lanes, iterations, ready] = [lanes, iterations, ready].map(|count| count.saturating_sub(standing));
        // Git can't move a worktree with submodules, and a hook would see a different place from the one that agents work in.
        let can_be_used = lanes.min(iterations).min(ready) > 0 && !repo.root().join(".gitmodules").exists() && !repo.has_checkout_hook()?;
        if !can_be_used {
            return Ok(());
        }
        let folder = self.worktrees_folder(&settings)?;
        let limit = u64::from(settings.worktrees.keep_gb) * GIGABYTE;
        let there = || folder.read_dir().into_iter().flatten().flatten().filter(|entry| entry.path().is_dir()).count();
        // Reads every file's size, so it comes last.
        let used = if limit == 0 { (0, 0) } else { (bytes_of_folder(&folder), u32::try_from(there()).unwrap_or(u32::MAX)) };
        let wanted = spares(lanes, iterations, ready, (used.0, used.1, limit));
        if wanted == 0 {
            return Ok(());
        }
        let (_, commit) = self.base_of(repo, &settings)?;
        crate::outside::user_data::make_private(&folder).map_err(|source| crate::error::AppError::io(&folder, source))?;
        for _ in 0..wanted {
            let Some(spare) = free_place(&folder)? else { break };
            if let Err(error) = repo.add_spare(&spare.path, &commit) {
                remove(repo, spare)?;
                return Err(error.into());
            }
            self.spares().push(spare);
        }
        Ok(())
    }

    /// Whether this process has made some that nobody has taken.
    pub(crate) fn has_spares(&self) -> bool {
        !self.spares().is_empty()
    }

    /// A spare worktree, which is the caller's from now on.
    pub(super) fn take_spare(&self) -> Option<Spare> {
        self.spares().pop()
    }

    /// Removes the spare worktrees of this process, which nobody needs any more.
    pub(crate) fn drop_spares(&self) -> Result<()> {
        let all = std::mem::take(&mut *self.spares());
        let Some(repo) = &self.repo else { return Ok(()) };
        all.into_iter().try_for_each(|spare| remove(repo, spare))
    }

    /// Removes the spare worktrees that a killed process left, found by their locks.
    pub(super) fn clear_spares(&self, repo: &Repo) -> Result<()> {
        // Wrong settings are reported where they are needed.
        let Ok(folder) = self.settings().and_then(|settings| self.worktrees_folder(&settings)) else { return Ok(()) };
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let lock = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(name) = name.strip_suffix(super::LOCK_ENDING).filter(|name| name.starts_with(NAME)) else { continue };
            if look_at_locks(std::slice::from_ref(&lock)) == LockSeen::Held {
                continue;
            }
            if let Some(held) = RunLock::take(std::slice::from_ref(&lock))? {
                remove(repo, Spare { path: folder.join(name), lock: held })?;
            }
        }
        Ok(())
    }
}
