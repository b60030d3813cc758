//! Shares over time: one row per day, from the newest scan of that day.

use super::memories::AuditedMemories;
use crate::app::App;
use crate::error::Result;
use ralph_core::active_days::Day;
use ralph_core::audit::{AuditClass, AuditDay};
use std::collections::BTreeMap;

const MEMORIES: &str = "memories";
const JUNK: &str = "junk";

impl App {
    /// Junk on each of the last `days` days with a scan, oldest first.
    pub fn audit_days(&self, days: i64) -> Result<Vec<AuditDay>> {
        let today = self.today();
        let kept = self.db.read(|r| r.audit_days(today - days + 1))?;
        Ok(kept.into_iter().map(|(day, counts)| day_of(day, &counts)).collect())
    }

    /// Scans the memories and stores the counts, in the background.
    pub(crate) fn keep_audit_day_or_warn(&self) {
        warn_unless_kept(self.audited().and_then(|audited| self.keep_audit_day(&audited)));
    }

    /// The same at the end of a run: for days without a scan, since all memories are read, and no further than until `stopped`.
    pub(crate) fn keep_first_audit_of_day_or_warn(&self, stopped: &dyn Fn() -> bool) {
        let look = || -> Result<()> {
            let today = self.today();
            if self.db.read(|r| r.audit_days(today))?.contains_key(&today) {
                return Ok(());
            }
            self.audited_until(stopped)?.map_or(Ok(()), |audited| self.keep_audit_day(&audited))
        };
        warn_unless_kept(look());
    }

    pub(super) fn keep_audit_day(&self, audited: &AuditedMemories) -> Result<()> {
        if self.is_read_only() {
            return Ok(());
        }
        let today = self.today();
        let mut counts: BTreeMap<String, u32> = AuditClass::ALL
            .iter()
            .map(|class| (class.as_str().to_owned(), audited.finding(*class).count))
            .filter(|(_, count)| *count > 0)
            .collect();
        counts.insert(MEMORIES.to_owned(), audited.count());
        counts.insert(JUNK.to_owned(), audited.junk());
        // Unchanged counts are not written: a write makes every open page refetch.
        if self.db.read(|r| r.audit_days(today))?.get(&today) == Some(&counts) {
            return Ok(());
        }
        self.write(|tx| Ok(tx.set_audit_day(today, &counts)?))
    }

    fn today(&self) -> i64 {
        crate::clock::day_number(self.clock.now())
    }
}

fn warn_unless_kept(kept: Result<()>) {
    if let Err(error) = kept {
        tracing::warn!("how much of what is known is junk was not looked at: {error}");
    }
}

fn day_of(day: i64, counts: &BTreeMap<String, u32>) -> AuditDay {
    let of = |what: &str| counts.get(what).copied().unwrap_or_default();
    AuditDay {
        day: Day(i32::try_from(day).unwrap_or_default()).to_string(),
        memories: of(MEMORIES),
        junk: of(JUNK),
        classes: counts.iter().filter_map(|(what, count)| Some((what.parse().ok()?, *count))).collect(),
    }
}
