//! How work went, day by day.

use serde::{Deserialize, Serialize};

/// What days and features came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct WorkOverTime {
    /// Days on which an iteration ended, oldest first.
    pub days: Vec<WorkDay>,
    /// Features that were worked on, the dearest first.
    pub features: Vec<FeatureWork>,
    /// Today, as the days are named.
    pub today: String,
}

/// What the iterations came to that ended on one day.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct WorkDay {
    /// The day by the person's clock, such as `2026-11-23`.
    pub day: String,
    /// Attempts that ended with the task done.
    pub done: u32,
    /// Other attempts that ended.
    pub failed: u32,
    /// Dollars, estimates included.
    pub cost_usd: f64,
    /// The estimated part of them.
    pub estimated_usd: f64,
}

/// What the iterations on one feature came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FeatureWork {
    /// Name of the feature.
    pub feature: String,
    /// Attempts that ended with the task done.
    pub done: u32,
    /// Other attempts that ended.
    pub failed: u32,
    /// Dollars, estimates included.
    pub cost_usd: f64,
    /// The estimated part of them.
    pub estimated_usd: f64,
}
