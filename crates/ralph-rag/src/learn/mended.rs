//! Failures that are told: what failed again and again and then worked, and what never did. Only what the calls themselves say: how it
//! failed, and what was different when it worked.

use super::{Detection, Operation};
use crate::clean::clean;
use ralph_core::detection::{DetectionKind, ToolKind};
use ralph_core::limits;
use ralph_core::memory::LessonType;
use ralph_core::text::cut;
use serde_json::Value;

/// Failures from which it is no accident.
const FAILURES: usize = 2;
/// How sure it is. The seed's; provisional, not measured yet.
const CONFIDENCE: f64 = 0.85;
/// Characters of an error, of a value and of a command that the words repeat.
const ERROR_CHARS: usize = 160;
const VALUE_CHARS: usize = 80;
const COMMAND_CHARS: usize = 140;
/// Arguments, and files, whose difference is told.
const DIFFERENCES: usize = 3;
/// Words by which the line of an error is found among the others of an output.
const ERROR_WORDS: [&str; 8] = ["error", "failed", "panicked", "not found", "no such", "cannot", "exception", "denied"];

/// Whether the newest operation mends what failed at least twice since it last worked.
pub(super) fn detect_mended_failure(operations: &[Operation]) -> Option<Detection> {
    let (newest, before) = operations.split_last().filter(|(newest, _)| newest.succeeded())?;
    let name = newest.name();
    // What worked before the failures began is another story; only what failed since the last success was mended.
    let since = before.iter().rposition(|operation| operation.succeeded() && operation.name() == name).map_or(0, |at| at + 1);
    let first = before[since..].iter().position(|operation| operation.name() == name)? + since;
    let story: Vec<&Operation> = before[first..].iter().filter(|operation| operation.name() == name || is_edit(operation)).collect();
    let failures = story.iter().filter(|operation| operation.name() == name).count();
    if failures < FAILURES {
        return None;
    }
    let consumed: Vec<Operation> = story.into_iter().chain([newest]).cloned().collect();
    let words = [format!("{name} failed {failures} times"), format!("Called {name} otherwise"), "It worked".to_owned()];
    Some(Detection::of(DetectionKind::MendedFailure, words, CONFIDENCE, consumed))
}

/// What failed at least twice in the same way, and did not work since.
pub(super) fn unmended_failures(operations: &[Operation]) -> Vec<Detection> {
    let mut found: Vec<Detection> = Vec::new();
    for (at, last) in operations.iter().enumerate().filter(|(_, operation)| !operation.succeeded()) {
        let name = last.name();
        if operations[at + 1..].iter().any(|later| later.name() == name) {
            continue;
        }
        let since = operations[..at].iter().rposition(|other| other.succeeded() && other.name() == name).map_or(0, |at| at + 1);
        let same = |other: &&Operation| other.name() == name && other.error == last.error;
        let failures: Vec<Operation> = operations[since..=at].iter().filter(same).cloned().collect();
        if failures.len() >= FAILURES {
            let words = [
                format!("Repeated failures in {name}"),
                format!("Attempted {name} multiple times without success"),
                "Pattern detected: operation failing repeatedly".to_owned(),
            ];
            found.push(Detection::of(DetectionKind::RepeatedFailure, words, CONFIDENCE, failures));
        }
    }
    found
}

/// The lesson of a detection that a rule can tell, and of which type; `None` where it takes somebody who understands, or where nothing
/// was different.
pub fn lesson_of(detection: &Detection) -> Option<(LessonType, String)> {
    let (last, before) = detection.operations.split_last()?;
    let (lesson_type, lesson) = match detection.kind {
        DetectionKind::MendedFailure => (LessonType::Mistake, mended(before, last)?),
        DetectionKind::RepeatedFailure => {
            let times = detection.operations.len();
            (LessonType::Failure, format!("{} failed {times} times ({}), and nothing mended it", called(last), error_of(last)))
        }
        DetectionKind::TaskCompletion | DetectionKind::RepeatedSuccess => return None,
    };
    let lesson = clean(&lesson, limits::EPISODE_CHARS).text;
    (!lesson.trim().is_empty()).then_some((lesson_type, lesson))
}

