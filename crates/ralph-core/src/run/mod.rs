//! The loop: from a run's start to its stop, and everything in between.

mod agent;
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
mod question;
mod remark;
mod replay;
mod result;
pub mod schedule;
#[cfg(test)]
mod simulation;
mod spending;

pub use agent::{AgentKind, DEFAULT_MODEL};
pub use guidance::{Guidance, GuidanceId};
pub use question::{Leave, Question, QuestionId, patience};
pub use replay::Replay;
pub use result::{RunEnd, RunResult, result_of};
pub use spending::Spending;

pub use remark::{
    GitOperation, GitRemark, HistoryChange, KeptAside, MACHINERY_CHANGED, RemarkLine, harm_in_words, lines as remark_lines, name_snapshots,
};

use crate::cost::Cost;
use crate::recall::ToldMemory;
use crate::sigil::Difficulty;
use crate::signal::Usage;
use crate::strategy::Strategy;
use crate::time::Timestamp;
use crate::{IterationId, RunId, TaskId};
use serde::{Deserialize, Serialize};

/// Limits at which a run ends by itself. `None` = no limit.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RunLimits {
    /// Iterations started.
    pub max_iterations: Option<u32>,
    /// Minutes from the start, including pauses and waits.
    pub max_minutes: Option<u32>,
    /// Dollars over all iterations of the run; checked against the usage that agents report while they work, and between iterations, and
    /// passed on to agents that can enforce it themselves.
    pub max_usd: Option<f64>,
}

/// Input to start a run.
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
    /// Its limits.
    pub limits: RunLimits,
    /// Command that must pass before a task counts as done; the project's when `None`, none when empty.
    pub check: Option<String>,
    /// How the model of each attempt is chosen; the project's setting when `None`.
    pub strategy: Option<Strategy>,
    /// Percent of attempts held out from learnings, so that their effect can be measured; the project's setting when `None`.
    pub hold_out: Option<u32>,
    /// Top folder of a checkout of the project's repository that a person made, to work in instead of the project's own.
    #[serde(default)]
    pub checkout: Option<String>,
    /// What agents may do without asking; the project's when `None`.
    #[serde(default)]
    pub permissions: Option<crate::permission::PermissionProfile>,
    /// Number of concurrent agents, each on its own task; 1 when `None`.
    #[serde(default)]
    pub workers: Option<u32>,
    /// Whether agents work in the project's own checkout rather than in a worktree for each task; when `None`, a single worker
    /// does, except for tasks whose earlier work is in a worktree.
    #[serde(default)]
    pub in_place: Option<bool>,
}

crate::word_enum! {
    /// State of a run.
    RunState {
        /// Working, or looking for work.
        Running = "running",
        /// Paused by a person between iterations.
        Paused = "paused",
        /// Waiting for a usage limit to end.
        Waiting = "waiting",
        /// Being stopped.
        Stopping = "stopping",
        /// Over.
        Ended = "ended",
    }
}

crate::word_enum! {
    /// A person's request to a run; stored in its row, so that any process can make one.
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
        /// The iteration limit was reached.
        MaxIterations = "max_iterations",
        /// The time limit was reached.
        MaxMinutes = "max_minutes",
        /// The dollar limit was reached.
        MaxUsd = "max_usd",
        /// The project's folder was moved or deleted during the run.
        ProjectGone = "project_gone",
        /// Too many consecutive iterations had no effect.
        Stalled = "stalled",
        /// A person stopped it after the current iteration.
        StoppedAfterIteration = "stopped_after_iteration",
        /// A person stopped it immediately.
        StoppedNow = "stopped_now",
        /// Key, login or credit is missing.
        Authentication = "authentication",
        /// The agent could not be started, or its model is unavailable.
        AgentUnavailable = "agent_unavailable",
        /// No checkout could be made to work in.
        NoCheckout = "no_checkout",
        /// An agent committed files of `.ralph/` that are this machine's own; see the note.
        PrivateFiles = "private_files",
        /// The network failed repeatedly.
        Network = "network",
        /// Its process died.
        Crashed = "crashed",
        /// Ralph itself failed; see the note.
        InternalError = "internal_error",
    }
}

impl StopReason {
    /// Whether something prevented the run from doing its work: login, network, the agent, the folder, or Ralph itself.
    pub fn is_trouble(self) -> bool {
        match self {
            StopReason::ProjectGone
            | StopReason::Authentication
            | StopReason::AgentUnavailable
            | StopReason::NoCheckout
            | StopReason::Network
            | StopReason::Crashed
            | StopReason::InternalError => true,
            StopReason::NothingReady
            | StopReason::MaxIterations
            | StopReason::MaxMinutes
            | StopReason::MaxUsd
            | StopReason::Stalled
            | StopReason::PrivateFiles
            | StopReason::StoppedAfterIteration
            | StopReason::StoppedNow => false,
        }
    }

    /// Whether a limit of iterations, minutes or dollars was reached.
    pub fn is_limit(self) -> bool {
        matches!(self, StopReason::MaxIterations | StopReason::MaxMinutes | StopReason::MaxUsd)
    }

    /// Whether a person should look at it; the other reasons are normal ends.
    pub fn needs_person(self) -> bool {
        self.is_trouble() || matches!(self, StopReason::Stalled | StopReason::PrivateFiles)
    }
}

