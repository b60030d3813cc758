//! A learning for the tests of the tables.

use ralph_core::learning::{FeatureLearning, LearningSource, LearningState};
use ralph_core::time::Timestamp;

/// An active learning of the feature `pay`, by an agent.
pub fn learning(id: &str) -> FeatureLearning {
    FeatureLearning {
        id: id.into(),
        feature: "pay".into(),
        text: format!("lesson {id}"),
        reason: None,
        category: "pitfall".into(),
        tags: vec![],
        source: LearningSource::Agent,
        task_id: None,
        iteration: None,
        replica: None,
        created: Timestamp(1),
        last_used: None,
        hit_count: 1,
        reviewed_by: None,
        review_count: 0,
        state: LearningState::Active,
        superseded_by: None,
        conflicts_with: vec![],
    }
}
