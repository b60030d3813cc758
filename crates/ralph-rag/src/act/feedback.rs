//! Effects of a statement on whether a learning helped: it counts once, may teach terms, and may promote or demote the learning.

use super::{Draft, Refusal};
use crate::feedback::rollback::RollbackScope;
use crate::feedback::{age, caps, promotion, terms, top_ranks};
use crate::journal::Event;
use ralph_core::feedback::{Feedback, Importance, Rollback, TermsDropped, Validation};
use ralph_core::learning::FeatureLearning;
use ralph_core::time::Timestamp;
use ralph_core::{LearningId, feedback::LearnedTerm};

/// A question, with the learning's rank in its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedBefore {
    /// Its id.
    pub id: String,
    /// Ids of the questions in the same words within a day of it: asked again, it is the same question.
    pub alike: Vec<String>,
    /// Its text.
    pub text: String,
    /// The learning's rank in the answer, from 1; `None` = not found.
    pub rank: Option<u32>,
}

/// A statement on a learning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Which.
    pub learning: LearningId,
    /// Whether it helped.
    pub useful: bool,
    /// Who made it.
    pub by: String,
    /// When the learning was written, by the journal as a whole.
    pub written: Timestamp,
    /// The question it concerns, if there is one that is still known.
    pub asked: Option<AskedBefore>,
    /// Whether terms may be learned from it.
    pub learns: bool,
}

/// Result of a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedbackOutcome {
    /// Whether it counts.
    pub counted: bool,
    /// Terms that were learned.
    pub learnt: Vec<String>,
    /// Terms that were evicted for them.
    pub evicted: Vec<String>,
    /// Why none was learned, where some could have been.
    pub not_learnt: Option<&'static str>,
    /// All feedback on the learning now.
    pub feedback: Feedback,
}

