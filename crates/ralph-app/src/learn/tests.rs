//! What becomes of detections while a run goes on, what is counted of them, and what stays behind a reworded one.

use super::{SettleOutcome, Speaker};
use crate::actor::tests::running_by;
use crate::app::App;
use crate::clock::Clock;
use ralph_core::detection::DetectionRefusal;
use ralph_core::memory::{EpisodeRow, LessonType, NewEpisode};
use ralph_core::run::{Evidence, Outcome};
use ralph_core::settings::{AutomaticLearning, LearningMode};
use ralph_core::signal::Usage;
use ralph_core::time::Timestamp;
use ralph_rag::learn::{Detection, Operation, Tracker};
use serde_json::{Value, json};
use sqlite_db::table::SettledIteration;

/// A process that drives no run any more.
const OWNER: u32 = 4_000_000;

/// A command that failed twice, and passed after a file was changed.
pub(super) fn mended() -> Detection {
    session(&[]).remove(0)
}

/// The detections of a session in which that happened, and then this.
fn session(then: &[Operation]) -> Vec<Detection> {
    let check = |error| operation("Bash", json!({ "command": "sh check.sh" }), error);
    let edit = operation("Edit", json!({ "file_path": "src/built.rs" }), None);
    let story = [check(Some("error: nothing is built")), check(Some("error: nothing is built")), edit, check(None)];
    let mut tracker = Tracker::default();
    story.into_iter().chain(then.iter().cloned()).filter_map(|operation| tracker.track_operation(operation)).collect()
}

fn operation(tool: &str, arguments: Value, error: Option<&str>) -> Operation {
    Operation { error: error.map(str::to_owned), ..Operation::of(tool, arguments, Timestamp(1)) }
}

fn keep(app: &App, iteration: Option<u32>, heard: u32) {
    let speaker = Speaker { iteration, ..Speaker::default() };
    let settings = AutomaticLearning { mode: LearningMode::Moderate, ..AutomaticLearning::of_a_new_project() };
    app.keep_detection(&settings, &speaker, &mended(), heard).expect("is kept");
}

fn end(app: &App) {
    let settled = SettledIteration {
        id: 1,
        outcome: Outcome::Done,
        note: None,
        usage: Usage::default(),
        denials: Vec::new(),
        evidence: Evidence::default(),
        exit_code: Some(0),
        difficulty: None,
        next_model: None,
    };
    app.write(|tx| Ok(tx.settle_iteration(&settled, app.clock.now())?)).expect("is settled");
}

#[test]
fn a_detection_is_not_settled_while_its_iteration_runs() {
    let (_folder, app) = running_by(OWNER, Clock::system());
    keep(&app, Some(1), 0);
    let settled = app.settle_detections().expect("settles");
    assert_eq!(settled, SettleOutcome { waiting: 1, ..SettleOutcome::default() });
    end(&app);
    let settled = app.settle_detections().expect("settles");
    assert_eq!(settled, SettleOutcome { stored: 1, ..SettleOutcome::default() });
}

#[test]
fn what_seemed_mended_and_fails_as_before_is_not_recorded() {
    let (_folder, app) = running_by(OWNER, Clock::system());
    let failed = |error: &str| operation("Bash", json!({ "command": "sh check.sh" }), Some(error));
    let settings = AutomaticLearning { mode: LearningMode::Moderate, ..AutomaticLearning::of_a_new_project() };
    let speaker = Speaker { iteration: Some(1), ..Speaker::default() };
    for detection in session(&[failed("error: nothing is built")]) {
        app.keep_detection(&settings, &speaker, &detection, 0).expect("is kept");
    }
    keep(&app, None, 0);
    end(&app);
    let settled = app.settle_detections().expect("settles");
    assert_eq!(settled, SettleOutcome { stored: 1, ..SettleOutcome::default() }, "of another session");
    let refused = app.learning_status().expect("reads").counts.refused;
    assert_eq!(refused.get(DetectionRefusal::FailedAgain.as_str()), Some(&1));
}

