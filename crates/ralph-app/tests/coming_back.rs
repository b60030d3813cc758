//! A person who comes back: what waits for them, what they answer, and what happened meanwhile.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Project, human, status};
use ralph_app::Actor;
use ralph_core::feature::{FeaturePatch, NewFeature};
use ralph_core::task::{Task, TaskFilter, TaskKind, TaskPatch, TaskProvenance, TaskStatus};
use ralph_core::time::Timestamp;
use ralph_core::view::{CommandError, NeedsYou, PutBack, SinceLook, WorkSince};

fn status_of(project: &Project, task: u32) -> TaskStatus {
    project.app.task(task).unwrap().task.status
}

#[test]
fn a_split_that_is_needed_no_more_is_skipped_by_rule_unless_it_has_begun() {
    let project = Project::with_feature("pay");
    let cap = |of: u32| {
        let patch = FeaturePatch { max_learnings: Some(of), ..FeaturePatch::default() };
        project.app.update_feature("pay", &patch).unwrap();
    };
    let first = (0..45).find_map(|number| project.add(&human("pay", number)).split_task).unwrap();
    cap(53);
    assert_eq!(status_of(&project, first), TaskStatus::Pending, "84 %: it does not come and go with each learning");
    cap(100);
    assert_eq!(status_of(&project, first), TaskStatus::Skipped);
    let said = project.app.task(first).unwrap().comments.pop().unwrap();
    assert_eq!(said.text, "Skipped by rule: 'pay' holds 45 of 100 learnings by now, 45 %, and needs no split.");
    cap(50);
    let split = |task: &Task| task.kind == TaskKind::Split && task.status == TaskStatus::Pending;
    let second = project.app.tasks(&TaskFilter::default()).unwrap().into_iter().find(split).unwrap().id;
    let child = NewFeature { name: "pay-refunds".into(), parent: Some("pay".into()), ..NewFeature::default() };
    project.app.create_feature(&child).unwrap();
    cap(100);
    assert_eq!((second == first, status_of(&project, second)), (false, TaskStatus::Pending), "its first child is there");
}

#[test]
fn an_answer_puts_blocked_tasks_back_and_stands_as_a_remark_on_each() {
    let project = Project::with_feature("pay");
    let (one, two) = (project.task("pay", "Refund"), project.task("pay", "Ledger"));
    let blocked = TaskPatch { blocked_reason: Some("needs the secret".into()), ..status(TaskStatus::Blocked) };
    for task in [one, two] {
        project.app.update_task(task, &blocked).unwrap();
    }
    let needs_you = project.app.overview().unwrap().needs_you;
    assert!(
        matches!(&needs_you[0], NeedsYou::BlockedTask { task, feature, reason, .. }
            if (*task, feature.as_str(), reason.as_str()) == (one, "pay", "needs the secret")),
        "{needs_you:?}"
    );
    let back = project.app.put_back(&[one, two], Some("It is in the vault by now.")).unwrap();
    assert!(back.iter().all(|PutBack { task, .. }| task.status == TaskStatus::Pending && task.blocked_reason.is_none()), "{back:?}");
    for task in [one, two] {
        let comments = project.app.task(task).unwrap().comments;
        assert_eq!((comments[0].author, comments[0].text.as_str()), (TaskProvenance::Human, "It is in the vault by now."));
    }
    assert_eq!(project.app.overview().unwrap().needs_you, []);
}

