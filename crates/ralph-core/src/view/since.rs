//! What happened while nobody was looking.

use crate::cost::Cost;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// What happened since the person's last look.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SinceLook {
    /// Time of the last look.
    pub at: Timestamp,
    /// Totals of the iterations and errands that ended since.
    pub work: WorkSince,
    /// New learnings that are still active.
    pub learnt: u32,
    /// Learnings that are no longer active: contradicted, reworded, or put away.
    pub put_away: u32,
    /// Features whose saturation changed, largest change first.
    pub saturation: Vec<SaturationMove>,
}

/// Totals of the iterations and errands that ended since a time.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct WorkSince {
    /// Tasks completed by an attempt that are done now: work in a worktree is done once its base contains it.
    pub done: u32,
    /// Tasks with a failed attempt and no later success.
    pub failed: u32,
    /// What they cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// A feature's saturation, before and now.
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
