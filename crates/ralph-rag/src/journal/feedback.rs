//! Interpretation of feedback events.

use super::opposites::has_opposite_words;
use super::{Event, Knowledge, Line};
use crate::feedback::caps::evicted;
use crate::feedback::denylist::may_be_learnt;
use crate::feedback::promotion::due;
use crate::feedback::rollback::RollbackScope;
use crate::feedback::top_ranks;
use ralph_core::LearningId;
use ralph_core::feedback::{Feedback, Importance, LearnedTerm, Validation};
use ralph_core::limits;
use std::collections::BTreeSet;

impl Knowledge {
    /// All feedback on a learning.
    pub fn feedback_on(&self, learning: &str) -> Feedback {
        self.feedback.get(learning).cloned().unwrap_or_default()
    }

    /// The learnings in the place of a replaced one, nearest first: what was said about it holds for them. Not those that contradict it:
    /// whether its opposite helped or not says nothing about a lesson.
    pub fn heirs(&mut self, learning: &str) -> Vec<LearningId> {
        let (mut heirs, mut met) = (Vec::new(), BTreeSet::from([learning.to_owned()]));
        while heirs.len() < limits::REPLACEMENTS {
            let Some(heir) = self.heir(heirs.last().map_or(learning, String::as_str)).filter(|heir| met.insert(heir.clone())) else {
                break;
            };
            heirs.push(heir);
        }
        heirs
    }

    /// What stands next in the place of a learning. Words are compared once per pair: a journal may name it in every line.
    fn heir(&mut self, learning: &str) -> Option<LearningId> {
        let old = self.learnings.get(learning).filter(|old| !self.put_away.contains_key(&old.id))?;
        let by = self.learnings.get(old.superseded_by.as_ref()?)?;
        if self.was_found_opposite(&old.id, &by.id) {
            return None;
        }
        let pair = (old.id.clone(), by.id.clone());
        let is_opposite = self.opposites.0.get(&pair).copied().unwrap_or_else(|| has_opposite_words(old, by));
        let heir = (!is_opposite).then(|| by.id.clone());
        self.opposites.0.insert(pair, is_opposite);
        heir
    }

    /// Feedback by learning, without replaced ones: what was said about them stands with their replacements.
    pub fn standing_feedback(&self) -> impl Iterator<Item = &Feedback> {
        let is_replaced = |id: &LearningId| self.learnings.get(id).is_some_and(|learning| learning.superseded_by.is_some());
        self.feedback.iter().filter(move |(id, _)| !is_replaced(id)).map(|(_, feedback)| feedback)
    }

    /// Changes what stands in the place of a learning. What was said about it counts for those that stand there from then on, and no longer
    /// for those that stood there before. It keeps its own: it may return.
    pub(super) fn replace(&mut self, learning: &str, change: impl FnOnce(&mut Knowledge)) {
        let said = self.feedback_on(learning);
        if said.is_empty() {
            return change(self);
        }
        let before = self.heirs(learning);
        change(self);
        let heirs = self.heirs(learning);
        for former in before.iter().filter(|former| !heirs.contains(former)) {
            self.change_feedback_of(former, |feedback| take_back(feedback, &said));
        }
        for heir in heirs.iter().filter(|heir| !before.contains(heir)) {
            self.change_feedback_of(heir, |feedback| hand_on(feedback, &said));
        }
    }

    /// Applies a feedback event; other lines change nothing here. A line from elsewhere is held to the same
    /// limits as a local one.
    pub(super) fn apply_feedback(&mut self, line: &Line) {
        match &line.event {
            Event::Validated { learning, useful, by, query } => self.change_feedback(learning, |feedback, _| {
                let (by, query, replica) = (by.clone(), query.clone(), line.replica.clone());
                feedback.validations.push(Validation { useful: *useful, at: line.at, by, replica, query });
            }),
            Event::ValidationsDropped { learning, source, since } => self.change_feedback(learning, |feedback, _| {
                let reach = RollbackScope { source: *source, since: *since };
                feedback.validations.retain(|said| !reach.meets_validation(said));
            }),
            Event::TermsLearnt { learning, terms, by, query, rank } if top_ranks::teaches(Some(*rank)) => {
                let terms: Vec<String> =
                    terms.iter().filter(|term| may_be_learnt(term)).take(limits::TERMS_PER_SELECTION).cloned().collect();
                self.change_feedback(learning, |feedback, _| {
                    let gone = evicted(&feedback.terms, &terms);
                    feedback.terms.retain(|known| !gone.contains(&known.term) && !terms.contains(&known.term));
                    let learnt = |term: &String| {
                        let (term, by, query) = (term.clone(), by.clone(), query.clone());
                        LearnedTerm { term, learnt: line.at, by, query, rank: *rank }
                    };
                    feedback.terms.extend(terms.iter().map(learnt));
                });
            }
            Event::TermsDropped { learning, terms, .. } => {
                // Others may have taught its replacement the same term since.
                let own = self.feedback_on(learning).terms;
                let came_from_it = |known: &LearnedTerm| own.iter().any(|term| has_one_source(term, known));
                self.change_feedback(learning, |feedback, is_own| {
                    feedback.terms.retain(|known| !(terms.contains(&known.term) && (is_own || came_from_it(known))));
                });
            }
            Event::Promoted { learning, to } => self.change_feedback(learning, |feedback, is_own| {
                // Only promotions are limited at a time, and falling is not one; and its replacement may rest on more than it did.
                let rises = *to > feedback.importance;
                feedback.promoted = if rises { Some(line.at) } else { feedback.promoted };
                feedback.importance = if rises || is_own { *to } else { feedback.importance };
            }),
            _ => {}
        }
    }

