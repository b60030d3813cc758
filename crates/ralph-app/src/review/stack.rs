//! Work that is stacked on the branch of its dependency: merged after it, and into the same base.

use super::join::SHORT;
use crate::app::App;
use crate::error::{AppError, Result};
use ralph_core::text::in_shell;
use ralph_core::worktree::{Work, Worktree, WorktreeState};
use sqlite_db::Tx;

/// Iterations of a task that are searched for a commit.
const ITERATIONS_READ: u32 = 200;

impl App {
    /// Refuses to merge into a branch whose own work is not merged, which would become part of another review, and work that would bring
    /// such commits along.
    pub(super) fn must_stand_on_base(&self, worktree: &Worktree) -> Result<()> {
        let others: Vec<Worktree> = self.db.read(|r| r.worktrees())?.into_iter().rev().filter(|other| other.id != worktree.id).collect();
        let below = others.iter().find(|below| below.branch == worktree.base).filter(|below| below.state != WorktreeState::Merged);
        let Some(below) = below.map_or_else(|| self.brought_along(worktree, &others), |below| Ok(Some(below)))? else { return Ok(()) };
        let (work, name) = (below.work, below.work.name());
        let fault = format!("{} is stacked on {work}, whose work is {}", worktree.work, standing_in_words(below.state));
        let hint = match below.state {
            WorktreeState::Discarded => {
                let tip = below.tip.as_ref().unwrap_or(&below.base_commit);
                let (path, above, base) = (in_shell(&worktree.path), worktree.work.name(), in_shell(&below.base));
                format!(
                    "`ralph discard {name} --undo` brings it back; without it: `git -C {path} rebase --onto {base} {}`, then \
                     `ralph merge {above} --into {base}`",
                    tip.get(..SHORT).unwrap_or(tip)
                )
            }
            _ => format!("`ralph merge {name}` comes first"),
        };
        Err(AppError::invalid("task", fault, hint))
    }

    /// Other work that is not merged and whose commits would come along.
    fn brought_along<'w>(&self, worktree: &Worktree, others: &'w [Worktree]) -> Result<Option<&'w Worktree>> {
        let repo = self.repository_for("task")?;
        let (Some(base), Some(tip)) = (repo.branch_tip(&worktree.base)?, repo.branch_tip(&worktree.branch)?) else { return Ok(None) };
        for other in others.iter().filter(|other| other.state != WorktreeState::Merged) {
            let Some(own) = repo.branch_tip(&other.branch)?.or_else(|| other.tip.clone()) else { continue };
            // Of two branches at the same commit neither is stacked on the other: if one is merged, so is the other.
            let is_below = own != tip && own != other.base_commit && repo.has_commit(&own)? && repo.is_ancestor(&own, &tip)?;
            if is_below && !self.had_first(worktree.work, other.work, &own)? && !repo.has_taken(&other.base_commit, &own, &base)? {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    /// Whether an iteration of one piece of work ended at a commit before any of the other's did: then the other took it over.
    fn had_first(&self, one: Work, other: Work, commit: &str) -> Result<bool> {
        let first = |work: Work| {
            let Some(task) = work.task() else { return Ok::<_, AppError>(None) };
            let all = self.db.read(|r| r.iterations_of_task(task, ITERATIONS_READ))?;
            Ok(all.into_iter().filter(|row| row.evidence.head_after.as_deref() == Some(commit)).map(|row| row.id).min())
        };
        let Some(one) = first(one)? else { return Ok(false) };
        Ok(first(other)?.is_some_and(|other| one < other))
    }
}

/// Rebinds work stacked on merged work to the base that contains it now.
pub(super) fn follow(tx: &Tx<'_>, merged: &Worktree) -> Result<()> {
    for above in tx.worktrees()?.into_iter().filter(|above| above.state == WorktreeState::Ready && above.base == merged.branch) {
        tx.update_worktree(&Worktree { base: merged.base.clone(), refusal: None, ..above })?;
    }
    Ok(())
}

fn standing_in_words(state: WorktreeState) -> &'static str {
    if state == WorktreeState::Discarded { "discarded" } else { "not merged yet" }
}
