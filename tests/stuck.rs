//! Nothing gets stuck, and nothing ends without releasing what it holds: broken settings, signals, stopped processes, folders that move,
//! files that are not files.
#![cfg(unix)]

use journeys::{
    LIMIT, alive, assert_sound, feature, iterations, learn, learnings, lesson, list, marked, play, refused, start, status_of, task, text,
};
use ralph_testkit::{Running, Sandbox, wait_until};
use serde_json::{Value, json};
use std::fs::File;
use std::time::Instant;

const HANGS: &str = "run touch began\nhang\n";

fn project() -> (Sandbox, u64) {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let task = task(&sandbox, "pay", "Refund", &[]);
    (sandbox, task)
}

fn begun(sandbox: &Sandbox, script: &str) -> Running {
    let run = start(sandbox, script, &[]);
    wait_until("the agent at work", LIMIT, || sandbox.project().join("began").exists().then_some(()));
    run
}

fn last_run(sandbox: &Sandbox) -> Value {
    list(sandbox.ralph_ok(&["export"])["runs"].take()).into_iter().max_by_key(journeys::id_of).expect("a run")
}

#[test]
fn nobody_but_a_run_puts_a_task_in_progress() {
    let (sandbox, one) = project();
    let error = refused(&sandbox.ralph(&["task", "update", "1", "--status", "in_progress"]), "invalid");
    assert!(text(&error["hint"]).contains("`ralph run --task 1`"), "{error}");
    let run = play(&sandbox, "done\n", &[]);
    assert_eq!((&run["iterations"], status_of(&sandbox, one).as_str()), (&json!(1), "done"), "{run}");
}

#[test]
fn settings_that_break_in_the_middle_change_nothing_for_the_run() {
    let (sandbox, one) = project();
    let before = sandbox.read(".ralph/config.toml");
    let script = format!("run printf 'max_learnings = [' >> .ralph/config.toml\nlearn pitfall: {}\ndone\n", lesson(1));
    let run = play(&sandbox, &script, &[]);
    assert_eq!((&run["stop_reason"], &run["iterations"]), (&json!("nothing_ready"), &json!(1)), "{run}");
    sandbox.write(".ralph/config.toml", &before);
    assert_eq!((status_of(&sandbox, one), learnings(&sandbox, "pay", "active").len()), ("done".to_owned(), 1));
    assert_sound(&sandbox);
}

#[test]
fn a_person_frees_a_task_also_while_the_settings_can_not_be_read() {
    let (sandbox, one) = project();
    let run = begun(&sandbox, HANGS);
    let error = refused(&sandbox.ralph(&["task", "update", &one.to_string(), "--status", "pending"]), "task_running");
    assert!(text(&error["hint"]).contains("ralph stop"), "with a living owner it says how: {error}");
    run.signal("KILL");
    wait_until("the end of ralph", LIMIT, || (!alive(run.id())).then_some(()));
    sandbox.write(".ralph/config.toml", "agent = [");
    assert_eq!(sandbox.ralph_ok(&["task", "update", &one.to_string(), "--status", "pending"])["status"], "pending");
}

#[test]
fn readers_do_not_wait_for_a_writer_that_stands_still_and_say_what_they_skipped() {
    let (sandbox, one) = project();
    learn(&sandbox, "pay", &lesson(1), &[]);
    let run = begun(&sandbox, HANGS);
    run.signal("KILL");
    wait_until("the end of ralph", LIMIT, || (!alive(run.id())).then_some(()));
    // As held by a writer that was stopped in the middle of its work.
    let queue = File::open(sandbox.project().join(".ralph/db/ralph.lock")).unwrap();
    queue.lock().unwrap();
    let number = one.to_string();
    for args in [&["status"][..], &["task", "list"], &["prompt", &number], &["recall", "step"], &["doctor"], &["learning", "list"]] {
        let begin = Instant::now();
        sandbox.ralph_ok(args);
        assert!(begin.elapsed() < LIMIT, "ralph {args:?} took {:?}", begin.elapsed());
    }
    assert_eq!((&sandbox.ralph_ok(&["status"])["recovery"], status_of(&sandbox, one)), (&json!("skipped"), "in_progress".to_owned()));
    let words = sandbox.run(sandbox.command(sandbox.ralph_command(&[]).get_program()).arg("status")).stdout;
    assert!(words.contains("run 1 is over: its process is gone; iteration 1") && !words.contains("running"), "{words}");
    queue.unlock().unwrap();
    assert_eq!((&sandbox.ralph_ok(&["status"])["recovery"], status_of(&sandbox, one)), (&json!("done"), "pending".to_owned()));
}

