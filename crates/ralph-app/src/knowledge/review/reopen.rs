//! The way back from what a person decided about a conflict or a warning: it waits again, and what the decision moved stands as it stood.

use super::{find_learning, retire};
use crate::App;
use crate::error::{AppError, Result};
use crate::features::{find, must_be_active};
use crate::knowledge::journal::record;
use crate::knowledge::reconcile::make_room;
use crate::knowledge::remember::fill_room;
use ralph_core::authority::Wish;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::time::Timestamp;
use ralph_rag::journal::{Change, Decision, Event, last_decision};
use sqlite_db::Tx;

impl App {
    /// Takes back what was decided between two learnings.
    pub fn reopen_conflict(&self, older: &str, newer: &str) -> Result<()> {
        self.curate(|| Wish::ReopenConflict { older: older.into(), newer: newer.into() })?;
        let about = |event: &Event| match event {
            Event::ConflictResolved { older: a, newer: b, .. } | Event::ConflictReopened { older: a, newer: b } => a == older && b == newer,
            _ => false,
        };
        let decided = self.decision(about)?.filter(|decision| matches!(decision.event, Event::ConflictResolved { .. }));
        let decided = decided.ok_or_else(|| AppError::not_found("decided conflict", format!("{older} / {newer}")))?;
        self.take_back(newer, &decided.changes, |tx, learning, now| {
            tx.delete_apart(older, newer)?;
            tx.insert_conflict(older, newer)?;
            record(tx, &learning.feature, Event::ConflictReopened { older: older.into(), newer: newer.into() }, now)
        })?;
        Ok(())
    }

    /// Takes back what was decided about a warning of the gate; the gate's record of right and wrong warnings forgets it, too.
    pub fn reopen_warning(&self, id: &str) -> Result<FeatureLearning> {
        self.curate(|| Wish::ReopenWarning { id: id.into() })?;
        let about = |event: &Event| match event {
            Event::GateDecided { learning, .. } | Event::WarningReopened { learning } => learning == id,
            _ => false,
        };
        let decided = self.decision(about)?.filter(|decision| matches!(decision.event, Event::GateDecided { .. }));
        let decided = decided.ok_or_else(|| AppError::not_found("decided warning", id))?;
        self.take_back(id, &decided.changes, withdraw)
    }

    /// The newest decision about a matter, as the journals tell it.
    fn decision(&self, about: impl Fn(&Event) -> bool) -> Result<Option<Decision>> {
        let (lines, _) = self.read_journals()?;
        Ok(last_decision(lines, about))
    }

    /// `reopen`s the matter of one learning and lets all that the decision changed stand as they stood, in one commit.
    fn take_back(
        &self,
        id: &str,
        changes: &[Change],
        reopen: impl FnOnce(&Tx<'_>, &FeatureLearning, Timestamp) -> Result<()>,
    ) -> Result<FeatureLearning> {
        let now = self.clock.now();
        let default_cap = self.settings()?.max_learnings;
        self.write(|tx| {
            let learning = find_learning(tx, id)?;
            let feature = find(tx, &learning.feature)?;
            must_be_active(tx, &feature, "learnings")?;
            reopen(tx, &learning, now)?;
            // What goes makes room for what comes.
            let (come, go): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|change| change.before == LearningState::Active);
            for change in go.into_iter().chain(come) {
                stand_as_before(tx, change, default_cap, now)?;
            }
            fill_room(tx, &feature, default_cap, now)?;
            crate::knowledge::split::maybe_create_split_task(tx, &feature, default_cap, now)?;
            find_learning(tx, id)
        })
    }
}

/// Nobody has said anything about the gate's warning any more.
pub(super) fn withdraw(tx: &Tx<'_>, learning: &FeatureLearning, now: Timestamp) -> Result<()> {
    tx.set_gate_kept(&learning.id, None)?;
    record(tx, &learning.feature, Event::WarningReopened { learning: learning.id.clone() }, now)
}

/// Gives one learning the state that it had, unless something else has happened to it since.
fn stand_as_before(tx: &Tx<'_>, change: &Change, default_cap: u32, now: Timestamp) -> Result<()> {
    let Some(learning) = tx.learning(&change.learning)?.filter(|learning| learning.state == change.after) else { return Ok(()) };
    match change.before {
        LearningState::Active => {
            make_room(tx, &find(tx, &learning.feature)?, &learning.id, default_cap, now)?;
            tx.set_learning_state(&learning.id, LearningState::Active, None)?;
            record(tx, &learning.feature, Event::Restored { learning: learning.id.clone() }, now)
        }
        LearningState::Parked => {
            tx.set_learning_state(&learning.id, LearningState::Parked, None)?;
            record(tx, &learning.feature, Event::Parked { learning: learning.id.clone() }, now)
        }
        // It was put away, for whatever reason.
        _ => retire(tx, &learning, now),
    }
}
