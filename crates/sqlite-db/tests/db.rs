//! The database on real files: schema, migration line, privacy, and the rules that SQL guarantees. Length: one world of rows serves them
//! all.

use ralph_core::feature::{Feature, FeatureState};
use ralph_core::learning::{FeatureLearning, LearningSource, LearningState};
use ralph_core::recall::{Reach, TextIndex};
use ralph_core::task::{Priority, Task, TaskFilter, TaskKind, TaskStatus};
use ralph_core::time::Timestamp;
use ralph_core::topic::Topic;
use sqlite_db::table::{NewPassage, TextVector};
use sqlite_db::{Db, DbError, Domain};

fn open() -> (tempfile::TempDir, Db) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let db = Db::open(&folder.path().join("db/ralph.db")).expect("opens");
    (folder, db)
}

fn feature(name: &str) -> Feature {
    Feature::new(name, Timestamp(1))
}

fn task(feature: &str, title: &str, kind: TaskKind, depends_on: &[u32]) -> Task {
    Task { kind, depends_on: depends_on.to_vec(), ..Task::new(feature, title, Timestamp(1)) }
}

fn learning(id: &str, source: LearningSource, hits: u32, reviewed: bool) -> FeatureLearning {
    FeatureLearning {
        category: "pitfall".into(),
        source,
        task_id: Some(7_000_000),
        iteration: Some(4_000_000_000),
        hit_count: hits,
        reviewed_by: reviewed.then(|| "human".into()),
        review_count: u32::from(reviewed),
        ..FeatureLearning::new(id, "pay", format!("lesson {id}"), Timestamp(1))
    }
}

fn write<T>(db: &Db, f: impl FnOnce(&sqlite_db::Tx<'_>) -> Result<T, DbError>) -> Result<T, DbError> {
    db.writer()?.transaction(f)
}

#[test]
fn the_schema_is_reviewed_when_it_changes() {
    let (folder, _db) = open();
    let connection = rusqlite::Connection::open(folder.path().join("db/ralph.db")).expect("opens");
    let mut statement =
        connection.prepare("SELECT type || ' ' || name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1").expect("prepares");
    let names: Vec<String> = statement.query_map([], |r| r.get(0)).expect("queries").map(|r| r.expect("a row")).collect();
    insta::assert_snapshot!(names.join("\n"));
    let mut tables = connection
        .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'")
        .expect("prepares");
    let loose: Vec<String> = tables.query_map([], |r| r.get(0)).expect("queries").map(|r| r.expect("a row")).collect();
    assert_eq!(loose, Vec::<String>::new(), "every table is STRICT");
}

#[test]
fn a_newer_database_is_refused_and_left_as_it_is() {
    let (folder, db) = open();
    drop(db);
    let path = folder.path().join("db/ralph.db");
    rusqlite::Connection::open(&path).expect("opens").pragma_update(None, "user_version", 999).expect("sets");
    let before = std::fs::read(&path).expect("reads");
    let error = Db::open(&path).err().expect("is refused");
    assert!(matches!(error, DbError::Newer { found: 999, .. }));
    assert!(!error.to_string().contains("update"), "the way out is told once, beside it: {error}");
    assert_eq!(std::fs::read(&path).expect("reads"), before);
}

#[test]
fn a_file_that_is_no_database_is_named_and_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("ralph.db");
    std::fs::write(&path, b"this is not a database, but a text of some length that SQLite has to look at").expect("writes");
    let error = Db::open(&path).err().expect("is refused");
    assert!(matches!(&error, DbError::Damaged { path: named } if *named == path), "{error}");
    assert!(std::fs::read(&path).expect("reads").starts_with(b"this is not a database"));
}

#[test]
fn a_database_of_another_program_is_named_and_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let newest = Domain::Evaluation.newest();
    for (number, (journal, version)) in
        [("DELETE", 0), ("WAL", 0), ("DELETE", newest), ("WAL", newest), ("WAL", 999)].into_iter().enumerate()
    {
        let path = folder.path().join(format!("{number}.db"));
        let other = rusqlite::Connection::open(&path).expect("opens");
        other.pragma_update(None, "journal_mode", journal).expect("sets");
        other.pragma_update(None, "user_version", version).expect("sets");
        other.execute_batch("CREATE TABLE notes (text TEXT)").expect("makes a table");
        drop(other);
        let before = std::fs::read(&path).expect("reads");
        let error = Db::open_domain(&path, Domain::Evaluation).err().expect("is refused");
        assert!(matches!(&error, DbError::Damaged { path: named } if *named == path), "{journal}, {version}: {error}");
        assert!(std::fs::read(&path).expect("reads") == before, "{journal}, {version}");
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, db) = open();
    write(&db, |tx| tx.insert_feature(&feature("pay"))).expect("writes");
    let backup = db.writer().expect("a turn").backup(folder.path(), sqlite_db::BackupReason::Regular).expect("copies");
    for path in [folder.path().join("db/ralph.db"), backup] {
        let mode = std::fs::metadata(&path).expect("exists").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
}

