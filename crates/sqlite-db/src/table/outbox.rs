//! `outbox`: journal lines that are committed but perhaps not yet in their file.

use crate::connection::{Read, Tx};
use crate::error::Result;

/// A line on its way to a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxLine {
    /// Place in the order of commits.
    pub seq: i64,
    /// Name of the feature whose journal it belongs to.
    pub feature: String,
    /// Id of the event.
    pub event_id: String,
    /// The line without its line feed.
    pub line: String,
}

impl Read<'_> {
    /// Lines that wait, in the order of commits.
    pub fn outbox(&self) -> Result<Vec<OutboxLine>> {
        let mut statement = self.connection.prepare_cached("SELECT seq, feature, event_id, line FROM outbox ORDER BY seq")?;
        let rows =
            statement.query_map([], |r| Ok(OutboxLine { seq: r.get(0)?, feature: r.get(1)?, event_id: r.get(2)?, line: r.get(3)? }))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Adds a line; committed with the change that it tells of.
    pub fn push_outbox(&self, feature: &str, event_id: &str, line: &str) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO outbox (feature, event_id, line) VALUES (?1, ?2, ?3)")?
            .execute([feature, event_id, line])?;
        Ok(())
    }

    /// Forgets the lines up to `seq`: they are in their files.
    pub fn clear_outbox(&self, up_to_seq: i64) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM outbox WHERE seq <= ?1")?.execute([up_to_seq])?;
        Ok(())
    }
}
