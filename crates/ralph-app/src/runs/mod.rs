//! Runs: starting, controlling through their rows, listing.

pub(crate) mod control;
pub(crate) mod guidance;
pub(crate) mod program;
pub(crate) mod questions;
mod refuse;
pub(crate) mod result;
pub(crate) mod slots;
pub(crate) mod stop;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use program::ralph_program;

use crate::app::App;
use crate::error::{AppError, Result};
use crate::overview::{at_work, lanes_of};
use crate::owner::this_process;
use crate::private_files;
use crate::runs::program::AgentProgram;
use crate::runs::slots::{Slot, Workplace};
use crate::runs::stop::RunStop;
use crate::secrets::wash;
use crate::trust::TrustState;
use ralph_core::authority::Act;
use ralph_core::discipline::Discipline;
use ralph_core::noun::Noun;
use ralph_core::run::{Iteration, Run, RunRequest, remark_lines};
use ralph_core::settings::{Settings, usd_limit};
use ralph_core::task::{Readiness, TaskStatus, numbered, why_not_ready};
use ralph_core::text::listed;
use ralph_core::time::Timestamp;
use ralph_core::view::{IterationDetail, RunAtWork, RunDetail, RunRow, RunWithLanes};
use ralph_core::worktree::DependencyStart;
use ralph_core::{IterationId, RunId, TaskId, limits};
use sqlite_db::table::NewRun;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes of a diff on screen.
const DIFF_BYTES: usize = 524_288;

/// A run whose row exists and whose agent was found, ready for the driver. Dropped without it, the run's task is free again.
#[derive(Debug)]
pub struct PreparedRun {
    pub(crate) run: Run,
    /// The check as executed; the row holds it without secrets.
    pub(crate) check: Option<String>,
    pub(crate) program: PathBuf,
    pub(crate) script: Option<PathBuf>,
    /// Read once: later changes of the file don't affect the run.
    pub(crate) settings: Settings,
    /// The rules for all work; empty when there are none.
    pub(crate) rules: String,
    pub(crate) disciplines: Vec<Discipline>,
    pub(crate) place: Workplace,
    /// The branch that its worktrees begin from.
    pub(crate) base: Option<String>,
    pub(crate) stop: RunStop,
    /// Held while the run lives: others test this lock.
    pub(crate) _lock: Slot,
}

impl PreparedRun {
    /// The run's row.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The slot that it holds.
    pub(crate) fn slot(&self) -> u32 {
        self._lock.number
    }

    /// Whether a task may begin on the branch of its dependency.
    pub(crate) fn stacks(&self) -> bool {
        self.place == Workplace::Worktrees && self.settings.worktrees.dependencies == DependencyStart::Stacked
    }

    /// Stops the run from within this process, without going through the database.
    pub fn stop(&self) -> RunStop {
        self.stop.clone()
    }
}

impl App {
    /// Starts a run: checks the request, finds the agent, and takes the checkout. `App::drive` then drives it.
    pub async fn start_run(self: &Arc<Self>, request: &RunRequest) -> Result<PreparedRun> {
        let asked = request.clone();
        let (standing, slot) = self.blocking(move |app| app.may_start(&asked)).await?;
        let (agent_path, script) = (request.agent_path.as_deref(), request.script.as_deref());
        let AgentProgram { program, script } = self.program_of(request.agent, agent_path, script, &standing.settings).await?;
        let asked = request.clone();
        self.blocking(move |app| {
            let place = Workplace::of(&asked);
            let base = app.base_of_run(place, &standing.settings)?;
            let run = app.begin_run(&asked, &standing, slot.number)?;
            let check = check_of(&asked, &standing.settings);
            let TrustState { settings, rules, disciplines, .. } = standing;
            let mut settings = settings.for_agent(asked.agent);
            settings.permissions = asked.permissions.unwrap_or(settings.permissions);
            Ok(PreparedRun { run, check, program, script, settings, rules, disciplines, place, base, stop: RunStop::new(), _lock: slot })
        })
        .await
    }

