//! Conflicts: a person decides, and may take the decision back.

use super::{Draft, PERSON, Refusal};
use crate::journal::{Change, Event, UndoableAct};
use ralph_core::learning::{ConflictChoice, LearningState};

impl Draft<'_> {
    /// Carries out what a person decided about a conflict.
    pub fn resolve_conflict(&mut self, older: &str, newer: &str, choice: ConflictChoice) -> Result<(), Refusal> {
        if !self.known.open_conflicts.contains(&(older.to_owned(), newer.to_owned())) {
            return Err(Refusal::NotFound { what: "conflict", name: format!("{older} / {newer}") });
        }
        let (old, new) = (self.learning(older)?, self.learning(newer)?);
        let by = Some(PERSON.to_owned());
        self.tell(&new.feature, Event::ConflictResolved { older: older.to_owned(), newer: newer.to_owned(), choice, by });
        match choice {
            ConflictChoice::KeepOlder => self.retire(&new),
            ConflictChoice::KeepNewer => self.supersede(&old, newer),
            ConflictChoice::KeepBoth => {}
        }
        Ok(())
    }

    /// Takes back what was decided between two learnings: it waits for a person again, and what the decision moved stands as it stood.
    pub fn reopen_conflict(&mut self, older: &str, newer: &str, decided: Option<&UndoableAct>) -> Result<(), Refusal> {
        let Some(decided) = decided.filter(|d| matches!(d.event, Event::ConflictResolved { .. })) else {
            return Err(Refusal::NotFound { what: "decided conflict", name: format!("{older} / {newer}") });
        };
        let learning = self.learning(newer)?;
        self.open_feature(&learning.feature)?;
        self.tell(&learning.feature, Event::ConflictReopened { older: older.to_owned(), newer: newer.to_owned() });
        self.take_back(&decided.changes)
    }

    /// Takes back what was decided about a warning of the gate; the gate's record of right and wrong warnings forgets it, too.
    pub fn reopen_warning(&mut self, id: &str, decided: Option<&UndoableAct>) -> Result<(), Refusal> {
        let Some(decided) = decided.filter(|d| matches!(d.event, Event::GateDecided { .. })) else {
            return Err(Refusal::NotFound { what: "decided warning", name: id.to_owned() });
        };
        let learning = self.learning(id)?;
        self.open_feature(&learning.feature)?;
        self.tell(&learning.feature, Event::WarningReopened { learning: id.to_owned() });
        self.take_back(&decided.changes)
    }

    /// Lets all that an act changed stand as it stood.
    pub(super) fn take_back(&mut self, changes: &[Change]) -> Result<(), Refusal> {
        // What goes makes room for what comes.
        let (come, go): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|change| change.before == Some(LearningState::Active));
        for change in go.into_iter().chain(come) {
            self.stand_as_before(change)?;
        }
        Ok(())
    }

    /// Gives one learning the state that it had, unless something else has happened to it since.
    fn stand_as_before(&mut self, change: &Change) -> Result<(), Refusal> {
        let Some(learning) = self.known.learnings.get(&change.learning).filter(|l| l.state == change.after).cloned() else {
            return Ok(());
        };
        match change.before {
            Some(LearningState::Active) => {
                let feature = self.open_feature(&learning.feature)?;
                self.make_room(&feature, &learning.id)?;
                self.restore(&learning);
            }
            Some(LearningState::Parked) => self.tell(&learning.feature, Event::Parked { learning: learning.id.clone() }),
            Some(LearningState::Pruned) => {
                self.tell(&learning.feature, Event::Pruned { learning: learning.id.clone(), for_learning: learning.id.clone() });
            }
            // It was put away, for whatever reason, or was not there.
            _ => self.retire(&learning),
        }
        Ok(())
    }
}
