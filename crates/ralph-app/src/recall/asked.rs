//! The record of a question.

use crate::app::App;
use crate::recall::recorder::Record;
use crate::recall::unfinished::UnfinishedRecord;
use ralph_core::evaluation::{Arm, QueryRecord, ResultRecord};
use ralph_core::limits;
use ralph_core::recall::{MemoryKind, RecallHit, RecallOrigin, ToldMemory};
use ralph_core::settings::Settings;
use ralph_core::{IterationId, count};
use std::collections::{BTreeMap, BTreeSet};

/// Data on an answer besides its hits.
pub(crate) struct AnswerRecord<'a> {
    pub id: String,
    pub origin: RecallOrigin,
    pub text: &'a str,
    pub feature: Option<&'a str>,
    pub arm: Arm,
    /// Whether the arm was drawn: learned terms count.
    pub drawn: bool,
    pub micros: u32,
    pub hits: &'a [RecallHit],
    /// The ranking that was not returned, if there was one.
    pub other: &'a [RecallHit],
    /// Learned terms that matched, by memory.
    pub terms: BTreeMap<(MemoryKind, String), Vec<String>>,
    /// Whether the hits are displayed as they are.
    pub shown: bool,
    /// The iteration whose agent asked.
    pub iteration: Option<IterationId>,
}

impl App {
    /// Builds the record of an answer.
    pub(crate) fn asked(&self, answered: AnswerRecord<'_>, settings: &Settings, model: &str) -> UnfinishedRecord {
        let place = |at: usize| count(at + 1);
        let other: BTreeMap<(MemoryKind, &str), u32> = answered.other.iter().enumerate().map(|(at, hit)| (key(hit), place(at))).collect();
        let is_near = |rank: Option<u32>| rank.is_some_and(|rank| rank as usize <= limits::EVAL_RESULTS);
        let result = |hit: &RecallHit, rank: Option<u32>, other_rank: Option<u32>| ResultRecord {
            kind: hit.kind,
            memory: hit.id.clone(),
            rank,
            other_rank,
            score: hit.score.total,
            channels: if is_near(rank) || is_near(other_rank) { hit.score.channels.clone() } else { Vec::new() },
            terms: answered.terms.get(&(hit.kind, hit.id.clone())).cloned().unwrap_or_default(),
            shown: answered.shown && rank.is_some(),
        };
        let known: BTreeSet<(MemoryKind, &str)> = answered.hits.iter().map(key).collect();
        let added = answered.other.iter().take(limits::EVAL_RESULTS).filter(|hit| !known.contains(&key(hit)));
        let beside = |hit: &RecallHit| other.get(&key(hit)).copied();
        // All of them: somebody may choose the thirtieth.
        let ranked = answered.hits.iter().enumerate().map(|(at, hit)| result(hit, Some(place(at)), beside(hit)));
        let results: Vec<ResultRecord> = ranked.chain(added.map(|hit| result(hit, None, beside(hit)))).collect();
        let record = QueryRecord {
            id: answered.id,
            at: self.clock.now(),
            origin: answered.origin,
            text: answered.text.to_owned(),
            feature: answered.feature.map(str::to_owned),
            iteration: answered.iteration,
            configuration: String::new(),
            arm: answered.arm,
            drawn: answered.drawn,
            micros: answered.micros,
            results,
        };
        UnfinishedRecord { record, tuning: settings.recall, feedback: settings.feedback, model: model.to_owned() }
    }

    /// Records an answer, in place of the answer to the half-typed words that led to it.
    pub(crate) fn record(&self, asked: UnfinishedRecord, superseded: Option<String>) {
        if !self.is_read_only() {
            if let Some(id) = superseded {
                self.evaluation.record(Record::Superseded(id));
            }
            self.evaluation.record(Record::Query(Box::new(asked)));
        }
    }

    /// Records the answer behind an iteration's prompt, and which part of it was included.
    pub(crate) fn record_prompt(&self, mut asked: UnfinishedRecord, iteration: IterationId, told: &[ToldMemory]) {
        asked.record.iteration = Some(iteration);
        for result in &mut asked.record.results {
            result.shown = told.iter().any(|told| told.kind == result.kind && told.id == result.memory);
        }
        self.record(asked, None);
    }
}

fn key(hit: &RecallHit) -> (MemoryKind, &str) {
    (hit.kind, &hit.id)
}
