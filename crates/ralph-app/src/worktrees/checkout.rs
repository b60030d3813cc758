//! Checkout: the folder that an agent works in. Distinct from the project, which has `.ralph/` and the database: it may be the same
//! folder, and every worktree of it is a checkout too.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::paths::joined;
use agent_cli::GitFolders;
use git_repo::{GitError, Repo, RepositoryState};
use ralph_core::RunId;
use ralph_core::run::{AgentKind, Iteration};
use std::collections::BTreeSet;
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
    /// Where git keeps this checkout's data, for agents whose sandbox has to be opened for it.
    pub fn git_folders_for(&self, agent: AgentKind) -> Option<GitFolders> {
        let repo = self.repo.as_ref().filter(|_| agent == AgentKind::Codex)?;
        // Without them an agent works all the same, and Ralph commits what it leaves.
        Some(GitFolders { own: repo.git_folder().ok()?, common: repo.common_folder().ok()? })
    }
}

impl App {
    /// The branches of work other than that in a checkout, also that of other projects of the repository, which had their worktrees at
    /// these `moments`: changes there are due to another agent, or to a merge.
    pub(crate) fn branches_of_others<'m>(
        &self,
        checkout: &Checkout,
        moments: impl IntoIterator<Item = &'m RepositoryState>,
    ) -> Result<BTreeSet<String>> {
        let own = checkout.worktree.as_ref().map(|path| path.to_string_lossy());
        let mut branches = self.db.read(|r| r.branches_elsewhere(own.as_deref()))?;
        let known = moments.into_iter().flat_map(RepositoryState::branches_in_worktrees);
        branches.extend(known.filter(|(path, _)| self.is_of_another_project(path)).map(|(_, branch)| branch.to_owned()));
        Ok(branches)
    }

    /// The checkout that contains the project itself.
    pub(crate) fn own_checkout(&self) -> Checkout {
        Checkout { folder: self.paths.root.clone(), repo: self.repo.clone(), worktree: None, variables: Vec::new() }
    }

    /// A folder with nothing of the project, for an agent that only reads its prompt.
    pub(crate) fn scratch_checkout(&self) -> Checkout {
        Checkout { folder: self.paths.scratch(), repo: None, worktree: None, variables: Vec::new() }
    }

    /// The checkout with this root: a worktree of the project's repository.
    pub(crate) fn worktree_at(&self, worktree: &Path) -> Checkout {
        let below = self.repo.as_ref().and_then(|repo| self.paths.root.strip_prefix(repo.root()).ok()).unwrap_or(Path::new(""));
        let repo = self.repo_at(worktree);
        Checkout { folder: joined(worktree, below), repo, worktree: Some(worktree.to_owned()), variables: Vec::new() }
    }

    /// The checkout of an iteration; its repository is `None` if that worktree is gone.
    pub(crate) fn checkout_of(&self, iteration: &Iteration) -> Checkout {
        match &iteration.worktree {
            Some(worktree) => self.worktree_at(Path::new(worktree)),
            // If it can't be read, it is looked for where most are.
            None => self.checkout_of_run(iteration.run).unwrap_or_else(|_| self.own_checkout()),
        }
    }

    /// The checkout that a run works in itself: the project's own, or a person's linked worktree in which it was started.
    pub(crate) fn checkout_of_run(&self, run: RunId) -> Result<Checkout> {
        let place = self.db.read(|r| r.checkout_of_run(run))?.filter(|place| *place != self.checkout());
        let place = place.map(|place| Checkout { worktree: None, ..self.worktree_at(Path::new(&place)) });
        // The folder of a project that was moved is not another checkout.
        Ok(place.filter(|place| place.repo.is_some()).unwrap_or_else(|| self.own_checkout()))
    }

    /// The top folder of the checkout of the project's repository that `folder` is in, when a person made it and it is not the project's
    /// own: a linked worktree.
    ///
    /// # Errors
    /// If it is one of Ralph's own, and the work is to be done in place: that would be in a folder other than the current one.
    pub fn persons_checkout(&self, folder: &Path, in_place: bool) -> Result<Option<PathBuf>> {
        let Some(own) = &self.repo else { return Ok(None) };
        let here = match Repo::discover(folder) {
            Err(fault @ GitError::Refused { .. }) => return Err(fault.into()),
            Err(_) => return Ok(None),
            Ok(here) => here,
        };
        if here.root() == own.root() || here.common_folder()? != own.common_folder()? {
            return Ok(None);
        }
        let top = here.root().to_owned();
        let ours = self.db.read(|r| r.worktrees())?.into_iter().any(|known| Path::new(&known.path) == top);
        if ours && in_place {
            let fault = format!("{} is a worktree of Ralph's, and work in place would be done in {}", top.display(), own.root().display());
            return Err(AppError::invalid("in_place", fault, "go to the folder that the work is to be done in"));
        }
        Ok((!ours).then_some(top))
    }
}
