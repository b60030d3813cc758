//! The check that words of every kind pass on their way in: what is known of them already. Whatever an agent or a rule says again as an
//! episode or a fact is an observation, or put away, as it would be as a learning.

use super::{Draft, Refusal};
use crate::journal::{Event, Knowledge, PROJECT_JOURNAL, journal_of};
use crate::relation::Relation;
use crate::words::Words;
use ralph_core::LearningId;
use ralph_core::consolidation::LostWords;
use ralph_core::feature::FeatureState;
use ralph_core::learning::{FeatureLearning, LearningSource, LearningState, PutAwayNote, Verdict};
use ralph_core::memory::{Episode, Fact, FactSource, Withdrawal, WithdrawalReason};
use ralph_core::recall::RecallHit;
use std::collections::BTreeSet;

/// The verdict on words of another kind. Each is true when it is given.
#[derive(Debug, Clone, PartialEq)]
pub struct DoorOutcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The learning that holds the lesson, or the learning, episode or fact that stays away.
    pub id: LearningId,
    /// Learnings that were pruned to make room.
    pub pruned: Vec<LearningId>,
    /// Known learnings that it contradicts.
    pub conflicts_with: Vec<LearningId>,
    /// Who put the earlier one away, for that verdict.
    pub put_away: Option<PutAwayNote>,
}

impl DoorOutcome {
    pub(super) fn new(verdict: Verdict, id: LearningId) -> DoorOutcome {
        DoorOutcome { verdict, id, pruned: Vec::new(), conflicts_with: Vec::new(), put_away: None }
    }
}

/// What an equal text that is no longer active means for a candidate.
pub(super) enum Earlier {
    /// Count an observation of this one.
    Observe(LearningId),
    /// This one is restored.
    Return(LearningId),
    /// This one stays away, and so does the candidate.
    Stay(LearningId),
    /// The candidate is new after all; it contradicts this one.
    Contradicted(LearningId),
    /// The candidate is new after all.
    New,
}

/// What is known of a candidate.
pub(super) enum Met {
    /// It is answered.
    Known(DoorOutcome),
    /// It is new; these live learnings say the opposite.
    New(BTreeSet<LearningId>),
}

impl Draft<'_> {
    /// The verdict on words of an episode or a fact, made by [`words_of_episode`] or [`words_of_fact`]; `None` if they are new. Not for a
    /// person's words: those are compared only with what is known of their own kind.
    pub fn answer(&mut self, said: &FeatureLearning, near: &[LearningId]) -> Result<Option<DoorOutcome>, Refusal> {
        if said.source == LearningSource::Human {
            return Ok(None);
        }
        Ok(match self.answer_known(said, &Words::of(&said.text), near)? {
            Met::Known(outcome) => Some(outcome),
            Met::New(_) => None,
        })
    }

    /// Counts or leaves away a candidate that is known, whatever its kind. `words` are those of its text, and `near` the learnings, in any
    /// state, that share distinctive words with it.
    pub(super) fn answer_known(&mut self, said: &FeatureLearning, words: &Words, near: &[LearningId]) -> Result<Met, Refusal> {
        let documents = self.occasion.documents;
        let (equal, mut opposites) = self.known.compare(said, words, near, documents);
        Ok(match equal.map_or(Earlier::New, |learning| self.known.earlier(learning, &documents.learnings)) {
            Earlier::Observe(id) => {
                self.observe(&id, said);
                Met::Known(DoorOutcome::new(Verdict::Observed, id))
            }
            Earlier::Return(id) => Met::Known(self.let_return(&id, said)?),
            Earlier::Stay(id) => Met::Known(self.leave_away(id, said)),
            Earlier::Contradicted(id) => {
                opposites.insert(id);
                Met::New(opposites)
            }
            Earlier::New => self.known.put_away_beside(said, words).map_or(Met::New(opposites), Met::Known),
        })
    }

    /// A pruned learning, or a consolidated one whose words are gone, returns with its evidence, as far as its feature is open and has room.
    fn let_return(&mut self, id: &str, said: &FeatureLearning) -> Result<DoorOutcome, Refusal> {
        let learning = self.learning(id)?;
        let feature = self.feature(&learning.feature)?;
        // Somebody had decided on the consolidation, so its return is a decision, too: a rule undoes only a rule's own act.
        let by_rule = learning.state == LearningState::Pruned;
        self.observe(id, said);
        let is_open = feature.state == FeatureState::Active;
        let Some(pruned) = is_open.then(|| self.make_room(&feature, id).ok()).flatten() else {
            self.tell(&feature.name, Event::Parked { learning: id.to_owned(), by_rule });
            return Ok(DoorOutcome::new(Verdict::Parked, id.to_owned()));
        };
        self.tell(&feature.name, Event::Restored { learning: id.to_owned(), by_rule, instead_of: None });
        Ok(DoorOutcome { pruned, ..DoorOutcome::new(Verdict::Observed, id.to_owned()) })
    }
}

