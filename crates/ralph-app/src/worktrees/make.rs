//! Creating a worktree: reserved in the database first, so that concurrent creators never clash and a kill leaves nothing untracked.

use super::{lives, standing, variables};
use crate::app::App;
use crate::error::{AppError, Result};
use crate::owner::{RunLock, look_at_locks};
use crate::rows::find_task;
use crate::worktrees::checkout::Checkout;
use agent_cli::{CheckSpec, RunMarks, StopHandle};
use git_repo::{Repo, bring_along};
use ralph_core::TaskId;
use ralph_core::authority::Act;
use ralph_core::limits::SETUP_OUTPUT_CHARS;
use ralph_core::run::owner::LockSeen;
use ralph_core::task::TaskStatus;
use ralph_core::view::{Settings, WorktreeRow};
use ralph_core::worktree::{DependencyStart, Work, Worktree, WorktreeState, branch_name, slug};
use sqlite_db::Tx;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Names that are tried if one is taken by a foreign branch or folder.
const TURNS: u32 = 100;
/// The last valid port.
const LAST_PORT: u32 = 65_535;

/// A worktree being created; the lock shows others that its creator is alive.
struct Making {
    worktree: Worktree,
    settings: Settings,
    lock: Option<(RunLock, PathBuf)>,
}

impl Drop for Making {
    fn drop(&mut self) {
        if let Some((lock, path)) = self.lock.take() {
            // Removed while held; a remaining lock file is free all the same.
            let _ = std::fs::remove_file(path);
            drop(lock);
        }
    }
}

impl App {
    /// A checkout for work, with its title: its existing worktree, or a new one on a new branch, prepared by the project's command.
    pub(crate) async fn make_worktree(self: &Arc<Self>, work: Work, title: &str, stop: &StopHandle) -> Result<Checkout> {
        let title = title.to_owned();
        let making = self.blocking(move |app| app.begin_worktree(work, &title)).await?;
        if making.lock.is_none() {
            return Ok(self.checkout_in(&making.worktree));
        }
        let checkout = self.checkout_in(&making.worktree);
        let setup = making.settings.worktrees.setup.clone();
        let mut output = None;
        if !setup.trim().is_empty() {
            let task = work.task().unwrap_or(0);
            let marks = RunMarks { project: self.paths.root.clone(), task, more: checkout.variables.clone(), ..RunMarks::default() };
            let spec = CheckSpec::new(setup, checkout.folder.clone(), marks, making.settings.pass_env.clone());
            let result = agent_cli::run_check(&spec, stop).await;
            let said = crate::secrets::wash::text(&tail(&result.output_tail));
            if !result.passed {
                self.blocking(move |app| app.give_up(&making.worktree, &said)).await?;
                let fault = format!("the command of `setup` failed in the new worktree of {work}: {}", result.output_tail.trim_end());
                return Err(AppError::invalid("setup", fault, "mend the command, or what it needs (`bring_along`); nothing was kept"));
            }
            output = Some(said);
        }
        self.blocking(move |app| {
            app.change_worktree(making.worktree.id, |worktree| {
                worktree.state = WorktreeState::Ready;
                worktree.setup_output = output;
            })
        })
        .await?;
        Ok(checkout)
    }

    /// Creates the worktree of a task, or finds the existing one: for a person who wants to work in it.
    pub async fn open_worktree(self: &Arc<Self>, task: TaskId) -> Result<WorktreeRow> {
        self.allowed(&Act::SteerRun)?;
        let found = self.blocking(move |app| app.db.read(|r| find_task(r, task))).await?;
        if found.status.is_open() {
            let checkout = self.make_worktree(Work::Task(task), &found.title, &StopHandle::new()).await?;
            tracing::debug!("task #{task} has {:?}", checkout.worktree);
        }
        self.blocking(move |app| Ok(app.worktree_row(&app.worktree_of(Work::Task(task))?))).await
    }

    /// The checkout of an existing worktree.
    pub(crate) fn checkout_in(&self, worktree: &Worktree) -> Checkout {
        Checkout { variables: variables(worktree), ..self.worktree_at(Path::new(&worktree.path)) }
    }

