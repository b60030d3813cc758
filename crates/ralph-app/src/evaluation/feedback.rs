//! Feedback of people and agents: recorded, journaled if it counts, learned from, and rolled back.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::knowledge::projector::perform;
use crate::knowledge::slice::Needs;
use crate::recall::recorder::Record;
use crate::recall::unfinished::stored_words;
use ralph_core::authority::{Act, Actor};
use ralph_core::evaluation::{LearningEvidence, QueryRecord, ResultRecord, SelectionRecord};
use ralph_core::feedback::{Feedback, FeedbackMode, NewSelection, Rollback, SelectionKind, SelectionOutcome, SelectionSource};
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::noun::Noun;
use ralph_core::text::cut;
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, LearningId, limits};
use ralph_rag::act::{AskedBefore, FeedbackOutcome, Word};
use ralph_rag::feedback::promotion;
use ralph_rag::feedback::rollback::RollbackScope;
use ralph_rag::recorded;
use sqlite_db::{DbError, Read};

impl App {
    /// Records whether a learning helped: by the actor, and for a question if one is given.
    pub fn give_feedback(&self, learning: &str, useful: bool, query: Option<&str>) -> Result<SelectionOutcome> {
        let kind = if useful { SelectionKind::Useful } else { SelectionKind::NotUseful };
        let query = query.map(str::to_owned);
        self.select_memory(&NewSelection { learning: learning.to_owned(), kind, query })
    }

    /// Records a selection or rejection of a learning, with all consequences. An agent's selections are derived from
    /// the actor, never from its claims: only a person opens and copies.
    pub fn select_memory(&self, new: &NewSelection) -> Result<SelectionOutcome> {
        let by_person = self.actor() == Actor::Human;
        let of_person = matches!(new.kind, SelectionKind::Opened | SelectionKind::Copied);
        let of_loop = new.kind == SelectionKind::Succeeded;
        if of_loop || of_person != (of_person && by_person) {
            let fault = format!("'{}' is not for you to say", new.kind);
            return Err(AppError::invalid("kind", fault, "use useful or not_useful"));
        }
        // What was opened is known by the id of its question: other words are a slip, not a question whose record is lost.
        if let Some(named) = new.query.as_deref().filter(|_| of_person)
            && !is_ulid(named)
            && self.question_named(named).is_none()
        {
            let fault = format!("'{}' is not a question that was asked", cut(named, limits::TITLE_CHARS));
            return Err(AppError::invalid("query", fault, "give its id: `query` in the answer of `ralph recall --json`"));
        }
        self.select_as(new, &self.name_of_actor()?)
    }

    /// The same, by the given source.
    pub(crate) fn select_as(&self, new: &NewSelection, by: &str) -> Result<SelectionOutcome> {
        let settings = self.settings()?;
        let learning = self.learning(&new.learning)?;
        // A question that is not recorded may have been asked all the same: the record may be lost, or another clone's. It teaches nothing,
        // and the statement counts as one without a question.
        let named = new.query.as_deref();
        let query = named.and_then(|named| self.question_named(named));
        let result = query.as_ref().and_then(|query| found_in(query, &learning));
        let asked = query.as_ref().map(|query| AskedBefore {
            alike: self.recorded_questions(|r| r.queries_in_words(&query.text, self.clock.now(), limits::VALIDATION_APART_MILLIS)),
            id: query.id.clone(),
            text: query.text.clone(),
            rank: result.and_then(|r| r.rank),
        });
        let heard = self.hear(new, &learning, by, asked, settings.feedback)?;
        let now = self.clock.now();
        let selection = SelectionRecord {
            id: crate::clock::next_id(None, now),
            at: now,
            query: query.as_ref().map(|query| query.id.clone()).or_else(|| named.filter(|id| is_ulid(id)).map(str::to_ascii_uppercase)),
            memory: learning.id.clone(),
            kind: new.kind,
            weight: new.kind.weight(),
            by: by.to_owned(),
            rank: result.and_then(|r| r.rank),
            channels: result.map(|r| r.channels.iter().map(|c| c.channel).collect()).unwrap_or_default(),
            counted: heard.counted,
        };
        let outcome = SelectionOutcome {
            id: selection.id.clone(),
            learning: learning.id,
            kind: new.kind,
            by: by.to_owned(),
            rank: selection.rank,
            counted: heard.counted,
            learnt: heard.learnt,
            evicted: heard.evicted,
            not_learnt: heard.not_learnt.map(str::to_owned),
            importance: heard.feedback.importance,
            factor: promotion::factor_in(settings.feedback, &heard.feedback, now),
        };
        self.evaluation.record(Record::Selection(Box::new(selection)));
        self.promote_held_back_or_warn();
        Ok(outcome)
    }

