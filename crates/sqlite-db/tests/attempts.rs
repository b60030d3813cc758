//! Attempts as a person's own program reads them: the views show what the product counts.

use ralph_core::feature::Feature;
use ralph_core::run::attempt::{ErrorCategory, FailureRecord};
use ralph_core::run::{Evidence, Outcome};
use ralph_core::sigil::Difficulty;
use ralph_core::signal::Usage;
use ralph_core::task::Task;
use ralph_core::time::Timestamp;
use sqlite_db::table::{NewIteration, NewRun, SettledIteration};
use sqlite_db::{Db, DbError, Tx};

/// 2026-11-28T10:00:00.250Z.
const START: i64 = 1_795_860_000_250;

/// An iteration on the task, a minute after the one before; it takes 1.5 seconds.
fn iteration(tx: &Tx<'_>, attempt: u32, outcome: Outcome, model: &str, difficulty: Option<Difficulty>) -> Result<(), DbError> {
    let at = Timestamp(START + i64::from(attempt - 1) * 60_000);
    let new = NewIteration {
        run: 1,
        task: 1,
        task_title: String::new(),
        attempt,
        model: model.into(),
        rationale: String::new(),
        held_out: false,
        lane: 1,
        scheduled: None,
    };
    let id = tx.insert_iteration(&new, at)?;
    let usage = Usage { input_tokens: 1_200, output_tokens: 340, ..Usage::default() };
    let settled = SettledIteration {
        id,
        outcome,
        note: None,
        usage,
        denials: vec![],
        evidence: Evidence::default(),
        exit_code: Some(0),
        difficulty,
        next_model: None,
    };
    tx.settle_iteration(&settled, Timestamp(at.0 + 1_500))?;
    if matches!(outcome, Outcome::Failed | Outcome::NoSigil | Outcome::Error) {
        let failure = FailureRecord {
            what_was_tried: "this".into(),
            why_it_failed: "that".into(),
            category: ErrorCategory::BuildError,
            relevant_files: vec![],
            stack_trace: None,
            retry_suggestion: None,
            signature: String::new(),
            generated: true,
        };
        tx.insert_failure(id, 1, attempt, &failure, at)?;
    }
    Ok(())
}

#[test]
fn the_views_of_attempts_have_their_columns_and_say_what_the_product_counts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("ralph.db");
    let db = Db::open(&path).expect("opens");
    let write = |f: &dyn Fn(&Tx<'_>) -> Result<(), DbError>| db.writer().and_then(|mut writer| writer.transaction(f)).expect("writes");
    write(&|tx| {
        tx.insert_feature(&Feature::new("pay", Timestamp(1)))?;
        tx.insert_task(&Task::new("pay", "Refunds", Timestamp(1)))?;
        tx.insert_run(&NewRun::scripted("here"), Timestamp(START))?;
        iteration(tx, 1, Outcome::Failed, "haiku", None)?;
        iteration(tx, 2, Outcome::Done, "sonnet", Some(Difficulty::Hard))?;
        iteration(tx, 3, Outcome::RateLimited, "sonnet", None)?;
        iteration(tx, 3, Outcome::NoSigil, "haiku", None)?;
        iteration(tx, 4, Outcome::Error, "haiku", None)?;
        iteration(tx, 5, Outcome::Failed, "opus", Some(Difficulty::Easy))
    });
    let raw = rusqlite::Connection::open(&path).expect("opens");
    let text = |sql: &str| -> Vec<String> {
        let mut statement = raw.prepare(sql).expect(sql);
        let rows = statement.query_map([], |r| r.get(0)).expect(sql);
        rows.map(|row| row.expect("a row")).collect()
    };
    assert_eq!(
        text(
            "SELECT concat_ws(' ', task_id, attempt_number, model, started_at, duration_ms, tokens_input, tokens_output, outcome, error_type)
             FROM iteration_outcomes WHERE attempt_number IN (1, 2) ORDER BY 1"
        ),
        [
            "1 1 haiku 2026-11-28T10:00:00.250Z 1500 1200 340 failed build_error",
            "1 2 sonnet 2026-11-28T10:01:00.250Z 1500 1200 340 done",
        ]
    );
    let outcomes = text("SELECT outcome FROM iteration_outcomes ORDER BY started_at");
    assert_eq!(outcomes, ["failed", "done", "no_sigil", "error", "failed"], "a usage limit is no attempt");
    let metrics =
        "SELECT concat_ws(' ', task_id, total_attempts, consecutive_failures, last_attempt_at, last_success_at, difficulty_estimate,
        suggested_model, stuck_flag) FROM strategy_metrics";
    assert_eq!(text(metrics), ["1 5 3 2026-11-28T10:04:00.250Z 2026-11-28T10:01:01.750Z easy sonnet 1"]);
    let counted = || db.read(|r| Ok::<_, DbError>((r.attempts_at(1)?, r.task(1)?.map(|task| task.consecutive_failures)))).expect("reads");
    assert_eq!(counted(), (5, Some(3)));

    write(&|tx| tx.forget_attempts(1));
    assert_eq!(text("SELECT concat_ws(' ', total_attempts, consecutive_failures, stuck_flag) FROM strategy_metrics"), ["5 0 0"]);
    assert_eq!(counted(), (5, Some(0)), "a person put it back");
}
