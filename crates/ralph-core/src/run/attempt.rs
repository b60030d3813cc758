//! Attempts: the outcome of each try at a task, and why the failed ones failed.
//!
//! [`failure_record`] makes the record of a failed iteration, [`signature`] identifies recurring failures, and
//! [`Attempt`] is what prompts, the screen and the command line show.

mod category;
mod record;
mod signature;

pub use record::failure_record;
pub use signature::{quoted_line, signature};

use super::Outcome;
use crate::IterationId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// Category of a failure.
    ErrorCategory {
        /// A test or another check of behavior failed.
        TestFailure = "test_failure",
        /// It does not compile, bundle or link.
        BuildError = "build_error",
        /// A type checker rejected it.
        TypeError = "type_error",
        /// A file or folder does not exist.
        MissingFile = "missing_file",
        /// A package, module or version is missing or does not fit.
        DependencyError = "dependency_error",
        /// It runs but does the wrong thing.
        LogicError = "logic_error",
        /// It took too long.
        Timeout = "timeout",
        /// A process died.
        Crashed = "crashed",
        /// Unknown.
        Unknown = "unknown",
    }
}

impl ErrorCategory {
    /// Parses an agent's name for it, such as `Test failure`, `compile-error` or `flaky test`; `None` when nothing matches.
    pub fn from_words(words: &str) -> Option<ErrorCategory> {
        category::of_agents_words(words)
    }

    /// As people say it: `missing file`.
    pub fn in_words(self) -> String {
        self.as_str().replace('_', " ")
    }
}

/// Signature prefix of a failure that the provider caused and would cause again with the same model. No category begins with it.
const REFUSED: &str = "refused: ";

/// Why an attempt failed. Every field is bounded on creation, so that a prompt includes it completely.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FailureRecord {
    /// What was tried; never empty, at most [`crate::limits::REPORT_FIELD_CHARS`] characters.
    pub what_was_tried: String,
    /// Why it failed; never empty, at most [`crate::limits::REPORT_FIELD_CHARS`] characters.
    pub why_it_failed: String,
    /// Category of the failure.
    pub category: ErrorCategory,
    /// Relevant files: complete paths, together at most [`crate::limits::REPORT_FILES_CHARS`] characters.
    pub relevant_files: Vec<String>,
    /// The trace or the end of the check's output, at most [`crate::limits::REPORT_TRACE_CHARS`] characters.
    pub stack_trace: Option<String>,
    /// The agent's suggestion for the next attempt, at most [`crate::limits::REPORT_SUGGESTION_CHARS`] characters.
    pub retry_suggestion: Option<String>,
    /// Equal for failures of the same kind, see [`signature`]; empty if nothing is known about it, and then equal to no other.
    pub signature: String,
    /// Whether Ralph generated it by rule, because the agent left no report.
    pub generated: bool,
}

impl FailureRecord {
    /// Whether the provider refused for a reason that persists with this model: the model is unknown, or its context is too short.
    pub fn is_refusal(&self) -> bool {
        self.signature.starts_with(REFUSED)
    }
}

/// One attempt at a task. Iterations that say nothing about the task (see [`Outcome::is_attempt`]) are not attempts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Attempt {
    /// Number of the attempt at the task, from 1; 0 for an iteration that is not an attempt (a limit, a refused login, the network, a
    /// stop), which is shown with its reason and cost but never included in a prompt.
    pub number: u32,
    /// The iteration.
    pub iteration: IterationId,
    /// Model that worked.
    pub model: String,
    /// Its outcome.
    pub outcome: Outcome,
    /// When it ended; while it runs, when it began.
    pub at: Timestamp,
    /// Dollars; `None` when unknown.
    pub cost_usd: Option<f64>,
    /// Whether a part of what it used is not in them, see [`crate::signal::Usage::unpriced`].
    #[serde(default)]
    pub unpriced: bool,
    /// Why it failed; `None` when it did not, or when the details were thinned out.
    pub failure: Option<FailureRecord>,
    /// Note on its end: the outcome in one sentence, and which of the agent's sigils did not count.
    pub note: Option<String>,
}