    /// Refuses a run on one task that could do nothing: nobody would notice. A task that is done, in review or blocked is no surprise, and
    /// the run's result says so.
    fn may_be_worked_on(&self, id: TaskId, request: &RunRequest) -> Result<()> {
        let task = self.task(id)?.task;
        let is_worked_on = self.db.read(|r| r.running_iteration_of(id))?.is_some();
        let way_out = match task.status {
            TaskStatus::Draft | TaskStatus::Failed | TaskStatus::Skipped => {
                Some(format!("let agents work on it: `ralph task update {id} --status pending`"))
            }
            TaskStatus::InProgress if is_worked_on => Some("wait for that run, or stop it: `ralph status` shows it".to_owned()),
            // As a person or an agent could put it there once.
            TaskStatus::InProgress => {
                let hint = format!("`ralph task update {id} --status pending` gives it to agents");
                return Err(AppError::invalid("task", format!("task {id} is in progress, and nothing works on it"), hint));
            }
            TaskStatus::Pending | TaskStatus::InReview | TaskStatus::Blocked | TaskStatus::Done => None,
        };
        if let Some(way_out) = way_out {
            return Err(AppError::invalid("task", why_not_ready(id, task.status), way_out));
        }
        if task.readiness == Readiness::Archived {
            let fault = format!("#{id} belongs to {}, which is archived", task.feature);
            return Err(AppError::invalid("task", fault, "make the feature active again, or move the task to another"));
        }
        if !matches!(task.readiness, Readiness::Waiting | Readiness::Stranded) {
            return Ok(());
        }
        let stacks = Workplace::of(request) == Workplace::Worktrees && self.settings()?.worktrees.dependencies == DependencyStart::Stacked;
        if stacks && !self.db.read(|r| r.ready_or_stacked_tasks(Some(id), 1))?.is_empty() {
            return Ok(());
        }
        Err(AppError::invalid(
            "task",
            format!("#{id} waits for {}", numbered(&task.waiting_on)),
            "finish those first: `ralph run` works on whatever is ready",
        ))
    }

    /// The settings in force for a run that may start, and its slot; an error if it may not.
    fn may_start(&self, request: &RunRequest) -> Result<(TrustState, Slot)> {
        self.allowed(&Act::SteerRun)?;
        refuse::invalid(request)?;
        self.may_work_so(request)?;
        let standing = self.standing_for_run(request)?;
        self.warn_of_unknown_settings();
        if let Some(unwatched) = self.unwatched_by_git() {
            tracing::warn!("{unwatched}; `git init` there gives it a repository of its own");
        }
        self.warn_of_lacks(request);
        private_files::refuse_committed(&self.paths, self.repo.as_ref())?;
        refuse::unknown_dollars(request, &standing.settings)?;
        self.db.still_there()?;
        if let Some(refusal) = self.db.refusal() {
            return Err(refusal.into());
        }
        // What dead runs hold becomes free, whichever slot they had.
        self.recover()?;
        self.refuse_second_in_place(request)?;
        let slot = self.free_slot()?;
        self.look_at_documents_or_warn();
        // An owner known only by its heartbeat may still be alive.
        self.recover_holding(slot.number)?;
        self.refuse_second_in_place(request)?;
        // Once no dead run holds it any more.
        if let Some(id) = request.task {
            self.may_be_worked_on(id, request)?;
        }
        Ok((standing, slot))
    }

    /// Says what worktrees lack: checks may need it, and people rely on their hooks.
    fn warn_of_lacks(&self, request: &RunRequest) {
        if Workplace::of(request) != Workplace::Worktrees {
            return;
        }
        let submodules = self.empty_in_worktrees().unwrap_or_default();
        if !submodules.is_empty() {
            let names = listed(&submodules, limits::NAMED_FILES);
            tracing::warn!(
                "worktrees begin without the files of submodules ({names}): `setup = \"git submodule update --init\"` in .ralph/config.toml brings them"
            );
        }
        if let Some(hooks) = self.hooks_missing_in_worktrees().unwrap_or_default() {
            tracing::warn!(
                "no git hook runs in worktrees: they begin without {hooks}, since git does not track it; `setup` in .ralph/config.toml can make \
                 it there (`npm ci` does for husky), or `bring_along` copy it"
            );
        }
    }

