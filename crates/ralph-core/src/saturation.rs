//! Saturation: how full a feature's knowledge is.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Percentage from which a feature is high: the split is near.
pub const HIGH_PCT: u32 = 80;
/// Percentage from which a feature is critical: the split task is created.
pub const CRITICAL_PCT: u32 = 90;

crate::word_enum! {
    /// Level of a saturation percentage.
    SaturationLevel {
        /// 0–59 %.
        Low = "low",
        /// 60–79 %.
        Medium = "medium",
        /// 80–89 %.
        High = "high",
        /// 90 % and more: the split task is created.
        Critical = "critical",
    }
}

impl SaturationLevel {
    /// The level of a percentage.
    pub fn of(saturation_pct: u32) -> SaturationLevel {
        match saturation_pct {
            0..=59 => SaturationLevel::Low,
            60..HIGH_PCT => SaturationLevel::Medium,
            HIGH_PCT..CRITICAL_PCT => SaturationLevel::High,
            CRITICAL_PCT.. => SaturationLevel::Critical,
        }
    }
}

/// Saturation of one feature, over its active learnings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FeatureSaturation {
    /// Name of the feature.
    pub feature: String,
    /// Active learnings.
    pub learnings_count: u32,
    /// The cap in force.
    pub max_learnings: u32,
    /// Active learnings that are never pruned automatically.
    pub protected_count: u32,
    /// Active learnings that may be pruned automatically.
    pub prunable_count: u32,
    /// `learnings_count * 100 / max_learnings`, rounded down; above 100 when the cap was lowered.
    pub saturation_pct: u32,
    /// Level of the percentage.
    pub level: SaturationLevel,
}

/// Saturation of a feature at one time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SaturationPoint {
    /// Time of the change; never before the previous point.
    pub at: Timestamp,
    /// Active learnings.
    pub learnings_count: u32,
    /// The cap in force at the time: the feature's own, or the project's as it was then.
    pub max_learnings: u32,
    /// Active learnings that Ralph would not have pruned automatically.
    pub protected_count: u32,
    /// As in [`FeatureSaturation`].
    pub saturation_pct: u32,
    /// Level of the percentage.
    pub level: SaturationLevel,
}

/// A feature's saturation over time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SaturationHistory {
    /// Name of the feature.
    pub feature: String,
    /// Each change, oldest first: the newest [`crate::limits::SATURATION_POINTS`].
    pub points: Vec<SaturationPoint>,
}

/// Computes a feature's saturation from its counts of active learnings.
pub fn compute_feature_saturation(feature: &str, learnings_count: u32, protected_count: u32, max_learnings: u32) -> FeatureSaturation {
    let cap = max_learnings.max(1);
    let saturation_pct = u32::try_from(u64::from(learnings_count) * 100 / u64::from(cap)).unwrap_or(u32::MAX);
    FeatureSaturation {
        feature: feature.to_owned(),
        learnings_count,
        max_learnings,
        protected_count,
        prunable_count: learnings_count.saturating_sub(protected_count),
        saturation_pct,
        level: SaturationLevel::of(saturation_pct),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_change_at_60_80_and_90_percent() {
        for (count, pct, level) in [
            (0, 0, SaturationLevel::Low),
            (29, 58, SaturationLevel::Low),
            (30, 60, SaturationLevel::Medium),
            (39, 78, SaturationLevel::Medium),
            (40, 80, SaturationLevel::High),
            (44, 88, SaturationLevel::High),
            (45, 90, SaturationLevel::Critical),
            (50, 100, SaturationLevel::Critical),
            (60, 120, SaturationLevel::Critical),
        ] {
            let saturation = compute_feature_saturation("f", count, 0, 50);
            assert_eq!((saturation.saturation_pct, saturation.level), (pct, level), "{count} of 50");
        }
    }

    #[test]
    fn the_percentage_is_rounded_down() {
        assert_eq!(compute_feature_saturation("f", 2, 1, 3).saturation_pct, 66);
        assert_eq!(compute_feature_saturation("f", 2, 1, 3).prunable_count, 1);
    }
}
