//! A seeded simulation of runs: random events, in and out of order, against a model that knows only the machine-driver protocol.
//! Length: one model, and its answer to every event and effect.

use super::hooks::testing::{check, facts};
use super::hooks::{Claim, IterationCommit, RowEffect};
use super::machine::{Effect, Event, Machine, MachineConfig, Setback};
use super::{Outcome, RunControl, RunLimits, RunState, StopReason};
use crate::IterationId;
use crate::sigil::TaskClaim;
use crate::signal::{AgentSignal, Ending, Usage};
use crate::stats::SplitMix64;
use crate::task::{TaskKind, TaskStatus};
use crate::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

const SEQUENCES: u64 = 12_000;
const EVENTS: u32 = 90;
/// Answers from a stop to the end: claim or start, agent's exit, facts, commit.
const ANSWERS_TO_END: u32 = 5;

/// A seeded random source.
struct Chance(SplitMix64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound
    }

    fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.0.index(choices.len())]
    }
}

/// The pending answer of the driver: at most one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owed {
    Start,
    FollowUp,
    Claim,
    AgentStart,
    AgentEnd,
    Facts { checking: bool },
    Commit,
    Nothing,
}

/// The driver and the database, as far as the protocol needs them.
struct World {
    chance: Chance,
    /// How agents of this run tend to end, so that the same ending occurs repeatedly.
    weather: Ending,
    now: Timestamp,
    machine: Machine,
    config: MachineConfig,
    owed: Owed,
    state: RunState,
    control: RunControl,
    wake: Option<Timestamp>,
    waiting_until: Option<Timestamp>,
    note: Option<String>,
    current: Option<Claim>,
    /// How the agent ended, and whether another model would be tried next.
    ending: Ending,
    another_model: bool,
    stopping: bool,
    next_iteration: IterationId,
    committed: BTreeSet<IterationId>,
    counted: u32,
    /// Consecutive attempts without any effect.
    idle: u32,
    /// As many as there were when the first of them blocked its task.
    idle_of_blocked: u32,
    failures: BTreeMap<u32, u32>,
    ended: Option<StopReason>,
    outcomes: BTreeSet<Outcome>,
}

impl World {
    fn new(seed: u64) -> World {
        let mut chance = Chance(SplitMix64(seed));
        let now = Timestamp(1_795_000_000_000);
        let limits = RunLimits {
            max_iterations: chance.percent(40).then(|| u32::try_from(chance.below(6)).expect("small")),
            max_minutes: chance.percent(30).then(|| u32::try_from(chance.below(90)).expect("small")),
            max_usd: chance.percent(20).then_some(2.5),
        };
        let only_task = chance.percent(10).then_some(1);
        let config = MachineConfig {
            limits,
            only_task,
            max_attempts: 3,
            has_check: chance.percent(50),
            stall_stop: chance.percent(30).then_some(2),
            workers: 1,
        };
        World {
            machine: Machine::new(config.clone(), now),
            weather: chance.of(Ending::ALL),
            chance,
            now,
            config,
            owed: Owed::Start,
            state: RunState::Running,
            control: RunControl::None,
            wake: None,
            waiting_until: None,
            note: None,
            current: None,
            ending: Ending::Completed,
            another_model: false,
            stopping: false,
            next_iteration: 1,
            committed: BTreeSet::new(),
            counted: 0,
            idle: 0,
            idle_of_blocked: 0,
            failures: BTreeMap::new(),
            ended: None,
            outcomes: BTreeSet::new(),
        }
    }

    /// One random event: mostly the pending answer, otherwise a signal, a request, time, or anything at all.
    fn random_event(&mut self) -> Event {
        match self.chance.below(100) {
            0..=57 => self.answer(),
            58..=74 => Event::Signal(self.signal()),
            75..=81 => Event::Control(self.wish()),
            82..=90 => self.tick(),
            91 => self.put_off(),
            _ => {
                let strange = [
                    Owed::Start,
                    Owed::FollowUp,
                    Owed::Claim,
                    Owed::AgentStart,
                    Owed::AgentEnd,
                    Owed::Facts { checking: true },
                    Owed::Commit,
                ];
                let owed = self.chance.of(&strange);
                self.answer_to(owed)
            }
        }
    }

    fn wish(&mut self) -> RunControl {
        // Stops end a sequence, so they are rarer.
        if self.chance.percent(85) { self.chance.of(&[RunControl::None, RunControl::Pause]) } else { self.chance.of(RunControl::ALL) }
    }

    fn tick(&mut self) -> Event {
        match self.wake.filter(|_| self.chance.percent(50)) {
            Some(wake) => self.now = self.now.max(wake),
            None => self.now = self.now.plus_millis(self.chance.below(120_000)),
        }
        Event::Tick
    }

