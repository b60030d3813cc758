//! A learning and a fact for the tests of the rules; each changes what its case is about.

use ralph_core::learning::{FeatureLearning, LearningSource};
use ralph_core::memory::Fact;
use ralph_core::time::Timestamp;

/// An active learning of feature `pay`, written by an agent and seen once.
pub fn learning(id: impl Into<String>, text: impl Into<String>) -> FeatureLearning {
    FeatureLearning { category: "pitfall".into(), ..FeatureLearning::new(id, "pay", text, Timestamp(1)) }
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
