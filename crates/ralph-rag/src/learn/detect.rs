//! What a row of operations comes to.

use super::{Detection, Operation};
use ralph_core::detection::{DetectionKind, ToolKind};

/// Operations that a task takes at least.
const TASK_OPERATIONS: usize = 3;
/// Operations that a pattern is looked for in.
const PATTERN_OPERATIONS: usize = 5;
/// Failures, and successes, of one tool that are a pattern.
const FAILURES: usize = 2;
const SUCCESSES: usize = 3;
/// How sure the detectors are. Provisional: not measured yet.
const INGESTED: f64 = 0.8;
const CODED: f64 = 0.75;
const FAILED: f64 = 0.85;
const WORKED: f64 = 0.8;

fn detection(kind: DetectionKind, words: [&str; 3], confidence: f64, operations: &[Operation]) -> Detection {
    let [situation, action, outcome] = words.map(str::to_owned);
    Detection { kind, situation, action, outcome, confidence, operations: operations.to_vec() }
}

/// Whether the newest operations come to the end of a task: three files that were taken in, or what was looked up, read and changed.
pub fn detect_task_completion(operations: &[Operation]) -> Option<Detection> {
    let last = operations.len().checked_sub(TASK_OPERATIONS).map(|from| &operations[from..])?;
    let kinds: Vec<ToolKind> = last.iter().map(|operation| ToolKind::of(&operation.tool)).collect();
    let kind = DetectionKind::TaskCompletion;
    if kinds.iter().all(|kind| *kind == ToolKind::Ingest) && last.iter().all(Operation::succeeded) {
        let words = ["Multiple files were ingested", "File ingestion completed successfully", "All files processed without errors"];
        return Some(detection(kind, words, INGESTED, last));
    }
    let looked_up = kinds.iter().any(|kind| matches!(kind, ToolKind::Search | ToolKind::Context));
    let worked_on = kinds.iter().any(|kind| matches!(kind, ToolKind::Read | ToolKind::Edit));
    (looked_up && worked_on).then(|| {
        let words = [
            "Information retrieval and code modification",
            "Searched, retrieved context, and modified code",
            "Task completed with updated codebase",
        ];
        detection(kind, words, CODED, last)
    })
}

/// Whether one tool fails, or works, again and again among the newest operations; others between them don't matter to failures.
pub fn detect_pattern(operations: &[Operation]) -> Option<Detection> {
    if operations.len() < TASK_OPERATIONS {
        return None;
    }
    let last = &operations[operations.len().saturating_sub(PATTERN_OPERATIONS)..];
    let of_one_tool = |succeeded: bool, least: usize| {
        let found: Vec<&Operation> = last.iter().filter(|operation| operation.succeeded() == succeeded).collect();
        let (first, rest) = found.split_first()?;
        (found.len() >= least && rest.iter().all(|other| other.tool == first.tool)).then(|| first.tool.clone())
    };
    if let Some(tool) = of_one_tool(false, FAILURES) {
        let words = [
            format!("Repeated failures in {tool}"),
            format!("Attempted {tool} multiple times without success"),
            "Pattern detected: operation failing repeatedly".to_owned(),
        ];
        return Some(detection(DetectionKind::RepeatedFailure, words.each_ref().map(String::as_str), FAILED, last));
    }
    let tool = of_one_tool(true, SUCCESSES)?;
    let words = [
        format!("Repeated success with {tool}"),
        format!("Successfully used {tool} multiple times"),
        "Pattern detected: operation consistently succeeds".to_owned(),
    ];
    Some(detection(DetectionKind::RepeatedSuccess, words.each_ref().map(String::as_str), WORKED, last))
}

/// Whether the newest operation mends what failed at least twice before: the same tool, among the newest operations before it.
pub(super) fn detect_mended_failure(operations: &[Operation]) -> Option<Detection> {
    let (newest, before) = operations.split_last().filter(|(newest, _)| newest.succeeded())?;
    let last = &before[before.len().saturating_sub(PATTERN_OPERATIONS)..];
    let of_tool = last.iter().filter(|operation| operation.tool == newest.tool);
    // What worked before the failures began is another story; only what failed since the last success was mended.
    let failures: Vec<&Operation> = of_tool.rev().take_while(|operation| !operation.succeeded()).collect();
    if failures.len() < FAILURES {
        return None;
    }
    let consumed: Vec<Operation> = failures.into_iter().rev().chain([newest]).cloned().collect();
    let tool = &newest.tool;
    let words = [format!("{tool} failed {} times", consumed.len() - 1), format!("Called {tool} otherwise"), "It worked".to_owned()];
    Some(detection(DetectionKind::MendedFailure, words.each_ref().map(String::as_str), FAILED, &consumed))
}