#[test]
fn saturation_counts_active_learnings_and_protects_by_the_same_rule_as_the_core() {
    let (_folder, db) = open();
    let mut expected = 0;
    write(&db, |tx| {
        tx.insert_feature(&feature("pay"))?;
        tx.insert_feature(&feature("empty"))?;
        let mut number = 0;
        for source in LearningSource::ALL {
            for hits in 1..=4 {
                for reviewed in [false, true] {
                    number += 1;
                    let learning = learning(&format!("L{number:02}"), *source, hits, reviewed);
                    expected += u32::from(!learning.is_auto_prunable());
                    tx.put_learning(&learning)?;
                }
            }
        }
        let retired = FeatureLearning { state: LearningState::Retired, ..learning("L01", LearningSource::Auto, 1, false) };
        tx.put_learning(&retired)
    })
    .expect("writes");
    let all = db.read(|r| r.saturations(50)).expect("reads");
    assert_eq!(all.len(), 2);
    let (empty, pay) = (&all[0], &all[1]);
    assert_eq!((empty.learnings_count, pay.learnings_count, pay.protected_count), (0, 23, expected));
    let one = db
        .read(|r| {
            let f = r.feature("pay")?.expect("exists");
            r.saturation_of(&f, 50)
        })
        .expect("reads");
    assert_eq!(&one, pay);
}

#[test]
fn saturations_come_in_the_order_of_features() {
    let (_folder, db) = open();
    let names = ["b", "A", "a-1", "B2", "_x", "Z", "a.b", "aa"];
    write(&db, |tx| {
        for (place, name) in names.iter().enumerate() {
            tx.insert_feature(&Feature {
                state: if *name == "A" { FeatureState::Archived } else { FeatureState::Active },
                ..feature(name)
            })?;
            for number in 0..place {
                let feature = (*name).to_owned();
                tx.put_learning(&FeatureLearning { feature, ..learning(&format!("{name}{number}"), LearningSource::Human, 1, false) })?;
            }
        }
        Ok(())
    })
    .expect("writes");
    let features: Vec<String> = db.read(|r| r.features()).expect("reads").into_iter().map(|f| f.name).collect();
    assert_eq!(features, ["_x", "a-1", "a.b", "aa", "b", "B2", "Z", "A"], "by name, and what is archived last");
    let saturations = db.read(|r| r.saturations(50)).expect("reads");
    assert_eq!(saturations.iter().map(|s| s.feature.clone()).collect::<Vec<_>>(), features);
    for (place, name) in names.iter().enumerate() {
        let saturation = saturations.iter().find(|s| s.feature == *name).expect("is listed");
        assert_eq!((saturation.learnings_count as usize, saturation.protected_count as usize), (place, place), "{name}");
    }
}

#[test]
fn a_second_active_split_task_is_refused_by_the_database() {
    let (_folder, db) = open();
    let first = write(&db, |tx| {
        tx.insert_feature(&feature("pay"))?;
        tx.insert_task(&task("pay", "Split", TaskKind::Split, &[]))
    })
    .expect("writes");
    let error = write(&db, |tx| tx.insert_task(&task("pay", "Split again", TaskKind::Split, &[]))).expect_err("is refused");
    assert!(error.is_unique_violation(), "{error}");
    write(&db, |tx| tx.set_task_status(first, TaskStatus::Skipped, None, Timestamp(2))).expect("closes");
    write(&db, |tx| tx.insert_task(&task("pay", "Split", TaskKind::Split, &[]))).expect("a closed one makes way");
}