    /// What counts becomes journal lines; the rest is only recorded.
    fn hear(
        &self,
        new: &NewSelection,
        learning: &FeatureLearning,
        by: &str,
        asked: Option<AskedBefore>,
        mode: FeedbackMode,
    ) -> Result<FeedbackOutcome> {
        let known = self.db.read(|r| r.feedback(Some(std::slice::from_ref(&learning.id))))?;
        let feedback = known.into_iter().next().map(|(_, feedback)| feedback).unwrap_or_default();
        let says = new.kind.validates() || new.kind == SelectionKind::NotUseful;
        if mode == FeedbackMode::Off || !says {
            let why = (mode == FeedbackMode::Off).then_some("feedback is off in this project's settings");
            return Ok(FeedbackOutcome { counted: false, learnt: Vec::new(), evicted: Vec::new(), not_learnt: why, feedback });
        }
        let rules = self.knowledge_rules()?;
        self.write(|tx| {
            let recent = tx.promoted_around(rules.now, limits::PROMOTION_WINDOW_MILLIS)?;
            let (useful, written) = (new.kind.validates(), written(tx, &learning.id, learning.created, rules.now)?);
            let word = Word { learning: learning.id.clone(), useful, by: by.to_owned(), written, asked, learns: true };
            perform(tx, rules, &Needs::learnings([learning.id.as_str()]).and_all_feedback(), |draft| draft.hear(&word, recent))
        })
    }

    /// Promotes learnings whose promotion was due and waited for the window. Nobody needs to say again that one helps: the limit is a rate.
    pub(crate) fn promote_held_back(&self) -> Result<()> {
        if self.is_read_only() || self.settings()?.feedback == FeedbackMode::Off {
            return Ok(());
        }
        let rules = self.knowledge_rules()?;
        let recent = |r: &Read<'_>| r.promoted_around(rules.now, limits::PROMOTION_WINDOW_MILLIS);
        let due = self.db.read(|r| {
            let mut standing = r.standing_feedback()?;
            standing.retain(|(_, feedback)| promotion::due(feedback.useful()) > feedback.importance);
            let ids: Vec<LearningId> = standing.iter().map(|(id, _)| id.clone()).collect();
            let active = |id: &LearningId, all: &[FeatureLearning]| all.iter().any(|l| l.id == *id && l.state == LearningState::Active);
            let learnings = if ids.is_empty() { Vec::new() } else { r.learnings_by_id(&ids)? };
            standing.retain(|(id, _)| active(id, &learnings));
            Ok::<_, AppError>(promotion::held_back(standing.iter().map(|(id, feedback)| (id, feedback)), recent(r)?, rules.now))
        })?;
        for id in due {
            let needs = Needs::learnings([id.as_str()]);
            // The window is checked again: another process may have been faster.
            self.write(|tx| {
                let recent = recent(tx)?;
                perform(tx, rules, &needs, |draft| draft.weigh_again(&id, recent))
            })?;
        }
        Ok(())
    }

    /// The same beside other work: an error is logged, and the next look finds it again.
    pub(crate) fn promote_held_back_or_warn(&self) {
        if let Err(error) = self.promote_held_back() {
            tracing::warn!("promotions that were held back wait: {error}");
        }
    }

    /// Rolls back what was learned from selections, and the validations: all of it, those of one kind of source, or those
    /// since a time.
    pub fn roll_feedback_back(&self, source: Option<SelectionSource>, since: Option<Timestamp>) -> Result<Rollback> {
        self.allowed(&Act::Curate)?;
        let (rules, reach) = (self.knowledge_rules()?, RollbackScope { source, since });
        let done = self.write(|tx| {
            let known: Vec<(String, Feedback)> = tx.feedback(None)?;
            let needs = Needs::learnings(known.iter().map(|(id, _)| id.as_str()));
            perform(tx, rules, &needs, |draft| draft.roll_back(reach))
        })?;
        // Those that validated nothing are in no journal, and a database whose clock was ahead orders them by time in another way.
        self.write_history(|tx| {
            let reached = tx.selections()?.into_iter().filter(|selection| reach.meets_selection(selection));
            Ok(reached.into_iter().try_for_each(|selection| tx.roll_selection_back(&selection))?)
        })?;
        Ok(done)
    }

