//! Checkout: the folder that an agent works in. The project, where `.ralph/` and the database are, is another thing: it may be the same
//! folder, and every worktree of it is a checkout too.

use crate::App;
use git_repo::Repo;
use ralph_core::run::{GitRemark, Iteration};
use std::path::{Path, PathBuf};

/// Where an agent works.
#[derive(Debug, Clone)]
pub(crate) struct Checkout {
    /// The folder that agents and checks are started in: the place of the project within the work tree.
    pub folder: PathBuf,
    /// Its repository; `None` in a folder without git.
    pub repo: Option<Repo>,
    /// Top folder of the worktree; `None` = the project's own checkout.
    pub worktree: Option<PathBuf>,
    /// Variables for its agents, checks and servers, so that two of them don't meet.
    pub variables: Vec<(String, String)>,
}

impl Checkout {
    /// Whether a remark tells of a branch that another worktree of Ralph's has checked out: what happens there is another agent's, or the
    /// merge's.
    pub fn is_of_others(&self, remark: &GitRemark) -> bool {
        let GitRemark::HistoryMoved { branch: Some(branch), .. } = remark else { return false };
        let own = self.repo.as_ref().and_then(|repo| repo.branch().ok().flatten());
        self.worktree.is_some() && own.is_none_or(|own| own != *branch) && branch.starts_with("ralph/")
    }
}

impl App {
    /// The checkout that the project itself lies in.
    pub(crate) fn own_checkout(&self) -> Checkout {
        Checkout { folder: self.paths.root.clone(), repo: self.repo.clone(), worktree: None, variables: Vec::new() }
    }

    /// The checkout with this top folder: a worktree of the project's repository.
    pub(crate) fn worktree_at(&self, worktree: &Path) -> Checkout {
        let below = self.repo.as_ref().and_then(|repo| self.paths.root.strip_prefix(repo.root()).ok()).unwrap_or(Path::new(""));
        let repo = Repo::discover(worktree).ok().filter(|repo| repo.root() == worktree);
        // Joined with nothing a path would get a separator at its end.
        let folder = if below.as_os_str().is_empty() { worktree.to_owned() } else { worktree.join(below) };
        Checkout { folder, repo, worktree: Some(worktree.to_owned()), variables: Vec::new() }
    }

    /// The checkout that an iteration worked in; its repository is `None` when that worktree is gone.
    pub(crate) fn checkout_of(&self, iteration: &Iteration) -> Checkout {
        iteration.worktree.as_ref().map_or_else(|| self.own_checkout(), |worktree| self.worktree_at(Path::new(worktree)))
    }
}