    /// Whether this many agents may work in the requested place.
    fn may_work_so(&self, request: &RunRequest) -> Result<()> {
        let workers = request.workers.unwrap_or(1);
        if !(1..=limits::WORKERS).contains(&workers) {
            let fault = format!("{workers} is not a number of workers");
            return Err(AppError::invalid("workers", fault, format!("give 1 to {}", limits::WORKERS)));
        }
        if workers > 1 && request.in_place == Some(true) {
            let fault = format!("{workers} workers in one checkout would overwrite each other's files");
            return Err(AppError::invalid("workers", fault, "use one worker in this checkout, or leave `--in-place` out"));
        }
        if let Some(refused) = self.refused_repository() {
            return Err(refused);
        }
        if Workplace::of(request) != Workplace::Worktrees {
            return Ok(());
        }
        let Some(repo) = &self.repo else {
            let fault =
                format!("{} is not a git repository, so that there are no worktrees for several workers", self.paths.root.display());
            return Err(AppError::invalid("workers", fault, "use one worker, or make it a repository with `git init`"));
        };
        if repo.head()?.is_none() {
            return Err(AppError::invalid(
                "workers",
                "the repository has no commit that worktrees could begin with",
                "commit something first",
            ));
        }
        self.base_of(repo, &self.settings()?)?;
        Ok(())
    }

    /// Makes the run's row.
    fn begin_run(&self, request: &RunRequest, standing: &TrustState, slot: u32) -> Result<Run> {
        let settings = &standing.settings;
        let mut limits = request.limits;
        limits.max_iterations = limits.max_iterations.or(Some(settings.max_iterations));
        limits.max_minutes = limits.max_minutes.or(Some(settings.max_minutes)).filter(|minutes| *minutes > 0);
        limits.max_usd = limits.max_usd.or(Some(settings.max_usd)).and_then(usd_limit);
        let new = NewRun {
            checkout: self.place_of(request),
            in_place: Workplace::of(request) != Workplace::Worktrees,
            slot,
            agent: request.agent,
            model: wash::text(request.model.as_deref().unwrap_or_default().trim()),
            only_task: request.task,
            limits,
            check: check_of(request, settings).as_deref().map(wash::text),
            strategy: request.strategy.unwrap_or(settings.strategy),
            hold_out: request.hold_out.unwrap_or(settings.hold_out).min(limits::HOLD_OUT_MOST),
            // One task has one worker.
            workers: if request.task.is_some() { 1 } else { request.workers.unwrap_or(1) },
            owner: this_process(),
        };
        self.keep_machinery(!self.db.read(|r| r.active_runs())?.is_empty());
        if let Some(Err(error)) = self.outside.as_ref().map(|outside| outside.make_room_for_words(slot)) {
            tracing::debug!("the run has no room for its last words: {error}");
        }
        let now = self.clock.now();
        self.begin_held(standing, || self.insert_run(&new, now))
    }

    fn insert_run(&self, new: &NewRun, now: Timestamp) -> Result<Run> {
        let highest = self.highest_log()?;
        self.write(|tx| match tx.insert_run(new, now) {
            Ok(id) => {
                // An existing log belongs to an earlier database: its number is not reused.
                tx.number_iterations_above(highest)?;
                tx.run(id)?.ok_or_else(|| AppError::not_found(Noun::Run, id))
            }
            Err(fault) if fault.is_unique_violation() => {
                Err(AppError::RunActive { run: tx.active_run_in(&new.checkout)?.map(|run| run.id) })
            }
            Err(fault) => Err(fault.into()),
        })
    }

    /// The greatest iteration number among the logs.
    fn highest_log(&self) -> Result<IterationId> {
        let logs = self.paths.files().list(&self.paths.logs, "jsonl")?;
        Ok(logs.iter().filter_map(|path| path.file_stem()?.to_str()?.parse().ok()).max().unwrap_or(0))
    }

    pub(crate) fn checkout(&self) -> String {
        self.paths.root.to_string_lossy().into_owned()
    }

    /// A run with what its workers are doing; for one that is over, what each did last.
    pub fn run_with_lanes(&self, id: RunId) -> Result<RunWithLanes> {
        self.db.read(|r| {
            let run = r.run(id)?.ok_or_else(|| AppError::not_found(Noun::Run, id))?;
            if run.ended.is_some() {
                let lanes = lanes_of(r, &run, last_of_each_lane(r.iterations_of_run(id, 500)?))?;
                return Ok(RunWithLanes { lanes, idle_lanes: Vec::new(), run });
            }
            let RunAtWork { run, lanes, idle_lanes } = at_work(r, run)?;
            Ok(RunWithLanes { run, lanes, idle_lanes })
        })
    }

