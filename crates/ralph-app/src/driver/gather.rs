//! Before and after the agent: the claim, and the facts that the hooks judge by.

use super::repository::RepoBefore;
use super::{Current, Driver, RunEvent};
use crate::App;
use crate::driver::prompt_input::{choose_model, choose_model_but, was_refused};
use crate::driver::transcript::EventLog;
use crate::error::{AppError, Result};
use crate::guard::OwnFiles;
use agent_cli::{CheckSpec, RunMarks, StopHandle};
use ralph_core::run::attempt::Attempt;
use ralph_core::run::hooks::{Claim, Facts, is_idle, tells_new_failure};
use ralph_core::run::{CheckResult, Evidence, Iteration, Run};
use ralph_core::sigil::TaskClaim;
use ralph_core::signal::Usage;
use ralph_core::stats::hold_out;
use ralph_core::task::{Task, TaskStatus};
use ralph_core::time::Timestamp;
use ralph_core::view::Settings;
use ralph_core::{IterationId, TaskId};
use serde::{Deserialize, Serialize};
use sqlite_db::Read;
use sqlite_db::table::NewIteration;
use std::sync::Arc;

/// Salt of the hold-out: every project draws the same lot for the same task and attempt, so that a run can be repeated.
const HOLD_OUT_SALT: u64 = 0;
/// Iterations that are looked at for a stall.
const STALL_WINDOW: u32 = 20;

/// How things stood before the agent started.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Before {
    #[serde(with = "shared")]
    repo: Option<Arc<RepoBefore>>,
    /// Not kept: after a kill nobody can tell an agent's changes from a person's, and what was changed waits for a yes all the same.
    #[serde(skip)]
    own_files: Option<Arc<OwnFiles>>,
}

/// What is behind an `Arc`, kept by itself.
mod shared {
    use super::{Arc, Deserialize, RepoBefore, Serialize};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(shared: &Option<Arc<RepoBefore>>, serializer: S) -> Result<S::Ok, S::Error> {
        shared.as_deref().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arc<RepoBefore>>, D::Error> {
        Ok(Option::<RepoBefore>::deserialize(deserializer)?.map(Arc::new))
    }
}

impl Driver {
    /// Claims the next ready task: its status, the iteration's row and the attempt's number in one commit.
    pub(super) async fn claim(&mut self, only: Option<TaskId>) -> Result<Option<Claim>> {
        let prepared = Arc::clone(&self.prepared);
        let run = prepared.run.id;
        let claimed = self.blocking(move |app| app.claim(&prepared.run, &prepared.settings, only)).await?;
        let Some((claim, task, iteration)) = claimed else { return Ok(None) };
        let number = claim.iteration;
        let (before, replica) = self
            .blocking(move |app| {
                let before = app.before(number)?;
                app.keep_before(number, &before);
                app.bring_into_file();
                Ok((before, app.db.read(|r| r.own())?.replica))
            })
            .await?;
        let marks = RunMarks {
            project: self.app.paths.root.clone(),
            run,
            iteration: claim.iteration,
            task: claim.task,
            attempt: claim.attempt,
            task_title: task.title,
            feature: claim.feature.clone(),
            replica,
        };
        let log = EventLog::create(self.app.paths.files(), &self.app.log_path(claim.iteration))?;
        self.check_stop = StopHandle::new();
        self.current = Some(Current {
            claim: claim.clone(),
            iteration: iteration.clone(),
            marks,
            before,
            log,
            spec: None,
            used: (Usage::default(), Timestamp::default()),
        });
        self.tell(RunEvent::IterationStarted { iteration }).await;
        Ok(Some(claim))
    }

    /// What the agent claimed through MCP, in order.
    pub(super) async fn mcp_claims(&self) -> Result<Vec<TaskClaim>> {
        let Some(current) = &self.current else { return Ok(Vec::new()) };
        let iteration = current.claim.iteration;
        let signals = self.blocking(move |app| Ok(app.db.read(|r| r.iteration_signals(iteration))?)).await?;
        Ok(signals.into_iter().map(|done| TaskClaim { done, task: None }).collect())
    }

    /// Starts gathering beside the loop, so that a check can be cancelled.
    pub(super) fn gather(&mut self, run_check: bool, learnings: Vec<String>) {
        let Some(current) = &self.current else { return };
        let (app, claim, before, stop) = (Arc::clone(&self.app), current.claim.clone(), current.before.clone(), self.check_stop.clone());
        let command = self.prepared.check.clone().filter(|_| run_check);
        // Not the prepared run itself: it holds the run's lock, which must go with the driver.
        let settings = self.prepared.settings.clone();
        let pass_env = settings.pass_env.clone();
        let spec = command.map(|command| CheckSpec::new(command, self.app.paths.root.clone(), current.marks.clone(), pass_env));
        self.gathering = Some(tokio::spawn(async move {
            let check = match &spec {
                Some(spec) => Some(agent_cli::run_check(spec, &stop).await),
                None => None,
            };
            match tokio::task::spawn_blocking(move || app.facts(&claim, &before, &settings, check, &learnings)).await {
                Ok(facts) => facts,
                Err(panic) => std::panic::resume_unwind(panic.into_panic()),
            }
        }));
    }
}

impl App {
    /// Claims first, then chooses the model: no other process can take the task meanwhile.
    fn claim(&self, run: &Run, settings: &Settings, only: Option<TaskId>) -> Result<Option<(Claim, Task, Iteration)>> {
        let now = self.clock.now();
        self.write(|tx| {
            let Some(task) = tx.next_ready_task(only)? else { return Ok(None) };
            let attempt = tx.attempts_at(task.id)? + 1;
            tx.set_task_status(task.id, TaskStatus::InProgress, None, now)?;
            let choice = choose_model(tx, &task, run.strategy, &run.model, settings)?;
            let new = NewIteration {
                run: run.id,
                task: task.id,
                task_title: task.title.clone(),
                attempt,
                model: choice.model,
                rationale: choice.rationale,
                held_out: hold_out(task.id, attempt, run.hold_out, HOLD_OUT_SALT),
            };
            let iteration = tx.insert_iteration(&new, now)?;
            let feature = crate::rows::find_feature(tx, &task.feature)?;
            tx.set_saturation_before(iteration, tx.saturation_of(&feature, settings.max_learnings)?.saturation_pct)?;
            let row = tx.iteration(iteration)?.ok_or_else(|| AppError::not_found("iteration", iteration))?;
            let claim = Claim { task: task.id, kind: task.kind, feature: task.feature.clone(), iteration, attempt };
            Ok(Some((claim, task, row)))
        })
    }

