//! Who may do what, as a table.

use super::*;
use crate::feature::FeatureState;
use crate::time::Timestamp;

const OWN: TaskId = 7;
const AT_WORK: Actor = Actor::Agent { working_on: Some((40, OWN)) };
const CLIENT: Actor = Actor::Agent { working_on: None };

fn task(id: TaskId, provenance: TaskProvenance) -> Task {
    Task {
        id,
        provenance,
        by_person: provenance == TaskProvenance::Human,
        acceptance_criteria: vec!["sums match".into(), "tests pass".into()],
        depends_on: vec![1, 2],
        ..Task::new("shop", "Refund", Timestamp(1))
    }
}

fn rules(actor: Actor, act: &Act<'_>, split: Option<&str>) -> &'static str {
    match may(actor, act, split) {
        Ruling::Allowed => "allowed",
        Ruling::Propose => "proposed",
        Ruling::Refused(_) => "refused",
    }
}

#[test]
fn what_an_actor_works_on_and_how_its_words_are_signed() {
    let signed = |actor: Actor| (actor.provenance().as_str(), actor.source().as_str(), actor.fact_source().as_str());
    for (actor, working_on, is_inside, words) in [
        (Actor::Human, None, false, "human"),
        (CLIENT, None, false, "agent"),
        (AT_WORK, Some((40, OWN)), true, "agent"),
        (Actor::Leftover, None, true, "agent"),
    ] {
        assert_eq!((actor.working_on(), actor.iteration().zip(actor.task())), (working_on, working_on), "{actor:?}");
        assert_eq!((actor.is_inside(), signed(actor)), (is_inside, (words, words, words)), "{actor:?}");
    }
}

#[test]
fn a_person_may_do_everything_and_their_programs_all_but_pass_for_them() {
    let (before, patch) = (task(3, TaskProvenance::Human), TaskPatch { status: Some(TaskStatus::Done), ..TaskPatch::default() });
    let close = Act::UpdateTask { before: &before, patch: &patch, target_parent: None };
    for (act, client, at_work) in [
        (close, "allowed", "proposed"),
        (Act::SteerRun, "allowed", "refused"),
        (Act::WriteAs(LearningSource::Agent), "allowed", "allowed"),
        (Act::WriteAs(LearningSource::Auto), "allowed", "allowed"),
        (Act::WriteAs(LearningSource::Human), "refused", "refused"),
        (Act::Curate, "proposed", "proposed"),
        (Act::MoveLearning, "allowed", "proposed"),
        (Act::TidyMemory { by_person: false }, "allowed", "refused"),
        (Act::TidyMemory { by_person: true }, "refused", "refused"),
        (Act::SettleNotice, "refused", "refused"),
        (Act::ChangeSettings, "refused", "refused"),
        (Act::Agree, "refused", "refused"),
        (Act::Rebuild, "refused", "refused"),
        (Act::RestoreSnapshot, "refused", "refused"),
    ] {
        let found = [Actor::Human, CLIENT, AT_WORK, Actor::Leftover].map(|actor| rules(actor, &act, None));
        assert_eq!(found, ["allowed", client, at_work, at_work], "{act:?}");
    }
}

#[test]
fn an_agent_changes_its_own_task_but_not_its_measure() {
    let patch = TaskPatch::default;
    let criteria = |items: &[&str]| TaskPatch { acceptance_criteria: Some(items.iter().map(|c| (*c).to_owned()).collect()), ..patch() };
    for (change, of_a_person, of_an_agent) in [
        (TaskPatch { status: Some(TaskStatus::Done), ..patch() }, "allowed", "allowed"),
        (TaskPatch { status: Some(TaskStatus::Failed), ..patch() }, "allowed", "allowed"),
        (criteria(&[]), "proposed", "proposed"),
        (criteria(&["sums match"]), "proposed", "proposed"),
        (criteria(&["sums match", "tests pass"]), "allowed", "allowed"),
        (criteria(&["sums match", "tests pass", "docs"]), "proposed", "allowed"),
        (TaskPatch { depends_on: Some(vec![]), ..patch() }, "proposed", "proposed"),
        (TaskPatch { depends_on: Some(vec![1, 2, 3]), ..patch() }, "allowed", "allowed"),
        (TaskPatch { title: Some("Easier".into()), ..patch() }, "proposed", "allowed"),
        (TaskPatch { title: Some("Refund".into()), ..patch() }, "allowed", "allowed"),
        (TaskPatch { description: Some("Nothing to do".into()), ..patch() }, "proposed", "allowed"),
        (TaskPatch { priority: Some(crate::task::Priority::High), tags: Some(vec!["db".into()]), ..patch() }, "allowed", "allowed"),
        (TaskPatch { feature: Some("search".into()), ..patch() }, "proposed", "proposed"),
        (TaskPatch { feature: Some("SHOP".into()), ..patch() }, "allowed", "allowed"),
    ] {
        for (provenance, expected) in [(TaskProvenance::Human, of_a_person), (TaskProvenance::Agent, of_an_agent)] {
            let before = task(OWN, provenance);
            let act = Act::UpdateTask { before: &before, patch: &change, target_parent: None };
            assert_eq!(rules(AT_WORK, &act, None), expected, "{provenance}: {change:?}");
        }
    }
}

#[test]
fn another_s_task_is_changed_by_proposal_and_what_agents_made_but_for_its_status() {
    let patch = TaskPatch::default;
    for (change, of_a_person, of_an_agent) in [
        (TaskPatch { status: Some(TaskStatus::Done), ..patch() }, "proposed", "proposed"),
        (TaskPatch { status: Some(TaskStatus::Skipped), ..patch() }, "proposed", "proposed"),
        (TaskPatch { depends_on: Some(vec![]), ..patch() }, "proposed", "allowed"),
        (TaskPatch { description: Some("More".into()), ..patch() }, "proposed", "allowed"),
        (TaskPatch { priority: Some(crate::task::Priority::Low), ..patch() }, "proposed", "allowed"),
        (TaskPatch { before: Some(0), ..patch() }, "proposed", "allowed"),
        (TaskPatch { feature: Some("search".into()), ..patch() }, "proposed", "proposed"),
        (patch(), "allowed", "allowed"),
    ] {
        for (provenance, expected) in [(TaskProvenance::Human, of_a_person), (TaskProvenance::Agent, of_an_agent)] {
            let before = task(3, provenance);
            let act = Act::UpdateTask { before: &before, patch: &change, target_parent: None };
            assert_eq!(rules(AT_WORK, &act, None), expected, "{provenance}: {change:?}");
            assert_eq!(rules(Actor::Leftover, &act, None), expected, "{provenance}: {change:?}");
        }
    }
}

#[test]
fn what_an_agent_made_is_a_person_s_once_a_person_has_put_it_into_words() {
    let patch = TaskPatch::default;
    for change in [
        TaskPatch { depends_on: Some(vec![]), ..patch() },
        TaskPatch { description: Some("More".into()), ..patch() },
        TaskPatch { title: Some("Easier".into()), ..patch() },
    ] {
        for (id, by_person, expected) in [(3, true, "proposed"), (3, false, "allowed"), (OWN, true, "proposed")] {
            let before = Task { by_person, ..task(id, TaskProvenance::Agent) };
            let act = Act::UpdateTask { before: &before, patch: &change, target_parent: None };
            assert_eq!(rules(AT_WORK, &act, None), expected, "{id} {by_person}: {change:?}");
        }
    }
    let before = Feature { author: TaskProvenance::Agent, description: "Carts".into(), ..Feature::new("shop", Timestamp(1)) };
    let rewritten = FeaturePatch { description: Some("Lists".into()), ..FeaturePatch::default() };
    assert_eq!(rules(AT_WORK, &Act::UpdateFeature { before: &before, patch: &rewritten }, None), "proposed");
}

#[test]
fn a_split_moves_the_tasks_of_its_feature_to_the_feature_s_children_and_no_others() {
    let to = |feature: &str| TaskPatch { feature: Some(feature.into()), ..TaskPatch::default() };
    let with_status = TaskPatch { status: Some(TaskStatus::Done), ..to("shop-cart") };
    for (from, change, target_parent, expected) in [
        ("shop", to("shop-cart"), Some("shop"), "allowed"),
        ("shop", to("search"), None, "proposed"),
        ("shop", to("deep"), Some("shop-cart"), "proposed"),
        ("search", to("shop-cart"), Some("shop"), "proposed"),
        ("shop", with_status, Some("shop"), "proposed"),
    ] {
        let before = Task { feature: from.into(), ..task(3, TaskProvenance::Human) };
        let act = Act::UpdateTask { before: &before, patch: &change, target_parent };
        assert_eq!(rules(AT_WORK, &act, Some("shop")), expected, "{from}: {change:?}");
        assert_eq!(rules(AT_WORK, &act, None), "proposed", "only the split may: {change:?}");
    }
}

#[test]
fn features_are_made_freely_but_children_by_their_split_and_none_is_archived_or_widened() {
    let new = |parent: Option<&str>| NewFeature { name: "x".into(), parent: parent.map(str::to_owned), ..NewFeature::default() };
    for (parent, split, expected) in [
        (None, None, "allowed"),
        (Some(""), None, "allowed"),
        (Some("shop"), None, "proposed"),
        (Some("Shop"), Some("shop"), "allowed"),
        (Some("search"), Some("shop"), "proposed"),
    ] {
        assert_eq!(rules(AT_WORK, &Act::CreateFeature(&new(parent)), split), expected, "{parent:?} {split:?}");
        assert_eq!(rules(CLIENT, &Act::CreateFeature(&new(parent)), None), "allowed");
    }
    let before = Feature { architecture: "One crate".into(), ..Feature::new("shop", Timestamp(1)) };
    let patch = FeaturePatch::default;
    let rewritten = FeaturePatch { architecture: Some("Two".into()), ..patch() };
    let by_agent = Feature { author: TaskProvenance::Agent, by_person: false, ..before.clone() };
    assert_eq!(rules(AT_WORK, &Act::UpdateFeature { before: &by_agent, patch: &rewritten }, None), "allowed");
    assert_eq!(rules(CLIENT, &Act::UpdateFeature { before: &before, patch: &rewritten }, None), "allowed");
    for (change, expected) in [
        (FeaturePatch { description: Some("What is bought".into()), ..patch() }, "allowed"),
        (FeaturePatch { architecture: Some("One crate".into()), ..patch() }, "allowed"),
        (rewritten, "proposed"),
        (FeaturePatch { display_name: Some("Store".into()), ..patch() }, "proposed"),
        (FeaturePatch { state: Some(FeatureState::Archived), ..patch() }, "proposed"),
        (FeaturePatch { state: Some(FeatureState::Active), max_learnings: Some(0), ..patch() }, "allowed"),
        (FeaturePatch { max_learnings: Some(900), ..patch() }, "proposed"),
    ] {
        assert_eq!(rules(AT_WORK, &Act::UpdateFeature { before: &before, patch: &change }, Some("shop")), expected, "{change:?}");
    }
}

#[test]
fn a_new_task_is_open() {
    let new = |status| NewTask { status, ..NewTask::default() };
    for (status, expected) in [
        (None, "allowed"),
        (Some(TaskStatus::Draft), "allowed"),
        (Some(TaskStatus::Blocked), "allowed"),
        (Some(TaskStatus::Done), "refused"),
        (Some(TaskStatus::Skipped), "refused"),
    ] {
        assert_eq!(rules(AT_WORK, &Act::CreateTask(&new(status)), None), expected, "{status:?}");
        assert_eq!(rules(Actor::Human, &Act::CreateTask(&new(status)), None), "allowed");
    }
}

#[test]
fn a_proposal_says_what_would_change() {
    let before = task(3, TaskProvenance::Human);
    let patch = TaskPatch {
        status: Some(TaskStatus::Done),
        acceptance_criteria: Some(vec![]),
        title: Some("Refund".into()),
        depends_on: Some(vec![2]),
        description: Some("Delete all tests".into()),
        ..TaskPatch::default()
    };
    let old = "The old text of a person. ".repeat(100);
    let before = Task { description: old.clone(), ..before };
    let kept = format!("description, as it is:\n{}… and 2100 more characters", &old[..500]);
    let expected = [
        "status: pending → done",
        "acceptance criteria: sums match; tests pass → none",
        "depends on: #1, #2 → #2",
        "description, as it would be:\nDelete all tests",
        kept.as_str(),
    ];
    assert_eq!(changes(&before, &patch), expected);
    let title = |patch: TaskPatch| Wish::UpdateTask { task: 3, patch: Box::new(patch), before: Box::default() }.title();
    assert_eq!(title(TaskPatch { status: None, ..patch.clone() }), "Change task #3 (acceptance criteria, depends on, description, title)");
    assert_eq!(title(patch), "Close task #3 as done");
    let patch = FeaturePatch { boundaries: Some("No card data".into()), context_files: Some(vec![]), ..FeaturePatch::default() };
    let wish = Wish::UpdateFeature { feature: "pay".into(), patch: Box::new(patch), before: Box::default() };
    assert_eq!(wish.title(), "Change feature 'pay' (boundaries, context files)");
}
