//! Journals and database: what git does to the files, what clones bring, and what is never lost.

mod common;

use common::{Project, human, learning};
use ralph_app::{App, AppError, Clock};
use ralph_core::feature::{Feature, FeaturePatch, FeatureState, NewFeature};
use ralph_core::learning::{LearningSource, LearningState, NewLearning, Verdict};
use ralph_core::recall::{MemoryKind, RecallQuery};
use ralph_core::task::{TaskFilter, TaskPatch, TaskProvenance, TaskStatus};
use ralph_core::view::{CommandError, DoctorStatus};
use std::fs;
use std::path::PathBuf;

const POOL: &str = "The pool in src/db/pool.rs must be shared between the workers";

fn file(project: &Project) -> PathBuf {
    project.app.paths().memory.join("pay.jsonl")
}

/// The two files with the lines of both, as `merge=union` makes them.
fn merge(a: &Project, b: &Project) {
    let (ours, theirs) = (fs::read_to_string(file(a)).expect("reads"), fs::read_to_string(file(b)).expect("reads"));
    let united = |first: &str, second: &str| {
        let more: Vec<&str> = second.lines().filter(|line| !first.contains(line)).collect();
        format!("{first}{}\n", more.join("\n"))
    };
    fs::write(file(a), united(&ours, &theirs)).expect("writes");
    fs::write(file(b), united(&theirs, &ours)).expect("writes");
}

#[tokio::test]
async fn lines_that_git_took_out_of_a_file_are_written_back() {
    let project = Project::with_feature("pay");
    project.add(&human("pay", 1));
    let older = fs::read(file(&project)).expect("reads");
    project.add(&human("pay", 2));
    let before = project.knowledge();
    fs::write(file(&project), older).expect("as `git checkout` does");
    assert_eq!(project.app.pull_journals().expect("looks"), 0);
    let root = project.app.paths().root.clone();
    let doctor = App::doctor(&root, Clock::system()).await;
    let check = doctor.checks.iter().find(|check| check.name == "journals").expect("is checked");
    assert!(check.status == DoctorStatus::Error && check.detail.contains("1 line is in the database"), "{check:?}");
    let rebuilt = project.app.rebuild().expect("rebuilds");
    assert_eq!((rebuilt.written_back, rebuilt.read_in), (1, 0));
    assert_eq!(project.knowledge(), before, "nothing is lost");
    assert!(fs::read_to_string(file(&project)).expect("reads").contains("m2"));
    fs::remove_file(file(&project)).expect("as `git clean` does");
    assert_eq!(project.app.rebuild().expect("rebuilds").written_back, 3);
    assert_eq!(project.knowledge(), before);
}

#[cfg(unix)]
#[test]
fn a_journal_that_a_link_stands_for_is_not_read() {
    let (one, other) = (Project::with_feature("pay"), Project::with_feature("pay"));
    one.add(&human("pay", 1));
    let (elsewhere, link) = (other.app.paths().root.join("notes.jsonl"), other.app.paths().memory.join("linked.jsonl"));
    fs::copy(file(&one), &elsewhere).expect("copies");
    std::os::unix::fs::symlink(&elsewhere, &link).expect("links");
    assert_eq!(other.app.pull_journals().expect("looks"), 0);
    let told = other.app.journal_difference().expect("looks").skipped;
    assert!(told.iter().any(|line| line.file == "linked.jsonl" && line.fault.contains("not followed")), "{told:?}");
}

#[tokio::test]
async fn lines_that_a_newer_ralph_holds_are_not_told_as_gone() {
    let project = Project::with_feature("pay");
    project.add(&human("pay", 1));
    let newer = fs::read_to_string(file(&project)).expect("reads").replace("\"v\":", "\"v\":9");
    fs::write(file(&project), newer).expect("writes");
    let doctor = App::doctor(&project.app.paths().root, Clock::system()).await;
    let told: Vec<&str> = doctor.checks.iter().filter(|check| check.name == "journals").map(|check| check.detail.as_str()).collect();
    assert!(told.len() == 1 && told[0].contains("newer"), "{told:?}");
}