    /// Writes what a working agent has used so far, unless somebody else is writing. The cost is an estimate by the model that answered.
    pub(super) fn keep_usage(&self, iteration: IterationId, used: &Usage) -> Result<()> {
        match self.db.try_writer()? {
            Some(mut writer) => Ok(writer.transaction(|tx| tx.set_usage(iteration, used))?),
            None => Ok(()),
        }
    }

    fn before(&self, iteration: IterationId) -> Result<Before> {
        let repo = self.repo_before(iteration);
        if let Some(repo) = &repo {
            // Known from now on, also to who looks meanwhile and to who finds this iteration without its owner.
            self.write(|tx| Ok(tx.set_evidence(iteration, &repo.evidence())?))?;
        }
        Ok(Before { repo: repo.map(Arc::new), own_files: Some(Arc::new(self.own_files())) })
    }

    /// How things stood before an agent started of whom only the log is left.
    pub(crate) fn unknown_before() -> Before {
        Before { repo: None, own_files: None }
    }

    pub(crate) fn facts(
        &self,
        claim: &Claim,
        before: &Before,
        settings: &Settings,
        check: Option<CheckResult>,
        learnings: &[String],
    ) -> Result<Facts> {
        let ralph_files = before.own_files.as_ref().map(|old| self.changes_since(old)).unwrap_or_default();
        let evidence = crate::wash::evidence(Evidence { check, ralph_files, ..self.evidence(before.repo.as_deref()) });
        self.db.read(|r| {
            let earlier = r.attempts(claim.task, STALL_WINDOW)?;
            let teaching = r.teaching_iterations(claim.task)?;
            Ok(Facts {
                consecutive_failures: crate::rows::find_task(r, claim.task)?.consecutive_failures,
                stalled_before: stalled_before(r, claim, &earlier, &teaching)?,
                taught: teaching.contains(&claim.iteration) || teaches(r, claim, learnings)?,
                another_model: another_model(r, claim, earlier.first(), settings)?,
                known_failures: earlier.iter().filter_map(|attempt| Some(attempt.failure.as_ref()?.signature.clone())).collect(),
                split: crate::knowledge::split::progress(r, &claim.feature)?,
                evidence,
            })
        })
    }
}

/// Whether the next attempt would be made by another model, were this one's refused. `last` is the attempt before.
fn another_model(r: &Read<'_>, claim: &Claim, last: Option<&Attempt>, settings: &Settings) -> Result<bool> {
    if last.is_some_and(was_refused) {
        return Ok(false);
    }
    let (Some(row), Some(task)) = (r.iteration(claim.iteration)?, r.task(claim.task)?) else { return Ok(false) };
    let Some(run) = r.run(row.run)? else { return Ok(false) };
    let next = choose_model_but(r, &task, (run.strategy, &run.model), settings, Some(&row.model))?;
    Ok(next.model != row.model)
}

/// Attempts in a row before this one that left nothing. `earlier` is newest first.
fn stalled_before(r: &Read<'_>, claim: &Claim, earlier: &[Attempt], teaching: &[IterationId]) -> Result<u32> {
    let rows = r.iterations_of_task(claim.task, STALL_WINDOW)?;
    let mut stalled = 0;
    for (place, attempt) in earlier.iter().enumerate() {
        let Some(row) = rows.iter().find(|row| row.id == attempt.iteration) else { break };
        let known = earlier[place + 1..].iter().filter_map(|older| Some(older.failure.as_ref()?.signature.as_str()));
        let new_failure = attempt.failure.as_ref().is_some_and(|failure| tells_new_failure(attempt.outcome, failure, known));
        if !is_idle(attempt.outcome, &row.evidence, new_failure || teaching.contains(&attempt.iteration)) {
            break;
        }
        stalled += 1;
    }
    Ok(stalled)
}

/// Whether the door would add one of these, rather than observe what it knows.
fn teaches(r: &Read<'_>, claim: &Claim, learnings: &[String]) -> Result<bool> {
    for text in learnings {
        if crate::knowledge::remember::would_add(r, &claim.feature, text)? {
            return Ok(true);
        }
    }
    Ok(false)
}