#[test]
fn the_ready_queue_goes_by_priority_then_place_and_waits_for_dependencies() {
    let (_folder, db) = open();
    let (a, b, c) = write(&db, |tx| {
        tx.insert_feature(&feature("pay"))?;
        let a = tx.insert_task(&task("pay", "a", TaskKind::Work, &[]))?;
        let b = tx.insert_task(&task("pay", "b", TaskKind::Work, &[]))?;
        let mut urgent = task("pay", "c", TaskKind::Work, &[a]);
        urgent.priority = Priority::Critical;
        Ok::<_, DbError>((a, b, tx.insert_task(&urgent)?))
    })
    .expect("writes");
    let next = || db.read(|r| r.ready_tasks(None, 1)).expect("reads").pop().map(|t| t.id);
    assert_eq!(next(), Some(a), "the critical one waits for a");
    let position = write(&db, |tx| tx.position_before(a)).expect("makes room");
    write(&db, |tx| {
        let mut t = tx.task(b)?.expect("exists");
        t.position = position;
        tx.update_task(&t)
    })
    .expect("moves");
    assert_eq!(next(), Some(b));
    write(&db, |tx| tx.set_task_status(a, TaskStatus::Done, None, Timestamp(2))).expect("closes");
    assert_eq!(next(), Some(c));
    let all = db.read(|r| r.tasks(&TaskFilter::default())).expect("reads");
    assert_eq!(all.iter().map(|t| t.id).collect::<Vec<_>>(), [c, b, a]);
}

#[test]
fn a_failed_write_leaves_nothing_behind_and_marks_no_topic() {
    let (_folder, db) = open();
    let before = db.read(|r| r.topic_versions()).expect("reads");
    let result: Result<(), DbError> = write(&db, |tx| {
        tx.insert_feature(&feature("pay"))?;
        Err(DbError::DiskFull)
    });
    assert!(result.is_err());
    assert_eq!(db.read(|r| r.features()).expect("reads"), vec![]);
    assert_eq!(db.read(|r| r.topic_versions()).expect("reads"), before);
    write(&db, |tx| tx.insert_feature(&feature("pay"))).expect("writes");
    assert_eq!(db.read(|r| r.topic_versions()).expect("reads").get(&Topic::Features), Some(&1));
}

#[test]
fn a_watch_sees_commits_of_other_connections() {
    let (_folder, db) = open();
    let mut watch = db.watch().expect("watches");
    watch.moved().expect("looks");
    assert!(!watch.moved().expect("looks"));
    write(&db, |tx| tx.insert_feature(&feature("pay"))).expect("writes");
    assert!(watch.moved().expect("looks"));
    assert!(!watch.moved().expect("looks"));
}

#[test]
fn only_the_newest_backups_are_kept() {
    let (folder, db) = open();
    let writer = db.writer().expect("a turn");
    for _ in 0..ralph_core::limits::BACKUPS_KEPT + 3 {
        writer.backup(folder.path(), sqlite_db::BackupReason::Regular).expect("copies");
    }
    let mut names: Vec<String> = std::fs::read_dir(folder.path().join("backups"))
        .expect("lists")
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), ralph_core::limits::BACKUPS_KEPT);
    assert_eq!(names.last().map(String::as_str), Some("regular-00010.db"));
}

/// Queries of an iteration must not become slower with the project's history: each uses an index.
#[test]
fn what_an_iteration_asks_for_runs_on_indexes() {
    let (folder, _db) = open();
    let connection = rusqlite::Connection::open(folder.path().join("db/ralph.db")).expect("opens");
    for sql in [
        "SELECT count(*) FROM iterations WHERE task_id = 1 AND outcome IN ('done', 'failed', 'no_sigil', 'error')",
        "SELECT i.attempt FROM iterations i LEFT JOIN failure_reports f ON f.iteration_id = i.id WHERE i.task_id = 1 AND i.attempt IS NOT NULL ORDER BY i.id DESC LIMIT 10",
        "SELECT model, difficulty, count(*) FROM iterations WHERE id > (SELECT coalesce(max(id), 0) FROM iterations) - 1000 AND attempt IS NOT NULL GROUP BY model, difficulty",
        "SELECT outcome FROM iterations WHERE attempt IS NOT NULL AND ended IS NOT NULL ORDER BY id DESC LIMIT 20",
        "SELECT difficulty FROM iterations WHERE task_id = 1 AND difficulty IS NOT NULL ORDER BY id DESC LIMIT 1",
        "SELECT id FROM memories WHERE feature_id = 1 AND kind = 'learning' AND state IN ('active', 'parked') ORDER BY created, id",
        "SELECT count(*) FROM failure_reports WHERE task_id = 1",
    ] {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect(sql);
        let plan: Vec<String> = statement.query_map([], |r| r.get("detail")).expect("explains").map(|r| r.expect("a row")).collect();
        let bounded =
            |line: &String| !line.starts_with("SCAN") || line.contains("ORDER BY") || line.contains("iterations") && sql.contains("LIMIT");
        assert!(plan.iter().all(bounded), "{sql}\n{}", plan.join("\n"));
    }
}

