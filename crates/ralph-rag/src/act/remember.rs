//! Remembering: the verdict on a candidate, given similar learnings.

use super::door::{DoorOutcome, Met};
use super::{Draft, Refusal};
use crate::journal::{Event, GateMark, Said};
use crate::relation::Relation;
use crate::words::Words;
use ralph_core::consolidation::LostWords;
use ralph_core::feature::{Feature, FeatureState};
use ralph_core::learning::{FeatureLearning, LearningSource, LearningState, PutAwayNote, Verdict};
use ralph_core::quality::{BY_WORDS, PairJudgement, PairVerdict};
use ralph_core::replica::IterationRef;
use ralph_core::{LearningId, count};
use std::collections::BTreeSet;

/// A candidate, cleaned and judged by the gate.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The record to be stored; its id and state are assigned by the act.
    pub learning: FeatureLearning,
    /// The words of its text: splitting it takes longer than most of what is done with them.
    pub words: Words,
    /// The gate's verdict.
    pub gate: GateMark,
}

impl Candidate {
    /// A candidate whose words nobody has read yet.
    pub fn new(learning: FeatureLearning, gate: GateMark) -> Candidate {
        Candidate { words: Words::of(&learning.text), learning, gate }
    }
}

impl Draft<'_> {
    /// Decides on a candidate. `near` are the learnings of its feature, in any state, that share distinctive words with it.
    pub fn remember(&mut self, candidate: &Candidate, near: &[LearningId]) -> Result<DoorOutcome, Refusal> {
        let feature = self.open_feature(&candidate.learning.feature)?;
        match self.answer_known(&candidate.learning, &candidate.words, near)? {
            Met::Known(outcome) => Ok(outcome),
            Met::New(opposites) => self.store_new(candidate, &feature, opposites.into_iter().collect()),
        }
    }

    /// The live learnings of the feature that say the opposite of what a person adds in place of `replaced`: the person has to decide.
    /// Refused if one of them says the same already.
    pub(super) fn contradicted_beside(&self, learning: &FeatureLearning, replaced: &[LearningId]) -> Result<Vec<LearningId>, Refusal> {
        match self.compare_beside(learning, replaced) {
            (Some(known), _) => Err(Refusal::Invalid {
                field: "id",
                fault: format!("the text is known in '{}' as learning {}", known.feature, known.id),
                hint: "merge the two, or retire one: `ralph learning merge`, `ralph learning retire`",
            }),
            (None, opposites) => Ok(opposites.into_iter().collect()),
        }
    }

    /// The live learning of its feature that says the same as this one, if any, and those that say the opposite, without `replaced`.
    pub(super) fn compare_beside(
        &self,
        learning: &FeatureLearning,
        replaced: &[LearningId],
    ) -> (Option<&FeatureLearning>, BTreeSet<LearningId>) {
        let lives = |l: &&FeatureLearning| matches!(l.state, LearningState::Active | LearningState::Parked) && !replaced.contains(&l.id);
        let live: Vec<LearningId> = self.known.learnings.values().filter(lives).map(|l| l.id.clone()).collect();
        self.known.compare(learning, &Words::of(&learning.text), &live, self.occasion.documents)
    }

    /// Keeps a lesson whose task is no longer in an open feature: parked, so that a person can move it.
    pub fn keep_homeless(&mut self, candidate: &Candidate, near: &[LearningId]) -> Result<DoorOutcome, Refusal> {
        if let Met::Known(outcome) = self.answer_known(&candidate.learning, &candidate.words, near)? {
            return Ok(outcome);
        }
        let id = self.id_for(candidate);
        let learning = FeatureLearning { id: id.clone(), state: LearningState::Parked, ..candidate.learning.clone() };
        self.store(&learning, Some(candidate.gate.clone()), &[]);
        Ok(DoorOutcome::new(Verdict::Parked, id))
    }

    /// Remembers what was learned on a merged branch, once: a process that finds the merge later sees that it is done.
    /// If its feature accepts nothing further, it is parked.
    pub fn land(&mut self, candidate: &Candidate, near: &[LearningId]) -> Result<Option<DoorOutcome>, Refusal> {
        let staged = candidate.learning.id.clone();
        if self.known.landed.contains(&staged) {
            return Ok(None);
        }
        let feature = self.feature(&candidate.learning.feature)?;
        let is_open = feature.state == FeatureState::Active;
        let done = if is_open { self.remember(candidate, near)? } else { self.keep_homeless(candidate, near)? };
        self.tell(&feature.name, Event::Landed { staged });
        Ok(Some(done))
    }

    /// A staged lesson keeps its id, so that two clones that find the merge concurrently store the same learning.
    fn id_for(&mut self, candidate: &Candidate) -> LearningId {
        if candidate.learning.id.is_empty() { self.new_id() } else { candidate.learning.id.clone() }
    }

    /// Counts an observation by an iteration that has not been counted yet. A person's statement protects.
    pub(super) fn observe(&mut self, id: &str, candidate: &FeatureLearning) {
        let Some(known) = self.known.learnings.get(id).cloned() else { return };
        let seen = seen_by(candidate);
        let counted = seen.as_ref().is_some_and(|seen| !self.known.has_observed(id, seen));
        let (iteration, in_replica) = (candidate.iteration, seen.and_then(|seen| seen.replica));
        let said = Said::beyond(&known, candidate);
        self.tell(&known.feature, Event::Observed { learning: id.to_owned(), iteration, in_replica, counted, said });
        if candidate.source == LearningSource::Human && known.is_auto_prunable() {
            self.tell(&known.feature, Event::Reviewed { learning: id.to_owned(), by: LearningSource::Human.as_str().to_owned() });
        }
    }

    pub(super) fn leave_away(&mut self, id: LearningId, candidate: &FeatureLearning) -> DoorOutcome {
        if let Ok(learning) = self.learning(&id) {
            // An iteration that had said it before it was put away says nothing new.
            let seen = seen_by(candidate).filter(|seen| !self.known.has_observed(&id, seen));
            self.tell(&learning.feature, Event::SaidAgain { learning: id.clone(), seen });
        }
        let note = self.known.put_away.get(&id).map(|put_away| PutAwayNote {
            by: put_away.by.clone(),
            at: put_away.at,
            asks_again: put_away.asks_again(),
        });
        DoorOutcome { put_away: note, ..DoorOutcome::new(Verdict::PutAway, id) }
    }

    fn store_new(&mut self, candidate: &Candidate, feature: &Feature, conflicts: Vec<LearningId>) -> Result<DoorOutcome, Refusal> {
        let id = self.id_for(candidate);
        let mut learning = FeatureLearning { id: id.clone(), state: LearningState::Active, ..candidate.learning.clone() };
        if candidate.gate.refused {
            learning.state = LearningState::Retired;
            self.store(&learning, Some(candidate.gate.clone()), &[]);
            return Ok(DoorOutcome::new(Verdict::Refused, id));
        }
        // Room is made after the newcomer's own line, which gives the reason.
        let Some((contradicted, pruned)) = self.room_for_newcomer(feature, &learning, &conflicts) else {
            learning.state = LearningState::Parked;
            self.store(&learning, Some(candidate.gate.clone()), &conflicts);
            return Ok(DoorOutcome { conflicts_with: conflicts, ..DoorOutcome::new(Verdict::Parked, id) });
        };
        self.store(&learning, Some(candidate.gate.clone()), &conflicts);
        for older in contradicted {
            let judgement = PairJudgement { verdict: PairVerdict::Conflict, cosine: 1.0, similarity: 1.0, hits: Vec::new() };
            self.reconcile(&id, BY_WORDS, Some((older, judgement)))?;
        }
        for other in &pruned {
            self.tell(&feature.name, Event::Pruned { learning: other.clone(), for_learning: id.clone() });
        }
        let verdict = if conflicts.is_empty() { Verdict::Added } else { Verdict::Conflict };
        Ok(DoorOutcome { pruned, conflicts_with: conflicts, ..DoorOutcome::new(verdict, id) })
    }

    /// The active learnings that leave so that a newcomer fits: those it contradicts, superseded as the next comparison would do it, then
    /// those that are pruned; `None` without room. A contradicted one that does not give way is not pruned, since then nobody would decide
    /// between the two.
    fn room_for_newcomer(
        &self,
        feature: &Feature,
        newcomer: &FeatureLearning,
        conflicts: &[LearningId],
    ) -> Option<(Vec<LearningId>, Vec<LearningId>)> {
        let (cap, active) = (self.cap(feature), self.known.of_feature(&feature.name, LearningState::Active));
        let (contradicted, others): (Vec<&FeatureLearning>, Vec<&FeatureLearning>) = active.partition(|l| conflicts.contains(&l.id));
        let excess = (contradicted.len() + others.len() + 1).saturating_sub(cap as usize);
        let gives_way = |older: &&FeatureLearning| older.age() < newcomer.age() && self.known.yields_to_comparisons(older);
        let replaced: Vec<LearningId> = contradicted.iter().copied().filter(gives_way).take(excess).map(|older| older.id.clone()).collect();
        let stay = count(contradicted.len() - replaced.len());
        let pruned = crate::admit::room_for_one(&others, cap.saturating_sub(stay), |id| self.refusals(id))?;
        Some((replaced, pruned))
    }

    /// Stores a new record, with the gate's verdict and its conflicts.
    pub(super) fn store(&mut self, learning: &FeatureLearning, gate: Option<GateMark>, conflicts: &[LearningId]) {
        self.tell(&learning.feature, Event::Learned { learning: Box::new(learning.clone()), gate });
        for older in conflicts {
            self.tell(&learning.feature, Event::Conflict { older: older.clone(), newer: learning.id.clone() });
        }
    }
}

/// Whether a text says something that none of these learnings says, in whatever state they are, nor the documents for them.
pub fn is_news(text: &str, near: &[FeatureLearning], documents: &LostWords) -> bool {
    let words = Words::of(text);
    let says = |text: &String| words.relation(&Words::of(text)) == Relation::Duplicate;
    !near.iter().any(|learning| says(&learning.text) || documents.said.get(&learning.id).is_some_and(says))
}

fn seen_by(candidate: &FeatureLearning) -> Option<IterationRef> {
    candidate.iteration.map(|iteration| IterationRef { replica: candidate.replica.clone(), iteration })
}
