//! Failures that nothing mended in their session, and how Ralph finds out later that something did.

use super::about::about_the_same;
use super::between::COMMAND_CHARS;
use super::commands::holds_its_code;
use super::errors::{error_of, is_passing, is_wrong_code, same_error};
use super::evading::gets_round;
use super::failures::{counts, failures_of};
use super::instead::{names_another_task, names_another_version, wraps};
use super::named::is_unfinished_work;
use super::{Detection, Operation};
use ralph_core::detection::DetectionKind;
use ralph_core::settings::AutomaticLearning;
use ralph_core::shell_words::Try;
use ralph_core::text::cut;

/// How the lesson of a failure that nothing mended ends.
pub(super) const NOTHING_MENDED: &str = "), and nothing mended it";
/// What the lesson of a mended failure says in that place: the same passed after this, or worked in this way.
pub(super) const PASSED_AFTER: &str = ") and passed after ";
pub(super) const WORKED: &str = ") and worked ";

/// What failed at least twice in the same way, and did not work since.
pub(super) fn unmended_failures(operations: &[Operation], settings: &AutomaticLearning) -> Vec<Detection> {
    let mut found: Vec<Detection> = Vec::new();
    for (at, last) in operations.iter().enumerate().filter(|(_, operation)| !operation.succeeded() && counts(operation)) {
        let tried = last.tried();
        let ended = |later: &Operation| counts(later) && (later.tried().is_like(&tried) || was_run_otherwise(last, later));
        if is_passing(last)
            || is_a_mistake_of_its_code(last)
            || last.is_about_nothing()
            || is_unfinished_work(last, &operations[..at])
            || operations[at + 1..].iter().any(ended)
        {
            continue;
        }
        let same = |other: &&Operation| same_error(other, last);
        let failures: Vec<Operation> =
            failures_of(last, &operations[..=at]).into_iter().map(|at| &operations[at]).filter(same).cloned().collect();
        let name = tried.name;
        if failures.len() >= settings.pattern_failures as usize {
            let words = [
                format!("Repeated failures in {name}"),
                format!("Attempted {name} multiple times without success"),
                "Pattern detected: operation failing repeatedly".to_owned(),
            ];
            found.push(Detection::of(DetectionKind::RepeatedFailure, words, settings.failed_confidence, failures));
        }
    }
    found
}

/// Whether what failed worked later with another program or version, or under another name if its own did not exist.
fn was_run_otherwise(failed: &Operation, later: &Operation) -> bool {
    let error = failed.error.as_deref().unwrap_or_default();
    let otherwise = |(failed, later): (&str, &str)| {
        names_another_task(failed, error, later) || names_another_version(failed, later) || wraps(later, failed)
    };
    later.worked() && failed.command().zip(later.command()).is_some_and(otherwise)
}

/// Whether it was code in a command that was wrong itself: a look at something, which nobody will repeat.
fn is_a_mistake_of_its_code(failed: &Operation) -> bool {
    is_wrong_code(failed) && failed.command().is_some_and(holds_its_code)
}

/// The lesson of a failure that nothing mended.
pub(super) fn nothing_mended(last: &Operation, times: usize) -> String {
    format!("{} failed {times} times ({}{NOTHING_MENDED}", called(last), error_of(last))
}

fn called(operation: &Operation) -> String {
    match operation.command() {
        Some(command) => format!("`{}`", cut(command.trim(), COMMAND_CHARS)),
        None => operation.tool.clone(),
    }
}

/// What the lesson of a mended failure says about how it failed, and about what mended it.
pub(super) fn failed_and_mended(lesson: &str) -> Option<(&str, &str)> {
    [PASSED_AFTER, WORKED].iter().find_map(|told| lesson.split_once(told))
}

/// Whether a lesson says that nothing mended what another one says was mended: the same call, with the same failure.
pub fn is_answered(lesson: &str, by: &str) -> bool {
    let both = lesson.strip_suffix(NOTHING_MENDED).and_then(told).zip(failed_and_mended(by).and_then(|(failure, _)| told(failure)));
    both.is_some_and(|(one, other)| one == other)
}

/// Whether a lesson says that nothing mended a command that has worked since, as `worked` shows.
pub fn works_again(lesson: &str, worked: &str) -> bool {
    let Some((called, _)) = lesson.strip_suffix(NOTHING_MENDED).and_then(told) else { return false };
    // Only the beginning of a long one is known.
    let command =
        called.strip_prefix('`').and_then(|called| called.strip_suffix('`')).filter(|command| command.chars().count() < COMMAND_CHARS);
    command
        .is_some_and(|failed| Try::of(worked).says(&Try::of(failed)) && about_the_same(failed, worked) && !gets_round(failed, "", worked))
}

/// What a lesson says was called, and its error, without numbers.
fn told(failure: &str) -> Option<(&str, String)> {
    let (called, error) = failure.split_once(" failed ")?;
    let (_, error) = error.split_once('(')?;
    Some((called, error.chars().filter(|c| !c.is_ascii_digit()).collect()))
}
