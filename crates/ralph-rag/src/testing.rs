//! A learning and a fact for the tests of the rules; each changes what its case is about.

use ralph_core::learning::{FeatureLearning, LearningSource, LearningState};
use ralph_core::memory::Fact;
use ralph_core::time::Timestamp;

/// An active learning of feature `pay`, written by an agent and seen once.
pub fn learning(id: impl Into<String>, text: impl Into<String>) -> FeatureLearning {
    FeatureLearning {
        id: id.into(),
        feature: "pay".into(),
        text: text.into(),
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

/// An active fact of the project, stated by an agent.
pub fn fact(id: impl Into<String>) -> Fact {
    Fact {
        id: id.into(),
        feature: None,
        kind: "note".into(),
        subject: "tests".into(),
        value: "make test".into(),
        confidence: 1.0,
        source: LearningSource::Agent,
        file: None,
        line: None,
        quote: None,
        task_id: None,
        iteration: None,
        replica: None,
        created: Timestamp(1),
        withdrawn: None,
    }
}
