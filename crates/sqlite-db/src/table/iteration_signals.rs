//! `iteration_signals`: what agents claim about their task through MCP.

use crate::connection::{Read, Tx};
use crate::error::Result;
use ralph_core::IterationId;
use ralph_core::time::Timestamp;
use rusqlite::params;

impl Read<'_> {
    /// Claims by an iteration's agent about its task through MCP, in order: true = done, false = failed.
    pub fn iteration_signals(&self, iteration: IterationId) -> Result<Vec<bool>> {
        let mut statement = self.connection.prepare_cached("SELECT done FROM iteration_signals WHERE iteration_id = ?1 ORDER BY id")?;
        Ok(statement.query_map([iteration], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Records a claim by an iteration's agent about its own task through MCP.
    pub fn insert_iteration_signal(&self, iteration: IterationId, done: bool, at: Timestamp) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO iteration_signals (iteration_id, done, created) VALUES (?1, ?2, ?3)")?
            .execute(params![iteration, done, at.0])?;
        Ok(())
    }
}
