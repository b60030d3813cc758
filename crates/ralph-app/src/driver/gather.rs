//! Before and after the agent: the claim, and the facts for the hooks.

use super::judged::{Judged, of_what_is_left};
use super::lane::{Before, ClaimedTask, Current, Ears, LaneResult};
use super::repository::{Found, RepoBefore};
use super::{Driver, LaneNumber, RunEvent, blocking};
use crate::agents::transcript::EventLog;
use crate::app::{App, until_stopped};
use crate::driver::prompt_input::{choose_model, choose_model_but, was_refused};
use crate::error::{AppError, Result};
use crate::knowledge::rules::Rules;
use crate::knowledge::split_task::bring_up_to_date;
use crate::runs::PreparedRun;
use crate::runs::slots::Workplace;
use crate::worktrees::checkout::Checkout;
use agent_cli::{CheckSpec, RunMarks, StopHandle};
use ralph_core::noun::Noun;
use ralph_core::run::attempt::Attempt;
use ralph_core::run::hooks::{Claim, IterationFacts, is_idle, tells_new_failure};
use ralph_core::run::schedule::{Load, choose};
use ralph_core::run::{CheckResult, Evidence, Iteration};
use ralph_core::settings::Settings;
use ralph_core::sigil::TaskClaim;
use ralph_core::signal::Usage;
use ralph_core::stats::hold_out;
use ralph_core::task::{Task, TaskStatus};
use ralph_core::time::Timestamp;
use ralph_core::worktree::Work;
use ralph_core::{IterationId, TaskId};
use sqlite_db::table::NewIteration;
use sqlite_db::{Read, Tx};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Salt of the hold-out: the same in every project, so that a run is reproducible.
const HOLD_OUT_SALT: u64 = 0;
/// Ready tasks that are considered when looking for one without conflicts with running ones.
const READY_TASKS: u32 = 200;
/// Files touched by a running agent that are compared.
const TOUCHED_FILES: usize = 500;
/// Iterations that are considered for a stall.
const STALL_WINDOW: u32 = 20;

/// A running agent in another lane, as far as it matters for choosing the next task.
struct Neighbour {
    task: TaskId,
    checkout: Checkout,
    before: Before,
}

impl Driver {
    /// Claims the next ready task in the background: its status, the iteration's row and the attempt's number in one commit.
    pub(super) fn claim(&mut self, lane: LaneNumber, only: Option<TaskId>, limited: Vec<String>) {
        let (app, prepared) = (Arc::clone(&self.app), Arc::clone(&self.prepared));
        let neighbours = self.lanes.iter().filter_map(|lane| lane.current.as_ref()).map(|current| Neighbour {
            task: current.claim.task,
            checkout: current.checkout.clone(),
            before: current.before.clone(),
        });
        let neighbours: Vec<Neighbour> = neighbours.collect();
        let lane = self.lane(lane);
        lane.stop = StopHandle::new();
        let (number, stop) = (lane.number, lane.stop.clone());
        lane.beside = Some(tokio::spawn(async move {
            let asked = Arc::clone(&prepared);
            let claimed = blocking(&app, move |app| app.claim(&asked, number, (only, &limited), &neighbours)).await;
            LaneResult::Claimed(match claimed {
                Ok(Some(claimed)) => app.prepare(&prepared, claimed, &stop).await.map(|claimed| Some(Box::new(claimed))),
                Ok(None) => Ok(None),
                Err(error) => Err(error),
            })
        }));
    }

