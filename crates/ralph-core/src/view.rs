//! Views: what one screen or one command asks for in one call, where that is more than a noun.

mod learning_status;
mod needs_you;
mod over_time;
mod review;
mod runs;
mod shown_entry;
mod since;

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

use crate::replica::ReplicaId;
use crate::run::attempt::{Attempt, ErrorCategory, FailureRecord};
use crate::run::{Guidance, HookNote, Iteration, RemarkLine, Run};
use crate::saturation::FeatureSaturation;
pub use crate::settings::Settings;
use crate::sigil::Difficulty;
use crate::signal::TranscriptEntry;
use crate::stats::{Comparison, Interval, Proportion};
use crate::strategy::Strategy;
use crate::task::{Task, TaskComment};
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
    /// Tasks that are draft, pending, in progress or blocked.
    pub open_tasks: u32,
    /// Active learnings.
    pub learnings: u32,
    /// Conflicts and parked learnings.
    pub reviews: u32,
    /// The run that is not over; of several the newest.
    pub active_run: Option<Run>,
    /// The iteration of that run that goes on now; with several workers the one that began first.
    pub active_iteration: Option<Iteration>,
    /// What that run works on now, by lane.
    pub lanes: Vec<LaneRow>,
    /// Lanes of that run that have no task now.
    pub idle_lanes: Vec<IdleLane>,
    /// Every run that is not over, the newest first.
    pub runs_at_work: Vec<RunAtWork>,
    /// Guidance that no iteration was told yet.
    pub guidance: Vec<Guidance>,
    /// What waits for a person, most urgent first.
    pub needs_you: Vec<NeedsYou>,
    /// How much of it a person can do something about.
    pub needs_you_count: u32,
    /// The run that ended last, while none is active.
    pub rests_after: Option<RunRow>,
    /// Replicas whose numbers of tasks and iterations are this database's own.
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
    /// Its attempts with what is known of their failures, newest first (the newest 100).
    pub attempts: Vec<Attempt>,
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
    /// What git tells of it beyond commits and files, in words.
    pub remarks: Vec<RemarkLine>,
    /// What a person wanted it to know.
    pub guidance: Vec<Guidance>,
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

/// What a folder offers a project that is made in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FolderLook {
    /// Whether git knows it: else nothing can be compared, kept aside or merged.
    pub is_repository: bool,
    /// Whether there is a commit that worktrees could begin with.
    pub has_commits: bool,
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
    /// What a program needs of it; missing where the code says all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<ErrorData>>,
}

/// What `knowledge_full` tells a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ErrorData {
    /// The learning that waits for room.
    pub parked: LearningId,
    /// How full the feature is.
    pub saturation: FeatureSaturation,
    /// The task that will make room.
    pub split_task: Option<TaskId>,
}

/// What the project's own history says (`ralph insights`). Every figure is a query over rows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Insights {
    /// Attempts that ended, and those that ended with the task done.
    pub attempts: Proportion,
    /// Success by model and difficulty, over recent attempts.
    pub models: Vec<ModelInsight>,
    /// Dollars over all iterations, estimates included.
    pub cost_usd: f64,
    /// Whether some of it is estimated from tokens.
    pub cost_estimated: bool,
    /// The estimated part of it.
    pub estimated_usd: f64,
    /// Tasks that were done by a run.
    pub done_tasks: u32,
    /// Dollars per done task; `None` before the first.
    pub cost_per_done_task: Option<f64>,
    /// Failed attempts that failed in the same way as an earlier one at the same task.
    pub repeated_failures: u32,
    /// Failed attempts with a report.
    pub failures: u32,
    /// Failed attempts by kind, most frequent first.
    pub categories: Vec<CategoryInsight>,
    /// Failures that came back, most frequent first.
    pub returning: Vec<ReturningFailure>,
    /// Success when learnings were told against when they were withheld, in runs with a hold-out.
    pub memory_on_success: Comparison,
    /// Dollars per attempt, told against withheld.
    pub memory_on_cost: Comparison,
    /// What was told and what was withheld, by learning; only those with enough of both.
    pub learnings: Vec<LearningInsight>,
}

/// Success of one model at one difficulty.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ModelInsight {
    /// What was measured.
    #[serde(flatten)]
    pub record: crate::strategy::ModelRecord,
    /// Wilson's 95 % interval of the success rate.
    pub success: Interval,
}

/// How often attempts failed in one way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CategoryInsight {
    /// Kind of failure.
    pub category: ErrorCategory,
    /// How many.
    pub count: u32,
}

/// A way to fail that was seen more than once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReturningFailure {
    /// What the failures have in common, see [`crate::run::attempt::signature`].
    pub signature: String,
    /// Failed attempts with it.
    pub count: u32,
    /// Tasks that they were made at.
    pub tasks: u32,
}

/// The measured effect of one learning.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningInsight {
    /// Which.
    pub id: LearningId,
    /// Its beginning.
    pub text: String,
    /// Success when it was told against when it was withheld.
    pub effect: Comparison,
}

crate::word_enum! {
    /// A side of the comparison that tells whether memory helps, in runs with a hold-out.
    MemorySide {
        /// Attempts that were told their learnings.
        Told = "told",
        /// Attempts from which they were withheld.
        Withheld = "withheld",
    }
}

/// Which iterations to list: those behind one figure. Every field that is given must hold; empty fields do not filter.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct IterationFilter {
    /// Model that worked.
    pub model: Option<String>,
    /// How hard its agent found the task.
    pub difficulty: Option<Difficulty>,
    /// Only those whose agent did not say how hard the task is.
    pub difficulty_unknown: bool,
    /// Kind of failure.
    pub category: Option<ErrorCategory>,
    /// Signature of the failure.
    pub signature: Option<String>,
    /// Only those that failed in the same way as an earlier one at the same task.
    pub repeated: bool,
    /// Strategy of the run.
    pub strategy: Option<Strategy>,
    /// Side of the comparison of memory.
    pub memory: Option<MemorySide>,
    /// A learning that was told, or withheld.
    pub learning: Option<LearningId>,
    /// Only attempts that ended.
    pub attempts: bool,
    /// Whether the task was done at the end.
    pub done: Option<bool>,
    /// Only those whose cost is estimated.
    pub estimated: bool,
    /// Only the newest ones, by which models are measured.
    pub recent: bool,
}

/// An iteration with what a list says about it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IterationRow {
    /// The iteration.
    pub iteration: Iteration,
    /// Strategy of its run.
    pub strategy: Strategy,
    /// Why it failed; `None` when it did not, or when the details were thinned out.
    pub failure: Option<FailureRecord>,
}

/// What all iterations that pass a filter add up to, whether listed or not.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IterationSums {
    /// How many they are.
    pub iterations: u32,
    /// How many ended with the task done.
    pub done: u32,
    /// Tasks that they worked on.
    pub tasks: u32,
    /// Dollars, estimates included.
    pub cost_usd: f64,
    /// The estimated part of them.
    pub estimated_usd: f64,
}

/// A page of the iterations that pass a filter.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IterationPage {
    /// Newest first.
    pub rows: Vec<IterationRow>,
    /// Ask for those before this one to get the next page; `None` on the last.
    pub next: Option<IterationId>,
    /// What all of them add up to.
    pub sums: IterationSums,
}