    fn put_off(&mut self) -> Event {
        let resets_at = self.chance.percent(50).then(|| self.now.plus_millis(self.chance.below(600_000)));
        Event::PutOff { task: 1, setback: self.chance.of(&[Setback::Limit { resets_at }, Setback::Offline]) }
    }

    fn answer(&mut self) -> Event {
        match self.owed {
            Owed::Nothing if self.state == RunState::Paused => Event::Control(RunControl::None),
            Owed::Nothing => self.tick(),
            owed => self.answer_to(owed),
        }
    }

    fn answer_to(&mut self, owed: Owed) -> Event {
        match owed {
            Owed::Claim if self.chance.percent(4) => Event::Claimed(None),
            Owed::Claim => {
                let claim = self.new_claim();
                Event::Claimed(Some(claim))
            }
            Owed::AgentStart if self.chance.percent(3) => Event::AgentUnavailable { message: "gone".to_owned() },
            Owed::AgentStart if self.chance.percent(2) => Event::NoCheckout { message: "gone".to_owned() },
            Owed::AgentStart if self.chance.percent(95) => Event::AgentStarted,
            Owed::AgentStart | Owed::AgentEnd => {
                let mcp_claims = if self.chance.percent(10) { vec![TaskClaim { done: true, task: Some(1) }] } else { Vec::new() };
                let any = self.chance.of(Ending::ALL);
                let ending = self.chance.of(&[self.weather, self.weather, Ending::Completed, any]);
                Event::AgentExited { ending, exit_code: None, detail: String::new(), mcp_claims }
            }
            Owed::Facts { .. } | Owed::Commit if self.chance.percent(1) => Event::EffectFailed { message: "disk full".to_owned() },
            Owed::Facts { checking } => {
                let mut facts = facts();
                let task = self.current.as_ref().map_or(1, |claim| claim.task);
                facts.consecutive_failures = self.failures.get(&task).copied().unwrap_or(0);
                facts.another_model = self.chance.percent(50);
                facts.split.children = self.chance.of(&[0, 1, 2]);
                if self.chance.percent(40) {
                    facts.evidence.commits = vec!["1a2b3c x".to_owned()];
                }
                facts.evidence.check = checking.then(|| check(self.chance.percent(50)));
                facts.exposed = self.chance.percent(1).then(|| "all of it".to_owned());
                Event::Gathered(Box::new(facts))
            }
            Owed::Commit => Event::Committed { cost_usd: f64::from(self.counted) * 0.5 },
            Owed::FollowUp => Event::FollowedUp { cost_usd: 0.5 },
            Owed::Start | Owed::Nothing => Event::Started { owed: self.chance.of(&[&[][..], &[], &[1], &[1, 2]]).to_vec() },
        }
    }

    fn new_claim(&mut self) -> Claim {
        Claim {
            task: self.chance.of(&[1, 2, 3]),
            kind: if self.chance.percent(10) { TaskKind::Split } else { TaskKind::Work },
            feature: "billing".to_owned(),
            iteration: self.next_iteration,
            attempt: 1,
        }
    }

    fn signal(&mut self) -> AgentSignal {
        match self.chance.below(8) {
            0 => AgentSignal::Text {
                text: self.chance.of(&["<task-done/>", "<task-failed/>", "<task-done>2</task-done>", "<task-", "words"]).to_owned(),
            },
            1 => AgentSignal::SubagentText { text: "<task-done/>".to_owned() },
            2 => {
                let resets_at = self.chance.of(&[None, Some(self.now), Some(self.now.plus_millis(3_600_000)), Some(Timestamp(i64::MAX))]);
                AgentSignal::RateLimit { rejected: self.chance.percent(50), resets_at, resets_in_ms: None, limit: None }
            }
            3 => {
                let ending = self.chance.of(Ending::ALL);
                AgentSignal::TurnEnded { ending, text: "<task-done/>".to_owned(), usage: Usage::default(), denials: 1 }
            }
            4 => AgentSignal::Spent { model: None, usage: Usage { cost_usd: Some(self.chance.of(&[0.0, 0.4, 3.0])), ..Usage::default() } },
            5 => AgentSignal::Retry {
                attempt: 1,
                status: self.chance.of(&[None, Some(401), Some(529)]),
                delay_ms: 500,
                words: String::new(),
            },
            6 => AgentSignal::Denied { tool: "Bash".to_owned(), summary: "rm".to_owned() },
            _ => AgentSignal::Garbled { text: "{".to_owned() },
        }
    }