#[test]
fn who_takes_an_answer_back_has_said_nothing() {
    let project = Project::with_feature("pay");
    let (one, two) = (project.task("pay", "Refund"), project.task("pay", "Ledger"));
    let blocked = TaskPatch { blocked_reason: Some("needs the secret".into()), ..status(TaskStatus::Blocked) };
    for task in [one, two] {
        project.app.update_task(task, &blocked).unwrap();
    }
    let back = project.app.put_back(&[one, two], Some("It is in the valt.")).unwrap();
    let acts: Vec<_> = back.into_iter().map(|back| back.before).collect();
    for task in project.app.undo_put_back(&acts).unwrap() {
        assert_eq!((task.status, task.blocked_reason.as_deref()), (TaskStatus::Blocked, Some("needs the secret")));
        assert_eq!(project.app.task(task.id).unwrap().comments, [], "no attempt is told what was taken back");
    }
    let again = CommandError::from(project.app.undo_put_back(&acts).expect_err("it is undone"));
    assert!(again.message.contains("has gone on"), "{again:?}");
}

#[test]
fn one_task_that_can_not_be_put_back_keeps_all_where_they_are() {
    let project = Project::with_feature("pay");
    let (blocked, ready) = (project.task("pay", "Refund"), project.task("pay", "Ledger"));
    project.app.update_task(blocked, &status(TaskStatus::Blocked)).unwrap();
    let error = CommandError::from(project.app.put_back(&[blocked, ready], Some("Go on.")).expect_err("one is pending"));
    assert!(error.message.contains(&format!("task #{ready} is pending")), "{error:?}");
    assert_eq!(status_of(&project, blocked), TaskStatus::Blocked);
    assert_eq!(project.app.task(blocked).unwrap().comments, []);
}

#[test]
fn an_agent_may_not_put_another_s_task_back() {
    let project = Project::with_feature("pay");
    let (own, other) = (project.task("pay", "Refund"), project.task("pay", "Ledger"));
    project.app.update_task(other, &status(TaskStatus::Blocked)).unwrap();
    let by_agent = project.acting_as(Actor::Agent { working_on: Some((1, own)) });
    by_agent.put_back(&[other], None).expect_err("a person decides");
    assert_eq!(status_of(&project, other), TaskStatus::Blocked);
}

#[test]
fn guidance_that_waits_can_be_taken_back_once() {
    let project = Project::with_feature("pay");
    let task = project.task("pay", "Refund");
    let given = project.app.guide(Some(task), "Use the new client.").unwrap();
    let other = project.app.guide(None, "Be brief.").unwrap();
    assert_eq!(project.app.withdraw_guidance(given.id).unwrap(), given);
    assert_eq!(project.app.waiting_guidance().unwrap(), [other]);
    let error = CommandError::from(project.app.withdraw_guidance(given.id).expect_err("is gone"));
    assert_eq!(error.code, "not_found");
}

#[test]
fn the_first_look_tells_nothing_and_the_next_one_what_came_in_between() {
    let (project, at) = Project::with_a_clock("pay");
    assert_eq!(project.app.since_look(None).unwrap(), None);
    at(60_000);
    project.add(&human("pay", 1));
    assert!(!project.app.is_away(), "nobody has looked yet");
    at(120_000);
    project.app.look();
    assert!(!project.app.is_away());
    at(420_000);
    assert!(project.app.is_away(), "nobody has looked for five minutes");
    at(120_000);
    let looked = Timestamp(1_795_000_120_000);
    let quiet = SinceLook { at: looked, work: WorkSince::default(), learnt: 0, put_away: 0, saturation: Vec::new() };
    assert_eq!(project.app.since_look(None).unwrap(), Some(quiet));
    at(180_000);
    let old = project.add(&human("pay", 2)).id;
    project.add(&human("pay", 3));
    project.app.retire_learning(&old).unwrap();
    let since = project.app.since_look(None).unwrap().unwrap();
    assert_eq!((since.learnt, since.put_away), (1, 1));
    assert_eq!((since.saturation[0].before_pct, since.saturation[0].now_pct), (2, 4));
    // They look again, and have not dismissed what they were shown.
    at(240_000);
    project.app.look();
    assert_eq!(project.app.since_look(Some(since.at)).unwrap(), Some(since));
    assert_eq!(project.app.since_look(None).unwrap().unwrap().learnt, 0);
}
