//! Learnings that comparisons in two clones replaced, each without knowing about the other, although they must stay active.

use super::Draft;
use crate::journal::{Event, Knowledge};
use ralph_core::LearningId;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::quality::{PairVerdict, Reconciliation};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

impl Draft<'_> {
    /// Restores learnings of a feature that no comparison may replace, and asks a person if what replaced them also stands.
    pub(super) fn restore_replaced(&mut self, feature: &str) {
        let mut back = self.known.wrongly_replaced(feature);
        back.sort_by(|(a, _), (b, _)| a.age().cmp(&b.age()));
        for (learning, by) in back {
            self.restore_in_place_of(&learning, &by);
            if self.count_again(&learning, &by) {
                continue;
            }
            let rival = self.known.standing_for(&by).filter(|rival| rival.id != learning.id);
            let pair = rival.map(|rival| if rival.age() < learning.age() { (rival, &learning) } else { (&learning, rival) });
            let pair = pair.map(|(older, newer)| (older.id.clone(), newer.id.clone()));
            if let Some(pair) = pair.filter(|pair| !self.known.kept_apart.contains(pair)) {
                // In its own journal: another one may hold lines of a newer Ralph.
                self.tell(&learning.feature, Event::Conflict { older: pair.0, newer: pair.1 });
            }
        }
    }

    /// A reviewed learning was counted as an observation of another by somebody who did not know about the review: now that other one
    /// counts for it instead, unless it is protected, too. Returns whether that settles the two. It is the same comparison, so every clone
    /// reaches the same result.
    fn count_again(&mut self, learning: &FeatureLearning, by: &LearningId) -> bool {
        let found = self.known.found_the_same(&learning.id, by).filter(|found| found.made.is_none()).cloned();
        let stands = |by: &&FeatureLearning| lives(by) && by.feature.eq_ignore_ascii_case(&learning.feature);
        let rival = self.known.learnings.get(by).filter(stands).cloned();
        let (Some(mut found), Some(rival)) = (found, rival) else { return false };
        if self.known.are_kept_apart(&learning.id, by) {
            return false;
        }
        let (older, newer) = if rival.age() < learning.age() { (&rival, learning) } else { (learning, &rival) };
        self.settle_pair(older, newer, &mut found);
        self.tell(&learning.feature, Event::Reconciled { reconciliation: Box::new(found) });
        true
    }

    /// Restores a learning by rule, as long as this one replaces it and nobody put it away.
    pub(super) fn restore_in_place_of(&mut self, learning: &FeatureLearning, by: &LearningId) {
        let restored = Event::Restored { learning: learning.id.clone(), by_rule: false, instead_of: Some(by.clone()) };
        self.tell(&learning.feature, restored);
    }
}

impl Knowledge {
    /// Learnings that gave way to this one because a comparison found that it contradicts them, without a person.
    pub(super) fn contradicted_by_rule(&self, by: &LearningId) -> Vec<FeatureLearning> {
        let gave_way = |l: &&FeatureLearning| self.gave_way_by_rule(&l.id, by) && self.was_found_opposite(&l.id, by);
        self.learnings.values().filter(gave_way).cloned().collect()
    }

    /// Active learnings of its feature that give way to one that returns, because a comparison found that it contradicts them.
    pub(super) fn contradicted_again(&self, by: &FeatureLearning) -> Vec<FeatureLearning> {
        let gives_way = |l: &&FeatureLearning| {
            l.age() < by.age()
                && self.yields_to_comparisons(l)
                && self.was_found_opposite(&l.id, &by.id)
                && !self.kept_apart.contains(&(l.id.clone(), by.id.clone()))
        };
        self.of_feature(&by.feature, LearningState::Active).filter(gives_way).cloned().collect()
    }

    /// Whether somebody decided that two learnings stand side by side.
    pub(super) fn are_kept_apart(&self, one: &LearningId, other: &LearningId) -> bool {
        self.kept_apart.contains(&(one.clone(), other.clone())) || self.kept_apart.contains(&(other.clone(), one.clone()))
    }

    /// The comparison by which the second learning replaced the first, since they say the same.
    fn found_the_same(&self, gone: &LearningId, by: &LearningId) -> Option<&Reconciliation> {
        self.acts.values().find(|found| {
            let both = [Some(&found.learning), found.other.as_ref()];
            matches!(found.judgement.verdict, PairVerdict::Observed | PairVerdict::Merged)
                && both.contains(&Some(gone))
                && (both.contains(&Some(by)) || found.made.as_ref() == Some(by))
        })
    }

    /// Superseded learnings of a feature that must be active, each with what replaced it: protected ones that only a comparison found
    /// contradicted, reviewed ones that a comparison counted for another (mere evidence is inherited with the lesson), and among those
    /// that replaced each other the protected ones, or else the one with the most evidence. Nobody put any of them away.
    fn wrongly_replaced(&self, feature: &str) -> Vec<(FeatureLearning, LearningId)> {
        let yielded = |l: &&FeatureLearning| l.feature.eq_ignore_ascii_case(feature) && !self.put_away.contains_key(&l.id);
        let mut back: BTreeMap<&LearningId, &FeatureLearning> = BTreeMap::new();
        for learning in self.of_feature(feature, LearningState::Superseded).filter(yielded) {
            let contradicted = learning.superseded_by.as_ref().is_some_and(|by| self.was_found_opposite(&learning.id, by));
            let counted = learning.reviewed_by.is_some()
                && learning.superseded_by.as_ref().is_some_and(|by| self.found_the_same(&learning.id, by).is_some());
            if contradicted && !learning.is_auto_prunable() || counted {
                back.insert(&learning.id, learning);
            }
            let circle: Vec<&FeatureLearning> = self.circle_of(learning).into_iter().filter(yielded).collect();
            let (protected, others): (Vec<_>, Vec<_>) = circle.into_iter().partition(|l| !l.is_auto_prunable());
            let strongest = others.into_iter().max_by_key(|l| (l.hit_count, Reverse(&l.id))).filter(|_| protected.is_empty());
            back.extend(protected.into_iter().chain(strongest).map(|l| (&l.id, l)));
        }
        back.into_values().filter_map(|l| Some((l.clone(), l.superseded_by.clone()?))).collect()
    }

    /// The learnings that replaced each other in a circle with this one, so that none of them is active; empty if there is no circle.
    fn circle_of<'a>(&'a self, learning: &'a FeatureLearning) -> Vec<&'a FeatureLearning> {
        let mut circle = vec![learning];
        let mut met = BTreeSet::from([&learning.id]);
        while let Some(by) = circle.last().and_then(|last| self.learnings.get(last.superseded_by.as_ref()?)) {
            if by.id == learning.id {
                return circle;
            }
            if !met.insert(&by.id) {
                break;
            }
            circle.push(by);
        }
        Vec::new()
    }

    /// The active or parked learning at the end of a learning's replacements, or itself.
    fn standing_for(&self, id: &str) -> Option<&FeatureLearning> {
        let mut met = BTreeSet::new();
        let mut last = self.learnings.get(id)?;
        while let Some(by) = last.superseded_by.as_ref().filter(|by| met.insert(*by)) {
            last = self.learnings.get(by)?;
        }
        lives(last).then_some(last)
    }
}

fn lives(learning: &FeatureLearning) -> bool {
    matches!(learning.state, LearningState::Active | LearningState::Parked)
}
