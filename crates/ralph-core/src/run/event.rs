//! The protocol between the run machine and its driver: events in, effects out.

use super::hooks::{Claim, IterationCommit, IterationFacts};
use super::{RunControl, RunState, StopReason};
use crate::TaskId;
use crate::sigil::TaskClaim;
use crate::signal::{AgentSignal, Ending};
use crate::time::Timestamp;

/// A lane of a run, from 1.
pub type LaneNumber = u32;

/// What temporarily keeps an agent from working.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setback {
    /// The provider accepts no requests: a usage limit, until a time if known, or an overload.
    Limit {
        /// When it ends.
        resets_at: Option<Timestamp>,
    },
    /// There is no connection.
    Offline,
}

/// Everything that can happen to a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// The driver is ready.
    Started {
        /// Tasks whose follow-up earlier runs did not live to do, in the order in which it is done.
        owed: Vec<TaskId>,
    },
    /// Answers [`Effect::FollowUp`], even if another run was faster.
    FollowedUp {
        /// Dollars that the run has spent so far, as its rows have them.
        cost_usd: f64,
    },
    /// The follow-up of an attempt, or of work that an earlier run left, can't be done now. The answer to its effect comes next.
    PutOff {
        /// The task.
        task: TaskId,
        /// Why.
        setback: Setback,
    },
    /// Answers [`Effect::ClaimNext`]; `None` = nothing is ready.
    Claimed(Option<Claim>),
    /// Answers [`Effect::StartAgent`].
    AgentStarted,
    /// Answers [`Effect::StartAgent`]: the agent could not be started.
    AgentUnavailable {
        /// Why, and what to do.
        message: String,
    },
    /// Answers [`Effect::StartAgent`]: no checkout could be made for the agent to work in.
    NoCheckout {
        /// Why, and what to do.
        message: String,
    },
    /// The agent did or said something.
    Signal(AgentSignal),
    /// The agent's process has exited and its output has been read to the end.
    AgentExited {
        /// How it ended, over all its turns.
        ending: Ending,
        /// Its exit code; `None` when it was killed.
        exit_code: Option<i32>,
        /// The last error message; may be empty.
        detail: String,
        /// Its claims through MCP, in order.
        mcp_claims: Vec<TaskClaim>,
    },
    /// Answers [`Effect::Gather`].
    Gathered(Box<IterationFacts>),
    /// Answers [`Effect::Commit`].
    Committed {
        /// Dollars of all finished iterations of the run, as its rows have them.
        cost_usd: f64,
    },
    /// Answers [`Effect::ClaimNext`], [`Effect::Gather`] or [`Effect::Commit`]: rows could not be read or written.
    EffectFailed {
        /// Why.
        message: String,
    },
    /// A person's request, as stored in the run's row; may be repeated.
    Control(RunControl),
    /// The same for one lane.
    LaneControl(RunControl),
    /// Time has passed.
    Tick,
}

/// What the driver has to do. Each effect is answered as its event says, at most once.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Claim the next ready task and create an iteration's row; answer [`Event::Claimed`].
    ClaimNext {
        /// Only this task.
        only: Option<TaskId>,
        /// Models that are at their own usage limits: not these, where there is another.
        limited: Vec<String>,
    },
    /// Do what an earlier run owes the work on a task; answer [`Event::FollowedUp`].
    FollowUp {
        /// The task.
        task: TaskId,
    },
    /// Compose the prompt and start the agent on the claimed task; answer [`Event::AgentStarted`], [`Event::AgentUnavailable`] or
    /// [`Event::NoCheckout`].
    StartAgent {
        /// Dollars of the run's budget reserved for it.
        max_usd: Option<f64>,
    },
    /// Stop the running agent step by step; [`Event::AgentExited`] follows as usual.
    StopAgent,
    /// Gather the facts about the iteration; answer [`Event::Gathered`].
    Gather {
        /// Whether to run the check command first.
        run_check: bool,
        /// Texts of the agent's learnings: whether one of them is new is one of the facts.
        learnings: Vec<String>,
    },
    /// Abort what runs for the lane without its agent: the check of [`Effect::Gather`], and, once the time is over, the preparation of a
    /// checkout, what follows a commit, or what an earlier run owes. The answer follows as usual; asked for again it changes nothing.
    Cancel,
    /// Commit everything about the iteration in one transaction; answer [`Event::Committed`] or [`Event::EffectFailed`].
    Commit(Box<IterationCommit>),
    /// Publish the run's state.
    SetState {
        /// The state.
        state: RunState,
        /// Until when no task is started; in a running run only some lanes wait.
        waiting_until: Option<Timestamp>,
        /// Reason for the wait, in one sentence.
        note: Option<String>,
    },
    /// Send an [`Event::Tick`] at that time; replaces an earlier request.
    WakeAt(Timestamp),
    /// The run is over: no agent runs, nothing is claimed, no further effects follow.
    End {
        /// Why.
        reason: StopReason,
        /// One sentence for a person.
        note: Option<String>,
    },
}
