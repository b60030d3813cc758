//! One lane of a run: at most one agent, from the claim of its task to the commit of its iteration.

use super::RunControl;
use super::collect::CollectedOutput;
use super::event::Effect;
use super::hooks::{AgentExit, Claim, CutShort};
use super::{Outcome, StopReason};
use crate::TaskId;
use crate::signal::Usage;
use crate::time::Timestamp;

/// What a lane waits for.
#[derive(Debug)]
pub(super) enum Phase {
    /// The driver's start.
    Idle,
    /// The follow-up of work on a task that an earlier run left.
    FollowingUp(TaskId),
    /// A task.
    Claiming,
    /// The agent's process to start.
    Starting(Box<CollectedOutput>),
    /// The agent's exit.
    Working(Box<CollectedOutput>),
    /// What the agent left.
    Gathering { claim: Claim, exit: Box<AgentExit>, checking: bool },
    /// The commit of an iteration.
    Committing(Settlement),
    /// A person to resume.
    Paused,
    /// The end of a wait.
    Waiting,
    /// Another lane: its end may make a task ready, or free some of the budget.
    Starved,
    /// Nothing: it has ended.
    Ended,
}

/// Consequences of an iteration for the run, once it is committed.
#[derive(Debug)]
pub(super) struct Settlement {
    pub outcome: Outcome,
    pub cut_short: Option<CutShort>,
    pub resets_at: Option<Timestamp>,
    pub detail: String,
    /// Its model, if only that model's usage limit was reached, and the next attempt would use another one.
    pub limited: Option<String>,
    /// Whether its model is unavailable, and there is no alternative.
    pub without_model: bool,
    /// What its agent committed of this machine's own files.
    pub exposed: Option<String>,
    /// Whether it had no effect.
    pub idle: bool,
    /// Whether its task waits for a person now.
    pub blocked: bool,
    /// Dollars that its agent used, according to its output.
    pub heard_usd: f64,
}

/// One lane.
#[derive(Debug)]
pub(super) struct Lane {
    pub phase: Phase,
    /// A person's request to this lane alone.
    pub control: RunControl,
    /// Number of setbacks in the run when its iteration, or its follow-up, began: one that hits all lanes at once counts once.
    pub setbacks: u64,
    /// Number of the run's commits when it last looked for a task.
    pub commits: u64,
    /// Dollars reserved for its iteration.
    pub reserved_usd: f64,
}

impl Lane {
    pub fn new() -> Lane {
        Lane { phase: Phase::Idle, control: RunControl::None, setbacks: 0, commits: 0, reserved_usd: 0.0 }
    }

    /// Whether an iteration is in progress, or what an earlier run left of one.
    pub fn is_busy(&self) -> bool {
        !self.is_resting() && !self.is_over() && !matches!(self.phase, Phase::Idle)
    }

    /// Whether it waits for an outside change.
    pub fn is_resting(&self) -> bool {
        matches!(self.phase, Phase::Paused | Phase::Waiting | Phase::Starved)
    }

    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }

    /// Whether its work is being interrupted.
    pub fn is_stopping(&self) -> bool {
        match &self.phase {
            Phase::Starting(work) | Phase::Working(work) => work.cut_short.is_some(),
            Phase::Gathering { exit, .. } => exit.cut_short.is_some(),
            _ => false,
        }
    }

    /// Usage of its agent so far; `None` when none is running.
    pub fn used(&self) -> Option<Usage> {
        match &self.phase {
            Phase::Starting(work) | Phase::Working(work) => Some(work.used()),
            Phase::Gathering { exit, .. } => Some(exit.usage),
            _ => None,
        }
    }

    /// Dollars of the run's budget taken by its iteration: the reserved ones, or those used if more.
    pub fn taken_usd(&self) -> f64 {
        if self.is_busy() { self.used_usd().max(self.reserved_usd) } else { 0.0 }
    }

    /// Dollars its agent has used so far and that are not yet counted in the run's.
    pub fn used_usd(&self) -> f64 {
        self.used().and_then(|used| used.cost_usd).unwrap_or(0.0)
    }

    /// Interrupts what runs for an iteration; `None` if nothing did. Between iterations, and while rows are written, the next
    /// decision comes soon.
    pub fn cut_short(&mut self, cause: CutShort) -> Option<Option<Effect>> {
        match &mut self.phase {
            // The agent can only be stopped once it has started.
            Phase::Starting(work) if work.cut_short.is_none() => {
                work.cut_short = Some(cause);
                Some(None)
            }
            Phase::Working(work) if work.cut_short.is_none() => {
                work.cut_short = Some(cause);
                Some(Some(Effect::StopAgent))
            }
            // Without a check there is nothing left to interrupt: the iteration is judged as it ended.
            Phase::Gathering { exit, checking: true, .. } if exit.cut_short.is_none() => {
                exit.cut_short = Some(cause);
                Some(Some(Effect::Cancel))
            }
            _ => None,
        }
    }

    /// Why it takes no further task, by a person's request to this lane alone.
    pub fn asked_to_end(&self) -> Option<StopReason> {
        match self.control {
            RunControl::StopNow => Some(StopReason::StoppedNow),
            RunControl::StopAfter => Some(StopReason::StoppedAfterIteration),
            RunControl::Pause | RunControl::None => None,
        }
    }
}
