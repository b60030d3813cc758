//! `consolidations`: what moved into documents, and what was undone.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::active_days::Day;
use ralph_core::consolidation::Consolidation;
use rusqlite::{Row, params};

fn read_row(r: &Row<'_>) -> Result<Consolidation> {
    let day: String = r.get("day")?;
    Ok(Consolidation {
        id: r.get("id")?,
        act: r.get("act")?,
        feature: r.get("feature")?,
        source: r.get("source")?,
        entries: row::json(r, "entries")?,
        files: row::json(r, "files")?,
        at: row::time(r, "at")?,
        day: Day::parse(&day).unwrap_or(Day(0)),
        undone: row::time_opt(r, "undone")?,
    })
}

impl Read<'_> {
    /// Consolidations, oldest first: all of them, or the rows of one.
    pub fn consolidations(&self, act: Option<&str>) -> Result<Vec<Consolidation>> {
        let mut statement = self.connection.prepare_cached("SELECT * FROM consolidations WHERE ?1 IS NULL OR act = ?1 ORDER BY id")?;
        statement.query_and_then([act], read_row)?.collect()
    }
}

impl Tx<'_> {
    /// Stores a row, new or undone since. Its entries never change.
    pub fn put_consolidation(&self, of: &Consolidation) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO consolidations (id, act, feature, source, entries, files, at, day, undone)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (id) DO UPDATE SET undone = excluded.undone",
            )?
            .execute(params![
                of.id,
                of.act,
                of.feature,
                of.source,
                row::to_json(&of.entries),
                row::to_json(&of.files),
                of.at.0,
                of.day.to_string(),
                of.undone.map(|at| at.0)
            ])?;
        Ok(())
    }
}
