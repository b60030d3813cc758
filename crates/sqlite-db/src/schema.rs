//! Migrations: append-only, atomic, and a newer file is refused.

use crate::error::{DbError, Result};
use crate::seals;
use ralph_core::limits;
use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The domain of a database, which determines its migrations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// The project: `ralph.db`.
    Project,
    /// Records of retrieval: `eval.db`.
    Evaluation,
}

impl Domain {
    fn migrations(self) -> &'static [M<'static>] {
        match self {
            Domain::Project => ALL,
            Domain::Evaluation => EVALUATION,
        }
    }

    /// The database, in a message.
    fn in_words(self) -> &'static str {
        match self {
            Domain::Project => "the database",
            Domain::Evaluation => "the history of retrieval (eval.db), without which everything else works,",
        }
    }

    /// How long its readers and writers wait for others.
    pub(crate) fn wait(self) -> Duration {
        Duration::from_millis(match self {
            Domain::Project => limits::WRITE_WAIT_MILLIS,
            Domain::Evaluation => limits::HISTORY_WAIT_MILLIS,
        })
    }

    /// A table that it has had since its first schema.
    fn first_table(self) -> &'static str {
        match self {
            Domain::Project => "features",
            Domain::Evaluation => "queries",
        }
    }

    /// Number of the newest schema known to this program.
    pub fn newest(self) -> i64 {
        self.migrations().len() as i64
    }
}

const EVALUATION: &[M<'static>] = &[
    M::up(include_str!("migrations/evaluation/001-start.sql")),
    M::up(include_str!("migrations/evaluation/002-drawn.sql")),
    M::up(include_str!("migrations/evaluation/003-rolled-back.sql")),
];

const ALL: &[M<'static>] = &[
    M::up(include_str!("migrations/001-start.sql")),
    M::up(include_str!("migrations/002-saturation-indexes.sql")),
    M::up(include_str!("migrations/003-attempts.sql")),
    M::up(include_str!("migrations/004-iteration-lists.sql")),
    M::up(include_str!("migrations/005-recall.sql")),
    M::up(include_str!("migrations/006-reconcile.sql")),
    M::up(include_str!("migrations/007-failure-passages.sql")),
    M::up(include_str!("migrations/008-notices.sql")),
    M::up(include_str!("migrations/009-run-owner.sql")),
    M::up(include_str!("migrations/010-vectors-waiting.sql")),
    M::up(include_str!("migrations/011-authors.sql")),
    M::up(include_str!("migrations/012-iteration-saturation.sql")),
    M::up(include_str!("migrations/013-knowledge.sql")),
    M::up(include_str!("migrations/014-documents.sql")),
    M::up(include_str!("migrations/015-told.sql")),
    M::up(include_str!("migrations/016-from-outside.sql")),
    M::up(include_str!("migrations/017-memories.sql")),
    M::up(include_str!("migrations/018-worktrees.sql")),
    M::up(include_str!("migrations/019-lanes.sql")),
    M::up(include_str!("migrations/020-staged.sql")),
    M::up(include_str!("migrations/021-errands.sql")),
    M::up(include_str!("migrations/022-consolidation.sql")),
    M::up(include_str!("migrations/023-detections.sql")),
    M::up(include_str!("migrations/024-code-files.sql")),
    M::up(include_str!("migrations/025-proposals.sql")),
    M::up(include_str!("migrations/026-feedback.sql")),
    M::up(include_str!("migrations/027-audit-days.sql")),
    M::up(include_str!("migrations/028-extraction.sql")),
    M::up(include_str!("migrations/029-text-vectors.sql")),
    M::up(include_str!("migrations/030-episodes.sql")),
    M::up(include_str!("migrations/031-questions.sql")),
    M::up(include_str!("migrations/032-several-runs.sql")),
    M::up(include_str!("migrations/033-keys-by-feature.sql")),
    M::up(include_str!("migrations/034-kept-episodes.sql")),
    M::up(include_str!("migrations/035-passage-rows.sql")),
    M::up(include_str!("migrations/036-errands-of-runs.sql")),
    M::up(include_str!("migrations/037-acts.sql")),
    M::up(include_str!("migrations/038-run-results.sql")),
    M::up(include_str!("migrations/039-unpriced.sql")),
    M::up(include_str!("migrations/040-seals.sql")),
    M::up(include_str!("migrations/041-more-seals.sql")),
    M::up(include_str!("migrations/042-owed-follow-ups.sql")),
    M::up(include_str!("migrations/043-owed-by.sql")),
    M::up(include_str!("migrations/044-order-of-ends.sql")),
    M::up(include_str!("migrations/045-by-person.sql")),
    M::up(include_str!("migrations/046-attempt-views.sql")),
];

