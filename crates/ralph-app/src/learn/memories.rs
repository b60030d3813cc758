//! Episodes and facts: recording, listing and putting away.

use super::record_episode::record_beside;
use crate::app::App;
use crate::documents::source_of;
use crate::error::{AppError, Result};
use crate::knowledge::door;
use crate::knowledge::projector::perform;
use crate::knowledge::slice::Needs;
use crate::rows::find_feature;
use ralph_core::MemoryId;
use ralph_core::authority::{Act, Actor};
use ralph_core::learning::{LearningSource, Verdict};
use ralph_core::limits;
use ralph_core::memory::{
    Episode, EpisodeRow, Fact, FactRow, FactSource, LessonType, NOTE, NewEpisode, NewFact, StatedFact, ToldEpisode, WithdrawalReason,
    is_fact_kind, state_of,
};
use ralph_core::noun::Noun;
use ralph_rag::act::{FactOutcome, words_of_fact};
use ralph_rag::clean::clean_said;
use ralph_rag::gate;
use ralph_rag::learn::says_nothing;
use sqlite_db::Read;

/// Confidence of an episode recorded by an agent on its own. Provisional: not measured yet.
const STATED: f64 = 0.7;

/// What kind of memory an id belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// A learning, whose rules are those of its feature.
    Learning,
    /// An episode or a fact that a person stated.
    ByPerson,
    /// One that an agent stated, or Ralph found.
    ByAgent,
}

