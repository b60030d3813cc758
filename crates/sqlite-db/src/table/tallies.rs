//! Outcomes of work: of each run, and since a time. Each is one query over rows.

use super::errands::UNPRICED as ERRAND_UNPRICED;
use super::runs::{UNCOUNTED, UNPRICED};
use crate::connection::Read;
use crate::error::Result;
use crate::row;
use ralph_core::RunId;
use ralph_core::run::{Iteration, Run};
use ralph_core::time::Timestamp;
use ralph_core::view::{FeatureWork, WorkDay, WorkSince};
use rusqlite::functions::FunctionFlags;
use rusqlite::params;
use std::collections::BTreeMap;

/// Ended attempts, by whether the task was done.
const TALLY: &str = "count(*) FILTER (WHERE outcome = 'done') AS done,
    count(*) FILTER (WHERE attempt IS NOT NULL AND ended IS NOT NULL AND outcome <> 'done') AS failed";

/// Everything that was paid for, as rows: iterations, and errands, which are not attempts.
pub(super) fn paid() -> String {
    format!(
        "(SELECT i.task_id, i.attempt, i.outcome, i.ended, i.cost_usd, i.cost_estimated, {UNPRICED} AS unpriced, 0 AS errand
          FROM iterations i JOIN runs r ON r.id = i.run_id
          UNION ALL SELECT e.task_id, NULL, NULL, e.ended, e.cost_usd, e.usage ->> 'cost_estimated', {ERRAND_UNPRICED}, 1 FROM errands e)"
    )
}

/// The cost of such rows, for `row::cost`.
pub(super) const COST: &str = "total(cost_usd) AS cost_usd, total(cost_usd) FILTER (WHERE cost_estimated = 1) AS estimated_usd,
    total(cost_usd) FILTER (WHERE errand) AS errands_usd, count(*) FILTER (WHERE unpriced) AS unpriced";

