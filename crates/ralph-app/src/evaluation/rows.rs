//! The rows behind the figures of retrieval.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::recall::unfinished::ranking;
use ralph_core::evaluation::{QuestionFilter, QuestionRows, ShadowRecord};
use ralph_core::feedback::LearnedTerm;
use ralph_core::limits;
use ralph_core::text::cut;
use ralph_rag::evaluate::arms::{LEARNED, of_learned};
use ralph_rag::evaluate::rows::{Recorded, rows};
use ralph_rag::feedback::measured::confirmations;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a memory in a row.
const TEXT_CHARS: usize = 160;

impl App {
    /// The questions, or results of them, that a figure counts: all of them are counted, the newest are returned.
    pub fn question_rows(&self, filter: &QuestionFilter) -> Result<QuestionRows> {
        if filter.alone && filter.channel.is_none() {
            return Err(AppError::invalid("alone", "needs a channel", "name the channel that alone found it"));
        }
        if filter.term.is_some() && filter.learning.is_none() {
            return Err(AppError::invalid("term", "needs a learning", "name the learning that the term leads to"));
        }
        let history = self.recorded()?;
        let truth = history.truth();
        let comparisons: Vec<ShadowRecord> = match filter.alternative.as_deref() {
            Some(LEARNED) => of_learned(&history.queries, &truth),
            Some(_) => {
                let settings = self.settings()?;
                let live = ranking(&settings, self.embedder_of(&settings)?.id());
                history.comparisons.iter().filter(|comparison| comparison.live == live).cloned().collect()
            }
            None => Vec::new(),
        };
        let term = self.term_of(filter)?;
        let confirming = match (&filter.learning, &term) {
            (Some(learning), Some(term)) => confirmations(learning, term, &history.queries, &history.selections),
            _ => BTreeSet::new(),
        };
        let of = Recorded {
            queries: &history.queries,
            selections: &history.selections,
            comparisons: &comparisons,
            truth: &truth,
            confirming: &confirming,
        };
        let mut found = rows(&of, filter);
        let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
        found.truncate(limits::QUESTION_ROWS);
        let ids: Vec<String> = found.iter().filter_map(|row| row.memory.clone()).collect();
        let texts: BTreeMap<String, String> = self.db.read(|r| r.learnings_by_id(&ids))?.into_iter().map(|l| (l.id, l.text)).collect();
        for row in &mut found {
            row.memory_text = row.memory.as_ref().and_then(|id| texts.get(id)).map(|text| cut(text, TEXT_CHARS).to_owned());
        }
        Ok(QuestionRows { total, rows: found })
    }

    /// The learned term of a filter, if its learning still has it.
    fn term_of(&self, filter: &QuestionFilter) -> Result<Option<LearnedTerm>> {
        let (Some(learning), Some(term)) = (&filter.learning, &filter.term) else { return Ok(None) };
        let known = self.db.read(|r| r.feedback(Some(std::slice::from_ref(learning))))?;
        Ok(known.into_iter().flat_map(|(_, feedback)| feedback.terms).find(|known| known.term == *term))
    }
}
