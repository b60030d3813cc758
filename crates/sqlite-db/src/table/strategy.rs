//! Results of models: measured from recent iterations, never counted incrementally.

use crate::connection::Read;
use crate::error::Result;
use crate::row;
use ralph_core::TaskId;
use ralph_core::sigil::Difficulty;
use ralph_core::strategy::ModelRecord;
use rusqlite::{OptionalExtension as _, Row};

/// Iterations that count as recent: enough for an interval of a few percent, and a bound on the query.
pub(super) const RECENT: u32 = 1_000;

/// The newest estimate of the difficulty of the task of iteration `i`; NULL without one. The task's, not the attempt's: otherwise an
/// attempt that gives none would count under another difficulty than its task.
pub(super) const DIFFICULTY: &str =
    "(SELECT e.difficulty FROM iterations e WHERE e.task_id = i.task_id AND e.difficulty IS NOT NULL ORDER BY e.id DESC LIMIT 1)";

/// The last attempt's estimates for the next one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LastEstimate {
    /// How hard it found the task.
    pub difficulty: Option<Difficulty>,
    /// The model it asked for.
    pub next_model: Option<String>,
}

impl Read<'_> {
    /// Attempts, successes and dollars by model and difficulty, over the newest iterations. A task counts with its last estimate.
    pub fn model_records(&self) -> Result<Vec<ModelRecord>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT model, task_difficulty, count(*) AS attempts, sum(outcome = 'done') AS successes,
                 sum(cost_usd) FILTER (WHERE NOT unpriced) AS cost_usd, count(cost_usd) FILTER (WHERE NOT unpriced) AS priced,
                 max(cost_estimated) AS cost_estimated
             FROM (SELECT i.*, {DIFFICULTY} AS task_difficulty FROM iterations i
                 WHERE i.id > (SELECT coalesce(max(id), 0) FROM iterations) - ?1 AND i.attempt IS NOT NULL AND i.ended IS NOT NULL)
             GROUP BY model, task_difficulty ORDER BY model, task_difficulty",
        ))?;
        let read = |r: &Row<'_>| -> Result<ModelRecord> {
            Ok(ModelRecord {
                model: r.get("model")?,
                difficulty: row::word_opt(r, "task_difficulty")?,
                attempts: r.get("attempts")?,
                successes: r.get("successes")?,
                cost_usd: r.get("cost_usd")?,
                priced: r.get("priced")?,
                cost_estimated: r.get("cost_estimated")?,
            })
        };
        statement.query_and_then([RECENT], read)?.collect()
    }

    /// The newest estimate of a task's difficulty, and the hint of its last attempt.
    pub fn last_estimate(&self, task: TaskId) -> Result<LastEstimate> {
        let difficulty = self
            .connection
            .prepare_cached("SELECT difficulty FROM iterations WHERE task_id = ?1 AND difficulty IS NOT NULL ORDER BY id DESC LIMIT 1")?
            .query_row([task], |r| r.get::<_, String>(0))
            .optional()?
            .and_then(|word| word.parse().ok());
        let next_model = self
            .connection
            .prepare_cached("SELECT next_model FROM iterations WHERE task_id = ?1 AND attempt IS NOT NULL AND ended IS NOT NULL ORDER BY id DESC LIMIT 1")?
            .query_row([task], |r| r.get(0))
            .optional()?
            .flatten();
        Ok(LastEstimate { difficulty, next_model })
    }

    /// Attempts and successes among the newest `limit` attempts of the project.
    pub fn recent_successes(&self, limit: u32) -> Result<(u32, u32)> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*), coalesce(sum(outcome = 'done'), 0) FROM (SELECT outcome FROM iterations
             WHERE attempt IS NOT NULL AND ended IS NOT NULL ORDER BY id DESC LIMIT ?1)",
        )?;
        Ok(statement.query_row([limit], |r| Ok((r.get(0)?, r.get(1)?)))?)
    }
}