/// A run, from one start of the loop to its stop.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Run {
    /// Number of the run.
    pub id: RunId,
    /// Which agent.
    pub agent: AgentKind,
    /// Requested model; empty when the strategy alone decides.
    pub model: String,
    /// How the model of each attempt is chosen.
    pub strategy: Strategy,
    /// Percent of attempts held out from learnings.
    pub hold_out: u32,
    /// Work on this task only.
    pub task: Option<TaskId>,
    /// Its limits.
    pub limits: RunLimits,
    /// Command that must pass before a task counts as done.
    pub check: Option<String>,
    /// Its state.
    pub state: RunState,
    /// A person's request.
    pub control: RunControl,
    /// Until when no task is started; in a running run only some lanes wait.
    pub waiting_until: Option<Timestamp>,
    /// Why it ended.
    pub stop_reason: Option<StopReason>,
    /// One sentence on the end or the wait.
    pub note: Option<String>,
    /// Iterations started so far.
    pub iterations: u32,
    /// Those that the limit of iterations does not count, since they met a usage limit or had no network.
    #[serde(default)]
    pub uncounted: u32,
    /// What the iterations, and the errands that its work caused, cost so far.
    #[serde(flatten)]
    pub cost: Cost,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// Id of the owning process.
    pub owner_pid: u32,
    /// Number of concurrent agents.
    pub workers: u32,
}

crate::word_enum! {
    /// Outcome of an iteration.
    Outcome {
        /// Still running.
        Running = "running",
        /// The task is done.
        Done = "done",
        /// The agent reported failure, or its claim did not hold.
        Failed = "failed",
        /// The agent ended without a claim.
        NoSigil = "no_sigil",
        /// The agent itself failed (crash, timeout, its own limits).
        Error = "error",
        /// A usage limit or overload: not an attempt.
        RateLimited = "rate_limited",
        /// Key, login or credit is missing: not an attempt.
        Authentication = "authentication",
        /// No connection: not an attempt.
        Network = "network",
        /// A person or a limit of the run stopped it: not an attempt.
        Stopped = "stopped",
        /// Ralph died during it, or the agent could not be started: not an attempt.
        Interrupted = "interrupted",
    }
}

impl Outcome {
    /// Whether it counts as an attempt at the task.
    pub fn is_attempt(self) -> bool {
        matches!(self, Outcome::Done | Outcome::Failed | Outcome::NoSigil | Outcome::Error)
    }
}

/// What an iteration changed in the repository.
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
    /// The check's result, if one ran.
    pub check: Option<CheckResult>,
    /// The agent's changes below `.ralph/`, which belongs to the person; none takes effect without their agreement.
    #[serde(default)]
    pub ralph_files: Vec<String>,
    /// Further findings of git: branches, stash, pushes, a person's uncommitted work.
    #[serde(default)]
    pub remarks: Vec<GitRemark>,
    /// Name of the snapshot of uncommitted work from before the agent started, by which it can be restored.
    #[serde(default)]
    pub snapshot: Option<String>,
}

impl Evidence {
    /// Whether a check ran and passed.
    pub fn check_passed(&self) -> bool {
        self.check.as_ref().is_some_and(|check| check.passed)
    }

    /// How many commits and changed files there are, in words.
    pub fn counted(&self) -> String {
        let told = |named: &[String], noun| crate::text::counted_up_to(crate::limits::EVIDENCE_ITEMS, named.len(), noun);
        format!("{}, {}", told(&self.commits, "commit"), told(&self.changed_files, "changed file"))
    }
}

/// Result of a check command.
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
    /// Its number, unique across all runs.
    pub id: IterationId,
    /// The run.
    pub run: RunId,
    /// Its position in the run, from 1.
    pub number: u32,
    /// The task.
    pub task: TaskId,
    /// Title of the task when the iteration began.
    pub task_title: String,
    /// Number of the attempt at the task, from 1; `None` if it was not an attempt.
    pub attempt: Option<u32>,
    /// Model that worked.
    pub model: String,
    /// Why that model, in one sentence with the numbers.
    pub rationale: Option<String>,
    /// Its outcome.
    pub outcome: Outcome,
    /// The reason in one sentence.
    pub note: Option<String>,
    /// Tokens and dollars.
    pub usage: Usage,
    /// Tools that the agent was denied.
    pub denials: Vec<String>,
    /// Its changes in the repository.
    pub evidence: Evidence,
    /// Memories included in its prompt.
    pub told: Vec<ToldMemory>,
    /// Memories that would have been included if it had not been held out.
    pub withheld: Vec<ToldMemory>,
    /// Whether it was held out from learnings, so that their effect can be measured.
    pub held_out: bool,
    /// How hard its agent found the task.
    pub difficulty: Option<Difficulty>,
    /// Saturation of the feature's knowledge when it began, in percent; `None` if not recorded.
    pub saturation_before: Option<u32>,
    /// The same after it was settled, including what it taught.
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
    /// Root of the worktree that it worked in; `None` = the project's own checkout.
    pub worktree: Option<String>,
    /// Why this task was chosen, where the order of the list does not explain it.
    pub scheduled: Option<String>,
}

/// What one hook decided after an iteration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HookNote {
    /// Name of the hook.
    pub hook: String,
    /// Whether it applied.
    pub applied: bool,
    /// Its decision in one sentence.
    pub note: String,
}
