//! Lessons from failures: what failed repeatedly and then succeeded, and what never did. Only what the calls themselves show: how it
//! failed, and what was different when it succeeded.
//!
//! Ordinary work is not a lesson: errors that change from attempt to attempt are progress, and a failure that the agent fixed in the very
//! files it was writing was its own.

use super::about::{is_text, same_place};
use super::between::{COMMAND_CHARS, may_explain, menders, mends, moved, undone};
use super::commands::starts_what_stays;
use super::edits::is_edit;
use super::errors::{error_of, has_no_cure, is_passing, lacks_its_program, lacks_its_version, may_not_run, same_error, waited_for_its_own};
use super::evading::{gets_round, spoils};
use super::failures::{counts, failures_of};
use super::instead::{
    differ_in_the_program, does_the_same_otherwise, hands_to_a_shell, names_another_version, refuses_an_option, starts_another_version,
    wraps,
};
use super::otherwise::{differ_in_words, says_other, told_apart};
use super::unmended::{NOTHING_MENDED, PASSED_AFTER, WORKED, failed_and_mended, nothing_mended};
use super::{Detection, Operation};
use crate::clean::clean;
use ralph_core::detection::{DetectionKind, ToolKind};
use ralph_core::limits;
use ralph_core::memory::LessonType;
use ralph_core::settings::AutomaticLearning;
use ralph_core::text::cut;
use serde_json::Value;
use std::collections::BTreeSet;

/// Characters of a value that the words repeat.
const VALUE_CHARS: usize = 80;
/// Operations after a failure in which another program can replace it: anything later is other work.
const REPLACED_WITHIN: usize = 5;

/// Whether the newest operation mends what failed at least twice since it last worked.
pub(super) fn detect_mended_failure(operations: &[Operation], settings: &AutomaticLearning) -> Option<Detection> {
    let (newest, before) = operations.split_last().filter(|(newest, _)| newest.worked() && counts(newest))?;
    let tried = newest.tried();
    // A command that says less than the one that failed runs something else: `npm test` after `npm test one`.
    let failures: Vec<usize> = failures_of(newest, before).into_iter().filter(|at| tried.says(&before[*at].tried())).collect();
    let failures = standing(failures, before);
    (failures.len() >= settings.pattern_failures as usize).then(|| story(newest, before, &failures, newest, settings.failed_confidence))?
}

/// The newest of some failures with the same error. If the error of a command changed, somebody was working on it, and the earlier error is
/// another story; a tool that refuses its arguments or options is called differently each time, so its errors differ by nature.
fn standing(mut failures: Vec<usize>, before: &[Operation]) -> Vec<usize> {
    if let Some(last) = failures.last().map(|at| &before[*at]).filter(|last| last.command().is_some()) {
        let refuses = |of: &Operation| of.command().zip(of.error.as_deref()).is_some_and(|(said, error)| refuses_an_option(said, error));
        let alike = |of: &Operation| same_error(of, last) || refuses(of) && refuses(last);
        let others = failures.iter().rposition(|at| !alike(&before[*at]));
        failures.drain(..others.map_or(0, |at| at + 1));
    }
    failures
}

/// Whether the newest operation takes the place of a command that failed: another program for the same purpose after two failures, or the
/// same words to another program, or another version, where the first was not there.
pub(super) fn detect_replaced_failure(operations: &[Operation], settings: &AutomaticLearning) -> Option<Detection> {
    let (newest, before) = operations.split_last().filter(|(newest, _)| newest.worked() && counts(newest))?;
    let command = newest.command()?;
    let failed = before.iter().rposition(|operation| !operation.succeeded() && operation.command().is_some() && counts(operation))?;
    let last = &before[failed];
    let tried = last.tried();
    let old = last.command()?;
    let of_version = names_another_version(old, command) && lacks_its_version(last);
    let since_then = before[failed..].iter().chain(Some(newest).filter(|_| !of_version));
    if before.len() - failed > REPLACED_WITHIN
        || !(last.is_about_that_of(newest) || of_version)
        || since_then.filter(|o| o.worked()).any(|o| o.tried().is_like(&tried))
    {
        return None;
    }
    let failures = standing(failures_of(last, &before[..=failed]), before);
    let missing = differ_in_the_program(old, command) && lacks_its_program(last);
    let missing = missing || of_version || hands_to_a_shell(old, command) && may_not_run(last);
    let does_the_same = does_the_same_otherwise(old, command) || wraps(command, old) || starts_another_version(old, command);
    (missing || failures.len() >= settings.pattern_failures as usize && does_the_same)
        .then(|| story(last, before, &failures, newest, settings.failed_confidence))?
}

