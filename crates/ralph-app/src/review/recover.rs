//! Recovery of killed merges, from state: completed, or rolled back.

use crate::app::App;
use crate::error::Result;
use crate::owner::{RunLock, look_at_locks};
use git_repo::Repo;
use ralph_core::run::owner::LockSeen;
use ralph_core::worktree::{Landing, RefusalKind, Worktree, WorktreeState};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a merge waits for the git of a killed one, which ends by itself.
const PATIENCE: Duration = Duration::from_secs(10);
/// Interval at which it looks.
const LOOK: Duration = Duration::from_millis(200);

impl App {
    /// Ends merges whose process was killed, unless a merge is in progress.
    pub(crate) fn recover_merges(&self) -> Result<()> {
        if self.repo.is_none() || self.db.is_read_only() || self.unfinished()?.is_empty() {
            return Ok(());
        }
        if look_at_locks(&[self.merge_lock_path()]) == LockSeen::Held {
            return Ok(());
        }
        match self.merge_lock()? {
            Some(lock) => self.recover_merges_holding(&lock),
            None => Ok(()),
        }
    }

    /// The same for a merge about to begin: the previous holder of the lock is gone.
    pub(super) fn recover_merges_holding(&self, _lock: &RunLock) -> Result<()> {
        let unfinished = self.unfinished()?;
        if unfinished.iter().any(|worktree| worktree.landing.is_some()) {
            // The check of a killed merge, or the agent that was to settle its conflict, may still write where it is rolled back.
            self.sweep_unknown()?;
        }
        for worktree in unfinished {
            let ended = match worktree.landing.clone() {
                Some(landing) => self.end_merge(&worktree, &landing),
                None => self.end_removal(&worktree),
            };
            // A merge that can't be ended yet does not hold up the others.
            ended.unwrap_or_else(|error| tracing::warn!("what a merge left of {} waits: {error}", worktree.path));
        }
        Ok(())
    }

    /// The worktree of a merge about to begin, once a killed one there has ended: its git may outlive its Ralph by some seconds.
    ///
    /// # Errors
    /// A refusal if it takes longer; what it holds is left alone.
    pub(super) fn without_killed_merge(&self, mut worktree: Worktree, lock: &RunLock) -> Result<Worktree> {
        let begin = Instant::now();
        while worktree.landing.is_some() {
            if begin.elapsed() >= PATIENCE {
                let message = "git is still at work where an earlier merge of it was cut short".to_owned();
                return Err(super::merge::refused(worktree.work, RefusalKind::Busy, message));
            }
            std::thread::park_timeout(LOOK);
            self.recover_merges_holding(lock)?;
            worktree = self.worktree_of(worktree.work)?;
        }
        Ok(worktree)
    }

    /// Work in review that somebody has merged by hand is done. Cheap if neither the branch nor its base moved since the last check.
    pub(crate) fn find_merged(&self) -> Result<()> {
        let Some(repo) = self.repo.as_ref().filter(|_| !self.db.is_read_only()) else { return Ok(()) };
        let waiting = self.db.read(|r| r.worktrees_in_review())?;
        if waiting.is_empty() || look_at_locks(&[self.merge_lock_path()]) == LockSeen::Held {
            return Ok(());
        }
        for (worktree, looked) in waiting.iter().filter(|(worktree, _)| worktree.landing.is_none()) {
            // A worktree that git can't examine does not hold up the others.
            if let Err(fault) = self.find_merge_of(repo, worktree, looked.as_deref()) {
                tracing::warn!("whether {} is merged is not known: {fault}", worktree.branch);
            }
        }
        Ok(())
    }

    /// The same for one of them; `looked` are the commits at the last check.
    fn find_merge_of(&self, repo: &Repo, worktree: &Worktree, looked: Option<&str>) -> Result<()> {
        let Some(tip) = repo.branch_tip(&worktree.branch)? else {
            return self.follow_branch(repo, worktree.clone()).map(drop);
        };
        let is_told = worktree.refusal.as_ref().is_some_and(|refusal| refusal.kind == RefusalKind::BaseGone);
        let base = repo.branch_tip(&worktree.base)?;
        if base.is_some() == is_told {
            // Reported with the work that needs a person, as long as this lasts.
            let refusal = base.is_none().then(|| super::base_gone(worktree));
            self.change_worktree(worktree.id, |worktree| worktree.refusal = refusal)?;
        }
        let Some(base) = base else { return Ok(()) };
        let now = format!("{tip} {base}");
        // A branch without a commit of its own yet is in every base: the work is elsewhere.
        if tip == worktree.base_commit || looked == Some(&now) {
            return Ok(());
        }
        if repo.has_landed(&worktree.base_commit, &tip, &base)? {
            if self.lost_work(worktree, &tip, &base)?.is_none() {
                self.settle_merged(worktree, None)?;
            }
            return Ok(());
        }
        self.write(|tx| {
            if let Some(worktree) = tx.worktree(worktree.id)?.filter(|worktree| worktree.state == WorktreeState::Ready) {
                tx.update_worktree(&Worktree { tip: Some(tip.clone()), ..worktree })?;
            }
            Ok(tx.set_looked(worktree.id, &now)?)
        })
    }

