//! Detections in a sequence of operations.

use super::{Detection, Operation};
use ralph_core::detection::{DetectionKind, ToolKind};

/// Minimum operations of a task.
const TASK_OPERATIONS: usize = 3;
/// Operations searched for a pattern.
const PATTERN_OPERATIONS: usize = 5;
/// Failures, or successes, of one tool that form a pattern.
const FAILURES: usize = 2;
const SUCCESSES: usize = 3;
/// Confidence of the detectors. Provisional: not measured yet.
const INGESTED: f64 = 0.8;
const CODED: f64 = 0.75;
const FAILED: f64 = 0.85;
const WORKED: f64 = 0.8;

/// Whether the newest operations complete a task: three ingested files, or a search, a read and a change.
pub fn detect_task_completion(operations: &[Operation]) -> Option<Detection> {
    let last = operations.len().checked_sub(TASK_OPERATIONS).map(|from| &operations[from..])?;
    let kinds: Vec<ToolKind> = last.iter().map(Operation::kind).collect();
    let kind = DetectionKind::TaskCompletion;
    if kinds.iter().all(|kind| *kind == ToolKind::Ingest) && last.iter().all(Operation::succeeded) {
        let words = ["Multiple files were ingested", "File ingestion completed successfully", "All files processed without errors"];
        return Some(Detection::of(kind, words, INGESTED, last.to_vec()));
    }
    let looked_up = kinds.iter().any(|kind| matches!(kind, ToolKind::Search | ToolKind::Context));
    let worked_on = kinds.iter().any(|kind| matches!(kind, ToolKind::Read | ToolKind::Edit));
    (looked_up && worked_on).then(|| {
        let words = [
            "Information retrieval and code modification",
            "Searched, retrieved context, and modified code",
            "Task completed with updated codebase",
        ];
        Detection::of(kind, words, CODED, last.to_vec())
    })
}

/// Whether one tool fails, or succeeds, repeatedly among the newest operations; for failures, others in between don't matter.
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
        return Some(Detection::of(DetectionKind::RepeatedFailure, words, FAILED, last.to_vec()));
    }
    let tool = of_one_tool(true, SUCCESSES)?;
    let words = [
        format!("Repeated success with {tool}"),
        format!("Successfully used {tool} multiple times"),
        "Pattern detected: operation consistently succeeds".to_owned(),
    ];
    Some(Detection::of(DetectionKind::RepeatedSuccess, words, WORKED, last.to_vec()))
}
