//! Branches of work that somebody renamed or deleted by hand: found by looking, so that no work is stuck on a branch that is gone.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::notices::set_task_status;
use git_repo::Repo;
use ralph_core::noun::Noun;
use ralph_core::task::TaskStatus;
use ralph_core::worktree::{Worktree, WorktreeState};
use sqlite_db::Tx;
use std::collections::BTreeSet;

impl App {
    /// The worktree of work in progress as it is once its branch has been looked at. A renamed branch is followed. The work on a deleted
    /// one counts as merged if the base contains it; otherwise it is discarded, with the same way back.
    pub(crate) fn follow_branch(&self, repo: &Repo, worktree: Worktree) -> Result<Worktree> {
        if worktree.state != WorktreeState::Ready || worktree.landing.is_some() || repo.branch_tip(&worktree.branch)?.is_some() {
            return Ok(worktree);
        }
        if let Some(name) = self.new_name(repo, &worktree)? {
            tracing::info!("the branch {} is called {name} now", worktree.branch);
            return self.write(|tx| {
                for above in
                    tx.worktrees()?.into_iter().filter(|above| above.state == WorktreeState::Ready && above.base == worktree.branch)
                {
                    tx.update_worktree(&Worktree { base: name.clone(), ..above })?;
                }
                let own = tx.worktree(worktree.id)?.ok_or_else(|| AppError::not_found(Noun::Worktree, worktree.id))?;
                let own = Worktree { branch: name, ..own };
                tx.update_worktree(&own)?;
                Ok(own)
            });
        }
        let tip = worktree.tip.clone().unwrap_or_else(|| worktree.base_commit.clone());
        if let Some(own) = self.repo_in(&worktree)
            && let (None, Some(head)) = (own.branch()?, own.head()?)
            && head != worktree.base_commit
            && repo.is_ancestor(&tip, &head)?
        {
            // Whoever deleted the branch still has the work checked out.
            repo.return_branch(&worktree.branch, &head)?;
            return Ok(worktree);
        }
        let base = repo.branch_tip(&worktree.base)?;
        let has_work = tip != worktree.base_commit && repo.has_commit(&tip)?;
        if let Some(base) = base.filter(|_| has_work)
            && repo.has_landed(&worktree.base_commit, &tip, &base)?
        {
            return Ok(self.settle_merged(&worktree, None)?.0);
        }
        tracing::warn!("the branch {} was deleted, so the work of {} is discarded; it can come back", worktree.branch, worktree.work);
        self.put_away(&worktree, Some(&tip), &[TaskStatus::InReview], |_, _| Ok(()))
    }

    /// The name that a branch was given, which the folder with its work has checked out.
    fn new_name(&self, repo: &Repo, worktree: &Worktree) -> Result<Option<String>> {
        let Some(name) = self.repo_in(worktree).map(|own| own.branch()).transpose()?.flatten() else { return Ok(None) };
        let Some(now) = repo.branch_tip(&name)? else { return Ok(None) };
        let is_of_another = name == worktree.base || self.db.read(|r| r.worktrees())?.iter().any(|other| other.branch == name);
        let begins_there = repo.is_ancestor(worktree.tip.as_ref().unwrap_or(&worktree.base_commit), &now)?;
        Ok((!is_of_another && begins_there).then_some(name))
    }

    /// The last known commit of work whose branch somebody reset to something that its base, at `base`, contains: the base lacks that work,
    /// so nothing was merged.
    pub(crate) fn lost_work(&self, worktree: &Worktree, tip: &str, base: &str) -> Result<Option<String>> {
        let Some(repo) = &self.repo else { return Ok(None) };
        let Some(known) = worktree.tip.as_ref().filter(|known| *known != tip && **known != worktree.base_commit) else { return Ok(None) };
        if !repo.has_commit(known)? || repo.is_ancestor(known, tip)? || repo.has_landed(&worktree.base_commit, known, base)? {
            return Ok(None);
        }
        // If somebody amended or rebased the work it still exists: the branch still changes its files.
        let begin = repo.branched_from(known, tip)?;
        let has_now: BTreeSet<_> = repo.changes_between(&begin, tip)?.into_iter().map(|change| change.path).collect();
        let is_lost =
            repo.is_ancestor(tip, known)? || !repo.changes_between(&begin, known)?.iter().any(|change| has_now.contains(&change.path));
        Ok(is_lost.then(|| known.clone()))
    }

    /// Discards work whose branch is, or was, at `tip`: it can come back until its branch is pruned. Its task is skipped if its status is
    /// one of `closes`. In the same commit `may` can still refuse, given the worktree as it is then.
    pub(crate) fn put_away(
        &self,
        worktree: &Worktree,
        tip: Option<&str>,
        closes: &[TaskStatus],
        may: impl FnOnce(&Tx<'_>, &Worktree) -> Result<()>,
    ) -> Result<Worktree> {
        if let (Some(repo), Some(tip)) = (&self.repo, tip) {
            repo.hold(tip)?;
        }
        let now = self.clock.now();
        self.write(|tx| {
            let mut worktree = tx.worktree(worktree.id)?.ok_or_else(|| AppError::not_found(Noun::Worktree, worktree.id))?;
            may(tx, &worktree)?;
            worktree.state = WorktreeState::Discarded;
            (worktree.tip, worktree.ended, worktree.landing) = (tip.map(str::to_owned), Some(now), None);
            tx.update_worktree(&worktree)?;
            if let Some(task) = worktree.work.task()
                && tx.task(task)?.is_some_and(|task| closes.contains(&task.status))
            {
                set_task_status(tx, task, TaskStatus::Skipped, None, now)?;
            }
            Ok(worktree)
        })
    }
}
