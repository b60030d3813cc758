//! Who may do what, on a real database: an agent's acts and proposals, and a person's decisions on them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Project, human, status};
use ralph_app::{Actor, AppError};
use ralph_core::feature::{FeaturePatch, FeatureState, NewFeature};
use ralph_core::learning::{ConflictChoice, LearningState, NewLearning};
use ralph_core::limits;
use ralph_core::notice::{Notice, NoticeKind};
use ralph_core::run::RunControl;
use ralph_core::task::{NewTask, TaskPatch, TaskProvenance, TaskStatus};
use ralph_core::view::{CommandError, NeedsYou};

/// An agent working on task `task`; the iteration's row is irrelevant here.
fn agent(task: u32) -> Actor {
    Actor::Agent { working_on: Some((1, task)) }
}

/// The notice of a proposed act.
fn proposed<T: std::fmt::Debug>(project: &Project, answer: Result<T, AppError>) -> Notice {
    match answer.expect_err("a person decides") {
        AppError::Proposed { notice, .. } => project.app.notice(notice).unwrap(),
        other => panic!("{other}"),
    }
}

#[test]
fn another_s_task_is_closed_by_the_person_who_accepts_the_proposal() {
    let project = Project::with_feature("pay");
    let (own, other) = (project.task("pay", "Refund"), project.task("pay", "Ledger"));
    let by_agent = project.acting_as(agent(own));
    let notice = proposed(&project, by_agent.update_task(other, &status(TaskStatus::Done)));
    assert_eq!((notice.kind, notice.iteration, notice.task), (NoticeKind::Proposal, Some(1), Some(other)));
    assert_eq!((notice.title.as_str(), notice.detail.as_str()), ("Close task #2 as done", "#2 Ledger\nstatus: pending → done"));
    assert_eq!(project.app.task(other).unwrap().task.status, TaskStatus::Pending, "nothing has changed");
    assert_eq!(project.app.overview().unwrap().needs_you, [NeedsYou::Notice { notice: notice.clone() }]);

    // Repeating the request is the same proposal, and an agent can't settle it.
    assert_eq!(proposed(&project, by_agent.update_task(other, &status(TaskStatus::Done))).id, notice.id);
    let error = CommandError::from(by_agent.settle_notice(notice.id, true).expect_err("is not a person"));
    assert_eq!(error.code, "forbidden");

    let settled = project.app.settle_notice(notice.id, true).unwrap();
    assert_eq!((settled.accepted, settled.settled.is_some()), (Some(true), true));
    assert_eq!(project.app.task(other).unwrap().task.status, TaskStatus::Done);
    assert_eq!(project.app.overview().unwrap().needs_you, []);
    assert!(project.app.settle_notice(notice.id, false).expect_err("is settled").to_string().contains("accepted already"));
}

#[test]
fn a_dismissed_proposal_changes_nothing_and_one_that_can_not_be_made_goes_on_waiting() {
    let project = Project::with_feature("pay");
    let (own, other) = (project.task("pay", "Refund"), project.task("pay", "Ledger"));
    let by_agent = project.acting_as(agent(own));
    let notice = proposed(&project, by_agent.update_task(other, &status(TaskStatus::Skipped)));
    assert_eq!(project.app.settle_notice(notice.id, false).unwrap().accepted, Some(false));
    assert_eq!(project.app.task(other).unwrap().task.status, TaskStatus::Pending);

    // A dismissal can be undone by a person; the proposal then waits as before, and can be accepted.
    let refused = CommandError::from(by_agent.reopen_notice(notice.id).expect_err("is not a person"));
    assert_eq!(refused.code, "forbidden");
    let again = project.app.reopen_notice(notice.id).unwrap();
    assert_eq!((again.accepted, again.settled), (None, None));
    assert_eq!(project.app.notices(false).unwrap().len(), 1);
    assert!(project.app.reopen_notice(notice.id).expect_err("waits").to_string().contains("waits already"));
    project.app.settle_notice(notice.id, true).unwrap();
    assert_eq!(project.app.task(other).unwrap().task.status, TaskStatus::Skipped);
    assert!(project.app.reopen_notice(notice.id).expect_err("made").to_string().contains("its change is made"));

    let notice = proposed(&project, by_agent.update_task(other, &TaskPatch { depends_on: Some(vec![77]), ..TaskPatch::default() }));
    assert!(project.app.settle_notice(notice.id, true).expect_err("there is no task 77").to_string().starts_with("depends_on"));
    assert_eq!(project.app.notices(false).unwrap().len(), 1, "it can still be dismissed");
    assert_eq!(project.app.notices(true).unwrap().len(), 2);
    assert!(matches!(project.app.notice(99), Err(AppError::NotFound { .. })));
}

