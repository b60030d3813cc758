//! Work that is stacked on the branch of its dependency: merged after it, and into the same base.

use crate::app::App;
use crate::error::{AppError, Result};
use ralph_core::worktree::{Worktree, WorktreeState};
use sqlite_db::Tx;

impl App {
    /// Refuses to merge into a branch whose own work is not merged: it would become part of another review.
    pub(super) fn must_stand_on_base(&self, worktree: &Worktree) -> Result<()> {
        let below = self.db.read(|r| r.worktrees())?.into_iter().rev().find(|below| below.branch == worktree.base);
        let Some(below) = below.filter(|below| below.state != WorktreeState::Merged) else { return Ok(()) };
        let (work, name) = (below.work, below.work.name());
        let fault = format!("{} is stacked on {work}, whose work is {}", worktree.work, standing_in_words(below.state));
        let hint = match below.state {
            WorktreeState::Discarded => format!("`ralph merge {} --into BRANCH` names another base", worktree.work.name()),
            _ => format!("`ralph merge {name}` comes first"),
        };
        Err(AppError::invalid("task", fault, hint))
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
