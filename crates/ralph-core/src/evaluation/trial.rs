//! Trials: what is in force against an alternative.

use super::Retrieval;
use crate::stats::Interval;
use serde::{Deserialize, Serialize};

/// Decision on an alternative after its trial.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum TrialAnswer {
    /// Not worse for two weeks in a row.
    Promote,
    /// Not enough data.
    Wait,
    /// Worse.
    RollBack,
}

/// An alternative tried alongside the configuration in force.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Trial {
    /// Name of the alternative.
    pub other: String,
    /// Compared questions.
    pub queries: u32,
    /// Those with known relevant memories.
    pub judged: u32,
    /// Mean overlap of the top tens.
    pub overlap: f64,
    /// Mean Kendall's tau.
    pub tau: Option<f64>,
    /// Mean rank difference of shared results.
    pub moved: f64,
    /// Judged questions, each once however often it was asked.
    pub questions: u32,
    /// MRR@5 of the live one, over the judged questions.
    pub live_mrr: Option<f64>,
    /// MRR@5 of the alternative minus that of the live one.
    pub mrr_delta: Option<f64>,
    /// Its 95 % interval by bootstrap over questions.
    pub interval: Option<Interval>,
    /// Consecutive whole weeks of recorded time, up to the last, in which it was not worse.
    pub weeks_not_worse: u32,
    /// Judged questions still needed that the two order differently; those that both order alike compare nothing.
    pub queries_needed: u32,
    /// The decision.
    pub answer: TrialAnswer,
}

/// Learned terms as they count: questions answered with them against the drawn share answered without.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ArmsTrial {
    /// Questions answered with learned terms.
    pub learned: Retrieval,
    /// Questions answered without them.
    pub plain: Retrieval,
    /// MRR@5 with them minus that without.
    pub mrr_delta: Option<f64>,
    /// Its 95 % interval by bootstrap over the questions of both.
    pub interval: Option<Interval>,
    /// Consecutive whole weeks of recorded time, up to the last, in which they were not worse.
    pub weeks_not_worse: u32,
    /// Judged questions still needed on the smaller side.
    pub queries_needed: u32,
    /// The decision.
    pub answer: TrialAnswer,
}
