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
                feedback.importance = *to;
                feedback.promoted = (*to != Importance::Normal).then_some(line.at);
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
