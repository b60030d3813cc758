//! What follows from a task's status and dependencies.

use super::*;

#[test]
fn readiness_follows_from_status_and_dependencies() {
    use TaskStatus::{Blocked, Done, Failed, InProgress, InReview, Pending, Skipped};
    for (status, dependencies, expected) in [
        (Pending, vec![], Readiness::Ready),
        (Pending, vec![Done, Skipped], Readiness::Ready),
        (Pending, vec![Done, Pending], Readiness::Waiting),
        (Pending, vec![InReview], Readiness::Waiting),
        (InReview, vec![], Readiness::NeedsPerson),
        (Pending, vec![Pending, Failed], Readiness::Stranded),
        (Blocked, vec![], Readiness::NeedsPerson),
        (InProgress, vec![Pending], Readiness::Running),
        (Done, vec![Pending], Readiness::Closed),
    ] {
        assert_eq!(readiness(status, false, dependencies.clone()), expected, "{status} {dependencies:?}");
    }
    for (status, expected) in [(Pending, Readiness::Archived), (Blocked, Readiness::NeedsPerson), (Done, Readiness::Closed)] {
        assert_eq!(readiness(status, true, [Failed]), expected, "{status}");
    }
}

#[test]
fn an_open_task_is_stuck_from_the_threshold_on() {
    let stuck =
        |status, consecutive_failures| Task { status, consecutive_failures, ..Task::new("pay", "Refund", Timestamp(0)) }.judged(3).stuck;
    assert_eq!([2, 3, 4].map(|failures| stuck(TaskStatus::Pending, failures)), [false, true, true]);
    assert!(stuck(TaskStatus::Blocked, 5) && !stuck(TaskStatus::Done, 5) && !stuck(TaskStatus::Failed, 5));
}

#[test]
fn cycles_are_found_with_their_path() {
    let edges = BTreeMap::from([(2, vec![3]), (3, vec![4]), (4, vec![])]);
    assert_eq!(find_cycle(1, &[2], &edges), None);
    assert_eq!(find_cycle(4, &[2], &edges), Some(vec![4, 2, 3, 4]));
    assert_eq!(find_cycle(5, &[5], &edges), Some(vec![5, 5]));
}

#[test]
fn words_are_a_person_s_as_long_as_some_of_theirs_stand() {
    let title = |text: &str| TaskPatch { title: Some(text.into()), ..TaskPatch::default() };
    let both = |text: &str| TaskPatch { description: Some(text.into()), ..title(text) };
    let (human, agent) = (TaskProvenance::Human, TaskProvenance::Agent);
    for (by_person, patch, by, expected) in [
        (true, title("New"), agent, (agent, true)),
        (true, both("New"), agent, (agent, false)),
        (true, TaskPatch { title: Some("Refund".into()), ..both("New") }, agent, (agent, true)),
        (true, TaskPatch { tags: Some(vec!["db".into()]), ..TaskPatch::default() }, agent, (human, true)),
        (false, title("New"), agent, (agent, false)),
        (false, title("New"), human, (agent, true)),
        (false, both("New"), human, (human, true)),
        (false, TaskPatch::default(), human, (agent, false)),
    ] {
        let author = if by_person { human } else { agent };
        let before = Task { author, by_person, description: "Within a day".into(), ..Task::new("pay", "Refund", Timestamp(0)) };
        assert_eq!(patch.authors_after(&before, by), expected, "{by_person} {by}: {patch:?}");
    }
}