    /// Changes the feedback on a learning, marked by `true`, and on those in its place: another clone may have replaced it.
    fn change_feedback(&mut self, learning: &LearningId, change: impl Fn(&mut Feedback, bool)) {
        self.change_feedback_of(learning, |feedback| change(feedback, true));
        for heir in self.heirs(learning) {
            self.change_feedback_of(&heir, |feedback| change(feedback, false));
        }
    }

    /// Feedback on a learning whose journal is missing is skipped, and empty feedback is removed. No importance outlives what it rests on:
    /// one clone may promote what another takes back.
    fn change_feedback_of(&mut self, learning: &LearningId, change: impl FnOnce(&mut Feedback)) {
        if !self.learnings.contains_key(learning) {
            return;
        }
        let mut feedback = self.feedback_on(learning);
        change(&mut feedback);
        let excess = feedback.validations.len().saturating_sub(limits::VALIDATIONS_KEPT);
        feedback.validations.drain(..excess);
        feedback.importance = feedback.importance.min(due(feedback.useful()));
        feedback.promoted = feedback.promoted.filter(|_| feedback.importance != Importance::Normal);
        if feedback.is_empty() {
            self.feedback.remove(learning);
        } else {
            self.feedback.insert(learning.clone(), feedback);
        }
    }
}

/// Adds what was said about a replaced learning. A statement that was made about both stands twice, so that one is left when the other is
/// taken back; it counts once.
fn hand_on(feedback: &mut Feedback, said: &Feedback) {
    feedback.validations.extend(said.validations.iter().cloned());
    feedback.validations.sort_by_key(|said| said.at);
    let newer = |term: &&LearnedTerm| feedback.terms.iter().all(|own| own.term != term.term || own.learnt < term.learnt);
    let terms: Vec<LearnedTerm> = said.terms.iter().filter(newer).cloned().collect();
    feedback.terms.retain(|own| terms.iter().all(|term| term.term != own.term));
    feedback.terms.extend(terms);
    feedback.terms.sort_by_key(|term| term.learnt);
    let gone = evicted(&feedback.terms, &[]);
    feedback.terms.retain(|term| !gone.contains(&term.term));
    feedback.importance = feedback.importance.max(said.importance);
    feedback.promoted = feedback.promoted.max(said.promoted);
}

/// Removes what was handed on. Its importance falls by itself.
fn take_back(feedback: &mut Feedback, said: &Feedback) {
    for said in &said.validations {
        if let Some(at) = feedback.validations.iter().position(|own| own == said) {
            feedback.validations.remove(at);
        }
    }
    feedback.terms.retain(|own| !said.terms.contains(own));
}

/// Whether a term was learnt at the same time, from the same statement.
fn has_one_source(one: &LearnedTerm, other: &LearnedTerm) -> bool {
    (&one.term, &one.by, one.learnt, &one.query) == (&other.term, &other.by, other.learnt, &other.query)
}

#[cfg(test)]
mod tests {
    use super::super::replay;
    use super::*;
    use crate::testing::learning;
    use ralph_core::time::Timestamp;

    /// Far enough apart that a repeated word counts again.
    const DAY: i64 = 86_400_000;

    /// A line of that day.
    fn line(at: i64, event: Event) -> Line {
        Line { v: 1, id: format!("{at:0>26}"), at: Timestamp(at * DAY), offset: None, replica: None, act: None, event }
    }

    fn useful(learning: &str) -> Event {
        Event::Validated { learning: learning.into(), useful: true, by: "person".into(), query: None }
    }

    #[test]
    fn what_falls_was_promoted_when_it_rose() {
        let mut known = Knowledge::default();
        known.learnings.insert("L1".to_owned(), learning("L1", "Retries need a key"));
        (1..=10).for_each(|at| known.apply(&line(at, useful("L1"))));
        let mut promoted = |at, to| {
            known.apply(&line(at, Event::Promoted { learning: "L1".to_owned(), to }));
            known.feedback_on("L1").promoted
        };
        assert_eq!(promoted(11, Importance::Important), Some(Timestamp(11 * DAY)));
        assert_eq!(promoted(12, Importance::Critical), Some(Timestamp(12 * DAY)));
        assert_eq!(
            promoted(13, Importance::Important),
            Some(Timestamp(12 * DAY)),
            "a rollback of many at once is not a flood of promotions"
        );
        assert_eq!(promoted(14, Importance::Normal), None);
    }

