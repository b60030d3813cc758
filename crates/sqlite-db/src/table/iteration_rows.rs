//! The iterations behind a figure: a filter compiled into one query, and the totals over all matches.

use super::insights::{COMPARED, HELD_OUT_ATTEMPTS};
use super::runs::UNPRICED;
use super::strategy::{DIFFICULTY, RECENT};
use super::{failure_reports, iterations};
use crate::connection::Read;
use crate::error::Result;
use crate::row;
use ralph_core::IterationId;
use ralph_core::time::Timestamp;
use ralph_core::view::{IterationFilter, IterationPage, IterationRow, IterationSums, MemorySide};
use rusqlite::types::Value;

const FROM: &str = "FROM iterations i JOIN runs r ON r.id = i.run_id LEFT JOIN failure_reports f ON f.iteration_id = i.id";
const LEARNINGS: &str = "CASE WHEN i.held_out THEN i.withheld ELSE i.told END";

/// The parts of a filter that its caller works out; the default excludes nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Among<'a> {
    /// Only those that the effect of the filter's learning counts.
    pub iterations: Option<&'a [IterationId]>,
    /// Only those that ended from the first time on and before the second: the filter's day.
    pub ended: Option<(Timestamp, Timestamp)>,
    /// Also those at work: that day is today.
    pub at_work: bool,
}

/// Conditions on rows, with the values in the order of their placeholders.
struct Conditions {
    sql: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    /// Only conditions that the filter uses become SQL, so that an index can serve them.
    fn of(filter: &IterationFilter, among: &Among<'_>) -> Conditions {
        let mut all = Conditions { sql: vec!["1".to_owned()], values: Vec::new() };
        all.with("i.model = ?", filter.model.clone());
        all.with(&format!("{DIFFICULTY} = ?"), filter.difficulty.map(|d| d.to_string()));
        all.when(&format!("{DIFFICULTY} IS NULL"), filter.difficulty_unknown);
        all.with("f.error_category = ?", filter.category.map(|c| c.to_string()));
        all.with("f.signature = ?", filter.signature.clone());
        all.when(
            "EXISTS (SELECT 1 FROM failure_reports e WHERE e.task_id = f.task_id AND e.iteration_id < f.iteration_id
                 AND e.signature = f.signature AND f.signature <> '')",
            filter.repeated,
        );
        all.with("r.strategy = ?", filter.strategy.map(|s| s.to_string()));
        if let Some(side) = filter.memory {
            // The attempts that are compared, no older ones.
            let oldest = format!("SELECT i.id FROM iterations i JOIN runs r ON r.id = i.run_id WHERE {COMPARED} ORDER BY i.id DESC");
            let oldest = format!("(SELECT min(id) FROM ({oldest} LIMIT {HELD_OUT_ATTEMPTS}))");
            all.when(&format!("i.id >= {oldest} AND {COMPARED}"), true);
            all.with("i.held_out = ?", Some(i64::from(side == MemorySide::Withheld)));
        }
        all.with(&format!("EXISTS (SELECT 1 FROM json_each({LEARNINGS}) WHERE value ->> 'id' = ?)"), filter.learning.clone());
        all.when("i.attempt IS NOT NULL AND i.ended IS NOT NULL", filter.attempts);
        all.with("(i.outcome = 'done') = ?", filter.done.map(i64::from));
        all.when("i.task_id IN (SELECT id FROM tasks WHERE status = 'done')", filter.task_done);
        all.when("i.cost_estimated = 1", filter.estimated);
        let since = filter.since.map(|since| since.0);
        all.with("i.ended > ?", since);
        all.with(
            "NOT EXISTS (SELECT 1 FROM iterations d WHERE d.task_id = i.task_id AND d.outcome = 'done' AND d.ended > ?)",
            filter.undone.then(|| since.unwrap_or(0)),
        );
        all.with("i.id IN (SELECT value FROM json_each(?))", among.iterations.map(|ids| row::to_json(&ids)));
        let or_at_work = if among.at_work { " OR i.ended IS NULL" } else { "" };
        all.with(&format!("(i.ended >= ?{or_at_work})"), among.ended.map(|(from, _)| from.0));
        all.with(&format!("(i.ended < ?{or_at_work})"), among.ended.map(|(_, until)| until.0));
        all.with("i.task_id IN (SELECT t.id FROM tasks t JOIN features n ON n.id = t.feature_id WHERE n.name = ?)", filter.feature.clone());
        all.when(&format!("i.id > (SELECT coalesce(max(id), 0) FROM iterations) - {RECENT}"), filter.recent);
        all
    }

    fn when(&mut self, sql: &str, wanted: bool) {
        if wanted {
            self.sql.push(sql.to_owned());
        }
    }

    fn with(&mut self, sql: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.sql.push(sql.to_owned());
            self.values.push(value.into());
        }
    }

    fn select(&self, columns: &str) -> String {
        format!("SELECT {columns} {FROM} WHERE {}", self.sql.join(" AND "))
    }
}

