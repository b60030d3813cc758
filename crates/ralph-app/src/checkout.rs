//! Checkout: the folder that an agent works in. Distinct from the project, which has `.ralph/` and the database: it may be the same
//! folder, and every worktree of it is a checkout too.

use crate::App;
use git_repo::Repo;
use ralph_core::run::{GitRemark, Iteration};
use std::path::{Path, PathBuf};

/// A working folder for agents.
#[derive(Debug, Clone)]
pub(crate) struct Checkout {
    /// The folder in which agents and checks are started: the project's folder within the work tree.
    pub folder: PathBuf,
    /// Its repository; `None` in a folder without git.
    pub repo: Option<Repo>,
    /// Root of the worktree; `None` = the project's own checkout.
    pub worktree: Option<PathBuf>,
    /// Variables for its agents, checks and servers, so that concurrent ones don't collide.
    pub variables: Vec<(String, String)>,
}

impl Checkout {
    /// Whether a remark is about a branch checked out in another worktree of Ralph's: changes there are due to another agent or the
    /// merge.
    pub fn is_of_others(&self, remark: &GitRemark) -> bool {
        let GitRemark::HistoryMoved { branch: Some(branch), .. } = remark else { return false };
        let own = self.repo.as_ref().and_then(|repo| repo.branch().ok().flatten());
        self.worktree.is_some() && own.is_none_or(|own| own != *branch) && branch.starts_with("ralph/")
    }
}

impl App {
    /// The checkout that contains the project itself.
    pub(crate) fn own_checkout(&self) -> Checkout {
        Checkout { folder: self.paths.root.clone(), repo: self.repo.clone(), worktree: None, variables: Vec::new() }
    }

    /// The checkout with this root: a worktree of the project's repository.
    pub(crate) fn worktree_at(&self, worktree: &Path) -> Checkout {
        let below = self.repo.as_ref().and_then(|repo| self.paths.root.strip_prefix(repo.root()).ok()).unwrap_or(Path::new(""));
        let repo = Repo::discover(worktree).ok().filter(|repo| repo.root() == worktree);
        // Joining an empty path would append a separator.
        let folder = if below.as_os_str().is_empty() { worktree.to_owned() } else { worktree.join(below) };
        Checkout { folder, repo, worktree: Some(worktree.to_owned()), variables: Vec::new() }
    }

    /// The checkout of an iteration; its repository is `None` if that worktree is gone.
    pub(crate) fn checkout_of(&self, iteration: &Iteration) -> Checkout {
        iteration.worktree.as_ref().map_or_else(|| self.own_checkout(), |worktree| self.worktree_at(Path::new(worktree)))
    }
}
