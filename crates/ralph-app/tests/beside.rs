//! What joins the known through another clone, a move or a return is compared like anything new.

mod common;

use common::{Project, human, learning};
use ralph_core::audit::AuditClass;
use ralph_core::feature::{FeaturePatch, FeatureState, NewFeature};
use ralph_core::learning::{LearningSource, LearningState, NewLearning};
use ralph_core::memory::NewFact;
use ralph_core::quality::{PairVerdict, ReconcileRound};
use ralph_core::recall::{MemoryKind, RecallQuery};
use ralph_core::task::{TaskFilter, TaskPatch, TaskStatus};
use std::fs;

/// Two ways to say the same that only vectors recognize.
const SAID: &str = "Close the file handle before renaming it, Windows keeps a lock on open files";
const AGAIN: &str = "On Windows an open file is locked: close the handle first, then rename";
const RULE: &str = "Always enable the query cache in the resolvers";
const OPPOSITE: &str = "Never enable the query cache in the resolvers";

fn active(project: &Project) -> Vec<String> {
    project.app.learnings(Some("pay"), &[LearningState::Active]).expect("lists").into_iter().map(|l| l.text).collect()
}

/// Both get the lines of both, in another order each, as `merge=union` makes them.
fn sync(a: &Project, b: &Project) {
    let journal = |project: &Project| project.app.paths().memory.join("pay.jsonl");
    let (ours, theirs) = (fs::read_to_string(journal(a)).expect("reads"), fs::read_to_string(journal(b)).expect("reads"));
    let united = |first: &str, second: &str| {
        let more: Vec<&str> = second.lines().filter(|line| !first.contains(line)).collect();
        format!("{first}{}\n", more.join("\n"))
    };
    for (project, text) in [(a, united(&ours, &theirs)), (b, united(&theirs, &ours))] {
        fs::write(journal(project), text).expect("writes");
        project.app.pull_journals().expect("pulls");
    }
}

#[test]
fn what_two_clones_learnt_at_once_is_compared_when_they_meet() {
    let (a, b) = (Project::with_feature("pay"), Project::with_feature("pay"));
    for (project, lessons) in [(&a, [SAID, RULE]), (&b, [AGAIN, OPPOSITE])] {
        for (lesson, iteration) in lessons.into_iter().zip(1..) {
            project.add(&NewLearning { iteration: Some(iteration), ..NewLearning::new("pay", lesson) });
        }
        project.settle();
    }
    sync(&a, &b);
    assert_eq!(active(&a).len(), 4);
    let round = a.settle();
    assert_eq!((round.observed, round.conflicts, round.left), (1, 1, 0), "{round:?}");
    assert_eq!(active(&a), [SAID, OPPOSITE]);
    b.settle();
    sync(&a, &b);
    assert_eq!(a.settle(), ReconcileRound::default(), "the other clone found the same");
    assert_eq!((active(&a), active(&b)), (vec![SAID.to_owned(), OPPOSITE.to_owned()], active(&a)));
    let seen = a.app.learnings(Some("pay"), &[LearningState::Active]).expect("lists").remove(0).hit_count;
    assert_eq!(seen, 2, "two iterations, whoever counted them");
    a.rebuilds_to_the_same();
}

#[test]
fn what_is_new_and_what_another_clone_learnt_are_compared_in_one_round() {
    let (a, b) = (Project::with_feature("pay"), Project::with_feature("pay"));
    for (project, lesson) in [(&a, SAID), (&b, AGAIN)] {
        project.add(&NewLearning::new("pay", lesson));
        project.settle();
    }
    sync(&a, &b);
    a.add(&learning("pay", 1));
    while a.app.embed_passages().expect("embeds").is_some() {}
    let round = a.app.reconcile().expect("compares");
    assert_eq!((round.observed, round.left), (1, 0), "nobody may look again for long: {round:?}");
    assert_eq!(a.app.reconcile().expect("compares"), ReconcileRound::default());
}

#[test]
fn a_look_in_which_nothing_is_compared_copies_nothing() {
    let (a, b) = (Project::with_feature("pay"), Project::with_feature("pay"));
    b.add(&NewLearning::new("pay", SAID));
    a.add(&NewLearning::new("pay", RULE));
    sync(&a, &b);
    a.app.reconcile().expect("has no vectors yet");
    assert!(!a.app.paths().db.join("backups").exists());
}

