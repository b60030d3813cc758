//! The loop: one start to its stop, and what happened on the way.

pub mod attempt;
mod claims;
mod collect;
mod event;
mod guidance;
pub mod hooks;
mod lane;
pub mod machine;
#[cfg(test)]
mod machine_tests;
pub mod owner;
pub mod prompt;
mod remark;
mod replay;
mod result;
pub mod schedule;
#[cfg(test)]
mod simulation;
mod spending;

pub use guidance::{Guidance, GuidanceId};
pub use replay::Replay;
pub use result::{RunEnd, RunResult, result_of};
pub use spending::Spending;

pub use remark::{GitOperation, GitRemark, HistoryChange, RemarkLine, harm_in_words, lines as remark_lines};

use crate::recall::ToldMemory;
use crate::sigil::Difficulty;
use crate::signal::Usage;
use crate::strategy::Strategy;
use crate::time::Timestamp;
use crate::{IterationId, RunId, TaskId};
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// Agents that a run can start.
    AgentKind {
        /// Claude Code.
        Claude = "claude",
        /// The scripted agent: plays a small text script, for the demo and for tests.
        Scripted = "scripted",
    }
}

/// When a run ends by itself. `None` = no such limit.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RunLimits {
    /// Iterations started.
    pub max_iterations: Option<u32>,
    /// Minutes from the start, pauses and waits included.
    pub max_minutes: Option<u32>,
    /// Dollars over all iterations of the run; checked by what an agent tells of its usage while it works, and between iterations, and
    /// passed on to agents that can check it themselves.
    pub max_usd: Option<f64>,
}

/// What a person gives to start a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RunRequest {
    /// Which agent.
    pub agent: AgentKind,
    /// Model name as the agent knows it; the project's default when `None`.
    pub model: Option<String>,
    /// Script file of the scripted agent.
    pub script: Option<String>,
    /// Path of the agent's program; the project's when `None`.
    #[serde(default)]
    pub agent_path: Option<String>,
    /// Work on this task only.
    pub task: Option<TaskId>,
    /// When it ends by itself.
    pub limits: RunLimits,
    /// Command that must pass before a task counts as done; the project's when `None`, none when empty.
    pub check: Option<String>,
    /// How the model of each attempt is chosen; the project's when `None`.
    pub strategy: Option<Strategy>,
    /// Percent of the attempts that are told no learnings, so that their effect can be measured; the project's when `None`.
    pub hold_out: Option<u32>,
    /// What agents may do without asking; the project's when `None`.
    #[serde(default)]
    pub permissions: Option<crate::permission::PermissionProfile>,
    /// How many agents work at once, each on a task of its own; 1 when `None`.
    #[serde(default)]
    pub workers: Option<u32>,
    /// Whether agents work in the project's own checkout rather than in a worktree for each task; when `None`, one worker alone
    /// does, but for tasks whose earlier work stands in a worktree.
    #[serde(default)]
    pub in_place: Option<bool>,
}

crate::word_enum! {
    /// What a run does now.
    RunState {
        /// Works, or looks for work.
        Running = "running",
        /// A person paused it between iterations.
        Paused = "paused",
        /// Waits for a usage limit to end.
        Waiting = "waiting",
        /// Is being stopped.
        Stopping = "stopping",
        /// Over.
        Ended = "ended",
    }
}

crate::word_enum! {
    /// What a person asks of a run; travels through its row, so that any process can ask.
    RunControl {
        /// Nothing.
        None = "none",
        /// Pause after the current iteration.
        Pause = "pause",
        /// End after the current iteration.
        StopAfter = "stop_after",
        /// End at once; no process is left.
        StopNow = "stop_now",
    }
}

crate::word_enum! {
    /// Why a run ended.
    StopReason {
        /// No task is ready.
        NothingReady = "nothing_ready",
        /// The limit of iterations.
        MaxIterations = "max_iterations",
        /// The limit of minutes.
        MaxMinutes = "max_minutes",
        /// The limit of dollars.
        MaxUsd = "max_usd",
        /// The project's folder was moved or deleted under the run.
        ProjectGone = "project_gone",
        /// Too many iterations in a row left nothing behind.
        Stalled = "stalled",
        /// A person stopped it after an iteration.
        StoppedAfterIteration = "stopped_after_iteration",
        /// A person stopped it at once.
        StoppedNow = "stopped_now",
        /// Key, login or credit is missing.
        Authentication = "authentication",
        /// The agent could not be started, or its model is not there.
        AgentUnavailable = "agent_unavailable",
        /// The network failed again and again.
        Network = "network",
        /// Its process died.
        Crashed = "crashed",
        /// Ralph itself failed; the note tells.
        InternalError = "internal_error",
    }
}

impl StopReason {
    /// Whether something kept the run from doing its work: login, network, the agent, the folder, or Ralph itself.
    pub fn is_trouble(self) -> bool {
        match self {
            StopReason::ProjectGone
            | StopReason::Authentication
            | StopReason::AgentUnavailable
            | StopReason::Network
            | StopReason::Crashed
            | StopReason::InternalError => true,
            StopReason::NothingReady
            | StopReason::MaxIterations
            | StopReason::MaxMinutes
            | StopReason::MaxUsd
            | StopReason::Stalled
            | StopReason::StoppedAfterIteration
            | StopReason::StoppedNow => false,
        }
    }

    /// Whether a person should look at it; the other ends are what was asked for.
    pub fn needs_person(self) -> bool {
        self.is_trouble() || self == StopReason::Stalled
    }
}

