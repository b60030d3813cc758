//! Feedback from an iteration on the learnings in its prompt, and those its agent asked for: it named one, or, weakly, it succeeded.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::knowledge::slice::replacements;
use crate::notices::put_before_person;
use ralph_core::evaluation::QueryRecord;
use ralph_core::feedback::{FeedbackMode, NewSelection, SelectionKind};
use ralph_core::notice::{NewNotice, NoticeKind};
use ralph_core::recall::{MemoryKind, RecallOrigin, learnings_of};
use ralph_core::run::Outcome;
use ralph_core::signal::{AgentSignal, TranscriptSignal};
use ralph_core::text::one_line;
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, LearningId, limits};
use ralph_rag::evaluate::effects::harmful;
use ralph_rag::feedback::cited::cites;
use std::collections::{BTreeMap, BTreeSet};

/// Milliseconds after which a person who settled a notice of harm is asked again: a month, in which new attempts provide more evidence.
const HARM_QUIET_MILLIS: u64 = 30 * 86_400_000;
/// Entries of a log that are read at once.
const PAGE: usize = 500;
/// Pages that are read: more text than an agent says in a day.
const PAGES: usize = 200;

impl App {
    /// Records the feedback of a settled iteration on its learnings. A failure to do so does not affect the iteration.
    pub(crate) fn hear_iteration(&self, iteration: IterationId) {
        if let Err(fault) = self.selections_of(iteration) {
            tracing::warn!("what iteration {iteration} says of what it was told is lost: {fault}");
        }
    }

    fn selections_of(&self, iteration: IterationId) -> Result<()> {
        let Some(row) = self.db.read(|r| r.iteration(iteration))? else { return Ok(()) };
        if self.settings()?.feedback == FeedbackMode::Off {
            return Ok(());
        }
        let told: BTreeSet<String> = learnings_of(&row.told).into_iter().collect();
        self.mind_harm(&told)?;
        let known = self.known_in(iteration, &told);
        if known.is_empty() {
            return Ok(());
        }
        let (agent, cited) = (self.name_of_iteration(iteration)?, self.cited(iteration, &known.keys().collect::<Vec<_>>())?);
        for (learning, query) in &known {
            let select = |kind, by: &str| {
                let new = NewSelection { learning: learning.clone(), kind, query: query.clone() };
                // A learning that is gone meanwhile gets no feedback.
                self.select_as(&new, by).map(drop).or_else(|fault| if self.learning(learning).is_err() { Ok(()) } else { Err(fault) })
            };
            if cited.contains(learning) && !self.refuses(learning, &agent)? {
                select(SelectionKind::Cited, &agent)?;
            }
            if row.outcome == Outcome::Done && told.contains(learning) {
                select(SelectionKind::Succeeded, "run")?;
            }
        }
        Ok(())
    }

    /// The learnings that an iteration's agent knows, each with the question that found it: those that its prompt told it, and those it
    /// asked for itself, by its newest question.
    fn known_in(&self, iteration: IterationId, told: &BTreeSet<String>) -> BTreeMap<LearningId, Option<String>> {
        let (of_prompt, own): (Vec<QueryRecord>, Vec<QueryRecord>) =
            self.asked_in_iteration(iteration).into_iter().partition(|query| query.origin == RecallOrigin::Prompt);
        let prompt = of_prompt.last().map(|query| query.id.clone());
        let mut known: BTreeMap<LearningId, Option<String>> = told.iter().map(|id| (id.clone(), prompt.clone())).collect();
        for query in own.into_iter().rev() {
            for found in query.results.into_iter().filter(|result| result.shown && result.kind == MemoryKind::Learning) {
                known.entry(found.memory).or_insert_with(|| Some(query.id.clone()));
            }
        }
        known
    }

    /// Whether an agent's last word on a learning is that it did not help: then it named the learning to say so.
    fn refuses(&self, learning: &LearningId, agent: &str) -> Result<bool> {
        // It may have been replaced since: then what was said about it is recorded for its replacement.
        let known = self.db.read(|r| {
            let by = replacements(r)?.remove(learning);
            Ok::<_, AppError>(r.feedback(Some(&[Some(learning.clone()), by].into_iter().flatten().collect::<Vec<_>>()))?)
        })?;
        let said = known.iter().flat_map(|(_, feedback)| &feedback.validations).filter(|said| said.by == agent);
        let last = said.max_by_key(|said| said.at);
        Ok(last.is_some_and(|said| !said.useful))
    }