#[test]
fn a_run_that_is_stopped_by_a_signal_is_not_declared_dead() {
    let (sandbox, one) = project();
    let run = begun(&sandbox, HANGS);
    run.signal("STOP");
    let status = sandbox.ralph_ok(&["status"]);
    assert_eq!((&status["active_run"]["state"], &status["recovery"]), (&json!("running"), &json!("done")), "{status}");
    refused(&sandbox.ralph(&["run", "--agent", "scripted", "--script", ".ralph/test.script"]), "run_active");
    run.signal("CONT");
    assert_eq!(sandbox.ralph_ok(&["stop"])["stop_reason"], "stopped_now");
    assert_eq!(status_of(&sandbox, one), "pending");
    drop(run);
}

#[test]
fn sigterm_ends_a_run_in_good_order_and_says_so() {
    let (sandbox, one) = project();
    let run = begun(&sandbox, HANGS);
    run.signal("TERM");
    let output = run.wait(LIMIT);
    assert_eq!(output.status.code(), Some(143), "{output:?}");
    let ended = last_run(&sandbox);
    assert_eq!((&ended["stop_reason"], &ended["note"]), (&json!("stopped_now"), &json!("SIGTERM ended it")), "{ended}");
    assert_eq!((iterations(&sandbox)[0]["outcome"].clone(), status_of(&sandbox, one)), (json!("stopped"), "pending".to_owned()));
    assert_eq!(marked(&sandbox), [], "no process is left");
}

#[test]
fn a_second_signal_ends_a_run_at_once() {
    let (sandbox, one) = project();
    let run = begun(&sandbox, "ignore-signals\nrun touch began\nhang\n");
    let begin = Instant::now();
    run.signal("TERM");
    wait_until("the stop was seen", LIMIT, || (sandbox.ralph_ok(&["status"])["active_run"]["state"] != "running").then_some(()));
    run.signal("TERM");
    let output = run.wait(LIMIT);
    assert_eq!(output.status.code(), Some(143), "{output:?}");
    assert!(begin.elapsed() < LIMIT);
    assert_eq!((marked(&sandbox), status_of(&sandbox, one)), (vec![], "pending".to_owned()));
    assert_eq!(last_run(&sandbox)["stop_reason"], "stopped_now");
}

#[test]
fn an_agent_that_kills_its_parents_ends_its_iteration_and_the_reason_is_told() {
    let (sandbox, one) = project();
    // The shell's parent is the agent, the agent's is Ralph.
    play(&sandbox, "run kill $PPID\nhang\n", &[]);
    let ended = last_run(&sandbox);
    assert!(ended["ended"].is_string() && !ended["note"].is_null(), "{ended}");
    assert_eq!((iterations(&sandbox)[0]["outcome"].clone(), status_of(&sandbox, one)), (json!("stopped"), "pending".to_owned()));
    let script = "run kill $(awk '{ print $4 }' /proc/$PPID/stat)\nhang\n";
    let output = start(&sandbox, script, &[]).wait(LIMIT);
    assert_eq!(output.status.code(), Some(143), "{output:?}");
    assert_eq!((&last_run(&sandbox)["note"], status_of(&sandbox, one)), (&json!("SIGTERM ended it"), "pending".to_owned()));
    let output = start(&sandbox, "run kill -9 $(awk '{ print $4 }' /proc/$PPID/stat)\nhang\n", &[]).wait(LIMIT);
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(sandbox.ralph_ok(&["status"])["active_run"], Value::Null);
    assert_eq!((&last_run(&sandbox)["stop_reason"], status_of(&sandbox, one)), (&json!("crashed"), "pending".to_owned()));
    assert_eq!(marked(&sandbox), []);
}

#[test]
fn a_folder_that_moves_under_a_run_ends_it_with_the_true_reason_and_holds_nothing() {
    let (sandbox, one) = project();
    let run = begun(&sandbox, &format!("learn pitfall steps: {}\n{HANGS}", lesson(1)));
    let (old, new) = (sandbox.project(), sandbox.home().join("moved"));
    std::fs::rename(&old, &new).unwrap();
    let output = run.wait(LIMIT);
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(output.error()["code"], "project_gone", "{output:?}");
    assert!(!old.exists(), "nothing is made anew where it stood");
    std::fs::rename(&new, &old).unwrap();
    assert_eq!(status_of(&sandbox, one), "pending");
    let ended = last_run(&sandbox);
    assert_eq!(ended["stop_reason"], "project_gone", "{ended}");
    assert!(text(&ended["note"]).contains("moved or deleted"), "{ended}");
    assert_eq!(marked(&sandbox), [], "the agent is gone");
    assert_eq!(learnings(&sandbox, "pay", "active").len(), 1, "what it had said was in the log, which moved along");
    assert_sound(&sandbox);
}