/// One start of the loop to its stop.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Run {
    /// Number of the run.
    pub id: RunId,
    /// Which agent.
    pub agent: AgentKind,
    /// Model that was asked for; empty when the strategy alone decides.
    pub model: String,
    /// How the model of each attempt is chosen.
    pub strategy: Strategy,
    /// Percent of the attempts that are told no learnings.
    pub hold_out: u32,
    /// Works on this task only.
    pub task: Option<TaskId>,
    /// When it ends by itself.
    pub limits: RunLimits,
    /// Command that must pass before a task counts as done.
    pub check: Option<String>,
    /// What it does now.
    pub state: RunState,
    /// What a person asked of it.
    pub control: RunControl,
    /// Until when it waits.
    pub waiting_until: Option<Timestamp>,
    /// Why it ended.
    pub stop_reason: Option<StopReason>,
    /// One sentence about the end or the wait.
    pub note: Option<String>,
    /// Iterations started so far.
    pub iterations: u32,
    /// Dollars so far, estimates included.
    pub cost_usd: f64,
    /// The part of them that is estimated from tokens, since the agent reported no cost; 0 = none.
    pub estimated_usd: f64,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// Process that owns it.
    pub owner_pid: u32,
    /// How many agents work at once.
    pub workers: u32,
}

crate::word_enum! {
    /// What became of an iteration.
    Outcome {
        /// Still going.
        Running = "running",
        /// The task is done.
        Done = "done",
        /// The agent said it failed, or its claim did not hold.
        Failed = "failed",
        /// The agent ended without saying.
        NoSigil = "no_sigil",
        /// The agent itself failed (crash, timeout, its own limits).
        Error = "error",
        /// A usage limit or overload: no attempt.
        RateLimited = "rate_limited",
        /// Key, login or credit is missing: no attempt.
        Authentication = "authentication",
        /// No connection: no attempt.
        Network = "network",
        /// A person or a limit of the run stopped it: no attempt.
        Stopped = "stopped",
        /// Ralph died during it, or the agent could not be started: no attempt.
        Interrupted = "interrupted",
    }
}

impl Outcome {
    /// Whether it says something about the task.
    pub fn is_attempt(self) -> bool {
        matches!(self, Outcome::Done | Outcome::Failed | Outcome::NoSigil | Outcome::Error)
    }
}

/// What an iteration left behind in the repository.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Evidence {
    /// HEAD before the agent started; `None` in a repository without commits.
    pub head_before: Option<String>,
    /// HEAD after it ended.
    pub head_after: Option<String>,
    /// Commits made, newest first: short hash and subject.
    pub commits: Vec<String>,
    /// Files that changed outside `.ralph/`, committed or not, relative to the project.
    pub changed_files: Vec<String>,
    /// What the check said, when one ran.
    pub check: Option<CheckResult>,
    /// What the agent changed below `.ralph/`, which is the person's; none of it is in force before their yes.
    #[serde(default)]
    pub ralph_files: Vec<String>,
    /// What else git tells: branches, stash, pushes, a person's uncommitted work.
    #[serde(default)]
    pub remarks: Vec<GitRemark>,
    /// The snapshot of what was not committed when the agent started, to be restored by this name.
    #[serde(default)]
    pub snapshot: Option<String>,
}

impl Evidence {
    /// Whether a check ran and passed.
    pub fn check_passed(&self) -> bool {
        self.check.as_ref().is_some_and(|check| check.passed)
    }
}

/// What a check command said.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CheckResult {
    /// The command.
    pub command: String,
    /// Whether it exited with 0.
    pub passed: bool,
    /// Exit code; `None` when it was killed or could not start.
    pub exit_code: Option<i32>,
    /// The end of its output.
    pub output_tail: String,
}

/// One agent invocation on one task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Iteration {
    /// Number, unique over all runs.
    pub id: IterationId,
    /// The run.
    pub run: RunId,
    /// Place in the run, from 1.
    pub number: u32,
    /// The task.
    pub task: TaskId,
    /// Title of the task when it began.
    pub task_title: String,
    /// Which attempt at the task, from 1; `None` when it was no attempt.
    pub attempt: Option<u32>,
    /// Model that worked.
    pub model: String,
    /// Why that model, in one sentence with its numbers.
    pub rationale: Option<String>,
    /// What became of it.
    pub outcome: Outcome,
    /// One sentence on why.
    pub note: Option<String>,
    /// Tokens and dollars.
    pub usage: Usage,
    /// Tools the agent was refused.
    pub denials: Vec<String>,
    /// What it left behind.
    pub evidence: Evidence,
    /// Learnings that were in its prompt.
    pub told: Vec<ToldMemory>,
    /// Learnings that would have been in its prompt, had it not been held out.
    pub withheld: Vec<ToldMemory>,
    /// Whether it was held out: told no learnings, so that their effect can be measured.
    pub held_out: bool,
    /// How hard its agent found the task.
    pub difficulty: Option<Difficulty>,
    /// Saturation of the feature's knowledge when it began, in percent; `None` where it was not kept.
    pub saturation_before: Option<u32>,
    /// The same when it was settled, with what it taught.
    pub saturation_after: Option<u32>,
    /// The split task that it caused.
    pub split_task: Option<TaskId>,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// Exit code of the agent; `None` when it was killed or still runs.
    pub exit_code: Option<i32>,
    /// Lane of the run that it worked in, from 1.
    pub lane: u32,
    /// Top folder of the worktree that it worked in; `None` = the project's own checkout.
    pub worktree: Option<String>,
    /// Why this task was taken, where the order of the list does not tell.
    pub scheduled: Option<String>,
}

/// What one hook decided after an iteration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HookNote {
    /// Name of the hook.
    pub hook: String,
    /// Whether the case was its own.
    pub applied: bool,
    /// What it decided, in one sentence.
    pub note: String,
}
