//! A question as recall passes it to the recorder, which removes secrets and adds the configuration: nobody should wait for either.

use ralph_core::evaluation::QueryRecord;
use ralph_core::feedback::FeedbackMode;
use ralph_core::limits;
use ralph_core::recall::Tuning;
use ralph_core::settings::Settings;
use ralph_core::text::{cut, hex};
use ralph_rag::clean::redact;
use ralph_rag::recall::asked_part;
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
        (QueryRecord { text: stored_words(&self.record.text), configuration: name_of(&content), ..self.record.clone() }, content)
    }
}

/// The words of a question, as they are stored: of a very long one the part that is searched for, so that it can be asked again.
pub(crate) fn stored_words(question: &str) -> String {
    let washed = redact(question).0;
    let whole = washed.trim();
    if cut(whole, limits::EVAL_QUERY_CHARS).len() == whole.len() {
        return whole.to_owned();
    }
    cut(&asked_part(whole), limits::EVAL_QUERY_CHARS).trim().to_owned()
}

/// The name of what determines a ranking: the weights and the model. Comparisons are with the ranking in force, whatever the mode of
/// feedback.
pub(crate) fn ranking(settings: &Settings, model: &str) -> String {
    name_of(&serde_json::json!({ "recall": settings.recall, "model": model }).to_string())
}

/// Whether a stored configuration ranks by these weights and this model.
pub(crate) fn is_of_ranking(content: &str, tuning: &Tuning, model: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Ranking {
        recall: Tuning,
        model: String,
    }
    serde_json::from_str(content).is_ok_and(|of: Ranking| of.recall == *tuning && of.model == model)
}

fn name_of(content: &str) -> String {
    cut(&hex(&Sha256::digest(content.as_bytes())), NAME_CHARS).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_of_a_very_long_question_is_what_it_asked() {
        let trace = format!("Trace:\n{}LedgerError: two of them\n", (0..200).map(|n| format!("in step{n} of it\n")).collect::<String>());
        let stored = stored_words(&trace);
        assert!(stored.starts_with("LedgerError: two of them\nTrace:\nin step199 of it\n"), "{stored}");
        assert_eq!((asked_part(&stored), stored_words(&stored)), (asked_part(&trace), stored.clone()));
        assert_eq!(stored_words("  short\n"), "short");
    }

    #[test]
    fn a_configuration_ranks_alike_whatever_the_mode_of_feedback_and_otherwise_by_other_weights_or_another_model() {
        let tuning = Tuning::default();
        for mode in FeedbackMode::ALL {
            let content = serde_json::json!({ "recall": tuning, "feedback": mode, "model": "m" }).to_string();
            let other = Tuning { recency: tuning.recency + 0.25, ..tuning };
            let found =
                [is_of_ranking(&content, &tuning, "m"), is_of_ranking(&content, &other, "m"), is_of_ranking(&content, &tuning, "n")];
            assert_eq!(found, [true, false, false], "{mode}");
        }
    }
}
