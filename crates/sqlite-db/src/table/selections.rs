//! `selections` of `eval.db`: who selected which result.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::evaluation::SelectionRecord;
use rusqlite::{Row, params};
use std::collections::BTreeSet;

fn read_row(r: &Row<'_>) -> Result<SelectionRecord> {
    Ok(SelectionRecord {
        id: r.get("id")?,
        at: row::time(r, "at")?,
        query: r.get("query")?,
        memory: r.get("memory")?,
        kind: row::word(r, "kind")?,
        weight: r.get("weight")?,
        by: r.get("by")?,
        rank: r.get("rank")?,
        channels: row::json(r, "channels")?,
        counted: r.get("counted")?,
    })
}

impl Read<'_> {
    /// Every selection, in the order they were recorded.
    pub fn selections(&self) -> Result<Vec<SelectionRecord>> {
        self.connection.prepare_cached("SELECT * FROM selections ORDER BY row")?.query_and_then([], read_row)?.collect()
    }

    /// Ids of the selections that were rolled back here.
    pub fn rolled_back_selections(&self) -> Result<BTreeSet<String>> {
        let mut statement = self.connection.prepare_cached("SELECT id FROM selections WHERE rolled_back")?;
        Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Stores a selection; an existing one stays.
    pub fn insert_selection(&self, of: &SelectionRecord) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT OR IGNORE INTO selections (id, at, query, memory, kind, weight, by, rank, channels, counted)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                of.id,
                of.at.0,
                of.query,
                of.memory,
                of.kind.as_str(),
                of.weight,
                of.by,
                of.rank,
                row::to_json(&of.channels),
                of.counted
            ])?;
        of.query.as_deref().map_or(Ok(()), |query| self.judge_again(query))
    }

    /// Rolls a selection back: it stays as history.
    pub fn roll_selection_back(&self, of: &SelectionRecord) -> Result<()> {
        self.connection.prepare_cached("UPDATE selections SET rolled_back = 1 WHERE id = ?1")?.execute([&of.id])?;
        of.query.as_deref().map_or(Ok(()), |query| self.judge_again(query))
    }
}