#[test]
fn a_rebuild_adds_nothing_to_what_a_newer_ralph_wrote_and_tells_what_it_holds_back() {
    let project = Project::with_feature("pay");
    project.add(&human("pay", 1));
    let older = fs::read_to_string(file(&project)).expect("reads");
    project.add(&human("pay", 2));
    let before = project.knowledge();
    let newer = older + "{\"v\":99,\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\",\"event\":\"dreamt\"}\n";
    fs::write(file(&project), &newer).expect("writes");
    let rebuilt = project.app.rebuild().expect("rebuilds");
    let held_back = rebuilt.skipped.iter().any(|line| line.newer && line.fault.contains("1 of its lines"));
    assert_eq!((rebuilt.written_back, held_back), (0, true), "{rebuilt:?}");
    assert_eq!(fs::read_to_string(file(&project)).expect("reads"), newer);
    assert_eq!(project.knowledge(), before, "nothing is lost");
}

#[test]
fn a_teammate_s_lines_are_in_force_at_the_next_look() {
    let (a, b) = (Project::with_feature("pay"), Project::with_feature("pay"));
    let theirs = b.add(&human("pay", 2)).id;
    a.add(&human("pay", 1));
    merge(&a, &b);
    a.app.overview().expect("looks");
    assert_eq!(a.state(&theirs), LearningState::Active);
    assert_eq!(a.app.pull_journals().expect("looks"), 0, "once");
    a.rebuilds_to_the_same();
}

#[test]
fn two_clones_with_clashing_numbers_agree_and_a_task_moves_only_its_own_learnings() {
    let (a, b) = (Project::with_feature("pay"), Project::with_feature("pay"));
    for (project, number) in [(&a, 1), (&b, 2)] {
        assert_eq!(project.task("pay", "part"), 1);
        let of_task = NewLearning { task_id: Some(1), iteration: Some(1), ..learning("pay", number) };
        project.add(&of_task);
        // Both learn the same thing, in an iteration with the same number.
        project.add(&NewLearning { iteration: Some(1), ..NewLearning::new("pay", "Sums are kept in cents everywhere") });
    }
    merge(&a, &b);
    for project in [&a, &b] {
        assert_eq!(project.app.rebuild().expect("rebuilds").read_in, 3);
    }
    let listed = |project: &Project| project.app.learnings(Some("pay"), &[]).expect("lists");
    assert_eq!(listed(&a), listed(&b));
    a.app.create_feature(&NewFeature { name: "shop".into(), ..NewFeature::default() }).expect("makes");
    a.app.update_task(1, &TaskPatch { feature: Some("shop".into()), ..TaskPatch::default() }).expect("moves");
    let moved = a.app.learnings(Some("shop"), &[]).expect("lists");
    assert!(moved.len() == 1 && moved[0].text.contains("m1"), "{moved:?}");
    a.rebuilds_to_the_same();
}

#[test]
fn a_feature_that_two_clones_made_has_one_name_and_one_age_in_both() {
    let (a, b) = (Project::with_feature("pay"), Project::with_feature("pay"));
    for (project, name) in [(&a, "Shop"), (&b, "shop")] {
        project.app.create_feature(&NewFeature { name: name.into(), ..NewFeature::default() }).expect("makes");
        project.add(&human(name, 1));
    }
    let journal = |project: &Project, name: &str| project.app.paths().memory.join(name);
    for (from, to, name) in [(&a, &b, "Shop.jsonl"), (&b, &a, "shop.jsonl")] {
        fs::copy(journal(from, name), journal(to, name)).expect("as a merge does");
    }
    merge(&a, &b);
    let known = |project: &Project| {
        project.app.rebuild().expect("rebuilds");
        let features = project.app.features().expect("lists").into_iter().map(|feature| (feature.name, feature.created));
        (features.collect::<Vec<_>>(), project.app.learnings(None, &[]).expect("lists"))
    };
    assert_eq!(known(&a), known(&b));
    a.rebuilds_to_the_same();
}

