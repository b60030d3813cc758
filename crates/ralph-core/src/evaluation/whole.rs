//! What is said of retrieval as a whole, and what a person may add to it.

use super::{
    Agreement, ChannelShare, Cycle, Gate, LabelledPair, LearnedTermRow, LearningEffect, RecordedCounts, Retrieval, RetrievalWeek, Trial,
};
use crate::feedback::FeedbackMode;
use crate::recall::Channel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that is known of retrieval.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EvalInsights {
    /// What is asked for.
    pub mode: FeedbackMode,
    /// Whether learned terms count: they are asked for, and every gate is open.
    pub terms_count: bool,
    /// Every gate, required beside measured.
    pub gates: Vec<Gate>,
    /// What each channel brings.
    pub channels: BTreeMap<Channel, ChannelShare>,
    /// Learned terms that are in force.
    pub learned_terms: Vec<LearnedTermRow>,
    /// Share of them that bring what nobody selects.
    pub noise_rate: Option<f64>,
    /// What each learning did.
    pub effects: Vec<LearningEffect>,
    /// Evaluation cycles.
    pub cycles: Vec<Cycle>,
    /// Retrieval over all that is recorded.
    pub retrieval: Retrieval,
    /// The same by week.
    pub weeks: Vec<RetrievalWeek>,
    /// Alternatives on trial.
    pub trials: Vec<Trial>,
    /// How far the judge agrees with the person.
    pub agreement: Agreement,
    /// Weights that no measurement of this project stands behind yet.
    pub provisional: Vec<String>,
    /// How much is recorded.
    pub recorded: RecordedCounts,
}

/// What a person may label next, and what came of their labels.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LabelQueue {
    /// Pairs that a person labelled.
    pub labelled: u32,
    /// How far the judge agrees with the person.
    pub agreement: Agreement,
    /// Pairs that wait for a person's label, most useful first.
    pub next: Vec<LabelledPair>,
}
