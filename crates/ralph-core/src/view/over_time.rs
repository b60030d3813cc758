//! Work over time, by day.

use crate::cost::Cost;
use serde::{Deserialize, Serialize};

/// Totals of days and features.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct WorkOverTime {
    /// Days with iterations or errands, oldest first.
    pub days: Vec<WorkDay>,
    /// Features that were worked on, highest cost first.
    pub features: Vec<FeatureWork>,
    /// Today, in the same format.
    pub today: String,
}

/// Totals of the iterations and errands that ended on one day, today with those at work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct WorkDay {
    /// The date by the person's clock, such as `2026-11-23`.
    pub day: String,
    /// Attempts that completed their task.
    pub done: u32,
    /// Other ended attempts.
    pub failed: u32,
    /// What they cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// Totals of the iterations and errands on one feature, or of the errands on none.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FeatureWork {
    /// Name of the feature; `None` = of no task, such as a consolidation.
    pub feature: Option<String>,
    /// Attempts that completed their task.
    pub done: u32,
    /// Other ended attempts.
    pub failed: u32,
    /// What they cost.
    #[serde(flatten)]
    pub cost: Cost,
}
