//! Views: the data that one screen or command needs in one call, where that is more than a noun.

mod iterations;
mod learning_status;
mod needs_you;
mod over_time;
mod review;
mod runs;
mod shown_entry;
mod since;

pub use iterations::{IterationFilter, IterationPage, IterationRow, IterationSums};
pub use learning_status::{LearningCounts, LearningDay, LearningStatus, ModeEffect};
pub use needs_you::NeedsYou;
pub use over_time::{FeatureWork, WorkDay, WorkOverTime};
pub use review::{
    FileChangeKind, LineComment, MergeDone, PrunedWorktrees, PullRequestText, Review, ReviewComment, ReviewCommit, ReviewDiff, ReviewFile,
    ReviewRow, ReviewStanding, SentBack, WorktreeRow,
};
pub use runs::{IdleLane, LaneRow, LaneSignal, RunAtWork, RunRow, RunWithLanes};
pub use shown_entry::{DoorAnswer, ShownEntry};
pub use since::{SaturationMove, SinceLook, WorkSince};

use crate::cost::Cost;
use crate::errand::Errand;
use crate::replica::ReplicaId;
use crate::run::attempt::{Attempt, ErrorCategory};
use crate::run::{Guidance, HookNote, Iteration, RemarkLine, Run, RunResult};
use crate::saturation::FeatureSaturation;
use crate::signal::TranscriptEntry;
use crate::stats::{Comparison, Interval, Proportion};
use crate::task::{Task, TaskComment, TaskStatus};
use crate::{IterationId, LearningId, TaskId};
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
    /// Open tasks of those features: draft, pending, in progress, in review or blocked.
    pub open_tasks: u32,
    /// Their active learnings.
    pub learnings: u32,
    /// Learnings that wait for a person's review: conflicts, doubts, those said again, and parked ones.
    pub reviews: u32,
    /// Those of them for when there is time: lessons that were put away and are said again, or that a review doubts.
    pub for_later: u32,
    /// The run that is not over; of several the newest.
    pub active_run: Option<Run>,
    /// The iteration of that run that is in progress; with several workers the one that began first.
    pub active_iteration: Option<Iteration>,
    /// What that run works on now, by lane.
    pub lanes: Vec<LaneRow>,
    /// Lanes of that run that have no task now.
    pub idle_lanes: Vec<IdleLane>,
    /// Every run that is not over, the newest first.
    pub runs_at_work: Vec<RunAtWork>,
    /// Errands that are not over, the newest first.
    pub errands_at_work: Vec<Errand>,
    /// Guidance that no iteration has been told yet.
    pub guidance: Vec<Guidance>,
    /// What needs a person, most urgent first.
    pub needs_you: Vec<NeedsYou>,
    /// How many of these a person can act on.
    pub needs_you_count: u32,
    /// The run that ended last, while none is in progress.
    pub rests_after: Option<RunRow>,
    /// Replicas whose task and iteration numbers belong to this database.
    pub own_replicas: Vec<Option<ReplicaId>>,
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
    /// Its attempts with their failure records, newest first (the newest 100).
    pub attempts: Vec<Attempt>,
}

/// A task that was put back to work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PutBack {
    /// The task.
    #[serde(flatten)]
    pub task: Task,
    /// What its undo restores.
    pub before: BeforePutBack,
}

/// The state of a task before it was put back to work, and what was written then.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct BeforePutBack {
    /// The task.
    pub task: TaskId,
    /// Its status.
    pub status: TaskStatus,
    /// Why it was blocked.
    pub blocked_reason: Option<String>,
    /// The iteration after which its failed attempts counted; 0 = all of them.
    pub attempts_from: IterationId,
    /// The remark that was added with the answer; `None` without one.
    pub comment: Option<u32>,
}

/// A run with its iterations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RunDetail {
    /// The run.
    pub run: Run,
    /// Newest first (the newest 500).
    pub iterations: Vec<Iteration>,
    /// Attempts of all its iterations that ended with their task done.
    pub done: u32,
    /// Attempts that failed.
    pub failed: u32,
    /// How it came out; `None` while it goes on.
    pub result: Option<RunResult>,
}

/// An iteration with everything its tabs show.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IterationDetail {
    /// The iteration.
    pub iteration: Iteration,
    /// The exact prompt; empty if its file is gone.
    pub prompt: String,
    /// The decision of each hook.
    pub hooks: Vec<HookNote>,
    /// Git's findings beyond commits and files, in words.
    pub remarks: Vec<RemarkLine>,
    /// Guidance that it got.
    pub guidance: Vec<Guidance>,
}

/// A page of an iteration's event log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TranscriptPage {
    /// Entries in order.
    pub entries: Vec<TranscriptEntry>,
    /// Byte offset at which to continue, as a decimal string (files exceed 4 GB only in theory, yet u32 would be wrong).
    pub next_offset: String,
    /// Whether the iteration is over and nothing follows.
    pub ended: bool,
    /// Whether it is over and its log is missing: deleted or moved away, or no agent was ever started.
    pub gone: bool,
}

