//! What an iteration asks of the database must not cost more, the longer the project's past is.
//!
//! Measured over every statement that really runs, in steps of SQLite's virtual machine: the same on every computer.

use crate::table::{NewIteration, NewRun, SettledIteration, TextIndex};
use crate::{Db, DbError, Read, Tx};
use ralph_core::feature::Feature;
use ralph_core::recall::Reach;
use ralph_core::run::attempt::{ErrorCategory, FailureRecord};
use ralph_core::run::owner::Owner;
use ralph_core::run::{AgentKind, Evidence, Outcome, RunLimits, StopReason};
use ralph_core::signal::Usage;
use ralph_core::strategy::Strategy;
use ralph_core::task::{Task, TaskStatus};
use ralph_core::time::Timestamp;
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::{Connection, StatementStatus};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Iterations behind a young project and behind an old one. Both have more than the windows of the queries over recent history.
const YOUNG: u32 = 1_500;
const OLD: u32 = 12_000;
/// Iterations of a run.
const RUN: u32 = 50;
/// The task that is asked about, with its failed attempts.
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
    // A tree that is one level deeper may cost a few steps more.
    let grows = |(sql, steps): &(&String, &i32)| f64::from(**steps) > 1.2 * f64::from(young[*sql]) + 20.0;
    let growing: Vec<String> = old.iter().filter(grows).map(|(sql, steps)| format!("{} steps became {steps}: {sql}", young[sql])).collect();
    assert!(growing.is_empty(), "{}", growing.join("\n"));
}

#[test]
fn a_statement_that_reads_everything_is_found_out() {
    let steps = |iterations| lived(iterations, |read| read.totals().map(|_| ())).into_values().sum::<i32>();
    assert!(steps(OLD) > 4 * steps(YOUNG), "the measure sees a scan");
}

/// The statements of one iteration's questions, with the steps that each took.
fn asked(iterations: u32) -> BTreeMap<String, i32> {
    lived(iterations, |read| {
        let (task, feature) = (read.next_ready_task(None)?.expect("is ready"), read.feature("pay")?.expect("exists"));
        assert_eq!(task.id, TASK);
        read.task(TASK)?;
        read.tasks_by_id(&[TASK])?;
        read.comments(TASK)?;
        read.active_run(None)?;
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
        read.finishing_iterations(&[TASK + 1])?;
        read.running_iteration_of(TASK)?;
        read.running_iterations(1)?;
        read.iteration_signals(1)?;
        read.learnings_near(feature.id, &[1, 2, 3], true, 64)?;
        read.learnings_in(feature.id, ralph_core::learning::LearningState::Active)?;
        read.saturation_of(&feature, 50)?;
        // What recall reads for a prompt; failure reports are no part of it.
        assert_eq!(read.passages("model", Reach::Knowledge)?.len(), 0);
        read.search_passages(TextIndex::Words, Reach::Knowledge, &["refund".to_owned()])?;
        // What tending looks for beside it.
        read.passages_version()?;
        assert_eq!(read.passages_without_vector("model", 64)?.len(), 1);
        assert_eq!(read.vectors_missing("model")?, 1);
        read.has_reconciled()?;
        read.learnings_to_reconcile("model", 8)?;
        read.count_to_reconcile("model")?;
        read.waiting_events().map(|_| ())
    })
}

/// Reads from a project with so many iterations behind it, and tells the steps of each statement.
fn lived(iterations: u32, ask: impl FnOnce(&Read<'_>) -> Result<(), DbError>) -> BTreeMap<String, i32> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("ralph.db");
    let db = Db::open(&path).expect("opens");
    db.writer().expect("a turn").transaction(|tx| fill(tx, iterations)).expect("fills");
    STEPS.take();
    let connection = Connection::open(&path).expect("opens");
    connection.trace_v2(TraceEventCodes::SQLITE_TRACE_PROFILE, Some(heard));
    ask(&Read { connection: &connection }).expect("answers");
    STEPS.take()
}

fn heard(event: TraceEvent<'_>) {
    if let TraceEvent::Profile(statement, _) = event {
        // The counter goes on over repeated executions, so the last value is the sum.
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
            tx.insert_run(&a_run(), at)?;
        }
        // The attempts at the asked task are the newest.
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
        };
        let id = tx.insert_iteration(&new, at)?;
        let done = of != TASK && attempt == 2;
        tx.settle_iteration(&settled(id, done), at)?;
        if !done {
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

fn task(status: TaskStatus) -> Task {
    Task { status, ..Task::new("pay", "Work", Timestamp(1)) }
}

fn a_run() -> NewRun {
    NewRun {
        checkout: "here".into(),
        agent: AgentKind::Scripted,
        model: String::new(),
        only_task: None,
        limits: RunLimits { max_iterations: None, max_minutes: None, max_usd: None },
        check: None,
        strategy: Strategy::Escalate,
        hold_out: 0,
        owner: Owner::default(),
    }
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