    fn unfinished(&self) -> Result<Vec<Worktree>> {
        let all = self.db.read(|r| r.worktrees())?;
        let is_unfinished = |worktree: &Worktree| {
            worktree.landing.is_some() || (worktree.state == WorktreeState::Merged && !(worktree.removed && worktree.pruned))
        };
        Ok(all.into_iter().filter(is_unfinished).collect())
    }

    /// Completes the interrupted removal of a merged worktree, unless somebody is in it.
    fn end_removal(&self, worktree: &Worktree) -> Result<()> {
        if self.why_held(worktree)?.is_none() {
            let own = self.repo_in(worktree);
            // A git killed while removing the branch left its locks in the repository.
            if let Some(repo) = self.repo.as_ref().filter(|repo| !is_git_at_work([repo.root()])) {
                self.clear_locks(Some(repo), &worktree.branch)?;
            }
            self.clear_locks(own.as_ref(), &worktree.branch)?;
            self.let_go(self.repository_for("task")?, worktree)?;
        }
        Ok(())
    }

    /// An interrupted merge: it counts as landed if the base contains its result; otherwise it is rolled back.
    pub(super) fn end_merge(&self, worktree: &Worktree, landing: &Landing) -> Result<()> {
        let base = landing.into.as_ref().unwrap_or(&worktree.base).clone();
        let worktree = &Worktree { base, ..worktree.clone() };
        let repo = self.repository_for("task")?;
        let holder = repo.holders(&worktree.base)?.into_iter().find(|holder| !holder.is_away());
        let holder = holder.and_then(|holder| Repo::discover(&holder.path).ok());
        let own = self.repo_in(worktree);
        // A git that outlived its Ralph ends by itself, and the merge is checked then.
        if is_git_at_work(holder.iter().chain(own.iter()).map(Repo::root)) {
            return Ok(());
        }
        if let Some(own) = &own {
            self.keep_edits(worktree, own)?;
        }
        if let Some(to) = &landing.to {
            let base = repo.branch_tip(&worktree.base)?;
            if let Some(base) = &base
                && repo.is_ancestor(to, base)?
            {
                // A git killed after it had moved the base may have left its lock there.
                self.clear_locks(holder.as_ref(), &worktree.base)?;
                self.clear_locks(own.as_ref(), &worktree.branch)?;
                return self.settle_merged(worktree, None).map(drop);
            }
            if let Some(holder) = &holder
                && base.as_deref() == Some(&landing.from)
            {
                self.clear_locks(Some(holder), &worktree.base)?;
                if !landing.waits {
                    self.take_back(worktree, holder, &landing.from, to)?;
                }
            }
        }
        if holder.is_none() {
            self.clear_branch_locks(repo, &worktree.base)?;
        }
        self.clear_locks(own.as_ref(), &worktree.branch)?;
        if let Some(own) = own {
            own.leave_merge(&worktree.branch)?;
        }
        self.change_worktree(worktree.id, |worktree| worktree.landing = None)?;
        Ok(())
    }

    /// Rolls back what git had begun to write into the checkout of a base. A person may have changed a file there since, so everything is
    /// saved first.
    fn take_back(&self, worktree: &Worktree, holder: &Repo, from: &str, to: &str) -> Result<()> {
        let snapshot = holder.snapshot()?;
        if snapshot.is_dirty() {
            holder.keep(&snapshot, &self.snapshot_name(worktree.work)?)?;
        }
        let back = holder.mend_landing(from, to)?;
        if !back.is_empty() {
            tracing::warn!("a merge was cut short; {} files of {} are as before it", back.len(), holder.root().display());
        }
        Ok(())
    }

    /// Removes the locks that a git killed with its agent left in the worktree of work: every commit there would fail.
    pub(crate) fn clear_own_locks(&self, own: &Repo, branch: &str) -> Result<()> {
        let left = own.own_locks(branch);
        if left.is_empty() || is_git_at_work([own.root()]) {
            return Ok(());
        }
        for lock in Repo::remove_locks(left)? {
            tracing::warn!("removed {}, which a killed git had left", lock.display());
        }
        Ok(())
    }

    /// Removes the locks of a branch, and of the list of branches, that a killed git left, unless some git is running in the repository. A
    /// remaining one would keep any branch from being removed.
    pub(crate) fn clear_branch_locks(&self, repo: &Repo, branch: &str) -> Result<()> {
        let lasting = repo.lasting_branch_locks(branch);
        if lasting.is_empty() || is_git_at_work(repo.worktrees()?.iter().map(|known| known.path.as_path())) {
            return Ok(());
        }
        for lock in Repo::remove_locks(lasting)? {
            tracing::warn!("removed {}, which a killed git had left", lock.display());
        }
        Ok(())
    }

    fn clear_locks(&self, repo: Option<&Repo>, branch: &str) -> Result<()> {
        let Some(repo) = repo else { return Ok(()) };
        for lock in repo.remove_stale_locks(branch)? {
            tracing::warn!("removed {}, which a killed git had left", Path::new(&lock).display());
        }
        Ok(())
    }
}

/// Whether git is running in one of these folders.
fn is_git_at_work<'f>(folders: impl IntoIterator<Item = &'f Path>) -> bool {
    folders.into_iter().any(|folder| agent_cli::inhabitants(folder).iter().any(|one| one.name.starts_with("git")))
}
