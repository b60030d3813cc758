//! Figures over the project's history. Each is one query over rows; the interpretation (intervals, comparisons) is pure and elsewhere.

use crate::connection::Read;
use crate::error::Result;
use crate::row;
use ralph_core::LearningId;
use ralph_core::run::attempt::ErrorCategory;
use ralph_core::stats::Proportion;

/// Totals over all iterations.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// Attempts that ended, and those that ended with the task done.
    pub attempts: Proportion,
    /// Dollars over all iterations.
    pub cost_usd: f64,
    /// Whether some of it is estimated.
    pub cost_estimated: bool,
    /// Tasks that a run finished.
    pub done_tasks: u32,
}

/// One attempt of a run with a hold-out.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutAttempt {
    /// Whether it was told no learnings.
    pub held_out: bool,
    /// Whether it ended with the task done.
    pub done: bool,
    /// Dollars, if known.
    pub cost_usd: Option<f64>,
    /// Learnings that were told, or withheld.
    pub learnings: Vec<LearningId>,
}

/// Attempts of runs with a hold-out that are looked at: the newest ones.
const HELD_OUT_ATTEMPTS: u32 = 5_000;

impl Read<'_> {
    /// Totals over all iterations.
    pub fn totals(&self) -> Result<Totals> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*) FILTER (WHERE attempt IS NOT NULL AND ended IS NOT NULL), count(*) FILTER (WHERE outcome = 'done'),
                    coalesce(total(cost_usd), 0.0), coalesce(max(cost_estimated), 0),
                    count(DISTINCT CASE WHEN outcome = 'done' THEN task_id END) FROM iterations",
        )?;
        Ok(statement.query_row([], |r| {
            Ok(Totals {
                attempts: Proportion { trials: r.get(0)?, successes: r.get(1)? },
                cost_usd: r.get(2)?,
                cost_estimated: r.get(3)?,
                done_tasks: r.get(4)?,
            })
        })?)
    }

    /// Failed attempts with a report, and how many of them repeat an earlier failure of the same task.
    pub fn failure_counts(&self) -> Result<(u32, u32)> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT count(*), count(*) - count(DISTINCT task_id || ' ' || signature) FROM failure_reports")?;
        Ok(statement.query_row([], |r| Ok((r.get(0)?, r.get(1)?)))?)
    }

    /// Failed attempts by kind, most frequent first.
    pub fn failure_categories(&self) -> Result<Vec<(ErrorCategory, u32)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT error_category, count(*) AS count FROM failure_reports GROUP BY error_category ORDER BY count DESC, error_category",
        )?;
        statement.query_and_then([], |r| Ok((row::word(r, "error_category")?, r.get("count")?)))?.collect()
    }

    /// Attempts of runs that hold some out and that had learnings to tell, newest first.
    pub fn held_out_attempts(&self) -> Result<Vec<HeldOutAttempt>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT i.held_out, i.outcome = 'done' AS done, i.cost_usd, CASE WHEN i.held_out THEN i.withheld ELSE i.told END AS learnings
             FROM iterations i JOIN runs r ON r.id = i.run_id
             WHERE r.hold_out > 0 AND i.attempt IS NOT NULL AND i.ended IS NOT NULL AND (i.told <> '[]' OR i.withheld <> '[]')
             ORDER BY i.id DESC LIMIT ?1",
        )?;
        statement
            .query_and_then([HELD_OUT_ATTEMPTS], |r| {
                Ok(HeldOutAttempt {
                    held_out: r.get("held_out")?,
                    done: r.get("done")?,
                    cost_usd: r.get("cost_usd")?,
                    learnings: row::json(r, "learnings")?,
                })
            })?
            .collect()
    }
}
