//! Interpretation of feedback events.

use super::{Event, Knowledge, Line};
use crate::feedback::caps::evicted;
use crate::feedback::denylist::may_be_learnt;
use crate::feedback::rollback::RollbackScope;
use crate::feedback::top_ranks;
use ralph_core::LearningId;
use ralph_core::feedback::{Feedback, Importance, LearnedTerm, Validation};
use ralph_core::limits;

impl Knowledge {
    /// All feedback on a learning.
    pub fn feedback_on(&self, learning: &str) -> Feedback {
        self.feedback.get(learning).cloned().unwrap_or_default()
    }

    /// Applies a feedback event; other lines change nothing here. A line from elsewhere is held to the same
    /// limits as a local one.
    pub(super) fn apply_feedback(&mut self, line: &Line) {
        match &line.event {
            Event::Validated { learning, useful, by, query } => self.change_feedback(learning, |feedback| {
                feedback.validations.push(Validation { useful: *useful, at: line.at, by: by.clone(), query: query.clone() });
                let excess = feedback.validations.len().saturating_sub(limits::VALIDATIONS_KEPT);
                feedback.validations.drain(..excess);
            }),
            Event::ValidationsDropped { learning, source, since } => self.change_feedback(learning, |feedback| {
                let reach = RollbackScope { source: *source, since: *since };
                feedback.validations.retain(|said| !reach.meets_validation(said));
            }),
            Event::TermsLearnt { learning, terms, by, query, rank } if top_ranks::teaches(Some(*rank)) => {
                let terms: Vec<String> =
                    terms.iter().filter(|term| may_be_learnt(term)).take(limits::TERMS_PER_SELECTION).cloned().collect();
                self.change_feedback(learning, |feedback| {
                    let gone = evicted(&feedback.terms, &terms);
                    feedback.terms.retain(|known| !gone.contains(&known.term) && !terms.contains(&known.term));
                    let learnt = |term| LearnedTerm { term, learnt: line.at, by: by.clone(), query: query.clone(), rank: *rank };
                    feedback.terms.extend(terms.into_iter().map(learnt));
                });
            }
            Event::TermsDropped { learning, terms, .. } => {
                self.change_feedback(learning, |feedback| feedback.terms.retain(|known| !terms.contains(&known.term)));
            }
            Event::Promoted { learning, to } => self.change_feedback(learning, |feedback| {
                // Falling is no promotion, which only so many learnings have at a time.
                feedback.promoted = if *to > feedback.importance { Some(line.at) } else { feedback.promoted };
                feedback.promoted = feedback.promoted.filter(|_| *to != Importance::Normal);
                feedback.importance = *to;
            }),
            _ => {}
        }
    }

    /// Feedback on a learning whose journal is missing is skipped, and empty feedback is removed.
    fn change_feedback(&mut self, learning: &LearningId, change: impl FnOnce(&mut Feedback)) {
        if !self.learnings.contains_key(learning) {
            return;
        }
        let mut feedback = self.feedback_on(learning);
        change(&mut feedback);
        if feedback.is_empty() {
            self.feedback.remove(learning);
        } else {
            self.feedback.insert(learning.clone(), feedback);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::learning;
    use ralph_core::time::Timestamp;

    #[test]
    fn what_falls_was_promoted_when_it_rose() {
        let mut known = Knowledge::default();
        known.learnings.insert("L1".to_owned(), learning("L1", "Retries need a key"));
        let mut promoted = |at, to| {
            let event = Event::Promoted { learning: "L1".to_owned(), to };
            known.apply(&Line { v: 1, id: format!("{at:0>26}"), at: Timestamp(at), offset: None, replica: None, act: None, event });
            known.feedback_on("L1").promoted
        };
        assert_eq!(promoted(1, Importance::Important), Some(Timestamp(1)));
        assert_eq!(promoted(2, Importance::Critical), Some(Timestamp(2)));
        assert_eq!(promoted(3, Importance::Important), Some(Timestamp(2)), "a rollback of many at once is no flood of promotions");
        assert_eq!(promoted(4, Importance::Normal), None);
    }
}