    /// Whether the machine waits for this event; otherwise it is late and must change nothing.
    fn is_owed(&self, event: &Event) -> bool {
        match event {
            Event::Started { .. } => self.owed == Owed::Start,
            Event::FollowedUp { .. } => self.owed == Owed::FollowUp,
            Event::PutOff { .. } => matches!(self.owed, Owed::FollowUp | Owed::Commit),
            Event::Claimed(_) => self.owed == Owed::Claim,
            Event::AgentStarted | Event::AgentUnavailable { .. } | Event::NoCheckout { .. } => self.owed == Owed::AgentStart,
            Event::Signal(_) | Event::AgentExited { .. } => matches!(self.owed, Owed::AgentStart | Owed::AgentEnd),
            Event::Gathered(_) => matches!(self.owed, Owed::Facts { .. }),
            Event::Committed { .. } => self.owed == Owed::Commit,
            Event::EffectFailed { .. } => matches!(self.owed, Owed::Claim | Owed::Facts { .. } | Owed::Commit),
            Event::Control(_) | Event::LaneControl(_) | Event::Tick => true,
        }
    }

    fn play(&mut self, event: Event) {
        let owed = self.is_owed(&event);
        if owed && self.ended.is_none() {
            self.note(&event);
        }
        let over_time = self.minutes_are_over();
        let shown = format!("{event:?}");
        let effects = self.machine.step(1, event, self.now);
        assert!(self.ended.is_none() || effects.is_empty(), "effects after the end: {shown} → {effects:?}");
        if !owed && !over_time {
            assert!(effects.is_empty(), "an event that came too late: {shown} → {effects:?}");
        }
        for (_, effect) in effects {
            self.perform(effect);
        }
        assert_eq!(self.machine.run_state(), if self.ended.is_some() { RunState::Ended } else { self.state });
        let idle = matches!(self.state, RunState::Paused | RunState::Waiting) || self.ended.is_some();
        assert_eq!(self.owed == Owed::Nothing, idle, "{shown}: nothing is owed exactly when the run rests");
        if self.state == RunState::Waiting && self.ended.is_none() {
            assert!(self.wake.is_some_and(|wake| wake > self.now), "{shown}: a wait without a wake");
        }
    }

    /// Updates the model for the driver's side of an event.
    fn note(&mut self, event: &Event) {
        match event {
            Event::Claimed(Some(claim)) => {
                self.next_iteration += 1;
                self.current = Some(claim.clone());
                // The effects determine what follows.
                self.owed = Owed::Nothing;
            }
            Event::AgentStarted => self.owed = Owed::AgentEnd,
            Event::AgentExited { ending, .. } => (self.ending, self.owed) = (*ending, Owed::Nothing),
            Event::Gathered(facts) => (self.another_model, self.owed) = (facts.another_model, Owed::Nothing),
            Event::Control(control) if self.control != RunControl::StopNow => self.control = *control,
            Event::PutOff { .. } | Event::Signal(_) | Event::Control(_) | Event::LaneControl(_) | Event::Tick => {}
            _ => self.owed = Owed::Nothing,
        }
    }

    fn perform(&mut self, effect: Effect) {
        assert_eq!(self.ended, None, "{effect:?} after the end");
        match effect {
            Effect::ClaimNext { only, .. } => {
                assert_eq!(only, self.config.only_task);
                self.begin(Owed::Claim);
            }
            Effect::FollowUp { .. } => self.begin(Owed::FollowUp),
            Effect::StartAgent { .. } => {
                assert!(self.current.is_some() && self.owed == Owed::Nothing, "an agent without a claim, or a second one");
                self.owed = Owed::AgentStart;
            }
            Effect::StopAgent => {
                assert!(self.owed == Owed::AgentEnd && !self.stopping, "only a running agent is stopped, and once");
                self.stopping = true;
            }
            Effect::Gather { run_check, .. } => {
                assert!(self.current.is_some() && self.owed == Owed::Nothing && (self.config.has_check || !run_check));
                self.owed = Owed::Facts { checking: run_check };
            }
            Effect::Cancel => {
                let is_late = matches!(self.owed, Owed::FollowUp | Owed::Claim | Owed::Commit) && self.minutes_are_over();
                assert!(is_late || self.owed == Owed::Facts { checking: true }, "nothing to abort: {:?}", self.owed);
            }
            Effect::Commit(commit) => self.commit(&commit),
            Effect::SetState { state, waiting_until, note } => {
                assert!(
                    self.state != state || self.note != note || waiting_until.is_some_and(|until| self.waiting_until != Some(until)),
                    "{state} told twice"
                );
                assert_eq!(state == RunState::Waiting, waiting_until.is_some());
                self.waiting_until = waiting_until.or(self.waiting_until);
                (self.wake, self.state, self.note) = (None, state, note);
            }
            Effect::WakeAt(at) => self.wake = Some(at),
            Effect::End { reason, .. } => {
                assert_eq!(self.owed, Owed::Nothing);
                if reason != StopReason::InternalError {
                    assert_eq!(self.current, None, "an iteration was left behind");
                    assert_eq!(u32::try_from(self.committed.len()), Ok(self.next_iteration - 1));
                }
                assert!(reason != StopReason::Stalled || self.config.stall_stop.is_some_and(|max| self.idle >= max), "a false alarm");
                self.ended = Some(reason);
            }
        }
    }

