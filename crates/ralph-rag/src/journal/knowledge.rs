//! From lines to knowledge: the single interpretation of every event.

use super::opposites::Opposites;
use super::record::changed_feature;
use super::{Event, GateMark, Line};
use ralph_core::consolidation::Consolidation;
use ralph_core::feature::Feature;
use ralph_core::feedback::Feedback;
use ralph_core::learning::{ConflictChoice, FeatureLearning, LearningSource, LearningState};
use ralph_core::memory::{Episode, Fact};
use ralph_core::quality::{PairVerdict, PutAway, Reconciliation};
use ralph_core::replica::IterationRef;
use ralph_core::time::Timestamp;
use ralph_core::{LearningId, MemoryId};
use std::collections::{BTreeMap, BTreeSet};

/// The actor that put away what the quality gate rejected.
const GATE: &str = "gate";

/// The gate's verdict on a learning, and a person's decision on it.
#[derive(Debug, Clone, PartialEq)]
pub struct GateRecord {
    /// When.
    pub at: Timestamp,
    /// Its verdict.
    pub mark: GateMark,
    /// Whether a person kept the learning or put it away; `None`: not decided.
    pub kept: Option<bool>,
}

/// Knowledge from the journals: all of it, or the part that an act needs.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Knowledge {
    /// Features by their name in lower case.
    pub features: BTreeMap<String, Feature>,
    /// Learnings by id, each with its feature.
    pub learnings: BTreeMap<LearningId, FeatureLearning>,
    /// Iterations that observed a learning.
    pub observations: BTreeSet<(LearningId, IterationRef)>,
    /// Undecided conflicts: older, newer.
    pub open_conflicts: BTreeSet<(LearningId, LearningId)>,
    /// The gate's verdicts.
    pub gates: BTreeMap<LearningId, GateRecord>,
    /// The newest comparison of each learning with the known ones: it shows which model compared it.
    pub reconciled: BTreeMap<LearningId, Reconciliation>,
    /// What a comparison found about two learnings and what followed, whatever has been found about others since: the one compared, the
    /// known one.
    pub acts: BTreeMap<(LearningId, LearningId), Reconciliation>,
    /// Learnings that a person brought back, until somebody decides on them again: no comparison takes them away.
    pub brought_back: BTreeSet<LearningId>,
    /// Pairs that a person keeps apart: older, newer.
    pub kept_apart: BTreeSet<(LearningId, LearningId)>,
    /// Put-away learnings: by whom, when, and how often they were repeated.
    pub put_away: BTreeMap<LearningId, PutAway>,
    /// Staged lessons that were remembered when their branches were merged.
    pub landed: BTreeSet<LearningId>,
    /// Episodes by id.
    pub episodes: BTreeMap<MemoryId, Episode>,
    /// Facts by id.
    pub facts: BTreeMap<MemoryId, Fact>,
    /// Feedback by learning.
    pub feedback: BTreeMap<LearningId, Feedback>,
    /// Consolidations, by the line that records them.
    pub consolidations: BTreeMap<String, Consolidation>,
    /// The greatest event id.
    pub last_event: Option<String>,
    /// Whether the words of a learning and of its replacement are opposites, where that has been asked.
    pub opposites: Opposites,
}

/// Replays events of any number of journals, in any order, into knowledge. Each event counts once.
pub fn replay(lines: impl IntoIterator<Item = Line>) -> Knowledge {
    let sorted: BTreeMap<String, Line> = lines.into_iter().map(|l| (l.id.clone(), l)).collect();
    let mut knowledge = Knowledge::default();
    for line in sorted.values() {
        knowledge.apply(line);
    }
    knowledge
}

impl Knowledge {
    /// A feature by its name, case-insensitive.
    pub fn feature(&self, name: &str) -> Option<&Feature> {
        self.features.get(&name.to_ascii_lowercase())
    }

    /// Learnings of a feature in one state, by id.
    pub fn of_feature<'a>(&'a self, feature: &'a str, state: LearningState) -> impl Iterator<Item = &'a FeatureLearning> {
        self.learnings.values().filter(move |l| l.state == state && l.feature.eq_ignore_ascii_case(feature))
    }

    /// Whether an iteration already observed a learning.
    pub fn has_observed(&self, learning: &str, seen: &IterationRef) -> bool {
        self.observations.contains(&(learning.to_owned(), seen.clone()))
    }

    /// The iterations that observed a learning.
    pub fn observers(&self, learning: &str) -> Vec<IterationRef> {
        let first = IterationRef { replica: None, iteration: 0 };
        let of = self.observations.range((learning.to_owned(), first)..).take_while(|(id, _)| id == learning);
        of.map(|(_, seen)| seen.clone()).collect()
    }

