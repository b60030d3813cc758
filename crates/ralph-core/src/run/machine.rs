//! The run machine: event in, effects out, over all lanes of a run.
//!
//! Total: every event is handled in every state; late events are ignored. Never here: performing an effect, or a clock.

mod bounds;
mod ends;
mod owed;
mod settle;
mod shown;

pub use super::event::{Effect, Event, LaneNumber, Setback};

use super::collect::CollectedOutput;
use super::hooks::{self, AgentExit, Claim, CutShort, IterationCtx, IterationFacts, RowEffect, judge};
use super::lane::{Lane, Phase, Settlement};
use super::{Outcome, RunControl, RunLimits, RunState, StopReason};
use crate::TaskId;
use crate::prices;
use crate::signal::{Ending, Usage};
use crate::task::TaskStatus;
use crate::text::cut;
use crate::time::Timestamp;
use std::collections::{BTreeSet, VecDeque};

/// Characters of a message quoted at the end of a run.
const NOTE_CHARS: usize = 500;
/// Minimum dollars to start an agent: to the agent, 0 would mean no limit.
const LEAST_USD: f64 = 0.01;
/// What an iteration is assumed to cost before one of the run has shown it: if less than that is left for each, agents at first start one
/// after another.
const UNKNOWN_USD: f64 = 1.0;

/// Configuration of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct MachineConfig {
    /// When it ends by itself.
    pub limits: RunLimits,
    /// Work on this task only.
    pub only_task: Option<TaskId>,
    /// Consecutive failures after which a task needs a person.
    pub max_attempts: u32,
    /// Whether a check command must pass before a task counts as done.
    pub has_check: bool,
    /// Consecutive iterations without a change, a commit or a new signal (see [`hooks::is_idle`]) after which the run ends; at least 1.
    pub stall_stop: Option<u32>,
    /// Number of concurrent agents; at least 1.
    pub workers: u32,
}

/// An effect with its lane. An effect on the whole run carries the lane that caused it.
type Effects = Vec<(LaneNumber, Effect)>;

