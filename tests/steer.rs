//! Steering a run from other processes: pause, resume, stop after, stop now, Ctrl-C; one run per checkout.

use journeys::{LIMIT, alive, assert_sound, iterations, marked, refused, scripted, start, status_of, text, with_tasks};
use ralph_testkit::{Running, Sandbox, wait_until};
use serde_json::{Value, json};
use std::time::Instant;

/// Each iteration says that it began, and goes on when it may.
const STEP: &str = "\
run touch began-${iteration}; until [ -e go-${iteration} ]; do sleep 0.02; done
done
";

/// An agent that takes no notice of signals, and a child in a session of its own that does not either.
const STUBBORN: &str = "\
ignore-signals
run setsid sh -c 'trap \"\" TERM INT HUP; touch child; exec tail -f /dev/null' >/dev/null 2>&1 &
say I stay.
hang
";

fn wait_for(sandbox: &Sandbox, file: &str) {
    wait_until(file, LIMIT, || sandbox.project().join(file).exists().then_some(()));
}

fn active(sandbox: &Sandbox) -> Value {
    sandbox.ralph_ok(&["status"])["active_run"].take()
}

/// The row that a run printed at its end.
fn row(run: Running) -> Value {
    run.wait(LIMIT).json()
}

#[test]
fn another_process_pauses_resumes_and_stops_after_the_iteration() {
    let sandbox = with_tasks(3);
    let run = start(&sandbox, STEP, &[]);
    wait_for(&sandbox, "began-1");
    assert_eq!(active(&sandbox)["state"], "running");
    sandbox.ralph_ok(&["pause"]);
    sandbox.write("go-1", "");
    wait_until("the run is paused", LIMIT, || (active(&sandbox)["state"] == "paused").then_some(()));
    assert_eq!((iterations(&sandbox).len(), status_of(&sandbox, 1)), (1, "done".to_owned()), "the iteration ended as it would");
    sandbox.ralph_ok(&["resume"]);
    wait_for(&sandbox, "began-2");
    let asked = sandbox.ralph_ok(&["stop", "--after"]);
    assert_eq!(asked["control"], "stop_after", "{asked}");
    sandbox.write("go-2", "");
    let run = row(run);
    assert_eq!((&run["stop_reason"], &run["iterations"]), (&json!("stopped_after_iteration"), &json!(2)), "{run}");
    assert_eq!((status_of(&sandbox, 2), status_of(&sandbox, 3)), ("done".to_owned(), "pending".to_owned()));
    refused(&sandbox.ralph(&["pause"]), "no_run");
}

#[test]
fn a_paused_run_can_be_stopped() {
    let sandbox = with_tasks(2);
    let run = start(&sandbox, STEP, &[]);
    wait_for(&sandbox, "began-1");
    sandbox.ralph_ok(&["pause"]);
    sandbox.write("go-1", "");
    wait_until("the run is paused", LIMIT, || (active(&sandbox)["state"] == "paused").then_some(()));
    assert_eq!(sandbox.ralph_ok(&["stop"])["stop_reason"], "stopped_now");
    assert_eq!(row(run)["iterations"], 1);
}

#[test]
fn stop_now_leaves_no_process_of_an_agent_that_ignores_signals() {
    let sandbox = with_tasks(1);
    let run = start(&sandbox, STUBBORN, &[]);
    wait_for(&sandbox, "child");
    let family = marked(&sandbox);
    assert!(family.iter().any(|(_, line)| line.contains("tail -f")), "the child carries the mark: {family:?}");
    let begin = Instant::now();
    let stopped = sandbox.ralph_ok(&["stop"]);
    let took = begin.elapsed();
    assert_eq!(stopped["stop_reason"], "stopped_now", "{stopped}");
    assert!(took < LIMIT, "the stop took {took:?}");
    assert_eq!(marked(&sandbox), [], "no process is left");
    assert!(family.iter().all(|(pid, _)| !alive(*pid)), "{family:?}");
    assert_eq!(row(run)["stop_reason"], "stopped_now");
    assert_eq!(status_of(&sandbox, 1), "pending");
    let cut = &iterations(&sandbox)[0];
    assert_eq!((&cut["outcome"], &cut["attempt"]), (&json!("stopped"), &Value::Null), "no attempt: {cut}");
    assert_sound(&sandbox);
}

