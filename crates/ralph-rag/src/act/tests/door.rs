//! Words that were put away as one kind and come again as another.

use super::*;
use ralph_core::replica::IterationRef;

/// An agent's episode of `pay`, or of the project, in an iteration of its own.
fn episode(feature: Option<&str>, lesson: &str) -> Episode {
    Episode {
        feature: feature.map(str::to_owned),
        lesson_type: LessonType::Pattern,
        source: LearningSource::Agent,
        task_id: Some(1),
        iteration: Some(77),
        replica: Some("A".into()),
        ..crate::testing::episode(lesson)
    }
}

fn answer(desk: &mut Desk, said: &FeatureLearning) -> Option<(Verdict, LearningId)> {
    let near: Vec<LearningId> = desk.known.learnings.keys().cloned().collect();
    let answer = desk.act(|draft| draft.answer(said, &near)).expect("is answered");
    answer.map(|outcome| (outcome.verdict, outcome.id))
}

#[test]
fn what_was_put_away_as_a_learning_does_not_return_as_an_episode_or_a_fact() {
    type Away = fn(&mut Desk, &LearningId) -> Option<LearningId>;
    let retired: Away = |desk, id| {
        desk.act(|draft| draft.put_away(id)).expect("retires");
        None
    };
    let rewritten: Away = |desk, id| Some(desk.act(|draft| draft.edit(id, "Refunds are paid twice a week", None)).expect("edits"));
    let active: Away = |_, _| None;
    for (state, away, verdict) in
        [("retired", retired, Verdict::PutAway), ("rewritten", rewritten, Verdict::Observed), ("active", active, Verdict::Observed)]
    {
        for home in [Some("pay"), None] {
            let mut desk = desk(50);
            let id = desk.agent(TEXT).id;
            let holds = away(&mut desk, &id).unwrap_or(id);
            let said = words_of_episode(&episode(home, TEXT));
            assert_eq!(answer(&mut desk, &said), Some((verdict, holds.clone())), "{state} {home:?}");
            let seen = desk.known.has_observed(&holds, &IterationRef { replica: Some("A".into()), iteration: 77 });
            assert_eq!(seen, verdict == Verdict::Observed, "{state}: it counts as a learning's observation does");
            let fact = Fact { feature: home.map(str::to_owned), subject: "refunds".into(), value: TEXT.into(), ..fact("") };
            assert_eq!(answer(&mut desk, &words_of_fact(&fact)), Some((verdict, holds)), "{state} {home:?}");
        }
    }
    let mut desk = desk(50);
    let id = desk.agent(TEXT).id;
    desk.act(|draft| draft.put_away(&id)).expect("retires");
    let by_person = Episode { source: LearningSource::Human, ..episode(Some("pay"), TEXT) };
    assert_eq!(answer(&mut desk, &words_of_episode(&by_person)), None, "a person may say it as another kind");
    for (home, lesson) in [(Some("shop"), TEXT), (Some("pay"), "Refunds are paid twice a week")] {
        assert_eq!(answer(&mut desk, &words_of_episode(&episode(home, lesson))), None, "{home:?}: {lesson}");
    }
}

#[test]
fn a_pruned_lesson_that_is_said_as_an_episode_returns_with_its_evidence() {
    let mut desk = desk(1);
    let id = desk.agent(TEXT).id;
    desk.agent("The ledger is partitioned by month");
    assert_eq!(desk.known.learnings[&id].state, LearningState::Pruned);
    let said = words_of_episode(&episode(Some("pay"), TEXT));
    assert_eq!(answer(&mut desk, &said), Some((Verdict::Observed, id.clone())));
    assert_eq!((desk.known.learnings[&id].state, desk.known.learnings[&id].hit_count), (LearningState::Active, 2));
}

#[test]
fn what_a_person_put_away_as_an_episode_or_a_fact_does_not_return_as_another_kind() {
    for home in [Some("pay"), None] {
        let mut desk = desk(50);
        let id = desk.act(|draft| Ok(draft.tell_episode(episode(home, TEXT)))).expect("is told");
        assert_eq!(answer(&mut desk, &words_of_episode(&episode(home, TEXT))), None, "its own kind answers for one that is told");
        desk.act(|draft| draft.withdraw(&id, WithdrawalReason::Person, "")).expect("retires");
        let again = desk.agent(TEXT);
        assert_eq!((again.verdict, &again.id), (Verdict::PutAway, &id), "{home:?}");
        assert!(again.put_away.is_some_and(|note| note.by == "human"));
        let fact = Fact { feature: Some("pay".into()), subject: "refunds".into(), value: TEXT.into(), ..fact("") };
        assert_eq!(answer(&mut desk, &words_of_fact(&fact)), Some((Verdict::PutAway, id.clone())), "{home:?}");
        // Whoever put it away may say it.
        assert_eq!(desk.say(TEXT, LearningSource::Human, None).verdict, Verdict::Added);
    }
    let mut desk = desk(50);
    let id = desk.act(|draft| Ok(draft.tell_episode(episode(Some("pay"), TEXT)))).expect("is told");
    desk.act(|draft| draft.withdraw(&id, WithdrawalReason::DeadEnd, "")).expect("is withdrawn");
    assert_eq!(desk.agent(TEXT).verdict, Verdict::Added, "nobody put it away");
}

#[test]
fn prompts_leave_out_what_a_learning_says_now_or_what_was_put_away_with_it() {
    let mut desk = desk(50);
    let id = desk.agent(TEXT).id;
    let near = [id.clone()];
    let left_out = |desk: &Desk, home| desk.known.leaves_out(&words_of_episode(&episode(home, TEXT)), &near, &desk.documents);
    assert!(!left_out(&desk, Some("pay")), "where the learning is told, the repetition is found by its words");
    desk.act(|draft| draft.edit(&id, "Refunds are paid twice a week", None)).expect("edits");
    assert!(left_out(&desk, Some("pay")) && left_out(&desk, None) && !left_out(&desk, Some("shop")), "an old wording");
}
