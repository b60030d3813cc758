//! Questions: an agent's requests for permission while it works, and what became of them.

use crate::time::Timestamp;
use crate::{IterationId, RunId, TaskId};
use serde::{Deserialize, Serialize};

/// Number of a question; never reused.
pub type QuestionId = u32;

crate::word_enum! {
    /// The answer to a question.
    Leave {
        /// The agent may.
        Yes = "yes",
        /// It may not.
        No = "no",
    }
}

/// An agent's wish to use a tool that it may not use without asking.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Question {
    /// Its number.
    pub id: QuestionId,
    /// The run.
    pub run: RunId,
    /// The iteration that waits for the answer.
    pub iteration: IterationId,
    /// Its task.
    pub task: TaskId,
    /// That task's title.
    pub title: String,
    /// The tool, as the agent names it.
    pub tool: String,
    /// Everything that it would be used on, in any number of lines: a command, a path, every further argument.
    pub summary: String,
    /// When it was asked.
    pub asked: Timestamp,
    /// When the answer is no, unless somebody answers before.
    pub until: Timestamp,
    /// The answer; `None` = it waits, or the agent that asked is gone.
    pub answer: Option<Leave>,
    /// When.
    pub answered: Option<Timestamp>,
    /// Whether a person answered; else the time was over.
    pub by_person: bool,
}

/// Milliseconds that an agent waits for its answer: `minutes` of the settings, and 0 once `unanswered` questions of its run in a row met
/// nobody, since a run that works alone would lose that time with each.
pub fn patience(minutes: u32, unanswered: u32) -> u64 {
    if unanswered >= crate::limits::QUESTIONS_UNANSWERED { 0 } else { u64::from(minutes) * 60_000 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_works_alone_is_held_up_a_bounded_number_of_times() {
        for (minutes, unanswered, expected) in [(2, 0, 120_000), (2, 2, 120_000), (2, 3, 0), (2, 9, 0), (0, 0, 0)] {
            assert_eq!(patience(minutes, unanswered), expected, "{minutes} {unanswered}");
        }
    }
}
