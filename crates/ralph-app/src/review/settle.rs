//! What follows once the base contains work: the task is done, its knowledge lands, and its worktree goes.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::rows::find_task;
use crate::worktrees::standing;
use git_repo::Repo;
use ralph_core::run::CheckResult;
use ralph_core::task::TaskStatus;
use ralph_core::worktree::{Worktree, WorktreeState};

impl App {
    /// Notes that the base contains the work, then lets the worktree go; what keeps it there is no fault of the merge.
    pub(crate) fn settle_merged(&self, worktree: &Worktree, check: Option<CheckResult>) -> Result<Worktree> {
        let repo = self.repository_for("task")?;
        let tip = repo.branch_tip(&worktree.branch)?;
        let now = self.clock.now();
        let landing = self.landing_of(worktree)?;
        let rules = crate::knowledge::rules::Rules { now, default_cap: self.settings()?.max_learnings };
        let worktree = self.write(|tx| {
            let mut worktree = tx.worktree(worktree.id)?.ok_or_else(|| AppError::not_found("worktree", worktree.id))?;
            worktree.state = WorktreeState::Merged;
            worktree.tip = tip.clone().or(worktree.tip.take());
            worktree.ended = Some(now);
            (worktree.landing, worktree.refusal) = (None, None);
            worktree.check = check.or(worktree.check.take());
            tx.update_worktree(&worktree)?;
            let task = worktree.work.task().map(|task| find_task(tx, task)).transpose()?;
            if let Some(task) = task.filter(|task| task.status == TaskStatus::InReview) {
                if task.kind == ralph_core::task::TaskKind::Split {
                    crate::knowledge::split::close(tx, &task, rules)?;
                }
                tx.set_task_status(task.id, TaskStatus::Done, None, now)?;
            }
            super::stack::follow(tx, &worktree)?;
            crate::knowledge::staged::land(tx, &worktree, rules)?;
            crate::knowledge::work_episode::land(tx, &worktree, rules)?;
            crate::consolidation::land::land(tx, &landing, rules)?;
            Ok(worktree)
        })?;
        self.faults.point()?;
        if let Some(own) = standing(&worktree)
            && own.branch()?.as_deref() != Some(&worktree.branch)
        {
            own.leave_merge(&worktree.branch)?;
        }
        if let Err(error) = self.find_consolidated() {
            tracing::warn!("what went into documents is not found there yet: {error}");
        }
        if let Err(error) = self.let_go(repo, &worktree) {
            tracing::warn!("{} stays: {error}", worktree.path);
        }
        Ok(worktree)
    }

    /// Removes a merged worktree, unless somebody lives in it.
    pub(super) fn let_go(&self, repo: &Repo, worktree: &Worktree) -> Result<()> {
        if self.why_held(worktree)?.is_none() {
            self.take_away(worktree)?;
            self.prune_branch(repo, worktree, true)?;
        }
        Ok(())
    }
}
