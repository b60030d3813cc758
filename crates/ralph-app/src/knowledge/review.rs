//! A person's acts on learnings: review, edit, merge, retire, restore, move, decide; and their undo. Nothing is overwritten.

use super::slice::Needs;
use crate::app::App;
use crate::error::{AppError, Result};
use ralph_core::LearningId;
use ralph_core::authority::{Act, Wish};
use ralph_core::learning::{Conflict, ConflictChoice, FeatureLearning, LearningState, MergeOffer};
use ralph_core::limits;
use ralph_core::text::cut_visibly;
use ralph_rag::act::{Draft, Refusal, undoable};
use ralph_rag::clean::clean_said;
use ralph_rag::journal::{Change, Event, UndoableAct, last_decision};
use std::collections::BTreeSet;

/// Characters of each learning in a proposal about it.
const SHOWN_CHARS: usize = 500;

impl App {
    /// Lets a person decide on knowledge; an agent's request becomes a proposal.
    pub(crate) fn curate(&self, wish: impl FnOnce() -> Wish) -> Result<()> {
        self.learnings_by(&Act::Curate, wish)
    }

    /// Performs an act on learnings if its actor may; otherwise it becomes a proposal, which shows them.
    fn learnings_by(&self, act: &Act<'_>, wish: impl FnOnce() -> Wish) -> Result<()> {
        self.allowed_or_proposed(act, || {
            let wish = wish();
            let (ids, new) = wish.about_learnings();
            // Whoever mistypes an id is told so: a person could only dismiss such a proposal.
            let known = ids.iter().map(|id| self.learning(id)).collect::<Result<Vec<_>>>()?;
            let shown = known.iter().map(|of| format!("{} ({}): {}", of.id, of.source, cut_visibly(&of.text, SHOWN_CHARS)));
            let (text, reason) = (new.map(|(text, _)| format!("new text: {text}")), new.and_then(|(_, reason)| reason));
            let detail: Vec<String> = text.into_iter().chain(reason.map(|reason| format!("because: {reason}"))).chain(shown).collect();
            Ok((wish, detail.join("\n")))
        })
    }