#[test]
fn passages_follow_every_change_of_a_memory() {
    let (_folder, db) = open();
    write(&db, |tx| {
        tx.insert_feature(&feature("pay"))?;
        tx.put_learning(&FeatureLearning {
            text: "Refunds need the idempotency key".into(),
            ..learning("L1", LearningSource::Agent, 1, false)
        })
    })
    .expect("writes");
    let found =
        |index: TextIndex, word: &str| db.read(|r| r.search_passages(index, Reach::Knowledge, &[word.to_owned()])).expect("searches").len();
    assert_eq!(found(TextIndex::Words, "refund"), 1, "porter stems");
    assert_eq!(found(TextIndex::Words, "idempotency\" OR \"x"), 0, "words are data");
    assert_eq!(found(TextIndex::Trigrams, "otency"), 1, "a fragment");
    let active = || db.read(|r| r.passages("none", Reach::Knowledge)).expect("reads").iter().map(|p| p.active).collect::<Vec<_>>();
    assert_eq!(active(), [true]);
    let retired = FeatureLearning { state: LearningState::Retired, ..learning("L1", LearningSource::Agent, 1, false) };
    write(&db, |tx| tx.put_learning(&retired)).expect("retires");
    assert_eq!(active(), [false]);
    let connection = rusqlite::Connection::open(db.path()).expect("opens");
    connection.execute("DELETE FROM memories", []).expect("clears");
    assert_eq!(found(TextIndex::Words, "refund"), 0);
    for index in ["knowledge_fts", "knowledge_trigram"] {
        connection.execute(&format!("INSERT INTO {index} ({index}) VALUES ('integrity-check')"), []).expect("index and table agree");
    }
}

#[test]
fn a_task_that_moves_lets_an_index_in_memory_be_read_again() {
    let (_folder, db) = open();
    let id = write(&db, |tx| {
        tx.insert_feature(&feature("pay"))?;
        tx.insert_feature(&feature("shop"))?;
        tx.insert_task(&task("pay", "Refund", TaskKind::Work, &[]))
    })
    .expect("writes");
    let connection = rusqlite::Connection::open(db.path()).expect("opens");
    sqlite_db::add_functions(&connection).expect("functions");
    connection.pragma_update(None, "foreign_keys", false).expect("a report without its iteration");
    connection
        .execute(
            "INSERT INTO failure_reports (iteration_id, task_id, attempt_number, what_was_tried, why_it_failed, error_category, signature,
                 generated, created_at) VALUES (3, ?1, 1, 'ran the tests', 'the clock drifts', 'test_failure', 's', 0, 2)",
            [id],
        )
        .expect("a failure of it");
    let version = || db.read(|r| r.passages_version()).expect("reads");
    let before = version();
    write(&db, |tx| tx.update_task(&Task { id, ..task("shop", "Refund", TaskKind::Work, &[]) })).expect("moves");
    assert!(version() > before);
}

#[test]
fn what_was_made_of_a_text_is_found_by_its_hash_when_its_passage_is_gone() {
    let (_folder, db) = open();
    let passage = |source| NewPassage { source, ordinal: 0, series: None, created: Timestamp(0), text: "the same text" };
    let made = TextVector { vector: vec![0.6, 0.8], tokens: Some(vec![1; 256]) };
    let row = write(&db, |tx| tx.insert_document_passage(&passage(1))).expect("writes");
    write(&db, |tx| tx.set_text_vector(row, "a", b"hash", &made)).expect("writes");
    let known = |model: &str| db.read(|r| r.text_vector(b"hash", model)).expect("reads");
    assert_eq!((known("a"), known("b")), (Some(made.clone()), None));
    assert_eq!(db.read(|r| r.passage_tokens(row, "a")).expect("reads"), made.tokens);

    // Another model's vector replaces it; the first is kept.
    let other = TextVector { vector: vec![1.0], tokens: None };
    write(&db, |tx| tx.set_text_vector(row, "b", b"hash", &other)).expect("writes");
    assert_eq!((known("a"), known("b")), (Some(made.clone()), Some(other)));
    assert_eq!(db.read(|r| r.passage_tokens(row, "b")).expect("reads"), None, "its tokens are of another model");

    write(&db, |tx| tx.forget_text_vectors()).expect("writes");
    assert_eq!(known("a"), Some(made), "what is kept keeps its tokens");
    assert_eq!(db.read(|r| r.passages_without_tokens("b", 10)).expect("reads").len(), 1);
}