    /// Applies one line.
    pub fn apply(&mut self, line: &Line) {
        match &line.event {
            Event::Feature { feature, changed } => self.describe(feature, changed.as_ref()),
            Event::Learned { learning, gate } => self.learned(learning, gate.as_ref(), line.at),
            Event::MovedIn { learning, .. } => self.moved_in(learning),
            // The other side of the move carries the record; attempts and caps are not knowledge; staged lessons are not known here.
            Event::MovedOut { .. } | Event::Thinned { .. } | Event::Staged { .. } | Event::Audited { .. } | Event::DefaultCap { .. } => {}
            Event::Landed { staged } => drop(self.landed.insert(staged.clone())),
            Event::Consolidation { .. } | Event::Consolidated { .. } | Event::Undone { .. } => self.apply_consolidation(line),
            Event::Observed { learning, iteration, in_replica, counted, said } => {
                let seen = iteration.map(|iteration| IterationRef { replica: in_replica.clone(), iteration });
                let hit = *counted && self.learnings.contains_key(learning) && self.is_first(learning, seen);
                self.change(learning, |l| l.hit_count = l.hit_count.saturating_add(u32::from(hit)));
                self.change(learning, |l| said.iter().for_each(|said| said.fill(l)));
            }
            Event::Reviewed { learning, by } => self.change(learning, |l| {
                l.reviewed_by = Some(by.clone());
                l.review_count = l.review_count.saturating_add(1);
            }),
            Event::Unreviewed { learning, by } => self.change(learning, |l| {
                l.review_count = l.review_count.saturating_sub(1);
                // Another clone's review of it stays.
                let left = by.clone().or_else(|| l.reviewed_by.take());
                l.reviewed_by = left.filter(|_| l.review_count > 0);
            }),
            Event::Pruned { learning, for_learning } => self.change_state(learning, learning != for_learning, LearningState::Pruned),
            Event::Retired { learning } => {
                self.brought_back.remove(learning);
                self.set_state(learning, LearningState::Retired);
                self.put(learning, LearningSource::Human.as_str(), line.at);
            }
            Event::Restored { learning, by_rule, instead_of } => self.restored(learning, *by_rule, instead_of.as_ref()),
            Event::Parked { learning, by_rule } => self.change_state(learning, *by_rule, LearningState::Parked),
            Event::Superseded { learning, by } => {
                self.brought_back.remove(learning);
                self.replace(learning, |known| {
                    known.change(learning, |l| {
                        l.state = LearningState::Superseded;
                        l.superseded_by = Some(by.clone());
                        l.consolidated_into = None;
                    });
                });
            }
            Event::Iteration { told, .. } => told.iter().for_each(|id| self.change(id, |l| l.last_used = Some(line.at))),
            Event::Episode { .. }
            | Event::Fact { .. }
            | Event::MemoryWithdrawn { .. }
            | Event::EpisodeSeen { .. }
            | Event::EpisodeMoved { .. }
            | Event::MemoryReturned { .. } => {
                self.apply_memory(line);
            }
            Event::Validated { .. }
            | Event::ValidationsDropped { .. }
            | Event::TermsLearnt { .. }
            | Event::TermsDropped { .. }
            | Event::Promoted { .. } => self.apply_feedback(line),
            event => self.apply_pair(event, line.at),
        }
        if self.last_event.as_ref().is_none_or(|last| *last < line.id) {
            self.last_event = Some(line.id.clone());
        }
    }

