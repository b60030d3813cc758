//! What happened while nobody looked.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// What happened since a person last looked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SinceLook {
    /// When that was.
    pub at: Timestamp,
    /// What iterations came to that ended since.
    pub work: WorkSince,
    /// Learnings that came in and are known still.
    pub learnt: u32,
    /// Learnings that are no longer told: contradicted, said better, or put away.
    pub put_away: u32,
    /// Features that are fuller or emptier than they were, those that moved most first.
    pub saturation: Vec<SaturationMove>,
}

/// What iterations came to that ended since a time.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct WorkSince {
    /// Tasks whose attempt ended with the task done.
    pub done: u32,
    /// Tasks that an attempt failed at, and that none finished since.
    pub failed: u32,
    /// Dollars, estimates included.
    pub cost_usd: f64,
    /// The estimated part of them.
    pub estimated_usd: f64,
}

/// How full a feature was, and is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SaturationMove {
    /// Name of the feature.
    pub feature: String,
    /// Percent at the last look.
    pub before_pct: u32,
    /// Percent now.
    pub now_pct: u32,
}
