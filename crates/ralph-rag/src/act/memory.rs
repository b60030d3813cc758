//! Episodes and facts: recording, withdrawal, return.

use super::{Draft, Refusal};
use crate::journal::{Event, journal_of};
use ralph_core::MemoryId;
use ralph_core::learning::{LearningSource, Verdict};
use ralph_core::limits;
use ralph_core::memory::{Episode, Fact, FactSource, Withdrawal, WithdrawalReason};
use ralph_core::noun::Noun;
use ralph_core::replica::IterationRef;

/// Result of recording a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactOutcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The fact that is active, or that stays away.
    pub id: MemoryId,
    /// Facts that it replaced.
    pub replaced: Vec<MemoryId>,
}

impl Draft<'_> {
    /// Records an episode. Assigns the id.
    pub fn tell_episode(&mut self, episode: Episode) -> MemoryId {
        let episode = Episode { id: self.new_id(), ..episode };
        let (id, journal) = (episode.id.clone(), journal_of(episode.feature.as_deref()).to_owned());
        self.tell(&journal, Event::Episode { episode: Box::new(episode) });
        id
    }

    /// Records that another iteration learnt the lesson of an episode.
    pub fn see_episode_again(&mut self, id: &str, seen: IterationRef) -> Result<(), Refusal> {
        let episode = self.known.episodes.get(id).ok_or_else(|| no_memory(id))?;
        if !episode.comes_from(&seen) {
            let journal = journal_of(episode.feature.as_deref()).to_owned();
            self.tell(&journal, Event::EpisodeSeen { episode: id.to_owned(), seen });
        }
        Ok(())
    }

    /// One episode takes the place of another that says the same, and inherits its evidence.
    pub fn replace_episode(&mut self, kept: &str, gone: &str) -> Result<(), Refusal> {
        let episode = self.known.episodes.get(gone).ok_or_else(|| no_memory(gone))?;
        let own = episode.iteration.map(|iteration| IterationRef { replica: episode.replica.clone(), iteration });
        for seen in own.into_iter().chain(episode.seen.clone()) {
            self.see_episode_again(kept, seen)?;
        }
        self.withdraw(gone, WithdrawalReason::Replaced, kept)
    }

    /// States a fact; what is known about the same subject gives way. A person's fact gives way only to a person, and only a person brings
    /// back what a person put away. The id is given here.
    pub fn state_fact(&mut self, fact: Fact) -> Result<FactOutcome, Refusal> {
        if let Some(feature) = &fact.feature {
            self.open_feature(feature)?;
        }
        let by_person = fact.source == FactSource::Human;
        let says_the_same = |other: &&Fact| other.value == fact.value;
        let same_place = |other: &Fact| {
            (&other.file, other.line, &other.quote) == (&fact.file, fact.line, &fact.quote) && other.confidence == fact.confidence
        };
        let settled = |verdict, other: &Fact| FactOutcome { verdict, id: other.id.clone(), replaced: Vec::new() };
        if let Some(known) = self.known.facts_beside(&fact).find(|other| other.withdrawn.is_none()) {
            let stronger = known.source == FactSource::Human && !by_person;
            if known.value == fact.value && (stronger || (same_place(known) && known.source == fact.source)) {
                return Ok(settled(Verdict::Observed, known));
            }
            if stronger {
                let fault = format!("a person stated otherwise in fact {}: {}", known.id, ralph_core::text::cut(&known.value, 120));
                return Err(Refusal::Invalid { field: "value", fault, hint: "only a person may state it anew" });
            }
        }
        let put_away = |other: &&Fact| other.withdrawn.as_ref().is_some_and(|w| w.because == WithdrawalReason::Person);
        if let Some(away) = self.known.facts_beside(&fact).filter(says_the_same).find(put_away).filter(|_| !by_person) {
            return Ok(settled(Verdict::PutAway, away));
        }
        let replaced = self.known.facts_beside(&fact).filter(|o| o.withdrawn.is_none()).map(|o| o.id.clone()).collect();
        let fact = Fact { id: self.new_id(), ..fact };
        let (id, journal) = (fact.id.clone(), journal_of(fact.feature.as_deref()).to_owned());
        self.tell(&journal, Event::Fact { fact: Box::new(fact) });
        Ok(FactOutcome { verdict: Verdict::Added, id, replaced })
    }

    /// What says a fact already, as another kind, takes the place of what is told otherwise about its subject, unless by a person. Returns
    /// what gave way.
    pub fn give_way(&mut self, fact: &Fact, to: &str) -> Result<Vec<MemoryId>, Refusal> {
        let otherwise = |other: &&Fact| other.withdrawn.is_none() && other.value != fact.value && other.source != FactSource::Human;
        let gone: Vec<MemoryId> = self.known.facts_beside(fact).filter(otherwise).map(|other| other.id.clone()).collect();
        for id in &gone {
            self.withdraw(id, WithdrawalReason::Replaced, to)?;
        }
        Ok(gone)
    }

    /// Withdraws an episode or a fact. One that is withdrawn stays so; a person's reason replaces any other, and no rule withdraws an
    /// episode that a person restored.
    pub fn withdraw(&mut self, id: &str, because: WithdrawalReason, detail: &str) -> Result<(), Refusal> {
        let (journal, withdrawn) = self.memory(id)?;
        if because.is_by_rule() && self.known.episodes.get(id).is_some_and(|episode| episode.kept) {
            return Ok(());
        }
        let by_person = withdrawn.as_ref().is_some_and(|w| w.because == WithdrawalReason::Person);
        if withdrawn.is_none() || (because == WithdrawalReason::Person && !by_person) {
            self.tell(&journal, Event::MemoryWithdrawn { memory: id.to_owned(), because, detail: detail.to_owned() });
        }
        Ok(())
    }

    /// A person restores an episode or a fact; a fact replaces another on the same subject.
    pub fn bring_memory_back(&mut self, id: &str) -> Result<(), Refusal> {
        self.return_memory(id, false)
    }

    /// The same; `as_before` where an undo does it, and no person had restored it before.
    pub(super) fn return_memory(&mut self, id: &str, as_before: bool) -> Result<(), Refusal> {
        let (journal, withdrawn) = self.memory(id)?;
        if withdrawn.is_some() {
            self.tell(&journal, Event::MemoryReturned { memory: id.to_owned(), by_rule: false, as_before });
        }
        Ok(())
    }

    /// A rule restores an episode or a fact, unless a person decided otherwise.
    pub fn return_by_rule(&mut self, id: &str) -> Result<(), Refusal> {
        let (journal, withdrawn) = self.memory(id)?;
        if withdrawn.is_some() && self.known.may_return_by_rule(id) {
            self.tell(&journal, Event::MemoryReturned { memory: id.to_owned(), by_rule: true, as_before: false });
        }
        Ok(())
    }

    /// Restores a fact whose source is back, unless another statement on the same subject exists by now.
    pub fn source_is_back(&mut self, id: &str) -> Result<(), Refusal> {
        let Some(fact) = self.known.facts.get(id) else { return Err(no_memory(id)) };
        let gone = fact.withdrawn.as_ref().is_some_and(|w| w.because == WithdrawalReason::SourceGone);
        let free = self.known.facts_beside(fact).all(|other| other.withdrawn.is_some());
        if gone && free { self.return_by_rule(id) } else { Ok(()) }
    }

    /// Withdraws the oldest of a journal's episodes above the limit, but none that a person wrote or restored. Deterministic, so that every
    /// clone does the same.
    pub(super) fn bound_episodes(&mut self, journal: &str) {
        let excess = self.known.episodes_in(journal).count().saturating_sub(limits::EPISODES);
        let ages = self.known.episodes_in(journal).filter(|e| !e.kept && e.source != LearningSource::Human);
        let mut oldest: Vec<(_, MemoryId)> = ages.map(|e| (e.created, e.id.clone())).collect();
        oldest.sort();
        for (_, memory) in oldest.into_iter().take(excess) {
            self.tell(journal, Event::MemoryWithdrawn { memory, because: WithdrawalReason::Aged, detail: String::new() });
        }
    }

    /// The journal of an episode or a fact, and its withdrawal, if any.
    fn memory(&self, id: &str) -> Result<(String, Option<Withdrawal>), Refusal> {
        let episode = self.known.episodes.get(id).map(|e| (&e.feature, &e.withdrawn));
        let found = episode.or_else(|| self.known.facts.get(id).map(|fact| (&fact.feature, &fact.withdrawn)));
        let (feature, withdrawn) = found.ok_or_else(|| no_memory(id))?;
        Ok((journal_of(feature.as_deref()).to_owned(), withdrawn.clone()))
    }
}

fn no_memory(id: &str) -> Refusal {
    Refusal::NotFound { what: Noun::EpisodeOrFact, name: id.to_owned() }
}
