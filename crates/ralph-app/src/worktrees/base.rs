//! Base: the branch that work begins from, which must contain the project's folder.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::rows::find_task;
use crate::runs::slots::Workplace;
use git_repo::{Repo, TreeEntry};
use ralph_core::settings::Settings;
use ralph_core::task::TaskStatus;
use ralph_core::worktree::{DependencyStart, Work, Worktree, WorktreeState};
use std::path::Path;

impl App {
    /// The branch of the dependency that a task is stacked on, and its last commit.
    pub(super) fn stacked_on(&self, repo: &Repo, work: Work, settings: &Settings) -> Result<Option<(String, String)>> {
        let Some(task) = work.task().filter(|_| settings.worktrees.dependencies == DependencyStart::Stacked) else { return Ok(None) };
        let below = self.db.read(|r| {
            for id in find_task(r, task)?.depends_on {
                if find_task(r, id)?.status == TaskStatus::InReview {
                    return Ok::<_, AppError>(r.worktree_of(id)?.filter(|worktree| worktree.state == WorktreeState::Ready));
                }
            }
            Ok(None)
        })?;
        let Some(below) = below else { return Ok(None) };
        Ok(repo.branch_tip(&below.branch)?.map(|tip| (below.branch, tip)))
    }

    /// The settings in force, with `base` in place of their own if there is one.
    pub(super) fn settings_with_base(&self, base: Option<String>) -> Result<Settings> {
        let mut settings = self.settings()?;
        settings.worktrees.base = base.unwrap_or(settings.worktrees.base);
        Ok(settings)
    }

    /// The branch that all worktrees of a run begin from, determined once: an agent or a person who checks out another one meanwhile, or
    /// rebases, sends no later work there. `None` for a run that needs none.
    pub(crate) fn base_of_run(&self, place: Workplace, settings: &Settings) -> Result<Option<String>> {
        let Some(repo) = self.repo.as_ref().filter(|_| place != Workplace::Own) else { return Ok(None) };
        match self.base_of(repo, settings) {
            Ok((base, _)) => Ok(Some(base)),
            Err(fault) if place == Workplace::Worktrees => Err(fault),
            Err(_) => Ok(None),
        }
    }

    /// The branch that work begins from and is merged into, and its last commit.
    pub(crate) fn base_of(&self, repo: &Repo, settings: &Settings) -> Result<(String, String)> {
        let chosen = Some(settings.worktrees.base.clone()).filter(|base| !base.is_empty());
        let base = match chosen {
            Some(base) => base,
            None => repo.branch_in_the_end()?.ok_or_else(|| {
                let fault = "no branch is checked out in the project's folder, so work would have nowhere to go";
                AppError::invalid("worktree_base", fault, "check out a branch, or name one as `worktree_base` in config.toml")
            })?,
        };
        let commit = repo.branch_tip(&base)?.ok_or_else(|| {
            let fault = format!("the branch '{base}', which work begins from, is not there or has no commit");
            AppError::invalid("worktree_base", fault, "make a first commit, or name a branch that exists as `worktree_base`")
        })?;
        Ok((base, commit))
    }

    /// Refuses a base without the project's folder, in which agents and checks are started.
    pub(super) fn must_have_project(&self, repo: &Repo, base: &str, commit: &str) -> Result<()> {
        let below = self.paths.root.strip_prefix(repo.root()).unwrap_or(Path::new(""));
        if below.as_os_str().is_empty() || repo.entry_at(commit, below)? == Some(TreeEntry::Folder) {
            return Ok(());
        }
        let fault = format!("the branch '{base}' does not have the project's folder {}, so that nobody can work there", below.display());
        Err(AppError::invalid("worktree", fault, format!("commit {} there first", below.display())))
    }

    /// A worktree that began before its base had the project's folder now begins from the base as it is, as long as there is no work in it.
    pub(super) fn with_project(&self, repo: &Repo, worktree: Worktree) -> Result<Worktree> {
        let checkout = self.checkout_in(&worktree);
        let (Some(own), false) = (checkout.repo, checkout.folder.is_dir()) else { return Ok(worktree) };
        let Some(base) = repo.branch_tip(&worktree.base)? else { return Ok(worktree) };
        self.must_have_project(repo, &worktree.base, &base)?;
        if repo.branch_tip(&worktree.branch)?.as_ref() != Some(&worktree.base_commit) || own.is_dirty()? {
            return Ok(worktree);
        }
        own.move_branch(&worktree.branch, &worktree.base_commit, &base)?;
        self.change_worktree(worktree.id, |worktree| worktree.base_commit = base)
    }
}
