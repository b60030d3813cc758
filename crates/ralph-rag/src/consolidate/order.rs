//! Which of two entries is newer.

use ralph_core::active_days::Day;
use ralph_core::consolidation::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Whether `one` was certainly written after `other`: within the file by day, then by position, since it is append-only; learnings by
/// time; a learning and an entry of the file by day alone.
pub(super) fn is_newer(one: &Entry, other: &Entry) -> bool {
    match (one.created, other.created) {
        (Some(mine), Some(theirs)) => mine > theirs,
        (None, None) if one.source == other.source => (day(one), one.line) > (day(other), other.line),
        _ => day(one) > day(other),
    }
}

/// The indices of the newest entries of each source.
pub(super) fn newest(entries: &[&Entry], keep: usize) -> BTreeSet<usize> {
    let mut of_source: BTreeMap<(&str, bool), Vec<usize>> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate() {
        of_source.entry((&entry.source, entry.id.is_some())).or_default().push(at);
    }
    let mut kept = BTreeSet::new();
    for mut places in of_source.into_values() {
        places.sort_by_key(|at| {
            let entry = entries[*at];
            std::cmp::Reverse((day(entry), entry.created, entry.line, &entry.key))
        });
        kept.extend(places.into_iter().take(keep));
    }
    kept
}

/// Uncommitted entries are newer than all committed ones.
fn day(entry: &Entry) -> Day {
    entry.written.unwrap_or(Day(i32::MAX))
}