    /// Applies events on two learnings, the gate, or put-away learnings; [`Knowledge::apply`] handles the others.
    fn apply_pair(&mut self, event: &Event, at: Timestamp) {
        match event {
            Event::Conflict { older, newer } if self.knows(older, newer) => {
                self.open_conflicts.insert((older.clone(), newer.clone()));
            }
            Event::ConflictResolved { older, newer, choice, by } => {
                let pair = (older.clone(), newer.clone());
                self.open_conflicts.remove(&pair);
                match (choice, by) {
                    (ConflictChoice::KeepBoth, _) if self.knows(older, newer) => drop(self.kept_apart.insert(pair)),
                    (ConflictChoice::KeepNewer, Some(by)) => self.put(older, by, at),
                    _ => {}
                }
                if by.is_some() {
                    self.keep(older, newer, *choice);
                }
            }
            Event::ConflictReopened { older, newer } if self.knows(older, newer) => {
                let pair = (older.clone(), newer.clone());
                self.kept_apart.remove(&pair);
                self.replace(older, |known| drop(known.put_away.remove(older)));
                self.open_conflicts.insert(pair);
            }
            Event::GateDecided { learning, kept } => self.set_gate(learning, Some(*kept)),
            Event::WarningReopened { learning } => {
                self.set_gate(learning, None);
                if let Some(put_away) = self.put_away.get_mut(learning) {
                    put_away.answered = false;
                }
            }
            Event::Reconciled { reconciliation } if self.learnings.contains_key(&reconciliation.learning) => {
                self.compared(reconciliation);
            }
            Event::KeptApart { older, newer } if self.knows(older, newer) => {
                self.kept_apart.insert((older.clone(), newer.clone()));
            }
            Event::Withdrawn { learning, iteration, in_replica: replica } => {
                let seen = IterationRef { replica: replica.clone(), iteration: *iteration };
                if self.observations.remove(&(learning.clone(), seen)) {
                    self.change(learning, |l| l.hit_count = l.hit_count.saturating_sub(1).max(1));
                }
            }
            Event::SaidAgain { learning, seen } => {
                if let (Some(put_away), Some(seen)) = (self.put_away.get_mut(learning), seen) {
                    put_away.again.insert(seen.clone());
                }
            }
            Event::KeptAway { learning } => {
                if let Some(put_away) = self.put_away.get_mut(learning) {
                    put_away.answered = true;
                }
            }
            _ => {}
        }
    }

    /// Notes the iteration that observed a learning; returns whether it is the first time, since two clones may find out the same. An
    /// observation outside of iterations always counts.
    fn is_first(&mut self, learning: &str, seen: Option<IterationRef>) -> bool {
        seen.is_none_or(|seen| self.observations.insert((learning.to_owned(), seen)))
    }

    /// Notes a comparison. Only another one of the same two replaces what was found about them: one learning meets many.
    fn compared(&mut self, found: &Reconciliation) {
        self.reconciled.insert(found.learning.clone(), found.clone());
        let Some(other) = &found.other else { return };
        let pair = (found.learning.clone(), other.clone());
        match found.judgement.verdict {
            PairVerdict::Observed | PairVerdict::Merged | PairVerdict::Conflict => drop(self.acts.insert(pair, found.clone())),
            PairVerdict::Related | PairVerdict::Distinct => {
                let filled = self.acts.remove(&pair).and_then(|undone| undone.filled);
                filled.iter().for_each(|filled| self.empty_again(filled));
            }
        }
    }

    fn restored(&mut self, learning: &str, by_rule: bool, instead_of: Option<&LearningId>) {
        match instead_of {
            Some(by) if self.gave_way_by_rule(learning, by) => self.change_state(learning, false, LearningState::Active),
            Some(_) => {}
            None => {
                self.change_state(learning, by_rule, LearningState::Active);
                if !by_rule {
                    self.bring_back(learning);
                }
            }
        }
    }

    /// Whether a learning is superseded by this one, and nobody put it away.
    pub(crate) fn gave_way_by_rule(&self, id: &str, by: &LearningId) -> bool {
        let by_it = |l: &FeatureLearning| l.state == LearningState::Superseded && l.superseded_by.as_ref() == Some(by);
        !self.put_away.contains_key(id) && self.learnings.get(id).is_some_and(by_it)
    }

    /// What a person brings back may meet what was learnt meanwhile: it is compared again, unless a person is to decide on it.
    fn bring_back(&mut self, learning: &str) {
        if !self.learnings.contains_key(learning) {
            return;
        }
        self.brought_back.insert(learning.to_owned());
        if !self.open_conflicts.iter().any(|(older, newer)| older == learning || newer == learning) {
            self.reconciled.remove(learning);
        }
    }

    /// What a person keeps of a pair is active, even if another clone decided otherwise before: the later decision stands.
    fn keep(&mut self, older: &str, newer: &str, choice: ConflictChoice) {
        let kept: &[(&str, &str)] = match choice {
            ConflictChoice::KeepOlder => &[(older, newer)],
            ConflictChoice::KeepNewer => &[(newer, older)],
            ConflictChoice::KeepBoth => &[(older, newer), (newer, older)],
        };
        for (kept, other) in kept {
            let gave_way = |l: &FeatureLearning| match l.state {
                LearningState::Retired => true,
                LearningState::Superseded => l.superseded_by.as_deref() == Some(other),
                _ => false,
            };
            if self.learnings.get(*kept).is_some_and(gave_way) {
                self.change_state(kept, false, LearningState::Active);
            }
        }
    }

