//! A conflict over files that Ralph itself writes, resolved without an agent: somebody changed lines next to entries that leave the
//! learnings file, or the base got other documents, which are now in the index.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers};
use git_repo::{Repo, Resolution};
use ralph_core::authority::Act;
use ralph_core::conflict::FileConflict;
use ralph_core::worktree::Work;

impl App {
    /// Whether [`App::settle_written_files`] settles the conflicts of work, so that nobody else has to.
    pub(super) fn settles(&self, work: Work, repo: &Repo, base: &str, conflicts: &[FileConflict]) -> Result<bool> {
        let Some(errand) = work.errand() else { return Ok(false) };
        Ok(self.written_files(errand, repo, base)?.is_some_and(|own| own.hold(conflicts)))
    }

    /// Whether git would join the lines of an index that a proposal of documents and its base both changed. Which of the lines are right,
    /// only the documents show.
    pub(super) fn joins_index(&self, work: Work) -> Result<bool> {
        let Some(errand) = work.errand() else { return Ok(false) };
        self.allowed(&Act::SteerRun)?;
        self.nothing_planted()?;
        let (repo, worktree) = (self.repository_for("task")?, self.worktree_of(work)?);
        let (Some(tip), Some(base)) = (repo.branch_tip(&worktree.branch)?, repo.branch_tip(&worktree.base)?) else { return Ok(false) };
        let own = self.written_files(errand, repo, &base)?;
        own.map_or(Ok(false), |own| own.is_index_changed_twice(repo, [&worktree.base_commit, &base, &tip]))
    }

    /// Joins a proposal of documents with its base by the entries of the learnings file and by the documents, if those two files are all
    /// they conflict over and, where one is named, only the commit `only` is on its branch. Returns the commit of the branch that contains
    /// both; `None` leaves everything as it was.
    pub(super) fn settle_written_files(&self, work: Work, only: Option<&str>) -> Result<Option<String>> {
        let (Some(errand), Some(lock)) = (work.errand(), self.merge_lock()?) else { return Ok(None) };
        let merging = self.begin_open_merge(work, None, lock)?;
        let (worktree, repo) = (&merging.worktree, &merging.repo);
        let (Some(tip), Some(base)) = (repo.branch_tip(&worktree.branch)?, repo.branch_tip(&worktree.base)?) else { return Ok(None) };
        if only.is_some_and(|only| only != tip) || repo.fork_of(&merging.start, &tip, &base)?.is_some_and(|fork| fork.is_left) {
            return Ok(None);
        }
        let Some(own) = self.written_files(errand, repo, &base)? else { return Ok(None) };
        let conflicts = repo.conflicts(None, &base, &tip)?;
        let index =
            conflicts.iter().any(|of| own.is_of_index(of)) || own.is_index_changed_twice(repo, [&worktree.base_commit, &base, &tip])?;
        if conflicts.is_empty() && !index || !own.hold(&conflicts) {
            return Ok(None);
        }
        self.note_landing(worktree, &base, &tip)?;
        let files = self.told(&merging, repo.begin_resolution(&tip, &base).map_err(AppError::from))?;
        self.faults.point()?;
        if let Some((place, left)) = own.learnings.as_ref().filter(|_| conflicts.iter().any(|of| own.is_of_learnings(of))) {
            ProjectFiles::of(repo.root()).write(&repo.root().join(place), left.as_bytes(), Readers::Anyone)?;
        }
        if index {
            self.write_index(repo, &base, &own)?;
        }
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