#[test]
fn what_changed_of_passages_is_told_since_a_number_or_not_known_any_more() {
    let (_folder, db) = open();
    let change = || db.read(|r| r.passage_change()).expect("reads");
    let since = |after| {
        let changed = db.read(|r| r.changed_passages(after, "a", Reach::Knowledge)).expect("reads");
        changed.map(|all| all.into_iter().map(|(row, now)| (row, now.map(|p| p.vector.is_some()))).collect::<Vec<_>>())
    };
    let passage = |source| NewPassage { source, ordinal: 0, series: None, created: Timestamp(0), text: "a text" };
    let begin = change();
    assert_eq!(since(begin), Some(vec![]));
    let rows: Vec<i64> = (1..=2).map(|n| write(&db, |tx| tx.insert_document_passage(&passage(n))).expect("writes")).collect();
    let then = change();
    write(&db, |tx| tx.set_vector(rows[0], "a", &[1.0])).expect("writes");
    assert_eq!(since(begin), Some(vec![(rows[0], Some(true)), (rows[1], Some(false))]));
    assert_eq!(since(then), Some(vec![(rows[0], Some(true))]));
    assert_eq!(since(change() + 1), None, "of another history");
}

#[test]
fn a_vector_belongs_to_its_model_and_goes_with_its_passage() {
    let (_folder, db) = open();
    write(&db, |tx| {
        tx.insert_feature(&feature("pay"))?;
        tx.put_learning(&learning("L1", LearningSource::Agent, 1, false))?;
        tx.put_learning(&learning("L2", LearningSource::Agent, 1, false))
    })
    .expect("writes");
    let pending =
        |model: &str| db.read(|r| r.passages_without_vector(model, 10)).expect("reads").into_iter().map(|p| p.0).collect::<Vec<_>>();
    assert_eq!(pending("a"), [1, 2]);
    write(&db, |tx| tx.set_vector(1, "a", &[0.6, 0.8])).expect("writes");
    write(&db, |tx| tx.set_vector(99, "a", &[0.6, 0.8])).expect("a passage that is gone is passed over");
    assert_eq!((pending("a"), pending("b")), (vec![2], vec![1, 2]), "another model's vector is none");
    assert_eq!(db.read(|r| r.vector_counts("a")).expect("counts"), (2, 1));
    let missing = |model: &str| db.read(|r| r.vectors_missing(model)).expect("counts");
    assert_eq!((missing("a"), missing("b")), (1, 2));
    write(&db, |tx| tx.put_learning(&FeatureLearning { state: LearningState::Retired, ..learning("L2", LearningSource::Agent, 1, false) }))
        .expect("puts away");
    assert_eq!((pending("a"), missing("b")), (vec![], 1), "what is put away waits for nothing");
    write(&db, |tx| tx.put_learning(&learning("L2", LearningSource::Agent, 1, false))).expect("returns");
    assert_eq!((pending("a"), missing("b")), (vec![2], 2));
    let vectors =
        |model: &str| db.read(|r| r.passages(model, Reach::Knowledge)).expect("reads").into_iter().map(|p| p.vector).collect::<Vec<_>>();
    assert_eq!(vectors("a"), [Some(vec![0.6, 0.8]), None]);
    write(&db, |tx| tx.set_vector(1, "b", &[1.0])).expect("replaces");
    assert_eq!((vectors("a"), vectors("b")), (vec![None, None], vec![Some(vec![1.0]), None]));
    let version = || db.read(|r| r.passages_version()).expect("reads");
    let before = version();
    let retired = FeatureLearning { state: LearningState::Retired, ..learning("L1", LearningSource::Agent, 1, false) };
    write(&db, |tx| tx.put_learning(&retired)).expect("retires");
    assert!(version() > before, "an index in memory is read again");
    rusqlite::Connection::open(db.path()).expect("opens").execute("DELETE FROM memories", []).expect("clears");
    assert_eq!(vectors("b"), Vec::<Option<Vec<f32>>>::new());
}