impl App {
    /// Records a fact, as the actor. It replaces others on the same subject; a person's is replaced only by a person. An agent's that says
    /// what a learning says is an observation of that one, which replaces them as well.
    pub fn state_fact(&self, new: &NewFact) -> Result<StatedFact> {
        let fact = self.stated(new)?;
        let rules = self.knowledge_rules()?;
        let done = self.write(|tx| {
            let feature = fact.feature.as_deref().map(|name| find_feature(tx, name)).transpose()?;
            let (home, name) = feature.map(|f| (f.id, f.name)).unzip();
            let own = tx.own()?.replica;
            let numbered = fact.iteration.is_some();
            let fact = Fact { feature: name, replica: numbered.then_some(own), created: rules.now, ..fact.clone() };
            must_have_room(tx, home, &fact)?;
            let needs = Needs::features(fact.feature.as_deref()).and_facts_about(&fact.kind, &fact.subject);
            if let Some((verdict, id)) = door::answer(tx, rules, &words_of_fact(&fact))? {
                let says_it = verdict != Verdict::PutAway;
                let replaced = if says_it { perform(tx, rules, &needs, |draft| draft.give_way(&fact, &id))? } else { Vec::new() };
                return Ok(FactOutcome { verdict, id, replaced });
            }
            perform(tx, rules, &needs, |draft| draft.state_fact(fact))
        })?;
        let fact = self.db.read(|r| fact_rows(r, r.facts_by_id(std::slice::from_ref(&done.id))?))?.pop();
        Ok(StatedFact { verdict: done.verdict, id: done.id, fact, replaced: done.replaced })
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
            fact_rows(r, facts)?.pop().ok_or_else(|| AppError::not_found(Noun::Fact, id))
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
            episode_rows(r, episodes)?.pop().ok_or_else(|| AppError::not_found(Noun::Episode, id))
        })
    }

    /// Records an episode, as the actor. One without content is rejected; a known one is observed again.
    pub fn tell_episode(&self, new: &NewEpisode) -> Result<ToldEpisode> {
        self.tell_instead(new, None)
    }

    /// The same, replacing a known one, whose evidence it inherits. An agent's rewording keeps the original author.
    fn tell_instead(&self, new: &NewEpisode, before: Option<&Episode>) -> Result<ToldEpisode> {
        let lesson = whole("lesson", &new.lesson, limits::EPISODE_CHARS)?.trim().to_owned();
        let situation = new.situation.as_deref();
        // Rewording is meant for other words for the same thing.
        let happened = situation.filter(|_| before.is_none());
        let empty = || says_nothing(&lesson, happened.as_slice()).map(|why| why.to_string());
        let fault = gate::inspect(&lesson, situation, &[]).faults.first().map(ToString::to_string).or_else(empty);
        if let Some(fault) = fault {
            return Err(AppError::invalid(
                "lesson",
                format!("is not a lesson ({fault})"),
                "say what to do another time, with file names or commands",
            ));
        }
        let rules = self.knowledge_rules()?;
        let actor = self.actor();
        let (verdict, id) = self.write(|tx| {
            let feature = new.feature.as_deref().map(|name| find_feature(tx, name)).transpose()?;
            let said = Episode {
                kept: false,
                seen: Vec::new(),
                id: String::new(),
                feature: feature.as_ref().map(|feature| feature.name.clone()),
                lesson: lesson.clone(),
                lesson_type: new.lesson_type.unwrap_or(LessonType::Pattern),
                confidence: STATED,
                source: actor.source(),
                task_id: actor.task(),
                iteration: actor.iteration(),
                replica: actor.iteration().map(|_| tx.own().map(|own| own.replica)).transpose()?,
                files: Vec::new(),
                created: rules.now,
                withdrawn: None,
            };
            let episode = match before.cloned() {
                Some(before) => Episode {
                    id: said.id,
                    lesson: said.lesson,
                    source: if said.source == LearningSource::Human { said.source } else { before.source },
                    created: said.created,
                    withdrawn: None,
                    ..before
                },
                None => said,
            };
            let home = feature.map(|feature| feature.id);
            let (verdict, id) = record_beside(tx, rules, home, episode, |other| before.is_none_or(|before| other.id != before.id))?;
            if let Some(before) = before.map(|before| before.id.as_str()) {
                if verdict == Verdict::PutAway {
                    return Err(stays_away(tx, &id)?);
                }
                let needs = Needs::default().and_memory(before);
                perform(tx, rules, &needs, |draft| draft.withdraw(before, WithdrawalReason::Replaced, &id))?;
            }
            Ok((verdict, id))
        })?;
        Ok(ToldEpisode { verdict, id })
    }

    /// Puts away, as the actor, an episode, a fact or a learning. An agent may do so outside of runs with what agents wrote; for anything
    /// else a proposal is created.
    pub fn retire_memory(&self, id: &str) -> Result<()> {
        let told = self.memory_of(id)?;
        if told == Memory::Learning {
            return self.retire_learning(id).map(drop);
        }
        self.allowed(&Act::TidyMemory { by_person: told == Memory::ByPerson })?;
        let reason = if self.actor() == Actor::Human { WithdrawalReason::Person } else { WithdrawalReason::Agent };
        self.act(&Needs::default().and_memory(id), |draft| draft.withdraw(id, reason, ""))
    }

    /// Rewords an episode, a fact or a learning, by the same rules; the previous version is kept, but inactive. Returns the id of
    /// the new version.
    pub fn update_memory(&self, id: &str, text: &str) -> Result<MemoryId> {
        let told = self.memory_of(id)?;
        if told == Memory::Learning {
            return Ok(self.edit_learning(id, text, None)?.id);
        }
        self.allowed(&Act::TidyMemory { by_person: told == Memory::ByPerson })?;
        if let Ok(FactRow { fact, .. }) = self.fact(id) {
            let new = NewFact {
                feature: fact.feature,
                kind: Some(fact.kind),
                subject: fact.subject,
                value: text.to_owned(),
                confidence: Some(fact.confidence),
                // One that was withdrawn may have lost its source.
                file: fact.file.filter(|_| fact.withdrawn.is_none()),
                line: fact.line.filter(|_| fact.withdrawn.is_none()),
            };
            let stated = self.state_fact(&new)?;
            return if stated.verdict == Verdict::PutAway { Err(self.db.read(|r| stays_away(r, &stated.id))?) } else { Ok(stated.id) };
        }
        let EpisodeRow { episode, .. } = self.episode(id)?;
        if text == episode.lesson {
            return Ok(id.to_owned());
        }
        let new = NewEpisode {
            feature: episode.feature.clone(),
            lesson: text.to_owned(),
            lesson_type: Some(episode.lesson_type),
            situation: Some(episode.lesson.clone()),
        };
        Ok(self.tell_instead(&new, Some(&episode))?.id)
    }

    /// What has this id.
    fn memory_of(&self, id: &str) -> Result<Memory> {
        let ids = [id.to_owned()];
        let (facts, episodes, learning) =
            self.db.read(|r| Ok::<_, AppError>((r.facts_by_id(&ids)?, r.episodes_by_id(&ids)?, r.learning(id)?)))?;
        let fact = facts.first().map(|fact| fact.source == FactSource::Human);
        match fact.or_else(|| episodes.first().map(|episode| episode.source == LearningSource::Human)) {
            Some(true) => Ok(Memory::ByPerson),
            Some(false) => Ok(Memory::ByAgent),
            None if learning.is_some() => Ok(Memory::Learning),
            None => Err(AppError::not_found(Noun::Memory, id)),
        }
    }

    /// Puts an episode or a fact away: it is inactive, and stays so whatever happens to its source.
    pub fn withdraw_memory(&self, id: &str) -> Result<()> {
        self.allowed(&Act::Curate)?;
        self.act(&Needs::default().and_memory(id), |draft| draft.withdraw(id, WithdrawalReason::Person, ""))
    }

    /// Restores an episode or a fact. A fact replaces others on the same subject, unless its source no longer states it.
    pub fn restore_memory(&self, id: &str) -> Result<()> {
        self.allowed(&Act::Curate)?;
        if let Some(gone) = self.missing_source(id)? {
            let hint = "`ralph fact add` states what is so now; with its source this one may return";
            return Err(AppError::invalid("id", format!("names a fact without its source: {gone}"), hint));
        }
        self.act(&Needs::default().and_memory(id), |draft| draft.bring_memory_back(id))
    }

    /// A given fact, still without an id, a time and a replica.
    fn stated(&self, new: &NewFact) -> Result<Fact> {
        let kind = new.kind.clone().unwrap_or_else(|| NOTE.to_owned());
        if !is_fact_kind(&kind) {
            let fault = format!("'{}' is not a kind", ralph_core::text::cut(&kind, 80));
            return Err(AppError::invalid("kind", fault, "use one word of lower-case letters, digits, _ and -, such as test_command"));
        }
        let subject = whole("subject", &new.subject, limits::TITLE_CHARS)?.split_whitespace().collect::<Vec<_>>().join(" ");
        let value = whole("value", &new.value, limits::FACT_VALUE_CHARS)?.trim().to_owned();
        for (field, text) in [("subject", &subject), ("value", &value)] {
            if text.is_empty() {
                return Err(AppError::invalid(field, "is empty", "say what the fact is about, and what is so"));
            }
        }
        let confidence = new.confidence.unwrap_or(1.0);
        if !(0.0..=1.0).contains(&confidence) {
            return Err(AppError::invalid("confidence", format!("is {confidence}"), "use a number from 0 to 1"));
        }
        let actor = self.actor();
        // A person knows what a line means; an agent's statement is checked against the line.
        let held = (actor != Actor::Human).then(|| format!("{subject} {value}"));
        let source = source_of(self.paths.files(), &self.paths.root, new.file.as_deref(), new.line, held.as_deref())?;
        Ok(Fact {
            id: String::new(),
            feature: new.feature.clone(),
            kind,
            subject,
            value,
            confidence,
            source: actor.fact_source(),
            file: source.file,
            line: source.line,
            quote: source.quote,
            task_id: actor.task(),
            iteration: actor.iteration(),
            replica: None,
            created: self.clock.now(),
            withdrawn: None,
        })
    }
}

