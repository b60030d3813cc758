//! `comparisons` of `eval.db`: questions under two configurations.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::evaluation::ShadowRecord;
use rusqlite::{Row, params};

fn read_row(r: &Row<'_>) -> Result<ShadowRecord> {
    Ok(ShadowRecord {
        query: r.get("query")?,
        at: row::time(r, "at")?,
        live: r.get("live")?,
        other: r.get("other")?,
        overlap: r.get("overlap")?,
        tau: r.get("tau")?,
        moved: r.get("moved")?,
        live_mrr: r.get("live_mrr")?,
        other_mrr: r.get("other_mrr")?,
    })
}

impl Read<'_> {
    /// Every comparison, in the order in which the questions were recorded: clocks may say another.
    pub fn comparisons(&self) -> Result<Vec<ShadowRecord>> {
        self.connection
            .prepare_cached("SELECT c.* FROM comparisons c LEFT JOIN queries q ON q.id = c.query ORDER BY q.row, c.other")?
            .query_and_then([], read_row)?
            .collect()
    }

    /// Ids of questions with a comparison that was made before it was known what answers them.
    pub fn compared_without_truth(&self) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached("SELECT DISTINCT query FROM comparisons WHERE live_mrr IS NULL")?;
        Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Stores a comparison, replacing an earlier one of the same question and configuration.
    pub fn put_comparison(&self, of: &ShadowRecord) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT OR REPLACE INTO comparisons (query, at, live, other, overlap, tau, moved, live_mrr, other_mrr)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![of.query, of.at.0, of.live, of.other, of.overlap, of.tau, of.moved, of.live_mrr, of.other_mrr])?;
        Ok(())
    }
}
