//! Several workers in one run, each in a worktree; and the project found from any worktree of it.

use journeys::{
    LIMIT, alive, assert_sound, feature, iterations, list, marked, plain, play, prompt, refused, start, status_of, task, text, with_tasks,
};
use ralph_testkit::{Sandbox, wait_until};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Tells where it works and for what, and waits until every worker is there, which one at a time would never see.
const TOGETHER: &str = "\
run mkdir -p \"$RALPH_PROJECT/.ralph/seen\"; pwd > \"$RALPH_PROJECT/.ralph/seen/$RALPH_TASK\"; echo work > file-$RALPH_TASK; git add -A; git commit -qm \"task $RALPH_TASK\"
run until [ \"$(ls \"$RALPH_PROJECT/.ralph/seen\" | wc -l)\" -ge 3 ]; do sleep 0.02; done
done
";
/// Meets its limit once the other worker is at work: whoever is late begins nothing, rightly.
const LIMITED: &str = "\
[task 1]
run until [ -e \"$RALPH_PROJECT/.ralph/seen/2\" ]; do sleep 0.02; done
rate-limit 600
";
const HANGS: &str = "\
run mkdir -p \"$RALPH_PROJECT/.ralph/seen\"; touch \"$RALPH_PROJECT/.ralph/seen/$RALPH_TASK\"
hang
";

fn seen(sandbox: &Sandbox) -> usize {
    std::fs::read_dir(sandbox.project().join(".ralph/seen")).map_or(0, Iterator::count)
}

fn wait_for(sandbox: &Sandbox, count: usize) {
    wait_until("the workers", LIMIT, || (seen(sandbox) == count).then_some(()));
}

fn worktrees(sandbox: &Sandbox) -> Vec<String> {
    iterations(sandbox).iter().filter_map(|row| row["worktree"].as_str().map(str::to_owned)).collect()
}

#[test]
fn the_project_is_found_from_a_linked_worktree() {
    let sandbox = with_tasks(1);
    sandbox.commit("a project");
    let linked = sandbox.home().join("linked");
    sandbox.git(&["worktree", "add", "-q", "-b", "side", &linked.to_string_lossy()]);
    assert!(linked.join(".ralph/config.toml").is_file(), "git checked a copy of it out");
    for place in [linked.clone(), linked.join(".ralph/db")] {
        let place = place.to_string_lossy().into_owned();
        let status = sandbox.ralph_ok(&["-C", &place, "status"]);
        assert_eq!((&status["open_tasks"], &status["project"]), (&json!(1), &sandbox.ralph_ok(&["status"])["project"]), "{place}");
        let report = sandbox.ralph_ok(&["-C", &place, "init"]);
        assert_eq!(report["path"], json!(sandbox.project().canonicalize().unwrap()), "{report}");
    }
    assert!(!linked.join(".ralph/db/ralph.db").exists());
    let unharmed = refused(&sandbox.ralph(&["-C", &linked.to_string_lossy(), "restore"]), "invalid");
    let project = sandbox.project().canonicalize().unwrap();
    assert!(text(&unharmed["message"]).starts_with(&format!("a database that works stands in {}", project.display())), "{unharmed}");
    assert!(!linked.join(".ralph/db/run.lock").exists());
    let known = std::fs::read_dir(sandbox.home().join(".local/share/ralph/projects")).unwrap();
    assert_eq!(known.count(), 1, "one project has one place in its person's data, and one trust");
    // One that was made in the worktree itself stays its own.
    let own = sandbox.home().join("own");
    sandbox.git(&["worktree", "add", "-q", "-b", "own", &own.to_string_lossy()]);
    std::fs::create_dir_all(own.join(".ralph/db")).unwrap();
    std::fs::copy(sandbox.project().join(".ralph/db/ralph.db"), own.join(".ralph/db/ralph.db")).unwrap();
    refused(&sandbox.ralph(&["-C", &own.to_string_lossy(), "status"]), "untrusted");
}

#[test]
fn three_workers_work_at_once_each_in_a_worktree_of_its_own() {
    let sandbox = with_tasks(3);
    let run = play(&sandbox, TOGETHER, &["--workers", "3"]);
    assert_eq!((&run["workers"], &run["iterations"], &run["stop_reason"]), (&json!(3), &json!(3), &json!("nothing_ready")), "{run}");
    let project = sandbox.project().canonicalize().unwrap();
    let cwds: BTreeSet<PathBuf> = (1..=3).map(|task| PathBuf::from(sandbox.read(format!(".ralph/seen/{task}")).trim())).collect();
    assert!(cwds.len() == 3 && cwds.iter().all(|cwd| !cwd.starts_with(&project)), "{cwds:?}");
    let rows = iterations(&sandbox);
    assert_eq!(rows.iter().map(|row| row["lane"].as_u64().unwrap()).collect::<BTreeSet<_>>(), (1..=3).collect());
    let told: BTreeSet<PathBuf> = worktrees(&sandbox).into_iter().map(PathBuf::from).collect();
    assert_eq!(told, cwds, "the iteration tells where it worked");
    for row in &rows {
        let (task, evidence) = (&row["task"], &row["evidence"]);
        assert_eq!(evidence["changed_files"], json!([format!("file-{task}")]), "of its own worktree alone: {row}");
        assert_eq!(evidence["remarks"], json!([]), "{row}");
    }
    assert_eq!(sandbox.git(&["status", "--porcelain", "--", ":!.ralph"]), "", "the person's checkout is as it was");
    assert_sound(&sandbox);
}

#[test]
fn a_stop_in_the_middle_ends_every_worker() {
    let sandbox = with_tasks(3);
    let run = start(&sandbox, HANGS, &["--workers", "3"]);
    wait_for(&sandbox, 3);
    let lanes = sandbox.ralph_ok(&["status"])["lanes"].take();
    let lanes = lanes.as_array().expect("lanes").clone();
    assert_eq!(lanes.iter().map(|lane| lane["lane"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3], "{lanes:?}");
    assert!(lanes.iter().all(|lane| lane["agent"] == "scripted" && lane["worktree"].is_string() && lane["since"].is_string()), "{lanes:?}");
    let family = marked(&sandbox);
    assert!(family.len() >= 3, "{family:?}");
    assert_eq!(sandbox.ralph_ok(&["stop"])["stop_reason"], "stopped_now");
    assert_eq!(marked(&sandbox), [], "no process is left");
    assert!(family.iter().all(|(pid, _)| !alive(*pid)), "{family:?}");
    assert_eq!(run.wait(LIMIT).json()["stop_reason"], "stopped_now");
    assert!((1..=3).all(|task| status_of(&sandbox, task) == "pending"));
    assert_eq!(sandbox.ralph_ok(&["status"])["lanes"], json!([]));
    assert_sound(&sandbox);
}

#[test]
fn one_lane_is_stopped_and_the_others_go_on() {
    let sandbox = with_tasks(2);
    let run = start(&sandbox, HANGS, &["--workers", "2"]);
    wait_for(&sandbox, 2);
    let stopped = sandbox.ralph_ok(&["stop", "--lane", "1"]);
    assert_eq!(stopped["lanes"].as_array().map(Vec::len), Some(1), "{stopped}");
    assert_eq!(stopped["state"], "running", "{stopped}");
    refused(&sandbox.ralph(&["stop", "--lane", "3"]), "not_found");
    sandbox.ralph_ok(&["stop"]);
    let rows = iterations(&sandbox);
    assert!(rows.iter().all(|row| row["outcome"] == "stopped"), "{rows:?}");
    assert_eq!(run.wait(LIMIT).json()["stop_reason"], "stopped_now");
}

#[test]
fn limits_hold_for_all_workers_together() {
    let sandbox = with_tasks(5);
    let run = play(&sandbox, "done\n", &["--workers", "3", "--max-iterations", "4"]);
    assert_eq!((&run["iterations"], &run["stop_reason"]), (&json!(4), &json!("max_iterations")), "{run}");
    refused(&sandbox.ralph(&["run", "--agent", "scripted", "--workers", "0"]), "invalid");
    refused(&sandbox.ralph(&["run", "--agent", "scripted", "--workers", "2", "--in-place"]), "invalid");
}

#[test]
fn a_worktree_that_is_moved_while_its_agent_works_is_found() {
    let sandbox = with_tasks(1);
    play(
        &sandbox,
        "run mv \"$RALPH_WORKTREE\" \"$RALPH_WORKTREE-moved\"; cd \"$RALPH_WORKTREE-moved\"; echo x > x.txt; git add x.txt; git commit -qm x\ndone\n",
        &["--worktrees", "--max-iterations", "1"],
    );
    let evidence = &iterations(&sandbox)[0]["evidence"];
    assert_eq!((&evidence["changed_files"], &evidence["remarks"]), (&json!(["x.txt"]), &json!([])), "{evidence}");
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!(sandbox.read("x.txt"), "x\n");
}

#[test]
fn dollars_are_reserved_before_an_agent_starts() {
    for (dollars, iterations, spent) in [("0.5", 1, 0.5), ("1", 2, 1.0)] {
        let sandbox = with_tasks(4);
        let run = play(&sandbox, "usage 10 10 0.5\ndone\n", &["--workers", "3", "--max-usd", dollars]);
        let told = (&run["iterations"], &run["stop_reason"], &run["cost_usd"]);
        assert_eq!(told, (&json!(iterations), &json!("max_usd"), &json!(spent)), "{run}");
    }
}

#[test]
fn tasks_on_the_same_file_are_not_worked_side_by_side_while_others_are_ready() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    for title in ["Round in src/pay.rs", "Name things in src/pay.rs", "Write docs/guide.md"] {
        task(&sandbox, "pay", title, &[]);
    }
    let run = start(&sandbox, HANGS, &["--workers", "2"]);
    wait_for(&sandbox, 2);
    sandbox.ralph_ok(&["stop"]);
    run.wait(LIMIT);
    let rows = iterations(&sandbox);
    assert_eq!(rows.iter().map(|row| row["task"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 3]);
    assert!(text(&rows[1]["scheduled"]).contains("#2 waits: it is likely to touch src/pay.rs, as #1 does"), "{}", rows[1]);
}

#[test]
fn a_worker_that_reaches_into_the_project_s_checkout_is_told_of() {
    let sandbox = with_tasks(1);
    play(&sandbox, "run echo mine >> \"$RALPH_PROJECT/README.md\"; echo new > \"$RALPH_PROJECT/stray.txt\"\ndone\n", &["--workers", "2"]);
    let remarks = &iterations(&sandbox)[0]["evidence"]["remarks"];
    assert_eq!(remarks, &json!([{ "kind": "outside_changed", "paths": ["README.md", "stray.txt"], "more": 0 }]));
}

#[test]
fn work_goes_to_the_branch_that_its_run_began_on_whatever_is_checked_out_meanwhile() {
    let sandbox = with_tasks(3);
    let script = "[task 1]\nrun git -C \"$RALPH_PROJECT\" checkout -q -b stolen\nrun echo 1 > 1\ncommit Work\ndone\n\n\
                  [task 2]\nrun git -C \"$RALPH_PROJECT\" checkout -q --detach\nrun echo 2 > 2\ncommit Work\ndone\n\n\
                  [*]\nrun echo 3 > 3\ncommit Work\ndone\n";
    let ended = play(&sandbox, script, &["--worktrees"]);
    assert_eq!((&ended["iterations"], &ended["stop_reason"]), (&json!(3), &json!("nothing_ready")), "{ended}");
    let rows = list(sandbox.ralph_ok(&["worktree", "list"]));
    assert_eq!(rows.iter().map(|row| &row["base"]).collect::<Vec<_>>(), [&json!("main"); 3], "{rows:?}");
}

#[test]
fn a_kill_in_the_middle_frees_every_task() {
    let sandbox = with_tasks(3);
    let run = start(&sandbox, HANGS, &["--workers", "3"]);
    wait_for(&sandbox, 3);
    let family = marked(&sandbox);
    run.signal("KILL");
    run.wait(LIMIT);
    let status = sandbox.ralph_ok(&["status"]);
    assert_eq!((&status["active_run"], &status["lanes"]), (&Value::Null, &json!([])), "{status}");
    assert!((1..=3).all(|task| status_of(&sandbox, task) == "pending"));
    assert_eq!(marked(&sandbox), [], "no process is left");
    assert!(family.iter().all(|(pid, _)| !alive(*pid)), "{family:?}");
    let kept: BTreeSet<String> = worktrees(&sandbox).into_iter().collect();
    assert!(kept.len() == 3 && kept.iter().all(|path| PathBuf::from(path).is_dir()), "{kept:?}");
    std::fs::remove_dir_all(sandbox.project().join(".ralph/seen")).unwrap();
    let again = play(&sandbox, TOGETHER, &["--workers", "3"]);
    assert_eq!(again["iterations"], 3, "{again}");
    assert_eq!(worktrees(&sandbox).into_iter().collect::<BTreeSet<_>>(), kept, "the same ones go on");
    assert_sound(&sandbox);
}

#[test]
fn guidance_is_told_once_to_the_next_iteration() {
    let sandbox = with_tasks(2);
    let given = sandbox.ralph_ok(&["guide", "--task", "2", "Keep cents as integers"]);
    assert_eq!((&given["task"], &given["text"], &given["iteration"]), (&json!(2), &json!("Keep cents as integers"), &Value::Null));
    sandbox.ralph_ok(&["guide", "Talk to nobody"]);
    refused(&sandbox.ralph(&["guide", "--task", "9", "x"]), "not_found");
    refused(&sandbox.ralph(&["guide", " "]), "invalid");
    play(&sandbox, "[attempt 1]\nfailed\n\n[*]\ndone\n", &[]);
    let with = |words: &str| -> Vec<u64> {
        iterations(&sandbox).iter().map(journeys::id_of).filter(|id| prompt(&sandbox, *id).contains(words)).collect()
    };
    assert_eq!(with("Talk to nobody"), [1]);
    let of_two: Vec<u64> = iterations(&sandbox).iter().filter(|row| row["task"] == 2).map(journeys::id_of).collect();
    assert_eq!(with("Keep cents as integers"), of_two[..1]);
    assert!(prompt(&sandbox, 1).contains("# What a person asks of you now"), "{}", prompt(&sandbox, 1));
}

#[test]
fn guidance_that_was_taken_back_is_told_to_nobody_and_told_guidance_stays() {
    let sandbox = with_tasks(1);
    let given = sandbox.ralph_ok(&["guide", "--task", "1", "Use the old client"]);
    sandbox.ralph_ok(&["guide", "Be brief"]);
    assert_eq!(sandbox.ralph_ok(&["guide"]).as_array().map(Vec::len), Some(2), "without words it lists what waits");
    let back = sandbox.ralph_ok(&["guide", "--take-back", &journeys::id_of(&given).to_string()]);
    assert_eq!(back["text"], "Use the old client");
    play(&sandbox, "done\n", &["--max-iterations", "1"]);
    let told = prompt(&sandbox, 1);
    assert!(told.contains("Be brief") && !told.contains("Use the old client"), "{told}");
    let error = refused(&sandbox.ralph(&["guide", "--take-back", "2"]), "invalid");
    assert!(text(&error["message"]).contains("iteration 1 was told it already"), "{error}");
}

#[test]
fn the_terminal_tells_which_task_speaks_when_there_are_several() {
    let sandbox = with_tasks(2);
    sandbox.write(".ralph/test.script", "say hello\ndone\n");
    let alone = ["run", "--agent", "scripted", "--script", ".ralph/test.script", "--task", "1"];
    assert!(plain(&sandbox, &alone).stdout.lines().any(|line| line == "hello"), "one worker speaks as ever");
    task(&sandbox, "pay", "Task 3", &[]);
    let together = plain(&sandbox, &["run", "--agent", "scripted", "--script", ".ralph/test.script", "--workers", "2"]).stdout;
    assert!(together.contains("#2 │ hello") && together.contains("#3 │ hello"), "{together}");
}

#[test]
fn a_usage_limit_that_one_worker_meets_pauses_all_of_them() {
    let sandbox = with_tasks(4);
    let works = "[*]\nrun mkdir -p \"$RALPH_PROJECT/.ralph/seen\"; touch \"$RALPH_PROJECT/.ralph/seen/$RALPH_TASK\"; \
                 until [ -e \"$RALPH_PROJECT/.ralph/go\" ]; do sleep 0.02; done\ndone\n";
    let run = start(&sandbox, &format!("{LIMITED}{works}"), &["--workers", "2"]);
    let ended = |task: u64, outcome: &str| {
        wait_until(&format!("task {task}: {outcome}"), LIMIT, || {
            iterations(&sandbox).iter().any(|row| row["task"] == task && row["outcome"] == outcome).then_some(())
        });
    };
    ended(1, "rate_limited");
    sandbox.write(".ralph/go", "");
    ended(2, "done");
    wait_until("the run waits", LIMIT, || (sandbox.ralph_ok(&["status"])["active_run"]["state"] == "waiting").then_some(()));
    sandbox.ralph_ok(&["stop"]);
    run.wait(LIMIT);
    assert_eq!(iterations(&sandbox).len(), 2, "whoever was free began nothing: {:?}", iterations(&sandbox));
    assert_eq!([1, 3, 4].map(|task| status_of(&sandbox, task)), ["pending"; 3].map(str::to_owned));
}

#[test]
fn a_usage_limit_is_told_while_another_worker_still_works() {
    let sandbox = with_tasks(2);
    let run = start(&sandbox, &format!("{LIMITED}[*]\n{HANGS}"), &["--workers", "2"]);
    let told = wait_until("the limit is told", LIMIT, || {
        let status = sandbox.ralph_ok(&["status"]);
        status["active_run"]["waiting_until"].is_string().then_some(status)
    });
    assert_eq!((&told["active_run"]["state"], &told["lanes"][0]["task"]), (&json!("running"), &json!(2)), "{told}");
    assert!(text(&told["active_run"]["note"]).contains("limit"), "{told}");
    let said = plain(&sandbox, &["status"]).stdout;
    assert!(said.contains("is running, and begins nothing until "), "{said}");
    sandbox.ralph_ok(&["stop"]);
    run.wait(LIMIT);
    assert!(sandbox.ralph_ok(&["status"])["last_run"]["waiting_until"].is_null());
}

#[test]
fn a_task_begins_from_its_dependency_s_merged_result_or_on_its_branch_where_that_is_set() {
    for stacked in [false, true] {
        let sandbox = Sandbox::with_project();
        if stacked {
            let config = sandbox.read(".ralph/config.toml").replace("dependencies = \"merged\"", "dependencies = \"stacked\"");
            sandbox.write(".ralph/config.toml", &config);
        }
        feature(&sandbox, "pay", &[]);
        let below = task(&sandbox, "pay", "Below", &[]);
        let above = sandbox.ralph_ok(&["task", "create", "--feature", "pay", "--title", "Above", "--depends-on", &below.to_string()]);
        let above = above["id"].as_u64().expect("a number");
        sandbox.commit("a project");
        let script = "[task \"Below\"]\nedit below.txt <<EOF\nbelow\nEOF\ncommit Below\ndone\n[*]\nrun cat below.txt > above.txt\ncommit Above\ndone\n";
        play(&sandbox, script, &["--workers", "2"]);
        assert_eq!(status_of(&sandbox, below), "in_review");
        assert_eq!(status_of(&sandbox, above), if stacked { "in_review" } else { "pending" });
        if stacked {
            let diff = sandbox.ralph_ok(&["diff", &above.to_string()]);
            assert_eq!((&diff["row"]["base"], &diff["row"]["files"]), (&json!("ralph/1-below"), &json!(1)), "its own work alone: {diff}");
            let fault = refused(&sandbox.ralph(&["merge", &above.to_string()]), "invalid");
            assert!(text(&fault["message"]).contains("stacked on task #1"), "{fault}");
        }
        sandbox.ralph_ok(&["merge", &below.to_string()]);
        if !stacked {
            play(&sandbox, script, &["--workers", "2"]);
        }
        let done = sandbox.ralph_ok(&["merge", &above.to_string()]);
        assert_eq!((&done["base"], sandbox.read("above.txt").as_str()), (&json!("main"), "below\n"), "{done}");
        assert_sound(&sandbox);
    }
}

#[test]
fn in_a_bare_repository_the_project_of_one_work_tree_is_found_from_the_others() {
    let sandbox = Sandbox::new();
    let place = |name: &str| sandbox.home().join(name).to_string_lossy().into_owned();
    let (hub, one, two) = (place("hub.git"), place("one"), place("two"));
    sandbox.git(&["clone", "-q", "--bare", ".", &hub]);
    sandbox.git(&["-C", &hub, "worktree", "add", "-q", &one, "main"]);
    sandbox.git(&["-C", &hub, "worktree", "add", "-q", "-b", "side", &two]);
    sandbox.ralph_ok(&["-C", &one, "init"]);
    sandbox.ralph_ok(&["-C", &one, "feature", "create", "pay"]);
    let found = sandbox.ralph_ok(&["-C", &two, "feature", "list"]);
    assert_eq!(found[0]["name"], "pay", "{found}");
    assert!(!std::path::Path::new(&two).join(".ralph").exists());
}

#[test]
fn a_worktree_that_its_own_agent_deletes_is_made_anew_with_what_it_committed() {
    let sandbox = with_tasks(1);
    play(
        &sandbox,
        "run echo x > x.txt; git add x.txt; git commit -qm x; cd /; rm -rf \"$RALPH_WORKTREE\"\ndone\n",
        &["--worktrees", "--max-iterations", "1"],
    );
    let evidence = &iterations(&sandbox)[0]["evidence"];
    assert_eq!((&evidence["changed_files"], &evidence["remarks"]), (&json!(["x.txt"]), &json!([])), "{evidence}");
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!(sandbox.read("x.txt"), "x\n");
}
