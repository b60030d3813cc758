//! Attempts: what became of each try at a task, and why the failed ones failed.
//!
//! [`failure_record`] makes the record that one failed iteration leaves, [`signature`] lets the same failure be recognised, and
//! [`Attempt`] is what prompt, screen and command line show.

mod category;
mod record;
mod signature;

pub use record::failure_record;
pub use signature::signature;

use super::Outcome;
use crate::IterationId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// What kind of failure it was.
    ErrorCategory {
        /// A test or another check of behaviour failed.
        TestFailure = "test_failure",
        /// It does not compile, bundle or link.
        BuildError = "build_error",
        /// A type checker refused it.
        TypeError = "type_error",
        /// A file or folder is not there.
        MissingFile = "missing_file",
        /// A package, module or version is missing or does not fit.
        DependencyError = "dependency_error",
        /// It runs and does the wrong thing.
        LogicError = "logic_error",
        /// It took too long.
        Timeout = "timeout",
        /// A process died.
        Crashed = "crashed",
        /// Nothing tells.
        Unknown = "unknown",
    }
}

impl ErrorCategory {
    /// Reads an agent's word for it, such as `Test failure`, `compile-error` or `flaky test`; `None` when it fits none.
    pub fn from_words(words: &str) -> Option<ErrorCategory> {
        category::of_agents_words(words)
    }
}

/// How the signature of a failure begins that the provider caused, and would cause again with the same model. No category begins so.
const REFUSED: &str = "refused: ";

/// Why an attempt failed. Every field is bounded when it is made, so that a prompt shows it whole.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FailureRecord {
    /// What was tried; never empty, at most [`crate::limits::REPORT_FIELD_CHARS`] characters.
    pub what_was_tried: String,
    /// Why it failed; never empty, at most [`crate::limits::REPORT_FIELD_CHARS`] characters.
    pub why_it_failed: String,
    /// What kind of failure it was.
    pub category: ErrorCategory,
    /// Files that matter: whole paths, together at most [`crate::limits::REPORT_FILES_CHARS`] characters.
    pub relevant_files: Vec<String>,
    /// The trace or the end of the check's output, at most [`crate::limits::REPORT_TRACE_CHARS`] characters.
    pub stack_trace: Option<String>,
    /// What the agent says that the next attempt should do, at most [`crate::limits::REPORT_SUGGESTION_CHARS`] characters.
    pub retry_suggestion: Option<String>,
    /// Equal for failures of the same kind, see [`signature`].
    pub signature: String,
    /// Whether Ralph made it by rule, because the agent left no report.
    pub generated: bool,
}

impl FailureRecord {
    /// Whether the provider refused what it would refuse again of the same model: it is unknown, or the context too long for it.
    pub fn is_refusal(&self) -> bool {
        self.signature.starts_with(REFUSED)
    }
}

/// One attempt at a task. Iterations that say nothing about the task (see [`Outcome::is_attempt`]) are none.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Attempt {
    /// Which attempt at the task, from 1; 0 where a refused login kept it from being one, which is shown with its reason and never told
    /// to an agent.
    pub number: u32,
    /// The iteration.
    pub iteration: IterationId,
    /// Model that worked.
    pub model: String,
    /// What became of it.
    pub outcome: Outcome,
    /// When it ended; when it began, while it runs.
    pub at: Timestamp,
    /// Dollars; `None` when they are not known.
    pub cost_usd: Option<f64>,
    /// Why it failed; `None` when it did not, or when the details were thinned out.
    pub failure: Option<FailureRecord>,
    /// What was noted of its end: the outcome in one sentence, and which of the agent's words did not count.
    pub note: Option<String>,
}