fn mended(before: &[Operation], worked: &Operation) -> Option<String> {
    let failures: Vec<&Operation> = before.iter().filter(|operation| !operation.succeeded()).collect();
    let failed = failures.last()?;
    let (times, error) = (failures.len(), error_of(failed));
    if let (Some(old), Some(new)) = (failed.command(), worked.command()) {
        let (old, new) = (old.trim(), new.trim());
        if old != new {
            return Some(format!(
                "`{}` failed {times} times ({error}) and worked as `{}`",
                cut(old, COMMAND_CHARS),
                cut(new, COMMAND_CHARS)
            ));
        }
        let files = edited(before);
        if files.is_empty() {
            return None;
        }
        return Some(format!("`{}` failed {times} times ({error}) and passed after {} changed", cut(old, COMMAND_CHARS), listed(&files)));
    }
    let differences = differences(failed, worked);
    if differences.is_empty() {
        return None;
    }
    let told = differences.iter().take(DIFFERENCES).cloned().collect::<Vec<_>>().join(", ");
    Some(format!("{} failed {times} times ({error}) and worked with {told}", failed.tool))
}

fn is_edit(operation: &Operation) -> bool {
    operation.succeeded() && operation.kind() == ToolKind::Edit
}

/// Files that were changed, each once, in the order of the last change.
fn edited(operations: &[Operation]) -> Vec<&str> {
    let mut files: Vec<&str> = Vec::new();
    for operation in operations.iter().filter(|operation| is_edit(operation)) {
        for path in paths_of(&operation.arguments) {
            files.retain(|known| *known != path);
            files.push(path);
        }
    }
    files
}

/// Files that a call names in its arguments.
pub(super) fn paths_of(arguments: &Value) -> Vec<&str> {
    let listed = arguments["paths"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let named = ["file_path", "filePath", "notebook_path", "path"].iter().filter_map(|key| arguments[*key].as_str());
    let mut paths: Vec<&str> = listed.chain(named).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

fn listed(files: &[&str]) -> String {
    let shown = files.iter().rev().take(DIFFERENCES).copied().collect::<Vec<_>>().join(", ");
    match files.len().saturating_sub(DIFFERENCES) {
        0 => format!("{shown} {}", if files.len() == 1 { "was" } else { "were" }),
        more => format!("{shown} and {more} more were"),
    }
}

fn called(operation: &Operation) -> String {
    match operation.command() {
        Some(command) => format!("`{}`", cut(command.trim(), COMMAND_CHARS)),
        None => operation.tool.clone(),
    }
}

/// The line of an error that says most.
fn error_of(operation: &Operation) -> &str {
    let text = operation.error.as_deref().unwrap_or_default();
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Exit code"));
    let telling = |line: &&str| ERROR_WORDS.iter().any(|word| line.to_ascii_lowercase().contains(word));
    let line = lines().find(telling).or_else(|| lines().next()).or_else(|| text.lines().next()).unwrap_or_default();
    cut(line.trim(), ERROR_CHARS)
}

/// Arguments that were other ones when it worked, each as `name = new instead of old`.
fn differences(failed: &Operation, worked: &Operation) -> Vec<String> {
    let (Value::Object(before), Value::Object(after)) = (&failed.arguments, &worked.arguments) else { return Vec::new() };
    let shown = |value: &Value| match value {
        Value::String(text) => format!("\"{}\"", cut(text, VALUE_CHARS)),
        other => cut(&other.to_string(), VALUE_CHARS).to_owned(),
    };
    let mut differences: Vec<String> = after
        .iter()
        .filter(|(name, value)| before.get(*name) != Some(value))
        .map(|(name, value)| match before.get(name) {
            Some(old) => format!("{name} = {} instead of {}", shown(value), shown(old)),
            None => format!("{name} = {}", shown(value)),
        })
        .collect();
    differences.extend(before.keys().filter(|name| !after.contains_key(*name)).map(|name| format!("no {name}")));
    differences
}
