//! Undoing a person's decisions: the matter is open again, everything is as before, and the journals agree.

mod common;

use common::{Project, by_person, human};
use ralph_app::{App, AppError, Clock};
use ralph_core::feature::{FeaturePatch, FeatureState};
use ralph_core::learning::{ConflictChoice, LearningState, NewLearning};
use ralph_core::quality::ReviewQueue;
use ralph_core::view::DoctorStatus;

const CHOICES: [ConflictChoice; 3] = [ConflictChoice::KeepOlder, ConflictChoice::KeepNewer, ConflictChoice::KeepBoth];
/// The gate warns about it: a line of every session.
const EMPTY_WORDS: &str = "All tests pass and the build is green";

fn contradiction(project: &Project) -> (String, String) {
    let older = project.add(&by_person("Never mock the clock in tests")).id;
    let newer = project.add(&by_person("Mock the clock in tests")).id;
    (older, newer)
}

/// A replay of the journals alone gives the same, including pairs kept apart.
fn journals_agree(project: &Project) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("starts");
    let report = runtime.block_on(App::doctor(&project.app.paths().root, Clock::system()));
    let journals = report.checks.into_iter().find(|check| check.name == "journals").expect("is looked at");
    assert_eq!(journals.status, DoctorStatus::Ok, "{}", journals.detail);
}

fn queue(project: &Project) -> ReviewQueue {
    project.app.review_queue().expect("lists")
}

/// Of the warnings that people decided about, how many they kept, and how many there are.
fn wrong_of_decided(project: &Project) -> (u32, u32) {
    let rate = queue(project).gate.false_rejections;
    (rate.successes, rate.trials)
}

/// Leaves room for `room` learnings, of a cap of five.
fn leave_room_for(project: &Project, room: u32) {
    let mut settings = project.app.settings().expect("reads");
    settings.max_learnings = 5;
    project.app.update_settings(&project.app.written_settings().expect("readable settings"), &settings).expect("saves");
    (room..5).for_each(|n| drop(project.add(&human("pay", n))));
}

#[test]
fn a_conflict_waits_again_whatever_was_decided() {
    for choice in CHOICES {
        let project = Project::with_feature("pay");
        let (older, newer) = contradiction(&project);
        let before = (project.knowledge(), queue(&project));
        project.app.resolve_conflict(&older, &newer, choice).expect("decides");
        assert_ne!((project.knowledge(), queue(&project)), before, "{choice}");
        project.app.reopen_conflict(&older, &newer).expect("is taken back");
        assert_eq!((project.knowledge(), queue(&project)), before, "{choice}");
        journals_agree(&project);
        project.rebuilds_to_the_same();
        assert_eq!(queue(&project), before.1, "{choice}: the journals tell the same");
        assert!(matches!(project.app.reopen_conflict(&older, &newer), Err(AppError::NotFound { .. })), "once");
        project.app.resolve_conflict(&older, &newer, choice).expect("can be decided again");
    }
}

#[test]
fn a_conflict_that_nobody_decided_has_no_way_back() {
    let project = Project::with_feature("pay");
    let (older, newer) = contradiction(&project);
    assert!(matches!(project.app.reopen_conflict(&older, &newer), Err(AppError::NotFound { .. })));
    assert!(matches!(project.app.reopen_conflict(&newer, &older), Err(AppError::NotFound { .. })));
    assert_eq!(queue(&project).pairs.len(), 1);
}

#[test]
fn what_took_the_room_of_a_learning_gives_it_back() {
    for choice in [ConflictChoice::KeepOlder, ConflictChoice::KeepNewer] {
        let project = Project::with_feature("pay");
        leave_room_for(&project, 2);
        let (older, newer) = contradiction(&project);
        let error = project.app.append_feature_learning(&human("pay", 9)).expect_err("is full");
        let AppError::KnowledgeFull { parked, .. } = error else { panic!("{error}") };
        let before = project.knowledge();
        project.app.resolve_conflict(&older, &newer, choice).expect("decides");
        assert_eq!(project.state(&parked), LearningState::Active);
        project.app.reopen_conflict(&older, &newer).expect("is taken back");
        assert_eq!(project.state(&parked), LearningState::Parked);
        assert_eq!(project.knowledge(), before);
        project.rebuilds_to_the_same();
    }
}