    /// Begins a claimed iteration in its lane.
    pub(super) async fn begin(&mut self, lane: LaneNumber, claimed: ClaimedTask) -> Claim {
        let ClaimedTask { claim, task, iteration, checkout, checkout_fault, before, log, replica } = claimed;
        let marks = RunMarks {
            project: self.app.paths.root.clone(),
            run: self.prepared.run.id,
            iteration: claim.iteration,
            task: claim.task,
            attempt: claim.attempt,
            task_title: task.title,
            feature: claim.feature.clone(),
            more: checkout.variables.clone(),
            replica,
            apart: None,
        };
        let ears = Ears { settings: self.learning_settings().await, ..Ears::default() };
        self.lane(lane).current = Some(Current {
            claim: claim.clone(),
            iteration: iteration.clone(),
            marks,
            checkout,
            checkout_fault,
            before,
            log,
            spec: None,
            used: (Usage::default(), Timestamp::default()),
            ears,
            committed: false,
        });
        self.tell(RunEvent::IterationStarted { iteration }).await;
        claim
    }

    /// The agent's claims through MCP, in order.
    pub(super) async fn mcp_claims(&mut self, lane: LaneNumber) -> Result<Vec<TaskClaim>> {
        let Some(current) = &self.lane(lane).current else { return Ok(Vec::new()) };
        let iteration = current.claim.iteration;
        let signals = self.blocking(move |app| Ok(app.db.read(|r| r.iteration_signals(iteration))?)).await?;
        Ok(signals.into_iter().map(|done| TaskClaim { done, task: None }).collect())
    }

    /// Starts gathering in the background, so that a check can be canceled.
    pub(super) fn gather(&mut self, lane: LaneNumber, run_check: bool, learnings: Vec<String>) {
        let (app, prepared) = (Arc::clone(&self.app), Arc::clone(&self.prepared));
        let lane = self.lane(lane);
        let Some(current) = &lane.current else { return };
        let (claim, checkout, before, stop) = (current.claim.clone(), current.checkout.clone(), current.before.clone(), lane.stop.clone());
        let command = prepared.check.clone().filter(|_| run_check);
        // Not the prepared run itself: it holds the run's lock, which must be released with the driver.
        let settings = prepared.settings.clone();
        let pass_env = settings.pass_env.clone();
        let spec = command.map(|command| CheckSpec::new(command, checkout.folder.clone(), current.marks.clone(), pass_env));
        lane.beside = Some(tokio::spawn(async move {
            let checked = match &spec {
                Some(spec) => {
                    let (place, repo, iteration) = (checkout.clone(), before.repo.clone(), claim.iteration);
                    let judged =
                        app.blocking(move |app| Ok(app.before_check(&place, repo.as_deref().map(RepoBefore::snapshot), iteration))).await;
                    Some((agent_cli::run_check(spec, &stop).await, judged.ok().flatten()))
                }
                None => None,
            };
            let gathered = move || app.facts(&claim, (&checkout, &before), &settings, checked, &learnings);
            match tokio::task::spawn_blocking(gathered).await {
                Ok(gathered) => LaneResult::Gathered(gathered.map(|(facts, committed)| (Box::new(facts), committed))),
                Err(panic) => std::panic::resume_unwind(panic.into_panic()),
            }
        }));
    }
}

impl App {
    /// Chooses and claims a task, then its model; no other process can take the task meanwhile.
    fn claim(
        &self,
        prepared: &PreparedRun,
        lane: LaneNumber,
        (only, limited): (Option<TaskId>, &[String]),
        neighbours: &[Neighbour],
    ) -> Result<Option<(Claim, Task, Iteration)>> {
        let (run, settings) = (&prepared.run, &prepared.settings);
        let asks = !neighbours.is_empty() && self.db.read(|r| names_files(r, prepared, only))?;
        let touched: BTreeMap<TaskId, Vec<String>> =
            neighbours.iter().filter(|_| asks).map(|other| (other.task, self.touched_by(other))).collect();
        let now = self.clock.now();
        self.write(|tx| {
            let Some((task, scheduled)) = next_task(tx, prepared, only, &touched)? else { return Ok(None) };
            let task = bring_up_to_date(tx, task, Rules { now, default_cap: settings.max_learnings })?;
            let attempt = tx.attempts_at(task.id)? + 1;
            tx.set_task_status(task.id, TaskStatus::InProgress, None, now)?;
            let choice = choose_model(tx, &task, (run.strategy, &run.model), settings, limited)?;
            let new = NewIteration {
                run: run.id,
                task: task.id,
                task_title: task.title.clone(),
                attempt,
                model: choice.model,
                rationale: choice.rationale,
                held_out: hold_out(task.id, attempt, run.hold_out, HOLD_OUT_SALT),
                lane,
                scheduled,
            };
            let iteration = tx.insert_iteration(&new, now)?;
            let feature = crate::rows::find_feature(tx, &task.feature)?;
            tx.set_saturation_before(iteration, tx.saturation_of(&feature, settings.max_learnings)?.saturation_pct)?;
            let row = tx.iteration(iteration)?.ok_or_else(|| AppError::not_found(Noun::Iteration, iteration))?;
            let claim = Claim { task: task.id, kind: task.kind, feature: task.feature.clone(), iteration, attempt };
            Ok(Some((claim, task, row)))
        })
    }

