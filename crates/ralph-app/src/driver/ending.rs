//! Beginning and end of a run: whatever fails on the way, its locks and claims are released, and its agents' words are kept.

use super::caught::{caught, not_now};
use super::lane::Lane;
use super::later::Later;
use super::{Driver, Follower, LaneNumber, RunEvent};
use crate::app::App;
use crate::error::{AppError, Result};
use crate::runs::PreparedRun;
use crate::runs::stop::RunStop;
use agent_cli::{AgentEvent, StopCause, StopHandle};
use ralph_core::run::machine::{Machine, MachineConfig};
use ralph_core::run::{Run, RunControl, StopReason};
use ralph_core::view::CommandError;
use sqlite_db::DbError;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Time an agent gets to end when the loop itself has failed: longer than the stop ladder.
const LAST_PATIENCE: Duration = Duration::from_secs(8);
/// Time the end of a run waits for lessons of a model; the rest waits for the next time.
const LESSONS_PATIENCE: Duration = Duration::from_secs(60);
/// Pauses between attempts at a necessary write: other writers take turns, and disks are freed.
const WRITE_PAUSES: [Duration; 3] =
    [Duration::from_millis(LAST_PAUSE_MILLIS / 40), Duration::from_millis(LAST_PAUSE_MILLIS / 4), Duration::from_millis(LAST_PAUSE_MILLIS)];
/// The simulation waits at a hundred places for permanent faults.
const LAST_PAUSE_MILLIS: u64 = if cfg!(test) { 10 } else { 2_000 };
/// Note on a run whose process continued without it.
const DROPPED: &str = "Ralph was closed while it worked; its task is free again";

/// Message and way out on one line, for places that show nothing else of an error.
pub(super) fn with_hint(error: &AppError) -> String {
    let CommandError { message, hint, .. } = error.into();
    if hint.is_empty() { message } else { format!("{message}; {hint}") }
}

impl App {
    /// Drives a prepared run to its end and returns its row. `events` may be followed; a follower that disconnects is not an error.
    /// Dropping the future stops the run: its agent is stopped, and its task is released.
    pub async fn drive(self: &Arc<Self>, prepared: PreparedRun, events: Option<Follower>) -> Result<Run> {
        let mut driver = Driver::new(Arc::clone(self), prepared, events);
        let (id, began) = (driver.prepared.run.id, driver.prepared.run.started);
        driver.tell(RunEvent::RunStarted { run: driver.prepared.run.clone() }).await;
        if let Err(error) = caught(driver.work()).await {
            tracing::error!("run {id} failed: {error}");
            driver.give_up(&error).await?;
            if reason_of(&error) == StopReason::ProjectGone {
                // The steps after a run would only say again that there is no project.
                return Err(error);
            }
        }
        driver.over = true;
        // The run has ended: follow-up work may fail, even by a panic, without affecting it.
        let stop = driver.stop.clone();
        if driver.control == RunControl::StopNow {
            // Also from another process.
            stop.stop("it was stopped");
        }
        let asked = stop.clone();
        let look = self.blocking(move |app| app.look_after(&asked));
        let follow_up = async { (caught(self.extract_after_run(&stop)).await, caught(look).await) };
        // A run that was stopped is over at once, however long its worktrees take to go.
        let ((extracted, looked), ()) = tokio::join!(follow_up, driver.finish_later());
        let prune = move |app: &App| app.prune_after_run(began).or_else(|error| not_now("old worktrees were not looked at", &error));
        let pruned = caught(self.blocking(prune)).await;
        for done in [extracted, looked, pruned] {
            done.or_else(|error| not_now("something is left for the end of the next run", &error))?;
        }
        let (run, result) = self
            .blocking(move |app| {
                let run = app.run(id)?.run;
                let result = app.run_result(&run)?;
                Ok((run, result))
            })
            .await?;
        driver.tell(RunEvent::RunEnded { run: run.clone(), result }).await;
        Ok(run)
    }

