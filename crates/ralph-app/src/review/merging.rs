//! A merge in progress, as each of its steps knows it.

use super::edits::KeptEdits;
use crate::owner::RunLock;
use git_repo::{NO_REASON, Repo};
use ralph_core::run::CheckResult;
use ralph_core::settings::Settings;
use ralph_core::task::Task;
use ralph_core::worktree::Worktree;

/// A merge in progress.
pub(super) struct Merging {
    /// The task, unless an errand proposes it.
    pub task: Option<Task>,
    /// Title of the task or the errand.
    pub title: String,
    pub worktree: Worktree,
    /// The commit that the work started from; a base named for this merge alone gets everything that it lacks.
    pub start: String,
    pub repo: Repo,
    /// The only commit that may be merged, if nobody reviews what else the branch holds.
    pub only: Option<String>,
    pub settings: Settings,
    pub check: Option<CheckResult>,
    /// What was changed in the worktree meanwhile.
    pub kept: Option<KeptEdits>,
    /// Held while it may touch the base.
    pub lock: Option<RunLock>,
}

/// How git talks about a merge of its own, which nobody has to complete here.
const ADVICE: &str = "Not committing merge;";

/// Git's message, without its long advice.
pub(super) fn first_lines(words: &str) -> String {
    let told = words
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("hint:") && !line.starts_with(ADVICE))
        .take(8)
        .collect::<Vec<_>>()
        .join("; ");
    if told.is_empty() { NO_REASON.to_owned() } else { told }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_that_refuses_without_a_word_is_named_all_the_same() {
        assert_eq!(first_lines("no merges\nhint: try again\n\n on a sunday \n"), "no merges; on a sunday");
        assert!(first_lines("\nhint: x\n").contains("a hook may have refused"));
    }
}
