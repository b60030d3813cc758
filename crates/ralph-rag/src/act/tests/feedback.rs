//! What was said about a learning, and what becomes of that when the learning is replaced.

use super::*;
use crate::feedback::rollback::RollbackScope;
use ralph_core::feedback::{Importance, SelectionSource};

const DAY: i64 = 86_400_000;

impl Desk {
    /// A person's statement, a day after the last.
    fn hear(&mut self, id: &str, useful: bool) {
        self.now += DAY;
        let (learning, by) = (id.to_owned(), "person".to_owned());
        let word = Word { learning, useful, by, written: Timestamp(0), asked: None, learns: false };
        assert!(self.act(|draft| draft.hear(&word, 0)).expect("is heard").counted);
    }

    /// Importance, and how often it was said that a learning helped and that it did not.
    fn feedback(&self, id: &str) -> (Importance, u32, u32) {
        let feedback = self.known.feedback_on(id);
        (feedback.importance, feedback.useful(), feedback.not_useful())
    }

    fn compare(&mut self, newer: &str, older: &str, verdict: PairVerdict) {
        let judgement = PairJudgement { verdict, cosine: 0.95, similarity: 0.95, hits: vec![] };
        self.act(|draft| draft.reconcile(newer, "m", Some((older.to_owned(), judgement)))).expect("compares");
    }
}

#[test]
fn an_edit_keeps_what_was_said_and_so_does_its_undo() {
    let mut desk = desk(50);
    let old = desk.agent(TEXT).id;
    (0..5).for_each(|_| desk.hear(&old, true));
    let new = desk.act(|draft| draft.edit(&old, "Refunds use the provider's clock", None)).expect("edits");
    assert_eq!(desk.feedback(&new), (Importance::Important, 5, 0));
    desk.hear(&old, false);
    assert_eq!((desk.feedback(&old).2, desk.feedback(&new).2), (1, 1), "what is said of the old words is said of the new ones");
    let done = desk.act(|draft| draft.roll_back(RollbackScope { source: Some(SelectionSource::Person), since: None })).expect("rolls back");
    assert_eq!((done.validations, desk.feedback(&new)), (6, (Importance::Normal, 0, 0)), "each counts once");
    desk.hear(&new, true);
    let undone = undoable(desk.lines.clone(), &new);
    desk.act(|draft| draft.undo(&new, undone)).expect("undoes");
    assert_eq!((desk.state(&old), desk.feedback(&new).1), (LearningState::Active, 1));
}

#[test]
fn what_takes_the_place_of_a_near_duplicate_takes_its_refusals_but_what_contradicts_it_does_not() {
    for (verdict, expected) in [(PairVerdict::Observed, 4), (PairVerdict::Merged, 4), (PairVerdict::Conflict, 2)] {
        let mut desk = desk(50);
        let older = desk.agent(TEXT).id;
        let newer = desk.agent("Sums are kept in cents").id;
        for id in [&older, &newer, &older, &newer] {
            desk.hear(id, false);
        }
        desk.compare(&newer, &older, verdict);
        let left: Vec<LearningId> = desk.known.of_feature("pay", LearningState::Active).map(|l| l.id.clone()).collect();
        assert_eq!((left.len(), desk.feedback(&left[0]).2), (1, expected), "{verdict}");
    }
}

#[test]
fn once_a_comparison_is_undone_each_of_the_two_has_what_was_said_of_it() {
    for (verdict, gone) in [(PairVerdict::Observed, 1), (PairVerdict::Merged, 0), (PairVerdict::Merged, 1), (PairVerdict::Conflict, 0)] {
        let mut desk = desk(50);
        let ids = [TEXT, "Sums are kept in cents"].map(|text| desk.agent(text).id);
        for (id, useful) in [(0, true), (0, false), (1, false), (1, false), (0, true), (0, true), (0, true), (0, true)] {
            desk.hear(&ids[id], useful);
        }
        // One answer about both, by which a statement of one equals one of the other.
        let word = |learning: &LearningId| Word {
            learning: learning.clone(),
            useful: true,
            by: "agent:7@A".to_owned(),
            written: Timestamp(0),
            asked: None,
            learns: false,
        };
        let both = ids.each_ref().map(word);
        desk.act(|draft| both.iter().try_for_each(|word| draft.hear(word, 0).map(drop))).expect("is heard");
        let before = [0, 1].map(|at| desk.known.feedback_on(&ids[at]));
        desk.compare(&ids[1], &ids[0], verdict);
        desk.hear(&ids[gone], false);
        desk.act(|draft| draft.undo_reconciliation(&ids[1])).expect("is undone");
        let now = [0, 1].map(|at| desk.known.feedback_on(&ids[at]));
        let kept = &now[1 - gone];
        assert_eq!((kept.counted().len(), kept.importance), (before[1 - gone].counted().len(), before[1 - gone].importance), "{verdict}");
        assert_eq!(kept, &before[1 - gone], "{verdict}");
        assert_eq!(now[gone].not_useful(), before[gone].not_useful() + 1, "what was said of it meanwhile is its own: {verdict}");
    }
}
