//! Worktrees: created for the work on a task or an errand, listed from state, removed without losing anything.

mod ahead;
mod base;
mod branch;
pub(crate) mod checkout;
mod list;
mod make;
mod recover;
mod remove;
mod room;
pub(crate) mod snapshots;
pub(crate) mod spare;

pub use remove::RemoveMode;
pub(crate) use remove::TakenAway;

use crate::app::App;
use crate::error::{AppError, Result};
use crate::outside::user_data;
use crate::paths::real;
use git_repo::{GitError, Repo, real_path};
use ralph_core::TaskId;
use ralph_core::errand::ErrandState;
use ralph_core::noun::Noun;
use ralph_core::settings::Settings;
use ralph_core::task::TaskStatus;
use ralph_core::text::hex;
use ralph_core::worktree::{Work, WorkName, Worktree, WorktreeState};
use sha2::{Digest as _, Sha256};
use sqlite_db::Read;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Bytes of a path's digest in a folder's name: enough to distinguish one person's projects.
const NAME_BYTES: usize = 4;

/// Ending of the name of the lock beside a worktree that is being created.
const LOCK_ENDING: &str = ".making";

impl App {
    /// The repository, which worktrees need.
    pub(crate) fn repository_for(&self, what: &'static str) -> Result<&Repo> {
        self.repo.as_ref().ok_or_else(|| self.no_repository(what, "worktrees need one: `git init`, and a first commit"))
    }

    /// Submodules whose files a new worktree lacks, since no set-up brings them: checks may need them.
    pub fn empty_in_worktrees(&self) -> Result<Vec<String>> {
        let settings = self.settings()?;
        let submodules = match &self.repo {
            Some(repo) if settings.worktrees.setup.is_empty() => repo.submodules_here()?,
            _ => Vec::new(),
        };
        Ok(submodules.iter().map(|path| path.display().to_string()).collect())
    }

    /// The folder of git hooks that a new worktree lacks, so that none of them runs there: the project's own checkout alone has it, and
    /// neither a set-up makes it nor is it brought along.
    pub fn hooks_missing_in_worktrees(&self) -> Result<Option<String>> {
        let settings = self.settings()?.worktrees;
        let Some(repo) = self.repo.as_ref().filter(|_| settings.setup.is_empty()) else { return Ok(None) };
        let Some(hooks) = repo.hooks_only_here()? else { return Ok(None) };
        let place = repo.root().join(&hooks);
        let is_brought = settings.bring_along.iter().any(|wanted| place.starts_with(self.paths.root.join(wanted)));
        Ok((!is_brought).then(|| hooks.display().to_string()))
    }

    /// The error if something needs a repository and there is no usable one; `hint` is for a folder that has none at all.
    pub(crate) fn no_repository(&self, what: &'static str, hint: &str) -> AppError {
        let none = || AppError::invalid(what, format!("{} is not a git repository", self.paths.root.display()), hint);
        self.refused_repository().unwrap_or_else(none)
    }

    /// Why the repository there is unusable; `None` if it is usable, or there is none. Without one none of a person's work is saved or
    /// watched, so no agent should work there.
    pub(crate) fn refused_repository(&self) -> Option<AppError> {
        if self.repo.is_some() {
            return None;
        }
        match Repo::discover(&self.paths.root) {
            Err(GitError::NotARepository { .. }) => None,
            Err(fault) => Some(fault.into()),
            Ok(_) => {
                let fault = format!("{} has become a git repository since it was opened", self.paths.root.display());
                Some(AppError::invalid("project", fault, "open the project again"))
            }
        }
    }

    /// The folder for this project's worktrees.
    fn worktrees_folder(&self, settings: &Settings) -> Result<PathBuf> {
        let root = &self.paths.root;
        let name = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned();
        let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
        let name = format!("{name}-{}", hex(&digest[..NAME_BYTES]));
        let chosen = Some(&settings.worktrees.folder).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let folder = chosen.or_else(user_data::worktrees);
        let folder = folder.ok_or_else(|| AppError::invalid("worktree_folder", "this user has no home", "name a folder in config.toml"))?;
        // As git names what is in it.
        let folder = real(&folder);
        if folder.starts_with(root) || self.repo.as_ref().is_some_and(|repo| folder.starts_with(repo.root())) {
            return Err(AppError::invalid("worktree_folder", "lies in the project itself", "name a folder outside of it"));
        }
        Ok(folder.join(name))
    }

    /// Whether a folder is where Ralph creates worktrees, of this project or another.
    pub(crate) fn is_for_worktrees(&self, folder: &Path) -> bool {
        let chosen = || self.settings().ok().and_then(|settings| self.worktrees_folder(&settings).ok());
        user_data::worktrees().map(|usual| real(&usual)).into_iter().chain(chosen()).any(|place| folder.starts_with(place))
    }

    /// Whether it is where another project has its worktrees.
    pub(crate) fn is_of_another_project(&self, folder: &Path) -> bool {
        let own = self.settings().ok().and_then(|settings| self.worktrees_folder(&settings).ok());
        let name = own.as_deref().and_then(Path::file_name);
        name.is_some() && self.is_for_worktrees(folder) && !folder.iter().any(|part| Some(part) == name)
    }

    /// The newest worktree of a task or an errand.
    pub(crate) fn worktree_of(&self, work: Work) -> Result<Worktree> {
        let found = match work {
            Work::Task(task) => self.db.read(|r| {
                crate::rows::find_task(r, task)?;
                Ok::<_, AppError>(r.worktree_of(task)?)
            })?,
            Work::Errand(errand) => {
                self.errand(errand)?;
                self.db.read(|r| r.worktree_of_errand(errand))?
            }
        };
        found.ok_or_else(|| AppError::invalid("work", format!("{work} has no worktree"), "only work in worktrees is reviewed"))
    }

