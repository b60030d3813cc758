//! Consequences of a comparison by vectors, and undoing them.

use super::{Draft, Refusal};
use crate::journal::{Event, Knowledge, Said};
use crate::reconcile::merged;
use ralph_core::learning::{ConflictChoice, FeatureLearning, LearningState};
use ralph_core::noun::Noun;
use ralph_core::quality::{PairJudgement, PairVerdict, Reconciliation};
use ralph_core::replica::IterationRef;
use ralph_core::{LearningId, limits};

/// Result of one comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparisonOutcome {
    /// Relation of the learning to the known one.
    pub verdict: PairVerdict,
    /// Whether a person has to decide because the one to be replaced is protected.
    pub for_review: bool,
}

impl Draft<'_> {
    /// Applies the comparison of an active learning: the known one that decides, if any is similar, and their relation. The later
    /// created of the two is the newer one. Nothing protected is replaced without a person.
    pub fn reconcile(&mut self, id: &str, model: &str, decided: Option<(LearningId, PairJudgement)>) -> Result<ComparisonOutcome, Refusal> {
        let learning = self.learning(id)?;
        let (other, judgement) = match decided {
            Some((other, judgement)) => (Some(other), judgement),
            None => (None, PairJudgement { verdict: PairVerdict::Distinct, cosine: 0.0, similarity: 0.0, hits: Vec::new() }),
        };
        let mut found = Reconciliation {
            learning: learning.id.clone(),
            model: model.to_owned(),
            other,
            judgement,
            made: None,
            counted: Vec::new(),
            filled: None,
            at: self.occasion.now,
        };
        let met = found.other.as_ref().and_then(|other| self.known.learnings.get(other)).cloned();
        // What returned, or was moved here, may be older than what it is compared with.
        let pair = met.map(|met| if met.age() < learning.age() { (met, learning.clone()) } else { (learning.clone(), met) });
        let for_review = pair.as_ref().is_some_and(|(older, newer)| self.settle_pair(older, newer, &mut found));
        let verdict = found.judgement.verdict;
        self.tell(&learning.feature, Event::Reconciled { reconciliation: Box::new(found) });
        if let Some((older, newer)) = pair.filter(|_| verdict == PairVerdict::Conflict && !for_review) {
            // Once it is known that they contradict each other: what was said about one does not hold for the other.
            self.supersede(&older, &newer.id);
        }
        Ok(ComparisonOutcome { verdict, for_review })
    }

    /// Applies the verdict; returns whether a person has to decide instead.
    pub(super) fn settle_pair(&mut self, older: &FeatureLearning, newer: &FeatureLearning, found: &mut Reconciliation) -> bool {
        let (older_yields, newer_yields) = (self.known.yields_to_comparisons(older), self.known.yields_to_comparisons(newer));
        let pair = (older.id.clone(), newer.id.clone());
        match found.judgement.verdict {
            PairVerdict::Observed if newer_yields => self.observe_instead(newer, older, found),
            PairVerdict::Observed if older_yields => self.observe_instead(older, newer, found),
            PairVerdict::Merged if older_yields && newer_yields => self.merge_pair(older, newer, found),
            PairVerdict::Conflict if older_yields => {
                if self.known.open_conflicts.contains(&pair) {
                    let choice = ConflictChoice::KeepNewer;
                    self.tell(&newer.feature, Event::ConflictResolved { older: pair.0, newer: pair.1, choice, by: None });
                }
            }
            PairVerdict::Related | PairVerdict::Distinct => {}
            PairVerdict::Observed | PairVerdict::Merged | PairVerdict::Conflict => {
                self.tell(&newer.feature, Event::Conflict { older: pair.0, newer: pair.1 });
                return true;
            }
        }
        false
    }

    /// Turns `gone` into an observation of `kept`, which gets the reason and tags that it lacks.
    fn observe_instead(&mut self, gone: &FeatureLearning, kept: &FeatureLearning, found: &mut Reconciliation) {
        self.supersede(gone, &kept.id);
        // Its words stay readable in its own record.
        let mut said = Said::beyond(kept, gone).filter(|said| said.reason.is_some() || !said.tags.is_empty());
        found.filled = said.as_ref().and_then(|said| said.would_fill(kept));
        found.counted = self.hand_on(&gone.id, &kept.id, &kept.feature, &mut said);
        if said.is_some() {
            let observed = Event::Observed { learning: kept.id.clone(), iteration: None, in_replica: None, counted: false, said };
            self.tell(&kept.feature, observed);
        }
    }

    /// Transfers the iterations that observed `gone` to another learning, except those it already counts; the first brings what was said.
    fn hand_on(&mut self, gone: &str, to: &str, feature: &str, said: &mut Option<Box<Said>>) -> Vec<IterationRef> {
        let mut counted = Vec::new();
        for seen in self.known.observers(gone) {
            if !self.known.has_observed(to, &seen) {
                let (iteration, in_replica, said) = (Some(seen.iteration), seen.replica.clone(), said.take());
                self.tell(feature, Event::Observed { learning: to.to_owned(), iteration, in_replica, counted: true, said });
                counted.push(seen);
            }
        }
        counted
    }

    /// Hands on what another clone observed about learnings that a comparison here replaced, in journals that may be added to. The
    /// comparison's record counts it too, so that its undo takes it back.
    pub fn hand_observations_on(&mut self, may_tell: impl Fn(&str) -> bool) {
        let standing: Vec<Reconciliation> = self.known.acts.values().cloned().collect();
        for found in standing.into_iter().filter(|found| matches!(found.judgement.verdict, PairVerdict::Observed | PairVerdict::Merged)) {
            let pair = [Some(&found.learning), found.other.as_ref()].into_iter().flatten();
            let gone = pair.filter_map(|id| self.known.learnings.get(id)).filter(|learning| gave_way(learning, &found));
            let replaced: Vec<(LearningId, LearningId)> = gone.filter_map(|l| Some((l.id.clone(), l.superseded_by.clone()?))).collect();
            let mut counted = Vec::new();
            for (gone, by) in replaced {
                let kept = self.known.learnings.get(&by).map(|kept| kept.feature.clone());
                if let Some(feature) = kept.filter(|feature| may_tell(feature)) {
                    counted.extend(self.hand_on(&gone, &by, &feature, &mut None));
                }
            }
            if let Some(learning) =
                self.known.learnings.get(&found.learning).filter(|learning| may_tell(&learning.feature) && !counted.is_empty())
            {
                let feature = learning.feature.clone();
                let counted = found.counted.iter().cloned().chain(counted).collect();
                self.tell(&feature, Event::Reconciled { reconciliation: Box::new(Reconciliation { counted, ..found }) });
            }
        }
    }

    /// Combines both in one new record; they are kept as superseded.
    fn merge_pair(&mut self, older: &FeatureLearning, newer: &FeatureLearning, found: &mut Reconciliation) {
        let (text, reason, tags) = merged(older, newer, limits::LEARNING_TAGS);
        let same_task = older.task_id.filter(|task| newer.task_id == Some(*task) && newer.replica == older.replica);
        let made = FeatureLearning {
            id: self.new_id(),
            text,
            reason,
            tags,
            task_id: same_task,
            created: self.occasion.now,
            last_used: None,
            hit_count: 1,
            superseded_by: None,
            conflicts_with: Vec::new(),
            ..older.clone()
        };
        self.store(&made, None, &[]);
        self.supersede(older, &made.id);
        self.supersede(newer, &made.id);
        self.hand_on(&older.id, &made.id, &made.feature, &mut None);
        found.counted = self.hand_on(&newer.id, &made.id, &made.feature, &mut None);
        found.made = Some(made.id);
    }

    /// Undoes what followed from a comparison, named by either of the two: superseded learnings are active again, the new record retires,
    /// transferred observations are removed, and so are a reason and tags. The two are kept apart from now on.
    pub fn undo_reconciliation(&mut self, id: &str) -> Result<(), Refusal> {
        let not_undoable = || Refusal::NotFound { what: Noun::AutomaticAct, name: id.to_owned() };
        let found = self.known.standing_act(id).cloned().ok_or_else(not_undoable)?;
        let other = found.other.as_ref().ok_or_else(not_undoable)?;
        let (older, newer) = (self.learning(other)?, self.learning(&found.learning)?);
        let back: Vec<FeatureLearning> = [&older, &newer].into_iter().filter(|l| gave_way(l, &found)).cloned().collect();
        found.made.as_deref().map_or(Ok(()), |made| self.must_stand(made))?;
        if let Some(made) = found.made.as_ref().and_then(|made| self.known.learnings.get(made)).cloned() {
            self.retire(&made);
        } else if let Some(keeper) = [&older, &newer].into_iter().find(|l| back.iter().all(|b| b.id != l.id)) {
            for IterationRef { replica: in_replica, iteration } in found.counted.clone() {
                self.tell(&keeper.feature, Event::Withdrawn { learning: keeper.id.clone(), iteration, in_replica });
            }
        }
        let returning: Vec<LearningId> = back.iter().map(|learning| learning.id.clone()).collect();
        for learning in &back {
            self.make_room_again(learning, &returning)?;
            self.restore(learning);
        }
        self.tell(&newer.feature, Event::KeptApart { older: older.id, newer: newer.id });
        let judgement = PairJudgement { verdict: PairVerdict::Related, ..found.judgement.clone() };
        let kept = Reconciliation { judgement, made: None, counted: Vec::new(), filled: None, at: self.occasion.now, ..found };
        self.tell(&newer.feature, Event::Reconciled { reconciliation: Box::new(kept) });
        Ok(())
    }
}

