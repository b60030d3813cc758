//! `story_vectors`: vectors of the tasks in which something was learned.

use super::passages::floats;
use super::text_vectors::bytes;
use crate::connection::{Read, Tx};
use crate::error::Result;
use ralph_core::TaskId;
use rusqlite::params;

/// Learnings of tasks of this database: another clone has its own task numbers.
const OWN: &str = "m.kind = 'learning' AND m.task_id IS NOT NULL
    AND (m.replica IS NULL OR m.replica = (SELECT value FROM meta WHERE key = 'replica'))";

impl Read<'_> {
    /// Tasks in which something was learned and that have no vector of `model` yet, at most `limit`: title and description.
    pub fn stories_without_vector(&self, model: &str, limit: u32) -> Result<Vec<(TaskId, String)>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT t.id, t.title || ' ' || t.description FROM tasks t
             WHERE t.id IN (SELECT m.task_id FROM memories m WHERE {OWN})
                 AND NOT EXISTS (SELECT 1 FROM story_vectors s WHERE s.task = t.id AND s.model = ?1)
             ORDER BY t.id LIMIT ?2"
        ))?;
        let rows = statement.query_map(params![model, limit], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// All task vectors of `model`.
    pub fn story_vectors(&self, model: &str) -> Result<Vec<(TaskId, Vec<f32>)>> {
        let mut statement = self.connection.prepare_cached("SELECT task, vector FROM story_vectors WHERE model = ?1")?;
        let rows = statement.query_map([model], |r| Ok((r.get(0)?, floats(r.get_ref(1)?.as_blob()?))))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Rows of the learnings learned in a task of this database, each with its task.
    pub fn learnings_of_tasks(&self) -> Result<Vec<(i64, TaskId)>> {
        let mut statement = self.connection.prepare_cached(&format!("SELECT m.row, m.task_id FROM memories m WHERE {OWN}"))?;
        let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Stores a task's vector, replacing another model's. A task that is gone meanwhile is skipped.
    pub fn set_story_vector(&self, task: TaskId, model: &str, vector: &[f32]) -> Result<()> {
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO story_vectors (task, model, vector) SELECT id, ?2, ?3 FROM tasks WHERE id = ?1")?
            .execute(params![task, model, bytes(vector)])?;
        Ok(())
    }
}