    /// The work that a person names. A bare number is the task if its work is pending, otherwise the errand with that number.
    pub fn find_work(&self, name: WorkName) -> Result<Work> {
        let number = match name {
            WorkName::Sure(work) => return Ok(work),
            WorkName::Number(number) => number,
        };
        let (task, errand) = self.db.read(|r| Ok::<_, AppError>((r.worktree_of(number)?, r.worktree_of_errand(number)?)))?;
        let waits = |worktree: &Option<Worktree>| worktree.as_ref().is_some_and(|worktree| worktree.state == WorktreeState::Ready);
        match (waits(&task), waits(&errand)) {
            (true, true) => {
                let fault = format!("the work on task #{number} waits, and so does the proposal of errand {number}");
                Err(AppError::invalid("task", fault, format!("say '#{number}' for the task, 'e{number}' for the errand")))
            }
            (false, true) => Ok(Work::Errand(number)),
            (false, false) if task.is_none() && errand.is_some() => Ok(Work::Errand(number)),
            _ => Ok(Work::Task(number)),
        }
    }

    /// Whether a task has earlier work in a worktree.
    pub(crate) fn has_work_in_worktree(&self, task: TaskId) -> Result<bool> {
        Ok(self.db.read(|r| r.worktree_of(task))?.is_some_and(|worktree| worktree.state == WorktreeState::Ready))
    }

    /// The repository of a worktree's folder; `None` if the folder is gone, or something else is there.
    pub(crate) fn repo_in(&self, worktree: &Worktree) -> Option<Repo> {
        self.repo_at(Path::new(&worktree.path)).filter(Repo::is_linked)
    }

    /// The project's repository as seen from the checkout with this root. A copy of a project knows the folders of the original, which are
    /// another repository's.
    pub(crate) fn repo_at(&self, root: &Path) -> Option<Repo> {
        let found = Repo::discover(root).ok().filter(|found| found.root() == root || found.root() == in_real_folder(root))?;
        (found.common_folder().ok()? == self.repo.as_ref()?.common_folder().ok()?).then_some(found)
    }

    /// Applies `change` to a stored worktree.
    pub(crate) fn change_worktree(&self, id: u32, change: impl FnOnce(&mut Worktree)) -> Result<Worktree> {
        self.write(|tx| {
            let mut worktree = tx.worktree(id)?.ok_or_else(|| AppError::not_found(Noun::Worktree, id))?;
            change(&mut worktree);
            tx.update_worktree(&worktree)?;
            Ok(worktree)
        })
    }
}

/// The real path of something whose folder may be given through a link. The last part itself is not resolved: a link there would lead to
/// another checkout.
fn in_real_folder(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| real_path(folder).ok());
    folder.zip(path.file_name()).map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name))
}

/// Variables for everything started in a worktree, so that concurrent ones don't collide.
fn variables(worktree: &Worktree) -> Vec<(String, String)> {
    // With the folder of its project, whose name no other project's has.
    let path = Path::new(&worktree.path);
    let parts = [path.parent().and_then(Path::file_name), path.file_name()];
    let name = parts.into_iter().flatten().map(OsStr::to_string_lossy).collect::<Vec<_>>().join("-");
    let mut variables = vec![
        ("RALPH_WORKTREE".to_owned(), worktree.path.clone()),
        ("RALPH_WORKTREE_NAME".to_owned(), name),
        ("RALPH_BRANCH".to_owned(), worktree.branch.clone()),
    ];
    if worktree.ports > 0 {
        variables.push(("RALPH_PORT_BASE".to_owned(), worktree.port_base.to_string()));
        variables.push(("RALPH_PORTS".to_owned(), worktree.ports.to_string()));
    }
    variables
}

/// The lock of a worktree's creator, next to it.
fn lock_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(LOCK_ENDING);
    path.with_file_name(name)
}

/// Whether work may continue in it.
pub(crate) fn lives(worktree: &Worktree) -> bool {
    matches!(worktree.state, WorktreeState::Making | WorktreeState::Ready)
}

/// What is being done with its work now, in words.
pub(crate) fn under_way(r: &Read<'_>, worktree: &Worktree) -> Result<Option<String>> {
    let errand = match worktree.work {
        Work::Task(task) => r.running_errand_of(task)?,
        Work::Errand(errand) => r.errand(errand)?.filter(|errand| errand.state == ErrandState::Running).map(|errand| errand.id),
    };
    if let Some(errand) = errand {
        return Ok(Some(format!("errand {errand} is at work")));
    }
    if worktree.landing.is_some() {
        return Ok(Some("it is being merged".to_owned()));
    }
    let iteration = worktree.work.task().map(|task| r.running_iteration_of(task)).transpose()?.flatten();
    Ok(iteration.map(|iteration| format!("iteration {iteration} works on it")))
}

/// Whether its work is done and waits for its review.
pub(crate) fn is_in_review(r: &Read<'_>, worktree: &Worktree) -> Result<bool> {
    let waits = match worktree.work {
        Work::Task(task) => r.task(task)?.is_some_and(|task| task.status == TaskStatus::InReview),
        Work::Errand(errand) => r.errand(errand)?.is_some_and(|errand| errand.state == ErrandState::Done),
    };
    Ok(waits && worktree.state == WorktreeState::Ready)
}
