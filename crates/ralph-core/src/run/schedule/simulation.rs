//! A seeded simulation of several workers: the machine, the choice of tasks and a model of the rows, with random endings, requests,
//! limits and kills. Whatever happens, no task has two workers and no limit is exceeded.

use super::{Load, choose};
use crate::run::hooks::testing::{check, facts};
use crate::run::hooks::{Claim, IterationCommit, RowEffect};
use crate::run::machine::{Effect, Event, LaneNumber, Machine, MachineConfig};
use crate::run::{Outcome, RunControl, RunLimits, RunState, StopReason};
use crate::signal::{AgentSignal, Ending, Usage};
use crate::stats::SplitMix64;
use crate::task::{TaskKind, TaskStatus};
use crate::time::Timestamp;
use crate::{IterationId, TaskId};
use std::collections::{BTreeMap, BTreeSet};

const SEQUENCES: u64 = 4_000;
const EVENTS: u32 = 160;
const FILES: [&str; 4] = ["src/a.rs", "src/b.rs", "docs/c.md", "d.toml"];
const BUDGET: f64 = 3.0;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owed {
    Claim,
    AgentStart,
    AgentEnd,
    Facts { checking: bool },
    Commit,
}

struct Row {
    status: TaskStatus,
    depends_on: Vec<TaskId>,
    load: Load,
}

#[derive(Default)]
struct Work {
    owed: Option<Owed>,
    claim: Option<Claim>,
    /// A person's request to it.
    control: Option<RunControl>,
    reserved: f64,
    used: f64,
    outcome: Option<Outcome>,
}

struct World {
    chance: SplitMix64,
    now: Timestamp,
    config: MachineConfig,
    machine: Machine,
    started: bool,
    tasks: Vec<Row>,
    lanes: Vec<Work>,
    control: RunControl,
    settled_usd: f64,
    counted: u32,
    next_iteration: IterationId,
    waits_until: Option<Timestamp>,
    ended: Option<StopReason>,
    most_at_once: usize,
    clashes: u32,
}

