//! Several runs of one project at once: no task twice, each with its limits and lanes, only one at work in a checkout.

use journeys::{LIMIT, assert_sound, committed_with_tasks, iterations, marked, plain, play, refused, scripted, start, status_of};
use ralph_testkit::{Running, Sandbox, wait_until};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const HANGS: &str = "\
run mkdir -p \"$RALPH_PROJECT/.ralph/seen\"; pwd > \"$RALPH_PROJECT/.ralph/seen/$RALPH_TASK\"
hang
";
const WORKS: &str = "run echo work > file-$RALPH_TASK; git add -A; git commit -qm \"task $RALPH_TASK\"\ndone\n";

fn wait_for(sandbox: &Sandbox, count: usize) {
    let seen = || std::fs::read_dir(sandbox.project().join(".ralph/seen")).map_or(0, Iterator::count);
    wait_until("the agents", LIMIT, || (seen() == count).then_some(()));
}

fn at_work(sandbox: &Sandbox) -> Vec<Value> {
    sandbox.ralph_ok(&["status"])["runs_at_work"].as_array().cloned().unwrap_or_default()
}

#[test]
fn two_runs_share_the_tasks_and_end_one_by_one() {
    let sandbox = committed_with_tasks(4);
    let first = start(&sandbox, HANGS, &["--workers", "2"]);
    wait_for(&sandbox, 2);
    let second = start(&sandbox, HANGS, &["--worktrees", "--max-iterations", "1"]);
    wait_for(&sandbox, 3);
    let runs = at_work(&sandbox);
    let numbers: Vec<u64> = runs.iter().map(|one| one["run"]["id"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [2, 1], "the newest first: {runs:?}");
    assert_eq!(runs.iter().map(|one| one["lanes"].as_array().map_or(0, Vec::len)).collect::<Vec<_>>(), [1, 2]);
    let taken: BTreeSet<u64> = iterations(&sandbox).iter().map(|row| row["task"].as_u64().unwrap()).collect();
    assert_eq!(taken.len(), 3, "no task twice");
    let one = taken.first().unwrap().to_string();
    let error = refused(&sandbox.ralph(&scripted(&sandbox, HANGS, &["--worktrees", "--task", &one])), "invalid");
    assert!(error["message"].as_str().is_some_and(|told| told.contains("is worked on by another run")), "{error}");
    let several = refused(&sandbox.ralph(&["stop"]), "invalid");
    assert!(several["message"].as_str().is_some_and(|told| told.contains("1, 2")), "{several}");
    assert_eq!(sandbox.ralph_ok(&["stop", "--run", "2"])["id"], 2);
    assert_eq!(second.wait(LIMIT).json()["stop_reason"], "stopped_now");
    assert_eq!(at_work(&sandbox).len(), 1, "the other goes on");
    let stopped = sandbox.ralph_ok(&["stop", "--all"]);
    assert_eq!((stopped.as_array().map(Vec::len), &stopped[0]["id"]), (Some(1), &json!(1)), "{stopped}");
    assert_eq!(first.wait(LIMIT).json()["stop_reason"], "stopped_now");
    assert_eq!(marked(&sandbox), []);
    assert_eq!(sandbox.ralph_ok(&["status"])["last_run"]["id"], 1, "the one that ended last, not the one that began last");
    let told = plain(&sandbox, &["status"]).stdout;
    assert!(told.contains("the last one: run 1 ended"), "{told}");
    refused(&sandbox.ralph(&["pause", "--run", "2"]), "no_run");
    refused(&sandbox.ralph(&["stop", "--run", "9"]), "not_found");
    assert_sound(&sandbox);
}

#[test]
fn what_another_project_of_the_repository_does_with_its_work_is_no_agent_s_doing() {
    let sandbox = Sandbox::new();
    let script = |name: &str, text: &str| sandbox.write(format!("{name}.script"), text).to_string_lossy().into_owned();
    let works = script("works", WORKS);
    let waits = script("waits", &format!("run : > \"$RALPH_PROJECT/../seen\"; read line < \"$RALPH_PROJECT/../go\"\n{WORKS}"));
    for project in ["web", "api"] {
        sandbox.write(format!("{project}/README.md"), project);
        sandbox.ralph_ok(&["init", "-C", project]);
        sandbox.ralph_ok(&["feature", "create", "pay", "--display-name", "Pay", "-C", project]);
        sandbox.ralph_ok(&["task", "create", "--feature", "pay", "--title", project, "-C", project]);
    }
    sandbox.commit("two projects");
    let run = ["run", "--agent", "scripted", "--worktrees", "--max-iterations", "1", "--script"];
    sandbox.ralph(&[&run[..], &[&works, "-C", "api"]].concat());
    sandbox.run(sandbox.command("mkfifo").arg("go"));
    let at_web = Running::start(&mut sandbox.ralph_command(&[&run[..], &[&waits, "-C", "web"]].concat()), None);
    wait_until("the agent", LIMIT, || sandbox.project().join("seen").exists().then_some(()));
    sandbox.ralph_ok(&["merge", "1", "-C", "api"]);
    std::fs::write(sandbox.project().join("go"), "go\n").unwrap();
    at_web.wait(LIMIT);
    assert_eq!(sandbox.ralph_ok(&["notice", "list", "-C", "web"]), json!([]));
}

#[test]
fn a_worker_without_a_task_is_paused_at_once_and_goes_on_by_what_status_says() {
    let sandbox = committed_with_tasks(2);
    let first = start(&sandbox, HANGS, &["--worktrees", "--max-iterations", "1"]);
    wait_for(&sandbox, 1);
    let second = start(&sandbox, HANGS, &["--workers", "2"]);
    wait_for(&sandbox, 2);
    // Either of them may have been faster.
    let second_run = at_work(&sandbox).into_iter().find(|one| one["run"]["id"] == 2).expect("it is at work");
    let idle = 3 - second_run["lanes"][0]["lane"].as_u64().expect("a lane");
    let lane = idle.to_string();
    let told = plain(&sandbox, &["pause", "--run", "2", "--lane", &lane]).stdout;
    assert_eq!(told.trim(), format!("lane {idle} of run 2: is paused"));
    let told = plain(&sandbox, &["status"]).stdout;
    assert!(told.contains(&format!("{idle}: paused, `ralph resume --run 2 --lane {idle}` goes on")), "{told}");
    let asked = sandbox.ralph_ok(&["resume", "--run", "2", "--lane", &lane]);
    assert_eq!(asked["idle_lanes"], json!([{ "lane": idle, "control": "none" }]), "{asked}");
    sandbox.ralph_ok(&["stop", "--all"]);
    first.wait(LIMIT);
    second.wait(LIMIT);
    let told = plain(&sandbox, &["guide", "Mind the queue"]).stdout;
    assert_eq!(told.trim(), "the next iteration is told; no run goes on yet");
}

#[test]
fn a_killed_run_frees_its_tasks_and_leaves_the_other_alone() {
    let sandbox = committed_with_tasks(3);
    let first = start(&sandbox, HANGS, &["--workers", "2"]);
    wait_for(&sandbox, 2);
    let second = start(&sandbox, HANGS, &["--worktrees"]);
    wait_for(&sandbox, 3);
    first.signal("KILL");
    first.wait(LIMIT);
    let runs = at_work(&sandbox);
    assert_eq!(runs.iter().map(|one| one["run"]["id"].clone()).collect::<Vec<_>>(), [json!(2)], "{runs:?}");
    let held = runs[0]["lanes"][0]["task"].as_u64().unwrap();
    assert_eq!(status_of(&sandbox, held), "in_progress");
    assert_eq!((1..=3).filter(|task| status_of(&sandbox, *task) == "pending").count(), 2);
    assert!(!marked(&sandbox).is_empty(), "the agent of the other run lives");
    let again = play(&sandbox, WORKS, &["--workers", "2"]);
    assert_eq!(again["iterations"], 2, "in the slot that became free: {again}");
    sandbox.ralph_ok(&["stop"]);
    second.wait(LIMIT);
    assert_eq!(marked(&sandbox), []);
    assert_sound(&sandbox);
}

#[test]
fn in_one_checkout_one_run_alone_works_in_place() {
    let sandbox = committed_with_tasks(3);
    let first = start(&sandbox, HANGS, &["--in-place"]);
    wait_for(&sandbox, 1);
    refused(&sandbox.ralph(&scripted(&sandbox, HANGS, &["--in-place"])), "run_active");
    refused(&sandbox.ralph(&scripted(&sandbox, HANGS, &[])), "run_active");
    // A checkout that the person made is another one, and the agent works there.
    let linked = sandbox.home().join("linked");
    sandbox.git(&["worktree", "add", "-q", "-b", "side", &linked.to_string_lossy()]);
    let place = linked.to_string_lossy().into_owned();
    let script = sandbox.project().join(".ralph/test.script").to_string_lossy().into_owned();
    let args = ["-C", &place, "run", "--agent", "scripted", "--script", &script];
    let second = Running::start(&mut sandbox.ralph_command(&args), None);
    wait_for(&sandbox, 2);
    let task = at_work(&sandbox)[0]["lanes"][0]["task"].as_u64().unwrap();
    let cwd = sandbox.read(format!(".ralph/seen/{task}"));
    assert_eq!(std::path::Path::new(cwd.trim()), linked.canonicalize().unwrap());
    sandbox.ralph_ok(&["stop", "--all"]);
    first.wait(LIMIT);
    second.wait(LIMIT);
    // What it leaves is reported for that checkout, and done at once, as in place everywhere.
    let done = sandbox.ralph_ok(&["-C", &place, "run", "--agent", "scripted", "--script", &{
        sandbox.write(".ralph/works.script", WORKS);
        sandbox.project().join(".ralph/works.script").to_string_lossy().into_owned()
    }]);
    assert_eq!(done["iterations"], 3, "{done}");
    let row = iterations(&sandbox).pop().unwrap();
    assert_eq!((&row["evidence"]["changed_files"], &row["outcome"]), (&json!([format!("file-{}", row["task"])]), &json!("done")), "{row}");
    assert_eq!(sandbox.git(&["log", "--oneline", "main..side"]).lines().count(), 3);
    assert_sound(&sandbox);
}

#[test]
fn what_changes_settings_waits_until_the_last_run_is_over() {
    let sandbox = committed_with_tasks(3);
    let first = start(&sandbox, HANGS, &["--worktrees"]);
    wait_for(&sandbox, 1);
    let second = play(&sandbox, WORKS, &["--worktrees", "--max-iterations", "1"]);
    assert_eq!(second["iterations"], 1, "{second}");
    let config = sandbox.read(".ralph/config.toml").replace("check = \"\"", "check = \"true\"");
    sandbox.write(".ralph/config.toml", &config);
    let waits =
        |sandbox: &Sandbox| sandbox.ralph_ok(&["trust"])["items"].as_array().into_iter().flatten().any(|item| item["agreed"] == false);
    assert!(waits(&sandbox), "the first run goes on");
    refused(&sandbox.ralph(&scripted(&sandbox, WORKS, &["--worktrees"])), "untrusted");
    sandbox.ralph_ok(&["stop"]);
    first.wait(LIMIT);
}
