//! `failure_reports`: why attempts failed, by iteration.

use super::runs::UNPRICED;
use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::run::attempt::{Attempt, FailureRecord};
use ralph_core::run::hooks::RECORD_OUTCOME;
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, TaskId};
use rusqlite::{Row, params};
use std::collections::BTreeMap;

/// Attempts at one task with their reports.
const ATTEMPTS: [&str; 3] = [
    "i.attempt, (SELECT h.note FROM hook_notes h WHERE h.iteration_id = i.id AND h.hook = ?3) AS note, f.what_was_tried, f.why_it_failed,
     f.error_category, f.relevant_files, f.stack_trace_snippet, f.retry_suggestion, f.signature, f.generated",
    "LEFT JOIN failure_reports f ON f.iteration_id = i.id",
    "i.attempt IS NOT NULL",
];

/// What replaces the words of a report that was thinned out: the schema refuses an empty text there.
const THINNED: &str = " ";

/// The report in a row joined with this table; `None` if there is none, or none of its words are left.
pub(super) fn read_failure(r: &Row<'_>) -> Result<Option<FailureRecord>> {
    let what_was_tried: Option<String> = r.get("what_was_tried")?;
    let Some(what_was_tried) = what_was_tried.filter(|words| words != THINNED) else { return Ok(None) };
    Ok(Some(FailureRecord {
        what_was_tried,
        why_it_failed: r.get("why_it_failed")?,
        category: row::word(r, "error_category")?,
        relevant_files: row::json(r, "relevant_files")?,
        stack_trace: r.get("stack_trace_snippet")?,
        retry_suggestion: r.get("retry_suggestion")?,
        signature: r.get("signature")?,
        generated: r.get("generated")?,
    }))
}

/// Ended iterations on a task that were not attempts at it. One that was settled without its hooks has only its own note.
const NO_ATTEMPTS: [&str; 3] = [
    "0 AS attempt, coalesce((SELECT h.note FROM hook_notes h WHERE h.iteration_id = i.id AND h.hook = ?3), i.note) AS note,
     NULL AS what_was_tried",
    "",
    "i.attempt IS NULL",
];

/// Ended iterations on one task, newest first, by the index on the task.
fn ended([columns, joined, which]: [&str; 3]) -> String {
    format!(
        "SELECT i.id, i.model, i.outcome, i.started, i.ended, i.cost_usd, {UNPRICED} AS unpriced, {columns}
         FROM iterations i JOIN runs r ON r.id = i.run_id {joined}
         WHERE i.task_id = ?1 AND {which} AND i.ended IS NOT NULL ORDER BY i.id DESC LIMIT ?2"
    )
}

fn read_attempt(r: &Row<'_>) -> Result<Attempt> {
    let ended: Option<i64> = r.get("ended")?;
    Ok(Attempt {
        number: r.get("attempt")?,
        iteration: r.get("id")?,
        model: r.get("model")?,
        outcome: row::word(r, "outcome")?,
        at: Timestamp(ended.unwrap_or(r.get("started")?)),
        cost_usd: r.get("cost_usd")?,
        unpriced: r.get("unpriced")?,
        failure: read_failure(r)?,
        note: r.get("note")?,
    })
}

impl Read<'_> {
    /// Attempts at a task, newest first.
    pub fn attempts(&self, task: TaskId, limit: u32) -> Result<Vec<Attempt>> {
        let mut statement = self.connection.prepare_cached(&ended(ATTEMPTS))?;
        statement.query_and_then(params![task, limit, RECORD_OUTCOME], read_attempt)?.collect()
    }

    /// Ended iterations on a task that were not attempts, newest first, with 0 as their number: their note says why, in the provider's
    /// words if it was the provider.
    pub fn no_attempts(&self, task: TaskId, limit: u32) -> Result<Vec<Attempt>> {
        let mut statement = self.connection.prepare_cached(&ended(NO_ATTEMPTS))?;
        statement.query_and_then(params![task, limit, RECORD_OUTCOME], read_attempt)?.collect()
    }
}

impl Tx<'_> {
    /// Stores why an iteration failed; once per iteration.
    pub fn insert_failure(&self, iteration: IterationId, task: TaskId, attempt: u32, failure: &FailureRecord, at: Timestamp) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO failure_reports (iteration_id, task_id, attempt_number, what_was_tried, why_it_failed, error_category,
                     relevant_files, stack_trace_snippet, retry_suggestion, signature, generated, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .execute(params![
                iteration,
                task,
                attempt,
                failure.what_was_tried,
                failure.why_it_failed,
                failure.category.as_str(),
                row::to_json(&failure.relevant_files),
                failure.stack_trace,
                failure.retry_suggestion,
                failure.signature,
                failure.generated,
                at.0
            ])?;
        Ok(())
    }

    /// Deletes the words on failed attempts at done tasks that ended before `before`; returns the tasks, and how many attempts at each.
    /// Category and signature stay, as outcome, model and cost do with the iteration: they are counted.
    pub fn thin_failures(&self, before: Timestamp) -> Result<BTreeMap<TaskId, u32>> {
        let mut statement = self.connection.prepare_cached(
            "UPDATE failure_reports SET what_was_tried = ?2, why_it_failed = ?2, relevant_files = '[]', stack_trace_snippet = NULL,
                 retry_suggestion = NULL
             WHERE created_at < ?1 AND what_was_tried <> ?2 AND task_id IN (SELECT id FROM tasks WHERE status = 'done')
             RETURNING task_id, iteration_id",
        )?;
        let mut forget = self.connection.prepare_cached("DELETE FROM passages WHERE kind = 'failure_report' AND source = ?1")?;
        let mut thinned = BTreeMap::new();
        let rows = statement.query_map(params![before.0, THINNED], |r| Ok((r.get(0)?, r.get(1)?)))?;
        for (task, iteration) in rows.collect::<rusqlite::Result<Vec<(TaskId, IterationId)>>>()? {
            forget.execute([iteration])?;
            *thinned.entry(task).or_default() += 1;
        }
        Ok(thinned)
    }
}