impl Knowledge {
    /// The learning that says the same as a candidate, of its feature or, for one of the project, of any; and those that say the opposite
    /// and are told. Of several equal ones live ones come first, then the most similar, then the newest. A consolidated one is compared in
    /// the words of its document, whatever they became: an agent that has read them says those.
    pub(super) fn compare(
        &self,
        said: &FeatureLearning,
        words: &Words,
        near: &[LearningId],
        documents: &LostWords,
    ) -> (Option<&FeatureLearning>, BTreeSet<LearningId>) {
        let mut opposites = BTreeSet::new();
        let mut equal: Option<(bool, f64, &FeatureLearning)> = None;
        for learning in near.iter().filter_map(|id| self.learnings.get(id)) {
            if !is_told_beside(&said.feature, &learning.feature) {
                continue;
            }
            let lives = matches!(learning.state, LearningState::Active | LearningState::Parked);
            let mut other = Words::of(&learning.text);
            let mut relation = words.relation(&other);
            let is_document = learning.state == LearningState::Consolidated;
            if let Some(text) = documents.said.get(&learning.id).filter(|_| is_document && relation != Relation::Duplicate) {
                let stands = Words::of(text);
                let found = words.relation(&stands);
                if found != Relation::Distinct {
                    (other, relation) = (stands, found);
                }
            }
            let is_told = lives || is_document && !documents.learnings.contains(&learning.id);
            match relation {
                Relation::Duplicate => {
                    let rank = (lives, words.jaccard(&other), learning);
                    let better = |best: &(bool, f64, &FeatureLearning)| {
                        (rank.0, rank.1, &rank.2.id).partial_cmp(&(best.0, best.1, &best.2.id)).is_some_and(std::cmp::Ordering::is_gt)
                    };
                    if equal.as_ref().is_none_or(better) {
                        equal = Some(rank);
                    }
                }
                Relation::Opposite if is_told => drop(opposites.insert(learning.id.clone())),
                _ => {}
            }
        }
        (equal.map(|(_, _, learning)| learning), opposites)
    }

    /// Follows the replacements of an equal text to the current one. `lost` are consolidated ones whose words are no longer in any
    /// document.
    pub(super) fn earlier(&self, equal: &FeatureLearning, lost: &BTreeSet<LearningId>) -> Earlier {
        let mut learning = equal;
        let mut passed = BTreeSet::new();
        loop {
            let elsewhere = !learning.feature.eq_ignore_ascii_case(&equal.feature);
            let closed = self.feature(&learning.feature).is_some_and(|feature| feature.state != FeatureState::Active);
            match learning.state {
                // Its replacement moved to a closed feature, whose knowledge is in no prompt here.
                LearningState::Active | LearningState::Parked | LearningState::Pruned if elsewhere && closed => return Earlier::New,
                LearningState::Active | LearningState::Parked => return Earlier::Observe(learning.id.clone()),
                LearningState::Pruned => return Earlier::Return(learning.id.clone()),
                LearningState::Retired => return Earlier::Stay(learning.id.clone()),
                LearningState::Superseded | LearningState::Consolidated => {}
            }
            if self.put_away.contains_key(&learning.id) {
                return Earlier::Stay(learning.id.clone());
            }
            let next = learning.superseded_by.as_ref().and_then(|by| self.learnings.get(by));
            match next {
                Some(next) if self.contradicts(learning, next) => {
                    let lives = matches!(next.state, LearningState::Active | LearningState::Parked);
                    return if lives { Earlier::Contradicted(next.id.clone()) } else { Earlier::New };
                }
                Some(next) if passed.insert(&next.id) => learning = next,
                _ if lost.contains(&learning.id) => return Earlier::Return(learning.id.clone()),
                _ if learning.state == LearningState::Consolidated => return Earlier::Observe(learning.id.clone()),
                _ => return Earlier::New,
            }
        }
    }

