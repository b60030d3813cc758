//! What an agent says of learnings that it reviews: it holds, or it is doubted, and then a person decides.

use crate::LearningId;
use crate::errand::{Errand, ErrandId};
use crate::learning::FeatureLearning;
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// What an agent that reviews a learning says of it.
    ReviewVerdict {
        /// It holds.
        Reviewed = "reviewed",
        /// It does not.
        Wrong = "wrong",
        /// That is a person's to say.
        NeedsPerson = "needs_person",
    }
}

/// What an agent said of one learning that it reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewFinding {
    /// The learning.
    pub learning: LearningId,
    /// What it said.
    pub verdict: ReviewVerdict,
    /// Why, in its words.
    pub reason: String,
}

/// A learning that an agent holds for wrong, or wants a person for. It stays as it is until a person reviews it or puts it away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Doubt {
    /// The learning.
    pub learning: FeatureLearning,
    /// What the agent said.
    pub finding: ReviewFinding,
    /// The errand that it was said on.
    pub errand: ErrandId,
}

/// A review of learnings by an agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewRun {
    /// The errand; `None`: nothing waited, so nobody was sent.
    pub errand: Option<ErrandId>,
    /// Its row.
    #[serde(flatten)]
    pub row: Option<Errand>,
    /// What it said of each.
    pub findings: Vec<ReviewFinding>,
    /// Learnings that it was asked about and said nothing of that counts.
    pub unanswered: Vec<LearningId>,
}
