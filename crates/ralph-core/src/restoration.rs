//! A project that is missing or damaged, and what would bring it back.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// What a restoration does, told before it is done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Restoration {
    /// The project.
    pub path: String,
    /// The copy that it comes from; `None` when only its journals are left.
    pub from: Option<String>,
    /// When the copy was last changed.
    pub made: Option<Timestamp>,
    /// Features in the copy.
    pub features: u32,
    /// Tasks in the copy.
    pub tasks: u32,
    /// Learnings in the copy, in all states; the journals may add to them.
    pub learnings: u32,
    /// What will be missing, each in a sentence.
    pub missing: Vec<String>,
    /// Copies of other places that may be of the same project; used only when named with `--from`.
    pub others: Vec<String>,
    /// Whether a database that works stands there; it is kept aside.
    pub replaces: bool,
}