    /// The files that a running agent has changed so far. Unreadable ones are skipped: this only affects the order of work.
    fn touched_by(&self, other: &Neighbour) -> Vec<String> {
        let (Some(repo), Some(before)) = (&other.checkout.repo, &other.before.repo) else { return Vec::new() };
        let changed = repo.snapshot().and_then(|now| repo.changed_files([before.snapshot(), &now], &BTreeSet::new(), TOUCHED_FILES));
        changed.unwrap_or_else(|fault| {
            tracing::debug!("what task {} touches is not known: {fault}", other.task);
            Vec::new()
        })
    }

    /// Prepares the checkout for a claimed task, and records its state.
    async fn prepare(
        self: &Arc<Self>,
        prepared: &PreparedRun,
        (claim, task, mut iteration): (Claim, Task, Iteration),
        stop: &StopHandle,
    ) -> Result<ClaimedTask> {
        let id = task.id;
        let in_place = match prepared.place {
            Workplace::Own => true,
            Workplace::OwnUnlessBegun => !blocking(self, move |app| app.has_work_in_worktree(id)).await?,
            Workplace::Worktrees => false,
        };
        let (checkout, checkout_fault) = if in_place {
            (self.checkout_of_run(prepared.run.id)?, None)
        } else {
            match self.make_worktree((Work::Task(task.id), &task.title), prepared.base.as_deref(), stop).await {
                Ok(checkout) => (checkout, None),
                // Reported where the agent would be started: the task is released, and the run ends.
                Err(fault) => (Checkout { repo: None, ..self.own_checkout() }, Some(fault)),
            }
        };
        let (number, place) = (claim.iteration, checkout.clone());
        iteration.worktree = place.worktree.as_ref().map(|worktree| worktree.to_string_lossy().into_owned());
        let stop = stop.clone();
        let (before, unseen, log, replica) = blocking(self, move |app| {
            let (before, unseen) = until_stopped(stop, || app.before(&place, number))?;
            app.keep_before(number, &before);
            app.bring_into_file();
            let replica = app.db.read(|r| r.own())?.replica;
            Ok((before, unseen, EventLog::create(app.paths.files(), &app.log_path(number))?, replica))
        })
        .await?;
        let checkout_fault = checkout_fault.or(unseen);
        Ok(ClaimedTask { claim, task, iteration, checkout, checkout_fault, before, log, replica })
    }

    /// How things stand before an agent starts, and why it must not.
    fn before(&self, checkout: &Checkout, iteration: IterationId) -> Result<(Before, Option<AppError>)> {
        let (repo, unseen) = self.repo_before(checkout, iteration).map_or_else(|fault| (None, Some(fault)), |repo| (repo, None));
        if repo.is_some() || checkout.worktree.is_some() {
            // Visible from now on, also to observers and to whoever recovers this iteration.
            self.write(|tx| {
                if let Some(worktree) = &checkout.worktree {
                    tx.set_worktree(iteration, &worktree.to_string_lossy())?;
                }
                if let Some(repo) = &repo {
                    tx.set_evidence(iteration, &repo.evidence())?;
                }
                Ok(())
            })?;
        }
        let (tracked, own_files) = (Some(self.tracked_private_files()), Some(Arc::new(self.own_files())));
        Ok((Before { repo: repo.map(Arc::new), tracked, own_files }, unseen))
    }

