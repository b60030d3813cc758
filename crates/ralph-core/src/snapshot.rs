//! Snapshots: uncommitted work that is saved before an agent starts.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A snapshot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SnapshotInfo {
    /// The iteration before which it was taken; with a number after a dot where there are several.
    pub name: String,
    /// When it was taken.
    pub made: Timestamp,
}

/// Result of restoring a snapshot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RestoredSnapshot {
    /// Which snapshot.
    pub name: String,
    /// Files that were written, relative to the repository.
    pub written: Vec<String>,
    /// Files that were removed because the snapshot does not contain them.
    pub removed: Vec<String>,
    /// The snapshot of the state before the restoration; `None` when everything was committed.
    pub kept_first: Option<String>,
}
