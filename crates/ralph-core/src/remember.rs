//! The outcome of remembering a lesson.

use crate::learning::{PutAwayNote, Verdict};
use crate::quality::GateReport;
use crate::saturation::FeatureSaturation;
use crate::{LearningId, TaskId};
use serde::{Deserialize, Serialize};

/// The result of `append_feature_learning`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RememberOutcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The learning that now holds the lesson: the new one, or the known one that was observed.
    pub id: LearningId,
    /// Learnings pruned to make room.
    pub pruned: Vec<LearningId>,
    /// Known learnings it contradicts.
    pub conflicts_with: Vec<LearningId>,
    /// Secrets removed from the text before it was stored.
    pub redacted: u32,
    /// Whether text or reason were longer than is kept: only their beginning is stored.
    pub cut: bool,
    /// The feature after the write.
    pub saturation: FeatureSaturation,
    /// The active split task of the feature.
    pub split_task: Option<TaskId>,
    /// The gate's report; a warning unless it enforces.
    pub gate: GateReport,
    /// Whether the comparison by vectors is pending; it may change the verdict, and the journal records that.
    pub reconcile_pending: bool,
    /// For the verdict `put_away`: who put the earlier one away, and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_away: Option<PutAwayNote>,
}
