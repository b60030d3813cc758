//! Existing worktrees, found from state: moved ones at their current place, deleted ones as missing.

use super::{is_in_review, lives, under_way};
use crate::app::App;
use crate::error::Result;
use git_repo::{Repo, bytes_of_folder};
use ralph_core::view::WorktreeRow;
use ralph_core::worktree::{Worktree, WorktreeStanding};
use std::path::{Path, PathBuf};

impl App {
    /// Every worktree that has a folder, or should have one.
    pub fn worktree_rows(&self) -> Result<Vec<WorktreeRow>> {
        let Some(repo) = &self.repo else { return Ok(Vec::new()) };
        let mut rows = Vec::new();
        for worktree in self.db.read(|r| r.worktrees())?.into_iter().filter(|worktree| !worktree.removed) {
            let worktree = if self.repo_in(&worktree).is_some() { worktree } else { self.find_moved(repo, worktree)? };
            rows.push(self.worktree_row(&worktree));
        }
        Ok(rows)
    }

    pub(super) fn worktree_row(&self, worktree: &Worktree) -> WorktreeRow {
        let stands = self.repo_in(worktree);
        let missing = stands.is_none() && lives(worktree);
        let waits = || self.db.read(|r| is_in_review(r, worktree)).unwrap_or(false);
        let state = match worktree.state {
            _ if missing => WorktreeStanding::Missing,
            _ if waits() => WorktreeStanding::InReview,
            state => state.into(),
        };
        WorktreeRow {
            bytes: if stands.is_some() { bytes_of_folder(Path::new(&worktree.path)) } else { 0 },
            kept: stands.and_then(|repo| self.why_kept(worktree, &repo).ok().flatten()),
            path: worktree.path.clone(),
            branch: worktree.branch.clone(),
            task: worktree.work.task(),
            errand: worktree.work.errand(),
            state,
            under_way: self.db.read(|r| under_way(r, worktree)).unwrap_or_default(),
            base: worktree.base.clone(),
            port_base: worktree.port_base,
            made: worktree.made,
        }
    }

    /// Finds a worktree whose folder was moved by hand: next to its old place, or where git's records say. One that stayed while the
    /// project was moved is linked to it again.
    pub(crate) fn find_moved(&self, repo: &Repo, worktree: Worktree) -> Result<Worktree> {
        if self.db.is_read_only() {
            return Ok(worktree);
        }
        let old = Path::new(&worktree.path);
        if repo.was_left_behind(old) {
            repo.repair_worktree(old)?;
            return Ok(worktree);
        }
        let beside = old.parent().and_then(|folder| folder.read_dir().ok()).into_iter().flatten().flatten().map(|entry| entry.path());
        let known: Vec<PathBuf> = repo.worktrees()?.into_iter().map(|known| known.path).collect();
        for folder in beside.filter(|folder| !known.contains(folder)) {
            if self.repo_at(&folder).is_some_and(|found| found.is_linked()) {
                repo.repair_worktree(&folder)?;
            }
        }
        let now = repo.worktrees()?.into_iter().find(|known| known.branch.as_deref() == Some(&worktree.branch) && !known.missing);
        match now.filter(|now| now.path != old && !now.is_main) {
            Some(now) => self.change_worktree(worktree.id, |worktree| worktree.path = now.path.to_string_lossy().into_owned()),
            None => Ok(worktree),
        }
    }
}
