//! The check command: its result, its limits, and that none of its processes is left.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod common;

use agent_cli::{CheckSpec, RunMarks, StopCause, StopHandle, run_check};
use common::{lives, pid, until};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn check(folder: &TempDir, command: &str) -> CheckSpec {
    let marks = RunMarks { project: folder.path().to_owned(), run: 5, iteration: 23, task: 3, attempt: 1, ..RunMarks::default() };
    CheckSpec::new(command.to_owned(), folder.path().to_owned(), marks, Vec::new())
}

#[tokio::test]
async fn what_belongs_to_no_iteration_ends_without_the_others_of_its_project() {
    let folder = tempfile::tempdir().unwrap();
    let apart = |command: &str| CheckSpec { marks: RunMarks::apart(folder.path().to_owned()), ..check(&folder, command) };
    // The first to begin ends first, and the other waits for that.
    let (first, other) = (apart("until [ -e other ]; do sleep 0.02; done"), apart("touch other; until [ -e over ]; do sleep 0.02; done"));
    let stop = StopHandle::new();
    let ends_first = async {
        let first = run_check(&first, &stop).await;
        std::fs::write(folder.path().join("over"), "").unwrap();
        first
    };
    let (first, other) = tokio::join!(ends_first, run_check(&other, &stop));
    assert!(first.passed && other.passed, "{first:?} {other:?}");
}

#[tokio::test]
async fn tells_the_exit_code_and_the_end_of_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let passed = run_check(&check(&folder, "echo fine; echo loud >&2"), &StopHandle::new()).await;
    assert!(passed.passed && passed.exit_code == Some(0), "{passed:?}");
    assert!(passed.output_tail.contains("fine\n") && passed.output_tail.contains("loud\n"));
    let failed = run_check(&check(&folder, "echo broken; exit 4"), &StopHandle::new()).await;
    assert_eq!((failed.passed, failed.exit_code, failed.output_tail.as_str()), (false, Some(4), "broken\n"));
    assert_eq!(failed.command, "echo broken; exit 4");
    let nowhere = CheckSpec { cwd: "/nowhere".into(), ..check(&folder, "true") };
    let nowhere = run_check(&nowhere, &StopHandle::new()).await;
    assert!(!nowhere.passed && nowhere.output_tail.contains("could not be started in /nowhere"), "{nowhere:?}");
}

#[tokio::test]
async fn the_kept_end_begins_with_a_line_and_not_behind_the_name_of_a_password() {
    let folder = tempfile::tempdir().unwrap();
    let told = "printf 'DB_PASSWORD=%s\\n' Zq7vT2mXk9RbL4wYpN8s; printf 'the end is %s' z; head -c 979 /dev/zero | tr '\\0' z";
    let result = run_check(&CheckSpec { output_bytes: 1_000, ..check(&folder, told) }, &StopHandle::new()).await;
    assert!(result.output_tail.starts_with("the end is zzz") && result.output_tail.len() == 991, "{}", result.output_tail);
}

#[tokio::test]
async fn keeps_a_bounded_end_in_whole_characters() {
    let folder = tempfile::tempdir().unwrap();
    let spec = CheckSpec { output_bytes: 1_000, ..check(&folder, "yes ünï | head -n 1000000; echo; echo the end") };
    let result = run_check(&spec, &StopHandle::new()).await;
    assert!(result.output_tail.ends_with("the end\n") && result.output_tail.len() <= 1_000, "{}", result.output_tail.len());
    assert!(!result.output_tail.contains('\u{FFFD}'), "{}", result.output_tail);
}

#[tokio::test]
async fn is_stopped_after_its_time_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let command = "echo begun; setsid sh -c 'echo $$ > child.new; mv child.new child; exec sleep 1000' & while [ ! -e child ]; do :; done; sleep 1000";
    let spec = CheckSpec { time: Duration::from_secs(2), ..check(&folder, command) };
    let result = run_check(&spec, &StopHandle::new()).await;
    assert_eq!((result.passed, result.exit_code), (false, None));
    assert!(result.output_tail.starts_with("begun\n") && result.output_tail.contains("stopped after"), "{}", result.output_tail);
    assert!(!lives(pid(&folder.path().join("child"))));
}

#[tokio::test]
async fn is_stopped_by_its_handle() {
    let folder = tempfile::tempdir().unwrap();
    let stop = StopHandle::new();
    let spec = check(&folder, "echo $$ > self.new; mv self.new self; trap '' INT TERM; sleep 1000 & wait; sleep 1000");
    let file = folder.path().join("self");
    let asked = async {
        until("the check runs", || file.exists()).await;
        stop.stop(StopCause::Person);
        Instant::now()
    };
    let (result, asked) = tokio::join!(run_check(&spec, &stop), asked);
    assert!(asked.elapsed() < common::PATIENCE);
    assert!(!result.passed && result.output_tail.ends_with("[stopped]"), "{result:?}");
    assert!(!lives(pid(&file)));
    // A stop requested before it began applies too.
    assert!(!run_check(&check(&folder, "sleep 1000"), &stop).await.passed);
}

#[tokio::test]
async fn does_not_wait_for_a_server_that_it_leaves_behind() {
    let folder = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let result = run_check(&check(&folder, "sleep 1000 & echo $! > server"), &StopHandle::new()).await;
    assert!(result.passed && began.elapsed() < common::PATIENCE);
    assert!(!lives(pid(&folder.path().join("server"))));
}

#[tokio::test]
async fn gets_the_marks_but_nothing_else_that_is_not_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let result = run_check(&check(&folder, "env"), &StopHandle::new()).await;
    assert!(result.output_tail.contains("RALPH_ITERATION=23\n"));
    let passed = CheckSpec { pass_env: vec!["CARGO_MANIFEST_DIR".into()], ..check(&folder, "echo $CARGO_MANIFEST_DIR") };
    let arrived = run_check(&passed, &StopHandle::new()).await.output_tail;
    assert_eq!(Some(arrived.trim_end()), std::env::var("CARGO_MANIFEST_DIR").ok().as_deref(), "what the person passes on arrives");
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !result.output_tail.contains("CARGO_MANIFEST_DIR"),
        "{}",
        result.output_tail
    );
}
