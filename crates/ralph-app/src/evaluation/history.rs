//! The recorded history, read in one go.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::knowledge::slice::replacements;
use crate::recall::history_file;
use crate::recall::unfinished::is_of_ranking;
use ralph_core::LearningId;
use ralph_core::evaluation::{Agreement, Label, LabelSource, QueryRecord, RecordedCounts, SelectionRecord, ShadowRecord, Trial};
use ralph_core::recall::Tuning;
use ralph_core::time::Timestamp;
use ralph_rag::evaluate::retrieval::Truth;
use ralph_rag::evaluate::trial::trials;
use ralph_rag::evaluate::truth::{agreement, said_by};
use ralph_rag::feedback::rollback::RollbackScope;
use ralph_rag::journal::{Event, Line};
use sqlite_db::{Db, DbError, Read, Tx};
use std::collections::{BTreeMap, BTreeSet};

/// Newest questions used for figures: several cycles of a busy project.
const QUERIES: u32 = 20_000;

/// All data that figures are computed from.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub queries: Vec<QueryRecord>,
    pub selections: Vec<SelectionRecord>,
    /// Those that have not been rolled back since: the others are only history.
    pub heard: Vec<SelectionRecord>,
    /// Ids of those that were rolled back by this database.
    pub rolled_back: BTreeSet<String>,
    pub labels: Vec<Label>,
    pub comparisons: Vec<ShadowRecord>,
    /// Configurations used: name, time of the first use, content as JSON.
    pub configurations: Vec<(String, Timestamp, String)>,
    pub counts: RecordedCounts,
    /// Every replaced learning, with what stands in its place now.
    pub replaced: BTreeMap<LearningId, LearningId>,
}

impl History {
    /// Names every memory by its current replacement: an edit makes a new record, but what was found and chosen before is still the same
    /// memory.
    pub(crate) fn in_place(mut self, known: Known) -> History {
        let Known { replaced, rolled_back } = known;
        let name = |memory: &mut String| {
            if let Some(by) = replaced.get(memory) {
                memory.clone_from(by);
            }
        };
        for query in &mut self.queries {
            query.results.iter_mut().for_each(|result| name(&mut result.memory));
            let mut seen = BTreeSet::new();
            // Two that are one now were found where the first of the two was.
            query.results.retain(|result| seen.insert((result.kind, result.memory.clone())));
        }
        self.selections.iter_mut().for_each(|selection| name(&mut selection.memory));
        let is_rolled_back = |selection: &SelectionRecord| {
            let by_a_line = |(learning, at, reach): &(LearningId, Timestamp, RollbackScope)| {
                replaced.get(learning).unwrap_or(learning) == &selection.memory && selection.at <= *at && reach.meets_selection(selection)
            };
            self.rolled_back.contains(&selection.id) || rolled_back.iter().any(by_a_line)
        };
        let heard = self.selections.iter().filter(|selection| !is_rolled_back(selection)).cloned().collect();
        History { labels: folded(self.labels, &replaced), heard, replaced, ..self }
    }

    /// A learning's current replacement; itself if nothing replaced it.
    pub(crate) fn place_of<'i>(&'i self, learning: &'i str) -> &'i str {
        self.replaced.get(learning).map_or(learning, String::as_str)
    }

    /// Names of the configurations, whatever the mode of feedback, that rank by these weights and this model.
    pub(crate) fn configurations_of(&self, tuning: &Tuning, model: &str) -> BTreeSet<&str> {
        let of = self.configurations.iter().filter(|(_, _, content)| is_of_ranking(content, tuning, model));
        of.map(|(name, ..)| name.as_str()).collect()
    }

    /// The agreement of the judge with the person.
    pub(crate) fn agreement(&self) -> Agreement {
        agreement(&said_by(&self.labels, LabelSource::Person), &said_by(&self.labels, LabelSource::Judge))
    }

    /// What answers which question.
    pub(crate) fn truth(&self) -> Truth {
        Truth::of(&self.heard, &self.labels, self.agreement().counts)
    }

    /// Results of every alternative, by the questions that were compared under it.
    pub(super) fn trials(&self, comparisons: &[ShadowRecord]) -> Vec<Trial> {
        let words = self.queries.iter().map(|query| (query.id.as_str(), query.text.as_str())).collect();
        trials(comparisons, &words)
    }
}

/// What the knowledge says about the memories that were found and chosen.
#[derive(Debug)]
pub(crate) struct Known {
    /// Every replaced learning, with what stands in its place now.
    replaced: BTreeMap<LearningId, LearningId>,
    /// Learnings whose feedback was rolled back, and when.
    rolled_back: Vec<(LearningId, Timestamp, RollbackScope)>,
}

