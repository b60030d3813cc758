//! Review: work that is done in a worktree and awaits its merge.

use crate::TaskId;
use crate::conflict::FileConflict;
use crate::consolidation::Divergence;
use crate::diff_review::DiffReview;
use crate::errand::ErrandId;
use crate::run::CheckResult;
use crate::task::TaskProvenance;
use crate::time::Timestamp;
use crate::view::CommandError;
use crate::worktree::{WorktreeStanding, WorktreeState};
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// Relation of a branch to its base.
    ReviewStanding {
        /// It can be merged as is.
        Clean = "clean",
        /// Both sides changed the same, so that a merge can't decide.
        Conflicts = "conflicts",
        /// The base has new commits; the merge is clean.
        BaseMoved = "base_moved",
        /// The base does not exist any more.
        BaseGone = "base_gone",
        /// The base contains it.
        Landed = "landed",
    }
}

/// A task, or the proposal of an errand, that awaits review.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewRow {
    /// The task; `None` for the proposal of an errand.
    pub task: Option<TaskId>,
    /// The errand whose proposal it is.
    pub errand: Option<ErrandId>,
    /// Its title.
    pub title: String,
    /// Its branch.
    pub branch: String,
    /// Its base branch.
    pub base: String,
    /// Number of changed files.
    pub files: u32,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// The check of the last iteration, or of the last merge attempt.
    pub check: Option<CheckResult>,
    /// Its relation to the base.
    pub standing: ReviewStanding,
    /// Whether it is pending, merged, or discarded and recoverable.
    pub state: WorktreeState,
}

/// Everything on the page of a review except the diff.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Review {
    /// Its row in the list.
    pub row: ReviewRow,
    /// Absolute path of the worktree; empty if its folder is gone.
    pub worktree_path: String,
    /// Commits that the base does not contain, oldest first.
    pub commits: Vec<ReviewCommit>,
    /// Changed files compared with where the branch began, by path.
    pub files: Vec<ReviewFile>,
    /// Files that would conflict, each with what the two sides did to it.
    pub conflicts: Vec<FileConflict>,
    /// Comments on it, oldest first.
    pub comments: Vec<ReviewComment>,
    /// An agent's review before the person's; `None` if there was none.
    pub by_agent: Option<DiffReview>,
    /// Where proposed documents may say something other than what was learnt.
    pub divergences: Vec<Divergence>,
    /// Why the last merge was refused.
    pub refusal: Option<CommandError>,
}

/// A commit of a branch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewCommit {
    /// Full hash.
    pub id: String,
    /// First line of its message.
    pub subject: String,
    /// Author.
    pub author: String,
    /// When.
    pub time: Timestamp,
    /// Number of changed files.
    pub files: u32,
}

crate::word_enum! {
    /// Kind of change to a file.
    FileChangeKind {
        /// It is new.
        Added = "added",
        /// Its content, mode or type differs.
        Changed = "changed",
        /// It is gone.
        Removed = "removed",
        /// It has another name.
        Renamed = "renamed",
        /// It was copied from another one that still exists.
        Copied = "copied",
    }
}

/// A changed file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewFile {
    /// Relative to the root of the repository.
    pub path: String,
    /// Its previous name, if it was renamed.
    pub old_path: Option<String>,
    /// Kind of change.
    pub change: FileChangeKind,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// Whether it is binary.
    pub binary: bool,
}

/// A comment on a review.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewComment {
    /// Id of the task comment.
    pub id: u32,
    /// The file.
    pub file: String,
    /// The line; 0 for the whole file.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// Its author.
    pub author: TaskProvenance,
    /// Whether it was sent to the agents; unsent comments exist only where they are written.
    pub sent: bool,
}

/// Work sent back to the agents by a person.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SentBack {
    /// The task.
    pub task: TaskId,
    /// The requested change; may be empty if there are line comments.
    pub comment: String,
    /// Line comments.
    pub lines: Vec<LineComment>,
}

/// A comment on a line, or on a whole file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LineComment {
    /// The file, relative to the root of the repository.
    pub file: String,
    /// The line of the new text, from 1; the whole file when `None`.
    pub line: Option<u32>,
    /// Its text.
    pub text: String,
}

/// A unified diff.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewDiff {
    /// The diff.
    pub text: String,
    /// Whether it was truncated.
    pub cut: bool,
}

/// Text of a pull request for some work.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PullRequestText {
    /// Title and body; the title is the first line.
    pub text: String,
    /// Whether Ralph can open it, because `gh` is available.
    pub opens: bool,
}

/// A completed merge: the base contains the work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MergeDone {
    /// The task; `None` for the proposal of an errand.
    pub task: Option<TaskId>,
    /// The errand whose proposal it is.
    pub errand: Option<ErrandId>,
    /// Its branch.
    pub branch: String,
    /// The base that contains it now.
    pub base: String,
    /// The last commit of the base.
    pub commit: String,
    /// The check on the merged result; `None` without one.
    pub check: Option<CheckResult>,
    /// The snapshot of what else was uncommitted in the worktree, also during the merge; `None` if nothing was.
    pub kept: Option<String>,
}

/// A worktree with its state on disk.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct WorktreeRow {
    /// Absolute path of its folder.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// The task; `None` for the proposal of an errand.
    pub task: Option<TaskId>,
    /// The errand whose proposal it is.
    pub errand: Option<ErrandId>,
    /// Its state, according to its folder and its task's review too.
    pub state: WorktreeStanding,
    /// What is being done with its work now: an iteration, a merge, or an errand.
    pub under_way: Option<String>,
    /// Size of its folder in bytes, as an integer that JavaScript can represent exactly.
    #[cfg_attr(feature = "specta", specta(type = f64))]
    pub bytes: u64,
    /// Its base branch.
    pub base: String,
    /// The first of its ports.
    pub port_base: u32,
    /// When it was made.
    pub made: Timestamp,
    /// Why it is kept although it has expired, or would have.
    pub kept: Option<String>,
}

/// Result of pruning worktrees.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PrunedWorktrees {
    /// Those that were, or would be, removed.
    pub removed: Vec<WorktreeRow>,
    /// Those that stay, each with the reason.
    pub kept: Vec<WorktreeRow>,
}