#[test]
fn two_full_clones_settle_the_same_way_whatever_the_order() {
    let (a, b) = (Project::with_feature("pay"), Project::with_feature("pay"));
    for (project, from) in [(&a, 0), (&b, 100)] {
        project.app.update_feature("pay", &FeaturePatch { max_learnings: Some(6), ..FeaturePatch::default() }).expect("caps");
        (from..from + 6).for_each(|n| drop(project.add(&if n % 2 == 0 { human("pay", n) } else { learning("pay", n) })));
    }
    merge(&a, &b);
    a.app.pull_journals().expect("pulls");
    b.app.pull_journals().expect("pulls");
    let listed = |project: &Project| project.app.learnings(Some("pay"), &[]).expect("lists");
    assert_eq!(listed(&a), listed(&b));
    assert_eq!(a.app.learnings(Some("pay"), &[LearningState::Active]).expect("lists").len(), 6);
    assert_eq!(listed(&a).len(), 12, "what has no room waits");
    merge(&a, &b);
    for project in [&a, &b] {
        project.rebuilds_to_the_same();
    }
    assert_eq!(listed(&a), listed(&b), "also after their settlements met");
}

#[test]
fn a_journal_of_a_newer_ralph_is_read_and_not_written_to() {
    let project = Project::with_feature("pay");
    let id = project.add(&human("pay", 1)).id;
    let newer = fs::read_to_string(file(&project)).expect("reads") + "{\"v\":99,\"id\":\"01ZZ\",\"event\":\"dreamt\"}\n";
    fs::write(file(&project), &newer).expect("writes");
    project.app.pull_journals().expect("reads what it can");
    let error = project.app.append_feature_learning(&human("pay", 2)).expect_err("is refused");
    assert!(matches!(&error, AppError::NewerJournal { file, .. } if file == "pay.jsonl"), "{error}");
    assert!(project.app.retire_learning(&id).is_err());
    assert_eq!(project.state(&id), LearningState::Active, "reading goes on");
    assert_eq!(fs::read_to_string(file(&project)).expect("reads"), newer);
}

#[test]
fn a_full_feature_answers_with_the_parked_id_as_data() {
    let project = Project::with_feature("pay");
    project.app.update_feature("pay", &FeaturePatch { max_learnings: Some(5), ..FeaturePatch::default() }).expect("caps");
    (0..5).for_each(|n| drop(project.add(&human("pay", n))));
    let error = CommandError::from(project.app.append_feature_learning(&human("pay", 9)).expect_err("is full"));
    let data = error.data.expect("has data");
    assert_eq!((error.code.as_str(), project.state(data.parked.as_deref().unwrap_or_default())), ("knowledge_full", LearningState::Parked));
    assert_eq!((data.saturation.learnings_count, data.split_task.is_some()), (5, true));
}

#[test]
fn what_was_retired_is_not_added_again_and_waits_for_a_person_after_three_iterations() {
    let project = Project::with_feature("pay");
    let id = project.add(&learning("pay", 1)).id;
    project.app.retire_learning(&id).expect("retires");
    for iteration in 1..=3 {
        assert!(project.app.review_queue().expect("lists").said_again.is_empty());
        let answer = project.add(&NewLearning { iteration: Some(iteration), ..learning("pay", 1) });
        assert_eq!((answer.verdict, &answer.id), (Verdict::PutAway, &id));
    }
    let waiting = project.app.review_queue().expect("lists").said_again;
    assert_eq!((waiting.len(), waiting[0].iterations), (1, 3));
    project.rebuilds_to_the_same();
    project.app.decide_gate(&id, false).expect("stays away");
    assert!(project.app.review_queue().expect("lists").said_again.is_empty());
    project.app.restore_learning(&id).expect("a person brings it back");
    project.rebuilds_to_the_same();
}

