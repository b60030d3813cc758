//! From lines back to knowledge.

use super::{Event, GateMark, Line};
use ralph_core::LearningId;
use ralph_core::feature::Feature;
use ralph_core::learning::{ConflictChoice, FeatureLearning, LearningState};
use ralph_core::quality::Reconciliation;
use ralph_core::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Knowledge as the journals tell it.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Knowledge {
    /// Features by name.
    pub features: BTreeMap<String, Feature>,
    /// Learnings by id, each with its feature.
    pub learnings: BTreeMap<LearningId, FeatureLearning>,
    /// Iterations that observed a learning.
    pub observations: BTreeSet<(LearningId, u32)>,
    /// Conflicts that no person has decided: older, newer.
    pub open_conflicts: BTreeSet<(LearningId, LearningId)>,
    /// What the gate said of a learning, when, and what a person said about that.
    pub gates: BTreeMap<LearningId, (Timestamp, GateMark, Option<bool>)>,
    /// How learnings stand to what was known.
    pub reconciled: BTreeMap<LearningId, Reconciliation>,
    /// Pairs that a person keeps apart: older, newer.
    pub kept_apart: BTreeSet<(LearningId, LearningId)>,
    /// The greatest event id.
    pub last_event: Option<String>,
}

/// Replays events of any number of journals, in any order, into knowledge. Each event counts once.
pub fn replay(lines: impl IntoIterator<Item = Line>) -> Knowledge {
    let sorted: BTreeMap<String, Line> = lines.into_iter().map(|l| (l.id.clone(), l)).collect();
    let mut knowledge = Knowledge::default();
    for (id, line) in sorted {
        knowledge.apply(line);
        knowledge.last_event = Some(id);
    }
    knowledge
}

impl Knowledge {
    pub(super) fn apply(&mut self, line: Line) {
        let at = line.at;
        match line.event {
            Event::Feature { feature } => {
                self.features.insert(feature.name.clone(), Feature::from(*feature));
            }
            Event::Learned { learning, gate } => {
                if let Some(gate) = gate {
                    self.gates.insert(learning.id.clone(), (at, gate, None));
                }
                self.observations.extend(learning.iteration.map(|i| (learning.id.clone(), i)));
                self.learnings.insert(learning.id.clone(), *learning);
            }
            Event::MovedIn { learning, .. } => {
                // It has yet to be compared with what is known there.
                self.reconciled.remove(&learning.id);
                self.learnings.insert(learning.id.clone(), *learning);
            }
            // The other side of the move carries the record; attempts are no knowledge.
            Event::MovedOut { .. } | Event::Thinned { .. } => {}
            Event::Observed { learning, iteration, counted } => {
                if counted {
                    self.observations.extend(iteration.map(|i| (learning.clone(), i)));
                    self.change(&learning, |l| l.hit_count += 1);
                }
            }
            Event::Reviewed { learning, by } => self.change(&learning, |l| {
                l.reviewed_by = Some(by);
                l.review_count += 1;
            }),
            Event::Pruned { learning, .. } => self.set_state(&learning, LearningState::Pruned),
            Event::Retired { learning } => self.set_state(&learning, LearningState::Retired),
            Event::Restored { learning } => self.set_state(&learning, LearningState::Active),
            Event::Parked { learning } => self.set_state(&learning, LearningState::Parked),
            Event::Superseded { learning, by } => self.change(&learning, |l| {
                l.state = LearningState::Superseded;
                l.superseded_by = Some(by);
            }),
            Event::Conflict { older, newer } => {
                self.open_conflicts.insert((older, newer));
            }
            Event::ConflictResolved { older, newer, choice } => {
                let pair = (older, newer);
                self.open_conflicts.remove(&pair);
                if choice == ConflictChoice::KeepBoth {
                    self.kept_apart.insert(pair);
                }
            }
            Event::ConflictReopened { older, newer } => {
                let pair = (older, newer);
                self.kept_apart.remove(&pair);
                self.open_conflicts.insert(pair);
            }
            Event::Iteration { told, .. } => {
                for id in told {
                    self.change(&id, |l| l.last_used = Some(at));
                }
            }
            event @ (Event::GateDecided { .. }
            | Event::WarningReopened { .. }
            | Event::Reconciled { .. }
            | Event::KeptApart { .. }
            | Event::Withdrawn { .. }) => {
                self.apply_quality(event);
            }
        }
    }

    /// What was found of a learning's quality, and what people said about that; the other events are [`Knowledge::apply`]'s.
    fn apply_quality(&mut self, event: Event) {
        match event {
            Event::GateDecided { learning, kept } => {
                if let Some(gate) = self.gates.get_mut(&learning) {
                    gate.2 = Some(kept);
                }
            }
            Event::WarningReopened { learning } => {
                if let Some(gate) = self.gates.get_mut(&learning) {
                    gate.2 = None;
                }
            }
            Event::Reconciled { reconciliation } => {
                self.reconciled.insert(reconciliation.learning.clone(), *reconciliation);
            }
            Event::KeptApart { older, newer } => {
                self.kept_apart.insert((older, newer));
            }
            Event::Withdrawn { learning, iteration } if self.observations.remove(&(learning.clone(), iteration)) => {
                self.change(&learning, |l| l.hit_count = l.hit_count.saturating_sub(1).max(1));
            }
            _ => {}
        }
    }

    fn set_state(&mut self, id: &str, state: LearningState) {
        self.change(id, |l| {
            l.state = state;
            l.superseded_by = None;
        });
    }

    /// An event about a learning whose journal is missing changes nothing: half a clone is still readable.
    fn change(&mut self, id: &str, change: impl FnOnce(&mut FeatureLearning)) {
        if let Some(learning) = self.learnings.get_mut(id) {
            change(learning);
        }
    }
}
