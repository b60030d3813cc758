//! The rows behind the figures of retrieval.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::evaluation::shadow::name_of_alternative;
use ralph_core::evaluation::{QuestionFilter, QuestionRows};
use ralph_core::feedback::LearnedTerm;
use ralph_core::limits;
use ralph_core::noun::Noun;
use ralph_core::text::cut;
use ralph_rag::evaluate::rows::{Recorded, page, rows};
use ralph_rag::feedback::measured::confirmations;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a memory in a row.
const TEXT_CHARS: usize = 160;

impl App {
    /// The questions, or their results, that a figure counts: with the number of all of them, and returned page by page, newest first.
    pub fn question_rows(&self, filter: &QuestionFilter) -> Result<QuestionRows> {
        if filter.alone && filter.channel.is_none() {
            return Err(AppError::invalid("alone", "needs a channel", "name the channel that alone found it"));
        }
        if filter.term.is_some() && filter.learning.is_none() {
            return Err(AppError::invalid("term", "needs a learning", "name the learning that the term leads to"));
        }
        let (history, settings) = (self.recorded()?, self.settings()?);
        let truth = history.truth();
        let alternative = filter.alternative.as_deref().map(|name| name_of_alternative(name, &settings.recall)).transpose()?;
        // Without this check a learning that does not exist would look like one that nobody asked for.
        filter.learning.as_deref().map(|id| self.learning(id)).transpose()?;
        let learning = filter.learning.as_deref().map(|id| history.place_of(id).to_owned());
        let filter = &QuestionFilter { alternative, learning, ..filter.clone() };
        let compares = filter.alternative.is_some();
        let comparisons = if compares { self.comparisons(&settings, &history, &truth)? } else { Vec::new() };
        let term = self.term_of(filter)?;
        let confirming = match (&filter.learning, &term) {
            (Some(learning), Some(term)) => confirmations(learning, term, &history.queries, &history.heard),
            _ => BTreeSet::new(),
        };
        let of = Recorded {
            queries: &history.queries,
            selections: &history.heard,
            comparisons: &comparisons,
            truth: &truth,
            confirming: &confirming,
        };
        let all = rows(&of, filter);
        let total = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let before = filter.before.as_ref().map(|id| id.to_ascii_uppercase());
        let (mut found, next) = page(all, before.as_deref(), limits::QUESTION_ROWS)
            .ok_or_else(|| AppError::not_found(Noun::RecordedQuestion, before.as_deref().unwrap_or_default()))?;
        let ids: Vec<String> = found.iter().filter_map(|row| row.memory.clone()).collect();
        let texts: BTreeMap<String, String> = self.db.read(|r| r.learnings_by_id(&ids))?.into_iter().map(|l| (l.id, l.text)).collect();
        for row in &mut found {
            row.memory_text = row.memory.as_ref().and_then(|id| texts.get(id)).map(|text| cut(text, TEXT_CHARS).to_owned());
        }
        Ok(QuestionRows { total, rows: found, next })
    }

    /// The learned term of a filter, if its learning still has it.
    fn term_of(&self, filter: &QuestionFilter) -> Result<Option<LearnedTerm>> {
        let (Some(learning), Some(term)) = (&filter.learning, &filter.term) else { return Ok(None) };
        let known = self.db.read(|r| r.feedback(Some(std::slice::from_ref(learning))))?;
        Ok(known.into_iter().flat_map(|(_, feedback)| feedback.terms).find(|known| known.term == *term))
    }
}
