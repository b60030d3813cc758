//! `audit_days`: share of junk among active memories, by day.

use crate::connection::{Read, Tx};
use crate::error::Result;
use ralph_core::topic::Topic;
use rusqlite::params;
use std::collections::BTreeMap;

impl Read<'_> {
    /// Counts since a day, by day and name.
    pub fn audit_days(&self, since: i64) -> Result<BTreeMap<i64, BTreeMap<String, u32>>> {
        let mut statement = self.connection.prepare_cached("SELECT day, what, count FROM audit_days WHERE day >= ?1")?;
        let mut days: BTreeMap<i64, BTreeMap<String, u32>> = BTreeMap::new();
        let mut rows = statement.query([since])?;
        while let Some(row) = rows.next()? {
            days.entry(row.get(0)?).or_default().insert(row.get(1)?, row.get(2)?);
        }
        Ok(days)
    }
}

impl Tx<'_> {
    /// Replaces a day's counts.
    pub fn set_audit_day(&self, day: i64, counts: &BTreeMap<String, u32>) -> Result<()> {
        self.touch(Topic::Learnings);
        self.connection.prepare_cached("DELETE FROM audit_days WHERE day = ?1")?.execute([day])?;
        let mut statement = self.connection.prepare_cached("INSERT INTO audit_days (day, what, count) VALUES (?1, ?2, ?3)")?;
        counts.iter().try_for_each(|(what, count)| statement.execute(params![day, what, count]).map(drop))?;
        Ok(())
    }
}