/// A detection with the failures of one try, what was done in between, and what worked; `None` without a failure. What the agent wrote
/// before the failures began comes first: if it then mended something in the same files, that was its own fault.
fn story(failed: &Operation, before: &[Operation], failures: &[usize], newest: &Operation, confidence: f64) -> Option<Detection> {
    let (first, last) = (*failures.first()?, *failures.last()?);
    let error = before[last].error.as_deref().unwrap_or_default();
    let round = before[last].command().zip(newest.command()).is_some_and(|(failed, worked)| gets_round(failed, error, worked));
    let undone = undone(before, first);
    let stands = |at: &usize| !undone.contains(at) && before[*at].succeeded();
    let spoilt = (last + 1..before.len()).filter(stands).filter_map(|at| before[at].command()).any(spoils);
    if round || spoilt || has_no_cure(&before[last]) || moved(&before[last], &before[last + 1..], newest) {
        return None;
    }
    let tried = failed.tried();
    let again = |operation: &Operation| operation.succeeded() && operation.tried().is_like(&tried);
    let own = before[..first].iter().filter(|operation| is_edit(operation));
    let explains = |at: usize, o: &Operation| at > last && (prepared(o, &before[last]) || may_explain(o, &before[last]));
    let changes = |at: usize, o: &Operation| !undone.contains(&at) && (is_edit(o) || mends(o, &before[last]) || explains(at, o));
    let belongs = |at: usize, o: &Operation| failures.contains(&at) || again(o) || changes(at, o);
    let since = before.iter().enumerate().skip(first).filter(|(at, operation)| belongs(*at, operation)).map(|(_, operation)| operation);
    let consumed: Vec<Operation> = own.chain(since).chain([newest]).cloned().collect();
    let name = &tried.name;
    let words = [format!("{name} failed {} times", failures.len()), format!("Called {name} otherwise"), "It worked".to_owned()];
    Some(Detection::of(DetectionKind::MendedFailure, words, confidence, consumed))
}

/// Whether an operation shows that what seemed mended is not: the same words fail as before.
pub(super) fn refutes(operation: &Operation, failed: &Operation, worked: &Operation) -> bool {
    let says_the_same = |(worked, now): (&str, &str)| !says_other(worked, now, "");
    !operation.succeeded()
        && worked.command().zip(operation.command()).is_some_and(says_the_same)
        && operation.is_about_that_of(worked)
        && same_error(operation, failed)
}

/// That what had worked fails as before.
pub(super) fn refutation(worked: Operation, failed: &Operation, confidence: f64) -> Detection {
    let name = worked.tried().name;
    let words = [format!("{name} had worked"), format!("Called {name} again"), "It failed as before".to_owned()];
    Detection::of(DetectionKind::RepeatedFailure, words, confidence, vec![worked, failed.clone()])
}

/// The lesson of a detection that a rule can state, with its type; `None` if it needs understanding, or if nothing
/// was different.
pub fn lesson_of(detection: &Detection) -> Option<(LessonType, String)> {
    let (last, before) = detection.operations.split_last().filter(|_| detection.refuted().is_none())?;
    let (lesson_type, lesson) = match detection.kind {
        DetectionKind::MendedFailure => (LessonType::Mistake, mended(before, last)?),
        DetectionKind::RepeatedFailure => (LessonType::Failure, nothing_mended(last, detection.operations.len())),
        DetectionKind::TaskCompletion | DetectionKind::RepeatedSuccess | DetectionKind::RepeatedQuery => return None,
    };
    let lesson = clean(&lesson, limits::EPISODE_CHARS).text;
    (!lesson.trim().is_empty()).then_some((lesson_type, lesson))
}

/// Whether a lesson in the words of [`lesson_of`] depends on one of these files: what it names as the cause is among them, or may be.
/// `None` for any other lesson, which depends on all the work of its iteration.
pub fn rests_on(lesson: &str, files: &[String]) -> Option<bool> {
    let (_, cause) = failed_and_mended(lesson).or_else(|| lesson.split_once(NOTHING_MENDED))?;
    let is_unnamed = || cause.contains(" more were changed");
    Some(files.iter().any(|file| is_unnamed() || names_file(cause, file)))
}

fn names_file(cause: &str, file: &str) -> bool {
    let words = cause.split(|c: char| c.is_whitespace() || matches!(c, ',' | '`')).filter(|word| !word.is_empty());
    words.into_iter().any(|word| same_place(word, file))
}

