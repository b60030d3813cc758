//! Episodes and facts: stating a fact, lists of both, and putting one away.

use crate::App;
use crate::documents::source_of;
use crate::error::{AppError, Result};
use crate::knowledge::projector::perform;
use crate::knowledge::slice::Needs;
use crate::rows::find_feature;
use ralph_core::authority::{Act, Actor};
use ralph_core::limits;
use ralph_core::memory::{
    Episode, EpisodeRow, Fact, FactRow, FactSource, NOTE, NewFact, StatedFact, WithdrawalReason, is_fact_kind, state_of,
};
use ralph_rag::clean::clean;
use sqlite_db::Read;

impl App {
    /// States a fact, as whoever acts. It takes the place of what was stated about the same; a person's is replaced by a person alone.
    pub fn state_fact(&self, new: &NewFact) -> Result<StatedFact> {
        let fact = self.stated(new)?;
        let rules = self.knowledge_rules()?;
        let done = self.write(|tx| {
            let feature = fact.feature.as_deref().map(|name| find_feature(tx, name)).transpose()?;
            if tx.count_facts(feature.as_ref().map(|f| f.id))? >= limits::FACTS {
                let whose = feature.as_ref().map_or("the project", |f| f.name.as_str());
                let fault = format!("is one more than the {} facts that {whose} can have", limits::FACTS);
                return Err(AppError::invalid("subject", fault, "retire some: `ralph fact list`"));
            }
            let own = tx.own()?.replica;
            let numbered = fact.iteration.is_some();
            let fact = Fact { feature: feature.map(|f| f.name), replica: numbered.then_some(own), created: rules.now, ..fact.clone() };
            let needs = Needs::features(fact.feature.as_deref()).and_facts_about(&fact.kind, &fact.subject);
            perform(tx, rules, &needs, |draft| draft.state_fact(fact))
        })?;
        Ok(StatedFact { verdict: done.verdict, fact: self.fact(&done.id)?, replaced: done.replaced })
    }

    /// Facts, oldest first: those of a feature and of the project, or all.
    pub fn list_facts(&self, feature: Option<&str>) -> Result<Vec<FactRow>> {
        self.db.read(|r| {
            let feature = feature.map(|name| find_feature(r, name)).transpose()?;
            let facts = r.facts(feature.map(|f| f.id))?;
            fact_rows(r, facts)
        })
    }

    /// One fact.
    pub fn fact(&self, id: &str) -> Result<FactRow> {
        self.db.read(|r| {
            let facts = r.facts_by_id(&[id.to_owned()])?;
            fact_rows(r, facts)?.pop().ok_or_else(|| AppError::not_found("fact", id))
        })
    }

    /// Episodes, oldest first: those of a feature and of the project, or all.
    pub fn list_episodes(&self, feature: Option<&str>) -> Result<Vec<EpisodeRow>> {
        self.db.read(|r| {
            let feature = feature.map(|name| find_feature(r, name)).transpose()?;
            let episodes = r.episodes(feature.map(|f| f.id))?;
            episode_rows(r, episodes)
        })
    }

    /// One episode.
    pub fn episode(&self, id: &str) -> Result<EpisodeRow> {
        self.db.read(|r| {
            let episodes = r.episodes_by_id(&[id.to_owned()])?;
            episode_rows(r, episodes)?.pop().ok_or_else(|| AppError::not_found("episode", id))
        })
    }

    /// Puts an episode or a fact away: it is no longer told, and stays away whatever becomes of its source.
    pub fn withdraw_memory(&self, id: &str) -> Result<()> {
        self.allowed(&Act::Curate)?;
        self.act(&Needs::default().and_memory(id), |draft| draft.withdraw(id, WithdrawalReason::Person, ""))
    }

    /// Lets an episode or a fact be told again. A fact takes the place of what is stated about the same.
    pub fn restore_memory(&self, id: &str) -> Result<()> {
        self.allowed(&Act::Curate)?;
        self.act(&Needs::default().and_memory(id), |draft| draft.bring_memory_back(id))
    }

    /// What was given as a fact, still without an id, a time and a replica.
    fn stated(&self, new: &NewFact) -> Result<Fact> {
        let kind = new.kind.clone().unwrap_or_else(|| NOTE.to_owned());
        if !is_fact_kind(&kind) {
            let fault = format!("'{}' is no kind", ralph_core::text::cut(&kind, 80));
            return Err(AppError::invalid("kind", fault, "use one word of lower-case letters, digits, _ and -, such as test_command"));
        }
        let subject = clean(&new.subject, limits::TITLE_CHARS).text.trim().to_owned();
        let value = clean(&new.value, limits::FACT_VALUE_CHARS).text.trim().to_owned();
        for (field, text) in [("subject", &subject), ("value", &value)] {
            if text.is_empty() {
                return Err(AppError::invalid(field, "is empty", "say what the fact is about, and what is so"));
            }
        }
        let confidence = new.confidence.unwrap_or(1.0);
        if !(0.0..=1.0).contains(&confidence) {
            return Err(AppError::invalid("confidence", format!("is {confidence}"), "use a number from 0 to 1"));
        }
        let source = source_of(self.paths.files(), &self.paths.root, new.file.as_deref(), new.line)?;
        let working_on = match self.actor() {
            Actor::Agent { working_on } => working_on,
            Actor::Human | Actor::Leftover => None,
        };
        Ok(Fact {
            id: String::new(),
            feature: new.feature.clone(),
            kind,
            subject,
            value,
            confidence,
            source: if self.actor() == Actor::Human { FactSource::Human } else { FactSource::Agent },
            file: source.file,
            line: source.line,
            quote: source.quote,
            task_id: working_on.map(|(_, task)| task),
            iteration: working_on.map(|(iteration, _)| iteration),
            replica: None,
            created: self.clock.now(),
            withdrawn: None,
        })
    }
}

fn fact_rows(r: &Read<'_>, facts: Vec<Fact>) -> Result<Vec<FactRow>> {
    let (mut outside, moved) = (r.outside_memories()?, r.moved_facts()?);
    let row = |fact: Fact| {
        let brought = outside.remove(&fact.id);
        let line = moved.get(&fact.id).copied().or(fact.line);
        let state = state_of(fact.withdrawn.as_ref());
        FactRow { fact: Fact { line, ..fact }, state, outside: brought.is_some(), outside_replica: brought.flatten() }
    };
    Ok(facts.into_iter().map(row).collect())
}

fn episode_rows(r: &Read<'_>, episodes: Vec<Episode>) -> Result<Vec<EpisodeRow>> {
    let mut outside = r.outside_memories()?;
    let row = |episode: Episode| {
        let brought = outside.remove(&episode.id);
        let state = state_of(episode.withdrawn.as_ref());
        EpisodeRow { episode, state, outside: brought.is_some(), outside_replica: brought.flatten() }
    };
    Ok(episodes.into_iter().map(row).collect())
}