    /// The worktree of work: the existing one, or a new one with its files, reserved and locked.
    fn begin_worktree(&self, work: Work, title: &str) -> Result<Making> {
        let settings = self.settings()?;
        let repo = self.repository_for("workers")?;
        let known = self.db.read(|r| match work {
            Work::Task(task) => r.worktree_of(task),
            Work::Errand(errand) => r.worktree_of_errand(errand),
        })?;
        // Work whose branch was merged or deleted by hand is over, and begins anew.
        let known = known.filter(lives).map(|known| self.follow_branch(repo, known)).transpose()?.filter(lives);
        if let Some(known) = known {
            if known.state == WorktreeState::Ready {
                let worktree = self.stand_up(repo, known)?;
                return Ok(Making { worktree, settings, lock: None });
            }
            self.clear_half_made(&known)?;
        }
        let folder = self.worktrees_folder(&settings)?;
        crate::outside::user_data::make_private(&folder).map_err(|source| AppError::io(&folder, source))?;
        let (base, base_commit) = match self.stacked_on(repo, work, &settings)? {
            Some(stacked) => stacked,
            None => self.base_of(repo, &settings)?,
        };
        let new = |turn: u32| {
            let words = slug(title);
            let name = [work.name(), words, if turn > 1 { turn.to_string() } else { String::new() }];
            let name: Vec<String> = name.into_iter().filter(|part| !part.is_empty()).collect();
            let path = folder.join(name.join("-"));
            (path, branch_name(&settings.worktrees.branch, work, title, turn))
        };
        let first = self.db.read(|r| r.worktree_count(work))? + 1;
        for turn in first..first + TURNS {
            let (path, branch) = new(turn);
            if path.symlink_metadata().is_ok() || repo.branch_tip(&branch)?.is_some() {
                continue;
            }
            if !repo.is_branch_name(&branch)? {
                let fault = format!("'{branch}' can't be the name of a branch");
                return Err(AppError::invalid("worktree_branch", fault, "use letters, digits, '-' and '/', and {task}"));
            }
            let lock_path = lock_of(&path);
            let Some(lock) = RunLock::take(std::slice::from_ref(&lock_path))? else { continue };
            let worktree = self.reserve(work, (&path, &branch), (&base, &base_commit), &settings)?;
            let making = Making { worktree, settings: settings.clone(), lock: Some((lock, lock_path)) };
            if let Err(error) = self.fill(repo, &making) {
                self.give_up(&making.worktree, &error.to_string())?;
                return Err(error);
            }
            return Ok(making);
        }
        Err(AppError::invalid("task", format!("no name is free for a worktree of {work}"), "`ralph worktree prune` frees old ones"))
    }

