use super::*;
use ralph_core::time::Timestamp;
use serde_json::json;

fn call(tool: &str, error: Option<&str>) -> Operation {
    Operation { tool: tool.into(), arguments: json!({}), error: error.map(str::to_owned), at: Timestamp(1), duration_ms: 1 }
}

fn settings(mode: LearningMode) -> AutomaticLearning {
    AutomaticLearning { mode, ..AutomaticLearning::of_a_new_project() }
}

#[test]
fn three_ingestions_or_what_was_looked_up_and_changed_complete_a_task() {
    let ingest = vec![call("rag.ingest_file", None); 3];
    let found = detect_task_completion(&ingest).expect("found");
    assert_eq!((found.confidence, found.situation.as_str()), (0.8, "Multiple files were ingested"));
    assert!(detect_task_completion(&ingest[..2]).is_none(), "two are not enough");
    let mixed = [call("rag.search", None), call("rag.get_context", None), call("read", None)];
    assert_eq!(detect_task_completion(&mixed).map(|found| found.confidence), Some(0.75));
    assert!(detect_task_completion(&[call("a", None), call("b", None), call("c", None)]).is_none());
    assert!(detect_task_completion(&vec![call("read", None); 3]).is_none(), "reading alone completes nothing");
}

#[test]
fn one_tool_that_fails_or_works_again_and_again_is_a_pattern() {
    let failing = [call("rag.search", Some("x")), call("read", None), call("rag.search", Some("y"))];
    let found = detect_pattern(&failing).expect("found");
    assert_eq!((found.kind, found.confidence), (DetectionKind::RepeatedFailure, 0.85));
    assert!(found.situation.contains("rag.search"));
    let working = vec![call("rag.search", None); 3];
    assert_eq!(detect_pattern(&working).map(|found| (found.kind, found.confidence)), Some((DetectionKind::RepeatedSuccess, 0.8)));
    let two = [call("a", Some("x")), call("b", Some("y")), call("c", None)];
    assert!(detect_pattern(&two).is_none(), "two tools that fail once each");
    assert!(detect_pattern(&failing[..2]).is_none());
}

#[test]
fn what_failed_twice_and_then_works_is_told_once_with_what_was_different() {
    let mut tracker = Tracker::default();
    let update =
        |status: &str, error: Option<&str>| Operation { arguments: json!({"id": 1, "status": status}), ..call("update_task", error) };
    assert!(tracker.track_operation(update("finished", Some("status: 'finished' is no status\nmore"))).is_none());
    assert!(tracker.track_operation(call("list_tasks", None)).is_none());
    assert!(tracker.track_operation(update("finished", Some("status: 'finished' is no status"))).is_none());
    let found = tracker.track_operation(update("done", None)).expect("mended");
    assert_eq!((found.kind, found.operations.len()), (DetectionKind::MendedFailure, 3));
    assert_eq!(
        lesson_of(&found).as_deref(),
        Some("update_task failed 2 times (status: 'finished' is no status) and worked with status = \"done\" instead of \"finished\"")
    );
    assert!(tracker.track_operation(update("done", None)).is_none(), "its operations are consumed");
}

#[test]
fn nothing_is_told_where_nothing_was_different_or_it_failed_once() {
    let mut tracker = Tracker::default();
    for error in [Some("busy"), Some("busy")] {
        tracker.track_operation(call("get_task", error));
    }
    let found = tracker.track_operation(call("get_task", None)).expect("mended");
    assert_eq!(lesson_of(&found), None, "it passed by itself");
    tracker.track_operation(call("x", Some("once")));
    assert!(tracker.track_operation(call("x", None)).is_none());
    let secret = |arguments, error: Option<&str>| Operation { arguments, ..call("t", error) };
    for _ in 0..2 {
        tracker.track_operation(secret(json!({"key": 1}), Some("ghp_abcdefghijklmnopqrstuvwxyz0123456789 is refused")));
    }
    let found = tracker.track_operation(secret(json!({}), None)).expect("mended");
    assert!(!lesson_of(&found).expect("told").contains("ghp_"));
}

#[test]
fn the_ring_is_bounded() {
    let mut tracker = Tracker::default();
    for _ in 0..3 * RING {
        tracker.track_operation(call("x", Some("no")));
    }
    assert_eq!(tracker.ring.len(), RING);
}

#[test]
fn the_mode_decides_and_the_switches_narrow_it() {
    use DetectionKind::{MendedFailure, RepeatedSuccess, TaskCompletion};
    for (mode, completion, mended, success) in [
        (LearningMode::Aggressive, true, true, true),
        (LearningMode::Moderate, true, true, false),
        (LearningMode::Minimal, false, false, false),
    ] {
        let learnt = [TaskCompletion, MendedFailure, RepeatedSuccess].map(|kind| should_auto_learn(&settings(mode), kind));
        assert_eq!(learnt, [completion, mended, success], "{mode}");
    }
    let narrowed = AutomaticLearning { track_operations: false, ..settings(LearningMode::Aggressive) };
    assert!(!should_auto_learn(&narrowed, MendedFailure) && should_auto_learn(&narrowed, TaskCompletion));
    assert!(!should_auto_learn(&AutomaticLearning::default(), MendedFailure), "a file that says nothing is off");
}
