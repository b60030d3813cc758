//! What is detected in tool calls, what becomes of it, and what of it is counted.

use crate::text::UnknownWord;
use std::fmt;
use std::str::FromStr;

crate::word_enum! {
    /// Purpose of a tool, regardless of the client's name for it.
    ToolKind {
        /// Searches.
        Search = "search",
        /// Reads existing knowledge.
        Context = "context",
        /// Reads a file.
        Read = "read",
        /// Changes a file.
        Edit = "edit",
        /// Ingests documents.
        Ingest = "ingest",
        /// Runs a command.
        Run = "run",
        /// Anything else.
        Other = "other",
    }
}

impl ToolKind {
    /// Derives the kind from the last part of the tool's name (`mcp__ralph__search`, `rag.search`).
    pub fn of(tool: &str) -> ToolKind {
        let name = tool.rsplit(['.', '/']).next().unwrap_or(tool).rsplit("__").next().unwrap_or(tool).to_ascii_lowercase();
        match name.as_str() {
            "search" | "recall" | "grep" | "glob" | "websearch" | "web_search" | "webfetch" => ToolKind::Search,
            "get_context" | "list_learnings" | "get_task" | "list_tasks" | "list_features" => ToolKind::Context,
            "read" | "notebookread" | "ls" | "list" => ToolKind::Read,
            "edit" | "write" | "multiedit" | "notebookedit" | "apply_patch" | "patch" | "file_change" => ToolKind::Edit,
            "ingest_file" | "ingest" => ToolKind::Ingest,
            "bash" | "run" | "shell" | "command_execution" => ToolKind::Run,
            _ => ToolKind::Other,
        }
    }
}

crate::word_enum! {
    /// What was detected.
    DetectionKind {
        /// Several steps that complete something.
        TaskCompletion = "task_completion",
        /// One tool fails repeatedly.
        RepeatedFailure = "repeated_failure",
        /// What failed repeatedly now succeeds.
        MendedFailure = "mended_failure",
        /// One tool succeeds repeatedly.
        RepeatedSuccess = "repeated_success",
        /// The same is asked for again and again.
        RepeatedQuery = "repeated_query",
    }
}

crate::word_enum! {
    /// State of a detection.
    DetectionState {
        /// Undecided.
        Waiting = "waiting",
        /// It became an episode.
        Stored = "stored",
        /// Its lesson was already known.
        Known = "known",
        /// It was rejected.
        Refused = "refused",
    }
}

crate::word_enum! {
    /// Why a detection was rejected.
    DetectionRefusal {
        /// The mode or a switch excludes its kind.
        NotTracked = "not_tracked",
        /// Its lesson needs a model, and none is enabled.
        NeedsModel = "needs_model",
        /// The call that succeeded did not differ from those that failed.
        NothingDiffered = "nothing_differed",
        /// Its confidence is below what an episode needs.
        Unsure = "unsure",
        /// The gate rejects it: boilerplate, or a transient status.
        Gate = "gate",
        /// Fewer words than a lesson needs.
        TooShort = "too_short",
        /// More characters than a lesson may have.
        TooLong = "too_long",
        /// A tautology: it holds because it holds, or doing it leads to success.
        Tautology = "tautology",
        /// Only restates what happened.
        Restated = "restated",
        /// Contains a secret.
        Secret = "secret",
        /// Gives instructions, or impersonates somebody.
        Injected = "injected",
        /// The extractor declined, in words.
        ExtractorRefused = "extractor_refused",
        /// The extractor answered that there is no lesson.
        NothingToLearn = "nothing_to_learn",
        /// The extractor's words go beyond what happened: a success that nobody saw, a command or file that no call names.
        Supposed = "supposed",
        /// Ralph itself had shown it in this session.
        Told = "told",
        /// The day's calls or dollars are used up, and no rule found a lesson.
        OverBudget = "over_budget",
        /// The extractor failed to answer three times, and no rule found a lesson.
        NoAnswer = "no_answer",
        /// The queue of detections waiting for a lesson is full.
        QueueFull = "queue_full",
        /// The same failure occurred again later: the apparent fix did not work.
        FailedAgain = "failed_again",
        /// A person put the same lesson away.
        PutAway = "put_away",
        /// The work it comes from was discarded.
        Discarded = "discarded",
    }
}

crate::word_enum! {
    /// What automatic learning counts each day, whatever it was about.
    LearningTotal {
        /// Recorded tool calls.
        Operations = "operations",
        /// Tool calls that were dropped because too many came at once.
        Dropped = "dropped",
        /// Detections that became an episode.
        Stored = "stored",
        /// Detections whose lesson was already known.
        Known = "known",
        /// Detections for which a model gave a lesson, or answered that there is none.
        Extracted = "extracted",
        /// Detections left to rules because no model answered, or none was allowed.
        Fallback = "fallback",
        /// Calls of a model.
        ExtractorCalls = "extractor_calls",
        /// Those without a usable answer.
        ExtractorFailed = "extractor_failed",
        /// Their total duration in milliseconds.
        ExtractorMillis = "extractor_ms",
        /// Their cost in millionths of a dollar.
        ExtractorMicrodollars = "extractor_microdollars",
    }
}

/// What automatic learning counts each day; in words, what its row is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LearningCount {
    /// Of everything.
    Total(LearningTotal),
    /// Detections of a kind.
    Detected(DetectionKind),
    /// Those of them for which rules alone can state a lesson.
    ByRules(DetectionKind),
    /// Detections rejected for a reason.
    Refused(DetectionRefusal),
}

impl From<LearningTotal> for LearningCount {
    fn from(total: LearningTotal) -> LearningCount {
        LearningCount::Total(total)
    }
}

impl fmt::Display for LearningCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LearningCount::Total(total) => write!(f, "{total}"),
            LearningCount::Detected(kind) => write!(f, "detected:{kind}"),
            LearningCount::ByRules(kind) => write!(f, "by_rules:{kind}"),
            LearningCount::Refused(refusal) => write!(f, "refused:{refusal}"),
        }
    }
}

impl FromStr for LearningCount {
    type Err = UnknownWord;

    fn from_str(name: &str) -> Result<LearningCount, UnknownWord> {
        Ok(match name.split_once(':') {
            Some(("detected", kind)) => LearningCount::Detected(kind.parse()?),
            Some(("by_rules", kind)) => LearningCount::ByRules(kind.parse()?),
            Some(("refused", refusal)) => LearningCount::Refused(refusal.parse()?),
            _ => LearningCount::Total(name.parse()?),
        })
    }
}

impl DetectionKind {
    /// Whether it is about failures, for which a rule can state the lesson.
    pub fn is_a_failure(self) -> bool {
        matches!(self, DetectionKind::RepeatedFailure | DetectionKind::MendedFailure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_called_in_rows_as_ever() {
        for (count, name) in [
            (LearningCount::Total(LearningTotal::Operations), "operations"),
            (LearningCount::Total(LearningTotal::ExtractorMicrodollars), "extractor_microdollars"),
            (LearningCount::Detected(DetectionKind::MendedFailure), "detected:mended_failure"),
            (LearningCount::ByRules(DetectionKind::RepeatedFailure), "by_rules:repeated_failure"),
            (LearningCount::Refused(DetectionRefusal::FailedAgain), "refused:failed_again"),
        ] {
            assert_eq!((count.to_string().as_str(), name.parse()), (name, Ok(count)));
        }
        for unknown in ["", "detected", "detected:", "detected:gate", "refused:mended_failure", "stored:known"] {
            assert!(unknown.parse::<LearningCount>().is_err(), "{unknown}");
        }
    }
}
