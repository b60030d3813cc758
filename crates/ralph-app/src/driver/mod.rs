//! The driver: the only async loop. It performs the machine's effects and answers each with an event; it decides nothing.

mod commit;
mod gather;

use crate::App;
use crate::error::{AppError, Result};
use crate::files::Readers;
use crate::runs::{PreparedRun, ralph_program};
use crate::transcript::{EventLog, kept, remark};
use agent_cli::{AgentEvent, AgentSpec, McpServerSpec, RunMarks, RunningAgent, StopCause, StopHandle, WatchLimits};
use gather::Before;
use ralph_core::discipline::Discipline;
use ralph_core::limits;
use ralph_core::run::hooks::{Claim, Facts};
use ralph_core::run::machine::{Effect, Event, Machine, MachineConfig};
use ralph_core::run::{Iteration, Run, RunControl, StopReason};
use ralph_core::sigil::TaskClaim;
use ralph_core::signal::{TranscriptEntry, TranscriptSignal};
use ralph_core::time::Timestamp;
use serde::Serialize;
use sqlite_db::table::Watch;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// How often the driver looks at its row, its clock and its log: a stop is seen, and text is shown, within this time.
const LOOK: Duration = Duration::from_millis(100);
/// Agent events taken in one go before the rest of the world is looked at again.
const EVENTS_AT_ONCE: usize = 512;

/// What someone who started a run may follow, in order. The window reads rows and log files instead.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunEvent {
    /// The run began.
    RunStarted {
        /// Its row.
        run: Run,
    },
    /// An iteration began.
    IterationStarted {
        /// Its row.
        iteration: Iteration,
    },
    /// Something was said or done.
    Entry {
        /// In which iteration.
        iteration: u32,
        /// What.
        entry: TranscriptEntry,
    },
    /// An iteration was committed.
    IterationSettled {
        /// Its row.
        iteration: Iteration,
    },
    /// The run is over.
    RunEnded {
        /// Its row.
        run: Run,
    },
}

/// The iteration at work.
struct Current {
    claim: Claim,
    iteration: Iteration,
    marks: RunMarks,
    before: Before,
    log: EventLog,
}

struct Driver {
    app: Arc<App>,
    prepared: Arc<PreparedRun>,
    machine: Machine,
    events: Option<mpsc::Sender<RunEvent>>,
    queue: VecDeque<Event>,
    current: Option<Current>,
    agent: Option<RunningAgent>,
    check_stop: StopHandle,
    gathering: Option<JoinHandle<Result<Facts>>>,
    watch: Watch,
    control: RunControl,
    wake: Option<Timestamp>,
    beat: Timestamp,
}

impl App {
    /// Works a prepared run to its end and returns its row. `events` may be followed; a follower that is gone is no fault.
    pub async fn drive(self: &Arc<Self>, prepared: PreparedRun, events: Option<mpsc::Sender<RunEvent>>) -> Result<Run> {
        let now = self.clock.now();
        let config = MachineConfig {
            limits: prepared.run.limits,
            only_task: prepared.run.task,
            max_attempts: prepared.settings.max_attempts,
            has_check: prepared.run.check.is_some(),
            stall_stop: Some(prepared.settings.stall_stop).filter(|iterations| *iterations > 0),
        };
        let mut driver = Driver {
            app: Arc::clone(self),
            machine: Machine::new(config, now),
            prepared: Arc::new(prepared),
            events,
            queue: VecDeque::from([Event::Started]),
            current: None,
            agent: None,
            check_stop: StopHandle::new(),
            gathering: None,
            watch: self.db.watch()?,
            control: RunControl::None,
            wake: None,
            beat: now,
        };
        driver.tell(RunEvent::RunStarted { run: driver.prepared.run.clone() }).await;
        let ended = driver.work().await;
        if let Err(error) = &ended {
            // The loop itself failed: the row must not stay active.
            let (id, note, now) = (driver.prepared.run.id, error.to_string(), self.clock.now());
            self.write(|tx| Ok(tx.end_run(id, StopReason::InternalError, Some(&note), now)?))?;
            self.recover()?;
        }
        ended?;
        let run = self.run(driver.prepared.run.id)?.run;
        if let Err(error) = self.thin_failures() {
            tracing::warn!("old failure reports were not thinned: {error}");
        }
        if let Err(error) = self.backup() {
            tracing::warn!("no copy of the database was made: {error}");
        }
        driver.tell(RunEvent::RunEnded { run: run.clone() }).await;
        Ok(run)
    }
}