fn mended(before: &[Operation], worked: &Operation) -> Option<String> {
    let failures: Vec<&Operation> = before.iter().filter(|operation| !operation.succeeded()).collect();
    let failed = failures.last()?;
    let said = failed.error.as_deref().unwrap_or_default();
    let is_same = match (failed.command(), worked.command()) {
        (Some(old), Some(new)) => !says_other(old, new, said),
        _ => failed.arguments == worked.arguments,
    };
    let is_started = || before.iter().filter_map(Operation::command).any(starts_what_stays);
    if is_same && is_passing(failed) && !(waited_for_its_own(failed) && is_started()) {
        return None;
    }
    // If each refusal was different, only the failures of what is told count: a command's words, or the argument of a call.
    let of_one_argument = |failure: &Operation| failed.command().is_none() && failure.refused_argument() == failed.refused_argument();
    let as_told = |failure: &&&Operation| of_one_argument(failure) || same_error(failure, failed);
    let times = match failures.iter().filter(as_told).count() {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    let error = error_of(failed);
    if let (Some(old), Some(new)) = (failed.command(), worked.command()) {
        let (old, new) = (old.trim(), new.trim());
        let menders = menders(before);
        // Words that had failed as well are not what mended it.
        let same = failures.iter().filter_map(|failure| failure.command()).map(str::trim).filter(|tried| !says_other(tried, new, said));
        if let Some(tried) = same.min_by_key(|tried| tried.len()) {
            return Some(format!("`{}` failed {times} ({error}{PASSED_AFTER}{}", cut(tried, COMMAND_CHARS), menders?));
        }
        // Nobody can know which of the two it was; another input is reason enough.
        let after = menders.filter(|_| differ_in_words(old, new, said)).map(|menders| format!(" after {menders}")).unwrap_or_default();
        let (old, new) = told_apart(old, new, COMMAND_CHARS)?;
        return Some(format!("`{old}` failed {times} ({error}{WORKED}as `{new}`{after}"));
    }
    let differences = differences(failed, worked);
    if differences.is_empty() {
        let prepared = before.iter().rfind(|operation| prepared(operation, failed))?;
        return Some(format!("{} failed {times} ({error}{WORKED}after {} was called", failed.tool, prepared.tool));
    }
    let told = telling(&differences, failed)?;
    Some(format!("{} failed {times} ({error}{WORKED}with {told}", failed.tool))
}

/// Whether a call may be what another one lacked: it changed something, and its name has a word in common with the other's name or error
/// (`create_task`, "there is no task '2'").
fn prepared(operation: &Operation, failed: &Operation) -> bool {
    if !operation.succeeded() || operation.kind() != ToolKind::Other || operation.tool == failed.tool {
        return false;
    }
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).map(str::to_ascii_lowercase).collect()
    };
    let plain = |tool: &str| tool.rsplit("__").next().unwrap_or(tool).to_owned();
    let about = words(&format!("{} {}", plain(&failed.tool), failed.error.as_deref().unwrap_or_default()));
    !words(&plain(&operation.tool)).is_disjoint(&about)
}

/// An argument that differed when a call succeeded.
struct Difference<'o> {
    name: &'o str,
    /// In words: `name = new instead of old`.
    told: String,
    /// Whether its value is a text, of which another one asks for something else.
    is_text: bool,
    /// Its value, when it succeeded or, of what was left out, before.
    value: &'o Value,
    /// Whether it was added.
    is_new: bool,
    /// Whether it was left out.
    is_gone: bool,
}

/// The difference that mended a call, in words: the only one, another name for the same value, or the only one that its error names. An
/// argument that was left out beside another difference may belong to that one.
fn telling(differences: &[Difference<'_>], failed: &Operation) -> Option<String> {
    if let [new, gone] = differences
        && new.is_new
        && gone.is_gone
        && new.value == gone.value
    {
        return Some(format!("{} instead of {}", new.name, gone.name));
    }
    let error = failed.error.as_deref().unwrap_or_default();
    let is_named =
        |difference: &&Difference<'_>| error.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == difference.name);
    let mut named = differences.iter().filter(|difference| differences.len() == 1 || is_named(difference));
    let only = named.next().filter(|only| !only.is_text && (differences.len() == 1 || !only.is_gone))?;
    named.next().is_none().then(|| only.told.clone())
}

/// Arguments that differed when it succeeded.
fn differences<'o>(failed: &'o Operation, worked: &'o Operation) -> Vec<Difference<'o>> {
    if failed.is_untold() || worked.is_untold() {
        return Vec::new();
    }
    let (Value::Object(before), Value::Object(after)) = (&failed.arguments, &worked.arguments) else { return Vec::new() };
    let shown = |value: &Value| match value {
        Value::String(text) => format!("\"{}\"", cut(text, VALUE_CHARS)),
        other => cut(&other.to_string(), VALUE_CHARS).to_owned(),
    };
    let changed = after.iter().filter(|(name, value)| before.get(*name) != Some(value)).map(|(name, value)| {
        let told = match before.get(name) {
            Some(old) => format!("{name} = {} instead of {}", shown(value), shown(old)),
            None => format!("{name} = {}", shown(value)),
        };
        Difference { name, told, is_text: is_text(name, value), value, is_new: !before.contains_key(name), is_gone: false }
    });
    let gone = before.iter().filter(|(name, _)| !after.contains_key(*name));
    let gone = gone.map(|(name, value)| {
        let told = format!("no {name}");
        Difference { name, told, is_text: is_text(name, value), value, is_new: false, is_gone: true }
    });
    changed.chain(gone).collect()
}