    /// Performs an act on one learning, and returns the result.
    fn act_on(&self, id: &str, decide: impl FnOnce(&mut Draft<'_>) -> std::result::Result<(), Refusal>) -> Result<FeatureLearning> {
        self.learning(id)?;
        self.act_with_compared(id, decide)?;
        self.learning(id)
    }

    /// Performs an act on one learning that may also concern those that it was compared with.
    pub(super) fn act_with_compared(
        &self,
        id: &str,
        decide: impl FnOnce(&mut Draft<'_>) -> std::result::Result<(), Refusal>,
    ) -> Result<()> {
        let concerned = self.with_compared([id])?;
        self.act(&Needs::learnings(concerned.iter().map(String::as_str)), decide)
    }

    /// Learnings, and those that they were compared with.
    pub(crate) fn with_compared<'i>(&self, ids: impl IntoIterator<Item = &'i str>) -> Result<BTreeSet<LearningId>> {
        self.db.read(|r| {
            let mut concerned = BTreeSet::new();
            for id in ids {
                concerned.insert(id.to_owned());
                let acts = r.acts_of(id)?;
                concerned.extend(acts.into_iter().flat_map(|found| [Some(found.learning), found.other, found.made]).flatten());
            }
            Ok(concerned)
        })
    }

    /// Marks a learning as reviewed by a person, which protects it. Its source is unchanged.
    pub fn review_learning(&self, id: &str) -> Result<FeatureLearning> {
        self.curate(|| Wish::ReviewLearning { id: id.into() })?;
        self.act_on(id, |draft| draft.review(id))
    }

    /// Puts a learning away. Parked ones use the room.
    pub fn retire_learning(&self, id: &str) -> Result<FeatureLearning> {
        self.curate(|| Wish::RetireLearning { id: id.into() })?;
        self.act_on(id, |draft| draft.put_away(id))
    }

    /// Makes a parked, pruned, retired or superseded learning active again, pruning another if there is no room.
    pub fn restore_learning(&self, id: &str) -> Result<FeatureLearning> {
        self.curate(|| Wish::RestoreLearning { id: id.into() })?;
        self.act_on(id, |draft| draft.come_back(id))
    }

    /// A person's decision on a warning of the gate, or on a repeated put-away learning: kept (it returns), or put away.
    pub fn decide_gate(&self, id: &str, kept: bool) -> Result<FeatureLearning> {
        self.curate(|| Wish::DecideGate { id: id.into(), kept })?;
        self.act_on(id, |draft| draft.judge_warning(id, kept))
    }

    /// Rewords a learning: a new record by a person supersedes the old one and keeps its provenance.
    pub fn edit_learning(&self, id: &str, text: &str, reason: Option<&str>) -> Result<FeatureLearning> {
        self.curate(|| Wish::EditLearning { id: id.into(), text: text.into(), reason: reason.map(Into::into) })?;
        self.learning(id)?;
        let (text, reason) = cleaned(text, reason)?;
        let new = self.act(&Needs::learnings([id]), |draft| draft.edit(id, &text, reason.as_deref()))?;
        self.learning(&new)
    }

    /// Learnings that are offered for merging.
    pub fn merge_offers(&self) -> Result<Vec<MergeOffer>> {
        Ok(ralph_rag::merge::offers(&self.learnings(None, &[LearningState::Active])?))
    }

    /// Merges several learnings of one feature: a new record by a person supersedes them all. [`App::undo_learning`] undoes it.
    pub fn merge_learnings(&self, ids: &[LearningId], text: &str, reason: Option<&str>) -> Result<FeatureLearning> {
        self.curate(|| Wish::MergeLearnings { ids: ids.into(), text: text.into(), reason: reason.map(Into::into) })?;
        let (text, reason) = cleaned(text, reason)?;
        // The error for a staged one says so.
        ids.iter().try_for_each(|id| self.learning(id).map(drop))?;
        let needs = Needs::learnings(ids.iter().map(String::as_str));
        let new = self.act(&needs, |draft| draft.merge(ids, &text, reason.as_deref()))?;
        self.learning(&new)
    }

    /// Moves one learning to another feature. Without room it is parked there. The agent of a run can only propose it.
    pub fn move_learning(&self, id: &str, to: &str) -> Result<FeatureLearning> {
        self.learnings_by(&Act::MoveLearning, || Wish::MoveLearning { id: id.into(), to: to.into() })?;
        self.learning(id)?;
        let to = self.feature(to)?.name;
        self.act(&Needs::learnings([id]).and_feature(&to), |draft| draft.move_learning(id, &to))?;
        self.learning(id)
    }

    /// Undoes a person's last act on a learning: a review, an edit, a merge, a move, a retirement or a restoration.
    pub fn undo_learning(&self, id: &str) -> Result<FeatureLearning> {
        self.allowed(&Act::Curate)?;
        self.learning(id)?;
        let undoable = undoable(self.known_lines()?, id);
        let others = undoable.iter().flat_map(|u| u.changes.iter().flat_map(named));
        let mut needs = Needs::learnings(others.chain([id]));
        for (_, from, _) in undoable.iter().flat_map(|u| &u.moved) {
            needs = needs.and_feature(from);
        }
        self.act(&needs, |draft| draft.undo(id, undoable.clone()))?;
        self.learning(id)
    }

    /// Pairs that contradict each other and await a person.
    pub fn conflicts(&self) -> Result<Vec<Conflict>> {
        Ok(self.db.read(|r| r.conflicts())?)
    }

    /// Applies a person's decision on a conflict.
    pub fn resolve_conflict(&self, older: &str, newer: &str, choice: ConflictChoice) -> Result<()> {
        self.curate(|| Wish::ResolveConflict { older: older.into(), newer: newer.into(), choice })?;
        self.act(&Needs::learnings([older, newer]), |draft| draft.resolve_conflict(older, newer, choice))
    }

    /// Undoes a decision on two learnings: the pair awaits a person again, and states that the decision changed are restored.
    pub fn reopen_conflict(&self, older: &str, newer: &str) -> Result<()> {
        self.curate(|| Wish::ReopenConflict { older: older.into(), newer: newer.into() })?;
        let decided = self.decision(|event| match event {
            Event::ConflictResolved { older: a, newer: b, .. } | Event::ConflictReopened { older: a, newer: b } => a == older && b == newer,
            _ => false,
        })?;
        let needs = needed_for(decided.as_ref(), &[older, newer]);
        self.act(&needs, |draft| draft.reopen_conflict(older, newer, decided.as_ref()))
    }

    /// Undoes a decision on a warning of the gate, including its entry in the gate's record of right and wrong warnings, or on what was
    /// said again.
    pub fn reopen_warning(&self, id: &str) -> Result<FeatureLearning> {
        self.curate(|| Wish::ReopenWarning { id: id.into() })?;
        let decided = self.decision(|event| match event {
            Event::GateDecided { learning, .. } | Event::KeptAway { learning } | Event::WarningReopened { learning } => learning == id,
            _ => false,
        })?;
        let needs = needed_for(decided.as_ref(), &[id]);
        self.act(&needs, |draft| draft.reopen_warning(id, decided.as_ref()))?;
        self.learning(id)
    }

    /// The newest decision that matches `about`, from the journals.
    fn decision(&self, about: impl Fn(&Event) -> bool) -> Result<Option<UndoableAct>> {
        Ok(last_decision(self.known_lines()?, about))
    }
}

fn needed_for(decided: Option<&UndoableAct>, ids: &[&str]) -> Needs {
    let changed = decided.into_iter().flat_map(|d| d.changes.iter().flat_map(named));
    Needs::learnings(changed.chain(ids.iter().copied()))
}

/// A changed learning, and its former replacement, which may replace it again.
fn named(change: &Change) -> impl Iterator<Item = &str> {
    std::iter::once(change.learning.as_str()).chain(change.superseded_by.as_deref())
}

/// A person's words, as stored.
fn cleaned(text: &str, reason: Option<&str>) -> Result<(String, Option<String>)> {
    let text = clean_said(text, limits::LEARNING_TEXT_CHARS).text;
    if text.trim().is_empty() {
        return Err(AppError::invalid("text", "is empty", "say what was learnt, or retire the learning"));
    }
    Ok((text, reason.map(|r| clean_said(r, limits::LEARNING_REASON_CHARS).text)))
}
