//! Review: what is done in a worktree and waits to be merged.

use crate::TaskId;
use crate::diff_review::DiffReview;
use crate::errand::ErrandId;
use crate::run::CheckResult;
use crate::task::TaskProvenance;
use crate::time::Timestamp;
use crate::view::CommandError;
use crate::worktree::WorktreeState;
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// How a branch stands to its base.
    ReviewStanding {
        /// It can be merged as it is.
        Clean = "clean",
        /// Both sides changed the same lines.
        Conflicts = "conflicts",
        /// The base has new commits; bringing both together is clean.
        BaseMoved = "base_moved",
        /// The base contains it.
        Landed = "landed",
    }
}

/// A task, or the proposal of an errand, that waits for its review.
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
    /// The branch that it goes to.
    pub base: String,
    /// Files that differ.
    pub files: u32,
    /// Lines that were added.
    pub added: u32,
    /// Lines that were removed.
    pub removed: u32,
    /// The check of the last iteration, or of the last merge that was tried.
    pub check: Option<CheckResult>,
    /// How it stands to its base.
    pub standing: ReviewStanding,
    /// Whether it waits, is merged, or was discarded and can come back.
    pub state: WorktreeState,
}

/// Everything that the page of a review shows, the differences aside.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Review {
    /// What the list shows of it.
    pub row: ReviewRow,
    /// Absolute path of the worktree; empty when its folder is gone.
    pub worktree_path: String,
    /// Commits that the base does not contain, oldest first.
    pub commits: Vec<ReviewCommit>,
    /// Files that differ from where the branch began, by path.
    pub files: Vec<ReviewFile>,
    /// Files that would conflict.
    pub conflicts: Vec<String>,
    /// Comments on it, oldest first.
    pub comments: Vec<ReviewComment>,
    /// What an agent said of it before a person looked; `None` when none did.
    pub by_agent: Option<DiffReview>,
    /// Why the last merge was refused.
    pub refusal: Option<CommandError>,
}

/// A commit of a branch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewCommit {
    /// Its full id.
    pub id: String,
    /// First line of its message.
    pub subject: String,
    /// Who wrote it.
    pub author: String,
    /// When.
    pub time: Timestamp,
    /// Files that it changed.
    pub files: u32,
}

crate::word_enum! {
    /// What became of a file.
    FileChangeKind {
        /// It is new.
        Added = "added",
        /// Its content, mode or type differs.
        Changed = "changed",
        /// It is gone.
        Removed = "removed",
        /// It has another name.
        Renamed = "renamed",
        /// It began as another one, which is still there.
        Copied = "copied",
    }
}

/// A file that differs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewFile {
    /// From the top folder of the repository.
    pub path: String,
    /// Its name before, when it was renamed.
    pub old_path: Option<String>,
    /// What became of it.
    pub change: FileChangeKind,
    /// Lines that were added.
    pub added: u32,
    /// Lines that were removed.
    pub removed: u32,
    /// Whether it is no text.
    pub binary: bool,
}

/// A comment on a review.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewComment {
    /// Number of the remark on the task.
    pub id: u32,
    /// The file.
    pub file: String,
    /// The line; 0 for the whole file.
    pub line: u32,
    /// What it says.
    pub text: String,
    /// Who wrote it.
    pub author: TaskProvenance,
    /// Whether the agents have been given it; what is not sent yet is known where it is written only.
    pub sent: bool,
}

/// What a person sends back to the agents.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SentBack {
    /// The task.
    pub task: TaskId,
    /// What is to be changed; may be empty when lines are commented.
    pub comment: String,
    /// Comments on lines.
    pub lines: Vec<LineComment>,
}

/// A comment on a line, or on a whole file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LineComment {
    /// The file, from the top folder of the repository.
    pub file: String,
    /// The line of the new text, from 1; the whole file when `None`.
    pub line: Option<u32>,
    /// What it says.
    pub text: String,
}

/// Differences as a unified diff.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewDiff {
    /// The diff.
    pub text: String,
    /// Whether more was left out.
    pub cut: bool,
}

/// What a pull request for work would say.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PullRequestText {
    /// Title and body, the title in the first line.
    pub text: String,
    /// Whether Ralph can open it, since `gh` is there.
    pub opens: bool,
}

/// A merge that is done: the base contains the work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MergeDone {
    /// The task; `None` for the proposal of an errand.
    pub task: Option<TaskId>,
    /// The errand whose proposal it is.
    pub errand: Option<ErrandId>,
    /// Its branch.
    pub branch: String,
    /// The branch that contains it now.
    pub base: String,
    /// The last commit of that.
    pub commit: String,
    /// The check on the merged result; `None` without one.
    pub check: Option<CheckResult>,
}

/// A worktree with what is found by looking.
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
    /// `ready`, `merged`, `discarded`, `making` or, when its folder is gone, `missing`.
    pub state: String,
    /// Bytes of its folder; a decimal number that JavaScript can hold exactly.
    pub bytes: f64,
    /// The branch that its work goes to.
    pub base: String,
    /// The first of its ports.
    pub port_base: u32,
    /// When it was made.
    pub made: Timestamp,
    /// Why it is kept although its time is over, or would be.
    pub kept: Option<String>,
}

/// What a look for worktrees that may go came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PrunedWorktrees {
    /// Those that went, or would go.
    pub removed: Vec<WorktreeRow>,
    /// Those that stay, each with the reason.
    pub kept: Vec<WorktreeRow>,
}