impl Read<'_> {
    /// Attempts of each run that ended with their task done, and those that failed; runs without any are left out.
    pub fn run_tallies(&self, runs: &[Run]) -> Result<BTreeMap<RunId, (u32, u32)>> {
        let oldest = runs.iter().map(|run| run.id).min().unwrap_or(RunId::MAX);
        let mut statement =
            self.connection.prepare_cached(&format!("SELECT run_id, {TALLY} FROM iterations WHERE run_id >= ?1 GROUP BY run_id"))?;
        let rows = statement.query_map([oldest], |r| Ok((r.get::<_, RunId>(0)?, (r.get(1)?, r.get(2)?))))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Attempts of a run that ended with their task done, and those that failed.
    pub fn run_tally(&self, run: RunId) -> Result<(u32, u32)> {
        let mut statement = self.connection.prepare_cached(&format!("SELECT {TALLY} FROM iterations WHERE run_id = ?1"))?;
        Ok(statement.query_row([run], |r| Ok((r.get(0)?, r.get(1)?)))?)
    }

    /// Iterations of a run before a given one that count towards its limit: not those that met a usage limit or had no network.
    pub fn counted_before(&self, iteration: &Iteration) -> Result<u32> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("SELECT count(*) FROM iterations WHERE run_id = ?1 AND number < ?2 AND outcome NOT IN {UNCOUNTED}"))?;
        Ok(statement.query_row([iteration.run, iteration.number], |r| r.get(0))?)
    }

    /// Totals of iterations and errands by the day they ended, oldest first; those at work cost already, and that is today's. `day_of` a time
    /// is the person's, whose clock may have been ahead of UTC by other hours then than now.
    pub fn work_by_day(&self, day_of: fn(Timestamp) -> String, now: Timestamp) -> Result<Vec<WorkDay>> {
        let plain = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
        self.connection.create_scalar_function("day_of", 1, plain, move |called| Ok(day_of(Timestamp(called.get(0)?))))?;
        let mut statement = self
            .connection
            .prepare(&format!("SELECT day_of(coalesce(ended, ?1)) AS day, {TALLY}, {COST} FROM {} GROUP BY day ORDER BY day", paid()))?;
        let rows = statement.query_map([now.0], |r| {
            Ok(WorkDay { day: r.get("day")?, done: r.get("done")?, failed: r.get("failed")?, cost: row::cost(r)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Totals of iterations and errands by the current feature of their task, highest cost first; last those of errands without a task, so
    /// that they add up.
    pub fn work_by_feature(&self) -> Result<Vec<FeatureWork>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT f.name AS feature, {TALLY}, {COST}
             FROM {} p LEFT JOIN tasks t ON t.id = p.task_id LEFT JOIN features f ON f.id = t.feature_id
             GROUP BY f.id ORDER BY f.id IS NULL, cost_usd DESC, done + failed DESC, f.name",
            paid()
        ))?;
        let rows = statement.query_map([], |r| {
            Ok(FeatureWork { feature: r.get("feature")?, done: r.get("done")?, failed: r.get("failed")?, cost: row::cost(r)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Totals of the iterations and errands that ended since a time.
    pub fn work_since(&self, since: Timestamp) -> Result<WorkSince> {
        let mut statement = self.connection.prepare_cached(&format!(
            "WITH tasks_since AS (
                 SELECT task_id, max(outcome = 'done') AS done, max(attempt IS NOT NULL AND outcome <> 'done') AS failed
                 FROM iterations WHERE ended > ?1 GROUP BY task_id
             )
             SELECT (SELECT count(*) FROM tasks_since s JOIN tasks t ON t.id = s.task_id WHERE s.done AND t.status = 'done'),
                    (SELECT count(*) FROM tasks_since WHERE failed AND NOT done), {COST} FROM {} WHERE ended > ?1",
            paid()
        ))?;
        Ok(statement.query_row([since.0], |r| Ok(WorkSince { done: r.get(0)?, failed: r.get(1)?, cost: row::cost(r)? }))?)
    }

    /// New active learnings since a time, and learnings that were put away since and still are.
    pub fn learnt_since(&self, since: Timestamp) -> Result<(u32, u32)> {
        let mut statement = self.connection.prepare_cached(
            "SELECT (SELECT count(*) FROM memories WHERE kind = 'learning' AND created > ?1 AND state = 'active'),
                    (SELECT count(*) FROM memories WHERE kind = 'learning' AND state IN ('retired', 'superseded', 'pruned', 'consolidated')
                     AND id IN (SELECT json_extract(line, '$.learning') FROM events
                         WHERE id >= ?2 AND json_valid(line)
                             AND json_extract(line, '$.event') IN ('retired', 'superseded', 'pruned', 'consolidated')))",
        )?;
        Ok(statement.query_row(params![since.0, first_id(since)], |r| Ok((r.get(0)?, r.get(1)?)))?)
    }
}

/// The smallest possible id of an event at that time: ids begin with their milliseconds, in Crockford's base 32.
fn first_id(at: Timestamp) -> String {
    const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let millis = u64::try_from(at.0).unwrap_or(0);
    (0..10).rev().map(|place| char::from(DIGITS[usize::try_from(millis >> (place * 5) & 31).unwrap_or(0)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::iteration_rows::Among;
    use crate::{Db, DbError};
    use ralph_core::cost::Cost;
    use ralph_core::view::IterationFilter;

    fn history() -> (tempfile::TempDir, Db) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let db = Db::open(&folder.path().join("ralph.db")).expect("opens");
        let rows = "INSERT INTO features (name, display_name, created, updated) VALUES ('pay', 'Pay', 1, 1);
                 INSERT INTO tasks (id, feature_id, title, status, provenance, position, created, updated) VALUES
                     (1, 1, 'a', 'done', 'human', 1, 1, 1), (2, 1, 'b', 'pending', 'human', 2, 1, 1), (3, 1, 'c', 'in_progress', 'human', 3, 1, 1);
                 INSERT INTO runs (id, checkout, agent, model, state, owner_pid, heartbeat, started, ended) VALUES
                     (1, '/a', 'claude', '', 'ended', 1, 1, 1, 2), (2, '/a', 'claude', '', 'ended', 1, 1, 1, 2);
                 INSERT INTO iterations (id, run_id, number, task_id, task_title, attempt, model, outcome, started, ended, cost_usd, cost_estimated,
                     input_tokens) VALUES
                     (1, 1, 1, 1, 'a', 1, 'haiku', 'failed', 1, 10, 0.5, 0, 9), (2, 1, 2, 1, 'a', 2, 'haiku', 'done', 10, 20, 0.25, 1, 9),
                     (3, 1, 3, 2, 'b', 1, 'haiku', 'error', 20, 30, NULL, 0, 9),
                     (4, 1, 4, 2, 'b', NULL, 'haiku', 'rate_limited', 30, 40, NULL, 0, 0),
                     (5, 1, 5, 3, 'c', 1, 'haiku', 'running', 40, NULL, 1.0, 0, 9);
                 INSERT INTO errands (id, kind, state, task_id, run_id, title, agent, model, folder, max_minutes, usage, cost_usd, owner,
                     heartbeat, started, ended) VALUES
                     (1, 'review', 'done', 1, 1, '', 'claude', '', '', 9, '{}', 2.0, '{}', 1, 1, 30),
                     (2, 'extract', 'stopped', NULL, NULL, '', 'codex', '', '', 9, '{}', NULL, '{}', 1, 1, 30);";
        let filled = db.writer().expect("a turn").transaction(|tx| Ok::<_, DbError>(tx.connection.execute_batch(rows)?));
        filled.expect("fills it");
        (folder, db)
    }

    #[test]
    fn a_run_counts_attempts_that_ended_and_neither_limits_nor_what_still_goes_on() {
        let (_folder, db) = history();
        let tallies = db.read(|r| r.run_tallies(&r.runs(10)?)).expect("reads");
        assert_eq!(tallies, BTreeMap::from([(1, (1, 2))]));
        let run = db.read(|r| r.run(1)).expect("reads").expect("exists");
        assert_eq!((run.iterations, run.uncounted), (5, 1));
        assert_eq!(run.iterations_in_words(), "5 iterations (1 met a usage limit or had no network)");
    }

    #[test]
    fn the_errands_that_a_run_caused_are_its_own_money() {
        let (_folder, db) = history();
        let (run, settled) = db.read(|r| Ok::<_, DbError>((r.run(1)?.expect("exists"), r.settled_usd(1)?))).expect("reads");
        assert_eq!((run.cost, settled), (Cost { cost_usd: 3.75, estimated_usd: 0.25, errands_usd: 2.0, unpriced: 1 }, 2.75));
        let totals = db.read(|r| r.totals()).expect("reads");
        assert_eq!((totals.cost, totals.done_tasks), (Cost { cost_usd: 3.75, estimated_usd: 0.25, errands_usd: 2.0, unpriced: 2 }, 1));
        assert_eq!((totals.attempts.successes, totals.attempts.trials), (1, 3), "no errand is an attempt");
        // Work in a worktree that waits for its merge, or was thrown away.
        for status in ["in_review", "skipped"] {
            let statement = format!("UPDATE tasks SET status = '{status}' WHERE id = 1");
            db.writer().expect("a turn").transaction(|tx| Ok::<_, DbError>(tx.connection.execute_batch(&statement)?)).expect("writes");
            let totals = db.read(|r| r.totals()).expect("reads");
            assert_eq!((totals.done_tasks, totals.attempts.successes), (0, 1), "{status}");
        }
    }

    #[test]
    fn a_cost_that_is_known_in_part_is_told_as_such_and_is_nobody_s_average() {
        let (_folder, db) = history();
        let sonnet = "UPDATE iterations SET model = 'sonnet', unpriced = id = 1 WHERE id IN (1, 2)";
        db.writer().expect("a turn").transaction(|tx| Ok::<_, DbError>(tx.connection.execute_batch(sonnet)?)).expect("writes");
        let run = db.read(|r| r.run(1)).expect("reads").expect("exists");
        assert_eq!((run.cost.cost_usd, run.cost.unpriced), (3.75, 2));
        let page = |since| {
            let filter = IterationFilter { since: Some(Timestamp(since)), ..IterationFilter::default() };
            db.read(|r| r.iteration_page(&filter, &Among::default(), None, 9)).expect("reads")
        };
        assert_eq!(page(0).sums.cost.unpriced, 2);
        // Task 2 was tried once, at a cost that nobody knows.
        let tried = db.read(|r| Ok::<_, DbError>([r.attempts(2, 9)?, r.no_attempts(2, 9)?].concat())).expect("reads");
        assert_eq!(
            tried.iter().map(|it| (it.iteration, it.cost_usd, it.unpriced)).collect::<Vec<_>>(),
            [(3, None, true), (4, None, false)]
        );
        assert!(page(0).rows.iter().all(|row| row.iteration.usage.unpriced == (row.iteration.id == 1)));
        // An agent that could not start has used nothing; of one that was killed nobody knows.
        for (exit, unpriced) in [("2", 0), ("NULL", 1)] {
            let statement = format!(
                "UPDATE runs SET agent = 'codex'; DELETE FROM iterations WHERE id <> 4;
                 UPDATE iterations SET outcome = 'interrupted', exit_code = {exit}"
            );
            db.writer().expect("a turn").transaction(|tx| Ok::<_, DbError>(tx.connection.execute_batch(&statement)?)).expect("writes");
            assert_eq!(db.read(|r| r.run(1)).expect("reads").expect("exists").cost.unpriced, unpriced, "{exit}");
        }
    }

    #[test]
    fn models_are_compared_by_costs_that_are_known_whole() {
        let (_folder, db) = history();
        let sonnet = "UPDATE iterations SET model = 'sonnet', unpriced = id = 1 WHERE id IN (1, 2)";
        db.writer().expect("a turn").transaction(|tx| Ok::<_, DbError>(tx.connection.execute_batch(sonnet)?)).expect("writes");
        let records = db.read(|r| r.model_records()).expect("reads");
        let record = records.iter().find(|record| record.model == "sonnet").expect("has attempts");
        assert_eq!((record.attempts, record.priced, record.cost_usd), (2, 1, Some(0.25)));
    }

    #[test]
    fn a_task_that_failed_and_was_done_since_counts_as_done_alone() {
        let (_folder, db) = history();
        let since = |at| db.read(|r| r.work_since(Timestamp(at))).expect("reads");
        assert_eq!(
            since(0),
            WorkSince { done: 1, failed: 1, cost: Cost { cost_usd: 2.75, estimated_usd: 0.25, errands_usd: 2.0, unpriced: 2 } }
        );
        assert_eq!(
            since(20),
            WorkSince { done: 0, failed: 1, cost: Cost { cost_usd: 2.0, errands_usd: 2.0, unpriced: 2, ..Cost::default() } },
            "an errand costs, too"
        );
        assert_eq!(since(40), WorkSince::default());
        // The rows that these figures lead to.
        let rows = |filter: IterationFilter| {
            let page =
                db.read(|r| r.iteration_page(&IterationFilter { attempts: true, ..filter }, &Among::default(), None, 9)).expect("reads");
            (page.rows.iter().map(|row| row.iteration.id).collect::<Vec<_>>(), page.sums.tasks)
        };
        for (at, done, failed) in [(0, (vec![2], 1), (vec![3], 1)), (20, (vec![], 0), (vec![3], 1))] {
            let since = Some(Timestamp(at));
            assert_eq!(rows(IterationFilter { since, done: Some(true), task_done: true, ..IterationFilter::default() }), done);
            assert_eq!(rows(IterationFilter { since, done: Some(false), undone: true, ..IterationFilter::default() }), failed);
        }
        // Work in a worktree that waits for its merge, was sent back, or was thrown away.
        for status in ["in_review", "pending", "skipped"] {
            let statement = format!("UPDATE tasks SET status = '{status}' WHERE id = 1");
            db.writer().expect("a turn").transaction(|tx| Ok::<_, DbError>(tx.connection.execute_batch(&statement)?)).expect("writes");
            let work = db.read(|r| r.work_since(Timestamp(0))).expect("reads");
            let listed = rows(IterationFilter { done: Some(true), task_done: true, ..IterationFilter::default() });
            assert_eq!((work.done, work.failed, listed), (0, 1, (vec![], 0)), "{status}");
        }
    }

    #[test]
    fn work_is_told_by_the_day_of_the_person_s_clock_and_by_feature() {
        let (_folder, db) = history();
        let by_day = |day_of: fn(Timestamp) -> String| db.read(|r| r.work_by_day(day_of, Timestamp(50))).expect("reads");
        let days = by_day(|_| "1970-01-01".into());
        let (features, totals) = db.read(|r| Ok::<_, DbError>((r.work_by_feature()?, r.totals()?))).expect("reads");
        let cost = Cost { cost_usd: 3.75, estimated_usd: 0.25, errands_usd: 2.0, unpriced: 2 };
        assert_eq!(totals.cost, cost, "with what is at work");
        assert_eq!(days, [WorkDay { day: "1970-01-01".into(), done: 1, failed: 2, cost }]);
        // Each by the clock of its own time: one hour is put back between them.
        let days = by_day(|at| if at.0 < 25 { "1969-12-31".to_owned() } else { "1970-01-01".to_owned() });
        assert_eq!(days.iter().map(|day| (&*day.day, day.done + day.failed)).collect::<Vec<_>>(), [("1969-12-31", 2), ("1970-01-01", 1)]);
        let today = by_day(|at| if at.0 < 45 { "1969-12-31".to_owned() } else { "1970-01-01".to_owned() }).remove(1);
        assert_eq!((today.done, today.failed, today.cost.cost_usd), (0, 0, 1.0), "what is at work costs today");
        let of_none = FeatureWork { feature: None, done: 0, failed: 0, cost: Cost { unpriced: 1, ..Cost::default() } };
        let of_pay = FeatureWork { feature: Some("pay".into()), done: 1, failed: 2, cost: Cost { unpriced: 1, ..cost } };
        assert_eq!(features, [of_pay, of_none], "an errand without a task costs, too");
    }

    #[test]
    fn what_was_put_away_in_whatever_way_and_still_is_is_told() {
        let (_folder, db) = history();
        let lines = ["retired", "superseded", "pruned", "consolidated", "restored"].map(|event| {
            format!("INSERT INTO events (id, feature, line, flushed) VALUES ('01ARYZ6S41{event}', 'pay', '{{\"event\":\"{event}\",\"learning\":\"{event}\"}}', 1);")
        });
        let memories = [("retired", "retired"), ("superseded", "superseded"), ("pruned", "pruned"), ("consolidated", "consolidated"), ("back", "active"), ("parked", "parked")]
            .map(|(id, state)| format!("INSERT INTO memories (id, kind, feature_id, text, source, created, state) VALUES ('{id}', 'learning', 1, 't', 'agent', 1, '{state}');"));
        let back = "INSERT INTO events (id, feature, line, flushed) VALUES
            ('01ARYZ6S42', 'pay', '{\"event\":\"retired\",\"learning\":\"back\"}', 1);";
        let unreadable = "INSERT INTO events (id, feature, line, flushed) VALUES ('01ARYZ6S43', 'pay', '{\"event\":', 1);";
        let rows = [lines.concat(), memories.concat(), back.to_owned(), unreadable.to_owned()].concat();
        let filled = db.writer().expect("a turn").transaction(|tx| Ok::<_, DbError>(tx.connection.execute_batch(&rows)?));
        filled.expect("fills it");
        assert_eq!(db.read(|r| r.learnt_since(Timestamp(0))).expect("reads").0, 1, "what waits for room is not learnt yet");
        let put_away = |at| db.read(|r| r.learnt_since(Timestamp(at))).expect("reads").1;
        assert_eq!((put_away(1_469_918_176_385), put_away(1_469_918_176_387)), (4, 0), "what came back is not away");
    }

    #[test]
    fn ids_of_a_time_begin_with_it() {
        assert_eq!(first_id(Timestamp(0)), "0000000000");
        assert_eq!(first_id(Timestamp(1_469_918_176_385)), "01ARYZ6S41");
    }
}