    /// Maintenance at the end of every run. Whoever stops the run does not wait for code and memories to be read.
    fn look_after(&self, stop: &RunStop) -> Result<()> {
        // Other runs of the project may go on.
        self.end_hold_when_idle().or_else(|error| not_now("settings and rules still wait for a yes", &error))?;
        self.thin_failures().map(drop).or_else(|error| not_now("old failure reports were not thinned", &error))?;
        self.learn_from_code_until(&|| stop.is_asked());
        self.keep_first_audit_of_day_or_warn(&|| stop.is_asked());
        self.withdraw_dead_ends_or_warn();
        self.escalate_consolidation().map(drop).or_else(|error| not_now("whether a consolidation is due was not looked at", &error))?;
        self.backup().map(drop).or_else(|error| not_now("no copy of the database was made", &error))
    }

    /// Requests pending lessons, if a person opted in to a model for them. Whoever stopped the run does not wait for it.
    async fn extract_after_run(self: &Arc<Self>, stop: &RunStop) -> Result<()> {
        let handle = StopHandle::new();
        let mut asking = Box::pin(self.extract_lessons(LESSONS_PATIENCE, &handle));
        let done = tokio::select! {
            biased;
            _ = stop.asked() => {
                handle.stop(StopCause::Person);
                asking.await
            }
            done = &mut asking => done,
        };
        done.map(drop).or_else(|error| not_now("automatic learning", &error))
    }
}

impl Driver {
    fn new(app: Arc<App>, prepared: PreparedRun, events: Option<Follower>) -> Driver {
        let config = MachineConfig {
            limits: prepared.run.limits,
            only_task: prepared.run.task,
            max_attempts: prepared.settings.max_attempts,
            has_check: prepared.run.check.is_some(),
            stall_stop: Some(prepared.settings.stall_stop).filter(|iterations| *iterations > 0),
            workers: prepared.run.workers,
        };
        let now = app.clock.steady();
        let lanes = (1..=prepared.run.workers.max(1)).map(Lane::new).collect();
        Driver {
            machine: Machine::new(config, now),
            stop: prepared.stop.clone(),
            prepared: Arc::new(prepared),
            events,
            untold: 0,
            queue: VecDeque::new(),
            lanes,
            heard: 0,
            watch: None,
            control: RunControl::None,
            lane_controls: BTreeMap::new(),
            stopped_because: None,
            wake: None,
            beat: now,
            later: Later::default(),
            over: false,
            failed: None,
            app,
        }
    }

    /// The loop itself failed: stops what is running, keeps what was said, and releases everything.
    async fn give_up(&mut self, error: &AppError) -> Result<()> {
        for lane in &self.lanes {
            lane.stop.stop(StopCause::Run);
            lane.agent.as_ref().inspect(|agent| agent.stop());
        }
        // Their remaining output is kept too; an agent that does not end is killed when dropped.
        let _ = tokio::time::timeout(LAST_PATIENCE, self.hear_out()).await;
        for at in 0..self.lanes.len() {
            let lane = &mut self.lanes[at];
            lane.agent = None;
            if let Some(beside) = lane.beside.take() {
                // A check is ended by the stop above; its result comes too late.
                let _ = tokio::time::timeout(LAST_PATIENCE, beside).await;
            }
            let lane = &mut self.lanes[at];
            if let (Some(current), Some(used)) = (&mut lane.current, self.machine.used(lane.number)) {
                let iteration = current.claim.iteration;
                if let Some(log) = current.log.gone_from(&self.app.log_path(iteration)) {
                    let held = self.app.hold_log(&current.marks.replica, iteration, log);
                    held.or_else(|error| not_now("what the agent said is gone with the folder", &error))?;
                }
                let kept = self.blocking(move |app| app.keep_last_usage(iteration, &used)).await;
                kept.or_else(|error| not_now("the cost so far is not kept", &error))?;
            }
            self.lanes[at].current = None;
        }
        let (id, reason, note) = (self.prepared.run.id, reason_of(error), with_hint(error));
        let (told, is_moved) = (note.clone(), matches!(error, AppError::Db(DbError::Gone { .. })));
        let end = move |app: &App| if is_moved { app.end_moved_run(id, &told) } else { app.release_run(id, reason, Some(&told)) };
        if let Err(refused) = self.persistently(end).await {
            let kept = self.app.keep_last_words(id, self.prepared.slot(), reason, &note);
            kept.or_else(|error| not_now("why the run ended is not kept", &error))?;
            self.failed = Some((reason, note));
            return Err(refused);
        }
        if reason == StopReason::ProjectGone {
            self.blocking(App::save_what_is_open).await.or_else(|error| not_now("the last writes may be missing", &error))?;
        }
        self.over = true;
        Ok(())
    }

