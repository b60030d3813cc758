//! The rows behind the figures of retrieval: recorded questions, and which of them a figure counts.

use super::Arm;
use crate::recall::{Channel, RecallOrigin};
use crate::time::Timestamp;
use crate::{IterationId, LearningId};
use serde::{Deserialize, Serialize};

/// The rows of a figure; what is not given does not narrow.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct QuestionFilter {
    /// Results among the first ten that this channel found.
    pub channel: Option<Channel>,
    /// Of those: only what no other channel found.
    pub alone: bool,
    /// Only results that somebody chose.
    pub chosen: bool,
    /// Only questions whose answer is known.
    pub judged: bool,
    /// Only questions of the week that begins then.
    pub week: Option<Timestamp>,
    /// Only questions of the evaluation cycle with this number.
    pub cycle: Option<u32>,
    /// Only questions compared under this alternative.
    pub alternative: Option<String>,
    /// Only questions of this arm, where the arm was drawn.
    pub arm: Option<Arm>,
    /// Only results of this learning.
    pub learning: Option<LearningId>,
    /// Of those: only if this learned term matched and brought it, or would have brought it, into the first ten.
    pub term: Option<String>,
    /// The page of rows before those of this question: `next` of the last answer.
    pub before: Option<String>,
}

/// A row: a question, or one of its results.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct QuestionRow {
    /// Id of the question.
    pub query: String,
    /// When it was asked.
    pub at: Timestamp,
    /// On whose behalf.
    pub origin: RecallOrigin,
    /// The question, without secrets.
    pub text: String,
    /// The iteration whose prompt it was asked for, or whose agent asked.
    pub iteration: Option<IterationId>,
    /// Which ranking was returned.
    pub arm: Arm,
    /// Results in the answer.
    pub results: u32,
    /// The result that the figure counts, by its id; for a figure of questions the first that answers, if that is known.
    pub memory: Option<String>,
    /// The beginning of its text, while it is known.
    pub memory_text: Option<String>,
    /// Its rank in the answer, from 1.
    pub rank: Option<u32>,
    /// Channels that found it.
    pub channels: Vec<Channel>,
    /// Reciprocal rank of the first relevant result within the top five; `None` = what answers it is not known.
    pub mrr_5: Option<f64>,
    /// The same under the alternative, if one is given.
    pub other_mrr_5: Option<f64>,
}

/// The rows of a figure.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct QuestionRows {
    /// How many there are.
    pub total: u32,
    /// A page of them, newest first.
    pub rows: Vec<QuestionRow>,
    /// The question before whose rows the next page begins; `None` on the last.
    pub next: Option<String>,
}
