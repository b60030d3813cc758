//! The run machine: event in, effects out.
//!
//! Total: every event is handled in every state, and one that comes too late is ignored. Never here: performing an effect, or a clock.

pub use super::event::{Effect, Event};

use super::collect::Collected;
use super::hooks::{self, AgentExit, Claim, CutShort, Facts, IterationCtx, judge};
use super::{Outcome, RunControl, RunLimits, RunState, StopReason};
use crate::signal::{Ending, Usage};
use crate::text::cut;
use crate::time::Timestamp;
use crate::{TaskId, limits};

/// Characters of a message that the end of a run quotes.
const NOTE_CHARS: usize = 500;

/// What a run is started with.
#[derive(Clone, PartialEq, Debug)]
pub struct MachineConfig {
    /// When it ends by itself.
    pub limits: RunLimits,
    /// Works on this task only.
    pub only_task: Option<TaskId>,
    /// Failures in a row after which a task needs a person.
    pub max_attempts: u32,
    /// Whether a check command must pass before a task counts as done.
    pub has_check: bool,
    /// Iterations in a row without a change, a commit or a new signal (see [`hooks::is_idle`]) after which the run ends; at least 1 is taken.
    pub stall_stop: Option<u32>,
}

/// What the machine waits for.
#[derive(Debug)]
enum Phase {
    /// The driver's start.
    Idle,
    /// A task.
    Claiming,
    /// The agent's process.
    Starting(Box<Collected>),
    /// The agent's end.
    Working(Box<Collected>),
    /// Facts about what the agent left.
    Gathering { claim: Claim, exit: Box<AgentExit>, checking: bool },
    /// The commit of an iteration.
    Committing(Settlement),
    /// A person's word.
    Paused,
    /// The end of a wait.
    Waiting,
    /// Nothing: it is over.
    Ended,
}

/// What an iteration means for the run, once it is committed.
#[derive(Debug)]
struct Settlement {
    outcome: Outcome,
    cut_short: Option<CutShort>,
    resets_at: Option<Timestamp>,
    detail: String,
    /// Whether its model is not there, and there is no other to try.
    without_model: bool,
    /// Whether it left nothing behind.
    idle: bool,
}

/// The rules of a run: one agent at a time, limits, waits, a person's wishes, and what comes next.
#[derive(Debug)]
pub struct Machine {
    config: MachineConfig,
    phase: Phase,
    state: RunState,
    control: RunControl,
    /// When the run's minutes are over.
    deadline: Option<Timestamp>,
    /// Iterations that count against the limit.
    iterations: u32,
    cost_usd: f64,
    /// No claim before this time, and why.
    not_before: Option<(Timestamp, &'static str)>,
    /// Usage limits in a row.
    rate_limits: usize,
    /// Failed connections in a row.
    network_failures: usize,
    /// Attempts in a row that left nothing behind, over all tasks.
    idle_iterations: u32,
}

impl Machine {
    /// A run that begins now; it does nothing before [`Event::Started`].
    pub fn new(config: MachineConfig, now: Timestamp) -> Machine {
        Machine {
            deadline: config.limits.max_minutes.map(|minutes| now.plus_millis(u64::from(minutes) * 60_000)),
            config,
            phase: Phase::Idle,
            state: RunState::Running,
            control: RunControl::None,
            iterations: 0,
            cost_usd: 0.0,
            not_before: None,
            rate_limits: 0,
            network_failures: 0,
            idle_iterations: 0,
        }
    }

    /// What the run does now.
    pub fn run_state(&self) -> RunState {
        self.state
    }

    /// What the agent at work has used so far; `None` when none works.
    pub fn used(&self) -> Option<Usage> {
        match &self.phase {
            Phase::Starting(work) | Phase::Working(work) => Some(work.used()),
            Phase::Gathering { exit, .. } => Some(exit.usage),
            _ => None,
        }
    }

    /// Whether the agent at work is ended because the provider refuses its key.
    pub fn is_refused(&self) -> bool {
        matches!(&self.phase, Phase::Working(work) if work.cut_short == Some(CutShort::Unauthorized))
    }

