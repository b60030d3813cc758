//! A learning, a fact, an episode and an entry for the tests of the rules; each test changes the fields that it is about.

use ralph_core::consolidation::{Entry, SourceKind};
use ralph_core::learning::{FeatureLearning, LearningSource};
use ralph_core::memory::{Episode, Fact, FactSource, LessonType};
use ralph_core::time::Timestamp;

/// An active learning of feature `pay`, written by an agent and observed once.
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
        source: FactSource::Agent,
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

/// An episode of no feature.
pub fn episode(lesson: impl Into<String>) -> Episode {
    Episode {
        id: String::new(),
        feature: None,
        lesson: lesson.into(),
        lesson_type: LessonType::Success,
        confidence: 0.7,
        source: LearningSource::Auto,
        task_id: None,
        iteration: None,
        replica: None,
        seen: Vec::new(),
        files: Vec::new(),
        kept: false,
        created: Timestamp(1),
        withdrawn: None,
    }
}

/// An uncommitted entry of the learnings file.
pub fn entry(text: impl Into<String>) -> Entry {
    let text = text.into();
    Entry {
        key: crate::consolidate::key_of("", &text),
        id: None,
        title: Some(text.clone()),
        source: "learnings.md".into(),
        kind: SourceKind::File,
        line: Some(1),
        text,
        reason_given: None,
        created: None,
        written: None,
        age_active_days: Some(0),
        eligible: false,
        reason: String::new(),
        protected: false,
        warnings: Vec::new(),
    }
}
