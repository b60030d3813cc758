//! What follows once the base contains work: the task is done, its knowledge lands, and its worktree goes.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::notices::set_task_status;
use crate::rows::find_task;
use crate::worktrees::TakenAway;
use git_repo::Repo;
use ralph_core::limits;
use ralph_core::noun::Noun;
use ralph_core::run::CheckResult;
use ralph_core::task::TaskStatus;
use ralph_core::worktree::{Worktree, WorktreeState};
use std::sync::Arc;

impl App {
    /// Notes that the base contains the work, then lets the worktree go; with the snapshot of what was not committed there.
    pub(crate) fn settle_merged(&self, worktree: &Worktree, check: Option<CheckResult>) -> Result<(Worktree, Option<String>)> {
        let worktree = self.note_merged(worktree, check)?;
        let kept = self.let_go_or_warn(&worktree);
        Ok((worktree, kept))
    }

    /// Notes that the base contains the work.
    pub(super) fn note_merged(&self, worktree: &Worktree, check: Option<CheckResult>) -> Result<Worktree> {
        let repo = self.repository_for("task")?;
        let (tip, base) = (repo.branch_tip(&worktree.branch)?, &worktree.base);
        let now = self.clock.now();
        let landing = self.landing_of(worktree)?;
        let settings = self.settings()?;
        let rules = crate::knowledge::rules::Rules { now, default_cap: settings.max_learnings };
        let worktree = self.write(|tx| {
            let mut worktree = tx.worktree(worktree.id)?.ok_or_else(|| AppError::not_found(Noun::Worktree, worktree.id))?;
            // The merged commit: the branch may have got more since.
            let merged = worktree.landing.take().and_then(|landing| landing.tip).or(tip.clone());
            worktree.state = WorktreeState::Merged;
            worktree.base.clone_from(base);
            worktree.tip = merged.or(worktree.tip.take());
            (worktree.ended, worktree.refusal) = (Some(now), None);
            worktree.check = check.or(worktree.check.take());
            tx.update_worktree(&worktree)?;
            let task = worktree.work.task().map(|task| find_task(tx, task)).transpose()?;
            if let Some(task) = task.filter(|task| task.status == TaskStatus::InReview) {
                if task.kind == ralph_core::task::TaskKind::Split {
                    match crate::knowledge::split::close(tx, &task, rules) {
                        // Git has landed: a feature that a person archived, or opened again, must not hold it up.
                        Err(AppError::FeatureClosed { .. } | AppError::SplitIncomplete { .. }) => {}
                        other => other?,
                    }
                }
                set_task_status(tx, task.id, TaskStatus::Done, None, now)?;
            }
            super::stack::follow(tx, &worktree)?;
            crate::knowledge::staged::land(tx, &worktree, rules)?;
            crate::knowledge::work_episode::land(tx, &worktree, rules, &settings.automatic_learning)?;
            crate::consolidation::land::land(tx, &landing, rules)?;
            Ok(worktree)
        })?;
        self.faults.point()?;
        if let Some(own) = self.repo_in(&worktree)
            && own.branch()?.as_deref() != Some(&worktree.branch)
            && let Err(error) = own.leave_merge(&worktree.branch)
        {
            // The merge is done, whatever its folder looks like.
            tracing::warn!("{} is not as it was: {error}", worktree.path);
        }
        if let Err(error) = self.find_consolidated() {
            tracing::warn!("what went into documents is not found there yet: {error}");
        }
        Ok(worktree)
    }

    /// Removes a merged worktree in the background of its run: the next agent need not wait for that, only the end of the run.
    pub(crate) async fn let_go_beside(self: &Arc<Self>, worktree: Worktree) {
        let (app, permit) = (Arc::clone(self), Arc::clone(&self.removals).acquire_owned().await);
        drop(tokio::task::spawn_blocking(move || {
            app.let_go_or_warn(&worktree);
            drop(permit);
        }));
    }

    /// Waits until nothing is being removed any more.
    pub(crate) async fn removals_done(&self) {
        // Never closed.
        drop(self.removals.acquire_many(limits::WORKERS).await);
    }

    /// Removes a merged worktree; whatever keeps it there is not the merge's fault, and it is found again later.
    pub(super) fn let_go_or_warn(&self, worktree: &Worktree) -> Option<String> {
        let gone = self.repository_for("task").and_then(|repo| self.let_go(repo, worktree));
        gone.inspect_err(|error| tracing::warn!("{} stays: {error}", worktree.path)).ok().flatten()
    }

    /// Removes a merged worktree, unless somebody lives in it. Returns the snapshot of what was not committed there.
    pub(super) fn let_go(&self, repo: &Repo, worktree: &Worktree) -> Result<Option<String>> {
        if self.why_held(worktree)?.is_some() {
            return Ok(None);
        }
        // A remaining worktree is listed with what it holds.
        let TakenAway::Gone(kept) = self.take_away_if_kept(worktree)? else { return Ok(None) };
        self.prune_branch(repo, worktree)?;
        Ok(kept)
    }
}
