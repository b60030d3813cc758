//! A learning for the tests of the tables.

use ralph_core::learning::FeatureLearning;
use ralph_core::time::Timestamp;

/// An active learning of the feature `pay`, by an agent.
pub fn learning(id: &str) -> FeatureLearning {
    FeatureLearning { category: "pitfall".into(), ..FeatureLearning::new(id, "pay", format!("lesson {id}"), Timestamp(1)) }
}
