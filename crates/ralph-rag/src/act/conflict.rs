//! Conflicts: a person decides, and can undo the decision.

use super::{Draft, Refusal};
use crate::journal::{Change, Event, UndoableAct};
use ralph_core::LearningId;
use ralph_core::learning::{BY_PERSON, ConflictChoice, FeatureLearning, LearningState};
use ralph_core::noun::Noun;
use ralph_core::quality::PutAway;

impl Draft<'_> {
    /// Applies a person's decision on a conflict.
    pub fn resolve_conflict(&mut self, older: &str, newer: &str, choice: ConflictChoice) -> Result<(), Refusal> {
        if !self.known.open_conflicts.contains(&(older.to_owned(), newer.to_owned())) {
            return Err(Refusal::NotFound { what: Noun::Conflict, name: format!("{older} / {newer}") });
        }
        let (old, new) = (self.learning(older)?, self.learning(newer)?);
        let by = Some(BY_PERSON.to_owned());
        self.tell(&new.feature, Event::ConflictResolved { older: older.to_owned(), newer: newer.to_owned(), choice, by });
        match choice {
            ConflictChoice::KeepOlder => self.retire(&new),
            ConflictChoice::KeepNewer => self.supersede(&old, newer),
            ConflictChoice::KeepBoth => {}
        }
        Ok(())
    }

    /// Undoes a decision on two learnings: the pair awaits a person again, and states that the decision changed are restored.
    pub fn reopen_conflict(&mut self, older: &str, newer: &str, decided: Option<&UndoableAct>) -> Result<(), Refusal> {
        let Some(decided) = decided.filter(|d| matches!(d.event, Event::ConflictResolved { .. })) else {
            return Err(Refusal::NotFound { what: Noun::DecidedConflict, name: format!("{older} / {newer}") });
        };
        let learning = self.learning(newer)?;
        self.tell(&learning.feature, Event::ConflictReopened { older: older.to_owned(), newer: newer.to_owned() });
        self.take_back(&decided.changes)
    }

    /// Undoes a decision on a warning of the gate, including its entry in the gate's record of right and wrong warnings, or on what was
    /// said again.
    pub fn reopen_warning(&mut self, id: &str, decided: Option<&UndoableAct>) -> Result<(), Refusal> {
        let Some(decided) = decided.filter(|d| matches!(d.event, Event::GateDecided { .. } | Event::KeptAway { .. })) else {
            return Err(Refusal::NotFound { what: Noun::DecidedWarning, name: id.to_owned() });
        };
        self.ask_again(id, decided.answered.iter().find(|(learning, _)| learning == id).and_then(|(_, kept)| *kept))?;
        self.take_back(&decided.changes)
    }

    /// Takes a person's answer on a learning back. `kept` is the decision on its warning of the gate before it, which stands again.
    pub(super) fn ask_again(&mut self, id: &str, kept: Option<bool>) -> Result<(), Refusal> {
        let feature = self.learning(id)?.feature;
        self.tell(&feature, Event::WarningReopened { learning: id.to_owned() });
        if let Some(kept) = kept {
            self.tell(&feature, Event::GateDecided { learning: id.to_owned(), kept });
        }
        Ok(())
    }

    /// Restores the states that an act changed.
    pub(super) fn take_back(&mut self, changes: &[Change]) -> Result<(), Refusal> {
        // Removals first, to make room for what returns.
        let (come, go): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|change| change.before == Some(LearningState::Active));
        let returning: Vec<LearningId> = come.iter().map(|change| change.learning.clone()).collect();
        for change in go.into_iter().chain(come) {
            self.stand_as_before(change, &returning)?;
        }
        Ok(())
    }

    /// Restores one learning's previous state, unless it was changed since. What the act made goes, even if a rule has parked or pruned it.
    fn stand_as_before(&mut self, change: &Change, returning: &[LearningId]) -> Result<(), Refusal> {
        let made = change.before.is_none() && self.known.yields_to_rules(&change.learning);
        let Some(learning) = self.known.learnings.get(&change.learning).filter(|l| made || change.still_holds(l)).cloned() else {
            return Ok(());
        };
        let replaced = matches!(change.before, Some(LearningState::Superseded | LearningState::Consolidated));
        let put_away = change.put_away.is_none() && self.known.put_away.contains_key(&learning.id);
        let returns_to_document = change.before == Some(LearningState::Consolidated)
            && matches!(learning.state, LearningState::Retired | LearningState::Superseded);
        if replaced && put_away || returns_to_document {
            // Nobody but the act had put it away: if it is said again, that counts for what replaced it.
            self.tell(&learning.feature, Event::Parked { learning: learning.id.clone(), by_rule: false });
        }
        match (change.before, &change.superseded_by, &change.consolidated_into) {
            (Some(LearningState::Active), ..) => {
                self.make_room_again(&learning, returning)?;
                self.restore(&learning);
            }
            (Some(LearningState::Superseded), Some(by), _) => self.supersede(&learning, by),
            (Some(LearningState::Consolidated), _, Some(place)) => {
                self.tell(&learning.feature, Event::Consolidated { learning: learning.id.clone(), place: place.clone() });
            }
            (Some(LearningState::Parked), ..) => {
                self.tell(&learning.feature, Event::Parked { learning: learning.id.clone(), by_rule: false });
            }
            (Some(LearningState::Pruned), ..) => {
                self.tell(&learning.feature, Event::Pruned { learning: learning.id.clone(), for_learning: learning.id.clone() });
            }
            // It was retired, or did not exist.
            _ => self.retire_again(&learning, change.put_away.as_ref()),
        }
        Ok(())
    }

    /// Retires a learning, along with what was said about it after it had been put away before: a person is asked about it as they were
    /// then.
    fn retire_again(&mut self, learning: &FeatureLearning, put_away: Option<&PutAway>) {
        self.retire(learning);
        for seen in put_away.iter().flat_map(|put_away| &put_away.again) {
            self.tell(&learning.feature, Event::SaidAgain { learning: learning.id.clone(), seen: Some(seen.clone()) });
        }
        if put_away.is_some_and(|put_away| put_away.answered) {
            self.tell(&learning.feature, Event::KeptAway { learning: learning.id.clone() });
        }
    }
}
