//! Creating a worktree: reserved in the database first, so that concurrent creators never clash and a kill leaves nothing untracked.

use super::{lives, lock_of, variables};
use crate::app::App;
use crate::error::{AppError, Result};
use crate::outside::ports::take_ports;
use crate::owner::{RunLock, look_at_locks};
use crate::rows::find_task;
use crate::worktrees::checkout::Checkout;
use agent_cli::{CheckSpec, RunMarks, StopHandle};
use git_repo::{Repo, bring_along};
use ralph_core::TaskId;
use ralph_core::authority::Act;
use ralph_core::limits::SETUP_OUTPUT_CHARS;
use ralph_core::run::CheckResult;
use ralph_core::run::owner::LockSeen;
use ralph_core::settings::Settings;
use ralph_core::view::WorktreeRow;
use ralph_core::worktree::{Work, Worktree, WorktreeState, branch_name, slug};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Names that are tried if one is taken by a foreign branch or folder.
const TURNS: u32 = 100;

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
    /// A checkout for work, with its title: its existing worktree, or a new one on a new branch, prepared by the project's command. The
    /// new one begins from `base`, or from the project's if there is none.
    pub(crate) async fn make_worktree(
        self: &Arc<Self>,
        (work, title): (Work, &str),
        base: Option<&str>,
        stop: &StopHandle,
    ) -> Result<Checkout> {
        let (title, base) = (title.to_owned(), base.map(str::to_owned));
        let making = self.blocking_until(stop, move |app| app.begin_worktree(work, &title, base)).await?;
        let checkout = self.checkout_in(&making.worktree);
        if making.lock.is_none() {
            self.set_up_again(&making.worktree, &making.settings, stop).await?;
            return Ok(checkout);
        }
        let result = self.run_setup(&making.worktree, &making.settings, stop).await;
        let output = result.as_ref().map(|result| result.output_tail.clone());
        if let Some(failed) = result.filter(|result| !result.passed) {
            let said = failed.output_tail.clone();
            self.blocking(move |app| app.give_up(&making.worktree, &said)).await?;
            return Err(setup_failed(&format!("the new worktree of {work}"), &failed, "; nothing was kept"));
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

    /// Runs the project's command in a worktree whose folder has been made again since it last ran there.
    pub(crate) async fn set_up_again(self: &Arc<Self>, worktree: &Worktree, settings: &Settings, stop: &StopHandle) -> Result<()> {
        if worktree.setup_output.is_some() {
            return Ok(());
        }
        let Some(result) = self.run_setup(worktree, settings, stop).await else { return Ok(()) };
        if !result.passed {
            return Err(setup_failed(&format!("the worktree of {}", worktree.work), &result, ""));
        }
        let id = worktree.id;
        self.blocking(move |app| app.change_worktree(id, |worktree| worktree.setup_output = Some(result.output_tail))).await?;
        Ok(())
    }

    /// The result of the project's command in a worktree, with the end of its output; `None` without a command.
    async fn run_setup(&self, worktree: &Worktree, settings: &Settings, stop: &StopHandle) -> Option<CheckResult> {
        let setup = Some(settings.worktrees.setup.clone()).filter(|setup| !setup.trim().is_empty())?;
        let (checkout, task) = (self.checkout_in(worktree), worktree.work.task().unwrap_or(0));
        let marks = RunMarks { task, more: checkout.variables, ..RunMarks::apart(self.paths.root.clone()) };
        let spec = CheckSpec::new(setup, checkout.folder, marks, settings.pass_env.clone());
        let mut result = agent_cli::run_check(&spec, stop).await;
        result.output_tail = crate::secrets::wash::text(&tail(&result.output_tail));
        Some(result)
    }

    /// Creates the worktree of a task, or finds the existing one: for a person who wants to work in it.
    pub async fn open_worktree(self: &Arc<Self>, task: TaskId) -> Result<WorktreeRow> {
        self.allowed(&Act::SteerRun)?;
        let found = self.blocking(move |app| app.db.read(|r| find_task(r, task))).await?;
        if found.status.is_open() {
            let checkout = self.make_worktree((Work::Task(task), &found.title), None, &StopHandle::new()).await?;
            tracing::debug!("task #{task} has {:?}", checkout.worktree);
        }
        self.blocking(move |app| Ok(app.worktree_row(&app.worktree_of(Work::Task(task))?))).await
    }

    /// The checkout of an existing worktree.
    pub(crate) fn checkout_in(&self, worktree: &Worktree) -> Checkout {
        Checkout { variables: variables(worktree), ..self.worktree_at(Path::new(&worktree.path)) }
    }

    /// The worktree of work: the existing one, or a new one with its files, reserved and locked.
    fn begin_worktree(&self, work: Work, title: &str, base: Option<String>) -> Result<Making> {
        let settings = self.settings_with_base(base)?;
        let repo = self.repository_for("worktree")?;
        let known = self.db.read(|r| match work {
            Work::Task(task) => r.worktree_of(task),
            Work::Errand(errand) => r.worktree_of_errand(errand),
        })?;
        // Work whose branch was merged or deleted by hand is over, and starts over.
        let known = known.filter(lives).map(|known| self.follow_branch(repo, known)).transpose()?.filter(lives);
        if let Some(known) = known {
            if known.state == WorktreeState::Ready {
                let worktree = self.stand_up(repo, known)?;
                let worktree = self.with_project(repo, worktree)?;
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
        self.must_have_project(repo, &base, &base_commit)?;
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
            if repo.has_branches_below(&branch)? {
                continue;
            }
            if let Some(taken) = taken_by(repo, &branch)? {
                let fault = format!("git can't make the branch '{branch}' beside one that is called '{taken}'");
                return Err(AppError::invalid("worktree_branch", fault, "rename that one, or name another pattern in config.toml"));
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

    /// Reserves a worktree that is about to be created, with its own ports.
    pub(crate) fn reserve(&self, work: Work, (path, branch): (&Path, &str), base: (&str, &str), settings: &Settings) -> Result<Worktree> {
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
                port_base: take_ports(tx, path, settings)?,
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
        if !self.fill_from_spare(repo, worktree)? {
            repo.add_worktree(Path::new(&worktree.path), &worktree.branch, &worktree.base_commit, self.hooks_in(repo))?;
        }
        self.bring_along_into(worktree, settings)
    }

    /// Copies the files that git ignores and the settings name into a worktree.
    fn bring_along_into(&self, worktree: &Worktree, settings: &Settings) -> Result<()> {
        let target = self.checkout_in(worktree).folder;
        for wanted in &settings.worktrees.bring_along {
            if !bring_along(&self.paths.root, &target, Path::new(wanted))? {
                tracing::warn!("{wanted} was not brought along into {}: it is not there, or behind a link", worktree.path);
            }
        }
        Ok(())
    }

    /// Fills a reserved worktree by moving a spare one to its place; `false` if there is none that can be used.
    fn fill_from_spare(&self, repo: &Repo, worktree: &Worktree) -> Result<bool> {
        let Some(spare) = self.take_spare() else { return Ok(false) };
        let path = Path::new(&worktree.path);
        match repo.begin_in_spare(&spare.path, path, (&worktree.branch, &worktree.base_commit), self.hooks_in(repo)) {
            Ok(_) => {
                spare.release();
                Ok(true)
            }
            Err(fault) => {
                // Somebody changed it, or git can't move it: the worktree is made as if it had never been there.
                tracing::debug!("{} could not be used: {fault}", spare.path.display());
                super::spare::remove(repo, spare)?;
                clear(repo, worktree)?;
                Ok(false)
            }
        }
    }

    /// An existing worktree: found where it was moved to, or recreated from its branch if its folder is gone, or belongs to the original
    /// that this project is a copy of.
    pub(crate) fn stand_up(&self, repo: &Repo, known: Worktree) -> Result<Worktree> {
        if let Some(own) = self.repo_in(&known) {
            self.clear_own_locks(&own, &known.branch)?;
            return Ok(known);
        }
        let mut known = self.find_moved(repo, known)?;
        if self.repo_in(&known).is_some() {
            return Ok(known);
        }
        let settings = self.settings()?;
        let mut path = PathBuf::from(&known.path);
        if repo.forget_copied(&path)? {
            path = self.worktrees_folder(&settings)?.join(path.file_name().unwrap_or_default());
            known = self.change_worktree(known.id, |known| known.path = path.to_string_lossy().into_owned())?;
        }
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
        self.bring_along_into(&known, &settings)?;
        // What the command had prepared is gone with the folder.
        self.change_worktree(known.id, |worktree| (worktree.removed, worktree.setup_output) = (false, None))
    }

    /// Removes a worktree whose creation failed or was interrupted.
    fn give_up(&self, worktree: &Worktree, said: &str) -> Result<()> {
        clear(self.repository_for("worktree")?, worktree)?;
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
        let repo = self.repository_for("worktree")?;
        self.clear_branch_locks(repo, &worktree.branch)?;
        self.give_up(worktree, "its making was cut short")?;
        // If the creator was killed between branch and folder, git knows no worktree.
        if repo.is_just_begun(&worktree.branch) {
            remove_empty_branch(repo, worktree)?;
        }
        // Removed while held.
        let _ = std::fs::remove_file(lock);
        Ok(())
    }
}

/// The branch whose name a new one would need as a folder.
fn taken_by<'b>(repo: &Repo, branch: &'b str) -> Result<Option<&'b str>> {
    for (end, _) in branch.match_indices('/') {
        if repo.branch_tip(&branch[..end])?.is_some() {
            return Ok(Some(&branch[..end]));
        }
    }
    Ok(None)
}

/// Removes what exists of a worktree whose creation ended early. Its branch then contains only its base; a branch that is not checked out
/// there was created by somebody else.
fn clear(repo: &Repo, worktree: &Worktree) -> Result<()> {
    let path = Path::new(&worktree.path);
    if repo.forget_copied(path)? {
        return remove_empty_branch(repo, worktree);
    }
    let Some(known) = repo.worktrees()?.into_iter().find(|known| known.path == path) else { return Ok(()) };
    repo.remove_worktree(path)?;
    if known.branch.as_ref() == Some(&worktree.branch) { remove_empty_branch(repo, worktree) } else { Ok(()) }
}

/// Removes the branch of a worktree if it is still at its base.
fn remove_empty_branch(repo: &Repo, worktree: &Worktree) -> Result<()> {
    if repo.branch_tip(&worktree.branch)?.as_ref() == Some(&worktree.base_commit) {
        repo.remove_branch(&worktree.branch, &worktree.base_commit)?;
    }
    Ok(())
}

/// The error of a set-up that failed in `place`; `kept` completes what to do about it.
fn setup_failed(place: &str, result: &CheckResult, kept: &str) -> AppError {
    let how = result.exit_code.map_or_else(|| "was killed or could not start".to_owned(), |code| format!("exited with {code}"));
    let said = Some(result.output_tail.trim_end()).filter(|said| !said.is_empty()).map(|said| format!(": {said}")).unwrap_or_default();
    let fault = format!("the command of `setup` {how} in {place}{said}");
    AppError::invalid("setup", fault, format!("mend the command, or what it needs (`bring_along`){kept}"))
}

/// The end of a command's output.
fn tail(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(SETUP_OUTPUT_CHARS);
    text.chars().skip(skipped).collect()
}