    /// The newest runs first.
    pub fn runs(&self, limit: u32) -> Result<Vec<Run>> {
        Ok(self.db.read(|r| r.runs(limit))?)
    }

    /// The same with the outcomes of each run's attempts, and its result.
    pub fn run_rows(&self, limit: u32) -> Result<Vec<RunRow>> {
        self.db.read(|r| result::rows(r, r.runs(limit)?))
    }

    /// A run with its iterations.
    pub fn run(&self, id: RunId) -> Result<RunDetail> {
        self.db.read(|r| {
            let run = r.run(id)?.ok_or_else(|| AppError::not_found(Noun::Run, id))?;
            let RunRow { run, done, failed, result } = result::row(r, run)?;
            Ok(RunDetail { iterations: r.iterations_of_run(id, 500)?, run, done, failed, result })
        })
    }

    /// An iteration with its prompt and hook notes.
    pub fn iteration(&self, id: IterationId) -> Result<IterationDetail> {
        let (iteration, hooks, guidance) =
            self.db.read(|r| Ok::<_, AppError>((find_iteration(r, id)?, r.hook_notes(id)?, r.guidance_of(id)?)))?;
        let prompt = self.paths.files().read_text(&self.prompt_path(id), limits::PROMPT_BYTES)?.unwrap_or_default();
        let remarks = remark_lines(&iteration.evidence.remarks);
        Ok(IterationDetail { iteration, prompt, hooks, remarks, guidance })
    }

    /// Changes since an iteration began; for the newest iteration including uncommitted ones.
    pub fn iteration_diff(&self, id: IterationId) -> Result<String> {
        let iteration = self.db.read(|r| find_iteration(r, id))?;
        // Commits are the same in every checkout; uncommitted changes were lost with a missing worktree.
        let Some(repo) = self.checkout_of(&iteration).repo.or_else(|| self.repo.clone()) else { return Ok(String::new()) };
        let shown = match (&iteration.evidence.head_before, &iteration.evidence.head_after) {
            (before, Some(after)) if before.as_ref() != Some(after) => repo.diff_between(before.as_deref(), after, DIFF_BYTES),
            _ if iteration.ended.is_none() => repo.diff(iteration.evidence.head_before.as_deref(), DIFF_BYTES),
            _ => Ok(String::new()),
        };
        Ok(shown.unwrap_or_else(|fault| format!("The diff can't be shown: {fault}")))
    }
}

/// The first of each lane among iterations, newest first.
fn last_of_each_lane(mut iterations: Vec<Iteration>) -> Vec<Iteration> {
    let mut lanes = BTreeSet::new();
    iterations.retain(|iteration| lanes.insert(iteration.lane));
    iterations
}

/// The check of a run: the requested one, otherwise the project's.
fn check_of(request: &RunRequest, settings: &Settings) -> Option<String> {
    Some(request.check.clone().unwrap_or_else(|| settings.check.clone())).filter(|check| !check.trim().is_empty())
}

fn find_iteration(read: &sqlite_db::Read<'_>, id: IterationId) -> Result<Iteration> {
    read.iteration(id)?.ok_or_else(|| AppError::not_found(Noun::Iteration, id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use ralph_core::feature::NewFeature;
    use ralph_core::task::NewTask;

    #[test]
    fn a_task_in_progress_that_nothing_works_on_is_told_as_that() {
        let folder = tempfile::tempdir().unwrap();
        let app = App::init(folder.path(), Clock::system()).unwrap();
        app.create_feature(&NewFeature { name: "pay".into(), ..NewFeature::default() }).unwrap();
        app.create_task(&NewTask { feature: "pay".into(), title: "Refund".into(), ..NewTask::default() }).unwrap();
        app.write(|tx| Ok(tx.set_task_status(1, TaskStatus::InProgress, None, app.clock.now())?)).unwrap();
        let Err(AppError::Invalid { fault, hint, .. }) = app.may_be_worked_on(1, &testing::played(None)) else { panic!("it can't start") };
        assert_eq!(fault, "task 1 is in progress, and nothing works on it");
        assert_eq!(hint, "`ralph task update 1 --status pending` gives it to agents");
    }
}
