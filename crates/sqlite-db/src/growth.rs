//! Queries of an iteration must not become slower as the project's history grows.
//!
//! Measured over every statement that is executed, in steps of SQLite's virtual machine: the same on every computer.

use crate::table::{NewIteration, NewRun, SettledIteration};
use crate::{Db, DbError, Read, Tx};
use ralph_core::LearningId;
use ralph_core::feature::Feature;
use ralph_core::learning::{FeatureLearning, LearningSource, LearningState};
use ralph_core::limits::EPISODES;
use ralph_core::memory::{Episode, LessonType, Withdrawal, WithdrawalReason};
use ralph_core::quality::{PairJudgement, PairVerdict, Reconciliation};
use ralph_core::recall::{Reach, TextIndex};
use ralph_core::run::attempt::{ErrorCategory, FailureRecord};
use ralph_core::run::{Evidence, Outcome, StopReason};
use ralph_core::signal::Usage;
use ralph_core::task::{Task, TaskStatus};
use ralph_core::time::Timestamp;
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::{Connection, StatementStatus};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Iterations of a young project and of an old one. Both exceed the windows of the queries over recent history.
const YOUNG: u32 = 1_500;
const OLD: u32 = 12_000;
/// Iterations of a run.
const RUN: u32 = 50;
/// The task that is queried, with its failed attempts.
const TASK: u32 = 1;
const ATTEMPTS: u32 = 6;

thread_local! {
    /// Steps by statement.
    static STEPS: RefCell<BTreeMap<String, i32>> = const { RefCell::new(BTreeMap::new()) };
}

#[test]
fn what_an_iteration_asks_does_not_grow_with_the_past() {
    let (young, old) = (asked(YOUNG), asked(OLD));
    assert_eq!(young.keys().collect::<Vec<_>>(), old.keys().collect::<Vec<_>>());
    assert!(young.len() >= 15, "the statements were heard: {young:#?}");
    let growing = growing(&young, &old);
    assert!(growing.is_empty(), "{}", growing.join("\n"));
}

/// The statements that took more steps. A tree that is one level deeper may cost a few.
fn growing(young: &BTreeMap<String, i32>, old: &BTreeMap<String, i32>) -> Vec<String> {
    let grows = |(sql, steps): &(&String, &i32)| f64::from(**steps) > 1.2 * f64::from(young[*sql]) + 20.0;
    old.iter().filter(grows).map(|(sql, steps)| format!("{} steps became {steps}: {sql}", young[sql])).collect()
}

#[test]
fn a_statement_that_reads_everything_is_found_out() {
    let steps = |iterations| lived(iterations, |read| read.totals().map(|_| ())).into_values().sum::<i32>();
    assert!(steps(OLD) > 4 * steps(YOUNG), "the measure sees a scan");
}

/// The statements of one iteration's queries, with their steps.
fn asked(iterations: u32) -> BTreeMap<String, i32> {
    lived(iterations, |read| {
        let (task, feature) = (read.ready_tasks(None, 1)?.pop().expect("is ready"), read.feature("pay")?.expect("exists"));
        assert_eq!(task.id, TASK);
        read.task(TASK)?;
        read.tasks_by_id(&[TASK])?;
        read.comments(TASK)?;
        read.active_runs()?;
        read.is_at_work()?;
        read.active_run_in("here")?;
        read.places_at_work()?;
        read.all_running_iterations()?;
        read.run_owners()?;
        read.run(1)?;
        read.iteration(1)?;
        read.attempts_at(TASK)?;
        read.last_estimate(TASK)?;
        read.model_records()?;
        read.recent_successes(20)?;
        assert_eq!(read.attempts(TASK, 10)?.len(), ATTEMPTS as usize);
        read.iterations_of_task(TASK, 20)?;
        read.teaching_iterations(TASK)?;
        read.remarking_iterations(TASK)?;
        read.finishing_iterations(&[TASK + 1])?;
        read.running_iteration_of(TASK)?;
        read.running_iterations(1)?;
        read.iteration_signals(1)?;
        read.learnings_near(feature.id, &[1, 2, 3], true, 64)?;
        read.learnings_near_in(&[feature.id], &[1, 2, 3], true, 64)?;
        read.iterations_by_id(&[1])?;
        read.learnings_in(feature.id, ralph_core::learning::LearningState::Active)?;
        read.saturation_of(&feature, 50)?;
        // Episodes considered when a new one needs room.
        assert_eq!(read.active_episodes(Some(feature.id))?.len(), EPISODES);
        // What recall reads for a prompt; failure reports and withdrawn memories are excluded.
        assert_eq!(read.passages("model", Reach::Knowledge)?.len(), EPISODES);
        read.search_passages(TextIndex::Words, Reach::Knowledge, &["refund".to_owned()])?;
        // What the background indexer looks up in addition.
        assert_eq!(looked_for(read)?, (1, 0));
        read.waiting_events().map(|_| ())
    })
}