#[test]
fn what_is_counted_of_a_detection_is_counted_with_it() {
    let (_folder, app) = running_by(OWNER, Clock::system());
    keep(&app, None, 4);
    let untold = Detection { operations: Vec::new(), ..mended() };
    app.keep_detection(&AutomaticLearning::of_a_new_project(), &Speaker::default(), &untold, 0).expect("is counted");
    let status = app.learning_status().expect("reads");
    assert_eq!((status.counts.operations, status.counts.detections), (4, 2));
    let moderate = &status.modes[&LearningMode::Moderate];
    assert_eq!((moderate.detections, moderate.by_rules), (2, 1), "rules have a lesson of one");
}

#[test]
fn a_lesson_that_says_nothing_is_not_recorded() {
    let (_folder, app) = running_by(OWNER, Clock::system());
    for (lesson, situation) in [
        ("Strategy: running the tests leads to success", None),
        ("Successfully completed the task", None),
        ("The refund window was compared in src/refund.rs", Some("In src/refund.rs the refund window was compared")),
    ] {
        let new = NewEpisode { feature: None, lesson: lesson.into(), lesson_type: None, situation: situation.map(str::to_owned) };
        let refused = app.tell_episode(&new).expect_err(lesson);
        assert!(refused.to_string().contains("is not a lesson"), "{lesson}: {refused}");
    }
}

#[test]
fn a_reworded_episode_keeps_its_evidence() {
    let (_folder, app) = running_by(OWNER, Clock::system());
    keep(&app, Some(1), 0);
    end(&app);
    app.settle_detections().expect("settles");
    let [EpisodeRow { episode: before, .. }] = &app.list_episodes(None).expect("reads")[..] else { panic!("one episode") };
    let id = app.update_memory(&before.id, "Change src/built.rs before sh check.sh, which reads it").expect("is reworded");
    let after = app.episode(&id).expect("reads").episode;
    let evidence = |episode: &ralph_core::memory::Episode| {
        (episode.feature.clone(), episode.task_id, episode.iteration, episode.replica.clone(), episode.files.clone(), episode.confidence)
    };
    assert_eq!(evidence(&after), evidence(before));
    assert_eq!((after.files.as_slice(), after.iteration), (&["src/built.rs".to_owned()][..], Some(1)));
}

#[test]
fn a_failure_that_nothing_mended_is_told_no_more_once_it_is_mended_or_works() {
    let failure = |command: &str| {
        let failed = operation("Bash", json!({ "command": command }), Some("error: nothing is built"));
        let mut tracker = Tracker::default();
        (0..2).for_each(|_| drop(tracker.track_operation(failed.clone())));
        tracker.finish()
    };
    let told = |app: &App| {
        let episodes = app.list_episodes(None).expect("reads").into_iter();
        episodes.map(|row| (row.episode.lesson_type, row.episode.withdrawn.map(|w| w.detail))).collect::<Vec<_>>()
    };
    let settings = AutomaticLearning { mode: LearningMode::Moderate, ..AutomaticLearning::of_a_new_project() };
    let failed = |app: &App, command: &str| {
        let speaker = Speaker { iteration: Some(1), ..Speaker::default() };
        for detection in failure(command) {
            app.keep_detection(&settings, &speaker, &detection, 0).expect("is kept");
        }
        end(app);
        app.settle_detections().expect("settles");
    };
    // What mended it is told in its place, from wherever it is known.
    let (_folder, app) = running_by(OWNER, Clock::system());
    failed(&app, "sh check.sh");
    assert_eq!(told(&app), [(LessonType::Failure, None)]);
    keep(&app, Some(1), 0);
    app.settle_detections().expect("settles");
    let [(LessonType::Failure, Some(_)), (LessonType::Mistake, None)] = &told(&app)[..] else { panic!("{:?}", told(&app)) };
    // A later iteration in which it works is enough.
    let (_folder, app) = running_by(OWNER, Clock::system());
    failed(&app, "sh check.sh");
    app.withdraw_what_works(&["sh other.sh".to_owned()], 2).expect("looks");
    app.withdraw_what_works(&["sh check.sh".to_owned()], 1).expect("looks");
    assert_eq!(told(&app), [(LessonType::Failure, None)], "by its own iteration nothing is known");
    app.withdraw_what_works(&["cd . && sh check.sh".to_owned()], 2).expect("looks");
    assert_eq!(told(&app), [(LessonType::Failure, Some("it works since iteration 2".to_owned()))]);
}
