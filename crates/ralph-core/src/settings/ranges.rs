//! Ranges of numeric settings: one list for the file, the command line and the form; and what a number of dollars allows.

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

/// Lines, days and entries that can be asked for.
const MANY: u32 = 100_000;

/// Every setting that is a whole number of its own line in `config.toml`.
pub const RANGES: [SettingRange; 19] = [
    range("ask_minutes", 0, limits::ASK_MINUTES_MOST),
    range("stall_stop", 0, 1_000),
    range("hold_out", 0, limits::HOLD_OUT_MOST),
    range("max_iterations", 1, 100_000),
    range("max_minutes", 0, 1_000_000),
    range("max_attempts", 1, 1_000),
    range("stuck_after", 1, 1_000),
    range("max_learnings", *limits::MAX_LEARNINGS_RANGE.start(), *limits::MAX_LEARNINGS_RANGE.end()),
    range("feedback_shadow_days", limits::TERM_SHADOW_DAYS, 365),
    range("worktree_port", 1_024, 65_000),
    range("worktree_ports", 0, 1_000),
    range("worktree_days", 0, 36_500),
    range("worktree_gb", 0, 1_000_000),
    range("reviewer_send_backs", 0, 20),
    range("consolidate_lines", 1, MANY),
    range("consolidate_stale_days", 1, MANY),
    range("consolidate_fresh_days", 1, MANY),
    range("consolidate_min_entries", 1, MANY),
    range("consolidate_keep_newest", 0, MANY),
];

/// The valid range of a setting; unrestricted if not listed.
pub fn range_of(key: &str) -> RangeInclusive<u32> {
    RANGES.iter().find(|range| range.key == key).map_or(0..=u32::MAX, |range| range.min..=range.max)
}

/// The dollars that a setting or a person allows; 0 is not a limit.
pub fn usd_limit(usd: f64) -> Option<f64> {
    (usd > 0.0).then_some(usd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_dollars_are_no_limit() {
        assert_eq!([0.0, -1.0, f64::NAN, 0.5].map(usd_limit), [None, None, None, Some(0.5)]);
    }
}