#[test]
fn a_merge_is_taken_back_whole() {
    let project = Project::with_feature("pay");
    let ids: Vec<String> = (1..4).map(|n| project.add(&learning("pay", n)).id).collect();
    let made = project.app.merge_learnings(&ids, "Every module keeps a cache", None).expect("merges").id;
    project.app.undo_learning(&made).expect("undoes");
    assert!(ids.iter().all(|id| project.state(id) == LearningState::Active));
    assert_eq!(project.state(&made), LearningState::Retired);
    assert!(matches!(project.app.undo_learning(&made), Err(AppError::NotFound { .. })), "once");
    project.rebuilds_to_the_same();
}

#[test]
fn a_learning_moves_alone_and_back() {
    let project = Project::with_feature("pay");
    project.app.create_feature(&NewFeature { name: "shop".into(), ..NewFeature::default() }).expect("makes");
    let id = project.add(&learning("pay", 1)).id;
    assert_eq!(project.app.move_learning(&id, "shop").expect("moves").feature, "shop");
    project.rebuilds_to_the_same();
    assert_eq!(project.app.undo_learning(&id).expect("goes back").feature, "pay");
    project.rebuilds_to_the_same();
}

#[test]
fn hits_carry_their_own_texts_after_a_rebuild() {
    let project = Project::with_feature("pay");
    (1..6).for_each(|n| drop(project.add(&learning("pay", n))));
    let gone = project.add(&learning("pay", 7)).id;
    project.app.retire_learning(&gone).expect("retires");
    project.app.rebuild().expect("rebuilds");
    let request = RecallQuery { query: "m3 f3.rs cache".into(), kinds: vec![MemoryKind::Learning], limit: 10, ..RecallQuery::default() };
    for hit in project.app.recall(&request).expect("recalls").hits {
        assert_eq!(project.app.learning(&hit.id).expect("exists").text, hit.text);
    }
}

#[test]
fn a_journal_of_which_nothing_is_to_be_shown_is_not_called_empty() {
    let project = Project::with_feature("pay");
    let told = CommandError::from(project.app.journal("pay", 0).expect_err("shows nothing"));
    assert!(told.code == "invalid" && told.message.contains("limit"), "{told:?}");
    assert_eq!(project.app.journal("pay", 1).expect("reads").len(), 1);
}

#[test]
fn a_split_task_is_made_once_for_what_a_clone_brings() {
    let (a, b) = (Project::with_feature("pay"), Project::with_feature("pay"));
    for (project, from) in [(&a, 0), (&b, 100)] {
        project.app.update_feature("pay", &FeaturePatch { max_learnings: Some(10), ..FeaturePatch::default() }).expect("caps");
        (from..from + 5).for_each(|n| drop(project.add(&human("pay", n))));
    }
    merge(&a, &b);
    a.app.pull_journals().expect("pulls");
    a.app.rebuild().expect("rebuilds");
    assert_eq!(a.app.tasks(&TaskFilter::default()).expect("lists").len(), 1);
    assert_eq!(a.app.learnings(Some("pay"), &[LearningState::Active]).expect("lists").len(), 10);
    let sources = a.app.learnings(Some("pay"), &[]).expect("lists");
    assert!(sources.iter().all(|l| l.source == LearningSource::Human));
}

