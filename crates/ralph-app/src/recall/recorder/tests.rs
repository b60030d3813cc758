use super::*;
use ralph_core::evaluation::{Arm, QueryRecord};
use std::collections::BTreeSet;

fn query(number: usize) -> Record {
    let record = QueryRecord {
        id: format!("Q{number}"),
        at: Timestamp(i64::try_from(number).expect("small")),
        origin: RecallOrigin::Cli,
        text: "a question".into(),
        feature: None,
        iteration: None,
        configuration: "c".into(),
        arm: Arm::Plain,
        drawn: false,
        micros: 1,
        results: Vec::new(),
    };
    Record::Query(Box::new(UnfinishedRecord {
        record,
        tuning: ralph_core::recall::Tuning::default(),
        feedback: ralph_core::feedback::FeedbackMode::Shadow,
        model: "m".into(),
    }))
}

fn selection(id: &str, at: i64, query: Option<&str>) -> SelectionRecord {
    SelectionRecord {
        id: id.into(),
        at: Timestamp(at),
        query: query.map(str::to_owned),
        memory: "L1".into(),
        kind: ralph_core::feedback::SelectionKind::Opened,
        weight: 0.3,
        by: "person".into(),
        rank: Some(1),
        channels: Vec::new(),
        counted: false,
    }
}

fn counts(path: &Path) -> ralph_core::evaluation::RecordedCounts {
    open(path).and_then(|db| db.read(|r| r.recorded_counts())).expect("reads")
}

#[test]
fn what_finds_no_place_is_counted_and_nobody_waits() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("eval.db");
    let recorder = Recorder::of(path.clone());
    // Another writer holds the lock for a while: the queue fills up.
    let other = open(&path).expect("opens");
    let writer = other.writer().expect("a turn");
    let all = limits::EVAL_QUEUE * 2;
    for number in 0..all {
        recorder.record(query(number));
    }
    assert!(recorder.dropped() > 0, "the queue is bounded");
    drop(writer);
    recorder.flush();
    recorder.record(query(all));
    drop(recorder);
    let counts = counts(&path);
    assert_eq!((counts.queries + counts.dropped) as usize, all + 1, "each is written or counted: {counts:?}");
}

#[test]
fn what_a_process_could_not_write_is_counted_by_the_next_one_that_can() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("eval.db");
    // Nothing can be opened where a folder stands.
    std::fs::create_dir(&path).expect("a folder");
    for number in 0..3 {
        let recorder = Recorder::of(path.clone());
        recorder.record(query(number));
        drop(recorder);
    }
    let recorder = Recorder::of(path.clone());
    assert_eq!(recorder.dropped(), 3, "each process left its own");
    std::fs::remove_dir(&path).expect("is empty");
    recorder.record(query(7));
    recorder.flush();
    let of = counts(&path);
    assert_eq!((of.queries, of.dropped, recorder.dropped()), (1, 3, 0), "counted once");
    recorder.record(query(8));
    drop(recorder);
    assert_eq!(counts(&path).dropped, 3);
}

#[test]
fn words_on_the_way_to_a_question_leave_no_row_unless_something_was_chosen() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("eval.db");
    let recorder = Recorder::of(path.clone());
    let chosen = selection("S1", 1, Some("Q1"));
    for record in [
        query(1),
        Record::Selection(Box::new(chosen)),
        Record::Superseded("Q1".into()),
        query(2),
        Record::Superseded("Q2".into()),
        query(3),
    ] {
        recorder.record(record);
    }
    drop(recorder);
    let kept = open(&path).and_then(|db| db.read(|r| r.recorded_queries(9))).expect("reads");
    assert_eq!(kept.iter().map(|query| query.id.as_str()).collect::<Vec<_>>(), ["Q1", "Q3"]);
}

#[test]
fn a_file_that_is_gone_or_damaged_costs_its_history_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("eval.db");
    for (number, harm) in [None, Some(&b"no database at all"[..])].into_iter().enumerate() {
        let recorder = Recorder::of(path.clone());
        recorder.record(query(number));
        recorder.flush();
        assert_eq!(counts(&path).queries, 1);
        drop(recorder);
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("eval.db{ending}")));
        }
        if let Some(bytes) = harm {
            std::fs::write(&path, bytes.repeat(500)).expect("writes");
        }
    }
    let recorder = Recorder::of(path.clone());
    recorder.record(query(9));
    drop(recorder);
    assert_eq!(counts(&path).queries, 1);
    assert!(folder.path().join("eval.db.damaged").exists(), "nothing is thrown away unseen");
}

