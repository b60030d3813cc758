//! `guidance`: a person's words for the next iteration. Pending until a prompt includes them, and again if that iteration was not an
//! attempt.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::run::{Guidance, GuidanceId};
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, TaskId};
use rusqlite::{Row, params};

const COLUMNS: &str = "SELECT id, task_id, text, created, iteration_id FROM guidance";

fn read_row(r: &Row<'_>) -> Result<Guidance> {
    Ok(Guidance {
        id: r.get("id")?,
        task: r.get("task_id")?,
        text: r.get("text")?,
        created: row::time(r, "created")?,
        iteration: r.get("iteration_id")?,
    })
}

impl Read<'_> {
    /// Pending guidance, oldest first: for one task or for the next of any; all of it without a task.
    pub fn waiting_guidance(&self, task: Option<TaskId>) -> Result<Vec<Guidance>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "{COLUMNS} WHERE iteration_id IS NULL AND (?1 IS NULL OR task_id IS NULL OR task_id = ?1) ORDER BY id"
        ))?;
        statement.query_and_then([task], read_row)?.collect()
    }

    /// One piece of guidance.
    pub fn guidance(&self, id: GuidanceId) -> Result<Option<Guidance>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?;
        statement.query_and_then([id], read_row)?.next().transpose()
    }

    /// Guidance that an iteration got, oldest first.
    pub fn guidance_of(&self, iteration: IterationId) -> Result<Vec<Guidance>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE iteration_id = ?1 ORDER BY id"))?;
        statement.query_and_then([iteration], read_row)?.collect()
    }
}

impl Tx<'_> {
    /// Adds guidance and returns its number.
    pub fn insert_guidance(&self, task: Option<TaskId>, text: &str, at: Timestamp) -> Result<GuidanceId> {
        self.connection
            .prepare_cached("INSERT INTO guidance (task_id, text, created) VALUES (?1, ?2, ?3)")?
            .execute(params![task, text, at.0])?;
        Ok(GuidanceId::try_from(self.connection.last_insert_rowid()).unwrap_or(GuidanceId::MAX))
    }

    /// Deletes pending guidance; returns whether it was pending.
    pub fn delete_waiting_guidance(&self, id: GuidanceId) -> Result<bool> {
        let mut statement = self.connection.prepare_cached("DELETE FROM guidance WHERE id = ?1 AND iteration_id IS NULL")?;
        Ok(statement.execute([id])? > 0)
    }

    /// Assigns guidance pending for a task, or for any, to an iteration on it, oldest first, at most `max`.
    pub fn take_guidance(&self, task: TaskId, iteration: IterationId, max: u32) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE guidance SET iteration_id = ?2 WHERE id IN (SELECT id FROM guidance
                     WHERE iteration_id IS NULL AND (task_id IS NULL OR task_id = ?1) ORDER BY id LIMIT ?3)",
            )?
            .execute([task, iteration, max])?;
        Ok(())
    }
}