#[test]
fn what_two_clones_change_of_a_feature_stands_side_by_side() {
    let a = Project::with_feature("pay");
    let b = a.clone_without_database();
    a.app.update_feature("pay", &FeaturePatch { description: Some("Pays refunds.".into()), ..FeaturePatch::default() }).expect("describes");
    b.app.update_feature("pay", &FeaturePatch { max_learnings: Some(60), ..FeaturePatch::default() }).expect("caps");
    b.app.update_feature("pay", &FeaturePatch { boundaries: Some("No payroll.".into()), ..FeaturePatch::default() }).expect("bounds");
    a.app.update_feature("pay", &FeaturePatch { architecture: Some("A queue.".into()), ..FeaturePatch::default() }).expect("builds");
    merge(&a, &b);
    for project in [&a, &b] {
        project.app.pull_journals().expect("pulls");
        let row = project.app.feature_row("pay").expect("is there");
        let of = &row.feature;
        assert_eq!([&of.description, &of.architecture, &of.boundaries], ["Pays refunds.", "A queue.", "No payroll."]);
        assert_eq!((of.max_learnings, of.author, row.outside), (Some(60), TaskProvenance::Agent, true));
    }
    a.app.update_feature("pay", &FeaturePatch { max_learnings: Some(70), ..FeaturePatch::default() }).expect("caps");
    assert!(a.app.feature_row("pay").expect("is there").outside, "a cap makes nobody's words one's own");
    a.rebuilds_to_the_same();
}

#[test]
fn words_of_a_person_stay_theirs_when_a_line_of_before_there_were_replicas_says_them_again() {
    let author_after = |words: &str| {
        let project = Project::with_feature("pay");
        let described = FeaturePatch { description: Some("Pays refunds.".into()), ..FeaturePatch::default() };
        project.app.update_feature("pay", &described).expect("describes");
        let whole = project.app.feature("pay").expect("is there");
        let mut record = serde_json::to_value(Feature { description: words.into(), ..whole }).expect("is written");
        record["id"] = 0.into();
        let (id, at) = ("02ARZ3NDEKTSV4RRFFQ69G5FAV", "2026-11-01T10:00:00.000Z");
        let line = serde_json::json!({"v": 1, "id": id, "at": at, "event": "feature", "feature": record});
        fs::write(file(&project), format!("{}{line}\n", fs::read_to_string(file(&project)).expect("reads"))).expect("writes");
        assert_eq!(project.app.pull_journals().expect("pulls"), 1);
        project.app.feature("pay").expect("is there").author
    };
    assert_eq!(author_after("Pays refunds."), TaskProvenance::Human);
    assert_eq!(author_after("Pays bribes."), TaskProvenance::Agent);
}

#[test]
fn a_split_stays_done_whatever_another_clone_changes_of_the_feature() {
    let a = Project::with_feature("pay");
    a.app.update_feature("pay", &FeaturePatch { max_learnings: Some(5), ..FeaturePatch::default() }).expect("caps");
    (0..5).for_each(|n| drop(a.add(&human("pay", n))));
    let b = a.clone_without_database();
    for name in ["refunds", "invoices"] {
        let child = NewFeature { name: name.into(), parent: Some("pay".into()), ..NewFeature::default() };
        a.app.create_feature(&child).expect("makes");
    }
    a.app.update_task(1, &TaskPatch { status: Some(TaskStatus::Done), ..TaskPatch::default() }).expect("closes");
    b.app.update_feature("pay", &FeaturePatch { boundaries: Some("No payroll.".into()), ..FeaturePatch::default() }).expect("bounds");
    merge(&a, &b);
    for project in [&a, &b] {
        project.app.pull_journals().expect("pulls");
        let pay = project.app.feature("pay").expect("is there");
        assert_eq!((pay.state, pay.boundaries.as_str()), (FeatureState::Decomposed, "No payroll."));
        let open = TaskFilter { statuses: vec![TaskStatus::Pending], ..TaskFilter::default() };
        assert_eq!(project.app.tasks(&open).expect("lists"), [], "no second split");
    }
    a.rebuilds_to_the_same();
}

