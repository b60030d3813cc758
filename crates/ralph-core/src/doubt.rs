//! An agent's verdict on learnings that it reviews: confirmed, or in doubt, and then a person decides.

use crate::LearningId;
use crate::errand::{Errand, ErrandId};
use crate::learning::FeatureLearning;
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// An agent's verdict on a learning.
    ReviewVerdict {
        /// It is correct.
        Reviewed = "reviewed",
        /// It is wrong.
        Wrong = "wrong",
        /// A person has to decide.
        NeedsPerson = "needs_person",
    }
}

/// An agent's review of one learning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewFinding {
    /// The learning.
    pub learning: LearningId,
    /// The verdict.
    pub verdict: ReviewVerdict,
    /// The reason, in the agent's words.
    pub reason: String,
}

/// A learning that an agent considers wrong or refers to a person. It stays as it is until a person reviews it or puts it away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Doubt {
    /// The learning.
    pub learning: FeatureLearning,
    /// The agent's finding.
    pub finding: ReviewFinding,
    /// The errand of the review.
    pub errand: ErrandId,
}

/// A review of learnings by an agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReviewRun {
    /// The errand; `None` when nothing was waiting, so that none was started.
    pub errand: Option<ErrandId>,
    /// Its row.
    #[serde(flatten)]
    pub row: Option<Errand>,
    /// The verdict on each.
    pub findings: Vec<ReviewFinding>,
    /// Learnings without a valid verdict in the answer.
    pub unanswered: Vec<LearningId>,
}
