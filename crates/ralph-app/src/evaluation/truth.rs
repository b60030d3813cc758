//! Ground truth: which memories answer which questions, from journals, selections, a judge and a person.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::evaluation::history::History;
use crate::knowledge::slice::replacements;
use crate::recall::described::described;
use crate::recall::scope_weights;
use ralph_core::authority::Act;
use ralph_core::evaluation::{Arm, GroundTruth, Label, LabelQueue, LabelSource, LabelledPair, QueryRecord, ResultRecord, Retrieval};
use ralph_core::learning::LearningState;
use ralph_core::noun::Noun;
use ralph_core::recall::Reach;
use ralph_core::settings::Settings;
use ralph_core::{TaskId, count};
use ralph_rag::evaluate::orders::mrr;
use ralph_rag::evaluate::retrieval::{chosen, mean};
use ralph_rag::evaluate::truth::{Pair, said_by, to_label};
use std::collections::{BTreeMap, BTreeSet};

/// Pairs shown to a person at a time.
const SHOWN: usize = 10;
/// Newest stories used for synthetic questions.
const STORIES: usize = 100;
/// Hits that are considered.
const DEPTH: usize = 10;

impl App {
    /// The ground truth, and what a person may label next.
    pub fn ground_truth(&self) -> Result<GroundTruth> {
        let history = self.recorded()?;
        let settings = self.settings()?;
        let (person, judge) = (said_by(&history.labels, LabelSource::Person), said_by(&history.labels, LabelSource::Judge));
        let next = to_label(&history.queries, &person, &judge, SHOWN);
        let stories = self.stories()?;
        let chosen = chosen(&history.heard).into_iter().filter(|selection| selection.query.is_some()).count();
        Ok(GroundTruth {
            synthetic: count(stories.values().map(|(_, learnings)| learnings.len()).sum()),
            selections: count(chosen),
            judged: count(judge.len()),
            labelled: count(person.len()),
            agreement: history.agreement(),
            disagreements: self.pairs(&differ(&person, &judge), &history)?,
            next: self.pairs(&next, &history)?,
            synthetic_retrieval: self.synthetic_retrieval(&stories, &settings)?,
        })
    }

    /// What a person may label next, ten pairs beyond those that were `skipped`, without running queries.
    pub fn pairs_to_label(&self, skipped: usize) -> Result<LabelQueue> {
        let history = self.recorded()?;
        let (person, judge) = (said_by(&history.labels, LabelSource::Person), said_by(&history.labels, LabelSource::Judge));
        let next = to_label(&history.queries, &person, &judge, SHOWN.saturating_add(skipped));
        Ok(LabelQueue {
            labelled: count(person.len()),
            agreement: history.agreement(),
            next: self.pairs(&next, &history)?,
            disagreements: self.pairs(&differ(&person, &judge), &history)?,
        })
    }

    /// Labels a pair, as a person: that label overrides every other.
    pub fn label_pair(&self, query: &str, memory: &str, relevant: bool) -> Result<Label> {
        self.allowed(&Act::Curate)?;
        let asked = self.asked_before(query).ok_or_else(|| AppError::not_found(Noun::RecordedQuestion, query))?;
        let replaced = self.db.read(replacements)?;
        // Pairs are shown with the current replacement of what was found.
        let is_found = |result: &ResultRecord| result.memory == memory || replaced.get(&result.memory).is_some_and(|by| by == memory);
        if !asked.results.iter().any(is_found) {
            let fault = format!("'{memory}' is none of what question {query} found");
            return Err(AppError::invalid("memory", fault, "`ralph eval ground-truth` lists pairs to label"));
        }
        let label = Label { query: asked.id, memory: memory.to_owned(), by: LabelSource::Person, relevant, at: self.clock.now() };
        self.put_labels(std::slice::from_ref(&label))?;
        Ok(label)
    }

    pub(crate) fn put_labels(&self, labels: &[Label]) -> Result<()> {
        let put = self.write_history(|tx| Ok(labels.iter().try_for_each(|label| tx.put_label(label))?))?;
        put.ok_or_else(|| AppError::not_found(Noun::History, "eval.db"))
    }