impl Driver {
    async fn work(&mut self) -> Result<()> {
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            while let Some(event) = self.queue.pop_front() {
                let now = self.app.clock.now();
                for effect in self.machine.step(event, now) {
                    if self.perform(effect).await? {
                        return Ok(());
                    }
                }
            }
            tokio::select! {
                event = next_event(&mut self.agent) => self.take(event).await?,
                facts = finished(&mut self.gathering) => {
                    self.gathering = None;
                    self.queue.push_back(match facts {
                        Ok(facts) => Event::Gathered(Box::new(facts)),
                        Err(error) => Event::CommitFailed { message: error.to_string() },
                    });
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
                    Err(error) => Event::CommitFailed { message: error.to_string() },
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
                    agent.stop_handle().stop(StopCause::Person);
                }
            }
            Effect::Gather { run_check, learnings } => self.gather(run_check, learnings),
            Effect::CancelCheck => self.check_stop.stop(StopCause::Person),
            Effect::Commit(commit) => {
                let event = match self.commit(*commit).await {
                    Ok(cost_usd) => Event::Committed { cost_usd },
                    Err(error) => Event::CommitFailed { message: error.to_string() },
                };
                // A wish that came while the iteration ended holds before the next one is claimed.
                self.look().await?;
                self.queue.push_back(event);
            }
            Effect::SetState { state, waiting_until, note } => {
                let id = self.prepared.run.id;
                self.blocking(move |app| app.write(|tx| Ok(tx.set_run_state(id, state, waiting_until, note.as_deref())?))).await?;
            }
            Effect::WakeAt(time) => self.wake = Some(time),
            Effect::End { reason, note } => {
                let id = self.prepared.run.id;
                self.blocking(move |app| {
                    let now = app.clock.now();
                    app.write(|tx| Ok(tx.end_run(id, reason, note.as_deref(), now)?))
                })
                .await?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Composes the prompt and starts the agent.
    async fn start_agent(&mut self) -> Result<()> {
        let Some(current) = &self.current else { return Err(AppError::NoRun) };
        let (row, prepared) = (current.iteration.clone(), Arc::clone(&self.prepared));
        let (prompt, discipline, spent) = self
            .blocking(move |app| {
                let (prompt, discipline) = app.prompt_of(&row, &prepared.run)?;
                let path = app.prompt_path(row.id);
                app.paths.files().write(&path, prompt.text.as_bytes(), Readers::Owner)?;
                app.paths.files().make_folder(&app.paths.scratch())?;
                app.write(|tx| Ok(tx.set_told(row.id, &prompt.told, &prompt.withheld)?))?;
                Ok((prompt, discipline, app.run(prepared.run.id)?.run.cost_usd))
            })
            .await?;
        let (prepared, model) = (&self.prepared, current.iteration.model.clone());
        let spec = AgentSpec {
            kind: prepared.run.agent,
            program: prepared.program.clone(),
            prompt: prompt.text,
            model: model.clone(),
            cwd: self.app.paths.root.clone(),
            marks: current.marks.clone(),
            mcp_servers: self.mcp_servers(discipline)?,
            permission_mode: prepared.settings.permission_mode.clone(),
            allowed_tools: prepared.settings.allowed_tools.clone(),
            // What is left of the run's budget; a cent at least, since 0 would mean no limit.
            max_usd: prepared.run.limits.max_usd.map(|max| (max - spent).max(0.01)),
            script: prepared.script.clone(),
            scratch_dir: self.app.paths.scratch(),
            watch: WatchLimits::default(),
        };
        let agent = agent_cli::start(spec)?;
        self.note("started", format!("{} {model} as process {}", prepared.run.agent, agent.pid())).await;
        self.agent = Some(agent);
        Ok(())
    }

    /// Ralph's own server, and those of the task's discipline.
    fn mcp_servers(&self, discipline: Option<Discipline>) -> Result<Vec<McpServerSpec>> {
        let server = |name: String, command: PathBuf, args: Vec<String>| McpServerSpec { name, command, args, env: Vec::new() };
        let own = server("ralph".to_owned(), ralph_program()?, vec!["-C".to_owned(), self.app.checkout(), "mcp".to_owned()]);
        let others = discipline.into_iter().flat_map(|d| d.mcp_servers).map(|s| server(s.name, s.command.into(), s.args));
        Ok(std::iter::once(own).chain(others).collect())
    }

    /// Takes what the agent has sent, many at once: a flood must not be slowed by the other work of the loop.
    async fn take(&mut self, first: AgentEvent) -> Result<()> {
        let mut next = Some(first);
        for _ in 0..EVENTS_AT_ONCE {
            let Some(event) = next.take() else { break };
            match event {
                AgentEvent::Signal(signal) => {
                    let entry = TranscriptEntry { at: self.app.clock.now(), signal: TranscriptSignal::Agent { signal: kept(&signal) } };
                    self.log(entry).await;
                    self.queue.push_back(Event::Signal(signal));
                }
                AgentEvent::Stderr(line) => self.note("stderr", line).await,
                AgentEvent::Exited(exit) => {
                    self.agent = None;
                    let code = exit.code.map_or_else(|| "no exit code".to_owned(), |c| format!("exit code {c}"));
                    self.note("exited", format!("{} ({code}) {}", exit.ending, exit.detail)).await;
                    let mcp_claims = self.mcp_claims().await?;
                    self.queue.push_back(Event::AgentExited { ending: exit.ending, exit_code: exit.code, detail: exit.detail, mcp_claims });
                    return Ok(());
                }
            }
            next = self.agent.as_mut().and_then(RunningAgent::try_next);
        }
        if let Some(event) = next {
            // The bound was reached with one in hand.
            Box::pin(self.take(event)).await?;
        }
        Ok(())
    }

    async fn mcp_claims(&self) -> Result<Vec<TaskClaim>> {
        let Some(current) = &self.current else { return Ok(Vec::new()) };
        let iteration = current.claim.iteration;
        let signals = self.blocking(move |app| Ok(app.db.read(|r| r.iteration_signals(iteration))?)).await?;
        Ok(signals.into_iter().map(|done| TaskClaim { done, task: None }).collect())
    }

    /// Looks at the row (a person's wishes), the clock and the lease; lets readers see the log.
    async fn look(&mut self) -> Result<()> {
        if let Some(current) = &mut self.current {
            current.log.flush();
        }
        let now = self.app.clock.now();
        if self.wake.is_some_and(|time| time <= now) {
            self.wake = None;
            self.queue.push_back(Event::Tick);
        }
        let id = self.prepared.run.id;
        if now.millis_since(self.beat) >= limits::HEARTBEAT_MILLIS {
            self.beat = now;
            self.blocking(move |app| app.write(|tx| Ok(tx.beat(id, now)?))).await?;
            self.queue.push_back(Event::Tick);
        }
        if self.watch.moved()? {
            let control =
                self.blocking(move |app| Ok(app.db.read(|r| r.run(id))?.map(|run| run.control))).await?.unwrap_or(RunControl::StopNow);
            if control != self.control {
                self.control = control;
                self.queue.push_back(Event::Control(control));
            }
        }
        Ok(())
    }

    async fn note(&mut self, kind: &str, text: impl Into<String>) {
        let entry = remark(self.app.clock.now(), kind, text);
        self.log(entry).await;
    }

    async fn log(&mut self, entry: TranscriptEntry) {
        let Some(current) = &mut self.current else { return };
        current.log.add(&entry);
        let iteration = current.claim.iteration;
        if self.events.is_some() {
            self.tell(RunEvent::Entry { iteration, entry }).await;
        }
    }

    async fn tell(&mut self, event: RunEvent) {
        if let Some(events) = &self.events
            && events.send(event).await.is_err()
        {
            self.events = None;
        }
    }

    /// Work on the database and on files, off the loop's own thread.
    async fn blocking<T: Send + 'static>(&self, f: impl FnOnce(&App) -> Result<T> + Send + 'static) -> Result<T> {
        let app = Arc::clone(&self.app);
        match tokio::task::spawn_blocking(move || f(&app)).await {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
}

async fn next_event(agent: &mut Option<RunningAgent>) -> AgentEvent {
    match agent {
        Some(agent) => match agent.next().await {
            Some(event) => event,
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}

async fn finished(gathering: &mut Option<JoinHandle<Result<Facts>>>) -> Result<Facts> {
    match gathering {
        Some(handle) => match handle.await {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        },
        None => std::future::pending().await,
    }
}
