//! What people do with learnings: review, edit, retire, restore, decide conflicts. Nothing is overwritten; each act is an event.

mod reopen;

use crate::App;
use crate::error::{AppError, Result};
use crate::features::{find, must_be_active};
use crate::knowledge::journal::{next_id, record};
use crate::knowledge::reconcile::{keep_apart, make_room};
use crate::knowledge::remember::{fill_room, store};
use ralph_core::authority::{Act, Wish};
use ralph_core::learning::{Conflict, ConflictChoice, FeatureLearning, LearningSource, LearningState, MergeOffer};
use ralph_core::time::Timestamp;
use ralph_core::{LearningId, limits};
use ralph_rag::clean::clean;
use ralph_rag::journal::Event;
use sqlite_db::{Read, Tx};
use std::collections::BTreeSet;

/// Who acts at the screen and on the command line.
const PERSON: &str = "human";

fn find_learning(read: &Read<'_>, id: &str) -> Result<FeatureLearning> {
    read.learning(id)?.ok_or_else(|| AppError::not_found("learning", id))
}

impl App {
    /// Lets a person decide about knowledge; an agent's wish to do so becomes a proposal.
    pub(crate) fn curate(&self, wish: impl FnOnce() -> Wish) -> Result<()> {
        self.allowed_or_proposed(&Act::Curate, || {
            let wish = wish();
            let (ids, new) = wish.about_learnings();
            // One that does not exist is told when a person accepts.
            let known = self.db.read(|r| r.learnings_by_id(&ids)).unwrap_or_default();
            let shown = known.iter().map(|learning| format!("{} ({}): {}", learning.id, learning.source, learning.text));
            let detail: Vec<String> = shown.chain(new.map(|text| format!("new text: {text}"))).collect();
            (wish, detail.join("\n"))
        })
    }

    /// Marks a learning as reviewed by a person: it is protected from now on. Its source stays.
    pub fn review_learning(&self, id: &str) -> Result<FeatureLearning> {
        self.curate(|| Wish::ReviewLearning { id: id.into() })?;
        let now = self.clock.now();
        self.write(|tx| {
            let learning = find_learning(tx, id)?;
            tx.set_reviewed(id, PERSON)?;
            record(tx, &learning.feature, Event::Reviewed { learning: learning.id, by: PERSON.into() }, now)?;
            find_learning(tx, id)
        })
    }

    /// Puts a learning away. Parked ones take the room.
    pub fn retire_learning(&self, id: &str) -> Result<FeatureLearning> {
        self.curate(|| Wish::RetireLearning { id: id.into() })?;
        let now = self.clock.now();
        let default_cap = self.settings()?.max_learnings;
        self.write(|tx| {
            let learning = find_learning(tx, id)?;
            if learning.state == LearningState::Retired {
                return Ok(learning);
            }
            decide_gate(tx, &learning, false, now)?;
            retire(tx, &learning, now)?;
            fill_room(tx, &find(tx, &learning.feature)?, default_cap, now)?;
            find_learning(tx, id)
        })
    }

    /// Makes a parked, pruned, retired or superseded learning active again, pruning one that may be pruned when there is no room.
    pub fn restore_learning(&self, id: &str) -> Result<FeatureLearning> {
        self.curate(|| Wish::RestoreLearning { id: id.into() })?;
        let now = self.clock.now();
        let default_cap = self.settings()?.max_learnings;
        self.write(|tx| {
            let learning = find_learning(tx, id)?;
            if learning.state == LearningState::Active {
                return Ok(learning);
            }
            let feature = find(tx, &learning.feature)?;
            must_be_active(tx, &feature, "learnings")?;
            match tx.gate_verdict(id)?.and_then(|verdict| verdict.kept) {
                // Who brings back what was put away no longer agrees with the gate, and may say so.
                Some(false) => reopen::withdraw(tx, &learning, now)?,
                _ => decide_gate(tx, &learning, true, now)?,
            }
            make_room(tx, &feature, id, default_cap, now)?;
            if let Some(by) = &learning.superseded_by
                && tx.learning(by)?.is_some()
            {
                // What a person brings back is not the same as what took its place.
                keep_apart(tx, &feature, id, by, now)?;
            }
            tx.set_learning_state(id, LearningState::Active, None)?;
            record(tx, &feature.name, Event::Restored { learning: learning.id }, now)?;
            crate::knowledge::split::maybe_create_split_task(tx, &feature, default_cap, now)?;
            find_learning(tx, id)
        })
    }

    /// What a person says about a warning of the gate: kept (the gate was wrong; what was refused comes back), or put away.
    pub fn decide_gate(&self, id: &str, kept: bool) -> Result<FeatureLearning> {
        self.curate(|| Wish::DecideGate { id: id.into(), kept })?;
        let now = self.clock.now();
        let learning = self.learning(id)?;
        match (kept, learning.state) {
            (true, LearningState::Active | LearningState::Parked) | (false, LearningState::Retired) => {}
            (true, _) => drop(self.restore_learning(id)?),
            (false, _) => drop(self.retire_learning(id)?),
        }
        self.write(|tx| decide_gate(tx, &learning, kept, now))?;
        self.learning(id)
    }

    /// Says a learning better: a new record by a person supersedes the old one and keeps what is known of its origin.
    pub fn edit_learning(&self, id: &str, text: &str, reason: Option<&str>) -> Result<FeatureLearning> {
        self.curate(|| Wish::EditLearning { id: id.into(), text: text.into(), reason: reason.map(Into::into) })?;
        let now = self.clock.now();
        self.write(|tx| {
            let old = find_learning(tx, id)?;
            if old.state != LearningState::Active && old.state != LearningState::Parked {
                return Err(AppError::invalid("id", format!("the learning is {}", old.state), "restore it first"));
            }
            let feature = find(tx, &old.feature)?;
            let new = reworded(tx, &old, text, reason, now)?;
            supersede(tx, &old, &new.id, now)?;
            store(tx, &feature, &new, None, &[], now)?;
            find_learning(tx, &new.id)
        })
    }