    /// Demotes included learnings that measurably do harm, and shows them to a person: they may be wrong, or right in another place, and no
    /// rule can tell which.
    fn mind_harm(&self, told: &BTreeSet<String>) -> Result<()> {
        let attempts = self.told_attempts()?;
        for (id, effect) in harmful(&attempts).into_iter().filter(|(id, _)| told.contains(*id)) {
            // A learning that is gone meanwhile harms nobody.
            let Ok(learning) = self.learning(id) else { continue };
            self.select_as(&NewSelection { learning: id.clone(), kind: SelectionKind::NotUseful, query: None }, "run")?;
            let title = one_line(&format!("A learning lowers success: {}", learning.text), limits::TITLE_CHARS);
            let detail = format!(
                "{}\n\nAttempts that were told it succeed less often than those it was withheld from: {effect}. Its score falls by itself. \
                 Retire it with `ralph learning retire {id}` if it is wrong, or edit it if it is right in part.",
                learning.text
            );
            let now = self.clock.now();
            self.write(|tx| {
                let quiet_since = Timestamp(now.0.saturating_sub_unsigned(HARM_QUIET_MILLIS));
                let known = tx.has_notice_since(NoticeKind::Harm, &title, quiet_since)?;
                if !known {
                    put_before_person(tx, NewNotice::new(NoticeKind::Harm, title.clone(), detail.clone()), now)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Learnings whose ids the agent named in its own words, other than to turn them down.
    fn cited(&self, iteration: IterationId, known: &[&LearningId]) -> Result<BTreeSet<LearningId>> {
        let ids: Vec<LearningId> = known.iter().copied().cloned().collect();
        let learnings = self.db.read(|r| r.learnings_by_id(&ids))?;
        // Nothing is said any longer about a learning that is gone.
        let mut texts: BTreeMap<&str, &str> = ids.iter().map(|id| (id.as_str(), "")).collect();
        texts.extend(learnings.iter().map(|learning| (learning.id.as_str(), learning.text.as_str())));
        let (mut cited, mut offset) = (BTreeSet::new(), 0);
        for _ in 0..PAGES {
            let page = self.transcript(iteration, offset, PAGE)?;
            for entry in &page.entries {
                if let TranscriptSignal::Agent { signal: AgentSignal::Text { text } } = &entry.signal {
                    let chosen = texts.iter().filter(|(id, learning)| cites(text, id, learning));
                    cited.extend(chosen.map(|(id, _)| (*id).to_owned()));
                }
            }
            let next: u64 = page.next_offset.parse().unwrap_or(offset);
            if next == offset {
                break;
            }
            offset = next;
        }
        Ok(cited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Clock;
    use ralph_core::authority::Actor;
    use ralph_core::feature::NewFeature;
    use ralph_core::learning::NewLearning;
    use ralph_core::recall::RecallQuery;

    #[test]
    fn what_an_agent_asked_for_itself_it_knows_by_its_own_question() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let app = App::init(folder.path(), Clock::system()).expect("makes a project");
        app.create_feature(&NewFeature { name: "pay".into(), ..NewFeature::default() }).expect("makes a feature");
        let id = app
            .append_feature_learning(&NewLearning::new("pay", "The apricot queue takes the ledger lock in lock.rs"))
            .expect("is stored")
            .id;
        let ask = |app: &App| {
            app.recall(&RecallQuery { query: "ledger lock".into(), limit: 5, ..RecallQuery::default() }).expect("answers").query
        };
        ask(&app);
        let agent = App::open(folder.path(), Clock::system()).expect("opens").acting_as(Actor::Agent { working_on: Some((7, 1)) });
        let query = ask(&agent);
        agent.finish_recording();
        assert_eq!(app.known_in(7, &BTreeSet::new()), BTreeMap::from([(id.clone(), Some(query))]));
        assert_eq!(app.known_in(8, &BTreeSet::from([id.clone()])), BTreeMap::from([(id, None)]));
    }
}
