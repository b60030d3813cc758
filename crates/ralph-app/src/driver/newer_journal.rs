//! What becomes of an iteration whose feature's journal holds lines of a newer Ralph: its work counts, nothing is dropped silently, and no
//! further agents are paid for the same task.

use super::commit::{Times, settle};
use crate::actor::tests::{done, running_by};
use crate::app::App;
use crate::clock::Clock;
use crate::files::Readers;
use ralph_core::feature::{FeaturePatch, NewFeature};
use ralph_core::learning::{LearningSource, NewLearning};
use ralph_core::limits;
use ralph_core::run::hooks::RowEffect;
use ralph_core::task::{TaskFilter, TaskKind, TaskStatus};

/// The process of a run, which does not matter here.
const NOBODY: u32 = 4_000_000;

/// A newer Ralph writes a line into the journal of `pay`.
fn is_written_by_a_newer_one(app: &App) {
    let path = app.journal_path("pay");
    let text = app.paths.files().read_text(&path, limits::JOURNAL_BYTES).expect("reads").expect("is there");
    let newer = text + "{\"v\":99,\"id\":\"01ZZ\",\"event\":\"dreamt\"}\n";
    app.paths.files().write(&path, newer.as_bytes(), Readers::Anyone).expect("writes");
    app.pull_journals().expect("reads what it can");
}

/// Ends iteration 1 with these changes.
fn end(app: &App, task: u32, kind: TaskKind, rows: Vec<RowEffect>) {
    let (settings, now) = (app.settings().expect("are there"), app.clock.now());
    app.write(|tx| settle(tx, done(task, kind, rows), &settings, Times::at(now))).expect("is settled");
}

#[test]
fn a_split_that_a_newer_ralph_must_close_is_blocked_and_not_worked_on_again() {
    let (_folder, app) = running_by(NOBODY, Clock::system());
    app.update_feature("pay", &FeaturePatch { max_learnings: Some(5), ..FeaturePatch::default() }).expect("caps");
    for number in 0..5 {
        let lesson = format!("Module m{number} keeps its own cache, so reload it after every change of file f{number}.rs");
        let new = NewLearning { source: LearningSource::Human, ..NewLearning::new("pay", &lesson) };
        app.append_feature_learning(&new).expect("is stored");
    }
    for name in ["refunds", "invoices"] {
        app.create_feature(&NewFeature { name: name.into(), parent: Some("pay".into()), ..NewFeature::default() }).expect("makes");
    }
    let split =
        app.tasks(&TaskFilter::default()).expect("lists").into_iter().find(|task| task.kind == TaskKind::Split).expect("is made").id;
    app.write(|tx| {
        tx.set_task_status(1, TaskStatus::Done, None, app.clock.now())?;
        Ok(tx.set_task_status(split, TaskStatus::InProgress, None, app.clock.now())?)
    })
    .expect("is claimed");
    is_written_by_a_newer_one(&app);
    end(&app, split, TaskKind::Split, vec![RowEffect::SettleTask { status: TaskStatus::Done, blocked_reason: None }]);
    let task = app.task(split).expect("is there").task;
    assert_eq!(task.status, TaskStatus::Blocked);
    assert!(task.blocked_reason.as_deref().is_some_and(|why| why.contains("pay.jsonl")), "{task:?}");
}

#[test]
fn a_lesson_that_can_not_be_stored_is_put_before_a_person_in_its_words() {
    let (_folder, app) = running_by(NOBODY, Clock::system());
    is_written_by_a_newer_one(&app);
    let lesson = NewLearning { iteration: Some(1), task_id: Some(1), ..NewLearning::new("pay", "The test database listens on port 5433") };
    let lesson = NewLearning { reason: Some("docker-compose.yml says so".into()), ..lesson };
    end(&app, 1, TaskKind::Work, vec![RowEffect::Remember(lesson)]);
    let notices = app.notices(false).expect("lists");
    let told = |word: &str| notices[0].title.contains(word) || notices[0].detail.contains(word);
    assert!(notices.len() == 1 && ["pay.jsonl", "port 5433", "says so"].into_iter().all(told), "{notices:?}");
    assert_eq!((notices[0].iteration, notices[0].task), (Some(1), Some(1)));
}
