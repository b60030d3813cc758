//! Ensures that a merge takes all of the work: none of it is anywhere but on its branch.

use super::merging::{Merging, first_lines};
use crate::app::App;
use crate::error::{AppError, Result};
use git_repo::Repo;
use ralph_core::limits::NAMED_FILES;
use ralph_core::task::Task;
use ralph_core::worktree::{Refusal, RefusalKind, Worktree};

impl App {
    /// Refuses a worktree whose content differs from its branch.
    pub(super) fn must_be_whole(&self, merging: &Merging) -> Result<()> {
        let (worktree, repo) = (&merging.worktree, &merging.repo);
        if !repo.adopt(&worktree.branch)? {
            let message = super::elsewhere(worktree, repo)?;
            return self.refuse(merging, RefusalKind::ByGit, &message);
        }
        let (mut why, mut files) = (None, repo.uncommitted_tracked(NAMED_FILES)?);
        if let Some(task) = &merging.task
            && repo.branch_tip(&worktree.branch)?.as_ref() == Some(&worktree.base_commit)
            && repo.is_dirty()?
        {
            // Every base contains a branch without commits, so what could not be committed after the attempt is all the work there is.
            why = self.commit_left(task, repo).err();
            files = repo.uncommitted(NAMED_FILES)?;
        }
        if !files.is_empty() {
            let known = why.is_none().then(|| known_reason(worktree, &files)).flatten();
            return self.refuse_as(merging, known.unwrap_or_else(|| not_committed(worktree, files, why.as_ref())));
        }
        Ok(())
    }

    /// Commits what an attempt left in its worktree, on its branch.
    pub(super) fn commit_left(&self, task: &Task, own: &Repo) -> Result<()> {
        let message = format!("Task #{}: {}", task.id, crate::secrets::wash::text(&task.title));
        own.commit_work(&message, self.hooks_in(own))?;
        Ok(())
    }
}

/// Why files of a worktree are not committed, as git told when the attempt's work was to be: the reason is not known anywhere else.
fn known_reason(worktree: &Worktree, files: &[String]) -> Option<Refusal> {
    let known = worktree.refusal.clone().filter(|known| known.kind == RefusalKind::Uncommitted)?;
    let is_here = known.message.starts_with(&format!("{} ", worktree.path));
    (is_here && files.iter().all(|file| known.files.contains(file))).then_some(known)
}

/// Says that files of a worktree are not committed, and why git refused to.
pub(super) fn not_committed(worktree: &Worktree, files: Vec<String>, why: Option<&AppError>) -> Refusal {
    let why = why.map(|error| format!(": {}", first_lines(&error.to_string()))).unwrap_or_default();
    let message = format!("{} has changes that are not committed: {}{why}", worktree.path, files.join(", "));
    Refusal::new(RefusalKind::Uncommitted, crate::secrets::wash::text(&message), files)
}
