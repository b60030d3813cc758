//! The result of a run: one word and one exit code for whoever started it and did not watch.

use super::{Run, StopReason};

crate::word_enum! {
    /// Result of a run.
    RunResult {
        /// Nothing went wrong.
        Done = "done",
        /// Consecutive iterations had no effect.
        Stalled = "stalled",
        /// Something awaits a person: a blocked task, one that depends on an abandoned one, work that could not be merged, an agent's
        /// proposal, harm to the repository.
        NeedsYou = "needs_you",
        /// A limit of iterations, minutes or dollars was reached with work left.
        Limit = "limit",
        /// The run could not do its work: login, network, the agent or Ralph itself failed.
        Trouble = "trouble",
        /// There were attempts, and all of them failed.
        AllFailed = "all_failed",
        /// Somebody stopped it immediately.
        Interrupted = "interrupted",
    }
}

impl Run {
    /// Why it is over, in words; empty while it is running.
    pub fn why_over(&self) -> String {
        self.note.clone().or_else(|| self.stop_reason.map(|reason| reason.to_string())).unwrap_or_default()
    }
}

impl RunResult {
    /// Exit code of `ralph run`; 1 and 2 are reserved for refused commands and wrong usage.
    pub fn exit_code(self) -> u8 {
        match self {
            RunResult::Done => 0,
            RunResult::Stalled => 3,
            RunResult::NeedsYou => 4,
            RunResult::Limit => 5,
            RunResult::Trouble => 6,
            RunResult::AllFailed => 7,
            // As shells expect it after Ctrl-C.
            RunResult::Interrupted => 130,
        }
    }

    /// Its meaning, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            RunResult::Done => "nothing was left wrong",
            RunResult::Stalled => "iterations in a row left nothing behind",
            RunResult::NeedsYou => "a blocked or stranded task, work that could not be merged, or a notice waits for your decision",
            RunResult::Limit => "iterations, minutes or dollars ran out before the work did",
            RunResult::Trouble => "login, network, the agent or Ralph itself failed",
            RunResult::AllFailed => "every attempt failed",
            RunResult::Interrupted => "stopped at once, by Ctrl-C or `ralph stop`",
        }
    }
}

/// The facts about an ended run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunEnd {
    /// Why it ended.
    pub reason: StopReason,
    /// Its attempts.
    pub attempts: u32,
    /// Those after which a task was done.
    pub done: u32,
    /// What awaits a person: blocked and stranded tasks of its scope, those whose work could not be merged, and its notices.
    pub for_person: u32,
    /// Tasks of its scope that could be worked on now.
    pub ready: u32,
}

/// The result of an ended run. What prevented work comes first, then what was achieved, then what is left to do.
pub fn result_of(end: &RunEnd) -> RunResult {
    match end.reason {
        reason if reason.is_trouble() => return RunResult::Trouble,
        StopReason::StoppedNow => return RunResult::Interrupted,
        StopReason::Stalled => return RunResult::Stalled,
        _ => {}
    }
    if end.attempts > 0 && end.done == 0 {
        RunResult::AllFailed
    } else if end.for_person > 0 {
        RunResult::NeedsYou
    } else if end.reason.is_limit() && end.ready > 0 {
        RunResult::Limit
    } else {
        RunResult::Done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_means_that_nothing_was_left_wrong() {
        let end = |reason, attempts, done, for_person, ready| result_of(&RunEnd { reason, attempts, done, for_person, ready });
        for (given, expected) in [
            (end(StopReason::NothingReady, 3, 3, 0, 0), RunResult::Done),
            (end(StopReason::NothingReady, 0, 0, 0, 0), RunResult::Done),
            (end(StopReason::NothingReady, 2, 1, 0, 0), RunResult::Done),
            (end(StopReason::NothingReady, 6, 1, 1, 0), RunResult::NeedsYou),
            (end(StopReason::NothingReady, 0, 0, 1, 0), RunResult::NeedsYou),
            (end(StopReason::NothingReady, 5, 0, 1, 0), RunResult::AllFailed),
            (end(StopReason::MaxIterations, 1, 1, 0, 2), RunResult::Limit),
            (end(StopReason::MaxIterations, 1, 1, 0, 0), RunResult::Done),
            (end(StopReason::MaxIterations, 1, 0, 0, 1), RunResult::AllFailed),
            (end(StopReason::MaxMinutes, 0, 0, 0, 1), RunResult::Limit),
            (end(StopReason::MaxUsd, 2, 1, 1, 1), RunResult::NeedsYou),
            (end(StopReason::StoppedAfterIteration, 1, 1, 0, 5), RunResult::Done),
            (end(StopReason::StoppedNow, 5, 5, 0, 0), RunResult::Interrupted),
            (end(StopReason::Stalled, 5, 0, 1, 1), RunResult::Stalled),
            (end(StopReason::Authentication, 0, 0, 0, 1), RunResult::Trouble),
        ] {
            assert_eq!(given, expected);
        }
    }

    #[test]
    fn every_result_has_a_code_of_its_own() {
        let mut codes: Vec<u8> = RunResult::ALL.iter().map(|result| result.exit_code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), RunResult::ALL.len());
        assert!(!codes.contains(&1) && !codes.contains(&2), "these tell of refused commands and wrong usage");
    }
}
