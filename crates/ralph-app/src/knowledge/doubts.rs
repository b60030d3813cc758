//! Agents' doubts about learnings: the findings of reviews, until a person has decided.

use crate::error::Result;
use ralph_core::LearningId;
use ralph_core::doubt::{Doubt, ReviewFinding, ReviewVerdict};
use ralph_core::errand::{ErrandId, ErrandKind};
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::limits;
use serde::{Deserialize, Serialize};
use sqlite_db::Read;
use std::collections::{BTreeMap, BTreeSet};

/// The matter of an errand that reviews learnings: stored with it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ReviewMatter {
    pub findings: Vec<ReviewFinding>,
}

/// Doubts of agents on active, unreviewed learnings; each from its newest review.
pub(crate) fn doubts(r: &Read<'_>) -> Result<Vec<Doubt>> {
    let mut newest: Vec<(ErrandId, ReviewFinding)> = Vec::new();
    let mut seen: BTreeSet<LearningId> = BTreeSet::new();
    for (errand, json) in r.errand_matters(ErrandKind::ReviewLearnings, limits::ERRANDS_SHOWN)? {
        let matter: ReviewMatter = serde_json::from_str(&json).unwrap_or_default();
        newest.extend(matter.findings.into_iter().filter(|f| seen.insert(f.learning.clone())).map(|finding| (errand, finding)));
    }
    newest.retain(|(_, finding)| finding.verdict != ReviewVerdict::Reviewed);
    let ids: Vec<LearningId> = newest.iter().map(|(_, finding)| finding.learning.clone()).collect();
    let open = r.learnings_by_id(&ids)?.into_iter().filter(|l| l.state == LearningState::Active && l.reviewed_by.is_none());
    let mut open: BTreeMap<LearningId, FeatureLearning> = open.map(|l| (l.id.clone(), l)).collect();
    let doubt = |(errand, finding): (ErrandId, ReviewFinding)| Some(Doubt { learning: open.remove(&finding.learning)?, finding, errand });
    Ok(newest.into_iter().filter_map(doubt).collect())
}