impl Draft<'_> {
    /// Records a statement on a learning. `recent` = learnings of the project promoted within the window.
    pub fn hear(&mut self, word: &Word, recent: u32) -> Result<FeedbackOutcome, Refusal> {
        // What has replaced it since holds its lesson, and what was said about it. The journal names the one that was meant: if that one
        // returns, the statement is its own.
        let named = self.learning(&word.learning)?;
        let last = self.known.heirs(&word.learning).pop();
        let learning = self.learning(last.as_ref().unwrap_or(&word.learning))?;
        // An unknown question does not count: made-up ids would turn one statement into many.
        let query = word.asked.as_ref().map(|asked| asked.id.clone());
        let replica = Some(self.occasion.own.replica.clone());
        let said = Validation { useful: word.useful, at: self.occasion.now, by: word.by.clone(), replica, query };
        let before = self.known.feedback_on(&learning.id);
        let mut heard =
            FeedbackOutcome { counted: false, learnt: Vec::new(), evicted: Vec::new(), not_learnt: None, feedback: before.clone() };
        if !promotion::counts(&before.validations, &said, word.asked.as_ref().map_or(&[][..], |asked| &asked.alike)) {
            return Ok(heard);
        }
        if let Some(why) = caps::says_too_much(&said.by, self.known.standing_feedback(), self.occasion.now) {
            heard.not_learnt = Some(why);
            return Ok(heard);
        }
        heard.counted = true;
        let Validation { useful, by, query, .. } = said;
        self.tell(&named.feature, Event::Validated { learning: named.id.clone(), useful, by, query });
        if useful && word.learns {
            match self.learnable(word, &learning) {
                Ok((asked, terms)) => {
                    heard.evicted = caps::evicted(&before.terms, &terms);
                    self.drop_terms(&learning.id, &heard.evicted, TermsDropped::Evicted)?;
                    let event = Event::TermsLearnt {
                        learning: named.id.clone(),
                        terms: terms.clone(),
                        by: word.by.clone(),
                        query: asked.id.clone(),
                        rank: asked.rank.unwrap_or_default(),
                    };
                    self.tell(&named.feature, event);
                    heard.learnt = terms;
                }
                Err(why) => heard.not_learnt = Some(why),
            }
        }
        self.weigh_again(&learning.id, recent)?;
        heard.feedback = self.known.feedback_on(&learning.id);
        Ok(heard)
    }

    /// The terms that a selection teaches a learning, or why it teaches none: every safeguard is checked.
    fn learnable<'w>(&self, word: &'w Word, learning: &FeatureLearning) -> Result<(&'w AskedBefore, Vec<String>), &'static str> {
        let asked = word.asked.as_ref().ok_or("its question is not known")?;
        if asked.rank.is_none() {
            return Err("the question did not find it");
        }
        if !top_ranks::teaches(asked.rank) {
            return Err("it was among the first three already");
        }
        if !age::is_old_enough(word.written, self.occasion.now) {
            return Err("it is younger than 72 hours");
        }
        if let Some(why) = caps::teaches_no_more(&word.by, self.known.standing_feedback(), self.occasion.now) {
            return Err(why);
        }
        let terms = terms::learnable(&asked.text, learning);
        if terms.is_empty() { Err("no word of the question says more than its own words do") } else { Ok((asked, terms)) }
    }

    /// Rolls back what was learned; what depended on it falls with it.
    pub fn roll_back(&mut self, reach: RollbackScope) -> Result<Rollback, Refusal> {
        let all: Vec<(LearningId, Feedback)> = self.known.feedback.iter().map(|(id, feedback)| (id.clone(), feedback.clone())).collect();
        for (id, _) in &all {
            // What a replaced one loses, those in its place have lost with it.
            let feedback = self.known.feedback_on(id);
            let terms: Vec<String> =
                feedback.terms.iter().filter(|term| reach.meets_term(term)).map(|term: &LearnedTerm| term.term.clone()).collect();
            let meets = feedback.validations.iter().any(|said| reach.meets_validation(said));
            if terms.is_empty() && !meets {
                continue;
            }
            self.drop_terms(id, &terms, TermsDropped::RolledBack)?;
            if meets {
                let feature = self.learning(id)?.feature;
                let event = Event::ValidationsDropped { learning: id.clone(), source: reach.source, since: reach.since };
                self.tell(&feature, event);
            }
        }
        let mut done = Rollback::default();
        for (id, before) in all {
            let left = self.known.feedback_on(&id);
            // What was handed on counts where it stands now.
            if self.known.heirs(&id).is_empty() {
                done.terms += u32::try_from(before.terms.len().saturating_sub(left.terms.len())).unwrap_or(u32::MAX);
                done.validations += u32::try_from(before.validations.len().saturating_sub(left.validations.len())).unwrap_or(u32::MAX);
            }
            if left != before {
                done.learnings.push(id);
            }
        }
        Ok(done)
    }

    /// Rolls back learned terms of one learning: `term`, or all of them. What was said about the learning stays.
    pub fn unlearn(&mut self, id: &str, term: Option<&str>) -> Result<Rollback, Refusal> {
        let terms: Vec<String> = self.known.feedback_on(id).terms.into_iter().map(|known| known.term).collect();
        let terms: Vec<String> = terms.into_iter().filter(|known| term.is_none_or(|term| term == known)).collect();
        self.drop_terms(id, &terms, TermsDropped::RolledBack)?;
        let learnings = if terms.is_empty() { Vec::new() } else { vec![id.to_owned()] };
        Ok(Rollback { learnings, terms: u32::try_from(terms.len()).unwrap_or(u32::MAX), validations: 0 })
    }

    fn drop_terms(&mut self, id: &str, terms: &[String], because: TermsDropped) -> Result<(), Refusal> {
        if !terms.is_empty() {
            let feature = self.learning(id)?.feature;
            self.tell(&feature, Event::TermsDropped { learning: id.to_owned(), terms: terms.to_vec(), because });
        }
        Ok(())
    }

    /// Promotes a learning by a step, or demotes it, if what was said about it calls for that. `recent` as of [`Draft::hear`].
    pub fn weigh_again(&mut self, id: &str, recent: u32) -> Result<(), Refusal> {
        let to: Option<Importance> = promotion::step(&self.known.feedback_on(id), recent, self.occasion.now);
        if let Some(to) = to {
            let feature = self.learning(id)?.feature;
            self.tell(&feature, Event::Promoted { learning: id.to_owned(), to });
        }
        Ok(())
    }
}
