//! Admission at the door: observe, admit (and prune), or park.

use crate::words::{Relation, Words};
use ralph_core::LearningId;
use ralph_core::learning::{FeatureLearning, LearningSource, LearningState};

/// What to do with a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// It is known: count an observation of the known one.
    Observe {
        /// The known learning.
        id: LearningId,
        /// A person said the same: the known one counts as reviewed, so that it is never pruned by itself.
        endorse: bool,
    },
    /// Store it as active.
    Admit {
        /// Learnings that give their place.
        prune: Vec<LearningId>,
        /// Learnings it contradicts; both stay.
        conflicts: Vec<LearningId>,
    },
    /// Everything active is protected: store it, waiting for room.
    Park {
        /// Learnings it contradicts; both stay.
        conflicts: Vec<LearningId>,
    },
}

/// Decides what to do with `text` by `source`, given what the feature knows.
///
/// `known` holds the feature's active and parked learnings in any order; `max_learnings` is the cap in force.
pub fn admit(text: &str, source: LearningSource, known: &[FeatureLearning], max_learnings: u32) -> Admission {
    let words = Words::of(text);
    let mut conflicts = Vec::new();
    let mut duplicate: Option<(&FeatureLearning, f64)> = None;
    for learning in known {
        let other = Words::of(&learning.text);
        match words.relation(&other) {
            Relation::Duplicate => {
                let similarity = words.jaccard(&other);
                if duplicate.is_none_or(|(_, best)| similarity > best) {
                    duplicate = Some((learning, similarity));
                }
            }
            Relation::Opposite => conflicts.push(learning.id.clone()),
            Relation::Distinct => {}
        }
    }
    if let Some((learning, _)) = duplicate {
        let endorse = source == LearningSource::Human && learning.is_auto_prunable();
        return Admission::Observe { id: learning.id.clone(), endorse };
    }
    match room_for_one(known, max_learnings) {
        Some(prune) => Admission::Admit { prune, conflicts },
        None => Admission::Park { conflicts },
    }
}

/// The learnings to prune so that one more fits under the cap; `None` when pruning everything prunable is not enough.
pub fn room_for_one(known: &[FeatureLearning], max_learnings: u32) -> Option<Vec<LearningId>> {
    let active = known.iter().filter(|l| l.state == LearningState::Active).count();
    let excess = (active + 1).saturating_sub(max_learnings as usize);
    let prune = select_for_pruning(known, excess);
    (prune.len() == excess).then_some(prune)
}

/// Selects up to `count` active learnings to prune: the least evidence first, and of those the oldest.
/// Protected ones are never selected.
pub fn select_for_pruning(known: &[FeatureLearning], count: usize) -> Vec<LearningId> {
    let mut prunable: Vec<&FeatureLearning> = known.iter().filter(|l| l.state == LearningState::Active && l.is_auto_prunable()).collect();
    prunable.sort_by(|a, b| (a.hit_count, a.created, &a.id).cmp(&(b.hit_count, b.created, &b.id)));
    prunable.into_iter().take(count).map(|l| l.id.clone()).collect()
}

/// Selects the parked learnings that now fit: protected ones first, then the oldest.
pub fn select_for_unparking(known: &[FeatureLearning], max_learnings: u32) -> Vec<LearningId> {
    let active = known.iter().filter(|l| l.state == LearningState::Active).count();
    let room = (max_learnings as usize).saturating_sub(active);
    let mut parked: Vec<&FeatureLearning> = known.iter().filter(|l| l.state == LearningState::Parked).collect();
    parked.sort_by(|a, b| (a.is_auto_prunable(), a.created, &a.id).cmp(&(b.is_auto_prunable(), b.created, &b.id)));
    parked.into_iter().take(room).map(|l| l.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::learning;
    use ralph_core::time::Timestamp;

    /// A known learning: number, hits; protected when `source` is human.
    fn known(number: i64, hits: u32, source: LearningSource, state: LearningState) -> FeatureLearning {
        let text = format!("lesson number {number} about subject{number}");
        FeatureLearning { source, created: Timestamp(number), hit_count: hits, state, ..learning(format!("L{number}"), text) }
    }

    use LearningSource::{Agent, Auto, Human};
    use LearningState::{Active, Parked};

    #[test]
    fn under_the_cap_a_new_lesson_is_admitted_without_pruning() {
        let known = [known(1, 1, Agent, Active)];
        let admission = admit("an entirely different thing", Agent, &known, 2);
        assert_eq!(admission, Admission::Admit { prune: vec![], conflicts: vec![] });
    }

    #[test]
    fn at_the_cap_the_oldest_of_the_least_evidence_gives_its_place() {
        let known = [known(1, 2, Agent, Active), known(2, 1, Auto, Active), known(3, 1, Agent, Active)];
        assert_eq!(admit("something new", Agent, &known, 3), Admission::Admit { prune: vec!["L2".into()], conflicts: vec![] });
    }

    #[test]
    fn when_everything_is_protected_the_newcomer_is_parked_whoever_wrote_it() {
        let known = [known(1, 3, Agent, Active), known(2, 1, Human, Active)];
        for source in [Agent, Human, Auto] {
            assert_eq!(admit("something new", source, &known, 2), Admission::Park { conflicts: vec![] });
        }
    }

    #[test]
    fn a_lowered_cap_prunes_as_many_as_needed_or_none_at_all() {
        let many: Vec<_> = (1..=4).map(|n| known(n, 1, Agent, Active)).collect();
        assert_eq!(room_for_one(&many, 2), Some(vec!["L1".into(), "L2".into(), "L3".into()]));
        let mut most_protected = many;
        for learning in &mut most_protected[..3] {
            learning.source = Human;
        }
        assert_eq!(room_for_one(&most_protected, 2), None, "pruning one would not make room, so nothing is lost");
    }

    #[test]
    fn a_known_lesson_is_observed_also_when_it_is_parked() {
        let known = [known(1, 1, Agent, Parked)];
        assert_eq!(admit("Lesson number 1 about subject1", Agent, &known, 5), Admission::Observe { id: "L1".into(), endorse: false });
        assert_eq!(admit("Lesson number 1 about subject1", Human, &known, 5), Admission::Observe { id: "L1".into(), endorse: true });
    }

    #[test]
    fn an_opposite_lesson_is_kept_and_named() {
        let mut one = known(1, 1, Agent, Active);
        one.text = "Never mock the clock in tests".into();
        assert_eq!(admit("Mock the clock in tests", Agent, &[one], 5), Admission::Admit { prune: vec![], conflicts: vec!["L1".into()] });
    }

    #[test]
    fn parked_learnings_return_protected_first_then_oldest() {
        let known = [known(1, 1, Agent, Parked), known(2, 3, Agent, Parked), known(3, 1, Agent, Active)];
        assert_eq!(select_for_unparking(&known, 2), vec!["L2".to_owned()]);
        assert_eq!(select_for_unparking(&known, 1), Vec::<String>::new());
    }
}
