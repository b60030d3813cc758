//! Authority: who may do what.

use crate::feature::{FeaturePatch, NewFeature};
use crate::learning::ConflictChoice;
use crate::task::TaskPatch;
use crate::{LearningId, TaskId};
use serde::{Deserialize, Serialize};

/// A change that an agent wishes for and a person decides about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Wish {
    /// Changes a task.
    UpdateTask {
        /// Which.
        task: TaskId,
        /// The fields to change.
        patch: Box<TaskPatch>,
    },
    /// Makes a feature.
    CreateFeature {
        /// What it is.
        new: Box<NewFeature>,
    },
    /// Changes a feature.
    UpdateFeature {
        /// Which.
        feature: String,
        /// The fields to change.
        patch: Box<FeaturePatch>,
    },
    /// Marks a learning as reviewed.
    ReviewLearning {
        /// Which.
        id: LearningId,
    },
    /// Puts a learning away.
    RetireLearning {
        /// Which.
        id: LearningId,
    },
    /// Makes a learning active again.
    RestoreLearning {
        /// Which.
        id: LearningId,
    },
    /// Says a learning better.
    EditLearning {
        /// Which.
        id: LearningId,
        /// The new text.
        text: String,
        /// Why it holds.
        reason: Option<String>,
    },
    /// Says several learnings in one.
    MergeLearnings {
        /// Which.
        ids: Vec<LearningId>,
        /// The new text.
        text: String,
        /// Why it holds.
        reason: Option<String>,
    },
    /// Decides between two learnings that contradict each other.
    ResolveConflict {
        /// The older one.
        older: LearningId,
        /// The newer one.
        newer: LearningId,
        /// What becomes of them.
        choice: ConflictChoice,
    },
    /// Takes back a decision between two learnings.
    ReopenConflict {
        /// The older one.
        older: LearningId,
        /// The newer one.
        newer: LearningId,
    },
    /// Says whether the quality gate was wrong about a learning.
    DecideGate {
        /// Which.
        id: LearningId,
        /// The gate was wrong.
        kept: bool,
    },
    /// Takes back what was said about a warning of the quality gate.
    ReopenWarning {
        /// About which learning.
        id: LearningId,
    },
    /// Takes back what followed from comparing a learning.
    UndoReconciliation {
        /// Which.
        id: LearningId,
    },
}
