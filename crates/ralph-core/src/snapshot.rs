//! Snapshots: uncommitted work that is kept aside before an agent starts.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A snapshot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SnapshotInfo {
    /// The iteration before which it was made; with a number behind a point where there are several.
    pub name: String,
    /// When it was made.
    pub made: Timestamp,
}

/// What restoring a snapshot did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RestoredSnapshot {
    /// Which snapshot.
    pub name: String,
    /// Files that were written, relative to the repository.
    pub written: Vec<String>,
    /// Files that were removed, as they were when the snapshot was made.
    pub removed: Vec<String>,
    /// The snapshot of what stood there before; `None` when all of that was committed.
    pub kept_first: Option<String>,
}