#[test]
fn an_older_learning_that_is_moved_beside_its_twin_is_compared_with_it() {
    let project = Project::with_feature("pay");
    project.app.create_feature(&NewFeature { name: "shop".into(), ..NewFeature::default() }).expect("makes");
    let older = project.add(&NewLearning::new("shop", SAID)).id;
    let newer = project.add(&NewLearning::new("pay", AGAIN)).id;
    project.settle();
    project.app.move_learning(&older, "pay").expect("moves");
    assert_eq!(project.settle().observed, 1);
    assert_eq!(active(&project), [SAID]);
    let act = project.app.review_queue().expect("lists").acts.remove(0);
    assert_eq!((act.learning.id, act.other.id), (newer, older), "the newer one and the known one, whichever was compared");
}

#[test]
fn what_comes_along_with_its_task_is_counted_for_what_says_the_same_there() {
    let project = Project::with_feature("pay");
    project.app.create_feature(&NewFeature { name: "shop".into(), ..NewFeature::default() }).expect("makes");
    let of_iteration = |feature: &str, iteration| NewLearning { iteration: Some(iteration), ..NewLearning::new(feature, RULE) };
    let known = project.add(&of_iteration("pay", 1)).id;
    // The first of them had been counted there before.
    project.add(&of_iteration("pay", 2));
    let task = project.task("shop", "Build it");
    let mut came = None;
    for iteration in [2, 3] {
        came = Some(project.add(&NewLearning { task_id: Some(task), ..of_iteration("shop", iteration) }).id);
    }
    project.app.update_task(task, &TaskPatch { feature: Some("pay".into()), ..TaskPatch::default() }).expect("moves");
    assert_eq!((active(&project), project.state(&came.expect("came along"))), (vec![RULE.to_owned()], LearningState::Superseded));
    assert_eq!(project.app.learning(&known).expect("exists").hit_count, 3, "each iteration once");
    let copies = project.app.paths().db.join("backups");
    assert!(!copies.exists(), "no vector was compared");
    project.settle();
    assert!(copies.exists(), "the copy is made before the first that is");
    project.rebuilds_to_the_same();
}

#[test]
fn what_a_class_of_junk_had_replaced_returns_when_it_is_put_away() {
    let project = Project::with_feature("pay");
    let rule = project.add(&NewLearning::new("pay", RULE)).id;
    project.settle();
    let junk = project.add(&NewLearning::new("pay", &format!("Platform: {}", OPPOSITE.to_lowercase()))).id;
    project.settle();
    assert_eq!(project.state(&rule), LearningState::Superseded);
    let retired = project.app.retire_class(AuditClass::Boilerplate, false).expect("puts away");
    assert_eq!(retired.retired, std::slice::from_ref(&junk));
    assert_eq!([&rule, &junk].map(|id| project.state(id)), [LearningState::Active, LearningState::Retired]);
    project.app.undo_audit(None).expect("is taken back");
    assert_eq!([&rule, &junk].map(|id| project.state(id)), [LearningState::Superseded, LearningState::Active]);
    project.rebuilds_to_the_same();
}

#[test]
fn a_person_is_told_that_two_of_theirs_say_the_same_whichever_was_compared() {
    let project = Project::with_feature("pay");
    project.app.create_feature(&NewFeature { name: "shop".into(), ..NewFeature::default() }).expect("makes");
    let by_person = |feature: &str, text: &str| NewLearning { source: LearningSource::Human, ..NewLearning::new(feature, text) };
    let older = project.add(&by_person("shop", SAID)).id;
    project.add(&by_person("pay", AGAIN));
    project.settle();
    project.app.move_learning(&older, "pay").expect("moves");
    project.settle();
    let pair = project.app.review_queue().expect("lists").pairs.remove(0);
    assert_eq!((pair.older.id, pair.verdict, pair.similarity.is_some()), (older, PairVerdict::Observed, true));
}

#[test]
fn what_is_restored_beside_its_opposite_is_a_person_s_to_decide() {
    let project = Project::with_feature("pay");
    let rule = project.add(&NewLearning::new("pay", RULE)).id;
    project.settle();
    project.app.retire_learning(&rule).expect("retires");
    project.add(&NewLearning::new("pay", OPPOSITE));
    project.settle();
    project.app.restore_learning(&rule).expect("restores");
    assert_eq!(project.settle().for_review, 1);
    assert_eq!(active(&project), [RULE, OPPOSITE], "whoever restored it has decided that it holds");
    project.rebuilds_to_the_same();
}