    fn begin(&mut self, next: Owed) {
        assert_eq!((self.owed, &self.current), (Owed::Nothing, &None));
        assert_eq!((self.control, self.state), (RunControl::None, RunState::Running), "nothing begins while paused or stopping");
        assert!(self.config.limits.max_iterations.is_none_or(|max| self.counted < max) && !self.minutes_are_over());
        assert!(self.waiting_until.is_none_or(|until| self.now >= until), "nothing begins during a wait");
        assert!(self.config.stall_stop.is_none_or(|max| self.idle - self.idle_of_blocked < max), "nothing begins after a stall");
        self.owed = next;
    }

    fn commit(&mut self, commit: &IterationCommit) {
        assert_eq!(self.owed, Owed::Nothing);
        assert_eq!(self.current.take().as_ref(), Some(&commit.claim));
        assert!(self.committed.insert(commit.claim.iteration), "committed twice");
        let settled: Vec<TaskStatus> = commit.rows.iter().filter_map(status).collect();
        let failures = self.failures.entry(commit.claim.task).or_default();
        let expected = match commit.outcome {
            Outcome::Done => {
                *failures = 0;
                TaskStatus::Done
            }
            outcome if outcome.is_attempt() => {
                *failures += 1;
                let hopeless = commit.outcome == Outcome::Error && self.ending == Ending::ContextTooLong && !self.another_model;
                if hopeless || *failures >= self.config.max_attempts { TaskStatus::Blocked } else { TaskStatus::Pending }
            }
            _ => TaskStatus::Pending,
        };
        assert_eq!(settled, [expected], "{:?} after {failures} failures", commit.outcome);
        assert_eq!(commit.attempt.is_some(), commit.outcome.is_attempt());
        let records = commit.rows.iter().filter(|row| matches!(row, RowEffect::ReportFailure(_))).count();
        assert_eq!(records, usize::from(commit.outcome.is_attempt() && commit.outcome != Outcome::Done), "one record per failed attempt");
        if commit.outcome.is_attempt() {
            self.idle = if commit.idle { self.idle + 1 } else { 0 };
            let first_blocked = self.idle_of_blocked == 0 && expected == TaskStatus::Blocked;
            self.idle_of_blocked = if first_blocked { self.idle } else { self.idle_of_blocked.min(self.idle) };
        }
        self.counted += u32::from(!matches!(commit.outcome, Outcome::RateLimited | Outcome::Network));
        assert!(self.config.limits.max_iterations.is_none_or(|max| self.counted <= max));
        self.outcomes.insert(commit.outcome);
        self.stopping = false;
        self.owed = Owed::Commit;
    }

    fn minutes_are_over(&self) -> bool {
        let minutes = self.config.limits.max_minutes;
        minutes.is_some_and(|minutes| self.now.millis_since(Timestamp(1_795_000_000_000)) >= u64::from(minutes) * 60_000)
    }
}

fn status(row: &RowEffect) -> Option<TaskStatus> {
    match row {
        RowEffect::SettleTask { status, .. } => Some(*status),
        _ => None,
    }
}

#[test]
fn no_sequence_of_events_breaks_the_rules_of_a_run() {
    let mut reasons = BTreeSet::new();
    let mut outcomes = BTreeSet::new();
    for seed in 0..SEQUENCES {
        let mut world = World::new(seed);
        for _ in 0..EVENTS {
            let event = world.random_event();
            world.play(event);
        }
        world.play(Event::Control(RunControl::StopNow));
        for _ in 0..ANSWERS_TO_END {
            let event = world.answer();
            world.play(event);
        }
        assert!(world.ended.is_some(), "seed {seed}: a stop must end the run, yet it waits for {:?}", world.owed);
        reasons.extend(world.ended);
        outcomes.append(&mut world.outcomes);
    }
    // A simulation that never gets there would prove nothing.
    // A crash and a missing folder are detected from outside, not by the machine.
    let unreachable_reasons = [StopReason::Crashed, StopReason::ProjectGone];
    let missing: Vec<_> = StopReason::ALL.iter().filter(|r| !reasons.contains(r) && !unreachable_reasons.contains(r)).collect();
    assert!(missing.is_empty(), "never ended by {missing:?}");
    let missing: Vec<_> = Outcome::ALL.iter().filter(|o| !outcomes.contains(o) && **o != Outcome::Running).collect();
    assert!(missing.is_empty(), "never came to {missing:?}");
}
