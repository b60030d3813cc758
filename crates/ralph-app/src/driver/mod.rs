//! The driver: the only async loop. It performs the machine's effects and answers each with an event; it decides nothing.

mod commit;
mod ending;
mod events;
mod follower;
mod gather;
mod hearing;
mod parts;
mod prompt_input;
mod recover;
mod recover_log;
mod repository;
#[cfg(test)]
mod simulation;
mod starting;
mod transcript;

use ending::not_now;
pub use events::RunEvent;
pub use follower::{Follower, RunEvents, follower};

pub(crate) use commit::settle;
pub(crate) use gather::Before;

use crate::driver::transcript::{EventLog, exit_words, remark};
use crate::error::Result;
use crate::run_stop::RunStop;
use crate::runs::PreparedRun;
use crate::{App, wash};
use agent_cli::{AgentEvent, AgentExit, AgentSpec, RunMarks, StopCause, StopHandle};
use hearing::Hearing;
use ralph_core::limits;
use ralph_core::run::hooks::{Claim, Facts};
use ralph_core::run::machine::{Effect, Event, Machine};
use ralph_core::run::{Iteration, RunControl, StopReason};
use ralph_core::signal::{AgentSignal, TranscriptEntry, TranscriptSignal, Usage};
use ralph_core::time::Timestamp;
use sqlite_db::table::Watch;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// How often the driver looks at its row, its clock and its log: a stop is seen, and text is shown, within this time.
const LOOK: Duration = Duration::from_millis(100);
/// How often what a working agent has used so far is written to its row.
const USAGE_MILLIS: u64 = 2_000;

/// The iteration at work.
struct Current {
    claim: Claim,
    iteration: Iteration,
    marks: RunMarks,
    before: Before,
    log: EventLog,
    /// How its agent was started.
    spec: Option<AgentSpec>,
    /// What it had used when that was last written, and when.
    used: (Usage, Timestamp),
}

struct Driver {
    app: Arc<App>,
    prepared: Arc<PreparedRun>,
    machine: Machine,
    events: Option<Follower>,
    /// Entries that whoever follows the run did not take since the last one that they did.
    untold: u32,
    queue: VecDeque<Event>,
    current: Option<Current>,
    agent: Option<Hearing>,
    check_stop: StopHandle,
    gathering: Option<JoinHandle<Result<Facts>>>,
    /// The agent's end, while the provider is asked for its words.
    asking: Option<JoinHandle<Event>>,
    watch: Option<Watch>,
    control: RunControl,
    stop: RunStop,
    /// What [`RunStop::stop`] was told.
    stopped_because: Option<String>,
    /// When the machine wants to be woken, by the steady clock, as all its times.
    wake: Option<Timestamp>,
    beat: Timestamp,
    /// Whether the run's row is settled.
    over: bool,
}

