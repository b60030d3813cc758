use super::*;
use ralph_core::memory::LessonType;
use ralph_core::time::Timestamp;
use serde_json::{Value, json};

mod causes;
mod named;
mod parts;
mod stories;

fn call(tool: &str, error: Option<&str>) -> Operation {
    Operation { error: error.map(str::to_owned), ..Operation::of(tool, json!({}), Timestamp(1)) }
}

fn settings(mode: LearningMode) -> AutomaticLearning {
    AutomaticLearning { mode, ..AutomaticLearning::of_a_new_project() }
}

#[test]
fn three_ingestions_or_what_was_looked_up_and_changed_complete_a_task() {
    let detect_task_completion = |operations: &[Operation]| detect_task_completion(operations, &AutomaticLearning::default());
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
    let detect_pattern = |operations: &[Operation]| detect_pattern(operations, &AutomaticLearning::default());
    let failing = [call("rag.search", Some("x")), call("read", None), call("rag.search", Some("y"))];
    let found = detect_pattern(&failing).expect("found");
    assert_eq!((found.kind, found.confidence), (DetectionKind::RepeatedFailure, 0.85));
    assert!(found.situation.contains("rag.search"));
    let working = vec![call("rag.search", None); 3];
    assert_eq!(detect_pattern(&working).map(|found| (found.kind, found.confidence)), Some((DetectionKind::RepeatedSuccess, 0.8)));
    let two = [call("a", Some("x")), call("b", Some("y")), call("c", None)];
    assert!(detect_pattern(&two).is_none(), "two tools that fail once each");
    assert!(detect_pattern(&failing[..2]).is_none());
    let at_once = detect_pattern(&[call("rag.search", Some("x")), call("rag.search", Some("x"))]).expect("two failures are enough");
    assert!(at_once.situation.to_lowercase().contains("repeated"), "{at_once:?}");
}

#[test]
fn settings_say_how_many_and_how_sure() {
    let patient = AutomaticLearning { pattern_failures: 3, failed_confidence: 0.7, task_operations: 4, ..AutomaticLearning::default() };
    let mut tracker = Tracker::default();
    tracker.tune(&patient);
    let update = |status: &str, error| Operation { arguments: json!({ "status": status }), ..call("update_task", error) };
    for _ in 0..2 {
        assert_eq!(tracker.track_operation(update("x", Some("no"))), None);
    }
    assert_eq!(tracker.track_operation(update("done", None)), None, "two are too few here");
    for _ in 0..3 {
        tracker.track_operation(update("x", Some("no")));
    }
    assert_eq!(tracker.track_operation(update("done", None)).map(|found| found.confidence), Some(0.7));
    let steps = [call("search", None), call("read", None), edited("a")];
    assert_eq!(detect_task_completion(&steps, &patient), None);
}

#[test]
fn a_build_that_is_tested_and_deployed_completes_a_task() {
    let steps = [ran("npm run build", None), ran("npm test", None), ran("cat dist/x", None), ran("npm run deploy", None)];
    let found = detect_deployment(&steps, &AutomaticLearning::default()).expect("found");
    assert_eq!((found.kind, found.confidence, found.operations.len()), (DetectionKind::TaskCompletion, 0.75, 3));
    for steps in [
        vec![ran("npm test", None), ran("npm run build", None), ran("npm run deploy", None)],
        vec![ran("npm run build", None), ran("npm test", Some("2 failed")), ran("npm run deploy", None)],
        vec![ran("npm run build", None), ran("npm test", None), ran("npm run deploy", Some("403"))],
        vec![ran("npm run build", None), ran("npm test", None)],
    ] {
        assert_eq!(detect_deployment(&steps, &AutomaticLearning::default()), None, "{steps:?}");
    }
    let mut tracker = Tracker::default();
    let steps = ["kubectl get pods", "cargo build --release", "cargo test", "kubectl apply -f app.yaml"];
    let found: Vec<Detection> = steps.into_iter().filter_map(|command| tracker.track_operation(ran(command, None))).collect();
    assert_eq!(found.iter().map(|found| found.kind).collect::<Vec<_>>(), [DetectionKind::TaskCompletion]);
}

