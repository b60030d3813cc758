//! A missing or damaged project, and how to restore it.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// What a restoration would do, shown beforehand.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Restoration {
    /// The project.
    pub path: String,
    /// The copy that is used; `None` when only the journals are left.
    pub from: Option<String>,
    /// When the copy was last changed.
    pub made: Option<Timestamp>,
    /// Features in the copy; once it is done, in the project.
    pub features: u32,
    /// Tasks, likewise.
    pub tasks: u32,
    /// Learnings in all states, likewise; the journals may add to those of the copy.
    pub learnings: u32,
    /// What will be missing, one sentence each.
    pub missing: Vec<String>,
    /// Copies of other places that may belong to the same project; used only when named with `--from`.
    pub others: Vec<String>,
    /// Whether a working database exists there; it is set aside.
    pub replaces: bool,
}