    #[test]
    fn a_promotion_falls_with_what_another_clone_takes_back_in_whatever_order_they_meet() {
        let dropped = |at| line(at, Event::ValidationsDropped { learning: "L1".into(), source: None, since: None });
        let learned = line(0, Event::Learned { learning: Box::new(learning("L1", "Retries need a key")), gate: None });
        for drop_at in [50, 52, 60] {
            let said = (1..=4).map(|at| line(at, useful("L1"))).chain([line(51, useful("L1"))]);
            let promoted = line(53, Event::Promoted { learning: "L1".into(), to: Importance::Important });
            let known = replay(said.chain([learned.clone(), promoted, dropped(drop_at)]));
            let feedback = known.feedback_on("L1");
            assert_eq!((feedback.importance, feedback.promoted), (Importance::Normal, None), "dropped at {drop_at}");
        }
    }

    #[test]
    fn what_one_clone_says_of_a_learning_reaches_what_another_replaced_it_with() {
        let learned = |at, id: &str, text| line(at, Event::Learned { learning: Box::new(learning(id, text)), gate: None });
        let replaced = line(5, Event::Superseded { learning: "L1".into(), by: "L2".into() });
        let base = [learned(1, "L1", "Retries need a key"), learned(2, "L2", "Retries of refunds need a key"), replaced];
        let taught =
            Event::TermsLearnt { learning: "L1".into(), terms: vec!["chargeback".into()], by: "person".into(), query: "Q".into(), rank: 4 };
        // Before and after its replacement, and what is taken back later.
        let said = [line(3, useful("L1")), line(7, useful("L1")), line(8, useful("L2")), line(9, taught)];
        let known = replay(base.iter().chain(&said).cloned());
        let of = |id: &str| (known.feedback_on(id).useful(), known.feedback_on(id).terms.len());
        assert_eq!((of("L1"), of("L2")), ((2, 1), (3, 1)));
        let again = line(10, Event::Superseded { learning: "L1".into(), by: "L2".into() });
        assert_eq!(replay(base.iter().chain(&said).cloned().chain([again])).feedback_on("L2").useful(), 3, "each counts once");
        let dropped = line(11, Event::ValidationsDropped { learning: "L1".into(), source: None, since: None });
        let known = replay(base.iter().chain(&said).cloned().chain([dropped]));
        assert_eq!(known.feedback_on("L2").useful(), 0);
        let opposite = learned(2, "L2", "Retries need no key");
        let known = replay([base[0].clone(), opposite, base[2].clone(), line(3, useful("L1")), line(7, useful("L1"))]);
        assert_eq!(known.feedback_on("L2").useful(), 0, "its opposite did not help");
    }

    #[test]
    fn a_long_line_of_replacements_is_followed_so_far_and_each_pair_is_read_once() {
        let id = |number: usize| format!("L{number:04}");
        let learned = |n: usize| line(n as i64, Event::Learned { learning: Box::new(learning(id(n), format!("Lesson {n}"))), gate: None });
        let count = 2 * limits::REPLACEMENTS;
        // The last ones first, so that each line meets all those before it.
        let superseded = |n: usize| {
            let (learning, by) = (id(count - n), id(count - n + 1));
            [line((1_000 + 2 * n) as i64, useful(&learning)), line((1_001 + 2 * n) as i64, Event::Superseded { learning, by })]
        };
        let mut known = replay((0..=count).map(learned).chain((1..=count).flat_map(superseded)));
        assert_eq!(known.opposites.0.len(), count, "the words of each pair");
        let heirs = known.heirs(&id(0));
        assert_eq!((heirs.len(), heirs.last()), (limits::REPLACEMENTS, Some(&id(limits::REPLACEMENTS))));
    }

    #[test]
    fn a_term_that_others_taught_what_stands_in_its_place_stays() {
        let learned = |at, id: &str, text| line(at, Event::Learned { learning: Box::new(learning(id, text)), gate: None });
        let taught = |at, learning: &str, by: &str, term: &str| {
            let (learning, terms) = (learning.to_owned(), vec![term.to_owned()]);
            line(at, Event::TermsLearnt { learning, terms, by: by.to_owned(), query: format!("Q{at}"), rank: 4 })
        };
        let dropped = Event::TermsDropped {
            learning: "L1".into(),
            terms: vec!["chargeback".into(), "dispute".into()],
            because: ralph_core::feedback::TermsDropped::RolledBack,
        };
        let known = replay([
            learned(1, "L1", "Retries need a key"),
            learned(2, "L2", "Retries of refunds need a key"),
            taught(3, "L1", "agent", "chargeback"),
            taught(4, "L1", "agent", "dispute"),
            line(5, Event::Superseded { learning: "L1".into(), by: "L2".into() }),
            taught(6, "L2", "person", "chargeback"),
            line(7, dropped),
        ]);
        let of = |id: &str| known.feedback_on(id).terms.into_iter().map(|term| (term.term, term.by)).collect::<Vec<_>>();
        assert_eq!((of("L1"), of("L2")), (vec![], vec![("chargeback".to_owned(), "person".to_owned())]));
    }
}
