//! What follows from an act.

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
