//! Episodes by rule: the record of an iteration that completed its task. Only what is known, never why it worked.

use crate::clean::clean;
use ralph_core::learning::LearningSource;
use ralph_core::limits;
use ralph_core::memory::{Episode, LessonType};
use ralph_core::replica::ReplicaId;
use ralph_core::run::Evidence;
use ralph_core::text::cut;
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, TaskId};

/// Confidence that the task was done: confirmed by the check, or by commits alone. Provisional: not measured yet.
const CONFIRMED: f64 = 0.9;
const COMMITTED: f64 = 0.7;
/// Characters of the previous failure, files and commits that the text names: the rest is given as a number.
const FAILURE_CHARS: usize = 160;
const FILES: usize = 4;
const COMMITS: usize = 3;

/// An iteration that completed its task.
#[derive(Debug, Clone, Copy)]
pub struct DoneIteration<'a> {
    /// Its feature's name.
    pub feature: &'a str,
    /// Its task.
    pub task: TaskId,
    /// The task's title.
    pub title: &'a str,
    /// Its number.
    pub iteration: IterationId,
    /// The database that assigned the numbers.
    pub replica: &'a ReplicaId,
    /// What it left in the repository.
    pub evidence: &'a Evidence,
    /// Why the previous attempt failed, if it did.
    pub failure: Option<&'a str>,
    /// Now.
    pub now: Timestamp,
}

/// The episode of an iteration; its id is assigned when it is recorded.
pub fn episode_of(done: &DoneIteration<'_>) -> Episode {
    let Evidence { commits, changed_files, .. } = done.evidence;
    let confirmed = done.evidence.check_passed();
    let (lesson_type, before) = match done.failure.map(str::trim).filter(|failure| !failure.is_empty()) {
        Some(failure) => (LessonType::Mistake, format!("; the attempt before failed: {}", cut(failure, FAILURE_CHARS))),
        None => (LessonType::Success, String::new()),
    };
    // Newest first, each with its short hash, which is meaningless in another clone.
    let subjects = commits.iter().rev().map(|commit| commit.split_once(' ').map_or(commit.as_str(), |(_, subject)| subject));
    let subjects: Vec<&str> = subjects.filter(|subject| !subject.is_empty()).collect();
    let committed = if subjects.is_empty() { String::new() } else { format!(". Committed: {}", listed(&subjects, COMMITS)) };
    let files: Vec<&str> = changed_files.iter().map(String::as_str).collect();
    let checked = if confirmed { ", and the check passed" } else { "" };
    let lesson = format!("'{}' was done{checked}{before}{committed}. Changed: {}", done.title.trim(), listed(&files, FILES));
    Episode {
        kept: false,
        seen: Vec::new(),
        id: String::new(),
        feature: Some(done.feature.to_owned()),
        lesson: clean(&lesson, limits::EPISODE_CHARS).text,
        lesson_type,
        confidence: if confirmed { CONFIRMED } else { COMMITTED },
        source: LearningSource::Auto,
        task_id: Some(done.task),
        iteration: Some(done.iteration),
        replica: Some(done.replica.clone()),
        files: changed_files.iter().take(limits::EPISODE_FILES).cloned().collect(),
        created: done.now,
        withdrawn: None,
    }
}

/// The first of some names, and the number of further ones.
fn listed(names: &[&str], shown: usize) -> String {
    let first = names.iter().take(shown).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(shown) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::run::CheckResult;

    fn lesson(commits: &[&str], files: &[&str], passed: bool, failure: Option<&str>) -> (String, LessonType, f64) {
        let check = CheckResult { command: "make test".into(), passed, exit_code: Some(0), output_tail: String::new() };
        let evidence = Evidence {
            commits: commits.iter().map(|c| (*c).to_owned()).collect(),
            changed_files: files.iter().map(|f| (*f).to_owned()).collect(),
            check: Some(check).filter(|check| check.passed),
            ..Evidence::default()
        };
        let done = DoneIteration {
            feature: "pay",
            task: 7,
            title: "Refund by key",
            iteration: 12,
            replica: &"K7".to_owned(),
            evidence: &evidence,
            failure,
            now: Timestamp(1),
        };
        let episode = episode_of(&done);
        (episode.lesson, episode.lesson_type, episode.confidence)
    }

    #[test]
    fn it_says_what_was_done_and_what_had_failed() {
        assert_eq!(
            lesson(&["b2 mail: tell of refunds", "a1 pay: refund by key"], &["src/a.rs"], false, None),
            (
                "'Refund by key' was done. Committed: pay: refund by key, mail: tell of refunds. Changed: src/a.rs".to_owned(),
                LessonType::Success,
                COMMITTED
            )
        );
        assert_eq!(
            lesson(&[], &["a", "b", "c", "d", "e", "f"], true, Some("the clock drifts\n")),
            (
                "'Refund by key' was done, and the check passed; the attempt before failed: the clock drifts. Changed: a, b, c, d and 2 more"
                    .to_owned(),
                LessonType::Mistake,
                CONFIRMED
            )
        );
    }

    #[test]
    fn it_is_clean_and_bounded() {
        let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let (long, _, _) = lesson(&[&format!("a1 use {token}")], &["x".repeat(900).as_str()], true, None);
        assert!(!long.contains(&token) && long.chars().count() <= limits::EPISODE_CHARS, "{long}");
    }
}