/// Git may wait for somebody who is away: an editor in a hook, a passphrase for the key that signs.
#[cfg(unix)]
#[test]
fn a_hook_that_waits_is_stopped_with_what_it_started_and_its_work_is_done_by_the_next_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let waits = "#!/bin/sh\ncd \"$(git rev-parse --git-common-dir)\" || exit\ntail -f /dev/null &\necho $! > made; mv made waits; wait\n";
    for (name, status) in [("post-checkout", "pending"), ("pre-commit", "in_review"), ("pre-merge-commit", "in_review")] {
        let sandbox = with_tasks(1);
        let config = sandbox.read(".ralph/config.toml").replace("review = \"person\"", "review = \"auto\"");
        sandbox.write(".ralph/config.toml", &config);
        sandbox.commit("a project");
        let hook = sandbox.write(format!(".git/hooks/{name}"), waits);
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("executable");
        let script = "run echo work > file.txt\ndone\n";
        let run = start(&sandbox, script, &["--worktrees"]);
        wait_for(&sandbox, ".git/waits");
        let child = sandbox.read(".git/waits").trim().parse().expect("a process");
        sandbox.ralph_ok(&["stop"]);
        assert_eq!((row(run)["stop_reason"].clone(), alive(child)), (json!("stopped_now"), false), "{name}");
        assert_eq!(status_of(&sandbox, 1), status, "{name}");
        assert_sound(&sandbox);
        std::fs::remove_file(&hook).expect("removes");
        let again = row(start(&sandbox, script, &["--worktrees"]));
        assert_eq!((status_of(&sandbox, 1).as_str(), sandbox.read("file.txt").as_str()), ("done", "work\n"), "{name}: {again}");
    }
}

#[test]
fn a_check_that_hangs_is_stopped_too() {
    let sandbox = with_tasks(1);
    let run = start(&sandbox, "done\n", &["--check", "touch child; trap '' TERM INT; tail -f /dev/null"]);
    wait_for(&sandbox, "child");
    let begin = Instant::now();
    sandbox.ralph_ok(&["stop"]);
    assert!(begin.elapsed() < LIMIT, "the stop took {:?}", begin.elapsed());
    assert_eq!((marked(&sandbox), row(run)["stop_reason"].clone()), (vec![], json!("stopped_now")));
    assert_eq!(status_of(&sandbox, 1), "pending");
}

#[test]
fn an_interrupt_from_the_terminal_ends_the_run() {
    let sandbox = with_tasks(1);
    let run = start(&sandbox, STUBBORN, &[]);
    wait_for(&sandbox, "child");
    run.signal("INT");
    let output = run.wait(LIMIT);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(marked(&sandbox), []);
    assert_eq!((&active(&sandbox), status_of(&sandbox, 1)), (&Value::Null, "pending".to_owned()));
}

#[test]
fn a_run_that_was_halted_from_its_terminal_is_stopped_all_the_same() {
    let sandbox = with_tasks(1);
    let run = start(&sandbox, STEP, &[]);
    wait_for(&sandbox, "began-1");
    run.signal("STOP");
    assert_eq!(sandbox.ralph_ok(&["stop"])["stop_reason"], "stopped_now");
    assert_eq!(row(run)["stop_reason"], "stopped_now");
}

#[test]
fn what_can_not_follow_is_not_promised() {
    let sandbox = with_tasks(1);
    let done = |args: &[&str]| row(start(&sandbox, "done\n", args));
    assert_eq!(done(&["--task", "1"])["note"], "task 1 is done");
    assert_eq!(done(&["--task", "1"])["note"], "task 1 is done");
    let error = refused(&sandbox.ralph(&["guide", "--task", "1", "Look at the log first"]), "invalid");
    assert!(text(&error["message"]).contains("task 1 is done"), "{error}");
    let other = sandbox.ralph_ok(&["task", "create", "--feature", "pay", "--title", "Later", "--status", "draft"])["id"].to_string();
    for (status, is) in [("draft", "a draft"), ("failed", "abandoned"), ("skipped", "skipped")] {
        sandbox.ralph_ok(&["task", "update", &other, "--status", status]);
        let error = refused(&sandbox.ralph(&scripted(&sandbox, "done\n", &["--task", &other])), "invalid");
        assert!(text(&error["message"]).contains(&format!("task {other} is {is}")), "{error}");
    }
}

#[test]
fn one_run_works_in_a_checkout() {
    let sandbox = with_tasks(2);
    let run = start(&sandbox, STEP, &[]);
    wait_for(&sandbox, "began-1");
    let error = refused(&sandbox.ralph(&scripted(&sandbox, STEP, &[])), "run_active");
    assert!(text(&error["hint"]).contains("ralph stop"), "{error}");
    assert_eq!(active(&sandbox)["iterations"], 1, "the first goes on");
    // A person may not take the task from under the agent.
    refused(&sandbox.ralph(&["task", "update", "1", "--status", "done"]), "task_running");
    sandbox.ralph_ok(&["stop"]);
    assert_eq!(row(run)["stop_reason"], "stopped_now");
}