    /// The state before an agent's start, when only the agent's log is left.
    pub(crate) fn unknown_before() -> Before {
        Before { repo: None, tracked: None, own_files: None }
    }

    /// What the hooks are told about an iteration, and whether all of its work is committed.
    pub(crate) fn facts(
        &self,
        claim: &Claim,
        (checkout, before): (&Checkout, &Before),
        settings: &Settings,
        checked: Option<(CheckResult, Option<Judged>)>,
        learnings: &[String],
    ) -> Result<(IterationFacts, bool)> {
        let (mut ralph_files, mut exposed) = self.settle_own_files(before.own_files.as_deref(), before.tracked.as_ref());
        let (check, judged) = checked.map_or((None, None), |(check, judged)| (Some(check), judged));
        let Found { evidence, committed, check_took, of_commits } = self.evidence(checkout, before.repo.as_deref(), judged.as_ref());
        if let Some(tracked) = before.tracked.as_ref().filter(|_| exposed.is_none()) {
            exposed = self.private_in_commits(of_commits, tracked, evidence.head_before.as_deref());
            ralph_files.extend(exposed.clone());
        }
        let check = of_what_is_left(check, &evidence, check_took);
        let evidence = crate::secrets::wash::evidence(Evidence { check, ralph_files, ..evidence });
        // A person may have changed them since the run began.
        let learning = self.settings().map_or_else(|_| settings.automatic_learning.clone(), |now| now.automatic_learning);
        let facts = self.db.read(|r| {
            let earlier = r.attempts(claim.task, STALL_WINDOW)?;
            let telling = [r.teaching_iterations(claim.task)?, r.remarking_iterations(claim.task)?].concat();
            Ok::<_, AppError>(IterationFacts {
                consecutive_failures: crate::rows::find_task(r, claim.task)?.consecutive_failures,
                stalled_before: stalled_before(r, claim, &earlier, &telling)?,
                taught: telling.contains(&claim.iteration) || teaches(r, claim, learnings)?,
                another_model: another_model(r, claim, earlier.first(), settings)?,
                spared: spared(r, claim, settings)?,
                known_failures: earlier.iter().filter_map(|attempt| Some(attempt.failure.as_ref()?.signature.clone())).collect(),
                split: crate::knowledge::split::progress(r, &claim.feature)?,
                learns_work: ralph_rag::episode::learns_work(&learning, &evidence),
                evidence,
                exposed,
            })
        })?;
        Ok((facts, committed))
    }
}

fn ready_tasks(r: &Read<'_>, prepared: &PreparedRun, only: Option<TaskId>, limit: u32) -> Result<Vec<Task>> {
    Ok(if prepared.stacks() { r.ready_or_stacked_tasks(only, limit)? } else { r.ready_tasks(only, limit)? })
}

/// Whether files of a ready task are known: only then does it matter which ones running agents touch.
fn names_files(r: &Read<'_>, prepared: &PreparedRun, only: Option<TaskId>) -> Result<bool> {
    let ready = ready_tasks(r, prepared, only, READY_TASKS)?;
    let ids: Vec<TaskId> = ready.iter().map(|task| task.id).collect();
    Ok(ready.iter().any(|task| !Load::new(task, []).files.is_empty()) || r.files_changed_for(&ids)?.values().any(|files| !files.is_empty()))
}