impl Knowledge {
    /// Whether a comparison may take a learning away. Whoever brought it back has decided on it already, and a rule does not overrule that.
    pub(super) fn yields_to_comparisons(&self, learning: &FeatureLearning) -> bool {
        learning.is_auto_prunable() && !self.brought_back.contains(&learning.id)
    }

    /// The act of a comparison on a learning that still holds: the one in which it gave way, or else the newest.
    pub fn standing_act(&self, id: &str) -> Option<&Reconciliation> {
        let holds = |found: &&Reconciliation| {
            let both = [Some(&found.learning), found.other.as_ref()].into_iter().flatten();
            let is_of = found.learning == id || found.other.as_deref() == Some(id);
            is_of && both.filter_map(|id| self.learnings.get(id)).any(|learning| gave_way(learning, found))
        };
        let has_gone = |found: &Reconciliation| self.learnings.get(id).is_some_and(|learning| gave_way(learning, found));
        self.acts.values().filter(holds).max_by_key(|found| (has_gone(found), found.at))
    }
}

/// Whether a learning is superseded by what a comparison set in its place.
fn gave_way(learning: &FeatureLearning, found: &Reconciliation) -> bool {
    let in_place = |by: &LearningId| [Some(&found.learning), found.other.as_ref(), found.made.as_ref()].contains(&Some(by));
    learning.state == LearningState::Superseded && learning.superseded_by.as_ref().is_some_and(in_place)
}
