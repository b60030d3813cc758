//! The prompt of a task in a project with a long past, against the same prompt in a young one.

use crate::Measured;
use crate::figure::{Aim, Figure, in_turns};
use crate::project::{Project, learning};
use ralph_core::limits::MAX_LEARNINGS;
use ralph_core::run::attempt::{ErrorCategory, FailureRecord};
use ralph_core::run::{Evidence, Outcome, StopReason};
use ralph_core::signal::Usage;
use ralph_core::task::{NewTask, TaskStatus};
use ralph_core::time::Timestamp;
use sqlite_db::table::{NewIteration, NewRun, SettledIteration};
use sqlite_db::{Db, DbError, Tx};
use std::error::Error;

/// Iterations of the young project and of the old one.
const YOUNG: u32 = 1_000;
const OLD: u32 = 100_000;
/// Attempts that a task of the past took; the last one succeeded.
const ATTEMPTS: u32 = 4;
/// Failed attempts of the task whose prompt is built.
const FAILED: u32 = 20;
/// Iterations of one run.
const RUN_ITERATIONS: u32 = 100;
const START: i64 = 1_700_000_000_000;

/// In turns, each on a project of its own with the same feature, learnings and attempts at the task.
pub fn measure(quick: bool) -> Measured {
    let long = if quick { 10 * YOUNG } else { OLD };
    let (young, young_task) = lived(YOUNG)?;
    let (old, old_task) = lived(long)?;
    let (value, floor) = in_turns(if quick { 11 } else { 101 }, || whole(&old, old_task), || whole(&young, young_task))?;
    let name = format!("prompt of a task with {FAILED} attempts, {long} iterations in the database");
    Ok(vec![Figure::new(name, "ms", value, ("the same over 1,000 iterations", floor), Aim::RatioAtMost(1.5))])
}

/// Builds the prompt, which must tell all that it can.
fn whole(project: &Project, task: u32) -> Result<(), Box<dyn Error>> {
    let prompt = project.app.next_prompt(task)?;
    let has = |name: &str| prompt.sections.iter().any(|section| section.name == name);
    if has("attempts") && has("status") && !prompt.told.is_empty() { Ok(()) } else { Err("the prompt tells no memory".into()) }
}

/// A project with so many iterations behind it, and the task to build a prompt for.
fn lived(iterations: u32) -> Result<(Project, u32), Box<dyn Error>> {
    let project = Project::new()?;
    project.feature("shop")?;
    let title = "Reload the cache of src/mod7.rs";
    let task = project.app.create_task(&NewTask { feature: "shop".to_owned(), title: title.to_owned(), ..NewTask::default() })?;
    let db = Db::open(&project.database())?;
    db.writer()?.transaction(|tx| {
        for number in 0..MAX_LEARNINGS - 10 {
            tx.put_learning(&learning("shop", number))?;
        }
        let past = iterations - FAILED;
        for number in 0..past {
            let worker = run_of(tx, number)?;
            let attempt = number % ATTEMPTS + 1;
            if attempt == 1 {
                tx.insert_task(&ralph_core::task::Task { status: TaskStatus::Done, title: format!("Work {number}"), ..task.clone() })?;
            }
            let of = task.id + 1 + number / ATTEMPTS;
            iteration(tx, worker, of, attempt, attempt == ATTEMPTS, number)?;
        }
        for attempt in 1..=FAILED {
            let number = past + attempt - 1;
            let worker = run_of(tx, number)?;
            iteration(tx, worker, task.id, attempt, false, number)?;
        }
        tx.end_run(iterations.div_ceil(RUN_ITERATIONS), StopReason::NothingReady, None, Timestamp(START))
    })?;
    Ok((project, task.id))
}

/// The run that an iteration belongs to; begun with its first.
fn run_of(tx: &Tx<'_>, number: u32) -> Result<u32, DbError> {
    let run = number / RUN_ITERATIONS + 1;
    if number.is_multiple_of(RUN_ITERATIONS) {
        let at = Timestamp(START);
        if run > 1 {
            tx.end_run(run - 1, StopReason::MaxIterations, None, at)?;
        }
        tx.insert_run(&NewRun::scripted("bench"), at)?;
    }
    Ok(run)
}

/// One settled iteration, with its failure report when it failed.
fn iteration(tx: &Tx<'_>, run: u32, task: u32, attempt: u32, done: bool, number: u32) -> Result<(), DbError> {
    let at = Timestamp(START + i64::from(number) * 60_000);
    let model = ["haiku", "sonnet", "opus"][(attempt as usize - 1) / 2 % 3].to_owned();
    let new = NewIteration {
        run,
        task,
        task_title: format!("Work {number}"),
        attempt,
        model,
        rationale: "escalate".to_owned(),
        held_out: false,
        lane: 1,
        scheduled: None,
    };
    let id = tx.insert_iteration(&new, at)?;
    let settled = SettledIteration {
        id,
        outcome: if done { Outcome::Done } else { Outcome::Failed },
        note: Some("the agent says so".to_owned()),
        usage: Usage { input_tokens: 1_200, output_tokens: 340, cost_usd: Some(0.02), ..Usage::default() },
        denials: Vec::new(),
        evidence: Evidence { changed_files: vec![format!("src/mod{}.rs", number % 40)], ..Evidence::default() },
        exit_code: Some(0),
        difficulty: None,
        next_model: None,
    };
    tx.settle_iteration(&settled, at)?;
    if !done {
        tx.insert_failure(id, task, attempt, &failure(number), at)?;
    }
    Ok(())
}

fn failure(number: u32) -> FailureRecord {
    FailureRecord {
        what_was_tried: format!("Reloaded the cache after change {number}"),
        why_it_failed: "The test still sees the stale value".to_owned(),
        category: ErrorCategory::TestFailure,
        relevant_files: vec![format!("src/mod{}.rs", number % 40)],
        stack_trace: Some("assertion failed: stale value".to_owned()),
        retry_suggestion: Some("Reload before the read".to_owned()),
        signature: format!("test_failure: stale value of cache{}", number % 40),
        generated: false,
    }
}