    /// Rolls back a learned term of a learning, or all of its terms.
    pub fn unlearn(&self, learning: &str, term: Option<&str>) -> Result<Rollback> {
        self.allowed(&Act::Curate)?;
        let id = self.learning(learning)?.id;
        let rules = self.knowledge_rules()?;
        let needs = Needs::learnings([id.as_str()]);
        let done = self.write(|tx| perform(tx, rules, &needs, |draft| draft.unlearn(&id, term)))?;
        match term {
            Some(term) if done.terms == 0 => Err(AppError::not_found(Noun::LearnedTerm, term)),
            _ => Ok(done),
        }
    }

    /// What people, agents and measurements say about a learning.
    pub fn learning_evidence(&self, learning: &str) -> Result<LearningEvidence> {
        let id = self.learning(learning)?.id;
        let feedback =
            self.db.read(|r| r.feedback(Some(std::slice::from_ref(&id))))?.into_iter().next().map(|(_, of)| of).unwrap_or_default();
        let factor = promotion::factor_in(self.settings()?.feedback, &feedback, self.clock.now());
        let (useful, not_useful) = (feedback.useful(), feedback.not_useful());
        Ok(LearningEvidence { effect: self.effect_of(&id)?, factor, useful, not_useful, feedback })
    }

    /// A recorded question by its id, or the newest one in these words: agents and people remember what they asked, not its number.
    fn question_named(&self, named: &str) -> Option<QueryRecord> {
        if is_ulid(named) { self.asked_before(named) } else { self.recorded_questions(|r| r.query_in_words(&stored_words(named))) }
    }

    /// A recorded question; `None` if unknown. An id may be given in small letters.
    pub(crate) fn asked_before(&self, id: &str) -> Option<QueryRecord> {
        self.recorded_questions(|r| r.recorded_query(&id.to_ascii_uppercase()))
    }

    /// The question that an iteration's prompt was made for, and those that its agent asked; none if they are unknown.
    pub(crate) fn asked_in_iteration(&self, iteration: IterationId) -> Vec<QueryRecord> {
        self.recorded_questions(|r| r.queries_of_iteration(iteration))
    }

    /// Without the record nothing is learned from a selection; what was said still counts.
    fn recorded_questions<T: Default>(&self, find: impl FnOnce(&Read<'_>) -> std::result::Result<T, DbError>) -> T {
        let found = self.read_history(|r| Ok(find(r)?)).unwrap_or_else(|fault| {
            tracing::warn!("the history of retrieval can't be read: {fault}");
            None
        });
        found.unwrap_or_default()
    }

    /// Name of the actor as the source of a selection.
    fn name_of_actor(&self) -> Result<String> {
        Ok(match self.actor() {
            Actor::Human => SelectionSource::Person.to_string(),
            Actor::Agent { working_on: Some((iteration, _)) } => self.name_of_iteration(iteration)?,
            Actor::Agent { working_on: None } | Actor::Leftover => SelectionSource::Agent.to_string(),
        })
    }

    /// The name of an iteration's agent: its number is meaningful only together with the replica.
    pub(crate) fn name_of_iteration(&self, iteration: IterationId) -> Result<String> {
        Ok(format!("agent:{iteration}@{}", self.db.read(|r| r.own())?.replica))
    }
}

/// A learning among the results of a question.
fn found_in<'q>(query: &'q QueryRecord, learning: &FeatureLearning) -> Option<&'q ResultRecord> {
    query.results.iter().find(|result| result.memory == learning.id)
}

fn is_ulid(id: &str) -> bool {
    ulid::Ulid::from_string(id).is_ok()
}

/// When a learning was written, by the times of the journal's lines around it: its own time alone may come from a clock that was wrong.
pub(crate) fn written(r: &Read<'_>, learning: &str, created: Timestamp, now: Timestamp) -> Result<Timestamp> {
    let around = r.times_around(learning)?;
    Ok(around.map_or(created, |(times, place)| recorded::written(&times, place, now)))
}
