//! The consequences of an act, and what it is compared with.

use super::*;

#[test]
fn what_a_decision_replaces_hands_its_observations_on_before_a_rebuild_would() {
    let mut desk = desk(50);
    let older = desk.say(TEXT, LearningSource::Human, Some(1)).id;
    let newer = desk.say("Refunds are timed by the provider of the payment", LearningSource::Human, Some(2)).id;
    let judgement = PairJudgement { verdict: PairVerdict::Observed, cosine: 0.9, similarity: 0.9, hits: vec![] };
    let compared = desk.act(|draft| draft.reconcile(&newer, "model", Some((older.clone(), judgement)))).expect("compares");
    assert!(compared.for_review, "both are protected");
    desk.act(|draft| draft.resolve_conflict(&older, &newer, ConflictChoice::KeepNewer)).expect("decides");
    assert_eq!(desk.hits(&newer), 2);
    let lines = desk.lines.len();
    desk.act(|draft| {
        draft.hand_observations_on(|_| true);
        Ok(())
    })
    .expect("merges");
    assert_eq!(desk.lines.len(), lines, "nothing is left to a rebuild");
}

#[test]
fn an_edit_or_a_move_makes_no_second_record_of_a_lesson_and_asks_about_its_opposite() {
    let mut desk = desk(50);
    let known = desk.agent("Mock the clock in tests").id;
    let other = desk.agent(TEXT).id;
    let elsewhere = desk.say_in("shop", "Mock the clock in the tests", LearningSource::Agent, None).id;
    let refusals = [
        desk.act(|draft| draft.edit(&other, "Mock the clock in tests.", None)).map(drop),
        desk.act(|draft| draft.move_learning(&elsewhere, "pay")),
    ];
    for refusal in refusals {
        let refusal = refusal.expect_err("is known there").to_string();
        assert!(refusal.contains(&known), "{refusal}");
    }
    // A rewording of its own words does not match another learning.
    let known = desk.act(|draft| draft.edit(&known, "Mock the clock in all tests", None)).expect("edits");
    let opposite = "Never mock the clock in all tests";
    let reworded = desk.act(|draft| draft.edit(&other, opposite, None)).expect("edits");
    let elsewhere = desk.act(|draft| draft.edit(&elsewhere, opposite, None)).expect("edits");
    assert_eq!(desk.known.open_conflicts, BTreeSet::from([(known.clone(), reworded.clone())]));
    desk.act(|draft| draft.put_away(&reworded)).expect("retires");
    desk.act(|draft| draft.move_learning(&elsewhere, "pay")).expect("moves");
    assert!(desk.known.open_conflicts.contains(&(known, elsewhere)));
}

#[test]
fn the_right_lesson_returns_when_a_person_retires_the_wrong_one_that_replaced_it() {
    let mut desk = desk(50);
    let [right, wrong] = ["Seed the database before the integration suite", TEXT].map(|text| desk.agent(text).id);
    let judgement = PairJudgement { verdict: PairVerdict::Conflict, cosine: 0.9, similarity: 0.9, hits: vec![] };
    desk.act(|draft| draft.reconcile(&wrong, "model", Some((right.clone(), judgement)))).expect("compares");
    assert_eq!([&right, &wrong].map(|id| desk.state(id)), [LearningState::Superseded, LearningState::Active]);
    desk.act(|draft| draft.put_away(&wrong)).expect("retires");
    assert_eq!([&right, &wrong].map(|id| desk.state(id)), [LearningState::Active, LearningState::Retired]);
    let undoable = undoable(desk.lines.clone(), &wrong);
    desk.act(|draft| draft.undo(&wrong, undoable)).expect("undoes");
    assert_eq!([&right, &wrong].map(|id| desk.state(id)), [LearningState::Superseded, LearningState::Active]);
    desk.act(|draft| draft.put_away(&wrong)).expect("retires");
    desk.act(|draft| draft.come_back(&wrong)).expect("returns");
    assert_eq!([&right, &wrong].map(|id| desk.state(id)), [LearningState::Superseded, LearningState::Active], "as before");
}
