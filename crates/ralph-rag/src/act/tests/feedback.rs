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
    assert_eq!((desk.feedback(&old).2, desk.feedback(&new).2), (0, 1), "what is said of the old words is said of the new ones");
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
