//! The identity of this database, and the numbers that it assigns.

use crate::connection::{Read, Tx};
use crate::error::Result;
use ralph_core::{IterationId, TaskId};
use rusqlite::{OptionalExtension as _, params};

impl Read<'_> {
    /// The id assigned when this database was first opened; its copies have the same.
    pub fn replica(&self) -> Result<Option<String>> {
        Ok(self.connection.prepare_cached("SELECT value FROM meta WHERE key = 'replica'")?.query_row([], |r| r.get(0)).optional()?)
    }
}

impl Tx<'_> {
    /// Sets the database's id, once.
    pub fn set_replica(&self, id: &str) -> Result<()> {
        self.connection.prepare_cached("INSERT OR IGNORE INTO meta (key, value) VALUES ('replica', ?1)")?.execute([id])?;
        Ok(())
    }

    /// Makes the next iteration's number greater than this one: artifacts under earlier numbers outside the database are not its own.
    pub fn number_iterations_above(&self, number: IterationId) -> Result<()> {
        self.number_above("iterations", number)
    }

    /// The same for tasks: what was learnt at an earlier one with that number belongs to that one.
    pub fn number_tasks_above(&self, number: TaskId) -> Result<()> {
        self.number_above("tasks", number)
    }

    fn number_above(&self, table: &str, number: u32) -> Result<()> {
        self.connection.execute(
            "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
            [table],
        )?;
        self.connection.execute("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", params![table, number])?;
        Ok(())
    }
}
