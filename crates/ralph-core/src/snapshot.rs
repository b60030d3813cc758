//! Snapshots: uncommitted work that is saved before an agent starts.

use crate::errand::ErrandId;
use crate::time::Timestamp;
use crate::{IterationId, RunId, TaskId};
use serde::{Deserialize, Serialize};

/// A snapshot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SnapshotInfo {
    /// The number of an iteration, or of an errand behind an `e`; with a number after a dot where there are several.
    pub name: String,
    /// When it was taken.
    pub made: Timestamp,
    /// The iteration whose number it is named after, if this database knows it.
    pub iteration: Option<SnapshotIteration>,
    /// The errand whose number it is named after.
    pub errand: Option<ErrandId>,
}

/// The iteration whose number a snapshot is named after.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SnapshotIteration {
    /// Its number.
    pub id: IterationId,
    /// Its run.
    pub run: RunId,
    /// Its task.
    pub task: TaskId,
    /// Title of the task when the iteration began.
    pub task_title: String,
    /// Whether it was taken before the agent started, rather than of what was in a worktree or in the way of another restoration.
    pub before: bool,
}

crate::word_enum! {
    /// What restoring a snapshot does to one of its files. In the order of what a person should know first.
    SnapshotEffect {
        /// What is there can't be saved first, so it is not replaced.
        InTheWay = "in_the_way",
        /// Something else is there, and is saved first.
        Replaced = "replaced",
        /// It is there but was deleted in the snapshot, so it is removed; it is saved first.
        Removed = "removed",
        /// Nothing is there.
        ComesBack = "comes_back",
        /// It is already as in the snapshot.
        Unchanged = "unchanged",
    }
}

/// A file of a snapshot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SnapshotFile {
    /// Its path, relative to the repository.
    pub path: String,
    /// What restoring does to it.
    pub effect: SnapshotEffect,
}

/// What restoring a snapshot would do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SnapshotView {
    /// The snapshot.
    pub info: SnapshotInfo,
    /// The folder that its files belong in.
    pub folder: String,
    /// Its files, those that a person should know about first: as many as anybody would read.
    pub files: Vec<SnapshotFile>,
    /// How many more there are.
    pub more: u32,
}

/// Result of restoring a snapshot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RestoredSnapshot {
    /// Which snapshot.
    pub name: String,
    /// Files that came back or were replaced, relative to the repository; not those that were so already.
    pub written: Vec<String>,
    /// Files that were removed because the snapshot does not contain them.
    pub removed: Vec<String>,
    /// The snapshot of the state before the restoration; `None` when everything was committed.
    pub kept_first: Option<String>,
}
