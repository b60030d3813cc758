//! The words between the run machine and its driver: events in, effects out.

use super::hooks::{Claim, Facts, IterationCommit};
use super::{RunControl, RunState, StopReason};
use crate::TaskId;
use crate::sigil::TaskClaim;
use crate::signal::{AgentSignal, Ending};
use crate::time::Timestamp;

/// A lane of a run, from 1.
pub type LaneNumber = u32;

/// Everything that can happen to a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// The driver is ready.
    Started,
    /// Answers [`Effect::ClaimNext`]; `None` = nothing is ready.
    Claimed(Option<Claim>),
    /// Answers [`Effect::StartAgent`].
    AgentStarted,
    /// Answers [`Effect::StartAgent`]: it can't be started.
    AgentUnavailable {
        /// Why, and what to do.
        message: String,
    },
    /// The agent did or said something.
    Signal(AgentSignal),
    /// The agent's process is gone and its output read to the end.
    AgentExited {
        /// How it ended, over all its turns.
        ending: Ending,
        /// Its exit code; `None` when it was killed.
        exit_code: Option<i32>,
        /// The last error in its words; may be empty.
        detail: String,
        /// What it claimed through MCP, in order.
        mcp_claims: Vec<TaskClaim>,
    },
    /// Answers [`Effect::Gather`].
    Gathered(Box<Facts>),
    /// Answers [`Effect::Commit`].
    Committed {
        /// Dollars of all iterations of the run that are over.
        cost_usd: f64,
    },
    /// Answers [`Effect::ClaimNext`], [`Effect::Gather`] or [`Effect::Commit`]: rows could not be read or written.
    EffectFailed {
        /// Why.
        message: String,
    },
    /// A person's wish, as the run's row holds it; may be repeated at will.
    Control(RunControl),
    /// The same for one lane alone.
    LaneControl(RunControl),
    /// Time has passed.
    Tick,
}

/// What the driver is to do. Each is answered as its event says; none is answered twice.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Claim the next ready task and begin an iteration's row; answer [`Event::Claimed`].
    ClaimNext {
        /// Only this task.
        only: Option<TaskId>,
    },
    /// Compose the prompt and start the agent on the claimed task; answer [`Event::AgentStarted`] or [`Event::AgentUnavailable`].
    StartAgent {
        /// Dollars of the run's that are kept for it.
        max_usd: Option<f64>,
    },
    /// Stop the running agent, step by step; [`Event::AgentExited`] follows as ever.
    StopAgent,
    /// Gather the facts about the iteration; answer [`Event::Gathered`].
    Gather {
        /// Whether to run the check command first.
        run_check: bool,
        /// Texts of the learnings that the agent hands in: whether one of them is new belongs to the facts.
        learnings: Vec<String>,
    },
    /// End the check that [`Effect::Gather`] runs; [`Event::Gathered`] follows as ever.
    CancelCheck,
    /// Commit everything about the iteration in one transaction; answer [`Event::Committed`] or [`Event::EffectFailed`].
    Commit(Box<IterationCommit>),
    /// Show what the run does now.
    SetState {
        /// The state.
        state: RunState,
        /// Until when it waits.
        waiting_until: Option<Timestamp>,
        /// One sentence on why it waits.
        note: Option<String>,
    },
    /// Send a [`Event::Tick`] at that time; replaces an earlier one.
    WakeAt(Timestamp),
    /// The run is over: no agent runs, nothing is claimed, no further effects come.
    End {
        /// Why.
        reason: StopReason,
        /// One sentence for a person.
        note: Option<String>,
    },
}