    /// Takes one event and tells what to do.
    pub fn step(&mut self, event: Event, now: Timestamp) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.minutes_are_over(now) {
            self.cut_short(CutShort::MinutesOver, &mut effects);
        }
        match (std::mem::replace(&mut self.phase, Phase::Ended), event) {
            (Phase::Ended, _) => {}
            (phase, Event::Control(control)) => {
                self.phase = phase;
                self.obey(control, now, &mut effects);
            }
            (Phase::Idle, Event::Started) | (Phase::Paused | Phase::Waiting, Event::Tick) => self.proceed(now, &mut effects),
            (Phase::Claiming, Event::Claimed(Some(claim))) => self.begin(claim, now, &mut effects),
            (Phase::Claiming, Event::Claimed(None)) => self.end_with_nothing_ready(&mut effects),
            (Phase::Starting(work), Event::AgentStarted) => {
                if work.cut_short.is_some() {
                    effects.push(Effect::StopAgent);
                }
                self.phase = Phase::Working(work);
            }
            (Phase::Starting(work), Event::AgentUnavailable { message }) => {
                let (claim, exit) = work.not_run(CutShort::NotStarted, message);
                self.gather(claim, exit, &mut effects);
            }
            (Phase::Starting(mut work), Event::Signal(signal)) => {
                work.hear(signal);
                self.phase = Phase::Starting(work);
            }
            (Phase::Working(mut work), Event::Signal(signal)) => {
                work.hear(signal);
                let hopeless = self.reason_to_cut(&work);
                self.phase = Phase::Working(work);
                if let Some(cause) = hopeless {
                    self.cut_short(cause, &mut effects);
                }
            }
            // A process that dies at once may end before its start is told.
            (Phase::Starting(work) | Phase::Working(work), Event::AgentExited { ending, exit_code, detail, mcp_claims }) => {
                let (claim, exit) = work.exited(ending, exit_code, detail, mcp_claims);
                self.gather(claim, exit, &mut effects);
            }
            (Phase::Gathering { claim, exit, .. }, Event::Gathered(facts)) => self.commit(claim, *exit, *facts, &mut effects),
            (Phase::Committing(settled), Event::Committed { cost_usd }) => self.settle(settled, cost_usd, now, &mut effects),
            (Phase::Claiming | Phase::Gathering { .. } | Phase::Committing(_), Event::EffectFailed { message }) => {
                self.end(StopReason::InternalError, Some(cut(&message, NOTE_CHARS).to_owned()), &mut effects);
            }
            (phase, _) => self.phase = phase,
        }
        effects
    }

    /// Takes a person's wish. A stop at once can't be taken back: it has begun.
    fn obey(&mut self, control: RunControl, now: Timestamp, effects: &mut Vec<Effect>) {
        if self.control != RunControl::StopNow {
            self.control = control;
        }
        if matches!(self.phase, Phase::Paused | Phase::Waiting) {
            self.proceed(now, effects);
        } else if self.control == RunControl::StopNow {
            self.cut_short(CutShort::ByPerson, effects);
        }
    }

    /// Why a working agent is stopped by what it told: the run's dollars are spent, or its key is refused again and again.
    fn reason_to_cut(&self, work: &Collected) -> Option<CutShort> {
        if work.is_unauthorized() {
            return Some(CutShort::Unauthorized);
        }
        let spent = self.cost_usd + work.used().cost_usd.unwrap_or(0.0);
        // A turn that is over ends by itself, and is judged by how it did.
        self.config.limits.max_usd.filter(|max| spent >= *max && !work.turn_completed()).map(|_| CutShort::DollarsOver)
    }

    /// Ends what runs for an iteration, if something does. Between iterations, and while rows are written, the next decision comes soon.
    fn cut_short(&mut self, cause: CutShort, effects: &mut Vec<Effect>) {
        match &mut self.phase {
            // The agent can only be stopped once it is there.
            Phase::Starting(work) if work.cut_short.is_none() => work.cut_short = Some(cause),
            Phase::Working(work) if work.cut_short.is_none() => {
                work.cut_short = Some(cause);
                effects.push(Effect::StopAgent);
            }
            // Without a check there is nothing left to cut: the iteration is judged as it ended.
            Phase::Gathering { exit, checking: true, .. } if exit.cut_short.is_none() => {
                exit.cut_short = Some(cause);
                effects.push(Effect::CancelCheck);
            }
            _ => return,
        }
        self.set_state(RunState::Stopping, None, None, effects);
    }