#[test]
fn what_is_no_file_is_refused_by_name_and_never_waited_for() {
    for (name, make) in
        [("ralph.db", "mkfifo"), ("ralph.lock", "mkfifo"), ("ralph.db", "mkdir"), ("ralph.db", "link"), ("run.lock", "mkfifo")]
    {
        let (sandbox, _) = project();
        let path = sandbox.project().join(".ralph/db").join(name);
        let _ = std::fs::remove_file(&path);
        match make {
            "link" => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
            tool => drop(sandbox.run(sandbox.command(tool).arg(&path))),
        }
        let begin = Instant::now();
        let args = if name == "run.lock" { &["run", "--agent", "scripted", "--script", "README.md"][..] } else { &["status"] };
        let error = sandbox.ralph_err(args);
        assert!(text(&error["message"]).contains(name), "{name} as {make}: {error}");
        assert!(begin.elapsed() < LIMIT, "{name} as {make}");
        assert_eq!(sandbox.ralph(&["doctor"]).json()["ok"], name == "run.lock", "{name} as {make}");
    }
}

#[test]
fn a_read_only_project_can_be_read_and_says_so() {
    let (sandbox, one) = project();
    learn(&sandbox, "pay", &lesson(1), &[]);
    let folder = sandbox.project();
    let folder = folder.to_str().unwrap();
    let mount = |args: &[&str]| sandbox.run(sandbox.command("mount").args(args));
    if !mount(&["--bind", folder, folder]).status.success() {
        eprintln!("note: this system allows no mount, so nothing is made read-only");
        return;
    }
    let _unmount = Unmount(&sandbox, folder);
    let bound = mount(&["-o", "remount,ro,bind", folder]);
    assert!(bound.status.success(), "{bound:?}");
    let status = sandbox.ralph_ok(&["status"]);
    assert_eq!((&status["read_only"], &status["open_tasks"]), (&json!(true), &json!(1)), "{status}");
    let number = one.to_string();
    for args in
        [&["task", "list"][..], &["task", "show", &number], &["prompt", &number], &["recall", "step"], &["learning", "list"], &["export"]]
    {
        sandbox.ralph_ok(args);
    }
    assert_eq!(learnings(&sandbox, "pay", "active").len(), 1);
    for args in [&["task", "update", &number, "--title", "x"][..], &["run", "--agent", "scripted", "--script", "README.md"]] {
        let error = refused(&sandbox.ralph(args), "read_only");
        assert!(!text(&error["hint"]).is_empty(), "{error}");
    }
}

#[test]
fn a_disk_that_fills_up_under_a_run_is_told_and_holds_nothing_once_it_has_room() {
    let sandbox = Sandbox::new();
    let disk = sandbox.home().join("disk");
    std::fs::create_dir_all(&disk).unwrap();
    let disk = disk.to_str().unwrap().to_owned();
    let mounted = sandbox.run(sandbox.command("mount").args(["-t", "tmpfs", "-o", "size=4m", "tmpfs", &disk]));
    if !mounted.status.success() {
        eprintln!("note: this system allows no mount ({}), so no disk is filled", mounted.stderr.trim());
        return;
    }
    let _unmount = Unmount(&sandbox, &disk);
    let there = |args: &[&str]| sandbox.ralph(&[args, &["-C", &disk]].concat());
    for args in [&["init"][..], &["feature", "create", "pay"], &["task", "create", "--feature", "pay", "--title", "Refund"]] {
        assert!(there(args).status.success(), "{args:?}");
    }
    let script = sandbox.write("fill.script", "run cat /dev/zero > filler; true\ndone\n");
    let output = there(&["run", "--agent", "scripted", "--script", script.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    assert!(output.stderr.contains("disk is full") || output.stderr.contains("No space left"), "the true reason: {output:?}");
    std::fs::remove_file(format!("{disk}/filler")).unwrap();
    let status = there(&["status"]).json();
    assert_eq!(status["active_run"], Value::Null);
    let note = text(&status["last_run"]["note"]);
    assert!(note.contains("disk is full") || note.contains("No space left"), "why it ended: {status}");
    // The claim that it is done counts if the log still had room for it; otherwise the task is free again.
    let status = text(&there(&["task", "show", "1"]).json()["status"]);
    assert!(["done", "pending"].contains(&status.as_str()), "held by nobody: {status}");
    assert_eq!(marked(&sandbox), []);
}

struct Unmount<'a>(&'a Sandbox, &'a str);

impl Drop for Unmount<'_> {
    fn drop(&mut self) {
        let output = self.0.run(self.0.command("umount").current_dir("/").args(["--lazy", self.1]));
        assert!(output.status.success() || std::thread::panicking(), "{output:?}");
    }
}
