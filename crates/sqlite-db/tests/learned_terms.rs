//! Learned terms never reach a full-text index, by the schema and by its search results.

use ralph_core::feature::Feature;
use ralph_core::feedback::{Feedback, Importance, LearnedTerm, Validation};
use ralph_core::learning::FeatureLearning;
use ralph_core::recall::{Reach, TextIndex};
use ralph_core::time::Timestamp;
use sqlite_db::{Db, DbError};

const TERM: &str = "chargebackzzz";

fn db_with_a_term() -> Result<(tempfile::TempDir, Db, Feedback), DbError> {
    let folder = tempfile::tempdir().map_err(|source| DbError::Io { path: "tmp".into(), source })?;
    let db = Db::open(&folder.path().join("ralph.db"))?;
    let term = LearnedTerm { term: TERM.into(), learnt: Timestamp(7), by: "person".into(), query: "Q".into(), rank: 5 };
    let said = Validation { useful: true, at: Timestamp(8), by: "person".into(), replica: Some("R".into()), query: None };
    let feedback = Feedback { terms: vec![term], validations: vec![said], importance: Importance::Important, promoted: Some(Timestamp(9)) };
    db.writer()?.transaction(|tx| {
        tx.insert_feature(&Feature::new("pay", Timestamp(1)))?;
        tx.put_learning(&FeatureLearning::new("L1", "pay", "A refund needs a key".to_owned(), Timestamp(1)))?;
        tx.set_feedback("L1", &feedback)
    })?;
    Ok((folder, db, feedback))
}

#[test]
fn no_full_text_table_and_no_trigger_names_the_column() {
    let (_folder, db, _) = db_with_a_term().expect("opens");
    let (tables, indexes) = db.read(|r| Ok::<_, DbError>((r.full_text_tables()?, r.indexes_of_learned_terms()?))).expect("reads");
    assert!(tables.len() >= 4, "{tables:?}");
    assert!(tables.iter().all(|(_, columns)| !columns.is_empty() && !columns.iter().any(|c| c == "learned_triggers")), "{tables:?}");
    assert_eq!(indexes, Vec::<String>::new());
}

#[test]
fn an_index_over_the_column_would_be_found() {
    let (folder, db, _) = db_with_a_term().expect("opens");
    let other = rusqlite::Connection::open(folder.path().join("ralph.db")).expect("opens");
    other.execute_batch("CREATE VIRTUAL TABLE bad USING fts5 (learned_triggers)").expect("makes");
    let found = db.read(|r| r.indexes_of_learned_terms()).expect("reads");
    assert!(found.contains(&"bad".to_owned()), "{found:?}");
}

#[test]
fn a_learned_term_matches_in_no_full_text_query_not_even_after_a_rebuild_of_the_indexes() {
    let (folder, db, _) = db_with_a_term().expect("opens");
    let found = |db: &Db| {
        let ask = |index| db.read(|r| r.search_passages(index, Reach::Everything, &[TERM.to_owned()])).expect("searches").len();
        [TextIndex::Words, TextIndex::Terms, TextIndex::Trigrams].map(ask)
    };
    assert_eq!(found(&db), [0, 0, 0]);
    let other = rusqlite::Connection::open(folder.path().join("ralph.db")).expect("opens");
    for (table, _) in db.read(|r| r.full_text_tables()).expect("reads") {
        other.execute(&format!("INSERT INTO {table} ({table}) VALUES ('rebuild')"), []).expect("rebuilds");
        let hits: i64 =
            other.query_row(&format!("SELECT count(*) FROM {table} WHERE {table} MATCH '{TERM}'"), [], |r| r.get(0)).expect("asks");
        assert_eq!(hits, 0, "{table}");
    }
    assert_eq!(found(&db), [0, 0, 0]);
}

#[test]
fn what_is_known_by_feedback_comes_back_as_it_was_and_goes_without_a_trace() {
    let (_folder, db, feedback) = db_with_a_term().expect("opens");
    let read = || db.read(|r| r.feedback(None)).expect("reads");
    assert_eq!(read(), [("L1".to_owned(), feedback.clone())]);
    assert_eq!(db.read(|r| r.feedback(Some(&["L2".to_owned()]))).expect("reads"), []);
    let promoted = |now, millis| db.read(|r| r.promoted_around(Timestamp(now), millis)).expect("reads");
    assert_eq!([promoted(15, 10), promoted(25, 10), promoted(5, 10)], [1, 0, 1]);
    assert_eq!(promoted(-5, 10), 0, "the clock was ahead: its date is not a reason to wait");
    let passages = db.read(|r| r.passages("m", Reach::Knowledge)).expect("reads");
    assert_eq!(passages[0].feedback, Some(feedback));
    db.writer().expect("a turn").transaction(|tx| tx.set_feedback("L1", &Feedback::default())).expect("writes");
    assert_eq!(read(), []);
    assert_eq!(db.read(|r| r.passages("m", Reach::Knowledge)).expect("reads")[0].feedback, None);
}
