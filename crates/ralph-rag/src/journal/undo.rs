//! The state before a decision, so that it can be undone, from the journal.

use super::{Event, Knowledge, Line, replay};
use ralph_core::LearningId;
use ralph_core::consolidation::KnowledgePlace;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::quality::PutAway;
use std::collections::{BTreeMap, BTreeSet};

/// Effect of an act on one learning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which.
    pub learning: LearningId,
    /// Its state before the act; `None`: the act created it.
    pub before: Option<LearningState>,
    /// Its state after it.
    pub after: LearningState,
    /// What had superseded it before.
    pub superseded_by: Option<LearningId>,
    /// The document that held it before.
    pub consolidated_into: Option<KnowledgePlace>,
    /// What had superseded it after the act.
    pub superseded_after: Option<LearningId>,
    /// The document that held it after the act.
    pub consolidated_after: Option<KnowledgePlace>,
    /// Who had put it away before, and who has said it again since.
    pub put_away: Option<PutAway>,
}

impl Change {
    /// Every learning whose state, or what replaced it, differs, by id.
    pub(crate) fn between(before: &Knowledge, after: &Knowledge) -> Vec<Change> {
        let differs = |learning: &&FeatureLearning| before.learnings.get(&learning.id).map(stands) != Some(stands(learning));
        let changes = after.learnings.values().filter(differs).map(|learning| {
            let was = before.learnings.get(&learning.id);
            Change {
                learning: learning.id.clone(),
                before: was.map(|l| l.state),
                after: learning.state,
                superseded_by: was.and_then(|l| l.superseded_by.clone()),
                consolidated_into: was.and_then(|l| l.consolidated_into.clone()),
                superseded_after: learning.superseded_by.clone(),
                consolidated_after: learning.consolidated_into.clone(),
                put_away: before.put_away.get(&learning.id).cloned(),
            }
        });
        changes.collect()
    }

    /// Whether a learning is still as the act left it. One that has been replaced by something else since is not.
    pub(crate) fn still_holds(&self, learning: &FeatureLearning) -> bool {
        stands(learning) == (self.after, self.superseded_after.as_ref(), self.consolidated_after.as_ref())
    }
}

/// A learning's state, and its replacement.
fn stands(learning: &FeatureLearning) -> (LearningState, Option<&LearningId>, Option<&KnowledgePlace>) {
    (learning.state, learning.superseded_by.as_ref(), learning.consolidated_into.as_ref())
}

/// Learnings on which an act answered a question to a person, or asked it again, each with the previous decision on the gate's warning.
pub(crate) fn answered_between(before: &Knowledge, after: &Knowledge) -> Vec<(LearningId, Option<bool>)> {
    let kept = |known: &Knowledge, id: &LearningId| known.gates.get(id).and_then(|gate| gate.kept);
    let stays_away = |known: &Knowledge, id: &LearningId| known.put_away.get(id).is_some_and(|put_away| put_away.answered);
    let asked: BTreeSet<&LearningId> = before.gates.keys().chain(before.put_away.keys()).collect();
    let answered = asked.into_iter().filter(|id| kept(before, id) != kept(after, id) || stays_away(after, id) && !stays_away(before, id));
    answered.map(|id| (id.clone(), kept(before, id))).collect()
}

/// An event with the changes of the same act.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoableAct {
    /// The decision.
    pub event: Event,
    /// Learnings whose state it changed.
    pub changes: Vec<Change>,
    /// Learnings on which it answered a question to a person, each with the previous decision on the gate's warning.
    pub answered: Vec<(LearningId, Option<bool>)>,
}

/// The newest event that matches `about`, from lines of any number of journals in any order.
pub fn last_decision(lines: impl IntoIterator<Item = Line>, about: impl Fn(&Event) -> bool) -> Option<UndoableAct> {
    let mut earlier: BTreeMap<String, Line> = lines.into_iter().map(|line| (line.id.clone(), line)).collect();
    let decided = earlier.values().rev().find(|line| about(&line.event))?.clone();
    let start = decided.act.clone().unwrap_or_else(|| decided.id.clone());
    let later = earlier.split_off(&start);
    let before = replay(earlier.into_values());
    let mut after = before.clone();
    let act: Vec<&Line> = match &decided.act {
        Some(act) => later.values().filter(|line| line.act.as_ref() == Some(act)).collect(),
        // Lines older than acts: those of one commit have the same time, and lines of other clones in between have another.
        None => later.values().skip(1).filter(|line| line.at == decided.at).take_while(|line| follows(&line.event)).collect(),
    };
    act.into_iter().for_each(|line| after.apply(line));
    let (changes, answered) = (Change::between(&before, &after), answered_between(&before, &after));
    Some(UndoableAct { event: decided.event, changes, answered })
}

/// Whether an event is a consequence of the preceding decision.
fn follows(event: &Event) -> bool {
    matches!(
        event,
        Event::Retired { .. } | Event::Superseded { .. } | Event::Restored { .. } | Event::Pruned { .. } | Event::KeptApart { .. }
    )
}