#[test]
fn the_same_question_asked_three_times_is_a_repeated_query() {
    let ask = |query: &str| Operation { arguments: json!({ "query": query }), ..call("search", None) };
    let mut tracker = Tracker::default();
    let asked = [ask("refund window"), call("Read", None), ask("Window, refund?"), ask("refund window")];
    let found: Vec<Detection> = asked.into_iter().filter_map(|operation| tracker.track_operation(operation)).collect();
    // The first three operations look something up and read.
    assert_eq!(found.iter().map(|found| found.kind).collect::<Vec<_>>(), [DetectionKind::TaskCompletion]);
    let mut tracker = Tracker::default();
    let found: Vec<Detection> = (0..3).filter_map(|_| tracker.track_operation(ask("a lock"))).collect();
    let [found] = &found[..] else { panic!("{found:?}") };
    assert_eq!((found.kind, found.confidence, lesson_of(found)), (DetectionKind::RepeatedQuery, 0.8, None));
    let others = [ask("one"), ask("two"), ask("three")];
    assert_eq!(detect_repeated_query(&others, &AutomaticLearning::default()), None);
}

#[test]
fn what_failed_twice_and_then_works_is_told_once_with_what_was_different() {
    let mut tracker = Tracker::default();
    let update =
        |status: &str, error: Option<&str>| Operation { arguments: json!({"id": 1, "status": status}), ..call("update_task", error) };
    assert!(tracker.track_operation(update("finished", Some("status: 'finished' is not a status\nmore"))).is_none());
    assert!(tracker.track_operation(call("list_tasks", None)).is_none());
    assert!(tracker.track_operation(update("finished", Some("status: 'finished' is not a status"))).is_none());
    let found = tracker.track_operation(update("done", None)).expect("mended");
    assert_eq!((found.kind, found.operations.len()), (DetectionKind::MendedFailure, 3));
    let lesson = lesson_of(&found).map(|(_, lesson)| lesson);
    assert_eq!(
        lesson.as_deref(),
        Some("update_task failed 2 times (status: 'finished' is not a status) and worked with status = \"done\" instead of \"finished\"")
    );
    assert!(tracker.track_operation(update("done", None)).is_none(), "its operations are consumed");
}

/// What a tracker reports about `update_task` with these arguments, or about `create_task` if they are only a title.
fn updates(calls: &[(Value, Option<&str>)]) -> Vec<String> {
    let tool = |arguments: &Value| if arguments["title"].is_null() { "update_task" } else { "create_task" };
    told(calls.iter().map(|(arguments, error)| Operation { arguments: arguments.clone(), ..call(tool(arguments), *error) }).collect()).0
}

#[test]
fn a_tool_that_refuses_other_arguments_each_time_is_mended_too() {
    let by_value = updates(&[
        (json!({"id": 1, "status": "finished"}), Some("status: \"finished\" is not accepted")),
        (json!({"id": 1, "status": "completed"}), Some("status: \"completed\" is not accepted")),
        (json!({"id": 1, "status": "done"}), None),
    ]);
    let lesson =
        "update_task failed 2 times (status: \"completed\" is not accepted) and worked with status = \"done\" instead of \"completed\"";
    assert_eq!(by_value, [lesson]);
    let of_another_argument = updates(&[
        (json!({"id": 1, "priority": "urgent", "status": "done"}), Some("priority: \"urgent\" is not accepted")),
        (json!({"id": 1, "priority": "high", "status": "finished"}), Some("status: \"finished\" is not accepted")),
        (json!({"id": 1, "priority": "high", "status": "done"}), None),
    ]);
    let lesson = "update_task failed once (status: \"finished\" is not accepted) and worked with status = \"done\" instead of \"finished\"";
    assert_eq!(of_another_argument, [lesson]);
    let by_another_call = [
        (json!({"id": 2}), Some("there is no task '2'")),
        (json!({"id": 2}), Some("there is no task '2'")),
        (json!({"title": "Second"}), None),
        (json!({"id": 2}), None),
    ];
    let lesson = "update_task failed 2 times (there is no task '2') and worked after create_task was called";
    assert_eq!(updates(&by_another_call), [lesson]);
    let unrelated = [call("get_it", Some("busy")), call("get_it", Some("busy")), call("TodoWrite", None), call("get_it", None)];
    assert_eq!(told(unrelated.into()), (vec![], 1), "it passed by itself");
}