    /// Learnings that are offered for merging.
    pub fn merge_offers(&self) -> Result<Vec<MergeOffer>> {
        Ok(ralph_rag::merge::offers(&self.learnings(None, &[LearningState::Active])?))
    }

    /// Says several learnings of one feature in one: a new record by a person supersedes them all.
    pub fn merge_learnings(&self, ids: &[LearningId], text: &str, reason: Option<&str>) -> Result<FeatureLearning> {
        self.curate(|| Wish::MergeLearnings { ids: ids.into(), text: text.into(), reason: reason.map(Into::into) })?;
        let now = self.clock.now();
        let default_cap = self.settings()?.max_learnings;
        self.write(|tx| {
            let mut old = Vec::new();
            for id in ids {
                let learning = find_learning(tx, id)?;
                if learning.state != LearningState::Active {
                    return Err(AppError::invalid("ids", format!("learning {id} is {}", learning.state), "merge active learnings"));
                }
                old.push(learning);
            }
            let distinct: BTreeSet<&LearningId> = ids.iter().collect();
            let Some(first) = old.first().filter(|first| distinct.len() > 1 && old.iter().all(|l| l.feature == first.feature)) else {
                return Err(AppError::invalid(
                    "ids",
                    "do not name two or more learnings of one feature",
                    "list them: `ralph learning list`",
                ));
            };
            let mut new = reworded(tx, first, text, reason, now)?;
            new.tags =
                old.iter().flat_map(|l| l.tags.iter().cloned()).collect::<BTreeSet<_>>().into_iter().take(limits::LEARNING_TAGS).collect();
            new.task_id = Some(old.iter().map(|l| l.task_id).collect::<BTreeSet<_>>()).filter(|tasks| tasks.len() == 1).and(first.task_id);
            for learning in &old {
                supersede(tx, learning, &new.id, now)?;
            }
            let feature = find(tx, &first.feature)?;
            store(tx, &feature, &new, None, &[], now)?;
            fill_room(tx, &feature, default_cap, now)?;
            find_learning(tx, &new.id)
        })
    }

    /// Pairs that contradict each other and wait for a person.
    pub fn conflicts(&self) -> Result<Vec<Conflict>> {
        Ok(self.db.read(|r| r.conflicts())?)
    }

    /// Carries out what a person decided about a conflict.
    pub fn resolve_conflict(&self, older: &str, newer: &str, choice: ConflictChoice) -> Result<()> {
        self.curate(|| Wish::ResolveConflict { older: older.into(), newer: newer.into(), choice })?;
        let now = self.clock.now();
        let default_cap = self.settings()?.max_learnings;
        self.write(|tx| {
            if !tx.delete_conflict(older, newer)? {
                return Err(AppError::not_found("conflict", format!("{older} / {newer}")));
            }
            let (old, new) = (find_learning(tx, older)?, find_learning(tx, newer)?);
            record(tx, &new.feature, Event::ConflictResolved { older: older.into(), newer: newer.into(), choice }, now)?;
            match choice {
                ConflictChoice::KeepOlder => retire(tx, &new, now)?,
                ConflictChoice::KeepNewer => supersede(tx, &old, newer, now)?,
                ConflictChoice::KeepBoth => return Ok(tx.insert_apart(older, newer)?),
            }
            fill_room(tx, &find(tx, &new.feature)?, default_cap, now)?;
            Ok(())
        })
    }
}

/// A new record by a person in place of `old`, which keeps what is known of its origin.
fn reworded(tx: &Tx<'_>, old: &FeatureLearning, text: &str, reason: Option<&str>, now: Timestamp) -> Result<FeatureLearning> {
    let text = clean(text, limits::LEARNING_TEXT_CHARS).text;
    if text.trim().is_empty() {
        return Err(AppError::invalid("text", "is empty", "say what was learnt, or retire the learning"));
    }
    Ok(FeatureLearning {
        id: next_id(tx, now)?,
        text,
        reason: reason.map(|r| clean(r, limits::LEARNING_REASON_CHARS).text).filter(|r| !r.is_empty()),
        source: LearningSource::Human,
        created: now,
        last_used: None,
        hit_count: 1,
        reviewed_by: None,
        review_count: 0,
        superseded_by: None,
        conflicts_with: Vec::new(),
        ..old.clone()
    })
}

/// Records what a person said about the gate's warning, once, where there was one.
fn decide_gate(tx: &Tx<'_>, learning: &FeatureLearning, kept: bool, now: Timestamp) -> Result<()> {
    let open = tx.gate_verdict(&learning.id)?.is_some_and(|verdict| !verdict.report.passed && verdict.kept.is_none());
    if open {
        tx.set_gate_kept(&learning.id, Some(kept))?;
        record(tx, &learning.feature, Event::GateDecided { learning: learning.id.clone(), kept }, now)?;
    }
    Ok(())
}

fn retire(tx: &Tx<'_>, learning: &FeatureLearning, now: Timestamp) -> Result<()> {
    tx.set_learning_state(&learning.id, LearningState::Retired, None)?;
    record(tx, &learning.feature, Event::Retired { learning: learning.id.clone() }, now)
}

fn supersede(tx: &Tx<'_>, old: &FeatureLearning, by: &str, now: Timestamp) -> Result<()> {
    tx.set_learning_state(&old.id, LearningState::Superseded, Some(by))?;
    record(tx, &old.feature, Event::Superseded { learning: old.id.clone(), by: by.to_owned() }, now)
}
