//! Checkout: the folder that an agent works in. The project, where `.ralph/` and the database are, is another thing: it may be the same
//! folder, and every worktree of it is a checkout too.

use crate::App;
use crate::error::Result;
use git_repo::Repo;
use ralph_core::RunId;
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
        match &iteration.worktree {
            Some(worktree) => self.worktree_at(Path::new(worktree)),
            // One that can't be read is looked for where most are.
            None => self.checkout_of_run(iteration.run).unwrap_or_else(|_| self.own_checkout()),
        }
    }

    /// The checkout that a run works in itself: the project's own, or one of a person's that it was started in.
    pub(crate) fn checkout_of_run(&self, run: RunId) -> Result<Checkout> {
        let place = self.db.read(|r| r.checkout_of_run(run))?.filter(|place| *place != self.checkout());
        let place = place.map(|place| Checkout { worktree: None, ..self.worktree_at(Path::new(&place)) });
        // The folder of a project that was moved is not another checkout.
        Ok(place.filter(|place| place.repo.is_some()).unwrap_or_else(|| self.own_checkout()))
    }

    /// The top folder of the checkout of the project's repository that `folder` is in, when a person made it and it is not the project's
    /// own: a linked worktree.
    pub fn persons_checkout(&self, folder: &Path) -> Result<Option<PathBuf>> {
        let Some(own) = &self.repo else { return Ok(None) };
        let Ok(here) = Repo::discover(folder) else { return Ok(None) };
        if here.root() == own.root() || here.common_folder()? != own.common_folder()? {
            return Ok(None);
        }
        let top = here.root().to_owned();
        let ours = self.db.read(|r| r.worktrees())?.into_iter().any(|known| Path::new(&known.path) == top);
        Ok((!ours).then_some(top))
    }
}
