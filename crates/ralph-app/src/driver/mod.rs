//! The driver: the only async loop. It performs the machine's effects and answers each with an event; it decides nothing.

mod caught;
mod commit;
mod ending;
mod events;
mod follower;
mod foreign_rows;
mod gather;
pub(crate) mod guard;
mod judged;
mod kept_aside;
mod lane;
mod later;
mod learning;
mod looking;
#[cfg(test)]
mod newer_journal;
mod parts;
mod prompt_input;
mod recover;
mod recover_log;
pub(crate) mod repository;
#[cfg(test)]
mod simulation;
mod starting;

pub use events::RunEvent;
pub use follower::{Follower, RunEvents, follower};

pub(crate) use commit::settle;
pub(crate) use lane::Before;

use crate::agents::transcript::{exit_words, remark};
use crate::app::App;
use crate::error::Result;
use crate::review::FollowUpEnd;
use crate::rows::find_task;
use crate::runs::PreparedRun;
use crate::runs::stop::RunStop;
use crate::secrets::wash;
use agent_cli::{AgentEvent, AgentExit, StopCause};
use lane::{Lane, LaneResult, News, news_of};
use later::Later;
use ralph_core::run::machine::{Effect, Event, LaneNumber, Machine};
use ralph_core::run::{RunControl, RunState, StopReason};
use ralph_core::task::why_not_ready;
use ralph_core::time::Timestamp;
use sqlite_db::table::Watch;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Interval at which the driver checks its row, its clock and its logs: the latency of a stop, and of text on screen.
const LOOK: Duration = Duration::from_millis(100);
/// Interval at which a running agent's usage is written to its row.
const USAGE_MILLIS: u64 = 2_000;

struct Driver {
    app: Arc<App>,
    prepared: Arc<PreparedRun>,
    machine: Machine,
    events: Option<Follower>,
    /// Entries that the follower has missed since the last one it received.
    untold: u32,
    queue: VecDeque<(LaneNumber, Event)>,
    /// Lane 1 first.
    lanes: Vec<Lane>,
    /// The last lane served.
    heard: LaneNumber,
    watch: Option<Watch>,
    control: RunControl,
    lane_controls: BTreeMap<LaneNumber, RunControl>,
    stop: RunStop,
    /// The reason given to [`RunStop::stop`].
    stopped_because: Option<String>,
    /// When the machine wants to be woken, by the monotonic clock, like all its times.
    wake: Option<Timestamp>,
    beat: Timestamp,
    later: Later,
    /// Whether the run's row is settled.
    over: bool,
    /// How the run ended, when its row took nothing any more.
    failed: Option<(StopReason, String)>,
}

impl Driver {
    async fn work(&mut self) -> Result<()> {
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        self.begin_with_what_is_owed().await?;
        loop {
            while let Some((lane, event)) = self.queue.pop_front() {
                let now = self.app.clock.steady();
                for (lane, effect) in self.machine.step(lane, event, now) {
                    if self.perform(lane, effect).await? {
                        return Ok(());
                    }
                }
            }
            tokio::select! {
                (lane, news) = news_of(&mut self.lanes, self.heard) => {
                    self.heard = lane;
                    match news {
                        News::Agent(events) => self.take(lane, events).await?,
                        News::Done(done) => self.take_done(lane, *done).await,
                    }
                }
                why = self.stop.asked(), if self.stopped_because.is_none() => {
                    self.stopped_because = Some(why);
                    self.wish(RunControl::StopNow);
                }
                _ = look.tick() => self.look().await?,
            }
        }
    }

    /// Queues an event for the whole run.
    fn put(&mut self, event: Event) {
        self.queue.push_back((1, event));
    }

    fn lane(&mut self, lane: LaneNumber) -> &mut Lane {
        &mut self.lanes[lane as usize - 1]
    }