/// Lookups of the background indexer: the number of passages without a vector, and of learnings not compared yet.
fn looked_for(read: &Read<'_>) -> Result<(u32, u32), DbError> {
    read.passages_version()?;
    read.calibration("model")?;
    read.has_reconciled()?;
    // What clones learnt independently of each other.
    read.outside_learnings()?;
    read.newer_journals()?;
    assert!(read.active_learnings()?.len() <= ACTIVE as usize);
    let (texts, ids) = (read.passages_without_vector("model", 64)?, read.learnings_to_reconcile("model", 8)?);
    let counts = (read.vectors_missing("model")?, read.count_to_reconcile("model")?);
    assert_eq!((texts.len(), ids.len()), (counts.0 as usize, counts.1 as usize));
    Ok(counts)
}

#[test]
fn what_the_background_indexer_asks_does_not_grow_with_what_was_put_away() {
    let asked = |put_away| {
        measured(
            |tx| fill_knowledge(tx, put_away),
            |read| {
                assert_eq!(looked_for(read)?, (1, 1));
                let feature = read.feature("pay")?.expect("exists");
                // The comparison of one learning, and the part of knowledge that its act needs.
                let newest = [id_of(ACTIVE - 2)];
                assert!(read.learning(&newest[0])?.is_some() && read.reconciliation(&newest[0])?.is_none());
                assert_eq!(read.learning_vectors(feature.id, "model")?.len(), ACTIVE as usize - 1);
                assert_eq!(read.kept_apart_from(&newest[0])?.len(), 1);
                assert_eq!(read.learnings_by_id(&newest)?.len(), 1);
                let facts = read.learning_facts(Some(&newest))?;
                assert_eq!((facts.apart.len(), facts.acts.len(), facts.brought_back.len()), (1, 0, 0));
                assert_eq!(read.acts_of(&newest[0])?.len(), 0);
                for state in [LearningState::Active, LearningState::Parked] {
                    read.learnings_in(feature.id, state)?;
                }
                read.saturation_of(&feature, 50)?;
                read.active_split_task(feature.id)?;
                read.split_skipped(feature.id)?;
                read.newer_journal("pay")?;
                read.last_event_id().map(|_| ())
            },
        )
    };
    let (young, old) = (asked(100), asked(2_000));
    assert!(young.len() >= 18, "the statements were heard: {young:#?}");
    let growing = growing(&young, &old);
    assert!(growing.is_empty(), "{}", growing.join("\n"));
}

/// Active learnings of a feature besides those put away. Of the last two, one awaits its comparison, one its vector.
const ACTIVE: u32 = 40;

fn id_of(number: u32) -> LearningId {
    format!("L{number:06}")
}

fn fill_knowledge(tx: &Tx<'_>, put_away: u32) -> Result<(), DbError> {
    tx.insert_feature(&Feature::new("pay", Timestamp(1)))?;
    for number in 0..ACTIVE + put_away {
        let state = if number < ACTIVE { LearningState::Active } else { LearningState::Retired };
        tx.put_learning(&learning(number, state))?;
        if number != ACTIVE - 2 {
            tx.set_reconciliation(&compared(number))?;
        }
        if number >= ACTIVE {
            // Pairs of put-away learnings.
            let judgement = PairJudgement { verdict: PairVerdict::Conflict, ..compared(number).judgement };
            tx.put_act(&Reconciliation { other: Some(id_of(number - 1)), judgement, ..compared(number) })?;
            tx.insert_brought_back(&id_of(number))?;
            tx.insert_apart(&(id_of(number - 1), id_of(number)))?;
        }
    }
    tx.insert_apart(&(id_of(0), id_of(ACTIVE - 2)))?;
    // Put-away learnings once had a vector.
    for passage in tx.passages("model", Reach::Everything)?.iter().filter(|passage| passage.source != i64::from(ACTIVE)) {
        tx.set_vector(passage.row, "model", &[1.0])?;
    }
    Ok(())
}

fn compared(number: u32) -> Reconciliation {
    Reconciliation {
        learning: id_of(number),
        model: "model".into(),
        other: None,
        judgement: PairJudgement { verdict: PairVerdict::Distinct, cosine: 0.0, similarity: 0.0, hits: vec![] },
        made: None,
        counted: vec![],
        filled: None,
        at: Timestamp(1),
    }
}

fn learning(number: u32, state: LearningState) -> FeatureLearning {
    FeatureLearning { created: Timestamp(i64::from(number)), state, ..crate::testing::learning(&id_of(number)) }
}

