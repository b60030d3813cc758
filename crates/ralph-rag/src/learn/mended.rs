//! What a mended failure says: how it failed, and what was different when it worked.

use super::{Detection, Operation};
use crate::clean::clean;
use ralph_core::detection::DetectionKind;
use ralph_core::limits;
use ralph_core::text::cut;
use serde_json::Value;

/// Characters of an error and of a value that the words repeat.
const ERROR_CHARS: usize = 160;
const VALUE_CHARS: usize = 80;
/// Arguments whose difference is told.
const DIFFERENCES: usize = 3;

/// The lesson of a detection that a rule can tell; `None` where it takes somebody who understands, or where nothing was different.
pub fn lesson_of(detection: &Detection) -> Option<String> {
    if detection.kind != DetectionKind::MendedFailure {
        return None;
    }
    let (worked, failures) = detection.operations.split_last()?;
    let failed = failures.last()?;
    let differences = differences(failed, worked);
    let (first, rest) = differences.split_first()?;
    let mut told = vec![first.clone()];
    told.extend(rest.iter().take(DIFFERENCES - 1).cloned());
    let error = failed.error.as_deref().unwrap_or_default();
    let error = cut(error.lines().next().unwrap_or_default().trim(), ERROR_CHARS);
    let times = failures.len();
    let lesson = format!("{} failed {times} times ({error}) and worked with {}", failed.tool, told.join(", "));
    let lesson = clean(&lesson, limits::EPISODE_CHARS).text;
    (!lesson.trim().is_empty()).then_some(lesson)
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
