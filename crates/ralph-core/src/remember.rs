//! What remembering a lesson answers.

use crate::learning::{PutAwayNote, Verdict};
use crate::quality::GateReport;
use crate::saturation::FeatureSaturation;
use crate::{LearningId, TaskId};
use serde::{Deserialize, Serialize};

/// What `append_feature_learning` answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RememberOutcome {
    /// What happened.
    pub verdict: Verdict,
    /// The learning that now holds the lesson: the new one, or the known one that was observed.
    pub id: LearningId,
    /// Learnings that gave their place.
    pub pruned: Vec<LearningId>,
    /// Known learnings it contradicts.
    pub conflicts_with: Vec<LearningId>,
    /// Secrets that were taken out of the text before it was stored.
    pub redacted: u32,
    /// The feature after the write.
    pub saturation: FeatureSaturation,
    /// The active split task of the feature.
    pub split_task: Option<TaskId>,
    /// What the quality gate says; a warning unless it enforces.
    pub gate: GateReport,
    /// Whether its comparison by vectors is still to come; its verdict may then change, and the journal tells.
    pub reconcile_pending: bool,
    /// Of the verdict `put_away`: who put the earlier one away, and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_away: Option<PutAwayNote>,
}