#[test]
fn a_database_of_another_program_is_put_aside_whole() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("eval.db");
    // Whatever opens it first leaves a database of another kind.
    drop(Db::open(&path).expect("opens"));
    let before = std::fs::read(&path).expect("reads");
    let recorder = Recorder::of(path.clone());
    recorder.record(query(1));
    drop(recorder);
    assert_eq!(counts(&path).queries, 1);
    assert!(std::fs::read(folder.path().join("eval.db.damaged")).expect("reads") == before);
}

#[test]
fn a_file_that_grew_too_large_loses_its_oldest_questions_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("eval.db");
    let recorder = Recorder::of(path.clone());
    for number in 0..200 {
        if let Record::Query(mut asked) = query(number) {
            asked.record.text = format!("question {number} ").repeat(100);
            recorder.record(Record::Query(asked));
        }
        recorder.flush();
    }
    drop(recorder);
    let db = open(&path).expect("opens");
    let used = || db.read(|r| r.bytes_used()).expect("reads");
    let before = used();
    let forget_above = |most: u64| db.writer().and_then(|mut writer| writer.transaction(|tx| forget(tx, most))).expect("forgets");
    forget_above(before);
    assert_eq!(counts(&path).queries, 200, "within its limit nothing goes");
    forget_above(before / 2);
    let kept = db.read(|r| r.recorded_queries(500)).expect("reads");
    assert!(used() <= before / 2 && kept.len() > 50, "{} bytes of {before}, {} questions", used(), kept.len());
    let newest: Vec<String> = (200 - kept.len()..200).map(|number| format!("Q{number}")).collect();
    assert_eq!(kept.into_iter().map(|query| query.id).collect::<BTreeSet<_>>(), newest.into_iter().collect());
    forget_above(0);
    assert_eq!(counts(&path).queries, 0, "and it ends");
}

#[test]
fn a_clock_that_jumped_ahead_makes_nothing_old() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("eval.db");
    let write = |numbers: Vec<usize>| {
        let recorder = Recorder::of(path.clone());
        for number in numbers {
            recorder.record(query(number));
            recorder.flush();
        }
    };
    let far = usize::try_from(limits::EVAL_KEPT_MILLIS * 3).expect("fits");
    write((0..5).chain([far]).collect());
    write(vec![6]);
    assert_eq!(counts(&path).queries, 7);
    write((far + 1..far + 120).collect());
    write(vec![far + 200]);
    assert_eq!(counts(&path).queries, 121, "what is truly old is forgotten");
}

#[test]
fn one_question_of_a_clock_ahead_makes_nothing_old_however_many_follow() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("eval.db");
    let far = usize::try_from(limits::EVAL_KEPT_MILLIS * 3).expect("fits");
    for number in (0..20).chain([far]).chain(21..171) {
        let recorder = Recorder::of(path.clone());
        recorder.record(query(number));
        recorder.flush();
    }
    assert_eq!(counts(&path).queries, 171);
}

#[test]
fn the_folder_of_a_project_that_was_removed_is_not_made_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let home = folder.path().join("db");
    std::fs::create_dir(&home).expect("a folder");
    for is_open in [false, true] {
        let recorder = Recorder::of(home.join("eval.db"));
        recorder.record(query(1));
        if is_open {
            recorder.flush();
            recorder.record(query(2));
        }
        std::fs::remove_dir_all(&home).expect("removes");
        recorder.flush();
        assert!(!home.exists() && recorder.dropped() > 0, "open: {is_open}");
        drop(recorder);
        assert!(!home.exists(), "open: {is_open}");
        std::fs::create_dir(&home).expect("a folder");
    }
}

#[test]
fn what_was_chosen_without_a_question_is_forgotten_by_its_own_age() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("eval.db");
    let recorder = Recorder::of(path.clone());
    recorder.record(query(5));
    let chosen = [("S1", 1, None), ("S2", 1, Some("Q0")), ("S3", 1, Some("Q5")), ("S4", 9, None)];
    chosen.iter().for_each(|(id, at, of)| recorder.record(Record::Selection(Box::new(selection(id, *at, *of)))));
    drop(recorder);
    let db = open(&path).expect("opens");
    db.writer().and_then(|mut writer| writer.transaction(|tx| tx.forget_queries_before(Timestamp(5)))).expect("forgets");
    let left: Vec<String> = db.read(|r| r.selections()).expect("reads").into_iter().map(|of| of.id).collect();
    assert_eq!(left, ["S3", "S4"], "what its question holds stays with it");
}