    /// Performs one effect; `true` when the run is over.
    async fn perform(&mut self, lane: LaneNumber, effect: Effect) -> Result<bool> {
        match effect {
            Effect::ClaimNext { only, limited } => self.claim(lane, only, limited),
            Effect::FollowUp { task } => self.do_what_is_owed(lane, task),
            Effect::StartAgent { max_usd } => self.compose(lane, max_usd),
            Effect::StopAgent => {
                if let Some(agent) = &self.lane(lane).agent {
                    agent.stop();
                }
            }
            Effect::Gather { run_check, learnings } => self.gather(lane, run_check, learnings),
            Effect::Cancel => self.lane(lane).stop.stop(StopCause::Run),
            Effect::Commit(commit) => self.commit_and_review(lane, *commit).await?,
            Effect::SetState { state, waiting_until, note } => self.show_state(state, waiting_until, note).await,
            Effect::WakeAt(time) => self.wake = Some(time),
            Effect::End { reason, note } => {
                let id = self.prepared.run.id;
                let note = note.or_else(|| self.stopped_because.clone().filter(|_| reason == StopReason::StoppedNow));
                let only = self.prepared.run.task.filter(|_| reason == StopReason::NothingReady);
                self.persistently(move |app| {
                    let only = only.map(|task| app.db.read(|r| find_task(r, task))).transpose()?;
                    let note = note.clone().or_else(|| only.map(|task| why_not_ready(task.id, task.status)));
                    app.release_run(id, reason, note.as_deref())
                })
                .await?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn show_state(&mut self, state: RunState, waiting_until: Option<Timestamp>, note: Option<String>) {
        let (id, note) = (self.prepared.run.id, note.map(|note| wash::text(&note)));
        let until = waiting_until.map(|time| self.as_people_read(time));
        let shown = self.blocking(move |app| {
            app.write(|tx| Ok(tx.set_run_state(id, state, until, note.as_deref())?))?;
            Ok(app.db.read(|r| r.run(id))?)
        });
        match shown.await {
            Ok(Some(run)) => self.tell(RunEvent::RunChanged { run }).await,
            Ok(None) => {}
            // Only the display is delayed; what matters is written with the next commit, or fails there.
            Err(error) => tracing::warn!("the run's state could not be stored: {error}"),
        }
    }

    /// Handles the result of background work.
    async fn take_done(&mut self, lane: LaneNumber, done: LaneResult) {
        let failed = |error: crate::error::AppError| Event::EffectFailed { message: error.to_string() };
        let event = match done {
            LaneResult::Claimed(Ok(Some(claimed))) => Event::Claimed(Some(self.begin(lane, *claimed).await)),
            LaneResult::Claimed(Ok(None)) => Event::Claimed(None),
            LaneResult::Claimed(Err(error)) => failed(error),
            LaneResult::Composed(composed) => match self.lane(lane).current.as_mut().and_then(|current| current.checkout_fault.take()) {
                Some(fault) => Event::NoCheckout { message: ending::with_hint(&fault) },
                None => match self.start_agent(lane, composed).await {
                    Ok(()) => Event::AgentStarted,
                    Err(error) => Event::AgentUnavailable { message: ending::with_hint(&error) },
                },
            },
            LaneResult::Gathered(Ok((facts, committed))) => {
                if let Some(current) = &mut self.lane(lane).current {
                    current.committed = committed;
                }
                Event::Gathered(facts)
            }
            LaneResult::Gathered(Err(error)) => failed(error),
            LaneResult::FollowedUp { task, end, then } => {
                self.later.room = true;
                match end {
                    FollowUpEnd::Done(merged) => self.later.removals.extend(merged.map(|worktree| *worktree)),
                    FollowUpEnd::PutOff(setback) => {
                        let setback = self.setback_by_the_steady_clock(setback);
                        self.queue.push_back((lane, Event::PutOff { task, setback }));
                    }
                }
                then
            }
            LaneResult::Exited(event) => *event,
        };
        self.queue.push_back((lane, event));
    }

    /// Handles an agent's cleaned output.
    async fn take(&mut self, lane: LaneNumber, events: Vec<AgentEvent>) -> Result<()> {
        for event in events {
            match event {
                AgentEvent::Signal(signal) => {
                    self.learn_from(lane, &signal).await;
                    let event = self.hear(lane, signal).await;
                    self.queue.push_back((lane, event));
                }
                AgentEvent::Stderr(line) => self.note(lane, "stderr", line).await,
                AgentEvent::Exited(exit) => self.take_exit(lane, exit).await?,
            }
        }
        // Immediately: what was said is not lost if this process is killed.
        self.flush_logs();
        Ok(())
    }

    async fn take_exit(&mut self, lane: LaneNumber, exit: AgentExit) -> Result<()> {
        self.lane(lane).agent = None;
        let left_out = self.lane(lane).current.as_mut().and_then(|current| current.log.left_out());
        self.queue.extend(left_out.map(|signal| (lane, Event::Signal(signal))));
        self.note(lane, "exited", exit_words(exit.ending, exit.code, &exit.detail)).await;
        self.flush_logs();
        let mcp_claims = self.mcp_claims(lane).await?;
        let AgentExit { ending, code: exit_code, detail, .. } = exit;
        let refused = self.machine.is_refused(lane);
        match self.lane(lane).current.as_ref().and_then(|current| current.spec.clone()).filter(|_| refused) {
            Some(spec) => {
                self.lane(lane).beside = Some(tokio::spawn(async move {
                    let words = agent_cli::ask_why_refused(spec).await.map(|words| wash::text(&words));
                    LaneResult::Exited(Box::new(Event::AgentExited { ending, exit_code, detail: words.unwrap_or(detail), mcp_claims }))
                }));
            }
            None => self.queue.push_back((lane, Event::AgentExited { ending, exit_code, detail, mcp_claims })),
        }
        Ok(())
    }

    async fn note(&mut self, lane: LaneNumber, kind: &str, text: impl Into<String>) {
        let entry = remark(self.app.clock.now(), kind, text);
        self.log(lane, entry).await;
    }

    /// Database and file work, off the loop's thread.
    async fn blocking<T: Send + 'static>(&self, f: impl FnOnce(&App) -> Result<T> + Send + 'static) -> Result<T> {
        blocking(&self.app, f).await
    }
}

/// The same for background work.
async fn blocking<T: Send + 'static>(app: &Arc<App>, f: impl FnOnce(&App) -> Result<T> + Send + 'static) -> Result<T> {
    let app = Arc::clone(app);
    let work = move || {
        app.faults.point()?;
        f(&app)
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    }
}
