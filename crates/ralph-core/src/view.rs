//! Views: what one screen or one command asks for in one call, where that is more than a noun.

use crate::run::{HookNote, Iteration, Run};
use crate::signal::TranscriptEntry;
use crate::task::{Task, TaskComment};
use crate::{RunId, TaskId};
use serde::{Deserialize, Serialize};

/// An open project.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ProjectInfo {
    /// Absolute path of the folder that holds `.ralph/`.
    pub path: String,
    /// Its folder name.
    pub name: String,
    /// Branch that is checked out; `None` when detached or without commits.
    pub branch: Option<String>,
}

/// The counts of the left rail and the state of the loop.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Overview {
    /// Features that are not archived.
    pub features: u32,
    /// Tasks that are draft, pending, in progress or blocked.
    pub open_tasks: u32,
    /// Active learnings.
    pub learnings: u32,
    /// Conflicts and parked learnings.
    pub reviews: u32,
    /// The run that is not over.
    pub active_run: Option<Run>,
    /// The iteration that runs now.
    pub active_iteration: Option<Iteration>,
    /// What waits for a person, most urgent first.
    pub needs_you: Vec<NeedsYou>,
}

/// One thing that waits for a person.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NeedsYou {
    /// A task is blocked.
    BlockedTask {
        /// The task.
        task: TaskId,
        /// Its title.
        title: String,
        /// Why.
        reason: String,
    },
    /// Two learnings contradict each other.
    Conflicts {
        /// The feature.
        feature: String,
        /// How many pairs.
        count: u32,
    },
    /// Learnings wait for room.
    Parked {
        /// The feature.
        feature: String,
        /// How many.
        count: u32,
        /// The task that will make room.
        split_task: Option<TaskId>,
    },
    /// The last run ended in a way that a person should know.
    RunStopped {
        /// The run.
        run: RunId,
        /// What happened.
        note: String,
    },
}

/// A task with everything its page shows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TaskDetail {
    /// The task.
    #[serde(flatten)]
    pub task: Task,
    /// Remarks, oldest first.
    pub comments: Vec<TaskComment>,
    /// Its iterations, newest first (the newest 100).
    pub iterations: Vec<Iteration>,
}

/// A run with its iterations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RunDetail {
    /// The run.
    pub run: Run,
    /// Newest first (the newest 500).
    pub iterations: Vec<Iteration>,
}

/// An iteration with everything its tabs show.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IterationDetail {
    /// The iteration.
    pub iteration: Iteration,
    /// The exact prompt; empty when its file is gone.
    pub prompt: String,
    /// What each hook decided.
    pub hooks: Vec<HookNote>,
}

/// A page of an iteration's event log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TranscriptPage {
    /// Entries in order.
    pub entries: Vec<TranscriptEntry>,
    /// Byte offset to go on from, as a decimal string (files pass 4 GB only in theory, yet u32 would lie).
    pub next_offset: String,
    /// Whether the iteration is over and nothing follows.
    pub ended: bool,
}

/// Result of one check of `ralph doctor`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DoctorCheck {
    /// What was looked at: `git`, `agent claude`, `database`, `journals` …
    pub name: String,
    /// `ok`, `warning` or `error`.
    pub status: DoctorStatus,
    /// What was found.
    pub detail: String,
    /// What to do, when there is something to do.
    pub hint: Option<String>,
}

crate::word_enum! {
    /// How a check of the doctor came out.
    DoctorStatus {
        /// As it should be.
        Ok = "ok",
        /// Works, with a reservation.
        Warning = "warning",
        /// Does not work.
        Error = "error",
    }
}

/// Everything `ralph doctor` looked at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DoctorReport {
    /// No check is an error.
    pub ok: bool,
    /// Each check.
    pub checks: Vec<DoctorCheck>,
}

/// The project's settings, as `config.toml` holds them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Settings {
    /// Agent of a new run.
    pub agent: crate::run::AgentKind,
    /// Model of a new run.
    pub model: String,
    /// Path of the Claude Code binary; looked for when empty.
    pub claude_path: String,
    /// Permission mode given to Claude Code.
    pub permission_mode: String,
    /// Tools that Claude Code may use without asking.
    pub allowed_tools: Vec<String>,
    /// Script of the scripted agent, relative to the project.
    pub script: String,
    /// Command that must pass before a task counts as done; none when empty.
    pub check: String,
    /// Iterations of a run.
    pub max_iterations: u32,
    /// Minutes of a run; 0 = no limit.
    pub max_minutes: u32,
    /// Dollars of a run; 0 = no limit.
    pub max_usd: f64,
    /// Consecutive failures after which a task needs a person.
    pub max_attempts: u32,
    /// Learnings a feature holds.
    pub max_learnings: u32,
}

/// What the wire carries of any error: one line for the program, one for the person, one on the way out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CommandError {
    /// Short stable word; exists only while a shell branches on it.
    pub code: String,
    /// What failed and why.
    pub message: String,
    /// What to do; may be empty.
    pub hint: String,
}