    /// Notes a feature, or changes to it. One that would end up as its own ancestor, since two clones moved each below the other, or a line
    /// says so, has no parent.
    fn describe(&mut self, told: &Feature, changed: Option<&Vec<String>>) {
        let key = told.name.to_ascii_lowercase();
        let known = self.features.get(&key);
        let mut feature = known.map_or_else(|| told.clone(), |known| changed_feature(known, told, changed));
        let (mut parent, mut above) = (feature.parent.clone(), BTreeSet::new());
        while let Some(name) = parent.map(|name| name.to_ascii_lowercase()).filter(|name| above.insert(name.clone())) {
            parent = self.features.get(&name).and_then(|feature| feature.parent.clone());
        }
        if above.contains(&key) {
            feature.parent = None;
        }
        self.features.insert(key, feature);
    }

    fn learned(&mut self, learning: &FeatureLearning, gate: Option<&GateMark>, at: Timestamp) {
        if self.learnings.contains_key(&learning.id) {
            // Two clones found the same branch merged: later changes since the first record stay.
            return;
        }
        if let Some(mark) = gate {
            self.gates.insert(learning.id.clone(), GateRecord { at, mark: mark.clone(), kept: None });
        }
        let seen = learning.iteration.map(|iteration| IterationRef { replica: learning.replica.clone(), iteration });
        self.observations.extend(seen.map(|seen| (learning.id.clone(), seen)));
        let id = learning.id.clone();
        self.insert(learning.clone());
        if learning.state == LearningState::Retired {
            self.put(&id, GATE, at);
        }
    }

    /// A move changes the feature, and `active` to `parked` where there is no room. The text, and what another clone observed, reviewed or
    /// put away meanwhile, stay: the line's record is only what the clone that moved it knew.
    fn moved_in(&mut self, arrived: &FeatureLearning) {
        let lives = |state| matches!(state, LearningState::Active | LearningState::Parked);
        let Some(known) = self.learnings.get(&arrived.id).cloned() else { return self.insert(arrived.clone()) };
        let state = if lives(known.state) && lives(arrived.state) { arrived.state } else { known.state };
        if lives(state) {
            // It has yet to be compared with the learnings there.
            self.reconciled.remove(&known.id);
        }
        self.insert(FeatureLearning { feature: arrived.feature.clone(), state, ..known });
    }

    fn insert(&mut self, mut learning: FeatureLearning) {
        if let Some(feature) = self.feature(&learning.feature) {
            learning.feature.clone_from(&feature.name);
        }
        // Open conflicts are stored separately: they concern pairs.
        learning.conflicts_with.clear();
        self.learnings.insert(learning.id.clone(), learning);
    }

    fn knows(&self, older: &str, newer: &str) -> bool {
        older != newer && self.learnings.contains_key(older) && self.learnings.contains_key(newer)
    }

    fn put(&mut self, learning: &str, by: &str, at: Timestamp) {
        if self.learnings.contains_key(learning) {
            let put_away = PutAway { at, by: by.to_owned(), again: BTreeSet::new(), answered: false };
            self.replace(learning, |known| drop(known.put_away.insert(learning.to_owned(), put_away)));
        }
    }

    /// Sets a state in which nobody has put the learning away; by rule only if it yields to rules.
    fn change_state(&mut self, learning: &str, by_rule: bool, state: LearningState) {
        if !by_rule || self.yields_to_rules(learning) {
            self.set_state(learning, state);
            self.put_away.remove(learning);
        }
    }

    /// Whether a rule may change the state of a learning: not if somebody put it away or replaced it in the meantime, in another clone.
    pub(crate) fn yields_to_rules(&self, id: &str) -> bool {
        use LearningState::{Active, Parked, Pruned};
        self.learnings.get(id).is_some_and(|learning| matches!(learning.state, Active | Parked | Pruned))
    }

    fn set_state(&mut self, id: &str, state: LearningState) {
        self.replace(id, |known| {
            known.change(id, |l| {
                l.state = state;
                l.superseded_by = None;
                l.consolidated_into = None;
            });
        });
    }

    fn set_gate(&mut self, learning: &str, kept: Option<bool>) {
        if let Some(gate) = self.gates.get_mut(learning) {
            gate.kept = kept;
        }
    }

    /// An event on a learning whose journal is missing changes nothing: half a clone is still readable.
    pub(super) fn change(&mut self, id: &str, change: impl FnOnce(&mut FeatureLearning)) {
        if let Some(learning) = self.learnings.get_mut(id) {
            change(learning);
        }
    }
}
