//! Episodes by rule: the record of an iteration that completed its task. Only what is known, never why it worked.

use crate::clean::clean;
use crate::learn::should_auto_learn;
use crate::relation::Relation;
use crate::words::Words;
use ralph_core::detection::DetectionKind;
use ralph_core::learning::LearningSource;
use ralph_core::limits;
use ralph_core::memory::{Episode, LessonType, WithdrawalReason};
use ralph_core::replica::ReplicaId;
use ralph_core::run::Evidence;
use ralph_core::settings::AutomaticLearning;
use ralph_core::text::{cut, listed};
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, TaskId};

/// What follows the title of a task that was done.
const DONE: &str = "' was done";
/// Introduces why the previous attempt failed.
const FAILED_BEFORE: &str = "; the attempt before failed: ";
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

/// Whether the settings let completed work become an episode: nobody asks for it, so it is learnt like any completed task.
pub fn learns_work(settings: &AutomaticLearning, evidence: &Evidence) -> bool {
    should_auto_learn(settings, DetectionKind::TaskCompletion) && confidence(evidence) >= settings.min_episode_confidence
}

fn confidence(evidence: &Evidence) -> f64 {
    if evidence.check_passed() { CONFIRMED } else { COMMITTED }
}

/// The episode of an iteration; its id is assigned when it is recorded.
pub fn episode_of(done: &DoneIteration<'_>) -> Episode {
    let Evidence { commits, changed_files, .. } = done.evidence;
    let confirmed = done.evidence.check_passed();
    let (lesson_type, before) = match done.failure.map(str::trim).filter(|failure| !failure.is_empty()) {
        Some(failure) => (LessonType::Mistake, format!("{FAILED_BEFORE}{}", shortened(failure))),
        None => (LessonType::Success, String::new()),
    };
    // Newest first, each with its short hash, which is meaningless in another clone.
    let subjects = commits.iter().rev().map(|commit| commit.split_once(' ').map_or(commit.as_str(), |(_, subject)| subject));
    let subjects: Vec<&str> = subjects.filter(|subject| !subject.is_empty()).collect();
    let committed = if subjects.is_empty() { String::new() } else { format!(". Committed: {}", open(&listed(&subjects, COMMITS))) };
    let files: Vec<&str> = changed_files.iter().map(String::as_str).collect();
    let checked = if confirmed { ", and the check passed" } else { "" };
    let lesson = format!("'{}{DONE}{checked}{before}{committed}. Changed: {}", done.title.trim(), listed(&files, FILES));
    Episode {
        kept: false,
        seen: Vec::new(),
        id: String::new(),
        feature: Some(done.feature.to_owned()),
        lesson: clean(&lesson, limits::EPISODE_CHARS).text,
        lesson_type,
        confidence: confidence(done.evidence),
        source: LearningSource::Auto,
        task_id: Some(done.task),
        iteration: Some(done.iteration),
        replica: Some(done.replica.clone()),
        files: changed_files.iter().take(limits::EPISODE_FILES).cloned().collect(),
        created: done.now,
        withdrawn: None,
    }
}

/// Whether an episode records that a task was done; others hold a lesson.
pub fn records_work(lesson: &str) -> bool {
    // Another lesson may say that something else was done.
    lesson.starts_with('\'') && lesson.contains(DONE)
}

/// Whether it says no more than which commits and files a task left.
pub fn records_only_work(lesson: &str) -> bool {
    records_work(lesson) && !lesson.contains(FAILED_BEFORE)
}

/// How a new episode relates to the known ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Meeting<'a> {
    /// It says what this one says.
    Known(&'a Episode),
    /// It says what a person put away.
    PutAway(&'a Episode),
    /// It says something new. Whatever was withdrawn by anyone but a person may be learnt again.
    New,
}

/// Compares a new episode with the known ones, withdrawn ones included.
pub fn meets<'a>(known: &'a [Episode], new: &Episode) -> Meeting<'a> {
    let words = Words::of(&new.lesson);
    let same = |other: &&Episode| other.lesson == new.lesson || words.relation(&Words::of(&other.lesson)) == Relation::Duplicate;
    if let Some(known) = known.iter().filter(|known| known.withdrawn.is_none()).find(same) {
        return Meeting::Known(known);
    }
    let by_person = |known: &&Episode| known.withdrawn.as_ref().is_some_and(|w| w.because == WithdrawalReason::Person);
    known.iter().filter(by_person).find(same).map_or(Meeting::New, Meeting::PutAway)
}

/// A failure as far as there is room for it, to whole words.
fn shortened(failure: &str) -> String {
    let kept = cut(failure, FAILURE_CHARS);
    if kept.len() == failure.len() {
        return open(kept).to_owned();
    }
    format!("{}…", kept.rsplit_once(char::is_whitespace).map_or(kept, |(words, _)| words).trim_end())
}

