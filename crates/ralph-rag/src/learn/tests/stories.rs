//! What belongs to the story of a failure, and what mends it.

use super::*;

#[test]
fn what_only_tells_of_a_program_mends_nothing() {
    let error = Some("error: no database");
    for (failed, told_of) in [
        ("./npx prisma migrate dev", "./npx prisma --version"),
        ("gh pr create", "gh pr --help"),
        ("gh pr create", "gh pr"),
        ("pytest tests/a.py", "pytest --version"),
        ("make test", "make -n test"),
        ("kubectl apply -f a.yaml", "kubectl apply --dry-run=client -f a.yaml"),
    ] {
        let (lessons, _) = told(vec![ran(failed, error), ran(failed, error), ran(told_of, None)]);
        assert!(lessons.iter().all(|lesson| lesson.ends_with("nothing mended it")), "{failed}: {lessons:?}");
        let between = told(vec![ran(failed, error), ran(told_of, None), ran(failed, error), edited("src/a.rs"), ran(failed, None)]).0;
        assert_eq!(between, [format!("`{failed}` failed 2 times (error: no database) and passed after src/a.rs was changed")]);
    }
}

#[test]
fn what_a_command_reads_from_is_told_as_what_was_different() {
    let error = Some("error: no total");
    let read = |from: &str| format!("sh check.sh < {from}");
    let mended =
        |failed: &str, worked: &str| told(vec![ran(failed, error), ran(failed, error), edited("docs/unrelated.md"), ran(worked, None)]).0;
    let by_input = mended(&read("old.txt"), &read("new.txt"));
    assert_eq!(by_input, ["`sh check.sh < old.txt` failed 2 times (error: no total) and worked as `sh check.sh < new.txt`"]);
    let by_output = mended("sh gen.sh > /sys/a", "sh gen.sh > a");
    assert_eq!(by_output, ["`sh gen.sh > /sys/a` failed 2 times (error: no total) and worked as `sh gen.sh > a`"]);
    let as_before = mended("sh check.sh", "sh check.sh > log 2>&1");
    assert_eq!(as_before, ["`sh check.sh` failed 2 times (error: no total) and passed after docs/unrelated.md was changed"]);
}

#[test]
fn a_story_is_made_of_failures_with_one_thing() {
    let refused = Some("priority: \"urgent\" is not accepted");
    let of_another = updates(&[
        (json!({"id": 1, "priority": "urgent"}), refused),
        (json!({"id": 2, "priority": "urgent"}), Some("a person decides on this task")),
        (json!({"id": 1, "priority": "high"}), None),
    ]);
    assert_eq!(of_another, [""; 0], "once of each");
    let lessons = updates(&[
        (json!({"task_id": 1, "priority": "urgent"}), refused),
        (json!({"task_id": 1, "priority": "urgent"}), refused),
        (json!({"task_id": 2, "priority": "urgent"}), Some("a person decides on this task")),
        (json!({"task_id": 1, "priority": "high"}), None),
    ]);
    assert_eq!(
        lessons,
        ["update_task failed 2 times (priority: \"urgent\" is not accepted) and worked with priority = \"high\" instead of \"urgent\""]
    );
    // What was missing is what was different.
    let missing = Some("task_id: is missing");
    let lessons = updates(&[(json!({}), missing), (json!({}), missing), (json!({"task_id": 1}), None)]);
    assert_eq!(lessons, ["update_task failed 2 times (task_id: is missing) and worked with task_id = 1"]);
    // An agent that reports its calls in a line names no arguments.
    let untold = |line: &str, error| Operation { arguments: Operation::untold(&[], line), ..call("update_task", error) };
    let told_in_full = Operation { arguments: json!({"id": 1, "priority": "high"}), ..call("update_task", None) };
    assert_eq!(told(vec![untold("a", refused), untold("b", refused), told_in_full]).0, [""; 0]);
}
