//! `labels` of `eval.db`: which memories answer which questions.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::evaluation::Label;
use rusqlite::{Row, params};

fn read_row(r: &Row<'_>) -> Result<Label> {
    Ok(Label {
        query: r.get("query")?,
        memory: r.get("memory")?,
        by: row::word(r, "by")?,
        relevant: r.get("relevant")?,
        at: row::time(r, "at")?,
    })
}

impl Read<'_> {
    /// Every label, by question and memory.
    pub fn labels(&self) -> Result<Vec<Label>> {
        self.connection.prepare_cached("SELECT * FROM labels ORDER BY query, memory, by")?.query_and_then([], read_row)?.collect()
    }
}

impl Tx<'_> {
    /// Stores a label, replacing an earlier one of the same source.
    pub fn put_label(&self, label: &Label) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO labels (query, memory, by, relevant, at) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (query, memory, by) DO UPDATE SET relevant = excluded.relevant, at = excluded.at",
            )?
            .execute(params![label.query, label.memory, label.by.as_str(), label.relevant, label.at.0])?;
        self.judge_again(&label.query)
    }
}
