//! A question as recall leaves it to the recorder, which takes the secrets out and names the configuration: neither is worth waiting for.

use ralph_core::evaluation::QueryRecord;
use ralph_core::feedback::FeedbackMode;
use ralph_core::limits;
use ralph_core::recall::Tuning;
use ralph_core::text::{cut, hex};
use ralph_core::view::Settings;
use ralph_rag::clean::redact;
use sha2::{Digest as _, Sha256};

/// Characters of a configuration's name.
const NAME_CHARS: usize = 12;

/// An answered question, its text as it was asked and without the name of its configuration. It is never stored like this.
pub(crate) struct UnfinishedRecord {
    pub record: QueryRecord,
    pub tuning: Tuning,
    pub feedback: FeedbackMode,
    /// The embedding model.
    pub model: String,
}

impl UnfinishedRecord {
    /// The record without secrets, truncated, and the content of its configuration.
    pub(crate) fn finish(&self) -> (QueryRecord, String) {
        let content = serde_json::json!({ "recall": self.tuning, "feedback": self.feedback, "model": self.model }).to_string();
        let text = cut(redact(&self.record.text).0.trim(), limits::EVAL_QUERY_CHARS).to_owned();
        (QueryRecord { text, configuration: name_of(&content), ..self.record.clone() }, content)
    }
}

/// The name of what makes a ranking: the weights and the model. Comparisons are with the ranking in force, whatever the mode of feedback.
pub(crate) fn ranking(settings: &Settings, model: &str) -> String {
    name_of(&serde_json::json!({ "recall": settings.recall, "model": model }).to_string())
}

fn name_of(content: &str) -> String {
    cut(&hex(&Sha256::digest(content.as_bytes())), NAME_CHARS).to_owned()
}