/// Reads from a project with that many iterations, and returns the steps of each statement.
fn lived(iterations: u32, ask: impl FnOnce(&Read<'_>) -> Result<(), DbError>) -> BTreeMap<String, i32> {
    measured(|tx| fill(tx, iterations), ask)
}

/// Reads from a project filled by `fill`, and returns the steps of each statement.
fn measured(
    fill: impl FnOnce(&Tx<'_>) -> Result<(), DbError>,
    ask: impl FnOnce(&Read<'_>) -> Result<(), DbError>,
) -> BTreeMap<String, i32> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("ralph.db");
    let db = Db::open(&path).expect("opens");
    db.writer().expect("a turn").transaction(fill).expect("fills");
    STEPS.take();
    let connection = Connection::open(&path).expect("opens");
    connection.trace_v2(TraceEventCodes::SQLITE_TRACE_PROFILE, Some(heard));
    ask(&Read { connection: &connection }).expect("answers");
    STEPS.take()
}

fn heard(event: TraceEvent<'_>) {
    if let TraceEvent::Profile(statement, _) = event {
        // The counter accumulates over repeated executions, so the last value is the sum.
        STEPS.with_borrow_mut(|steps| steps.insert(statement.sql().into_owned(), statement.get_status(StatementStatus::VmStep)));
    }
}

/// One task with failed attempts, then tasks that took two attempts each, and runs that ended.
fn fill(tx: &Tx<'_>, iterations: u32) -> Result<(), DbError> {
    tx.insert_feature(&Feature::new("pay", Timestamp(1)))?;
    tx.insert_task(&task(TaskStatus::Pending))?;
    for number in 0..iterations {
        let at = Timestamp(i64::from(number));
        let run = number / RUN + 1;
        if number % RUN == 0 {
            if run > 1 {
                tx.end_run(run - 1, StopReason::MaxIterations, None, at)?;
            }
            tx.insert_run(&NewRun::scripted("here"), at)?;
        }
        // The attempts at the queried task are the newest.
        let left = iterations - number;
        let (of, attempt) = if left <= ATTEMPTS { (TASK, ATTEMPTS - left + 1) } else { (TASK + 1 + number / 2, number % 2 + 1) };
        if of != TASK && attempt == 1 {
            tx.insert_task(&task(TaskStatus::Done))?;
        }
        let new = NewIteration {
            run,
            task: of,
            task_title: String::new(),
            attempt,
            model: "opus".into(),
            rationale: String::new(),
            held_out: false,
            lane: 1,
            scheduled: None,
        };
        let id = tx.insert_iteration(&new, at)?;
        let done = of != TASK && attempt == 2;
        tx.settle_iteration(&settled(id, done), at)?;
        if done {
            // Every second iteration, and after the last of them the attempts at the queried task.
            let aged = number + ATTEMPTS + 2 * EPISODES as u32 <= iterations;
            tx.put_episode(&episode(id, at, aged))?;
        } else {
            tx.insert_failure(id, of, attempt, &failure(), at)?;
        }
    }
    // Only the newest failure has no vector yet.
    let passages = tx.passages("model", Reach::Everything)?;
    for passage in &passages[..passages.len() - 1] {
        tx.set_vector(passage.row, "model", &[1.0])?;
    }
    tx.end_run(iterations.div_ceil(RUN), StopReason::NothingReady, None, Timestamp(1))
}

fn episode(iteration: u32, at: Timestamp, aged: bool) -> Episode {
    let because = WithdrawalReason::Aged;
    Episode {
        kept: false,
        seen: Vec::new(),
        id: format!("E{iteration}"),
        feature: Some("pay".into()),
        lesson: "Refunds were done".into(),
        lesson_type: LessonType::Success,
        confidence: 0.7,
        source: LearningSource::Auto,
        task_id: None,
        iteration: Some(iteration),
        replica: None,
        files: vec![],
        created: at,
        withdrawn: aged.then_some(Withdrawal { at, because, detail: String::new() }),
    }
}

fn task(status: TaskStatus) -> Task {
    Task { status, ..Task::new("pay", "Work", Timestamp(1)) }
}

fn settled(id: u32, done: bool) -> SettledIteration {
    SettledIteration {
        id,
        outcome: if done { Outcome::Done } else { Outcome::Failed },
        note: None,
        usage: Usage::default(),
        denials: vec![],
        evidence: Evidence::default(),
        exit_code: Some(0),
        difficulty: None,
        next_model: None,
    }
}

fn failure() -> FailureRecord {
    FailureRecord {
        what_was_tried: "this".into(),
        why_it_failed: "that".into(),
        category: ErrorCategory::TestFailure,
        relevant_files: vec![],
        stack_trace: None,
        retry_suggestion: None,
        signature: "test_failure: that".into(),
        generated: false,
    }
}
