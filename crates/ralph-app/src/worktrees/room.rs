//! Room: the disk space that all worktrees take together during runs. Nobody is there to prune when a loop runs overnight.

use super::{RemoveMode, under_way};
use crate::app::App;
use crate::error::Result;
use git_repo::bytes_of_folder;
use ralph_core::limits::GIGABYTE;
use std::path::Path;

impl App {
    /// Removes the folders of work in review, the longest waiting first, for as long as all worktrees together take more than the settings
    /// allow. Their branches stay, and the folder is made again for whoever needs it. What is being worked on or merged stays, and so does
    /// what is owed a review, or would be lost.
    pub(crate) fn keep_to_room(&self) -> Result<()> {
        let settings = self.settings()?;
        let limit = u64::from(settings.worktrees.keep_gb) * GIGABYTE;
        if limit == 0 || self.repo.is_none() || self.db.is_read_only() {
            return Ok(());
        }
        let mut bytes = bytes_of_folder(&self.worktrees_folder(&settings)?);
        if bytes <= limit {
            return Ok(());
        }
        // None of the work may be merged meanwhile; a merge in progress is not waited for.
        let Some(_lock) = self.merge_lock()? else { return Ok(()) };
        let owed = self.db.read(|r| r.owed_by_any())?;
        for (worktree, _) in self.db.read(|r| r.worktrees_in_review())? {
            if bytes <= limit {
                break;
            }
            // An errand's proposal is small, and may be looked at again.
            let is_owed = worktree.work.task().is_none_or(|task| owed.contains(&task));
            let is_free = || Ok::<_, crate::error::AppError>(self.db.read(|r| under_way(r, &worktree))?.is_none());
            if worktree.removed || is_owed || !is_free()? || self.why_not(&worktree, RemoveMode::Safely)?.is_some() {
                continue;
            }
            let gone = bytes_of_folder(Path::new(&worktree.path));
            self.take_away(&worktree)?;
            tracing::info!("{} is removed for want of room; its branch {} stays", worktree.path, worktree.branch);
            bytes = bytes.saturating_sub(gone);
        }
        Ok(())
    }

    /// The same where it can wait.
    pub(crate) fn keep_to_room_or_warn(&self) {
        if let Err(error) = self.keep_to_room() {
            tracing::warn!("worktrees take more room than they may: {error}");
        }
    }
}