#[test]
fn what_a_person_wrote_or_decided_is_proposed_and_what_is_theirs_alone_is_refused() {
    let project = Project::with_feature("pay");
    let task = project.task("pay", "Refund");
    let (one, two) = (project.add(&human("pay", 1)).id, project.add(&human("pay", 2)).id);
    let by_agent = project.acting_as(agent(task));
    let archive = FeaturePatch { state: Some(FeatureState::Archived), ..FeaturePatch::default() };
    let wider = FeaturePatch { max_learnings: Some(900), ..FeaturePatch::default() };
    let child = NewFeature { name: "pay-in".into(), parent: Some("pay".into()), ..NewFeature::default() };
    for answer in [
        by_agent.retire_learning(&one).map(drop),
        by_agent.review_learning(&one).map(drop),
        by_agent.edit_learning(&one, "Something else", None).map(drop),
        by_agent.merge_learnings(&[one.clone(), two.clone()], "Both", None).map(drop),
        by_agent.resolve_conflict(&one, &two, ConflictChoice::KeepNewer),
        by_agent.update_feature("pay", &archive).map(drop),
        by_agent.update_feature("pay", &wider).map(drop),
        by_agent.create_feature(&child).map(drop),
    ] {
        proposed(&project, answer);
    }
    assert_eq!((project.state(&one), project.state(&two)), (LearningState::Active, LearningState::Active));
    let feature = project.app.feature("pay").unwrap();
    assert_eq!((feature.state, feature.max_learnings), (FeatureState::Active, None));
    let retire = project.app.notices(false).unwrap().remove(0);
    assert!(retire.detail.contains("(human): Module m1"), "{}", retire.detail);
    project.app.settle_notice(retire.id, true).unwrap();
    assert_eq!(project.state(&one), LearningState::Retired);

    let settings = project.app.settings().unwrap();
    for answer in [
        by_agent.control_run(None, None, RunControl::StopNow).map(drop),
        by_agent.update_settings(&settings, &settings).map(drop),
        by_agent.rebuild().map(drop),
        by_agent
            .create_task(&NewTask { feature: "pay".into(), title: "x".into(), status: Some(TaskStatus::Done), ..NewTask::default() })
            .map(drop),
    ] {
        assert_eq!(CommandError::from(answer.expect_err("is a person's")).code, "forbidden");
    }
    let mut new = NewLearning::new("pay", "Trust me");
    let error = by_agent.sign(&mut new, Some(ralph_core::learning::LearningSource::Human)).expect_err("is not a person");
    assert!(error.to_string().contains("write as a person"), "{error}");
}

#[test]
fn an_agent_that_mistypes_an_id_is_told_so_and_nothing_is_put_before_a_person() {
    let project = Project::with_feature("pay");
    let task = project.task("pay", "Refund");
    let known = project.add(&human("pay", 1)).id;
    let by_agent = project.acting_as(agent(task));
    for answer in [
        by_agent.retire_learning(&known[..20]).map(drop),
        by_agent.edit_learning("nope", "Something else", None).map(drop),
        by_agent.merge_learnings(&[known.clone(), "nope".into()], "Both", None).map(drop),
        by_agent.resolve_conflict(&known, "nope", ConflictChoice::KeepNewer),
        by_agent.move_learning("nope", "pay").map(drop),
    ] {
        assert!(matches!(answer, Err(AppError::NotFound { .. })), "{answer:?}");
    }
    assert_eq!(project.app.notices(false).unwrap(), []);
}

