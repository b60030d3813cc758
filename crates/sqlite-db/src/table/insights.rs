//! Statistics of the project's history. Each is one query over rows; the interpretation (intervals, comparisons) is pure and elsewhere.

use super::tallies::{COST, paid};
use crate::connection::Read;
use crate::error::Result;
use crate::row;
use ralph_core::LearningId;
use ralph_core::cost::Cost;
use ralph_core::evaluation::ToldAttempt;
use ralph_core::recall::{ToldMemory, learnings_of};
use ralph_core::run::attempt::ErrorCategory;
use ralph_core::stats::Proportion;
use ralph_core::view::ReturningFailure;

/// Totals over all iterations and errands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// Ended attempts, and those that completed their task.
    pub attempts: Proportion,
    /// What all of them cost.
    pub cost: Cost,
    /// Tasks that runs worked on and that are done now: work in a worktree is done once its base contains it.
    pub done_tasks: u32,
}

/// One attempt of a run with a hold-out.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutAttempt {
    /// Percent of attempts that its run holds out.
    pub hold_out: u32,
    /// Whether it was held out from learnings.
    pub held_out: bool,
    /// Whether it completed its task.
    pub done: bool,
    /// Dollars, if known.
    pub cost_usd: Option<f64>,
    /// Learnings that were included, or withheld.
    pub learnings: Vec<LearningId>,
}

/// Newest attempts of runs with a hold-out that are evaluated.
pub(super) const HELD_OUT_ATTEMPTS: u32 = 5_000;
/// Which iterations `i` of runs `r` are compared: attempts for which there were learnings.
pub(super) const COMPARED: &str =
    "r.hold_out > 0 AND i.attempt IS NOT NULL AND i.ended IS NOT NULL AND (i.told <> '[]' OR i.withheld <> '[]')";

impl Read<'_> {
    /// Totals over all iterations and errands.
    pub fn totals(&self) -> Result<Totals> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT count(*) FILTER (WHERE attempt IS NOT NULL AND ended IS NOT NULL), count(*) FILTER (WHERE outcome = 'done'),
                    {COST}, count(DISTINCT CASE WHEN outcome = 'done' THEN t.id END) AS done_tasks
             FROM {} p LEFT JOIN tasks t ON t.id = p.task_id AND t.status = 'done'",
            paid()
        ))?;
        Ok(statement.query_row([], |r| {
            Ok(Totals {
                attempts: Proportion { trials: r.get(0)?, successes: r.get(1)? },
                cost: row::cost(r)?,
                done_tasks: r.get("done_tasks")?,
            })
        })?)
    }

    /// Failed attempts with a report, and how many of them repeat an earlier failure of the same task. Those without a signature repeat
    /// nothing.
    pub fn failure_counts(&self) -> Result<(u32, u32)> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*), count(nullif(signature, '')) - count(DISTINCT task_id || ' ' || nullif(signature, '')) FROM failure_reports",
        )?;
        Ok(statement.query_row([], |r| Ok((r.get(0)?, r.get(1)?)))?)
    }

    /// Failed attempts by category, most frequent first.
    pub fn failure_categories(&self) -> Result<Vec<(ErrorCategory, u32)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT error_category, count(*) AS count FROM failure_reports GROUP BY error_category ORDER BY count DESC, error_category",
        )?;
        statement.query_and_then([], |r| Ok((row::word(r, "error_category")?, r.get("count")?)))?.collect()
    }

    /// Failures that occurred more than once, most frequent first.
    pub fn returning_failures(&self, limit: u32) -> Result<Vec<ReturningFailure>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT signature, count(*) AS count, count(DISTINCT task_id) AS tasks FROM failure_reports
             WHERE signature <> '' GROUP BY signature HAVING count(*) > 1 ORDER BY count(*) DESC, signature LIMIT ?1",
        )?;
        let rows = statement.query_map([limit], |r| {
            Ok(ReturningFailure { signature: r.get("signature")?, count: r.get("count")?, tasks: r.get("tasks")? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Attempts of runs with a hold-out for which there were learnings, newest first.
    pub fn held_out_attempts(&self) -> Result<Vec<HeldOutAttempt>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT r.hold_out, i.held_out, i.outcome = 'done' AS done, CASE WHEN NOT i.unpriced THEN i.cost_usd END AS cost_usd,
                 CASE WHEN i.held_out THEN i.withheld ELSE i.told END AS learnings
             FROM iterations i JOIN runs r ON r.id = i.run_id WHERE {COMPARED} ORDER BY i.id DESC LIMIT {HELD_OUT_ATTEMPTS}",
        ))?;
        statement
            .query_and_then([], |r| {
                Ok(HeldOutAttempt {
                    hold_out: r.get("hold_out")?,
                    held_out: r.get("held_out")?,
                    done: r.get("done")?,
                    cost_usd: r.get("cost_usd")?,
                    learnings: learnings_of(&row::json::<Vec<ToldMemory>>(r, "learnings")?),
                })
            })?
            .collect()
    }

    /// Attempts for which there were learnings, newest first, including runs without a hold-out; each with its failure, if known.
    pub fn told_attempts(&self) -> Result<Vec<ToldAttempt>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT i.id, i.held_out, r.hold_out, i.outcome = 'done' AS done,
                 CASE WHEN trim(f.why_it_failed) <> '' THEN f.why_it_failed || ' ' || f.relevant_files END AS failure,
                 CASE WHEN i.held_out THEN i.withheld ELSE i.told END AS learnings
             FROM iterations i JOIN runs r ON r.id = i.run_id LEFT JOIN failure_reports f ON f.iteration_id = i.id
             WHERE i.attempt IS NOT NULL AND i.ended IS NOT NULL AND (i.told <> '[]' OR i.withheld <> '[]')
             ORDER BY i.id DESC LIMIT {HELD_OUT_ATTEMPTS}",
        ))?;
        statement
            .query_and_then([], |r| {
                Ok(ToldAttempt {
                    iteration: r.get("id")?,
                    held_out: r.get("held_out")?,
                    hold_out: r.get("hold_out")?,
                    done: r.get("done")?,
                    failure: r.get("failure")?,
                    learnings: learnings_of(&row::json::<Vec<ToldMemory>>(r, "learnings")?),
                })
            })?
            .collect()
    }
}
