//! Which database this is, and the numbers that it gives out.

use crate::connection::{Read, Tx};
use crate::error::Result;
use ralph_core::IterationId;
use rusqlite::OptionalExtension as _;

impl Read<'_> {
    /// The id that this database was given when it was first opened; its copies have the same.
    pub fn replica(&self) -> Result<Option<String>> {
        Ok(self.connection.prepare_cached("SELECT value FROM meta WHERE key = 'replica'")?.query_row([], |r| r.get(0)).optional()?)
    }
}

impl Tx<'_> {
    /// Gives the database its id, once.
    pub fn set_replica(&self, id: &str) -> Result<()> {
        self.connection.prepare_cached("INSERT OR IGNORE INTO meta (key, value) VALUES ('replica', ?1)")?.execute([id])?;
        Ok(())
    }

    /// Lets the next iteration have a greater number than this one: what stands under earlier numbers outside the database is not its own.
    pub fn number_iterations_above(&self, number: IterationId) -> Result<()> {
        self.connection.execute(
            "INSERT INTO sqlite_sequence (name, seq) SELECT 'iterations', 0
             WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'iterations')",
            [],
        )?;
        self.connection.execute("UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'iterations'", [number])?;
        Ok(())
    }
}
