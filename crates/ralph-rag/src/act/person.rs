//! A person's acts on learnings: review, retire, restore, judge the gate, edit, merge.

use super::{Draft, Refusal};
use crate::journal::Event;
use ralph_core::learning::{BY_PERSON, FeatureLearning, LearningSource, LearningState};
use ralph_core::{LearningId, limits};
use std::collections::BTreeSet;

impl Draft<'_> {
    /// Marks a learning as reviewed by a person, which protects it. Its source is unchanged.
    pub fn review(&mut self, id: &str) -> Result<(), Refusal> {
        let learning = self.learning(id)?;
        self.tell(&learning.feature, Event::Reviewed { learning: learning.id.clone(), by: BY_PERSON.to_owned() });
        Ok(())
    }

    /// Marks learnings as reviewed by the named agent. Those that a person has reviewed or put away meanwhile are skipped.
    pub fn reviewed_by(&mut self, ids: &[LearningId], by: &str) -> Result<(), Refusal> {
        for id in ids {
            let learning = self.learning(id)?;
            if learning.state == LearningState::Active && learning.reviewed_by.is_none() {
                self.tell(&learning.feature, Event::Reviewed { learning: learning.id.clone(), by: by.to_owned() });
            }
        }
        Ok(())
    }

    /// Puts a learning away; no effect if it is already. What a comparison had put away as its opposite is active again: it was right.
    pub fn put_away(&mut self, id: &str) -> Result<(), Refusal> {
        let learning = self.learning(id)?;
        if learning.state != LearningState::Retired {
            self.decide_gate(&learning, false);
            self.retire(&learning);
            for contradicted in self.known.contradicted_by_rule(&learning.id) {
                self.restore_in_place_of(&contradicted, &learning.id);
            }
        }
        Ok(())
    }

    /// Makes a learning active again, pruning another if there is no room.
    pub fn come_back(&mut self, id: &str) -> Result<(), Refusal> {
        let learning = self.learning(id)?;
        if learning.state == LearningState::Active {
            return Ok(());
        }
        let feature = self.open_feature(&learning.feature)?;
        self.make_room(&feature, id)?;
        match self.known.gates.get(id).and_then(|gate| gate.kept) {
            // Restoring what was put away withdraws the agreement with the gate, so that it can be judged again.
            Some(false) => self.tell(&learning.feature, Event::WarningReopened { learning: id.to_owned() }),
            _ => self.decide_gate(&learning, true),
        }
        if let Some(by) = learning.superseded_by.as_ref().filter(|by| self.known.learnings.contains_key(*by)) {
            // A restored learning is not the same as the one that replaced it.
            self.tell(&feature.name, Event::KeptApart { older: id.to_owned(), newer: by.clone() });
        }
        self.restore(&learning);
        if learning.state == LearningState::Retired {
            self.replace_again(&learning);
        }
        Ok(())
    }

    /// When a learning returns from retirement, learnings that it contradicts give way: as before, and as the next comparison would decide.
    pub(super) fn replace_again(&mut self, back: &FeatureLearning) {
        for contradicted in self.known.contradicted_again(back) {
            self.supersede(&contradicted, &back.id);
        }
    }

    /// Records a person's decision on a warning of the gate: kept (the gate was wrong; a rejected learning returns), or put away. For one
    /// that was put away and repeated since, `false` means that it stays away.
    pub fn judge_warning(&mut self, id: &str, kept: bool) -> Result<(), Refusal> {
        let learning = self.learning(id)?;
        let asks_again = self.known.put_away.get(id).is_some_and(ralph_core::quality::PutAway::asks_again);
        match (kept, learning.state) {
            (true, LearningState::Active | LearningState::Parked) => {}
            (true, _) => self.come_back(id)?,
            (false, _) if asks_again => self.tell(&learning.feature, Event::KeptAway { learning: id.to_owned() }),
            (false, _) => self.put_away(id)?,
        }
        // Last, since restoring withdraws an earlier decision on it. What returns because it was said again is such a decision without a
        // warning, too: it can be reopened.
        if kept && asks_again {
            self.tell(&learning.feature, Event::GateDecided { learning: id.to_owned(), kept });
        } else {
            self.decide_gate(&learning, kept);
        }
        Ok(())
    }

    /// Records a person's decision on the gate's warning, once, if there was one.
    fn decide_gate(&mut self, learning: &FeatureLearning, kept: bool) {
        let open = self.known.gates.get(&learning.id).is_some_and(|gate| !gate.mark.passed && gate.kept.is_none());
        if open {
            self.tell(&learning.feature, Event::GateDecided { learning: learning.id.clone(), kept });
        }
    }

    /// Rewords a learning: a new record by a person supersedes the old one and keeps its provenance, and its reason unless another one is
    /// given; an empty one clears it. Refused if another one says the same.
    pub fn edit(&mut self, id: &str, text: &str, reason: Option<&str>) -> Result<LearningId, Refusal> {
        let old = self.learning(id)?;
        if !matches!(old.state, LearningState::Active | LearningState::Parked) {
            // A restored learning that had been reworded would be beside its new words, and contradict them.
            let (fault, hint) = match (&old.superseded_by, old.state) {
                (Some(by), LearningState::Superseded) => (format!("the learning is superseded by {by}"), "edit that one"),
                _ => (format!("the learning is {}", old.state), "restore it first"),
            };
            return Err(Refusal::Invalid { field: "id", fault, hint });
        }
        let new = self.reworded(&old, text, reason);
        let conflicts = self.contradicted_beside(&new, std::slice::from_ref(&old.id))?;
        self.store(&new, None, &conflicts);
        self.supersede(&old, &new.id);
        Ok(new.id)
    }

    /// Merges several learnings of one feature: a new record by a person supersedes them all. Without a reason it keeps the first one
    /// given. Refused if another one says the same.
    pub fn merge(&mut self, ids: &[LearningId], text: &str, reason: Option<&str>) -> Result<LearningId, Refusal> {
        let old = ids.iter().map(|id| self.learning(id)).collect::<Result<Vec<_>, _>>()?;
        if let Some(other) = old.iter().find(|l| l.state != LearningState::Active) {
            let fault = format!("learning {} is {}", other.id, other.state);
            return Err(Refusal::Invalid { field: "ids", fault, hint: "merge active learnings" });
        }
        let distinct: BTreeSet<&LearningId> = ids.iter().collect();
        let Some(first) = old.first().filter(|first| distinct.len() > 1 && old.iter().all(|l| l.feature == first.feature)) else {
            return Err(Refusal::Invalid {
                field: "ids",
                fault: "do not name two or more learnings of one feature".to_owned(),
                hint: "list them: `ralph learning list`",
            });
        };
        let tags: BTreeSet<String> = old.iter().flat_map(|l| l.tags.iter().cloned()).collect();
        let tasks: BTreeSet<_> = old.iter().map(|l| (&l.replica, l.task_id)).collect();
        let one_task = tasks.len() == 1;
        let new = FeatureLearning {
            tags: tags.into_iter().take(limits::LEARNING_TAGS).collect(),
            task_id: first.task_id.filter(|_| one_task),
            ..self.reworded(first, text, reason.or_else(|| old.iter().find_map(|l| l.reason.as_deref())))
        };
        let conflicts = self.contradicted_beside(&new, ids)?;
        self.store(&new, None, &conflicts);
        let mut seen = BTreeSet::new();
        for learning in old.iter().filter(|l| seen.insert(&l.id)) {
            self.supersede(learning, &new.id);
        }
        Ok(new.id)
    }

    /// A new record by a person that replaces `old`, with its state and provenance. Both texts are clean.
    fn reworded(&mut self, old: &FeatureLearning, text: &str, reason: Option<&str>) -> FeatureLearning {
        FeatureLearning {
            id: self.new_id(),
            text: text.to_owned(),
            reason: reason.map_or_else(|| old.reason.clone(), |reason| Some(reason.to_owned())).filter(|r| !r.is_empty()),
            source: LearningSource::Human,
            created: self.occasion.now,
            last_used: None,
            hit_count: 1,
            reviewed_by: None,
            review_count: 0,
            superseded_by: None,
            conflicts_with: Vec::new(),
            ..old.clone()
        }
    }
}