impl Read<'_> {
    /// At most `limit` iterations that match the filter, newest first: those before `before`, or the newest. What the filter says about
    /// effects and days is worked out by the caller, as `among`.
    pub fn iteration_page(
        &self,
        filter: &IterationFilter,
        among: &Among<'_>,
        before: Option<IterationId>,
        limit: u32,
    ) -> Result<IterationPage> {
        // One more than requested shows whether there is a next page.
        let mut rows = self.iteration_rows(filter, among, before, limit.saturating_add(1))?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = rows.last().filter(|_| more).map(|row| row.iteration.id);
        Ok(IterationPage { rows, next, sums: self.iteration_sums(filter, among)? })
    }

    fn iteration_rows(
        &self,
        filter: &IterationFilter,
        among: &Among<'_>,
        before: Option<IterationId>,
        limit: u32,
    ) -> Result<Vec<IterationRow>> {
        let mut conditions = Conditions::of(filter, among);
        conditions.with("i.id < ?", before);
        let columns = "i.*, r.strategy, f.what_was_tried, f.why_it_failed, f.error_category, f.relevant_files, f.stack_trace_snippet,
            f.retry_suggestion, f.signature, f.generated";
        let sql = format!("{} ORDER BY i.id DESC LIMIT {limit}", conditions.select(columns));
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_and_then(rusqlite::params_from_iter(conditions.values), |r| {
            Ok(IterationRow {
                iteration: iterations::read_row(r)?,
                strategy: row::word(r, "strategy")?,
                failure: failure_reports::read_failure(r)?,
            })
        })?;
        rows.collect()
    }

    /// Totals over all iterations that match the filter.
    fn iteration_sums(&self, filter: &IterationFilter, among: &Among<'_>) -> Result<IterationSums> {
        let conditions = Conditions::of(filter, among);
        let sql = conditions.select(&format!(
            "count(*), count(*) FILTER (WHERE i.outcome = 'done'), count(DISTINCT i.task_id), total(i.cost_usd) AS cost_usd,
             total(i.cost_usd) FILTER (WHERE i.cost_estimated = 1) AS estimated_usd, 0.0 AS errands_usd,
             count(*) FILTER (WHERE {UNPRICED}) AS unpriced",
        ));
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row(rusqlite::params_from_iter(conditions.values), |r| {
            Ok(IterationSums { iterations: r.get(0)?, done: r.get(1)?, tasks: r.get(2)?, cost: row::cost(r)? })
        })?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Db, DbError};
    use ralph_core::cost::Cost;
    use ralph_core::run::attempt::ErrorCategory;
    use ralph_core::sigil::Difficulty;
    use ralph_core::strategy::{ModelRecord, Strategy};
    use std::collections::BTreeMap;

    /// Two runs, the second with a hold-out; task 1 fails twice in the same way and is then done, task 2 is done at once.
    fn history() -> (tempfile::TempDir, Db) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let db = Db::open(&folder.path().join("ralph.db")).expect("opens");
        let rows = "INSERT INTO features (name, display_name, created, updated) VALUES ('pay', 'Pay', 1, 1);
                 INSERT INTO tasks (id, feature_id, title, provenance, position, created, updated) VALUES
                     (1, 1, 'a', 'human', 1, 1, 1), (2, 1, 'b', 'human', 2, 1, 1);
                 INSERT INTO runs (id, checkout, agent, model, state, owner_pid, heartbeat, started, ended, strategy, hold_out) VALUES
                     (1, '/a', 'claude', '', 'ended', 1, 1, 1, 2, 'escalate', 0), (2, '/a', 'claude', '', 'ended', 1, 1, 1, 2, 'fixed', 20);
                 INSERT INTO iterations (id, run_id, number, task_id, task_title, attempt, model, outcome, started, ended, difficulty,
                     cost_usd, cost_estimated, told, withheld, held_out) VALUES
                     (1, 1, 1, 1, 'a', 1, 'haiku', 'failed', 1, 2, 'hard', 0.5, 0, '[]', '[]', 0),
                     (2, 1, 2, 1, 'a', 2, 'haiku', 'failed', 1, 2, NULL, 0.25, 1, '[]', '[]', 0),
                     (3, 1, 3, 1, 'a', NULL, 'sonnet', 'rate_limited', 1, 2, NULL, NULL, 0, '[]', '[]', 0),
                     (4, 2, 1, 1, 'a', 3, 'sonnet', 'done', 1, 2, 'hard', 1.0, 0, '[\"L1\",\"L2\"]', '[]', 0),
                     (5, 2, 2, 2, 'b', 1, 'haiku', 'done', 1, 2, 'easy', 0.125, 1, '[]', '[\"L1\"]', 1),
                     (6, 2, 3, 2, 'b', 2, 'haiku', 'running', 1, NULL, NULL, NULL, 0, '[\"L2\"]', '[]', 0);
                 INSERT INTO failure_reports (iteration_id, task_id, attempt_number, what_was_tried, why_it_failed, error_category,
                     signature, generated, created_at) VALUES
                     (1, 1, 1, 'x', 'y', 'test_failure', 'same', 0, 1), (2, 1, 2, 'x', 'y', 'test_failure', 'same', 0, 1);";
        // As in a database older than the list of memories, then migrated to it.
        let rows = format!("{rows}{}", include_str!("../migrations/015-told.sql"));
        let filled = db.writer().expect("a turn").transaction(|tx| Ok::<_, DbError>(tx.connection.execute_batch(&rows)?));
        filled.expect("fills it");
        (folder, db)
    }

    fn all() -> IterationFilter {
        IterationFilter::default()
    }

    #[test]
    fn a_filter_lists_the_rows_behind_its_figure() {
        let (_folder, db) = history();
        for (filter, expected) in [
            (all(), &[6, 5, 4, 3, 2, 1][..]),
            (IterationFilter { model: Some("haiku".into()), ..all() }, &[6, 5, 2, 1]),
            (IterationFilter { model: Some("haiku".into()), attempts: true, recent: true, ..all() }, &[5, 2, 1]),
            (IterationFilter { difficulty: Some(Difficulty::Hard), ..all() }, &[4, 3, 2, 1]),
            (IterationFilter { difficulty: Some(Difficulty::Easy), attempts: true, ..all() }, &[5]),
            (IterationFilter { difficulty_unknown: true, ..all() }, &[]),
            (IterationFilter { category: Some(ErrorCategory::TestFailure), ..all() }, &[2, 1]),
            (IterationFilter { category: Some(ErrorCategory::Timeout), ..all() }, &[]),
            (IterationFilter { signature: Some("same".into()), ..all() }, &[2, 1]),
            (IterationFilter { repeated: true, ..all() }, &[2]),
            (IterationFilter { strategy: Some(Strategy::Fixed), ..all() }, &[6, 5, 4]),
            (IterationFilter { memory: Some(MemorySide::Told), ..all() }, &[4]),
            (IterationFilter { memory: Some(MemorySide::Withheld), ..all() }, &[5]),
            (IterationFilter { learning: Some("L1".into()), ..all() }, &[5, 4]),
            (IterationFilter { learning: Some("L2".into()), memory: Some(MemorySide::Withheld), ..all() }, &[]),
            (IterationFilter { done: Some(true), ..all() }, &[5, 4]),
            (IterationFilter { done: Some(false), attempts: true, ..all() }, &[2, 1]),
            (IterationFilter { since: Some(Timestamp(1)), ..all() }, &[5, 4, 3, 2, 1]),
            (IterationFilter { since: Some(Timestamp(2)), ..all() }, &[]),
            (IterationFilter { undone: true, ..all() }, &[]),
            (IterationFilter { done: Some(true), task_done: true, ..all() }, &[]),
            (IterationFilter { estimated: true, ..all() }, &[5, 2]),
            (IterationFilter { feature: Some("pay".into()), ..all() }, &[6, 5, 4, 3, 2, 1]),
            (IterationFilter { feature: Some("shop".into()), ..all() }, &[]),
            (IterationFilter { model: Some("' OR 1 --".into()), ..all() }, &[]),
        ] {
            let IterationPage { rows, sums, .. } = db.read(|r| r.iteration_page(&filter, &Among::default(), None, 10)).expect("reads");
            let ids: Vec<u32> = rows.iter().map(|row| row.iteration.id).collect();
            assert_eq!(ids, expected, "{filter:?}");
            assert_eq!(sums.iterations as usize, expected.len(), "{filter:?}");
        }
    }

    #[test]
    fn a_failure_of_which_nothing_is_known_repeats_nothing() {
        let (_folder, db) = history();
        let counted = |db: &Db| {
            let repeated = IterationFilter { repeated: true, ..all() };
            let page = db.read(|r| r.iteration_page(&repeated, &Among::default(), None, 10)).expect("reads");
            let (counts, returning) = db.read(|r| Ok::<_, DbError>((r.failure_counts()?, r.returning_failures(9)?))).expect("reads");
            (page.rows.len(), counts, returning.len())
        };
        assert_eq!(counted(&db), (1, (2, 1), 1));
        let unknown = "UPDATE failure_reports SET signature = ''";
        db.writer().expect("a turn").transaction(|tx| Ok::<_, DbError>(tx.connection.execute_batch(unknown)?)).expect("writes");
        assert_eq!(counted(&db), (0, (2, 0), 0));
    }

    #[test]
    fn what_is_no_attempt_is_told_with_its_cost_and_reason_apart_from_the_attempts() {
        let (_folder, db) = history();
        let rows = "UPDATE iterations SET cost_usd = 0.5, note = 'come back later' WHERE id = 3;
            INSERT INTO iterations (id, run_id, number, task_id, task_title, attempt, model, outcome, started, ended, note, told, withheld)
                VALUES (7, 2, 4, 1, 'a', NULL, 'haiku', 'stopped', 1, 2, 'by hook', '[]', '[]'),
                    (8, 2, 5, 1, 'a', NULL, 'haiku', 'interrupted', 1, 2, NULL, '[]', '[]');
            INSERT INTO hook_notes (iteration_id, place, hook, applied, note) VALUES (7, 1, 'record_outcome', 1, 'a person stopped it');";
        db.writer().expect("a turn").transaction(|tx| Ok::<_, DbError>(tx.connection.execute_batch(rows)?)).expect("writes");
        let told: Vec<_> = db.read(|r| r.no_attempts(1, 9)).expect("reads");
        let told: Vec<_> = told.iter().map(|it| (it.iteration, it.number, it.outcome.as_str(), it.cost_usd, it.note.as_deref())).collect();
        assert_eq!(
            told,
            [
                (8, 0, "interrupted", None, None),
                (7, 0, "stopped", None, Some("a person stopped it")),
                (3, 0, "rate_limited", Some(0.5), Some("come back later"))
            ]
        );
        let attempts = db.read(|r| r.attempts(1, 9)).expect("reads");
        assert_eq!(attempts.iter().map(|attempt| attempt.iteration).collect::<Vec<_>>(), [4, 2, 1], "which prompts are made of");
    }

    #[test]
    fn an_attempt_counts_with_the_last_estimate_of_its_task() {
        let (_folder, db) = history();
        let hard = Some(Difficulty::Hard);
        let records = || db.read(|r| r.model_records()).expect("reads");
        let counted = |records: &[ModelRecord]| {
            records.iter().map(|of| (of.model.clone(), of.difficulty, of.attempts, of.successes)).collect::<Vec<_>>()
        };
        let (easy, haiku, sonnet) = (Some(Difficulty::Easy), || "haiku".to_owned(), || "sonnet".to_owned());
        assert_eq!(counted(&records()), [(haiku(), easy, 1, 1), (haiku(), hard, 2, 0), (sonnet(), hard, 1, 1)]);
        for record in records() {
            let filter = IterationFilter { model: Some(record.model), difficulty: record.difficulty, attempts: true, ..all() };
            let page = db.read(|r| r.iteration_page(&filter, &Among::default(), None, 10)).expect("reads");
            assert_eq!(page.sums.iterations, record.attempts, "{filter:?}");
        }
    }

    #[test]
    fn what_was_thinned_out_of_failures_still_counts() {
        let (_folder, db) = history();
        let passages = || {
            let connection = rusqlite::Connection::open(db.path()).expect("opens");
            let count = "SELECT count(*) FROM passages WHERE kind = 'failure_report'";
            connection.query_row(count, [], |r| r.get::<_, u32>(0)).expect("counts")
        };
        let thin = || db.writer().expect("a turn").transaction(|tx| tx.thin_failures(Timestamp(2))).expect("thins");
        assert_eq!((thin(), passages()), (BTreeMap::new(), 2), "the task is not done yet");
        let done = "UPDATE tasks SET status = 'done'";
        db.writer().expect("a turn").transaction(|tx| Ok::<_, DbError>(tx.connection.execute_batch(done)?)).expect("writes");
        assert_eq!((thin(), passages()), (BTreeMap::from([(1, 2)]), 0), "and no longer found by search");
        assert_eq!(thin(), BTreeMap::new(), "once");
        let repeated = IterationFilter { repeated: true, ..all() };
        let rows = db.read(|r| r.iteration_page(&repeated, &Among::default(), None, 10)).expect("reads").rows;
        assert_eq!((rows.len(), &rows[0].failure), (1, &None));
        let (counts, returning) = db.read(|r| Ok::<_, DbError>((r.failure_counts()?, r.returning_failures(9)?))).expect("reads");
        assert_eq!((counts, returning.len()), ((2, 1), 1));
        let attempts = db.read(|r| r.attempts(1, 10)).expect("reads");
        assert!(attempts.iter().all(|attempt| attempt.failure.is_none()), "{attempts:?}");
    }

    #[test]
    fn a_remark_or_a_task_of_an_agent_belongs_to_the_iterations_of_its_time() {
        let (_folder, db) = history();
        let rows = "UPDATE iterations SET started = 10 * id, ended = 10 * id + 5 WHERE ended IS NOT NULL;
            INSERT INTO task_comments (task_id, author, text, created) VALUES (1, 'agent', 'x', 12), (1, 'human', 'x', 22), (2, 'agent', 'x', 32);
            INSERT INTO tasks (id, feature_id, title, provenance, position, created, updated) VALUES
                (3, 1, 'c', 'agent', 3, 45, 45), (4, 1, 'd', 'human', 4, 35, 35), (5, 1, 'e', 'agent', 5, 17, 17);";
        db.writer().expect("a turn").transaction(|tx| Ok::<_, DbError>(tx.connection.execute_batch(rows)?)).expect("writes");
        assert_eq!(db.read(|r| r.remarking_iterations(1)).expect("reads"), [1, 4]);
    }

    #[test]
    fn pages_follow_each_other_and_the_sums_are_of_all() {
        let (_folder, db) = history();
        let page = |before| {
            let page = db.read(|r| r.iteration_page(&all(), &Among::default(), before, 4)).expect("reads");
            (page.rows.iter().map(|row| row.iteration.id).collect::<Vec<_>>(), page.next, page.sums)
        };
        let sums =
            IterationSums { iterations: 6, done: 2, tasks: 2, cost: Cost { cost_usd: 1.875, estimated_usd: 0.375, ..Cost::default() } };
        assert_eq!(page(None), (vec![6, 5, 4, 3], Some(3), sums.clone()));
        assert_eq!(page(Some(3)), (vec![2, 1], None, sums.clone()));
        assert_eq!(page(Some(5)), (vec![4, 3, 2, 1], None, sums), "a full page may be the last");
        let some =
            db.read(|r| r.iteration_page(&all(), &Among { iterations: Some(&[2, 5, 77]), ..Among::default() }, None, 4)).expect("reads");
        assert_eq!((some.rows.iter().map(|row| row.iteration.id).collect::<Vec<_>>(), some.sums.iterations), (vec![5, 2], 2));
        let of_time = |from, until, at_work| {
            let among = Among { iterations: None, ended: Some((Timestamp(from), Timestamp(until))), at_work };
            db.read(|r| r.iteration_page(&all(), &among, None, 4)).expect("reads").sums.iterations
        };
        assert_eq!((of_time(2, 3, false), of_time(1, 2, false), of_time(3, 9, false)), (5, 0, 0), "one goes on");
        assert_eq!((of_time(2, 3, true), of_time(3, 9, true)), (6, 1), "today");
        let run = db.read(|r| r.run(2)).expect("reads").expect("exists");
        assert_eq!((run.cost.cost_usd, run.cost.estimated_usd), (1.125, 0.125));
    }

    #[test]
    fn what_few_rows_have_is_found_by_index() {
        let (_folder, db) = history();
        let connection = rusqlite::Connection::open(db.path()).expect("opens");
        for (filter, index) in [
            (IterationFilter { model: Some("haiku".into()), ..all() }, "iterations_by_model"),
            (IterationFilter { category: Some(ErrorCategory::Timeout), ..all() }, "failure_reports_by_category"),
            (IterationFilter { signature: Some("same".into()), ..all() }, "failure_reports_by_signature"),
            (IterationFilter { repeated: true, ..all() }, "failure_reports_by_signature (signature=? AND task_id=? AND rowid<?)"),
            (IterationFilter { recent: true, ..all() }, "INTEGER PRIMARY KEY (rowid>?)"),
        ] {
            let conditions = Conditions::of(&filter, &Among::default());
            let sql = format!("EXPLAIN QUERY PLAN {} ORDER BY i.id DESC LIMIT 101", conditions.select("i.*, f.signature"));
            let mut statement = connection.prepare(&sql).expect("prepares");
            let plan: Vec<String> = statement
                .query_map(rusqlite::params_from_iter(conditions.values), |r| r.get("detail"))
                .expect("explains")
                .map(|r| r.expect("a row"))
                .collect();
            assert!(plan.iter().any(|line| line.contains(index)), "{filter:?}\n{}", plan.join("\n"));
        }
    }
}