    /// Decides what comes next between two iterations.
    fn proceed(&mut self, now: Timestamp, effects: &mut Vec<Effect>) {
        if let Some((reason, note)) = self.reason_to_end(now) {
            return self.end(reason, note, effects);
        }
        if self.control == RunControl::Pause {
            self.phase = Phase::Paused;
            self.set_state(RunState::Paused, None, None, effects);
            effects.extend(self.deadline.map(Effect::WakeAt));
            return;
        }
        if let Some((until, why)) = self.not_before.filter(|(until, _)| now < *until) {
            self.phase = Phase::Waiting;
            self.set_state(RunState::Waiting, Some(until), Some(why.to_owned()), effects);
            effects.push(Effect::WakeAt(self.deadline.map_or(until, |deadline| deadline.min(until))));
            return;
        }
        self.not_before = None;
        self.phase = Phase::Claiming;
        self.set_state(RunState::Running, None, None, effects);
        effects.extend(self.deadline.map(Effect::WakeAt));
        effects.push(Effect::ClaimNext { only: self.config.only_task });
    }

    /// A person's stop, then the limits, then a stall.
    fn reason_to_end(&self, now: Timestamp) -> Option<(StopReason, Option<String>)> {
        let RunLimits { max_iterations, max_minutes, max_usd } = self.config.limits;
        match self.control {
            RunControl::StopNow => return Some((StopReason::StoppedNow, None)),
            RunControl::StopAfter => return Some((StopReason::StoppedAfterIteration, None)),
            RunControl::Pause | RunControl::None => {}
        }
        if let Some(max) = max_usd.filter(|max| self.cost_usd >= *max) {
            return Some((StopReason::MaxUsd, Some(format!("${:.2} of ${max:.2} were spent", self.cost_usd))));
        }
        if let Some(max) = max_minutes.filter(|_| self.minutes_are_over(now)) {
            return Some((StopReason::MaxMinutes, Some(format!("the run's limit is {max} min"))));
        }
        if let Some(max) = max_iterations.filter(|max| self.iterations >= *max) {
            return Some((StopReason::MaxIterations, Some(format!("the run's limit of iterations is {max}"))));
        }
        self.config.stall_stop.filter(|max| self.idle_iterations >= (*max).max(1))?;
        Some((StopReason::Stalled, Some(stall_note(self.idle_iterations))))
    }

    fn minutes_are_over(&self, now: Timestamp) -> bool {
        self.deadline.is_some_and(|deadline| now >= deadline)
    }

    /// Starts the agent on a claimed task, or gives the task back when a stop came while it was claimed.
    fn begin(&mut self, claim: Claim, now: Timestamp, effects: &mut Vec<Effect>) {
        let work = Collected::new(claim);
        let cause = match self.control {
            RunControl::StopNow | RunControl::StopAfter => Some(CutShort::ByPerson),
            _ => self.minutes_are_over(now).then_some(CutShort::MinutesOver),
        };
        if let Some(cause) = cause {
            let (claim, exit) = work.not_run(cause, String::new());
            return self.gather(claim, exit, effects);
        }
        self.phase = Phase::Starting(Box::new(work));
        effects.push(Effect::StartAgent);
    }

    fn end_with_nothing_ready(&mut self, effects: &mut Vec<Effect>) {
        let (reason, note) = match (self.control, self.config.only_task) {
            (RunControl::StopNow, _) => (StopReason::StoppedNow, None),
            (RunControl::StopAfter, _) => (StopReason::StoppedAfterIteration, None),
            (_, Some(task)) => (StopReason::NothingReady, Some(format!("task {task} is not ready"))),
            (_, None) => (StopReason::NothingReady, None),
        };
        self.end(reason, note, effects);
    }

    fn gather(&mut self, claim: Claim, exit: AgentExit, effects: &mut Vec<Effect>) {
        let checking = self.config.has_check && judge::wants_check(&claim, &exit);
        let learnings = exit.sigils.learnings.iter().map(|learning| learning.text.clone()).collect();
        self.phase = Phase::Gathering { claim, exit: Box::new(exit), checking };
        effects.push(Effect::Gather { run_check: checking, learnings });
    }

    fn commit(&mut self, claim: Claim, exit: AgentExit, facts: Facts, effects: &mut Vec<Effect>) {
        let (cut_short, resets_at, detail) = (exit.cut_short, exit.resets_at, cut(&exit.detail, NOTE_CHARS).to_owned());
        let without_model = exit.ending == Ending::ModelUnavailable && !facts.another_model;
        let ctx = IterationCtx { claim, exit, facts, max_attempts: self.config.max_attempts, has_check: self.config.has_check };
        let commit = hooks::run_hooks(hooks::POST_ITERATION, ctx);
        let outcome = commit.outcome;
        let without_model = without_model && outcome == Outcome::Error;
        self.phase = Phase::Committing(Settlement { outcome, cut_short, resets_at, detail, without_model, idle: commit.idle });
        effects.push(Effect::Commit(Box::new(commit)));
    }