impl World {
    fn new(seed: u64) -> World {
        let mut chance = SplitMix64(seed);
        let mut below = |bound: u64| chance.next_u64() % bound;
        let now = Timestamp(1_795_000_000_000);
        let workers = u32::try_from(1 + below(5)).expect("few");
        let limits = RunLimits {
            max_iterations: (below(3) == 0).then(|| u32::try_from(below(8)).expect("small")),
            max_minutes: (below(4) == 0).then_some(60),
            max_usd: (below(3) == 0).then_some(BUDGET),
        };
        let config = MachineConfig { limits, only_task: None, max_attempts: 3, has_check: below(2) == 0, stall_stop: None, workers };
        let tasks = (1..=u32::try_from(3 + below(9)).expect("few")).map(|task| Row {
            status: TaskStatus::Pending,
            depends_on: (1..task).filter(|_| below(6) == 0).collect(),
            load: Load { task, files: FILES.iter().filter(|_| below(3) == 0).map(|file| (*file).to_owned()).collect() },
        });
        let tasks = tasks.collect();
        World {
            machine: Machine::new(config.clone(), now),
            lanes: (0..workers).map(|_| Work::default()).collect(),
            chance,
            now,
            config,
            started: false,
            tasks,
            control: RunControl::None,
            settled_usd: 0.0,
            counted: 0,
            next_iteration: 1,
            waits_until: None,
            ended: None,
            most_at_once: 0,
            clashes: 0,
        }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.chance.next_u64() % bound
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.chance.index(choices.len())]
    }

    /// Answers a pending effect of a random lane, at random; otherwise a request or time.
    fn play_one(&mut self) {
        if !self.started {
            self.started = true;
            return self.step(1, Event::Started { owed: Vec::new() });
        }
        let owing: Vec<usize> = (0..self.lanes.len()).filter(|at| self.lanes[*at].owed.is_some()).collect();
        match self.below(20) {
            0 => {
                self.control = if self.below(8) == 0 { RunControl::StopAfter } else { self.of(&[RunControl::None, RunControl::Pause]) };
                self.step(1, Event::Control(self.control));
            }
            1 => {
                let at = usize::try_from(self.below(self.lanes.len() as u64)).expect("few");
                let asked = if self.below(6) == 0 { RunControl::StopNow } else { self.of(&[RunControl::None, RunControl::Pause]) };
                let known = &mut self.lanes[at].control;
                *known = known.filter(|known| *known == RunControl::StopNow).or(Some(asked));
                self.step(number(at), Event::LaneControl(asked));
            }
            2 | 3 => self.pass_time(),
            _ if owing.is_empty() => {
                self.control = RunControl::None;
                self.step(1, Event::Control(RunControl::None));
                self.pass_time();
            }
            _ => {
                let at = self.of(&owing);
                self.answer(at);
            }
        }
    }

    fn pass_time(&mut self) {
        let millis = self.below(240_000);
        self.now = self.now.plus_millis(millis);
        self.step(1, Event::Tick);
    }

    fn answer(&mut self, at: usize) {
        let Some(owed) = self.lanes[at].owed else { return };
        let event = match owed {
            Owed::Claim => Event::Claimed(self.claim(at)),
            Owed::AgentStart => {
                self.lanes[at].owed = Some(Owed::AgentEnd);
                Event::AgentStarted
            }
            Owed::AgentEnd if self.below(3) == 0 => return self.spend(at),
            Owed::AgentEnd => {
                let rare = self.of(&[Ending::RateLimited, Ending::Network, Ending::Crashed, Ending::MaxBudget]);
                let ending = self.of(&[Ending::Completed, Ending::Completed, rare]);
                self.lanes[at].owed = None;
                Event::AgentExited { ending, exit_code: None, detail: String::new(), mcp_claims: Vec::new() }
            }
            Owed::Facts { checking } => {
                self.lanes[at].owed = None;
                let mut facts = facts();
                facts.evidence.check = checking.then(|| check(self.below(4) > 0));
                Event::Gathered(Box::new(facts))
            }
            Owed::Commit => {
                let work = &mut self.lanes[at];
                self.settled_usd += work.used;
                (work.owed, work.claim, work.used, work.reserved) = (None, None, 0.0, 0.0);
                Event::Committed { cost_usd: self.settled_usd }
            }
        };
        self.step(number(at), event);
    }

    /// An agent speaks, or spends within its reserved budget.
    fn spend(&mut self, at: usize) {
        if self.below(2) == 0 {
            return self.step(number(at), Event::Signal(AgentSignal::Text { text: "<task-done/>".to_owned() }));
        }
        let work = &mut self.lanes[at];
        work.used = if self.config.limits.max_usd.is_some() { work.reserved } else { work.used + 0.5 };
        let usage = Usage { cost_usd: Some(work.used), output_tokens: 1, ..Usage::default() };
        self.step(number(at), Event::Signal(AgentSignal::Spent { model: None, usage }));
    }

    fn ready(&self) -> Vec<Load> {
        let is_done = |task: &TaskId| self.tasks[*task as usize - 1].status == TaskStatus::Done;
        let ready = self.tasks.iter().filter(|row| row.status == TaskStatus::Pending && row.depends_on.iter().all(is_done));
        ready.map(|row| row.load.clone()).collect()
    }

    /// Like the driver: one transaction.
    fn claim(&mut self, at: usize) -> Option<Claim> {
        self.lanes[at].owed = None;
        // A committed task is no longer in progress, although its lane has not been informed.
        let claims = self.lanes.iter().filter(|lane| lane.owed != Some(Owed::Commit)).filter_map(|lane| lane.claim.as_ref());
        let at_work: Vec<Load> = claims.map(|claim| self.tasks[claim.task as usize - 1].load.clone()).collect();
        let ready = self.ready();
        let choice = choose(&ready, &at_work)?;
        let clashes = |load: &Load| at_work.iter().any(|other| !load.files.is_disjoint(&other.files));
        if clashes(&self.tasks[choice.task as usize - 1].load) {
            self.clashes += 1;
            assert!(ready.iter().all(clashes), "side by side while another was ready");
            assert!(choice.reason.is_some(), "without a reason");
        }
        let row = &mut self.tasks[choice.task as usize - 1];
        assert_eq!(row.status, TaskStatus::Pending, "a task twice");
        row.status = TaskStatus::InProgress;
        let iteration = self.next_iteration;
        self.next_iteration += 1;
        let claim = Claim { task: choice.task, kind: TaskKind::Work, feature: "pay".to_owned(), iteration, attempt: 1 };
        self.lanes[at].claim = Some(claim.clone());
        Some(claim)
    }

    fn step(&mut self, lane: LaneNumber, event: Event) {
        let effects = self.machine.step(lane, event, self.now);
        assert!(self.ended.is_none() || effects.is_empty(), "after the end: {effects:?}");
        for (lane, effect) in effects {
            self.perform(lane as usize - 1, effect);
        }
        let under_way = self.lanes.iter().filter(|lane| lane.owed.is_some()).count();
        self.most_at_once = self.most_at_once.max(self.lanes.iter().filter(|lane| lane.claim.is_some()).count());
        if let Some(max) = self.config.limits.max_iterations {
            let committing = self.lanes.iter().filter(|lane| lane.owed == Some(Owed::Commit)).count();
            assert!(self.counted as usize + under_way - committing <= max as usize, "more iterations than the limit");
        }
        if self.config.limits.max_usd.is_some() {
            let taken: f64 = self.lanes.iter().map(|lane| lane.reserved.max(lane.used)).sum();
            assert!(self.settled_usd + taken <= BUDGET + 0.02, "{} + {taken} dollars", self.settled_usd);
        }
    }

    fn perform(&mut self, at: usize, effect: Effect) {
        let work = &mut self.lanes[at];
        match effect {
            Effect::ClaimNext { .. } => {
                assert!(work.owed.is_none() && work.claim.is_none(), "a lane claims while it works");
                assert_eq!((self.control, work.control.unwrap_or(RunControl::None)), (RunControl::None, RunControl::None), "a wish");
                assert!(self.waits_until.is_none_or(|until| self.now >= until), "no claim during a wait");
                work.owed = Some(Owed::Claim);
            }
            Effect::FollowUp { .. } => panic!("nothing is owed"),
            Effect::StartAgent { max_usd } => {
                assert!(work.claim.is_some() && work.owed.is_none());
                (work.owed, work.reserved) = (Some(Owed::AgentStart), max_usd.unwrap_or(0.0));
            }
            Effect::StopAgent => assert_eq!(work.owed, Some(Owed::AgentEnd), "only a running agent is stopped"),
            Effect::Cancel => assert!(matches!(work.owed, Some(Owed::Claim | Owed::Commit | Owed::Facts { checking: true }))),
            Effect::Gather { run_check, .. } => work.owed = Some(Owed::Facts { checking: run_check }),
            Effect::Commit(commit) => self.commit(at, &commit),
            Effect::SetState { state, waiting_until, .. } => {
                let at_rest = matches!(state, RunState::Paused | RunState::Waiting);
                assert!(!at_rest || self.lanes.iter().all(|lane| lane.owed.is_none()), "{state} while a lane works");
                assert!(state != RunState::Waiting || waiting_until.is_some());
                self.waits_until = waiting_until.or(self.waits_until);
            }
            Effect::WakeAt(_) => {}
            Effect::End { reason, .. } => {
                assert!(self.lanes.iter().all(|lane| lane.owed.is_none() && lane.claim.is_none()), "the last lane ends the run");
                self.ended = Some(reason);
            }
        }
    }

    fn commit(&mut self, at: usize, commit: &IterationCommit) {
        let status = commit.rows.iter().find_map(|row| match row {
            RowEffect::SettleTask { status, .. } => Some(*status),
            _ => None,
        });
        self.tasks[commit.claim.task as usize - 1].status = status.expect("a settled task");
        self.counted += u32::from(!matches!(commit.outcome, Outcome::RateLimited | Outcome::Network));
        (self.lanes[at].owed, self.lanes[at].outcome) = (Some(Owed::Commit), Some(commit.outcome));
    }

    /// The process dies: the next observer releases what it held, and another run continues.
    fn kill(&mut self) {
        for at in 0..self.lanes.len() {
            if let Some(claim) = std::mem::take(&mut self.lanes[at]).claim {
                let row = &mut self.tasks[claim.task as usize - 1];
                if row.status == TaskStatus::InProgress {
                    row.status = TaskStatus::Pending;
                }
            }
        }
        assert!(self.tasks.iter().all(|row| row.status != TaskStatus::InProgress), "a kill leaves nothing held");
        self.machine = Machine::new(self.config.clone(), self.now);
        (self.started, self.control, self.ended, self.waits_until) = (false, RunControl::None, None, None);
        (self.settled_usd, self.counted) = (0.0, 0);
    }
}

