//! A conflict over the learnings file alone, settled without an agent: somebody changed lines next to entries that leave the file.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers};
use git_repo::Resolution;
use ralph_core::conflict::{ConflictKind, FileConflict};
use ralph_core::worktree::Work;
use std::path::Path;

impl App {
    /// Joins a consolidation with its base by the entries of the learnings file, if that is all they conflict over and, where one is named,
    /// only the commit `only` is on its branch. Returns the commit of the branch that contains both; `None` leaves everything as it was.
    pub(super) fn settle_learnings_file(&self, work: Work, only: Option<&str>) -> Result<Option<String>> {
        let (Some(errand), Some(lock)) = (work.errand(), self.merge_lock()?) else { return Ok(None) };
        let merging = self.begin_open_merge(work, None, lock)?;
        let (worktree, repo) = (&merging.worktree, &merging.repo);
        let (Some(tip), Some(base)) = (repo.branch_tip(&worktree.branch)?, repo.branch_tip(&worktree.base)?) else { return Ok(None) };
        if only.is_some_and(|only| only != tip) || repo.fork_of(&merging.start, &tip, &base)?.is_some_and(|fork| fork.is_left) {
            return Ok(None);
        }
        let Some((place, left)) = self.learnings_without(errand, repo, &base)? else { return Ok(None) };
        let conflicts = repo.conflicts(None, &base, &tip)?;
        let is_that_file = |of: &FileConflict| of.how == ConflictKind::SameLines && Path::new(&of.path) == place;
        if conflicts.is_empty() || !conflicts.iter().all(is_that_file) {
            return Ok(None);
        }
        self.note_landing(worktree, &base, &tip)?;
        let files = self.told(&merging, repo.begin_resolution(&tip, &base).map_err(AppError::from))?;
        self.faults.point()?;
        ProjectFiles::of(repo.root()).write(&repo.root().join(&place), left.as_bytes(), Readers::Anyone)?;
        let message = format!("Merge '{}' into {}", worktree.base, worktree.branch);
        match self.told(&merging, repo.end_resolution(&tip, &base, &files, &message).map_err(AppError::from))? {
            Resolution::Settled(commit) => {
                repo.move_branch(&worktree.branch, &tip, &commit)?;
                self.begins_at(worktree, errand, &base)?;
                Ok(Some(commit))
            }
            Resolution::Open(fault) => {
                tracing::warn!("{work}: {fault}");
                self.leave(&merging)?;
                Ok(None)
            }
        }
    }
}
