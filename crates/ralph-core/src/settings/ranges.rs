//! Ranges of numeric settings: one list for the file, the command line and the form.

use crate::limits;
use serde::Serialize;
use std::ops::RangeInclusive;

/// The valid integers of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SettingRange {
    /// The setting.
    pub key: &'static str,
    /// Minimum.
    pub min: u32,
    /// Maximum.
    pub max: u32,
}

const fn range(key: &'static str, min: u32, max: u32) -> SettingRange {
    SettingRange { key, min, max }
}

/// Every integer setting with its own line in `config.toml`.
pub const RANGES: [SettingRange; 7] = [
    range("stall_stop", 0, 1_000),
    range("hold_out", 0, 90),
    range("max_iterations", 1, 100_000),
    range("max_minutes", 0, 1_000_000),
    range("max_attempts", 1, 1_000),
    range("stuck_after", 1, 1_000),
    range("max_learnings", *limits::MAX_LEARNINGS_RANGE.start(), *limits::MAX_LEARNINGS_RANGE.end()),
];

/// The valid range of a setting; unrestricted if not listed.
pub fn range_of(key: &str) -> RangeInclusive<u32> {
    RANGES.iter().find(|range| range.key == key).map_or(0..=u32::MAX, |range| range.min..=range.max)
}