    /// The branch of the dependency that a task is stacked on, and its last commit.
    fn stacked_on(&self, repo: &Repo, work: Work, settings: &Settings) -> Result<Option<(String, String)>> {
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

    /// The branch that work begins from and goes to, and its last commit.
    pub(crate) fn base_of(&self, repo: &Repo, settings: &Settings) -> Result<(String, String)> {
        let chosen = Some(settings.worktrees.base.clone()).filter(|base| !base.is_empty());
        let base = match chosen {
            Some(base) => base,
            None => repo.branch()?.ok_or_else(|| {
                let fault = "no branch is checked out in the project's folder, so work would have nowhere to go";
                AppError::invalid("worktree_base", fault, "check out a branch, or name one as `worktree_base` in config.toml")
            })?,
        };
        let commit = repo.branch_tip(&base)?.ok_or_else(|| {
            let fault = format!("the branch '{base}' has no commit");
            AppError::invalid("worktree_base", fault, "make a first commit, or name a branch that exists as `worktree_base`")
        })?;
        Ok((base, commit))
    }

    fn reserve(&self, work: Work, (path, branch): (&Path, &str), base: (&str, &str), settings: &Settings) -> Result<Worktree> {
        let now = self.clock.now();
        self.write(|tx| {
            let worktree = Worktree {
                id: 0,
                work,
                path: path.to_string_lossy().into_owned(),
                branch: branch.to_owned(),
                base: base.0.to_owned(),
                base_commit: base.1.to_owned(),
                state: WorktreeState::Making,
                port_base: free_port(tx, settings)?,
                ports: settings.worktrees.ports,
                tip: None,
                landing: None,
                setup_output: None,
                refusal: None,
                check: None,
                removed: false,
                pruned: false,
                made: now,
                ended: None,
            };
            Ok(Worktree { id: tx.insert_worktree(&worktree)?, ..worktree })
        })
    }

    /// Fills a reserved worktree: with the files of the base, and the ignored ones to be copied.
    fn fill(&self, repo: &Repo, making: &Making) -> Result<()> {
        let Making { worktree, settings, .. } = making;
        repo.add_worktree(Path::new(&worktree.path), &worktree.branch, &worktree.base_commit, self.hooks_in(repo))?;
        let target = self.checkout_in(worktree).folder;
        for wanted in &settings.worktrees.bring_along {
            if !bring_along(&self.paths.root, &target, Path::new(wanted))? {
                tracing::warn!("{wanted} was not brought along into {}: it is not there, or behind a link", worktree.path);
            }
        }
        Ok(())
    }

    /// An existing worktree: found where it was moved to, or recreated from its branch if its folder is gone.
    pub(crate) fn stand_up(&self, repo: &Repo, known: Worktree) -> Result<Worktree> {
        if standing(&known).is_some() {
            return Ok(known);
        }
        let known = self.find_moved(repo, known)?;
        if standing(&known).is_some() {
            return Ok(known);
        }
        let path = PathBuf::from(&known.path);
        // An empty folder is in nobody's way.
        let _ = std::fs::remove_dir(&path);
        if path.symlink_metadata().is_ok() {
            let fault = format!("{} stands where the worktree of {} was", path.display(), known.work);
            return Err(AppError::invalid("worktree", fault, "move it away; what was committed is on its branch"));
        }
        if repo.worktrees()?.iter().any(|worktree| worktree.path == path) {
            repo.remove_worktree(&path)?;
        }
        if let Some(folder) = path.parent() {
            crate::outside::user_data::make_private(folder).map_err(|source| AppError::io(folder, source))?;
        }
        repo.restore_worktree(&path, &known.branch, self.hooks_in(repo))?;
        let settings = self.settings()?;
        for wanted in &settings.worktrees.bring_along {
            bring_along(&self.paths.root, &self.checkout_in(&known).folder, Path::new(wanted))?;
        }
        self.change_worktree(known.id, |worktree| worktree.removed = false)
    }

    /// Removes a worktree whose creation failed or was interrupted: its branch contains nothing but its base.
    pub(crate) fn give_up(&self, worktree: &Worktree, said: &str) -> Result<()> {
        let repo = self.repository_for("worktree")?;
        let path = Path::new(&worktree.path);
        if repo.worktrees()?.iter().any(|known| known.path == path) {
            repo.remove_worktree(path)?;
        }
        if let Some(tip) = repo.branch_tip(&worktree.branch)?
            && tip == worktree.base_commit
        {
            repo.remove_branch(&worktree.branch, &tip)?;
        }
        let now = self.clock.now();
        self.change_worktree(worktree.id, |worktree| {
            worktree.state = WorktreeState::Discarded;
            worktree.tip = Some(worktree.base_commit.clone());
            worktree.setup_output = Some(tail(said));
            (worktree.removed, worktree.pruned, worktree.ended) = (true, true, Some(now));
        })?;
        Ok(())
    }

    /// Removes what a killed creator left; does not wait for a live one.
    pub(crate) fn clear_half_made(&self, worktree: &Worktree) -> Result<()> {
        let lock = lock_of(Path::new(&worktree.path));
        let exists = lock.parent().is_some_and(Path::is_dir);
        let is_held = look_at_locks(std::slice::from_ref(&lock)) == LockSeen::Held;
        let held = if exists && !is_held { RunLock::take(std::slice::from_ref(&lock))? } else { None };
        if exists && held.is_none() {
            let fault = format!("a worktree of {} is being made just now", worktree.work);
            return Err(AppError::invalid("task", fault, "try again in a moment"));
        }
        self.give_up(worktree, "its making was cut short")?;
        // Removed while held.
        let _ = std::fs::remove_file(lock);
        Ok(())
    }
}

/// The lock of a worktree's creator, next to it.
fn lock_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".making");
    path.with_file_name(name)
}

/// The first free block of ports.
fn free_port(tx: &Tx<'_>, settings: &Settings) -> Result<u32> {
    let (first, count) = (settings.worktrees.port_base, settings.worktrees.ports);
    let taken: Vec<(u32, u32)> = tx
        .worktrees()?
        .iter()
        .filter(|worktree| !worktree.removed && worktree.ports > 0)
        .map(|w| (w.port_base, w.port_base + w.ports))
        .collect();
    let mut port = first;
    while let Some((_, end)) = taken.iter().find(|(from, to)| port < *to && *from < port + count.max(1)) {
        port = *end;
    }
    if count > 0 && port + count - 1 > LAST_PORT {
        return Err(AppError::invalid("worktree_ports", "no block of ports is free", "`ralph worktree prune`, or take fewer for each"));
    }
    Ok(port)
}

/// The end of a command's output.
fn tail(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(SETUP_OUTPUT_CHARS);
    text.chars().skip(skipped).collect()
}