/// Refuses one more fact than a feature, or the project, can have. What is stated anew takes the place of what is known on its subject.
fn must_have_room(r: &Read<'_>, home: Option<u32>, fact: &Fact) -> Result<()> {
    let gives_way = |known: &Fact| known.withdrawn.is_none() && known.source != FactSource::Code && known.is_about_the_same(fact);
    if r.count_facts(home)? < limits::FACTS || r.facts_about(&fact.kind, &fact.subject)?.iter().any(gives_way) {
        return Ok(());
    }
    let whose = fact.feature.as_deref().unwrap_or("the project");
    let fault = format!("is one more than the {} facts that {whose} can have", limits::FACTS);
    Err(AppError::invalid("subject", fault, "retire some: `ralph fact list`"))
}

/// A cleaned text that must not be cut: half of a statement may say the opposite.
fn whole(field: &'static str, text: &str, max_chars: usize) -> Result<String> {
    let told = clean_said(text, max_chars);
    if told.cut {
        let hint = "say it in fewer words, or keep it in a file of the project and name the file";
        return Err(AppError::invalid(field, format!("is longer than {max_chars} characters"), hint));
    }
    Ok(told.text)
}

/// Refuses words for a memory that were put away as `id`, of whatever kind that is.
fn stays_away(r: &Read<'_>, id: &str) -> Result<AppError> {
    let ids = [id.to_owned()];
    let kind = match (r.facts_by_id(&ids)?.is_empty(), r.episodes_by_id(&ids)?.is_empty()) {
        (false, _) => "fact",
        (_, false) => "episode",
        _ => "learning",
    };
    let hint = format!("only a person brings it back: `ralph {kind} restore {id}`");
    Ok(AppError::invalid("text", format!("says what was put away, as {id}"), hint))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Clock;

    #[test]
    fn at_the_bound_what_is_known_can_still_be_stated_anew_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let app = App::init(folder.path(), Clock::system()).expect("makes a project");
        let rules = app.knowledge_rules().expect("reads");
        let fact = |number: u32, port: u32| NewFact {
            kind: Some("port".to_owned()),
            subject: format!("port of service {number}"),
            value: port.to_string(),
            ..NewFact::default()
        };
        let filled = app.write(|tx| {
            for number in 0..limits::FACTS {
                let fact = app.stated(&fact(number, 20_000 + number))?;
                let needs = Needs::default().and_facts_about(&fact.kind, &fact.subject);
                perform(tx, rules, &needs, |draft| draft.state_fact(fact))?;
            }
            Ok(())
        });
        filled.expect("is filled");
        let refused = app.state_fact(&fact(limits::FACTS, 31_000)).expect_err("there is no room").to_string();
        assert!(refused.contains("one more than the 1000 facts"), "{refused}");
        let again = app.state_fact(&fact(5, 31_000)).expect("takes the place of the known one");
        assert_eq!((again.verdict, again.replaced.len()), (Verdict::Added, 1));
        assert_eq!(app.state_fact(&fact(6, 20_006)).expect("is known").verdict, Verdict::Observed);
    }
}