    /// Whether a prompt leaves out words of an episode or a fact: a learning with these words was put away or replaced, or the prompt tells
    /// the same already.
    pub fn leaves_out(&self, said: &FeatureLearning, near: &[LearningId], documents: &LostWords) -> bool {
        let Some(equal) = self.compare(said, &Words::of(&said.text), near, documents).0 else { return false };
        match self.earlier(equal, &documents.learnings) {
            Earlier::Stay(_) | Earlier::Contradicted(_) => true,
            Earlier::Observe(id) => id != equal.id || equal.state == LearningState::Consolidated,
            Earlier::Return(_) | Earlier::New => false,
        }
    }

    /// The episode or fact that a person put away and that says the same, unless another one that says the same is told.
    fn put_away_beside(&self, said: &FeatureLearning, words: &Words) -> Option<DoorOutcome> {
        if said.source == LearningSource::Human {
            return None;
        }
        let of_episodes = self.episodes.values().map(|episode| (words_of_episode(episode), &episode.id, &episode.withdrawn));
        let of_facts = self.facts.values().map(|fact| (words_of_fact(fact), &fact.id, &fact.withdrawn));
        let equal = of_episodes.chain(of_facts).filter(|(other, ..)| {
            is_told_beside(&said.feature, &other.feature) && words.relation(&Words::of(&other.text)) == Relation::Duplicate
        });
        let mut away: Option<(&str, &Withdrawal)> = None;
        for (_, id, withdrawn) in equal {
            match withdrawn {
                None => return None,
                Some(withdrawn) if withdrawn.because == WithdrawalReason::Person => away = Some((id, withdrawn)),
                Some(_) => {}
            }
        }
        away.map(|(id, withdrawn)| {
            let put_away = Some(PutAwayNote { by: "human".to_owned(), at: withdrawn.at, asks_again: false });
            DoorOutcome { put_away, ..DoorOutcome::new(Verdict::PutAway, id.to_owned()) }
        })
    }
}

/// Whether one prompt could include knowledge of both homes: the project's goes with every feature's.
fn is_told_beside(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other) || [one, other].contains(&PROJECT_JOURNAL)
}

/// An episode's words, as they are compared.
pub fn words_of_episode(episode: &Episode) -> FeatureLearning {
    FeatureLearning {
        source: episode.source,
        task_id: episode.task_id,
        iteration: episode.iteration,
        replica: episode.replica.clone(),
        ..FeatureLearning::new(String::new(), journal_of(episode.feature.as_deref()), episode.lesson.as_str(), episode.created)
    }
}

/// A fact's words, as they are compared, and as recall finds them: its subject and its value.
pub fn words_of_fact(fact: &Fact) -> FeatureLearning {
    FeatureLearning {
        source: if fact.source == FactSource::Human { LearningSource::Human } else { LearningSource::Agent },
        task_id: fact.task_id,
        iteration: fact.iteration,
        replica: fact.replica.clone(),
        ..FeatureLearning::new(
            String::new(),
            journal_of(fact.feature.as_deref()),
            format!("{}: {}", fact.subject, fact.value),
            fact.created,
        )
    }
}

/// The words of either, as it was found.
pub fn words_of_hit(hit: &RecallHit) -> FeatureLearning {
    let home = journal_of(Some(hit.feature.as_str()).filter(|feature| !feature.is_empty()));
    FeatureLearning::new(String::new(), home, hit.text.as_str(), hit.created)
}