    /// Keeps the remaining output of stopped agents until they exit.
    async fn hear_out(&mut self) {
        for lane in 1..=LaneNumber::try_from(self.lanes.len()).unwrap_or(LaneNumber::MAX) {
            while let Some(agent) = &mut self.lane(lane).agent {
                for event in agent.next().await {
                    match event {
                        AgentEvent::Signal(signal) => {
                            let event = self.hear(lane, signal).await;
                            self.machine.step(lane, event, self.app.clock.steady());
                        }
                        AgentEvent::Stderr(line) => self.note(lane, "stderr", line).await,
                        AgentEvent::Exited(_) => self.lane(lane).agent = None,
                    }
                }
            }
        }
    }

    /// Necessary work: retried after a while, since others write too. Returns the last error.
    pub(super) async fn persistently<T: Send + 'static>(&self, f: impl Fn(&App) -> Result<T> + Clone + Send + 'static) -> Result<T> {
        for pause in WRITE_PAUSES {
            match caught(self.blocking(f.clone())).await {
                Err(error) if is_worth_another_try(&error) => tracing::warn!("tried again: {error}"),
                done => return done,
            }
            tokio::time::sleep(pause).await;
        }
        caught(self.blocking(f)).await
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        for lane in &mut self.lanes {
            lane.stop.stop(StopCause::Run);
            // Dropped before its row is settled, so that it is already being stopped when the task is released.
            lane.agent = None;
        }
        self.flush_logs();
        let dropped = || (StopReason::StoppedNow, self.stopped_because.clone().unwrap_or_else(|| DROPPED.to_owned()));
        // There may be room now for the end that could not be stored a moment ago.
        let (reason, note) = self.failed.take().unwrap_or_else(dropped);
        if let Err(error) = self.app.release_run_if_free(self.prepared.run.id, reason, &note) {
            // The lock is released with this driver, so the next check finds a run without an owner.
            tracing::warn!("the run's task is not free yet: {error}");
        }
        if let Err(error) = self.app.drop_spares() {
            tracing::warn!("worktrees made ahead stay until the next look: {error}");
        }
    }
}

/// Whether a retry can help: not with a missing file, but an internal error may have been transient.
fn is_worth_another_try(error: &AppError) -> bool {
    !matches!(error, AppError::Db(DbError::Gone { .. } | DbError::Replaced { .. } | DbError::ReadOnly))
}

fn reason_of(error: &AppError) -> StopReason {
    match error {
        AppError::Db(DbError::Gone { .. } | DbError::Replaced { .. }) => StopReason::ProjectGone,
        _ => StopReason::InternalError,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::testing::Kind;
    use crate::runs::testing::prepared;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_run_whose_end_found_no_room_tells_why_once_there_is_some() {
        let (_folder, app, prepared) = prepared().await;
        let run = prepared.run.id;
        app.faults.plan(Kind::Stays, 0);
        app.drive(prepared, None).await.expect_err("there is no room");
        assert!(app.faults.end());
        app.recover().unwrap();
        let ended = app.run(run).unwrap().run;
        assert_eq!(ended.stop_reason, Some(StopReason::InternalError), "{ended:?}");
        assert!(ended.note.as_deref().is_some_and(|note| note.contains("disk is full")), "{ended:?}");
    }

    #[test]
    fn a_missing_work_folder_is_no_missing_agent() {
        let told = with_hint(&AppError::AgentStart(agent_cli::AgentError::WorkFolder { folder: "/gone".into() }));
        assert!(told.contains("/gone") && told.contains("bring that folder back") && !told.contains("install"), "{told}");
    }
}
