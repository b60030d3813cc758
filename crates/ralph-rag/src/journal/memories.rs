//! Interpretation of events on episodes and facts.

use super::{Event, Knowledge, Line};
use ralph_core::MemoryId;
use ralph_core::memory::{Episode, Fact, FactSource, Withdrawal, WithdrawalReason};
use ralph_core::time::Timestamp;

/// The journal of what belongs to no feature, in place of a feature's name: no feature can have this name, since names begin
/// with a letter or a digit.
pub const PROJECT_JOURNAL: &str = "_project";

/// The share of its missing certainty that an episode gains when it is learnt again: 0.85 becomes 0.88, then 0.90. Provisional: not
/// measured yet.
const SEEN_AGAIN: f64 = 0.2;

/// The name of a feature's journal, or of the project's.
pub fn journal_of(feature: Option<&str>) -> &str {
    feature.unwrap_or(PROJECT_JOURNAL)
}

impl Knowledge {
    /// Active episodes in a journal.
    pub fn episodes_in<'a>(&'a self, journal: &'a str) -> impl Iterator<Item = &'a Episode> {
        let in_journal = move |e: &&Episode| e.withdrawn.is_none() && journal_of(e.feature.as_deref()).eq_ignore_ascii_case(journal);
        self.episodes.values().filter(in_journal)
    }

    /// Whether an episode or a fact is active.
    pub fn is_told(&self, id: &str) -> bool {
        let episode = self.episodes.get(id).map(|episode| &episode.withdrawn);
        episode.or_else(|| self.facts.get(id).map(|fact| &fact.withdrawn)).is_some_and(Option::is_none)
    }

    /// Other facts on the same subject.
    pub fn facts_beside<'a>(&'a self, fact: &'a Fact) -> impl Iterator<Item = &'a Fact> {
        self.facts.values().filter(|other| other.id != fact.id && other.is_about_the_same(fact))
    }

    /// Applies an event on episodes and facts; other lines change nothing here.
    pub(super) fn apply_memory(&mut self, line: &Line) {
        match &line.event {
            Event::Episode { episode } if !self.episodes.contains_key(&episode.id) => {
                let feature = self.home(episode.feature.as_ref());
                let episode = Episode { feature, seen: Vec::new(), kept: false, withdrawn: None, ..(**episode).clone() };
                self.episodes.insert(episode.id.clone(), episode);
            }
            Event::Fact { fact } if !self.facts.contains_key(&fact.id) => {
                let feature = self.home(fact.feature.as_ref());
                self.state(Fact { feature, withdrawn: None, ..(**fact).clone() }, line.at);
            }
            Event::MemoryWithdrawn { memory, because, detail } => {
                let withdrawal = Withdrawal { at: line.at, because: *because, detail: detail.clone() };
                let kept = self.episodes.get(memory).is_some_and(|episode| episode.kept && because.is_by_rule());
                if let Some(withdrawn) = self.withdrawn_mut(memory).filter(|_| !kept) {
                    // A person's reason always wins; otherwise the first one stays.
                    if withdrawn.is_none() || *because == WithdrawalReason::Person {
                        *withdrawn = Some(withdrawal);
                    }
                    if let Some(episode) = self.episodes.get_mut(memory) {
                        episode.kept = false;
                    }
                }
            }
            Event::EpisodeSeen { episode, seen } => {
                // Each iteration counts once, in whatever order clones report them, and its own is where it comes from.
                if let Some(episode) = self.episodes.get_mut(episode).filter(|episode| !episode.comes_from(seen)) {
                    episode.seen.push(seen.clone());
                    episode.seen.sort();
                    episode.confidence += (1.0 - episode.confidence) * SEEN_AGAIN;
                }
            }
            Event::EpisodeMoved { episode, to } => {
                let home = self.home(Some(to));
                self.episodes.entry(episode.clone()).and_modify(|episode| episode.feature = home);
            }
            Event::MemoryReturned { memory, by_rule, as_before } if !by_rule || self.may_return_by_rule(memory) => {
                if let Some(withdrawn) = self.withdrawn_mut(memory) {
                    *withdrawn = None;
                }
                if let Some(episode) = self.episodes.get_mut(memory) {
                    episode.kept |= !by_rule && !as_before;
                }
                if let Some(fact) = self.facts.get(memory).cloned() {
                    self.displace(&fact, line.at);
                }
            }
            _ => {}
        }
    }

    /// Whether a rule may bring a memory back, whatever another clone has learnt of it meanwhile: a person neither put it away nor stated
    /// otherwise.
    pub fn may_return_by_rule(&self, memory: &str) -> bool {
        let by_person = |withdrawn: &Option<Withdrawal>| withdrawn.as_ref().is_some_and(|w| w.because == WithdrawalReason::Person);
        let stated = |fact: &Fact| fact.withdrawn.is_none() && fact.source == FactSource::Human;
        match self.facts.get(memory) {
            Some(fact) => !by_person(&fact.withdrawn) && !self.facts_beside(fact).any(stated),
            None => !self.episodes.get(memory).is_some_and(|episode| by_person(&episode.withdrawn)),
        }
    }

    /// A new fact replaces those on the same subject, unless it would replace a person's without being one: then it is stored as replaced,
    /// so that clones with different statements agree.
    fn state(&mut self, mut fact: Fact, at: Timestamp) {
        let by_person = |other: &&Fact| other.withdrawn.is_none() && other.source == FactSource::Human;
        let stronger = self.facts_beside(&fact).find(by_person).filter(|_| fact.source != FactSource::Human);
        match stronger.map(|other| other.id.clone()) {
            Some(detail) => fact.withdrawn = Some(Withdrawal { at, because: WithdrawalReason::Replaced, detail }),
            None => self.displace(&fact, at),
        }
        self.facts.insert(fact.id.clone(), fact);
    }

    fn displace(&mut self, fact: &Fact, at: Timestamp) {
        let others: Vec<MemoryId> = self.facts_beside(fact).filter(|other| other.withdrawn.is_none()).map(|o| o.id.clone()).collect();
        for other in others {
            if let Some(other) = self.facts.get_mut(&other) {
                other.withdrawn = Some(Withdrawal { at, because: WithdrawalReason::Replaced, detail: fact.id.clone() });
            }
        }
    }

    /// A feature's name in its first spelling.
    pub(super) fn home(&self, feature: Option<&String>) -> Option<String> {
        feature.map(|name| self.feature(name).map_or_else(|| name.clone(), |known| known.name.clone()))
    }

    fn withdrawn_mut(&mut self, memory: &str) -> Option<&mut Option<Withdrawal>> {
        let episode = self.episodes.get_mut(memory).map(|episode| &mut episode.withdrawn);
        episode.or_else(|| self.facts.get_mut(memory).map(|fact| &mut fact.withdrawn))
    }
}