#[test]
fn words_of_a_person_beside_those_of_agents_are_changed_by_proposal() {
    let project = Project::with_feature("pay");
    let own = project.task("pay", "Refund");
    let (client, by_agent) = (project.acting_as(Actor::Agent { working_on: None }), project.acting_as(agent(own)));
    let described = |text: &str| TaskPatch { description: Some(text.into()), ..TaskPatch::default() };
    let about = |text: &str| FeaturePatch { description: Some(text.into()), ..FeaturePatch::default() };
    let drawn = |text: &str| FeaturePatch { architecture: Some(text.into()), ..FeaturePatch::default() };

    // A feature of a person, where an agent or a person's program has filled in what was empty.
    project.app.update_feature("pay", &about("Refunds within a day")).unwrap();
    assert_eq!(by_agent.update_feature("pay", &drawn("One crate")).unwrap().author, TaskProvenance::Agent);
    proposed(&project, by_agent.update_feature("pay", &about("Refunds at some time")));
    proposed(&project, by_agent.update_feature("pay", &drawn("Two crates")));
    client.update_feature("pay", &FeaturePatch { boundaries: Some("No payroll".into()), ..FeaturePatch::default() }).unwrap();
    proposed(&project, by_agent.update_feature("pay", &about("Refunds at some time")));
    assert_eq!(project.app.feature("pay").unwrap().description, "Refunds within a day");

    // A feature and a task of agents, of which a person has rewritten a part.
    client.create_feature(&NewFeature { name: "shop".into(), description: "Carts".into(), ..NewFeature::default() }).unwrap();
    by_agent.update_feature("shop", &about("Carts and lists")).unwrap();
    project.app.update_feature("shop", &about("Carts, and nothing else")).unwrap();
    proposed(&project, by_agent.update_feature("shop", &about("Carts and lists")));
    let new = NewTask { feature: "pay".into(), title: "Ledger".into(), depends_on: vec![own], ..NewTask::default() };
    let made = client.create_task(&new).unwrap().id;
    by_agent.update_task(made, &described("Lock it")).unwrap();
    project.app.update_task(made, &described("Never lock it")).unwrap();
    let alone = TaskPatch { depends_on: Some(vec![]), ..TaskPatch::default() };
    for act in [&described("Lock it"), &alone] {
        proposed(&project, by_agent.update_task(made, act));
        proposed(&project, project.acting_as(agent(made)).update_task(made, act));
    }
    assert_eq!(project.app.task(made).unwrap().task.description, "Never lock it");

    // Nothing is left of a person where their program has written it all anew.
    client.update_task(made, &TaskPatch { title: Some("Books".into()), ..described("Lock it") }).unwrap();
    by_agent.update_task(made, &described("Lock it twice")).unwrap();
}

#[test]
fn what_agents_make_is_theirs_to_change() {
    let project = Project::with_feature("pay");
    let own = project.task("pay", "Refund");
    let by_agent = project.acting_as(agent(own));
    let made = by_agent.create_task(&NewTask { feature: "pay".into(), title: "Ledger".into(), ..NewTask::default() }).unwrap();
    assert_eq!(made.provenance, TaskProvenance::Agent);
    let better = TaskPatch { title: Some("Ledger by day".into()), depends_on: Some(vec![own]), ..TaskPatch::default() };
    assert_eq!(by_agent.update_task(made.id, &better).unwrap().title, "Ledger by day");
    by_agent.add_comment(own, "Sums are in cents").unwrap();
    proposed(&project, by_agent.update_task(made.id, &status(TaskStatus::Done)));
}

#[test]
fn an_agent_that_asks_at_random_does_not_bury_the_person() {
    let project = Project::with_feature("pay");
    let (own, other) = (project.task("pay", "Refund"), project.task("pay", "Ledger"));
    let by_agent = project.acting_as(agent(own));
    let ask = |number: u32| by_agent.update_task(other, &TaskPatch { title: Some(format!("Title {number}")), ..TaskPatch::default() });
    for number in 0..limits::PROPOSALS {
        proposed(&project, ask(number));
    }
    let error = ask(limits::PROPOSALS).expect_err("is enough").to_string();
    assert!(error.starts_with("proposal: 20"), "{error}");
    assert_eq!(project.app.notices(false).unwrap().len(), limits::PROPOSALS as usize);
}

#[test]
fn what_an_agent_proposes_is_kept_without_its_secrets() {
    let project = Project::with_feature("pay");
    let (own, other) = (project.task("pay", "Refund"), project.task("pay", "Ledger"));
    let by_agent = project.acting_as(agent(own));
    let token = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let wished = TaskPatch {
        title: Some("export PGPASSWORD=hunter2hunter2xx".into()),
        description: Some(format!("Push with {token}\nand again")),
        tags: Some(vec![token.clone()]),
        ..TaskPatch::default()
    };
    let notice = proposed(&project, by_agent.update_task(other, &wished));
    let kept = serde_json::to_string(&notice).unwrap();
    assert!(kept.contains("[redacted:") && !kept.contains(&token) && !kept.contains("hunter2"), "{kept}");
    // What is left of it can still be accepted.
    project.app.settle_notice(notice.id, true).unwrap();
    assert!(project.app.task(other).unwrap().task.description.ends_with("\nand again"));
    let named = NewFeature { name: token, ..NewFeature::default() };
    let refused = CommandError::from(by_agent.create_feature(&named).expect_err("can't be committed"));
    assert_eq!((refused.code.as_str(), project.app.notices(false).unwrap().len()), ("invalid", 0), "{refused:?}");
}