impl Driver {
    async fn work(&mut self) -> Result<()> {
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            while let Some(event) = self.queue.pop_front() {
                let now = self.app.clock.steady();
                for effect in self.machine.step(event, now) {
                    if self.perform(effect).await? {
                        return Ok(());
                    }
                }
            }
            tokio::select! {
                events = next_events(&mut self.agent) => self.take(events).await?,
                facts = outcome_of(&mut self.gathering) => {
                    self.gathering = None;
                    self.queue.push_back(match facts {
                        Ok(facts) => Event::Gathered(Box::new(facts)),
                        Err(error) => Event::EffectFailed { message: error.to_string() },
                    });
                }
                exited = outcome_of(&mut self.asking) => {
                    self.asking = None;
                    self.queue.push_back(exited);
                }
                why = self.stop.asked(), if self.stopped_because.is_none() => {
                    self.stopped_because = Some(why);
                    self.control = RunControl::StopNow;
                    self.queue.push_back(Event::Control(RunControl::StopNow));
                }
                _ = look.tick() => self.look().await?,
            }
        }
    }

    /// Performs one effect; `true` when the run is over.
    async fn perform(&mut self, effect: Effect) -> Result<bool> {
        match effect {
            Effect::ClaimNext { only } => {
                let event = match self.claim(only).await {
                    Ok(claim) => Event::Claimed(claim),
                    Err(error) => Event::EffectFailed { message: error.to_string() },
                };
                self.queue.push_back(event);
            }
            Effect::StartAgent => {
                let event = match self.start_agent().await {
                    Ok(()) => Event::AgentStarted,
                    Err(error) => Event::AgentUnavailable { message: error.to_string() },
                };
                self.queue.push_back(event);
            }
            Effect::StopAgent => {
                if let Some(agent) = &self.agent {
                    agent.stop();
                }
            }
            Effect::Gather { run_check, learnings } => self.gather(run_check, learnings),
            Effect::CancelCheck => self.check_stop.stop(StopCause::Person),
            Effect::Commit(commit) => {
                let event = match self.commit(*commit).await {
                    Ok(cost_usd) => Event::Committed { cost_usd },
                    Err(error) => Event::EffectFailed { message: error.to_string() },
                };
                // A wish that came while the iteration ended holds before the next one is claimed.
                self.look().await?;
                self.queue.push_back(event);
            }
            Effect::SetState { state, waiting_until, note } => {
                let (id, note) = (self.prepared.run.id, note.map(|note| wash::text(&note)));
                let until = waiting_until.map(|time| self.as_people_read(time));
                let shown = self.blocking(move |app| {
                    app.write(|tx| Ok(tx.set_run_state(id, state, until, note.as_deref())?))?;
                    Ok(app.db.read(|r| r.run(id))?)
                });
                match shown.await {
                    Ok(Some(run)) => self.tell(RunEvent::RunChanged { run }).await,
                    Ok(None) => {}
                    // Only what is shown is late; whatever matters is written again with the next commit, or fails there.
                    Err(error) => tracing::warn!("the run's state could not be stored: {error}"),
                }
            }
            Effect::WakeAt(time) => self.wake = Some(time),
            Effect::End { reason, note } => {
                let id = self.prepared.run.id;
                let note = note.or_else(|| self.stopped_because.clone().filter(|_| reason == StopReason::StoppedNow));
                self.persistently(move |app| app.release_run(id, reason, note.as_deref())).await?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes what the agent has sent, as it came out of the wash.
    async fn take(&mut self, events: Vec<AgentEvent>) -> Result<()> {
        for event in events {
            match event {
                AgentEvent::Signal(signal) => {
                    self.keep(&signal).await;
                    self.queue.push_back(Event::Signal(self.by_the_steady_clock(signal)));
                }
                AgentEvent::Stderr(line) => self.note("stderr", line).await,
                AgentEvent::Exited(exit) => {
                    self.agent = None;
                    self.queue.extend(self.current.as_mut().and_then(|current| current.log.left_out()).map(Event::Signal));
                    self.note("exited", exit_words(exit.ending, exit.code, &exit.detail)).await;
                    self.flush_log();
                    let mcp_claims = self.mcp_claims().await?;
                    let AgentExit { ending, code: exit_code, detail, .. } = exit;
                    match self.current.as_ref().and_then(|current| current.spec.clone()).filter(|_| self.machine.is_refused()) {
                        Some(spec) => {
                            self.asking = Some(tokio::spawn(async move {
                                let words = agent_cli::ask_why_refused(spec).await.map(|words| wash::text(&words));
                                Event::AgentExited { ending, exit_code, detail: words.unwrap_or(detail), mcp_claims }
                            }));
                        }
                        None => self.queue.push_back(Event::AgentExited { ending, exit_code, detail, mcp_claims }),
                    }
                }
            }
        }
        // At once: what was said is not lost when this process is killed.
        self.flush_log();
        Ok(())
    }

    /// Looks at the row (a person's wishes), the clock and the lease; lets readers see the log.
    async fn look(&mut self) -> Result<()> {
        self.flush_log();
        // SQLite would go on with a file that was moved or deleted, and the agent with a folder that nobody sees.
        self.app.db.still_there()?;
        let now = self.app.clock.steady();
        if self.wake.is_some_and(|time| time <= now) {
            self.wake = None;
            self.queue.push_back(Event::Tick);
        }
        let id = self.prepared.run.id;
        if now.millis_since(self.beat) >= limits::HEARTBEAT_MILLIS {
            self.beat = now;
            agent_cli::reap_adopted();
            // Only an onlooker on another machine needs it: it waits for nobody, and the next one may come through.
            self.blocking(move |app| app.beat(id).or_else(|error| not_now("no heartbeat", &error))).await?;
            self.queue.push_back(Event::Tick);
        }
        self.keep_usage(now).await?;
        match self.control_in_row().await {
            Ok(Some(control)) if control != self.control && self.control != RunControl::StopNow => {
                self.control = control;
                self.queue.push_back(Event::Control(control));
            }
            Ok(_) => {}
            Err(error) => {
                // Looked at again in a moment. The watch has told what it saw, so a new one is made.
                self.watch = None;
                tracing::warn!("the run's row could not be read: {error}");
            }
        }
        Ok(())
    }

    /// What a person wishes, when something was committed since the last look.
    async fn control_in_row(&mut self) -> Result<Option<RunControl>> {
        let watch = match &mut self.watch {
            Some(watch) => watch,
            none => none.insert(self.app.db.watch()?),
        };
        if !watch.moved()? {
            return Ok(None);
        }
        let id = self.prepared.run.id;
        let row = self.blocking(move |app| Ok(app.db.read(|r| r.run(id))?)).await?;
        Ok(Some(row.map_or(RunControl::StopNow, |run| run.control)))
    }

    /// Logs what the agent did or said.
    async fn keep(&mut self, signal: &AgentSignal) {
        let entry = TranscriptEntry { at: self.app.clock.now(), signal: TranscriptSignal::Agent { signal: signal.clone() } };
        self.log(entry).await;
    }

    /// Writes what the agent has used so far, for whoever looks, and for whoever finds this iteration without its log.
    async fn keep_usage(&mut self, now: Timestamp) -> Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let (written, at) = current.used;
        let used = match self.machine.used() {
            Some(used) if used != written && now.millis_since(at) >= USAGE_MILLIS => used,
            _ => return Ok(()),
        };
        current.used = (used, now);
        let iteration = current.claim.iteration;
        // It waits for nobody: the next look comes soon.
        self.blocking(move |app| app.keep_usage(iteration, &used).or_else(|error| not_now("the cost so far is not shown", &error))).await
    }

    /// A time of the steady clock as the clock on the wall shows it, as far as that can be told now.
    fn as_people_read(&self, steady: Timestamp) -> Timestamp {
        let clock = &self.app.clock;
        Timestamp(steady.0.saturating_add(clock.now().0.saturating_sub(clock.steady().0)))
    }

    /// The signal with its times by the steady clock, which the machine measures with.
    fn by_the_steady_clock(&self, signal: AgentSignal) -> AgentSignal {
        match signal {
            AgentSignal::RateLimit { rejected, resets_at, limit } => {
                let clock = &self.app.clock;
                let ahead = clock.now().0.saturating_sub(clock.steady().0);
                AgentSignal::RateLimit { rejected, resets_at: resets_at.map(|at| Timestamp(at.0.saturating_sub(ahead))), limit }
            }
            other => other,
        }
    }

    async fn note(&mut self, kind: &str, text: impl Into<String>) {
        let entry = remark(self.app.clock.now(), kind, text);
        self.log(entry).await;
    }

    /// Work on the database and on files, off the loop's own thread.
    async fn blocking<T: Send + 'static>(&self, f: impl FnOnce(&App) -> Result<T> + Send + 'static) -> Result<T> {
        let app = Arc::clone(&self.app);
        let work = move || {
            app.faults.point()?;
            f(&app)
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
}

async fn next_events(agent: &mut Option<Hearing>) -> Vec<AgentEvent> {
    match agent {
        Some(agent) => agent.next().await,
        None => std::future::pending().await,
    }
}

/// What a task beside the loop came to; waits for ever where there is none.
async fn outcome_of<T>(task: &mut Option<JoinHandle<T>>) -> T {
    match task {
        Some(handle) => match handle.await {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        },
        None => std::future::pending().await,
    }
}