/// The ready task for a lane, and the reason. `touched` are the files changed so far by running agents.
fn next_task(
    tx: &Tx<'_>,
    prepared: &PreparedRun,
    only: Option<TaskId>,
    touched: &BTreeMap<TaskId, Vec<String>>,
) -> Result<Option<(Task, Option<String>)>> {
    let at_work: Vec<TaskId> = tx.all_running_iterations()?.into_iter().map(|row| row.task).collect();
    let looked = if at_work.is_empty() { 1 } else { READY_TASKS };
    let mut ready = ready_tasks(tx, prepared, only, looked)?;
    let tasks: Vec<TaskId> = ready.iter().map(|task| task.id).chain(at_work.iter().copied()).collect();
    let mut changed = if at_work.is_empty() { BTreeMap::new() } else { tx.files_changed_for(&tasks)? };
    let mut load = |task: &Task| {
        let earlier = changed.remove(&task.id).unwrap_or_default();
        Load::new(task, earlier.into_iter().chain(touched.get(&task.id).into_iter().flatten().cloned()))
    };
    let busy: Vec<Load> = tx.tasks_by_id(&at_work)?.iter().map(&mut load).collect();
    let waiting: Vec<Load> = ready.iter().map(&mut load).collect();
    let Some(choice) = choose(&waiting, &busy) else { return Ok(None) };
    let place = ready.iter().position(|task| task.id == choice.task);
    Ok(place.map(|place| (ready.swap_remove(place), choice.reason)))
}

/// Whether the next attempt would use another model if this one's was refused. `last` is the previous attempt.
fn another_model(r: &Read<'_>, claim: &Claim, last: Option<&Attempt>, settings: &Settings) -> Result<bool> {
    if last.is_some_and(was_refused) {
        return Ok(false);
    }
    let (Some(row), Some(task)) = (r.iteration(claim.iteration)?, r.task(claim.task)?) else { return Ok(false) };
    let Some(run) = r.run(row.run)? else { return Ok(false) };
    let next = choose_model_but(r, &task, (run.strategy, &run.model), settings, (Some(&row.model), &[]))?;
    Ok(next.model != row.model)
}

/// The model of an iteration, if the next attempt would use another one while this one is at its own usage limit.
fn spared(r: &Read<'_>, claim: &Claim, settings: &Settings) -> Result<Option<String>> {
    let (Some(row), Some(task)) = (r.iteration(claim.iteration)?, r.task(claim.task)?) else { return Ok(None) };
    let Some(run) = r.run(row.run)? else { return Ok(None) };
    let next = choose_model(r, &task, (run.strategy, &run.model), settings, std::slice::from_ref(&row.model))?;
    Ok(Some(row.model).filter(|model| *model != next.model))
}

/// Consecutive attempts before this one without any effect. `earlier` is newest first.
fn stalled_before(r: &Read<'_>, claim: &Claim, earlier: &[Attempt], telling: &[IterationId]) -> Result<u32> {
    let rows = r.iterations_of_task(claim.task, STALL_WINDOW)?;
    let mut stalled = 0;
    for (place, attempt) in earlier.iter().enumerate() {
        let Some(row) = rows.iter().find(|row| row.id == attempt.iteration) else { break };
        let known = earlier[place + 1..].iter().filter_map(|older| Some(older.failure.as_ref()?.signature.as_str()));
        let new_failure = attempt.failure.as_ref().is_some_and(|failure| tells_new_failure(attempt.outcome, failure, known));
        if !is_idle(attempt.outcome, &row.evidence, new_failure || telling.contains(&attempt.iteration)) {
            break;
        }
        stalled += 1;
    }
    Ok(stalled)
}

/// Whether one of these would be added, rather than counted as an observation.
fn teaches(r: &Read<'_>, claim: &Claim, learnings: &[String]) -> Result<bool> {
    for text in learnings {
        if crate::knowledge::remember::would_add(r, &claim.feature, text)? {
            return Ok(true);
        }
    }
    Ok(false)
}