#[test]
fn without_room_the_decision_stands_and_nothing_is_lost() {
    let project = Project::with_feature("pay");
    leave_room_for(&project, 2);
    let (older, newer) = contradiction(&project);
    project.app.resolve_conflict(&older, &newer, ConflictChoice::KeepOlder).expect("decides");
    project.add(&human("pay", 9));
    let before = (project.knowledge(), queue(&project));
    assert!(matches!(project.app.reopen_conflict(&older, &newer), Err(AppError::NoRoom { .. })));
    assert_eq!((project.knowledge(), queue(&project)), before);
}

#[test]
fn what_was_decided_of_a_parked_learning_leaves_it_parked() {
    let project = Project::with_feature("pay");
    leave_room_for(&project, 1);
    let older = project.add(&by_person("Never mock the clock in tests")).id;
    let AppError::KnowledgeFull { parked, .. } =
        project.app.append_feature_learning(&by_person("Mock the clock in tests")).expect_err("is full")
    else {
        panic!("is parked")
    };
    for choice in CHOICES {
        let before = project.knowledge();
        project.app.resolve_conflict(&older, &parked, choice).expect("decides");
        project.app.reopen_conflict(&older, &parked).expect("is taken back");
        assert_eq!(project.knowledge(), before, "{choice}");
        project.rebuilds_to_the_same();
    }
}

#[test]
fn what_is_in_a_feature_that_is_put_away_counts_as_little_as_the_feature() {
    let project = Project::with_feature("pay");
    project.task("pay", "Refund");
    project.app.append_feature_learning(&by_person("Mock the clock in tests")).expect("is added");
    for (state, count) in [(FeatureState::Active, 1), (FeatureState::Archived, 0), (FeatureState::Active, 1)] {
        project.app.update_feature("pay", &FeaturePatch { state: Some(state), ..FeaturePatch::default() }).expect("changes");
        let seen = project.app.overview().expect("looks");
        assert_eq!((seen.features, seen.open_tasks, seen.learnings), (count, count, count), "{state}");
    }
}

#[test]
fn nothing_is_asked_about_what_waits_for_room_in_a_feature_that_is_put_away() {
    let project = Project::with_feature("pay");
    leave_room_for(&project, 0);
    project.app.append_feature_learning(&by_person("Mock the clock in tests")).expect_err("is full");
    for (state, count) in [(FeatureState::Active, 1), (FeatureState::Archived, 0), (FeatureState::Active, 1)] {
        project.app.update_feature("pay", &FeaturePatch { state: Some(state), ..FeaturePatch::default() }).expect("changes");
        let (counted, listed) = (project.app.overview().expect("looks").reviews, queue(&project).parked.len());
        assert_eq!((counted as usize, listed), (count, count), "{state}");
    }
}

#[test]
fn a_warning_waits_again_and_the_gate_s_record_forgets_what_was_said() {
    for kept in [true, false] {
        let project = Project::with_feature("pay");
        let id = project.add(&NewLearning::new("pay", EMPTY_WORDS)).id;
        let before = (project.knowledge(), queue(&project));
        assert_eq!(before.1.warnings.len(), 1);
        project.app.decide_gate(&id, kept).expect("decides");
        assert_eq!(wrong_of_decided(&project), (u32::from(kept), 1));
        project.app.reopen_warning(&id).expect("is taken back");
        assert_eq!((project.knowledge(), queue(&project)), before, "kept: {kept}");
        project.rebuilds_to_the_same();
        assert_eq!(queue(&project), before.1, "kept: {kept}, the journals tell the same");
        assert!(matches!(project.app.reopen_warning(&id), Err(AppError::NotFound { .. })), "once");
    }
}

#[test]
fn who_restores_what_the_gate_had_put_away_takes_the_agreement_back() {
    let project = Project::with_feature("pay");
    let id = project.add(&NewLearning::new("pay", EMPTY_WORDS)).id;
    project.app.retire_learning(&id).expect("retires");
    assert_eq!(wrong_of_decided(&project), (0, 1));
    project.app.restore_learning(&id).expect("comes back");
    assert_eq!((wrong_of_decided(&project), queue(&project).warnings.len()), ((0, 0), 1));
    project.rebuilds_to_the_same();
    project.app.retire_learning(&id).expect("retires");
    project.app.decide_gate(&id, true).expect("keeps it after all");
    assert_eq!((wrong_of_decided(&project), project.state(&id)), ((1, 1), LearningState::Active));
    project.rebuilds_to_the_same();
}