#[test]
fn what_is_not_to_be_learnt_from_is_not_told_as_never_mended() {
    let mut tracker = Tracker::default();
    tracker.track_operation(call("add_fact", Some("subject: is missing")));
    tracker.track_operation(call("add_fact", Some("subject: is missing")));
    tracker.pass_over(&call("add_fact", Some("line: is missing")));
    assert_eq!(tracker.ring.len(), 2);
    tracker.pass_over(&call("add_fact", None));
    assert_eq!(tracker.finish(), []);
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
    assert!(!lesson_of(&found).expect("told").1.contains("ghp_"));
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

fn ran(command: &str, error: Option<&str>) -> Operation {
    Operation { arguments: json!({ "command": command }), ..call("Bash", error) }
}

fn edited(path: &str) -> Operation {
    Operation { arguments: json!({ "file_path": path }), ..call("Edit", None) }
}

/// The lessons a tracker derives from some operations, and the number of detections without one.
fn told(operations: Vec<Operation>) -> (Vec<String>, usize) {
    let mut tracker = Tracker::default();
    let mut found: Vec<Detection> = operations.into_iter().filter_map(|operation| tracker.track_operation(operation)).collect();
    found.extend(tracker.finish());
    let lessons: Vec<Option<(LessonType, String)>> = found.iter().map(lesson_of).collect();
    let without = lessons.iter().filter(|lesson| lesson.is_none()).count();
    (lessons.into_iter().flatten().map(|(_, lesson)| lesson).collect(), without)
}

#[test]
fn a_command_is_mended_by_another_one_or_by_files_that_were_changed() {
    let error = Some("Exit code 101\nCompiling pay\nerror[E0308]: mismatched types");
    let fixed = vec![
        ran("cargo test -p pay", error),
        edited("src/a.rs"),
        call("Read", None),
        ran("cd . && cargo test -p pay", error),
        edited("src/b.rs"),
        edited("src/a.rs"),
        ran("cd . && cargo test -p pay", None),
    ];
    let (lessons, _) = told(fixed);
    assert_eq!(
        lessons,
        ["`cd . && cargo test -p pay` failed 2 times (error[E0308]: mismatched types) and passed after src/a.rs, src/b.rs were changed"]
    );
    let otherwise =
        vec![ran("npm test", Some("Exit code 1\nEADDRINUSE")), ran("npm test", Some("EADDRINUSE")), ran("npm test -- -i", None)];
    assert_eq!(told(otherwise).0, ["`npm test` failed 2 times (EADDRINUSE) and worked as `npm test -- -i`"]);
    let another = vec![ran("cargo test", error), ran("cargo test", Some("other")), ran("ls", None), ran("cargo build", None)];
    assert_eq!(told(another).0, [""; 0], "another command mends nothing");
    let by_a_command = vec![
        ran("cargo test", error),
        edited("src/a.rs"),
        ran("cargo test", error),
        ran("echo KEY=1 >> .env", None),
        ran("cargo test", None),
    ];
    let mut tracker = Tracker::default();
    let found: Vec<Detection> = by_a_command.into_iter().filter_map(|operation| tracker.track_operation(operation)).collect();
    assert_eq!(found.iter().map(|found| found.files(9)).collect::<Vec<_>>(), [[".env", "src/a.rs"]], "as the lesson says");
    let by_itself = vec![ran("cargo test", error), ran("cargo test", error), ran("cargo test", None)];
    assert_eq!(told(by_itself), (vec![], 1));
}

#[test]
fn an_exit_code_that_is_not_the_program_s_own_mends_nothing_and_ends_no_failure() {
    let failed = || vec![ran("npm test", Some("expected 3, got 4")), ran("npm test", Some("expected 3, got 4"))];
    for hidden in ["npm test 2>&1 | tail -5", "npm test || true", "npm test; echo exit=$?"] {
        assert_eq!(told([failed(), vec![ran(hidden, None)]].concat()).0, [""; 0], "{hidden}");
        let then_mended = [failed(), vec![ran(hidden, None), edited("src/a.rs"), ran("npm test", None)]].concat();
        assert_eq!(
            told(then_mended).0,
            ["`npm test` failed 2 times (expected 3, got 4) and passed after src/a.rs was changed"],
            "{hidden}"
        );
    }
    assert_eq!(told([failed(), vec![ran("npm test one", None)]].concat()).0, [""; 0], "one of them worked");
    assert_eq!(told([failed(), vec![ran("npm test 2>&1", None)]].concat()).0, [""; 0], "nothing was different");
}

#[test]
fn a_call_that_asks_for_it_is_learnt_from_whenever_its_story_ends() {
    let asked = Operation { asked: true, ..call("add_fact", Some("subject: is missing")) };
    let mut tracker = Tracker::default();
    tracker.track_operation(asked);
    tracker.track_operation(call("add_fact", Some("subject: is missing")));
    assert!(tracker.finish().iter().all(|detection| detection.asked));
}

#[test]
fn what_fails_in_the_same_way_and_is_never_mended_is_told_at_the_end() {
    let same =
        vec![call("get_task", Some("there is no task '9'")), call("list_tasks", None), call("get_task", Some("there is no task '9'"))];
    assert_eq!(told(same).0, ["get_task failed 2 times (there is no task '9'), and nothing mended it"]);
    let of_nothing = Operation { arguments: json!({ "id": "nope" }), ..call("retire_memory", Some("there is no memory 'nope'")) };
    assert_eq!(told(vec![of_nothing.clone(), of_nothing]).0, [""; 0], "what is not there says nothing about the work");
    let different = vec![call("get_task", Some("there is no task '9'")), call("get_task", Some("busy"))];
    assert_eq!(told(different).0, [""; 0]);
}

#[test]
fn a_task_that_comes_to_its_end_is_told_once_and_only_what_worked_belongs_to_it() {
    let steps = || vec![call("Grep", None), call("Read", None), edited("src/a.rs")];
    assert_eq!(told(steps()), (vec![], 1));
    assert_eq!(told([steps(), steps()].concat()), (vec![], 2));
    assert_eq!(told(vec![call("Grep", None), call("Read", Some("no such file")), edited("a")]), (vec![], 0));
}

#[test]
fn another_script_of_the_same_interpreter_mends_nothing_by_itself() {
    let unset = Some("error: DATABASE_URL is not set");
    let mut tracker = Tracker::default();
    let before = [ran("sh test.sh", unset), ran("sh test.sh", unset), ran("sh migrate.sh", None)];
    assert!(before.into_iter().all(|operation| tracker.track_operation(operation).is_none()));
    let found = tracker.track_operation(ran("sh test.sh", None)).expect("mended");
    let (_, lesson) = lesson_of(&found).expect("a lesson");
    assert!(lesson.ends_with("passed after `sh migrate.sh` was run"), "{lesson}");
    let mut tracker = Tracker::default();
    let others = [ran("npm run build", unset), ran("npm run build", unset), ran("npm run lint", None), ran("npm run docs", None)];
    assert!(others.into_iter().all(|operation| tracker.track_operation(operation).is_none()));
}

#[test]
fn another_command_is_no_mending_for_being_started_in_the_same_way() {
    let error = Some("error: AccessDenied");
    for (failed, worked) in [
        ("/bin/bash -lc 'npm test'", "/bin/bash -lc 'git status'"),
        ("python3 - <<'EOF'\nimport a; a.b()\nEOF", "git commit -m \"$(cat <<'EOF'\nAdd it; python3 - <<X\nEOF\n)\""),
        ("python3 - <<'EOF'\nimport a\nEOF", "python3 - <<'EOF'\nimport b\nEOF"),
        ("npm test", "git commit -m \"Add q; npm test runs later\""),
        ("node -e \"A\"", "node -e \"B\""),
        ("sh -c 'exit 1'", "sh -c 'true'"),
        ("gh pr create", "gh pr list"),
        ("docker exec web npm test", "docker exec db psql"),
    ] {
        let operations = vec![ran(failed, error), ran(failed, error), ran(worked, None)];
        let lessons = told(operations).0;
        assert!(lessons.len() == 1 && lessons[0].ends_with("nothing mended it"), "{failed}: {lessons:?}");
    }
    let with_remark = vec![ran("npm test", error), ran("npm test", error), edited("a"), ran("npm test # all\n# see above", None)];
    assert_eq!(told(with_remark).0, ["`npm test` failed 2 times (error: AccessDenied) and passed after a was changed"]);
}

#[test]
fn a_failure_is_the_same_however_long_it_took() {
    let took = |seconds: &str| format!("error: no DATABASE_URL\nfinished in {seconds}s");
    let operations = vec![ran("npm test", Some(&took("0.123"))), ran("npm test", Some(&took("0.456")))];
    assert_eq!(told(operations).0, ["`npm test` failed 2 times (error: no DATABASE_URL), and nothing mended it"]);
    // For a tool the number may be what it is about.
    let about = |id: u32| Operation { arguments: json!({ "id": id }), ..call("get_task", Some(&format!("there is no task '{id}'"))) };
    assert_eq!(told(vec![about(8), about(9)]).0, [""; 0]);
}

#[test]
fn what_works_with_another_thing_ends_no_story() {
    let refused = Some("status: \"finished\" is not accepted");
    let lessons = updates(&[
        (json!({"id": 1, "status": "finished"}), refused),
        (json!({"id": 2, "status": "blocked"}), None),
        (json!({"id": 1, "status": "finished"}), refused),
        (json!({"id": 1, "status": "done"}), None),
    ]);
    assert_eq!(
        lessons,
        ["update_task failed 2 times (status: \"finished\" is not accepted) and worked with status = \"done\" instead of \"finished\""]
    );
}