    /// Pairs with their texts; those whose question or memory is gone are skipped.
    pub(crate) fn pairs(&self, of: &[Pair], history: &History) -> Result<Vec<LabelledPair>> {
        let queries: BTreeMap<&str, &QueryRecord> = history.queries.iter().map(|query| (query.id.as_str(), query)).collect();
        let (person, judge) = (said_by(&history.labels, LabelSource::Person), said_by(&history.labels, LabelSource::Judge));
        let ids: Vec<String> = of.iter().map(|(_, memory)| memory.clone()).collect();
        let texts: BTreeMap<String, String> =
            self.db.read(|r| r.learnings_by_id(&ids))?.into_iter().map(|learning| (learning.id, learning.text)).collect();
        let pair = |pair: &Pair| {
            Some(LabelledPair {
                question: queries.get(pair.0.as_str())?.text.clone(),
                text: texts.get(&pair.1)?.clone(),
                judge: judge.get(pair).copied(),
                person: person.get(pair).copied(),
                query: pair.0.clone(),
                memory: pair.1.clone(),
            })
        };
        Ok(of.iter().filter_map(pair).collect())
    }

    /// The stories of learnings: tasks of this database, each with its text and its learnings.
    fn stories(&self) -> Result<BTreeMap<TaskId, (String, BTreeSet<String>)>> {
        self.db.read(|r| {
            let own = r.own()?.replica;
            let mut stories: BTreeMap<TaskId, (String, BTreeSet<String>)> = BTreeMap::new();
            for learning in r.learnings(None, &[LearningState::Active])?.into_iter().rev() {
                let Some(id) = learning.task_id.filter(|_| learning.replica.as_ref().is_none_or(|replica| *replica == own)) else {
                    continue;
                };
                if !stories.contains_key(&id) {
                    if stories.len() == STORIES {
                        continue;
                    }
                    let Some(task) = r.task(id)? else { continue };
                    stories.insert(id, (format!("{} {}", task.title, task.description), BTreeSet::new()));
                }
                if let Some((_, learnings)) = stories.get_mut(&id) {
                    learnings.insert(learning.id);
                }
            }
            Ok(stories)
        })
    }

    /// Retrieval over synthetic questions, measured now. Neighbors are excluded: they share the story and would give the answer away.
    fn synthetic_retrieval(
        &self,
        stories: &BTreeMap<TaskId, (String, BTreeSet<String>)>,
        settings: &Settings,
    ) -> Result<Option<Retrieval>> {
        let (mut reciprocal, mut hits) = (Vec::new(), Vec::new());
        for (text, learnings) in stories.values() {
            let mut prepared = self.prepare_recall(text, Reach::Knowledge, settings)?;
            prepared.tuning.neighbour_before = 0.0;
            prepared.tuning.neighbour_after = 0.0;
            let order: Vec<String> = self.db.read(|r| -> Result<_> {
                let features = r.features()?;
                let weights = scope_weights(&features, None, false, &prepared.tuning);
                let found = prepared.search(r, &weights, |_, _, active| active, DEPTH, Arm::Plain)?;
                Ok(described(r, found.hits, &features)?.into_iter().map(|hit| hit.id).collect())
            })?;
            reciprocal.push(mrr(&order, |id| learnings.contains(id)));
            hits.push(if order.iter().any(|id| learnings.contains(id)) { 1.0 } else { 0.0 });
        }
        let count = count(reciprocal.len());
        let retrieval = || Retrieval { queries: count, judged: count, mrr_5: mean(&reciprocal), hit_10: mean(&hits), selection_rank: None };
        Ok((count > 0).then(retrieval))
    }
}

/// Pairs that person and judge labeled differently.
fn differ(person: &BTreeMap<Pair, bool>, judge: &BTreeMap<Pair, bool>) -> Vec<Pair> {
    person.iter().filter(|(pair, said)| judge.get(*pair).is_some_and(|other| other != *said)).map(|(pair, _)| pair.clone()).collect()
}