fn number(at: usize) -> LaneNumber {
    u32::try_from(at + 1).expect("few")
}

#[test]
fn no_sequence_of_events_gives_a_task_two_workers_or_passes_a_limit() {
    let (mut reasons, mut most, mut clashes, mut outcomes) = (BTreeSet::new(), BTreeMap::new(), 0, BTreeSet::new());
    for seed in 0..SEQUENCES {
        let mut world = World::new(seed);
        for _ in 0..EVENTS {
            world.play_one();
            outcomes.extend(world.lanes.iter().filter_map(|lane| lane.outcome));
            if world.below(150) == 0 {
                reasons.extend(world.ended);
                world.kill();
            }
        }
        if !world.started {
            world.play_one();
        }
        world.control = RunControl::StopNow;
        world.step(1, Event::Control(RunControl::StopNow));
        for _ in 0..40 {
            (0..world.lanes.len()).for_each(|at| world.answer(at));
        }
        assert!(world.ended.is_some(), "seed {seed}: a stop must end the run");
        assert!(world.tasks.iter().all(|row| row.status != TaskStatus::InProgress), "seed {seed}: nothing stays held");
        *most.entry(world.most_at_once).or_insert(0) += 1;
        clashes += world.clashes;
        reasons.extend(world.ended);
    }
    // A simulation that never gets there would prove nothing.
    assert!(most.contains_key(&5) && clashes > 100, "{most:?}, {clashes}");
    for reason in [StopReason::NothingReady, StopReason::MaxIterations, StopReason::MaxUsd, StopReason::MaxMinutes, StopReason::StoppedNow]
    {
        assert!(reasons.contains(&reason), "never ended by {reason}: {reasons:?}");
    }
    assert!([Outcome::Done, Outcome::RateLimited, Outcome::Network, Outcome::Stopped].iter().all(|o| outcomes.contains(o)), "{outcomes:?}");
}