/// A sentence without its full stop, to which something is added.
fn open(sentence: &str) -> &str {
    sentence.trim_end().trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::memory::Withdrawal;
    use ralph_core::run::CheckResult;
    use ralph_core::settings::LearningMode;

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
    fn the_settings_decide_whether_work_is_learnt() {
        let usual = AutomaticLearning::of_a_new_project;
        let check = CheckResult { command: "make test".into(), passed: true, exit_code: Some(0), output_tail: String::new() };
        let (committed, confirmed) = (Evidence::default(), Evidence { check: Some(check), ..Evidence::default() });
        let minimal = AutomaticLearning { mode: LearningMode::Minimal, ..usual() };
        let cases = [
            ("a new project", usual(), true, true),
            ("aggressive", AutomaticLearning { mode: LearningMode::Aggressive, ..usual() }, true, true),
            ("no table", AutomaticLearning::default(), false, false),
            ("minimal", minimal, false, false),
            ("tasks are not tracked", AutomaticLearning { track_tasks: false, ..usual() }, false, false),
            (
                "other things are not tracked",
                AutomaticLearning { track_operations: false, track_code_changes: false, ..usual() },
                true,
                true,
            ),
            ("only what is confirmed", AutomaticLearning { min_episode_confidence: 0.8, ..usual() }, false, true),
            ("only what is certain", AutomaticLearning { min_episode_confidence: 0.95, ..usual() }, false, false),
        ];
        for (case, settings, of_commits, of_a_check) in cases {
            assert_eq!((learns_work(&settings, &committed), learns_work(&settings, &confirmed)), (of_commits, of_a_check), "{case}");
        }
    }

    #[test]
    fn it_says_what_was_done_and_what_had_failed() {
        assert_eq!(
            lesson(&["b2 mail: tell of refunds.", "a1 pay: refund by key"], &["src/a.rs"], false, None),
            (
                "'Refund by key' was done. Committed: pay: refund by key, mail: tell of refunds. Changed: src/a.rs".to_owned(),
                LessonType::Success,
                COMMITTED
            )
        );
        assert_eq!(
            lesson(&[], &["a", "b", "c", "d", "e", "f"], true, Some("the clock drifts.\n")),
            (
                "'Refund by key' was done, and the check passed; the attempt before failed: the clock drifts. Changed: a, b, c, d and 2 more"
                    .to_owned(),
                LessonType::Mistake,
                CONFIRMED
            )
        );
        let long = format!("the provider {}answers late", "never ".repeat(30));
        let (told, ..) = lesson(&[], &["a"], true, Some(&long));
        assert!(told.contains(" never never… Changed: a") || told.contains("never…. Changed: a"), "{told}");
        assert!(records_work(&told) && !records_only_work(&told) && records_only_work(&lesson(&[], &["a"], true, None).0));
    }

    #[test]
    fn what_a_lesson_says_was_done_is_no_task() {
        assert!(records_work(&lesson(&[], &["src/a.rs"], false, None).0));
        assert!(!records_work("`make test` failed once (no rule) and passed after 'npm install' was done"));
    }

    #[test]
    fn it_is_clean_and_bounded() {
        let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let (long, _, _) = lesson(&[&format!("a1 use {token}")], &["x".repeat(900).as_str()], true, None);
        assert!(!long.contains(&token) && long.chars().count() <= limits::EPISODE_CHARS, "{long}");
    }

    #[test]
    fn an_episode_is_met_again_unless_only_rules_or_agents_withdrew_it() {
        let told = |id: &str, lesson: &str, because: Option<WithdrawalReason>| {
            let (replica, evidence) = (ReplicaId::from("R"), Evidence::default());
            let done = DoneIteration {
                feature: "pay",
                task: 7,
                title: "",
                iteration: 4,
                replica: &replica,
                evidence: &evidence,
                failure: None,
                now: Timestamp(1),
            };
            let withdrawn = because.map(|because| Withdrawal { because, at: Timestamp(2), detail: String::new() });
            Episode { id: id.to_owned(), lesson: lesson.to_owned(), withdrawn, ..episode_of(&done) }
        };
        let known = [
            told("away", "Run the migrations before the tests", Some(WithdrawalReason::Person)),
            told("dead", "Mock the gateway in every journey", Some(WithdrawalReason::DeadEnd)),
            told("known", "Start the queue before the worker", None),
            told("both", "Pin the parser to version two", Some(WithdrawalReason::Person)),
            told("back", "Pin the parser to version two", None),
        ];
        for (lesson, expected) in [
            ("Start the queue before the worker", Meeting::Known(&known[2])),
            ("Start the queue before the worker.", Meeting::Known(&known[2])),
            ("Pin the parser to version two", Meeting::Known(&known[4])),
            ("Run the migrations before the tests", Meeting::PutAway(&known[0])),
            ("Mock the gateway in every journey", Meeting::New),
            ("Never start the queue before the worker", Meeting::New),
        ] {
            assert_eq!(meets(&known, &told("new", lesson, None)), expected, "{lesson}");
        }
    }
}
