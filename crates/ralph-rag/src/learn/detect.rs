//! Detections in a sequence of operations.

use super::commands::purpose;
use super::{Detection, Operation};
use ralph_core::detection::{DetectionKind, ToolKind};
use ralph_core::settings::AutomaticLearning;

/// Operations before the last step of a deployment in which the others are looked for: what comes earlier was other work.
const DEPLOYMENT_OPERATIONS: usize = 20;

/// Whether the newest operations complete a task: files were ingested, or something was looked up, read and changed.
pub fn detect_task_completion(operations: &[Operation], settings: &AutomaticLearning) -> Option<Detection> {
    let last = operations.len().checked_sub(settings.task_operations as usize).map(|from| &operations[from..])?;
    let kinds: Vec<ToolKind> = last.iter().map(Operation::kind).collect();
    let kind = DetectionKind::TaskCompletion;
    if kinds.iter().all(|kind| *kind == ToolKind::Ingest) && last.iter().all(Operation::succeeded) {
        let words = ["Multiple files were ingested", "File ingestion completed successfully", "All files processed without errors"];
        return Some(Detection::of(kind, words, settings.ingested_confidence, last.to_vec()));
    }
    let looked_up = kinds.iter().any(|kind| matches!(kind, ToolKind::Search | ToolKind::Context));
    let worked_on = kinds.iter().any(|kind| matches!(kind, ToolKind::Read | ToolKind::Edit));
    (looked_up && worked_on).then(|| {
        let words = [
            "Information retrieval and code modification",
            "Searched, retrieved context, and modified code",
            "Task completed with updated codebase",
        ];
        Detection::of(kind, words, settings.changed_confidence, last.to_vec())
    })
}

/// Whether the newest operation deploys what was built and tested before it: each by a command of its own, in this order, and the newest of
/// each worked.
pub fn detect_deployment(operations: &[Operation], settings: &AutomaticLearning) -> Option<Detection> {
    let is_for = |operation: &Operation, step: &str| operation.command().and_then(purpose) == Some(step);
    let (deploy, before) = operations.split_last().filter(|(newest, _)| newest.worked() && is_for(newest, "deploy"))?;
    let before = &before[before.len().saturating_sub(DEPLOYMENT_OPERATIONS)..];
    let last_of =
        |step: &str, before: &[Operation]| before.iter().rposition(|operation| is_for(operation, step)).filter(|at| before[*at].worked());
    let test = last_of("test", before)?;
    let build = last_of("build", &before[..test])?;
    let words = ["A build was tested and deployed", "Ran the build, the tests and the deployment", "The deployment succeeded"];
    let steps = vec![before[build].clone(), before[test].clone(), deploy.clone()];
    Some(Detection::of(DetectionKind::TaskCompletion, words, settings.changed_confidence, steps))
}

/// Whether the newest operations ask the same again and again.
pub fn detect_repeated_query(operations: &[Operation], settings: &AutomaticLearning) -> Option<Detection> {
    let query = asked(operations.last()?)?;
    let last = &operations[operations.len().saturating_sub(settings.pattern_operations as usize)..];
    let same: Vec<Operation> = last.iter().filter(|operation| asked(operation).as_ref() == Some(&query)).cloned().collect();
    (same.len() >= settings.pattern_successes as usize).then(|| {
        let words = [
            format!("Repeated query: {}", query.join(" ")),
            format!("Asked the same {} times", same.len()),
            "Pattern detected: one question is asked again and again".to_owned(),
        ];
        Detection::of(DetectionKind::RepeatedQuery, words, settings.worked_confidence, same)
    })
}

/// The words that an operation asks for, in a fixed order.
fn asked(operation: &Operation) -> Option<Vec<String>> {
    if !matches!(operation.kind(), ToolKind::Search | ToolKind::Context) {
        return None;
    }
    let text = ["query", "pattern", "text"].iter().find_map(|key| operation.arguments[*key].as_str())?;
    let plain = |word: &str| word.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect::<String>().to_lowercase();
    let mut words: Vec<String> = text.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    (!words.is_empty()).then_some(words)
}

/// Whether one tool fails, or works, again and again among the newest operations; others between them don't matter to failures. For
/// commands each program with its subcommand is a tool.
pub fn detect_pattern(operations: &[Operation], settings: &AutomaticLearning) -> Option<Detection> {
    let last = &operations[operations.len().saturating_sub(settings.pattern_operations as usize)..];
    let of_one_tool = |succeeded: bool, least: usize| {
        let found: Vec<&Operation> = last.iter().filter(|operation| operation.succeeded() == succeeded).collect();
        let first = found.first()?.tried();
        (found.len() >= least && found.iter().all(|other| other.tried().is_like(&first))).then_some(first.name)
    };
    if let Some(tool) = of_one_tool(false, settings.pattern_failures as usize) {
        let words = [
            format!("Repeated failures in {tool}"),
            format!("Attempted {tool} multiple times without success"),
            "Pattern detected: operation failing repeatedly".to_owned(),
        ];
        return Some(Detection::of(DetectionKind::RepeatedFailure, words, settings.failed_confidence, last.to_vec()));
    }
    let tool = of_one_tool(true, settings.pattern_successes as usize)?;
    let words = [
        format!("Repeated success with {tool}"),
        format!("Successfully used {tool} multiple times"),
        "Pattern detected: operation consistently succeeds".to_owned(),
    ];
    Some(Detection::of(DetectionKind::RepeatedSuccess, words, settings.worked_confidence, last.to_vec()))
}