    /// Counts a committed iteration, and goes on or ends.
    fn settle(&mut self, settled: Settlement, cost_usd: f64, now: Timestamp, effects: &mut Vec<Effect>) {
        self.cost_usd = cost_usd;
        match settled.outcome {
            Outcome::RateLimited => self.wait_for_limit(settled.resets_at, now),
            Outcome::Network => {}
            _ => self.iterations = self.iterations.saturating_add(1),
        }
        if settled.outcome.is_attempt() {
            (self.rate_limits, self.network_failures) = (0, 0);
            // What is no attempt neither stalls nor shows that the work goes on.
            self.idle_iterations = if settled.idle { self.idle_iterations.saturating_add(1) } else { 0 };
        }
        if self.control == RunControl::StopNow {
            return self.proceed(now, effects);
        }
        match (settled.cut_short, settled.outcome) {
            (Some(CutShort::NotStarted), _) => self.end(StopReason::AgentUnavailable, Some(settled.detail), effects),
            (Some(CutShort::MinutesOver), _) => self.end(StopReason::MaxMinutes, None, effects),
            (_, Outcome::Authentication) => self.end(StopReason::Authentication, Some(how_to_log_in(&settled.detail)), effects),
            (None, Outcome::Error) if settled.without_model => {
                self.end(StopReason::AgentUnavailable, Some(how_to_choose(&settled.detail)), effects);
            }
            // Whoever ends the agent from outside does not want it to be started again at once.
            (None, Outcome::Stopped) => {
                self.end(StopReason::StoppedNow, Some("the agent was interrupted from outside Ralph".to_owned()), effects);
            }
            (None, Outcome::Network) => match limits::RATE_LIMIT_WAITS_MILLIS.get(self.network_failures) {
                Some(wait) => {
                    self.network_failures += 1;
                    self.not_before = Some((now.plus_millis(*wait), "waits for the network"));
                    self.proceed(now, effects);
                }
                None => self.end(StopReason::Network, Some(network_note(&settled.detail)), effects),
            },
            _ => self.proceed(now, effects),
        }
    }

    /// Waits until a reset time that makes sense, or for the next step of the ladder.
    fn wait_for_limit(&mut self, resets_at: Option<Timestamp>, now: Timestamp) {
        let ladder = limits::RATE_LIMIT_WAITS_MILLIS;
        let told = resets_at.filter(|at| (1..=limits::RATE_LIMIT_MAX_WAIT_MILLIS).contains(&at.millis_since(now)));
        let until = match told {
            Some(at) => at.plus_millis(limits::RATE_LIMIT_MARGIN_MILLIS),
            None => now.plus_millis(ladder[self.rate_limits.min(ladder.len() - 1)]),
        };
        self.rate_limits = self.rate_limits.saturating_add(1);
        // An answer, even a refusal, shows that the network is there.
        self.network_failures = 0;
        self.not_before = Some((until, "waits for a usage limit to end"));
    }

    fn set_state(&mut self, state: RunState, waiting_until: Option<Timestamp>, note: Option<String>, effects: &mut Vec<Effect>) {
        if self.state != state {
            self.state = state;
            effects.push(Effect::SetState { state, waiting_until, note });
        }
    }

    fn end(&mut self, reason: StopReason, note: Option<String>, effects: &mut Vec<Effect>) {
        self.phase = Phase::Ended;
        self.state = RunState::Ended;
        effects.push(Effect::End { reason, note });
    }
}

fn stall_note(iterations: u32) -> String {
    format!("{iterations} iterations in a row left no commit, no changed file and nothing new: look at the last one, then start again")
}

fn how_to_log_in(detail: &str) -> String {
    let said = if detail.is_empty() { String::new() } else { format!(" It said: {detail}") };
    format!(
        "the agent's key, login or credit is missing: log in with the agent's own command line, or set its API key, then start again.{said}"
    )
}

fn how_to_choose(detail: &str) -> String {
    format!("the model is not available: name another one with `--model` or in `.ralph/config.toml`, then start again. It said: {detail}")
}

fn network_note(detail: &str) -> String {
    let said = if detail.is_empty() { String::new() } else { format!(" Last error: {detail}") };
    let tries = limits::RATE_LIMIT_WAITS_MILLIS.len() + 1;
    format!("the connection failed {tries} times in a row: check the network, then start again.{said}")
}
