//! Files of an older schema: brought to the newest one whole, or left as they are.

use ralph_core::task::TaskStatus;
use ralph_core::time::Timestamp;
use rusqlite::Connection;
use sqlite_db::schema::version;
use sqlite_db::{Db, DbError};
use std::path::{Path, PathBuf};

const MEMORIES: &str = "INSERT INTO features (name, display_name, created, updated) VALUES ('pay', 'Pay', 1, 1);
    INSERT INTO memories (id, kind, feature_id, text, source, created, state) VALUES
        ('L1', 'learning', 1, 'a', 'human', 1, 'active'), ('L2', 'learning', 1, 'b', 'agent', 1, 'active'),
        ('L3', 'learning', 1, 'c', 'human', 1, 'parked');";

/// A file of the first schema with some rows.
fn old(folder: &Path, rows: &str) -> PathBuf {
    let path = folder.join("ralph.db");
    let old = Connection::open(&path).expect("opens");
    old.execute_batch(include_str!("../src/migrations/001-start.sql")).expect("makes the first schema");
    old.execute_batch(rows).expect("fills it");
    old.pragma_update(None, "user_version", 1).expect("sets");
    path
}

#[test]
fn an_old_file_is_copied_then_brought_to_the_newest_schema_with_its_rows() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = old(folder.path(), MEMORIES);
    let db = Db::open(&path).expect("opens an old file");
    let pay = db.read(|r| r.saturations(50)).expect("reads").remove(0);
    assert_eq!((pay.learnings_count, pay.protected_count), (2, 1));
    assert_eq!(db.read(|r| r.feature_rows(50)).expect("reads")[0].parked_count, 1);
    let copy = Connection::open(folder.path().join("backups/migration-00001.db")).expect("the copy");
    assert_eq!(version(&copy).expect("reads"), 1);
}

#[test]
fn a_task_of_an_old_file_may_be_in_review_and_nothing_else_new() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = old(
        folder.path(),
        "INSERT INTO features (name, display_name, created, updated) VALUES ('pay', 'Pay', 1, 1);
         INSERT INTO tasks (feature_id, title, provenance, position, created, updated) VALUES (1, 'Refund', 'human', 0, 1, 1);
         INSERT INTO task_comments (task_id, author, text, created) VALUES (1, 'human', 'old', 1);",
    );
    let db = Db::open(&path).expect("opens");
    let set = |tx: &sqlite_db::Tx<'_>| tx.set_task_status(1, TaskStatus::InReview, None, Timestamp(2));
    db.writer().and_then(|mut writer| writer.transaction(set)).expect("is allowed");
    assert_eq!(db.read(|r| r.task(1)).expect("reads").expect("is there").status, TaskStatus::InReview);
    let raw = Connection::open(&path).expect("opens");
    assert!(raw.execute("UPDATE tasks SET status = 'dreaming'", []).is_err() && raw.execute("DELETE FROM tasks", []).is_err());
}

/// What stands in the way of a migration, between the first schema and the newest.
#[test]
fn a_migration_that_fails_in_the_middle_leaves_the_old_file_which_can_still_be_searched() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = old(folder.path(), MEMORIES);
    let raw = || Connection::open(&path).expect("opens");
    let (objects, found) = {
        let raw = raw();
        raw.execute_batch("CREATE TABLE questions (text TEXT)").expect("is in the way of a later migration");
        let count = |sql: &str| raw.query_row(sql, [], |r| r.get::<_, i64>(0)).expect("reads");
        (count("SELECT count(*) FROM sqlite_schema"), count("SELECT count(*) FROM memories WHERE text LIKE '%b%'"))
    };
    for _ in 0..2 {
        let error = Db::open(&path).err().expect("is refused");
        let newest = sqlite_db::Domain::Project.newest();
        assert!(matches!(&error, DbError::Migration { path: of, found: 1, newest: to, .. } if *of == path && *to == newest), "{error}");
        assert!(error.to_string().contains("questions"), "{error}");
        let raw = raw();
        let count = |sql: &str| raw.query_row(sql, [], |r| r.get::<_, i64>(0)).expect("reads");
        assert_eq!(version(&raw).expect("reads"), 1, "no migration stays by halves");
        assert_eq!(count("SELECT count(*) FROM sqlite_schema"), objects);
        assert_eq!(count("SELECT count(*) FROM memories WHERE text LIKE '%b%'"), found);
    }
    let copy = Connection::open(folder.path().join("backups/migration-00001.db")).expect("the copy");
    assert_eq!(version(&copy).expect("reads"), 1);
    raw().execute_batch("DROP TABLE questions").expect("makes way");
    let pay = Db::open(&path).and_then(|db| db.read(|r| r.feature_rows(50))).expect("reads").remove(0);
    assert_eq!((pay.saturation.learnings_count, pay.parked_count), (2, 1));
}

#[test]
fn what_followed_from_comparisons_and_who_came_back_is_read_from_the_journals_of_an_old_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let found = |other: &str, verdict: &str| {
        format!(
            "{{\"event\":\"reconciled\",\"reconciliation\":{{\"learning\":\"L2\",\"model\":\"m\",\"other\":{other},\"verdict\":\"{verdict}\",\
             \"cosine\":0.9,\"similarity\":0.9,\"hits\":[],\"made\":null,\"counted\":[],\"at\":\"2026-01-01T00:00:00Z\"}}}}"
        )
    };
    let said = |event: &str, learning: &str, more: &str| format!("{{\"event\":\"{event}\",\"learning\":\"{learning}\"{more}}}");
    let lines = [
        found("\"L1\"", "conflict"),
        found("null", "distinct"),
        found("\"L3\"", "merged"),
        found("\"L3\"", "related"),
        said("retired", "L1", ""),
        said("restored", "L1", ""),
        said("restored", "L2", ""),
        said("superseded", "L2", ",\"by\":\"L1\""),
        said("restored", "L3", ",\"by_rule\":true"),
        "torn {".to_owned(),
    ];
    let rows =
        lines.iter().enumerate().map(|(n, line)| format!("INSERT INTO outbox (feature, event_id, line) VALUES ('pay', 'E{n}', '{line}');"));
    let path = old(folder.path(), &format!("{MEMORIES}{}", rows.collect::<String>()));
    let facts = Db::open(&path).and_then(|db| db.read(|r| r.learning_facts(None))).expect("reads");
    let acts: Vec<_> = facts.acts.iter().map(|act| (act.learning.as_str(), act.other.as_deref())).collect();
    assert_eq!((acts, facts.brought_back), (vec![("L2", Some("L1"))], vec!["L1".to_owned()]));
}