#[tokio::test]
async fn a_line_of_another_clone_with_a_known_id_stays_in_its_file_and_is_told() {
    let project = Project::with_feature("pay");
    project.add(&human("pay", 1));
    let text = fs::read_to_string(file(&project)).expect("reads");
    let own = text.lines().last().expect("a line");
    let replica = serde_json::from_str::<serde_json::Value>(own).expect("is JSON")["replica"].as_str().expect("is named").to_owned();
    let theirs = own.replace(&replica, "TEAMMATE00").replace("m1", "m9");
    fs::write(file(&project), format!("{text}{theirs}\n")).expect("as a merge does");
    let rebuilt = project.app.rebuild().expect("rebuilds");
    assert!(rebuilt.skipped.len() == 1 && rebuilt.skipped[0].fault.contains("the id of another"), "{rebuilt:?}");
    assert_eq!(fs::read_to_string(file(&project)).expect("reads"), format!("{text}{theirs}\n"), "the other clone's line is the other's");
    let doctor = App::doctor(&project.app.paths().root, Clock::system()).await;
    let told = |check: &&ralph_core::view::DoctorCheck| check.name == "journals" && check.detail.contains("the id of another");
    assert!(doctor.checks.iter().any(|check| told(&check)), "{doctor:?}");
}

#[test]
fn a_contradiction_waits_for_a_person_only_while_both_are_told() {
    let project = Project::with_feature("pay");
    let older = project.add(&NewLearning { source: LearningSource::Human, ..NewLearning::new("pay", POOL) }).id;
    let newer = project.add(&NewLearning::new("pay", &POOL.replace("must be", "must never be")));
    assert_eq!(newer.verdict, Verdict::Conflict);
    let waiting = || {
        let listed = project.app.conflicts().expect("lists").len();
        let row = project.app.feature_row("pay").expect("is there");
        let shown = project.app.learning(&newer.id).expect("is there").conflicts_with.len();
        let counted = project.app.overview().expect("looks").reviews;
        assert_eq!((row.review_count as usize, shown, counted as usize), (listed, listed, listed));
        listed
    };
    assert_eq!(waiting(), 1);
    project.app.retire_learning(&older).expect("retires");
    assert_eq!(waiting(), 0, "nothing is left to decide");
    project.app.undo_learning(&older).expect("undoes");
    assert_eq!(waiting(), 1);
    let made = project.app.edit_learning(&older, "Each worker of the pool opens a connection of its own", None).expect("edits").id;
    assert_eq!(waiting(), 0);
    project.app.undo_learning(&made).expect("undoes");
    assert_eq!(waiting(), 1);
    let archived = FeaturePatch { state: Some(FeatureState::Archived), ..FeaturePatch::default() };
    project.app.update_feature("pay", &archived).expect("archives");
    assert_eq!(waiting(), 0);
}

#[test]
fn a_number_that_only_lines_tell_of_is_given_to_no_other_task() {
    let (project, origin) = (Project::with_feature("pay"), Project::with_feature("pay"));
    let id = origin.add(&NewLearning { task_id: Some(7), iteration: Some(9), ..learning("pay", 1) }).id;
    let replica = |project: &Project| {
        let text = fs::read_to_string(file(project)).expect("reads");
        let line: serde_json::Value = serde_json::from_str(text.lines().last().expect("a line")).expect("is JSON");
        line["replica"].as_str().expect("is named").to_owned()
    };
    // As after a restoration from a copy that is older than the journal.
    let told = fs::read_to_string(file(&origin)).expect("reads").replace(&replica(&origin), &replica(&project));
    let line = told.lines().last().expect("a line");
    fs::write(file(&project), format!("{}{line}\n", fs::read_to_string(file(&project)).expect("reads"))).expect("writes");
    project.app.pull_journals().expect("pulls");
    project.app.create_feature(&NewFeature { name: "shop".into(), ..NewFeature::default() }).expect("makes");
    assert_eq!(project.task("pay", "Another thing"), 8);
    assert_eq!(project.app.learning(&id).expect("is there").task_id, Some(7));
}
