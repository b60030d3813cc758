//! Overall statistics of retrieval, and a person's labels.

use super::{
    Agreement, ArmsTrial, ChannelShare, Cycle, Gate, LabelledPair, LearnedTermRow, LearningEffect, RecordedCounts, Retrieval,
    RetrievalWeek, Trial,
};
use crate::feedback::{Feedback, FeedbackMode};
use crate::recall::Channel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything known about retrieval.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EvalInsights {
    /// The requested mode.
    pub mode: FeedbackMode,
    /// Whether learned terms count: they are requested, and every gate is open.
    pub terms_count: bool,
    /// Every gate, required against measured.
    pub gates: Vec<Gate>,
    /// Contribution of each channel.
    pub channels: BTreeMap<Channel, ChannelShare>,
    /// Learned terms in force.
    pub learned_terms: Vec<LearnedTermRow>,
    /// Share of them whose results are never selected.
    pub noise_rate: Option<f64>,
    /// Evaluation cycles.
    pub cycles: Vec<Cycle>,
    /// Retrieval over everything recorded.
    pub retrieval: Retrieval,
    /// The same by week.
    pub weeks: Vec<RetrievalWeek>,
    /// Alternatives on trial.
    pub trials: Vec<Trial>,
    /// Learned terms as they count, against the share of questions answered without them.
    pub arms: ArmsTrial,
    /// Agreement of the judge with the person.
    pub agreement: Agreement,
    /// Weights not yet backed by a measurement in this project.
    pub provisional: Vec<String>,
    /// How much is recorded.
    pub recorded: RecordedCounts,
}

crate::word_enum! {
    /// An order of learnings by their effects; among equals the most shown come first.
    EffectOrder {
        /// Most shown first.
        Told = "told",
        /// Best effect first, those without a measurement last.
        Effect = "effect",
        /// Worst effect first, those without a measurement last.
        Harm = "harm",
        /// Most failures as warned first.
        Failed = "failed",
    }
}

/// The first learnings in an order of their effects.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningEffects {
    /// As many as were asked for, or fewer.
    pub rows: Vec<LearningEffect>,
    /// How many there are.
    pub total: u32,
}

/// Pairs to label next, and the effect of a person's labels so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LabelQueue {
    /// Pairs that a person labeled.
    pub labelled: u32,
    /// Agreement of the judge with the person.
    pub agreement: Agreement,
    /// Pairs awaiting a person's label, most useful first.
    pub next: Vec<LabelledPair>,
    /// Pairs that judge and person labeled differently.
    pub disagreements: Vec<LabelledPair>,
}

/// What people, agents and measurements say of a learning.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct LearningEvidence {
    /// What was said of it, and the terms learned for it.
    pub feedback: Feedback,
    /// How often it was said that it helped; what one hand says twice counts once.
    pub useful: u32,
    /// How often it was said that it did not help, counted likewise.
    pub not_useful: u32,
    /// Factor that this applies to its score now; 1 = no effect.
    pub factor: f64,
    /// Its effect on the attempts that were shown it; `None` if there were none.
    pub effect: Option<LearningEffect>,
}
