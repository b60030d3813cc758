//! Which numbers a setting may be: one list for the file, the command line and the form.

use crate::limits;
use serde::Serialize;
use std::ops::RangeInclusive;

/// The whole numbers that a setting may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SettingRange {
    /// The setting.
    pub key: &'static str,
    /// The least.
    pub min: u32,
    /// The greatest.
    pub max: u32,
}

const fn range(key: &'static str, min: u32, max: u32) -> SettingRange {
    SettingRange { key, min, max }
}

/// Every setting that is a whole number of its own line in `config.toml`.
pub const RANGES: [SettingRange; 8] = [
    range("ask_minutes", 0, limits::ASK_MINUTES_MOST),
    range("stall_stop", 0, 1_000),
    range("hold_out", 0, 90),
    range("max_iterations", 1, 100_000),
    range("max_minutes", 0, 1_000_000),
    range("max_attempts", 1, 1_000),
    range("stuck_after", 1, 1_000),
    range("max_learnings", *limits::MAX_LEARNINGS_RANGE.start(), *limits::MAX_LEARNINGS_RANGE.end()),
];

/// What a setting may be; anything where no range is listed.
pub fn range_of(key: &str) -> RangeInclusive<u32> {
    RANGES.iter().find(|range| range.key == key).map_or(0..=u32::MAX, |range| range.min..=range.max)
}