#[test]
fn a_reason_and_tags_said_again_are_stored_and_found() {
    let project = Project::with_feature("pay");
    let id = project.add(&NewLearning::new("pay", SAID)).id;
    project.settle();
    let tags = ["zebra", "yak", "Zebra"].map(str::to_owned).to_vec();
    let again = NewLearning { reason: Some("see PAY-77".into()), tags, ..NewLearning::new("pay", SAID) };
    assert_eq!(project.add(&again).id, id);
    let known = project.app.learning(&id).expect("exists");
    assert_eq!((known.reason.as_deref(), known.tags.as_slice()), (Some("see PAY-77"), &["zebra".to_owned(), "yak".to_owned()][..]));
    project.rebuilds_to_the_same();
    for query in ["PAY-77", "zebra"] {
        let request = RecallQuery { query: query.into(), kinds: vec![MemoryKind::Learning], limit: 3, ..RecallQuery::default() };
        let hits = project.app.recall(&request).expect("recalls").hits;
        assert!(hits.iter().any(|hit| hit.id == id), "{query}: {hits:?}");
    }
}

#[test]
fn a_newer_journal_holds_up_no_other_feature_and_is_told() {
    let project = Project::with_feature("newer");
    project.app.create_feature(&NewFeature { name: "pay".into(), ..NewFeature::default() }).expect("makes");
    project.add(&learning("newer", 1));
    let file = project.app.paths().memory.join("newer.jsonl");
    let text = fs::read_to_string(&file).expect("reads") + "{\"v\":99,\"id\":\"01ZZ\",\"event\":\"dreamt\"}\n";
    fs::write(&file, text).expect("writes");
    project.app.pull_journals().expect("reads what it can");
    project.add(&NewLearning::new("pay", SAID));
    let round = project.settle();
    assert_eq!((round.distinct, round.left), (1, 0), "{round:?}");
    let told = project.app.newer_journals().expect("reads");
    assert!(told.len() == 1 && told[0].starts_with("newer.jsonl"), "{told:?}");
}

#[test]
fn the_split_task_of_a_feature_that_another_clone_decomposed_is_done() {
    let (a, b) = (Project::with_feature("pay"), Project::with_feature("pay"));
    for project in [&a, &b] {
        project.app.update_feature("pay", &FeaturePatch { max_learnings: Some(5), ..FeaturePatch::default() }).expect("caps");
        (0..5).for_each(|n| drop(project.add(&human("pay", n))));
    }
    let split = |project: &Project| project.app.tasks(&TaskFilter::default()).expect("lists").remove(0);
    assert_eq!(split(&b).status, TaskStatus::Pending);
    for child in ["one", "two"] {
        let new = NewFeature { name: child.into(), parent: Some("pay".into()), ..NewFeature::default() };
        a.app.create_feature(&new).expect("makes");
    }
    let done = TaskPatch { status: Some(TaskStatus::Done), ..TaskPatch::default() };
    a.app.update_task(split(&a).id, &done).expect("closes");
    sync(&a, &b);
    assert_eq!(b.app.feature("pay").expect("exists").state, FeatureState::Decomposed);
    assert_eq!(split(&b).status, TaskStatus::Done);
}

#[test]
fn neither_case_nor_white_space_tells_the_subjects_of_facts_apart() {
    let project = Project::with_feature("pay");
    let state = |subject: &str, value: &str| {
        let new = NewFact { subject: subject.into(), value: value.into(), ..NewFact::default() };
        project.app.state_fact(&new).expect("is stated");
    };
    for (first, again) in [("Größe", "GRÖßE"), ("test command", "Test   command")] {
        state(first, "a");
        state(again, "b");
    }
    let facts = project.app.list_facts(None).expect("lists");
    let told: Vec<&str> = facts.iter().filter(|row| row.fact.withdrawn.is_none()).map(|row| row.fact.value.as_str()).collect();
    assert_eq!(told, ["b", "b"], "{facts:?}");
}

#[test]
fn what_one_clone_observes_of_what_another_replaced_counts_for_what_stays_until_that_is_undone() {
    let a = Project::with_feature("pay");
    let seen = |lesson: &str, iteration| NewLearning { iteration: Some(iteration), ..NewLearning::new("pay", lesson) };
    let (kept, gone) = (a.add(&seen(SAID, 1)).id, a.add(&seen(AGAIN, 2)).id);
    let b = a.clone_without_database();
    assert_eq!(a.settle().observed, 1);
    for iteration in [5, 6] {
        assert_eq!(b.add(&seen(AGAIN, iteration)).id, gone);
    }
    sync(&a, &b);
    let hits = |project: &Project, id: &str| project.app.learning(id).expect("is there").hit_count;
    assert_eq!([&a, &b].map(|project| hits(project, &kept)), [4, 4]);
    sync(&a, &b);
    assert_eq!([&a, &b].map(|project| hits(project, &kept)), [4, 4], "each iteration once");
    a.rebuilds_to_the_same();
    a.app.undo_reconciliation(&gone).expect("undoes");
    assert_eq!([&kept, &gone].map(|id| hits(&a, id)), [1, 3]);
}
