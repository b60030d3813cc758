//! Undo of a person's acts on a learning: review, edit, merge, retire, restore, leave away, move.

use super::{Draft, Refusal};
use crate::journal::{Change, Event, Knowledge, Line, answered_between};
use ralph_core::LearningId;
use ralph_core::feature::{Feature, FeatureState};
use ralph_core::learning::{BY_PERSON, FeatureLearning, LearningState};
use ralph_core::noun::Noun;
use std::collections::{BTreeMap, BTreeSet};

/// An act that can be undone.
#[derive(Debug, Clone, PartialEq)]
pub struct Undoable {
    /// Its id.
    pub act: String,
    /// Learnings whose state it changed, or that it created.
    pub changes: Vec<Change>,
    /// Learnings that it moved, with their previous features and states.
    pub moved: Vec<(LearningId, String, LearningState)>,
    /// Learnings on which it answered a question to a person, or asked it again, with the previous decision on the gate's warning.
    pub answered: Vec<(LearningId, Option<bool>)>,
    /// Learnings that it marked as reviewed, with whoever had reviewed them before.
    pub reviewed: Vec<(LearningId, Option<String>)>,
}

/// A person's newest act on a learning that has not been undone yet, from lines of any number of journals in any order.
pub fn undoable(lines: impl IntoIterator<Item = Line>, learning: &str) -> Option<Undoable> {
    let sorted: BTreeMap<String, Line> = lines.into_iter().map(|line| (line.id.clone(), line)).collect();
    let mut acts: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in sorted.values() {
        // Lines older than acts are undone in another way.
        if let Some(act) = &line.act {
            acts.entry(act).or_default().push(line);
        }
    }
    let undone: BTreeSet<&str> = sorted.values().filter_map(Line::undoes).collect();
    // What an undone act had made stays away, whatever had been done with it.
    let makes = |line: &&Line| matches!(&line.event, Event::Learned { learning: made, .. } if made.id == learning);
    let made_by = sorted.values().find(makes).and_then(|line| line.act.as_deref());
    let gone_since = sorted.iter().find(|(_, line)| made_by.is_some() && line.undoes() == made_by).map(|(id, _)| id.as_str());
    let can_be_undone = |act: &str, lines: &[&Line]| {
        gone_since.is_none_or(|since| since < act)
            && !undone.contains(act)
            && lines.iter().all(|line| line.undoes().is_none())
            && is_of(lines, learning)
    };
    let (act, lines) = acts.into_iter().rev().find(|(act, lines)| can_be_undone(act, lines))?;
    let mut before = Knowledge::default();
    sorted.range(..act.to_owned()).for_each(|(_, line)| before.apply(line));
    let mut after = before.clone();
    lines.iter().for_each(|line| after.apply(line));
    let moved = lines.iter().filter_map(|line| match &line.event {
        Event::MovedIn { learning, from } => Some((learning.id.clone(), from.clone(), before.learnings.get(&learning.id)?.state)),
        _ => None,
    });
    let moved = moved.collect();
    let reviewed = lines.iter().filter_map(|line| match &line.event {
        Event::Reviewed { learning, .. } => Some((learning.clone(), before.learnings.get(learning)?.reviewed_by.clone())),
        _ => None,
    });
    let reviewed = reviewed.collect();
    let (changes, answered) = (Change::between(&before, &after), answered_between(&before, &after));
    Some(Undoable { act: act.to_owned(), changes, moved, answered, reviewed })
}