/// Result of one check of `ralph doctor`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DoctorCheck {
    /// Name of the check: `git`, `agent claude`, `database`, `journals` …
    pub name: String,
    /// `ok`, `warning` or `error`.
    pub status: DoctorStatus,
    /// The finding.
    pub detail: String,
    /// What to do, if anything.
    pub hint: Option<String>,
}

crate::word_enum! {
    /// Result of one of the doctor's checks.
    DoctorStatus {
        /// All is well.
        Ok = "ok",
        /// Works, with a caveat.
        Warning = "warning",
        /// Does not work.
        Error = "error",
    }
}

/// All checks of `ralph doctor`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DoctorReport {
    /// No check found an error.
    pub ok: bool,
    /// All checks.
    pub checks: Vec<DoctorCheck>,
}

/// Properties of a folder for a new project.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FolderLook {
    /// Whether it is in a git repository: otherwise nothing can be compared, saved or merged.
    pub is_repository: bool,
    /// Whether there is a commit to start worktrees from.
    pub has_commits: bool,
}

/// An error on the wire: a code for programs, a message for the person, and a hint.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CommandError {
    /// Short stable word; exists only if a client branches on it.
    pub code: String,
    /// What failed and why.
    pub message: String,
    /// What to do; may be empty.
    pub hint: String,
    /// Additional data for programs; missing where the code says everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<ErrorData>>,
}

impl CommandError {
    /// An error whose code says everything to programs.
    pub fn new(code: &str, message: impl Into<String>, hint: impl Into<String>) -> CommandError {
        CommandError { code: code.to_owned(), message: message.into(), hint: hint.into(), data: None }
    }
}

/// Data of the error `knowledge_full`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ErrorData {
    /// The parked learning; `None` where the act left it in another state.
    pub parked: Option<LearningId>,
    /// Saturation of the feature.
    pub saturation: FeatureSaturation,
    /// The task that will make room.
    pub split_task: Option<TaskId>,
}

/// Statistics of the project's own history (`ralph insights`). Every figure is a query over rows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Insights {
    /// Ended attempts, and those that completed their task.
    pub attempts: Proportion,
    /// Success by model and difficulty, over recent attempts.
    pub models: Vec<ModelInsight>,
    /// What all iterations and errands cost.
    #[serde(flatten)]
    pub cost: Cost,
    /// Whether part of it is estimated from tokens.
    pub cost_estimated: bool,
    /// Tasks that runs worked on and that are done now: work in a worktree is done once its base contains it.
    pub done_tasks: u32,
    /// Dollars per done task; `None` before the first, and where nobody knows any cost.
    pub cost_per_done_task: Option<f64>,
    /// Failed attempts with the same signature as an earlier one at the same task.
    pub repeated_failures: u32,
    /// Failed attempts with a report.
    pub failures: u32,
    /// Failed attempts by category, most frequent first.
    pub categories: Vec<CategoryInsight>,
    /// Recurring failures, most frequent first.
    pub returning: Vec<ReturningFailure>,
    /// Success rate with learnings against that with learnings withheld, in runs with a hold-out.
    pub memory_on_success: Comparison,
    /// Dollars per attempt, likewise.
    pub memory_on_cost: Comparison,
    /// Effect of each learning; only those with enough attempts on both sides.
    pub learnings: Vec<LearningInsight>,
}

/// Success of one model at one difficulty.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ModelInsight {
    /// The measurements.
    #[serde(flatten)]
    pub record: crate::strategy::ModelRecord,
    /// Wilson's 95 % interval of the success rate.
    pub success: Interval,
}

/// Number of failures of one category.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CategoryInsight {
    /// Category of failure.
    pub category: ErrorCategory,
    /// Number of failures.
    pub count: u32,
}

/// A failure that occurred more than once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReturningFailure {
    /// Their common signature, see [`crate::run::attempt::signature`].
    pub signature: String,
    /// Failed attempts with it.
    pub count: u32,
    /// Tasks of these attempts.
    pub tasks: u32,
}

/// The measured effect of one learning.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningInsight {
    /// Which.
    pub id: LearningId,
    /// Beginning of its text.
    pub text: String,
    /// Success rate with the learning against that with it withheld.
    pub effect: Comparison,
}

crate::word_enum! {
    /// A side of the comparison on whether memory helps, in runs with a hold-out.
    MemorySide {
        /// Attempts that got their learnings.
        Told = "told",
        /// Attempts from which they were withheld.
        Withheld = "withheld",
    }
}

crate::word_enum! {
    /// A figure in the effect of a learning, by the attempts that it counts.
    EffectFigure {
        /// Attempts that were shown it.
        Shown = "shown",
        /// Of those: what succeeded.
        Succeeded = "succeeded",
        /// Of those: what failed.
        Failed = "failed",
        /// Of those: what failed at what it warns of.
        FailedAsWarned = "failed_as_warned",
        /// Attempts that were shown it and did not fail at that, where some attempt did.
        Avoided = "avoided",
        /// Attempts it was withheld from, in runs with a hold-out.
        Withheld = "withheld",
        /// Both sides of the comparison: attempts that were shown it and those it was withheld from, in runs with a hold-out.
        Compared = "compared",
    }
}