/// The rules of a run: at most one agent per lane, limits over all lanes, waits, a person's requests, and what comes next.
#[derive(Debug)]
pub struct Machine {
    config: MachineConfig,
    /// Lane 1 first.
    lanes: Vec<Lane>,
    state: RunState,
    /// Until when nothing is started, as last published.
    waiting_until: Option<Timestamp>,
    /// Why, as it was last published.
    note: Option<String>,
    control: RunControl,
    /// Tasks whose follow-up earlier runs owe, or had to be postponed, and that no lane has begun.
    owed: VecDeque<TaskId>,
    /// Those of this run among them, also once they have begun again.
    put_off: BTreeSet<TaskId>,
    /// No follow-up of these before this time, and why.
    owed_from: Option<(Timestamp, &'static str)>,
    /// Consecutive follow-ups that were put off.
    put_offs: usize,
    /// When the run's time limit is reached.
    deadline: Option<Timestamp>,
    /// Iterations that count towards the limit.
    iterations: u32,
    /// Dollars of finished iterations and of the errands among them: what their rows say, but never less than `heard_usd`.
    cost_usd: f64,
    /// Dollars of finished iterations according to their agents' output. The rows are in a file that an agent can write to.
    heard_usd: f64,
    /// Dollars of the most expensive iteration so far: the next may cost as much.
    dearest_usd: Option<f64>,
    /// No claim before this time, and why.
    not_before: Option<(Timestamp, &'static str)>,
    /// Consecutive usage limits.
    rate_limits: usize,
    /// Models at their own usage limits, each with its end.
    limited: Vec<(String, Timestamp)>,
    /// Consecutive connection failures.
    network_failures: usize,
    /// Whether an agent has worked.
    has_worked: bool,
    /// Consecutive iterations that could not be begun since.
    not_begun: usize,
    /// Waits begun so far.
    setbacks: u64,
    /// What lanes have committed so far, iterations and follow-ups: each may have made a task ready.
    commits: u64,
    /// Consecutive attempts without any effect, over all tasks.
    idle_iterations: u32,
    /// How many of them there were when the first of them blocked its task: the other tasks have not been tried yet.
    idle_of_blocked: u32,
    /// Why nothing more is claimed; the run ends with its last lane.
    over: Option<(StopReason, Option<String>)>,
}

impl Machine {
    /// A new run; it does nothing before [`Event::Started`].
    pub fn new(config: MachineConfig, now: Timestamp) -> Machine {
        Machine {
            deadline: config.limits.max_minutes.map(|minutes| now.plus_millis(u64::from(minutes) * 60_000)),
            lanes: (0..config.workers.max(1)).map(|_| Lane::new()).collect(),
            config,
            state: RunState::Running,
            waiting_until: None,
            note: None,
            control: RunControl::None,
            owed: VecDeque::new(),
            put_off: BTreeSet::new(),
            owed_from: None,
            put_offs: 0,
            iterations: 0,
            cost_usd: 0.0,
            heard_usd: 0.0,
            dearest_usd: None,
            not_before: None,
            rate_limits: 0,
            limited: Vec::new(),
            network_failures: 0,
            has_worked: false,
            not_begun: 0,
            setbacks: 0,
            commits: 0,
            idle_iterations: 0,
            idle_of_blocked: 0,
            over: None,
        }
    }

    /// Current state of the run.
    #[cfg(test)]
    pub(crate) fn run_state(&self) -> RunState {
        self.state
    }

    /// Usage of a lane's agent so far; `None` when none is running.
    pub fn used(&self, lane: LaneNumber) -> Option<Usage> {
        self.lanes.get(place(lane)).and_then(Lane::used)
    }

    /// Whether a lane's agent is being stopped because the provider refuses its key.
    pub fn is_refused(&self, lane: LaneNumber) -> bool {
        let lane = self.lanes.get(place(lane));
        lane.is_some_and(|lane| matches!(&lane.phase, Phase::Working(work) if work.cut_short == Some(CutShort::Unauthorized)))
    }

    /// Handles one event of `lane` and returns the resulting effects. Start, requests and time concern all lanes.
    pub fn step(&mut self, lane: LaneNumber, event: Event, now: Timestamp) -> Effects {
        let mut effects = Effects::new();
        if self.state == RunState::Ended || place(lane) >= self.lanes.len() {
            return effects;
        }
        if self.minutes_are_over(now) {
            self.cut_all_short(CutShort::MinutesOver, &mut effects);
        }
        match event {
            Event::Control(control) => self.obey(control, now, &mut effects),
            Event::LaneControl(control) => self.obey_in_lane(place(lane), control, now, &mut effects),
            Event::Started { owed } => self.start(owed, now, &mut effects),
            Event::Tick => {
                self.cancel_what_takes_too_long(now, &mut effects);
                self.go_on(now, &mut effects, Lane::is_resting);
            }
            event => self.step_lane(place(lane), event, now, &mut effects),
        }
        effects
    }

    fn step_lane(&mut self, at: usize, event: Event, now: Timestamp, effects: &mut Effects) {
        match (std::mem::replace(&mut self.lanes[at].phase, Phase::Ended), event) {
            (Phase::FollowingUp(task), Event::FollowedUp { cost_usd }) => self.end_follow_up(at, (task, cost_usd), now, effects),
            (phase @ (Phase::FollowingUp(_) | Phase::Committing(_)), Event::PutOff { task, setback }) => {
                self.lanes[at].phase = phase;
                self.put_off(task, setback, now);
            }
            (Phase::Claiming, Event::Claimed(Some(claim))) => self.begin(at, claim, now, effects),
            (Phase::Claiming, Event::Claimed(None)) => self.find_nothing_ready(at, now, effects),
            (Phase::Starting(work), Event::AgentStarted) => {
                if work.cut_short.is_some() {
                    push(effects, at, Effect::StopAgent);
                }
                self.lanes[at].phase = Phase::Working(work);
            }
            (Phase::Starting(work), Event::AgentUnavailable { message }) => {
                let (claim, exit) = work.not_run(CutShort::NotStarted, message);
                self.gather(at, claim, exit, effects);
            }
            (Phase::Starting(work), Event::NoCheckout { message }) => {
                let (claim, exit) = work.not_run(CutShort::NoCheckout, message);
                self.gather(at, claim, exit, effects);
            }
            (Phase::Starting(mut work), Event::Signal(signal)) => {
                work.hear(signal);
                self.lanes[at].phase = Phase::Starting(work);
            }
            (Phase::Working(mut work), Event::Signal(signal)) => {
                work.hear(signal);
                let hopeless = work.hopeless();
                self.lanes[at].phase = Phase::Working(work);
                match hopeless {
                    Some(cause) => self.cut_short(at, cause, effects),
                    None => self.cut_those_that_overspend(effects),
                }
            }
            // A process that dies at once may exit before its start is reported.
            (Phase::Starting(work) | Phase::Working(work), Event::AgentExited { ending, exit_code, detail, mcp_claims }) => {
                let (claim, mut exit) = work.exited(ending, exit_code, detail, mcp_claims);
                let cost = exit.usage.cost_usd.filter(|cost| *cost > 0.0);
                self.dearest_usd = self.dearest_usd.into_iter().chain(cost).reduce(f64::max);
                if self.met_its_dollars(at, &claim, &exit) {
                    exit.cut_short.get_or_insert(CutShort::DollarsOver);
                }
                self.gather(at, claim, exit, effects);
            }
            (Phase::Gathering { claim, exit, .. }, Event::Gathered(facts)) => self.commit(at, claim, *exit, *facts, effects),
            (Phase::Committing(settled), Event::Committed { cost_usd }) => {
                self.settle(at, settled, cost_usd, now, effects);
                // What is ready, and the remaining budget, may have changed.
                self.go_on(now, effects, |lane| matches!(lane.phase, Phase::Starved));
            }
            (Phase::Claiming | Phase::Gathering { .. } | Phase::Committing(_), Event::EffectFailed { message }) => {
                self.finish(at, StopReason::InternalError, Some(cut(&message, NOTE_CHARS).to_owned()), effects);
            }
            (phase, _) => self.lanes[at].phase = phase,
        }
    }

    /// Decides for every matching lane what comes next.
    fn go_on(&mut self, now: Timestamp, effects: &mut Effects, which: impl Fn(&Lane) -> bool) {
        for at in 0..self.lanes.len() {
            if which(&self.lanes[at]) {
                self.proceed(at, now, effects);
            }
        }
    }

    /// Handles a person's request. An immediate stop can't be withdrawn: it is already in progress.
    fn obey(&mut self, control: RunControl, now: Timestamp, effects: &mut Effects) {
        if self.control != RunControl::StopNow {
            self.control = control;
        }
        if self.control == RunControl::StopNow {
            self.cut_all_short(CutShort::ByPerson, effects);
        }
        self.go_on(now, effects, Lane::is_resting);
    }

    /// The same for one lane; the others go on.
    fn obey_in_lane(&mut self, at: usize, control: RunControl, now: Timestamp, effects: &mut Effects) {
        let lane = &mut self.lanes[at];
        if lane.control != RunControl::StopNow {
            lane.control = control;
        }
        if lane.is_resting() {
            self.proceed(at, now, effects);
        } else if lane.control == RunControl::StopNow {
            self.cut_short(at, CutShort::ByPerson, effects);
        }
    }

    fn cut_all_short(&mut self, cause: CutShort, effects: &mut Effects) {
        for at in 0..self.lanes.len() {
            self.cut_short(at, cause, effects);
        }
    }

    fn cut_short(&mut self, at: usize, cause: CutShort, effects: &mut Effects) {
        let Some(effect) = self.lanes[at].cut_short(cause) else { return };
        effects.extend(effect.map(|effect| (number(at), effect)));
        // When no lane continues, the run is being stopped.
        if self.lanes.iter().all(|lane| !lane.is_busy() || lane.is_stopping()) {
            self.set_state(at, RunState::Stopping, None, None, effects);
        }
    }

    /// Decides what comes next in a lane between two iterations.
    fn proceed(&mut self, at: usize, now: Timestamp, effects: &mut Effects) {
        if let Some((reason, note)) = self.reason_to_end(now) {
            return self.finish(at, reason, note, effects);
        }
        if let Some(reason) = self.lanes[at].asked_to_end() {
            return self.leave(at, reason, effects);
        }
        if [self.control, self.lanes[at].control].contains(&RunControl::Pause) {
            self.rest(at, Phase::Paused, (RunState::Paused, None, None), effects);
            effects.extend(self.deadline.map(|deadline| (number(at), Effect::WakeAt(deadline))));
            return;
        }
        if let Some((until, why)) = self.not_before.filter(|(until, _)| now < *until) {
            self.rest(at, Phase::Waiting, (RunState::Waiting, Some(until), Some(why.to_owned())), effects);
            push(effects, at, Effect::WakeAt(self.deadline.map_or(until, |deadline| deadline.min(until))));
            return;
        }
        self.not_before = None;
        let Some(reserved_usd) = self.room(at) else {
            self.lanes[at].phase = Phase::Starved;
            return;
        };
        let owed = self.next_owed(now);
        let lane = &mut self.lanes[at];
        (lane.phase, lane.reserved_usd) = (owed.map_or(Phase::Claiming, Phase::FollowingUp), reserved_usd);
        (lane.setbacks, lane.commits) = (self.setbacks, self.commits);
        self.set_state(at, RunState::Running, None, None, effects);
        effects.extend(self.deadline.map(|deadline| (number(at), Effect::WakeAt(deadline))));
        self.limited.retain(|(_, until)| now < *until);
        let limited = self.limited.iter().map(|(model, _)| model.clone()).collect();
        let claim = Effect::ClaimNext { only: self.config.only_task, limited };
        push(effects, at, owed.map_or(claim, |task| Effect::FollowUp { task }));
    }

    fn minutes_are_over(&self, now: Timestamp) -> bool {
        self.deadline.is_some_and(|deadline| now >= deadline)
    }

    /// Starts the agent on a claimed task, or releases the task if a stop arrived during the claim.
    fn begin(&mut self, at: usize, claim: Claim, now: Timestamp, effects: &mut Effects) {
        let work = CollectedOutput::new(claim);
        let stopped =
            [self.control, self.lanes[at].control].iter().any(|asked| matches!(asked, RunControl::StopNow | RunControl::StopAfter));
        let cause = if stopped { Some(CutShort::ByPerson) } else { self.minutes_are_over(now).then_some(CutShort::MinutesOver) };
        self.lanes[at].setbacks = self.setbacks;
        if let Some(cause) = cause {
            let (claim, exit) = work.not_run(cause, String::new());
            return self.gather(at, claim, exit, effects);
        }
        self.lanes[at].phase = Phase::Starting(Box::new(work));
        let max_usd = self.config.limits.max_usd.map(|_| self.lanes[at].reserved_usd);
        push(effects, at, Effect::StartAgent { max_usd });
    }

    fn gather(&mut self, at: usize, claim: Claim, exit: AgentExit, effects: &mut Effects) {
        let checking = self.config.has_check && judge::wants_check(&claim, &exit);
        let learnings = exit.sigils.learnings.iter().map(|learning| learning.text.clone()).collect();
        self.lanes[at].phase = Phase::Gathering { claim, exit: Box::new(exit), checking };
        push(effects, at, Effect::Gather { run_check: checking, learnings });
    }

    fn commit(&mut self, at: usize, claim: Claim, exit: AgentExit, facts: IterationFacts, effects: &mut Effects) {
        let (cut_short, resets_at, detail) = (exit.cut_short, exit.resets_at, cut(&exit.detail, NOTE_CHARS).to_owned());
        let heard_usd = prices::with_cost(exit.model.as_deref().unwrap_or_default(), exit.usage).cost_usd.unwrap_or_default();
        let without_model = exit.ending == Ending::ModelUnavailable && !facts.another_model;
        let of_family = |model: &String| exit.limited_model.as_ref().is_some_and(|family| model.to_lowercase().contains(family));
        let (exposed, limited) = (facts.exposed.clone(), facts.spared.clone().filter(of_family));
        let ctx = IterationCtx { claim, exit, facts, max_attempts: self.config.max_attempts, has_check: self.config.has_check };
        let commit = hooks::run_hooks(hooks::POST_ITERATION, ctx);
        let outcome = commit.outcome;
        let without_model = without_model && outcome == Outcome::Error;
        let blocked = commit.rows.iter().any(|row| matches!(row, RowEffect::SettleTask { status: TaskStatus::Blocked, .. }));
        let idle = commit.idle;
        let settled = Settlement { outcome, cut_short, resets_at, detail, limited, without_model, exposed, idle, blocked, heard_usd };
        self.lanes[at].phase = Phase::Committing(settled);
        push(effects, at, Effect::Commit(Box::new(commit)));
    }
}

fn push(effects: &mut Effects, at: usize, effect: Effect) {
    effects.push((number(at), effect));
}

/// Lane number of an index.
fn number(at: usize) -> LaneNumber {
    u32::try_from(at + 1).unwrap_or(LaneNumber::MAX)
}

/// Index of a lane.
fn place(lane: LaneNumber) -> usize {
    lane.saturating_sub(1) as usize
}