impl Known {
    pub(crate) fn of(r: &Read<'_>) -> Result<Known> {
        let lines = r.rollback_lines()?;
        let rolled_back = lines.iter().filter_map(|line| serde_json::from_str::<Line>(line).ok()).filter_map(|line| match line.event {
            Event::ValidationsDropped { learning, source, since } => Some((learning, line.at, RollbackScope { source, since })),
            _ => None,
        });
        Ok(Known { replaced: replacements(r)?, rolled_back: rolled_back.collect() })
    }
}

/// Labels by the current replacement of what they were given to. If several memories have become one, it answers a question if any of them
/// did, until something is said about that one itself.
fn folded(mut labels: Vec<Label>, replaced: &BTreeMap<LearningId, LearningId>) -> Vec<Label> {
    labels.sort_by_key(|label| label.at);
    let mut folded: BTreeMap<(String, LearningId, LabelSource), Label> = BTreeMap::new();
    for mut label in labels {
        let is_of_another = replaced.get(&label.memory).is_some_and(|by| {
            label.memory.clone_from(by);
            true
        });
        let key = (label.query.clone(), label.memory.clone(), label.by);
        label.relevant |= is_of_another && folded.get(&key).is_some_and(|known| known.relevant);
        folded.insert(key, label);
    }
    folded.into_values().collect()
}

impl App {
    /// `eval.db`, with all queued records written; `None` if it does not exist and can't be created.
    pub(crate) fn evaluation_db(&self) -> Result<Option<Db>> {
        self.evaluation.flush();
        if self.is_read_only() && !self.evaluation.path().exists() {
            return Ok(None);
        }
        Ok(Some(history_file::open(self.evaluation.path())?))
    }

    /// Reads `eval.db`; `None` if there is none. One that proves damaged while it is read is put aside, like one that can't be opened.
    pub(crate) fn read_history<T>(&self, read: impl FnOnce(&Read<'_>) -> Result<T>) -> Result<Option<T>> {
        self.of_history(|db| db.read(read))
    }

    /// Writes into `eval.db`, as [`App::read_history`].
    pub(crate) fn write_history<T>(&self, write: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<Option<T>> {
        self.of_history(|db| db.writer()?.transaction(write))
    }

    /// Acts on `eval.db`, as [`App::read_history`].
    pub(crate) fn of_history<T>(&self, act: impl FnOnce(&Db) -> Result<T>) -> Result<Option<T>> {
        let Some(db) = self.evaluation_db()? else { return Ok(None) };
        match act(&db) {
            Err(AppError::Db(DbError::Damaged { .. })) => {
                history_file::put_aside(db)?;
                Ok(None)
            }
            done => done.map(Some),
        }
    }

    /// Waits until everything that was recorded so far is in `eval.db`, or counted as dropped.
    pub fn finish_recording(&self) {
        self.evaluation.flush();
    }

    /// The recorded history.
    pub(crate) fn recorded(&self) -> Result<History> {
        let read = self.read_history(|r| {
            Ok(History {
                queries: r.recorded_queries(QUERIES)?,
                selections: r.selections()?,
                heard: Vec::new(),
                rolled_back: r.rolled_back_selections()?,
                labels: r.labels()?,
                comparisons: r.comparisons()?,
                configurations: r.configurations()?,
                counts: r.recorded_counts()?,
                replaced: BTreeMap::new(),
            })
        })?;
        let mut history = read.unwrap_or_default().in_place(self.db.read(Known::of)?);
        history.counts.dropped = history.counts.dropped.saturating_add(self.evaluation.dropped());
        Ok(history)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_learnings_that_were_merged_are_one_and_what_is_said_of_the_new_one_holds() {
        let label = |at, memory: &str, relevant| {
            let (query, memory) = ("Q1".to_owned(), memory.to_owned());
            Label { query, memory, by: LabelSource::Person, relevant, at: Timestamp(at) }
        };
        let replaced = BTreeMap::from([("L1", "L3"), ("L2", "L3")].map(|(old, by)| (old.to_owned(), by.to_owned())));
        let of = |labels: &[Label]| folded(labels.to_vec(), &replaced).into_iter().map(|l| (l.memory, l.relevant)).collect::<Vec<_>>();
        let both = [label(1, "L1", true), label(2, "L2", false)];
        assert_eq!(of(&both), [("L3".to_owned(), true)], "it says what answered the question");
        let later = label(3, "L3", false);
        assert_eq!(of(&[later, both[0].clone(), both[1].clone()]), [("L3".to_owned(), false)]);
    }
}