/// Whether an act is a person's act on this very learning, rather than a consequence of another.
fn is_of(lines: &[&Line], id: &str) -> bool {
    let has_another_way = |event: &Event| {
        matches!(event, Event::Reconciled { .. } | Event::ConflictResolved { .. } | Event::ConflictReopened { .. } | Event::Observed { .. })
    };
    // Several move with their task, and return when it does.
    let moved = lines.iter().filter(|line| matches!(line.event, Event::MovedOut { .. })).count();
    if moved > 1 || lines.iter().any(|line| has_another_way(&line.event)) {
        return false;
    }
    let made = lines.iter().find_map(|line| match &line.event {
        Event::Learned { learning, .. } => Some(&learning.id),
        _ => None,
    });
    if made.is_some() {
        let replaces = |event: &Event| match event {
            Event::Superseded { learning, by } => Some(by) == made && (learning == id || by == id),
            _ => false,
        };
        return lines.iter().any(|line| replaces(&line.event));
    }
    let prepares = |event: &Event| {
        matches!(event, Event::GateDecided { .. } | Event::WarningReopened { .. } | Event::Pruned { .. } | Event::KeptApart { .. })
    };
    lines.iter().find(|line| !prepares(&line.event)).is_some_and(|line| match &line.event {
        Event::Retired { learning }
        | Event::Restored { learning, by_rule: false, instead_of: None }
        | Event::KeptAway { learning }
        | Event::MovedOut { learning, .. } => learning == id,
        Event::Reviewed { learning, by } => learning == id && by == BY_PERSON,
        _ => false,
    })
}

impl Draft<'_> {
    /// Undoes an act: what it created retires, what it replaced or put away is restored, and what it moved goes back.
    pub fn undo(&mut self, id: &str, undoable: Option<Undoable>) -> Result<(), Refusal> {
        let Some(undoable) = undoable else {
            return Err(Refusal::NotFound { what: Noun::PersonsAct, name: id.to_owned() });
        };
        let feature = self.learning(id)?.feature;
        undoable.changes.iter().filter(|change| change.before.is_none()).try_for_each(|made| self.must_stand(&made.learning))?;
        self.tell(&feature, Event::Undone { undone: undoable.act.clone() });
        let moved: BTreeSet<&LearningId> = undoable.moved.iter().map(|(id, ..)| id).collect();
        let others: Vec<Change> = undoable.changes.iter().filter(|change| !moved.contains(&change.learning)).cloned().collect();
        for (learning, by) in &undoable.reviewed {
            let feature = self.learning(learning)?.feature;
            self.tell(&feature, Event::Unreviewed { learning: learning.clone(), by: by.clone() });
        }
        for (learning, kept) in &undoable.answered {
            self.ask_again(learning, *kept)?;
        }
        // First whatever took the room that the moved ones had left.
        self.take_back(&others)?;
        for (learning, from, was) in &undoable.moved {
            let learning = self.learning(learning)?;
            let to = self.feature(from)?;
            self.return_to(learning, &to, *was);
        }
        Ok(())
    }

    /// Refuses an undo while another learning, or a document, holds the lesson of what the act made: that would stand beside what returns.
    pub(super) fn must_stand(&self, made: &str) -> Result<(), Refusal> {
        let replaced = |l: &FeatureLearning| matches!(l.state, LearningState::Superseded | LearningState::Consolidated);
        if self.known.learnings.get(made).is_some_and(replaced) {
            let fault = format!("{made}, which the act made, was replaced since");
            let hint = "undo that first: `ralph learning undo ID`, `ralph review undo ID` or `ralph consolidate --undo`";
            return Err(Refusal::Invalid { field: "id", fault, hint });
        }
        Ok(())
    }

    /// Moves a learning back, even into a feature that accepts nothing new: it is not new there. A closed feature has no cap either, and
    /// nobody would ever look at what waits for room there.
    fn return_to(&mut self, learning: FeatureLearning, feature: &Feature, was: LearningState) {
        let from = learning.feature.clone();
        self.tell(&from, Event::MovedOut { learning: learning.id.clone(), to: feature.name.clone() });
        let is_open = feature.state == FeatureState::Active;
        let has_room = !is_open || self.active_count(&feature.name) < self.cap(feature) as usize;
        let state = match learning.state {
            LearningState::Active if !has_room => LearningState::Parked,
            LearningState::Parked if !is_open && was == LearningState::Active => LearningState::Active,
            state => state,
        };
        let arrived = FeatureLearning { feature: feature.name.clone(), state, conflicts_with: Vec::new(), ..learning };
        self.tell(&feature.name, Event::MovedIn { learning: Box::new(arrived), from });
    }
}