/// Number of the schema in the file; 0 = an empty file.
pub fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Refuses a database of another program or of another domain: Ralph's tables are not made among others.
pub fn refuse_foreign(connection: &Connection, domain: Domain) -> Result<()> {
    // One statement, since another process may be making the tables.
    let is_ours = "SELECT CASE (SELECT user_version FROM pragma_user_version)
         WHEN 0 THEN NOT EXISTS (SELECT 1 FROM sqlite_schema)
         ELSE EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1) END";
    let is_ours: bool = connection.query_row(is_ours, [domain.first_table()], |row| row.get(0))?;
    // Its path is filled in by whoever knows it.
    if is_ours { Ok(()) } else { Err(DbError::Damaged { path: PathBuf::new() }) }
}

/// Refuses a file written by a newer program.
pub fn refuse_newer(connection: &Connection, domain: Domain) -> Result<i64> {
    let (found, known) = (version(connection)?, domain.newest());
    if found > known {
        refuse_foreign(connection, domain)?;
        return Err(DbError::Newer { database: domain.in_words(), found, known });
    }
    Ok(found)
}

/// Migrates the file at `path` to the newest schema, whole or not at all. Safe to call from several processes at once.
pub fn migrate(connection: &mut Connection, domain: Domain, path: &Path) -> Result<()> {
    let found = version(connection)?;
    let migrated = Migrations::from_slice(domain.migrations()).to_latest(connection).map_err(|error| match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => DbError::from(err),
        other => DbError::Constraint(format!("migration: {other}")),
    });
    migrated.map_err(|fault| match fault {
        // The effects of a full disk or another process are reported as what they are.
        DbError::Sqlite(_) | DbError::Constraint(_) if found > 0 => {
            DbError::Migration { path: path.to_owned(), found, newest: domain.newest(), fault: fault.to_string() }
        }
        fault => fault,
    })?;
    // What a migration writes, and what it found, is sealed.
    seals::seal_all(connection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::add_functions;

    #[test]
    fn what_a_newer_ralph_migrated_while_it_was_open_is_not_written_to() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("ralph.db");
        let db = crate::Db::open(&path).expect("opens");
        let write = || db.writer().expect("a turn").transaction(|_| Ok::<_, DbError>(()));
        let newer = Connection::open(&path).expect("opens");
        newer.pragma_update(None, "user_version", 9_999).expect("is migrated");
        assert!(matches!(write(), Err(DbError::Newer { found: 9_999, .. })));
        assert!(matches!(db.refusal(), Some(DbError::Newer { .. })), "whoever only reads learns of it, too");
        newer.pragma_update(None, "user_version", Domain::Project.newest()).expect("is put back");
        write().expect("writes");
        assert!(db.refusal().is_none());
    }

    #[test]
    fn failures_that_are_older_than_their_search_are_found_and_vectors_stay() {
        let mut connection = Connection::open_in_memory().expect("opens");
        add_functions(&connection).expect("functions");
        connection.pragma_update(None, "foreign_keys", false).expect("a report without its iteration");
        Migrations::from_slice(&ALL[..6]).to_latest(&mut connection).expect("the schema before");
        connection
            .execute_batch(
                "INSERT INTO features (id, name, display_name, state, created, updated) VALUES (1, 'pay', 'pay', 'active', 1, 1);
                 INSERT INTO tasks (id, feature_id, title, status, priority, provenance, kind, position, created, updated)
                 VALUES (7, 1, 'Refund', 'pending', 1, 'human', 'work', 0, 1, 1);
                 INSERT INTO passages (row, kind, source, feature_id, state, created, text, terms, names_a_file)
                 VALUES (5, 'learning', 1, 1, 'active', 1, 'Refunds need a key', '', 0);
                 INSERT INTO vectors (passage, model, vector) VALUES (5, 'm', x'0000803f');
                 INSERT INTO failure_reports (iteration_id, task_id, attempt_number, what_was_tried, why_it_failed, error_category,
                     stack_trace_snippet, signature, generated, created_at)
                 VALUES (3, 7, 1, 'ran cargo test', 'the clock drifts', 'test_failure', 'panicked at src/refund.rs', 's', 0, 2);",
            )
            .expect("fills");
        migrate(&mut connection, Domain::Project, Path::new("x.db")).expect("to the newest");
        let rows = |sql: &str| -> rusqlite::Result<Vec<i64>> { connection.prepare(sql)?.query_map([], |r| r.get(0))?.collect() };
        assert_eq!(rows("SELECT passage FROM vectors"), Ok(vec![5]));
        assert_eq!(rows("SELECT rowid FROM knowledge_fts WHERE knowledge_fts MATCH 'refund'"), Ok(vec![5]), "failures are apart");
        assert_eq!(rows("SELECT ordinal FROM passages WHERE row IN (SELECT rowid FROM failures_fts('refund OR drift'))"), Ok(vec![0, 1]));
        assert_eq!(rows("SELECT feature_id FROM passages WHERE kind = 'failure_report' AND names_a_file = 1"), Ok(vec![1]));

        // The rest follows by triggers.
        connection.execute("UPDATE tasks SET feature_id = 2", []).expect("moves");
        assert_eq!(rows("SELECT feature_id FROM passages WHERE kind = 'failure_report'"), Ok(vec![2, 2]));
        connection.execute("DELETE FROM failure_reports", []).expect("thins");
        assert_eq!(rows("SELECT row FROM passages"), Ok(vec![5]));
        assert_eq!(rows("SELECT rowid FROM failures_fts('refund OR drift')"), Ok(vec![]));
    }

    #[test]
    fn a_fault_in_the_middle_of_the_columns_for_feedback_leaves_what_was_there_and_its_search() {
        let mut connection = Connection::open_in_memory().expect("opens");
        add_functions(&connection).expect("functions");
        Migrations::from_slice(&ALL[..25]).to_latest(&mut connection).expect("the schema before");
        // Its third statement fails: by then the first two are done.
        connection
            .execute_batch(
                "INSERT INTO passages (row, kind, source, state, created, text, terms, names_a_file)
                 VALUES (5, 'learning', 1, 'active', 1, 'Refunds need a key', '', 0);
                 ALTER TABLE memories ADD COLUMN promoted INTEGER;",
            )
            .expect("fills");
        let columns = |connection: &Connection| -> i64 {
            let sql = "SELECT count(*) FROM pragma_table_info('memories') WHERE name IN ('learned_triggers', 'feedback')";
            connection.query_row(sql, [], |r| r.get(0)).expect("reads")
        };
        let found = |connection: &Connection| -> i64 {
            let sql = "SELECT count(*) FROM knowledge_fts WHERE knowledge_fts MATCH 'refund'";
            connection.query_row(sql, [], |r| r.get(0)).expect("searches")
        };
        assert!(migrate(&mut connection, Domain::Project, Path::new("x.db")).is_err());
        assert_eq!((version(&connection).expect("reads"), columns(&connection), found(&connection)), (25, 0, 1));
        connection.execute_batch("ALTER TABLE memories DROP COLUMN promoted").expect("the fault is gone");
        migrate(&mut connection, Domain::Project, Path::new("x.db")).expect("to the newest");
        assert_eq!((version(&connection).expect("reads"), columns(&connection), found(&connection)), (Domain::Project.newest(), 2, 1));
    }

    #[test]
    fn passages_of_any_kind_are_found_and_what_was_there_keeps_its_words_and_vectors() {
        let mut connection = Connection::open_in_memory().expect("opens");
        add_functions(&connection).expect("functions");
        Migrations::from_slice(&ALL[..13]).to_latest(&mut connection).expect("the schema before");
        connection
            .execute_batch(
                "INSERT INTO passages (row, kind, source, state, created, text, terms, names_a_file)
                 VALUES (5, 'learning', 1, 'active', 1, 'Refunds need a key', '', 0), (9, 'learning', 2, 'active', 1, 'Refunds wait', '', 0);
                 INSERT INTO vectors (passage, model, vector) VALUES (5, 'm', x'0000803f');",
            )
            .expect("fills");
        migrate(&mut connection, Domain::Project, Path::new("x.db")).expect("to the newest");
        let rows = |sql: &str| -> rusqlite::Result<Vec<i64>> { connection.prepare(sql)?.query_map([], |r| r.get(0))?.collect() };
        let found = "SELECT rowid FROM knowledge_fts WHERE knowledge_fts MATCH 'refund' ORDER BY rowid";
        assert_eq!(rows(found), Ok(vec![5, 9]), "the index stayed");
        assert_eq!(rows("SELECT passage FROM vectors"), Ok(vec![5]));
        assert_eq!(rows("SELECT passage FROM passages_waiting"), Ok(vec![9]));
        connection
            .execute_batch(
                "INSERT INTO passages (row, kind, source, state, created, text, terms, names_a_file)
                 VALUES (11, 'a kind of later', 1, 'active', 1, 'A refund of later', '', 0);
                 DELETE FROM passages WHERE row = 5;",
            )
            .expect("any kind, and the triggers work");
        assert_eq!(rows(found), Ok(vec![9, 11]));
        assert_eq!(rows("SELECT passage FROM vectors"), Ok(vec![]));
        assert_eq!(rows("SELECT passage FROM passages_waiting ORDER BY passage"), Ok(vec![9, 11]));
        connection
            .execute_batch(
                "DELETE FROM passages WHERE row = 11;
                 INSERT INTO passages (kind, source, state, created, text, terms, names_a_file) VALUES ('fact', 1, 'active', 1, 'x', '', 0);",
            )
            .expect("the last goes, and another comes");
        assert_eq!(rows("SELECT max(row) FROM passages"), Ok(vec![12]), "no number is used again");
    }

    #[test]
    fn lines_of_before_are_of_whoever_they_name_and_numbers_without_a_replica_of_who_adopts_them() {
        for (facts, expected) in [
            ("('replica', 'A')", vec![2, 3]),
            ("('replica', 'A'), ('adopts_unknown', '1')", vec![2]),
            // Older than replicas: no other database ever wrote.
            ("('other', '')", vec![]),
        ] {
            let mut connection = Connection::open_in_memory().expect("opens");
            add_functions(&connection).expect("functions");
            Migrations::from_slice(&ALL[..15]).to_latest(&mut connection).expect("the schema before");
            connection
                .execute_batch(&format!(
                    "INSERT INTO meta (key, value) VALUES {facts};
                     INSERT INTO events (id, feature, line, flushed) VALUES (1, 'pay', '{{\"replica\":\"A\"}}', 1),
                         (2, 'pay', '{{\"replica\":\"B\"}}', 1), (3, 'pay', '{{}}', 1), (4, 'pay', 'torn', 1);"
                ))
                .expect("fills");
            migrate(&mut connection, Domain::Project, Path::new("x.db")).expect("to the newest");
            let mut statement = connection.prepare("SELECT CAST(id AS INTEGER) FROM events WHERE NOT own ORDER BY id").expect("reads");
            let outside: rusqlite::Result<Vec<i64>> = statement.query_map([], |r| r.get(0)).expect("reads").collect();
            assert_eq!(outside, Ok(expected), "{facts}");
        }
    }
}
