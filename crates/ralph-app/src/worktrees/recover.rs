//! Recovery of killed creators: of worktrees, and of spare ones.

use crate::app::App;
use crate::error::Result;
use ralph_core::worktree::WorktreeState;

impl App {
    /// Removes worktrees, and spare ones, whose creator was killed.
    pub(crate) fn recover_worktrees(&self) -> Result<()> {
        if self.repo.is_none() || self.db.is_read_only() {
            return Ok(());
        }
        if let Some(repo) = &self.repo
            && let Err(error) = self.clear_spares(repo)
        {
            tracing::warn!("what a killed process left of worktrees made ahead stays: {error}");
        }
        let half_made = self.db.read(|r| r.worktrees())?.into_iter().filter(|worktree| worktree.state == WorktreeState::Making);
        for worktree in half_made {
            if let Err(error) = self.clear_half_made(&worktree) {
                tracing::warn!("{}: {error}", worktree.path);
            }
        }
        Ok(())
    }
}
