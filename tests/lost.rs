//! A project that is missing, damaged or empty: said by a code of its own, never replaced in silence, and brought back.

use journeys::{LIMIT, feature, iterations, learn, learnings, lesson, list, play, refused, start, status_of, task, text};
use ralph_testkit::{Running, Sandbox, wait_until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A project with a feature, a task and a lesson.
fn project() -> (Sandbox, u64) {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    let task = task(&sandbox, "pay", "Refund", &[]);
    learn(&sandbox, "pay", &lesson(1), &[]);
    (sandbox, task)
}

/// Every way to the project tells that it is lost, and none makes a new one.
fn is_lost(sandbox: &Sandbox, missing: &str) {
    for args in [&["status"][..], &["task", "list"], &["init"], &["run", "--agent", "scripted", "--script", "README.md"]] {
        let error = refused(&sandbox.ralph(args), "project_lost");
        assert!(text(&error["message"]).contains(missing) && text(&error["hint"]).contains("ralph restore"), "{args:?}: {error}");
    }
    let doctor = sandbox.ralph(&["doctor"]);
    assert!(!doctor.status.success() && doctor.json()["ok"] == false, "{doctor:?}");
}

fn is_whole(sandbox: &Sandbox, task: u64) {
    assert_eq!(status_of(sandbox, task), "pending");
    assert_eq!(list(sandbox.ralph_ok(&["task", "list"])).len(), 1);
    assert_eq!(learnings(sandbox, "pay", "active").len(), 1);
}

#[test]
fn a_project_that_was_removed_is_missed_and_comes_back_as_it_was() {
    let (sandbox, one) = project();
    std::fs::remove_dir_all(sandbox.project().join(".ralph")).unwrap();
    is_lost(&sandbox, ".ralph is missing");
    assert!(!sandbox.project().join(".ralph").exists(), "nothing is made in its place");
    let restored = sandbox.ralph_ok(&["restore"]);
    assert_eq!((&restored["restored"], &restored["tasks"], &restored["learnings"]), (&json!(true), &json!(1), &json!(1)), "{restored}");
    assert!(list(restored["missing"].clone()).iter().any(|line| text(line).contains("config.toml")), "{restored}");
    is_whole(&sandbox, one);
    // What is written from now on is kept as well.
    learn(&sandbox, "pay", &lesson(2), &[]);
    std::fs::remove_dir_all(sandbox.project().join(".ralph")).unwrap();
    assert_eq!(sandbox.ralph_ok(&["restore"])["learnings"], 2);
}

#[test]
fn a_file_in_the_place_of_the_folder_is_named_and_stays() {
    let (sandbox, task) = project();
    let folder = sandbox.project().join(".ralph");
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "a person's own").unwrap();
    is_lost(&sandbox, "a file stands in the place");
    for way_out in [&["restore"][..], &["restore", "--show"], &["init", "--fresh"]] {
        let error = refused(&sandbox.ralph(way_out), "unsafe_file");
        assert!(text(&error["message"]).contains(".ralph is a plain file, not a folder"), "{way_out:?}: {error}");
    }
    assert_eq!(sandbox.read(".ralph"), "a person's own");
    std::fs::remove_file(&folder).unwrap();
    sandbox.ralph_ok(&["restore"]);
    is_whole(&sandbox, task);
}

#[test]
fn git_clean_and_a_branch_from_before_lose_nothing() {
    let (sandbox, one) = project();
    sandbox.git(&["clean", "-fdxq"]);
    is_lost(&sandbox, "is missing");
    let shown = sandbox.ralph_ok(&["restore", "--show"]);
    assert_eq!((&shown["restored"], &shown["tasks"]), (&json!(false), &json!(1)), "{shown}");
    is_lost(&sandbox, "is missing");
    sandbox.ralph_ok(&["restore"]);
    is_whole(&sandbox, one);
    // Settings and journals are committed; a branch from before has none of them.
    sandbox.commit("ralph");
    sandbox.git(&["checkout", "--quiet", "-b", "before", "HEAD~1"]);
    is_whole(&sandbox, one);
    sandbox.git(&["stash", "--include-untracked", "--quiet"]);
    sandbox.git(&["checkout", "--quiet", "main"]);
    is_whole(&sandbox, one);
}

#[test]
fn private_files_stay_out_of_git_also_without_the_ignore_file() {
    let (sandbox, _) = project();
    std::fs::remove_file(sandbox.project().join(".ralph/.gitignore")).unwrap();
    sandbox.commit("all");
    let tracked = sandbox.git(&["ls-files", ".ralph"]);
    assert!(tracked.contains("memory/pay.jsonl") && !tracked.contains("ralph.db") && !tracked.contains("backups"), "{tracked}");
}

#[test]
fn an_empty_database_is_no_new_project() {
    let (sandbox, one) = project();
    sandbox.ralph_ok(&["backup"]);
    std::fs::write(sandbox.project().join(".ralph/db/ralph.db"), "").unwrap();
    is_lost(&sandbox, "empty file");
    assert_eq!(sandbox.ralph_ok(&["restore"])["restored"], true);
    is_whole(&sandbox, one);
    // Nor where this machine knows nothing of the project, but its own copies tell that there was one.
    std::fs::remove_dir_all(sandbox.home().join(".local/share/ralph/projects")).unwrap();
    std::fs::write(sandbox.project().join(".ralph/db/ralph.db"), "").unwrap();
    is_lost(&sandbox, "empty file");
    sandbox.ralph_ok(&["restore"]);
    is_whole(&sandbox, one);
}

#[test]
fn a_damaged_database_is_named_and_comes_back_from_a_copy_outside() {
    let (sandbox, one) = project();
    sandbox.ralph_ok(&["backup"]);
    std::fs::remove_dir_all(sandbox.project().join(".ralph/db/backups")).unwrap();
    let path = sandbox.project().join(".ralph/db/ralph.db");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[..4_096].fill(b'x');
    std::fs::write(&path, &bytes).unwrap();
    let error = refused(&sandbox.ralph(&["status"]), "damaged_database");
    assert!(text(&error["hint"]).contains("ralph restore"), "{error}");
    assert!(!sandbox.ralph(&["doctor"]).status.success());
    let restored = sandbox.ralph_ok(&["restore"]);
    assert!(text(&restored["from"]).contains("backups"), "{restored}");
    is_whole(&sandbox, one);
    let aside = sandbox.run(sandbox.command("sh").args(["-c", "ls .ralph/db/aside-*-ralph.db"]));
    assert!(aside.status.success(), "what was there is kept: {aside:?}");
}

#[test]
fn an_old_copy_is_completed_by_the_journals_and_what_is_missing_is_said_first() {
    let (sandbox, one) = project();
    let copy = text(&sandbox.ralph_ok(&["backup"])["path"]);
    learn(&sandbox, "pay", &lesson(2), &[]);
    std::fs::write(sandbox.project().join(".ralph/db/ralph.db"), "").unwrap();
    let restored = sandbox.ralph_ok(&["restore", "--from", &copy]);
    let missing = list(restored["missing"].clone());
    let changed = missing.iter().map(text).find(|line| line.contains("tasks, comments and runs")).expect("is said");
    let raw = changed.split(' ').any(|word| word.contains('T') && word.ends_with('Z'));
    assert!(changed.starts_with("what was changed after 2") && !raw, "a time that people read: {changed}");
    assert_eq!((learnings(&sandbox, "pay", "active").len(), status_of(&sandbox, one)), (2, "pending".to_owned()));
    journeys::assert_sound(&sandbox);
}

#[test]
fn a_database_that_works_is_replaced_only_on_request() {
    let (sandbox, one) = project();
    let copy = text(&sandbox.ralph_ok(&["backup"])["path"]);
    let later = task(&sandbox, "pay", "Later", &[]);
    let error = refused(&sandbox.ralph(&["restore", "--from", &copy]), "invalid");
    assert!(text(&error["hint"]).contains("--yes"), "{error}");
    let told = text(&error["message"]);
    assert!(told.contains("1 feature, 1 task, 1 learning") && told.contains("1 feature, 2 tasks, 1 learning; it is set aside"), "{told}");
    assert_eq!(status_of(&sandbox, later), "pending", "nothing was changed");
    sandbox.ralph_ok(&["restore", "--from", &copy, "--yes"]);
    assert_eq!(list(sandbox.ralph_ok(&["task", "list"])).len(), 1);
    assert_eq!(status_of(&sandbox, one), "pending");
    sandbox.write("torn.db", "half of it");
    refused(&sandbox.ralph(&["restore", "--from", "torn.db", "--yes"]), "damaged_database");
    assert_eq!(status_of(&sandbox, one), "pending", "a torn copy replaces nothing");
    let pipe = sandbox.project().join("pipe.db");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for from in ["pipe.db", "missing.db", ".", ".ralph/db/ralph.db"] {
        let error = refused(&sandbox.ralph(&["restore", "--from", from, "--yes"]), "invalid");
        assert!(text(&error["message"]).contains(from) && text(&error["hint"]).contains("--from"), "{error}");
        assert_eq!(status_of(&sandbox, one), "pending", "{from} replaces nothing");
    }
}

#[test]
fn a_copy_of_a_clock_that_was_ahead_does_not_win_over_the_newest_state() {
    let (sandbox, one) = project();
    sandbox.ralph_ok(&["backup"]);
    let late = task(&sandbox, "pay", "Later", &[]);
    let touched = sandbox.run(
        sandbox
            .command("sh")
            .args(["-c", "touch -d 2099-01-01 .ralph/db/backups/*.db \"$HOME\"/.local/share/ralph/projects/*/backups/regular-*.db"]),
    );
    assert!(touched.status.success(), "{touched:?}");
    std::fs::remove_file(sandbox.project().join(".ralph/db/ralph.db")).unwrap();
    sandbox.ralph_ok(&["restore"]);
    assert_eq!([one, late].map(|task| status_of(&sandbox, task)), ["pending", "pending"]);
}

#[test]
fn a_copy_of_a_newer_ralph_takes_the_place_of_nothing() {
    let (sandbox, one) = project();
    let older = text(&sandbox.ralph_ok(&["backup"])["path"]);
    let newer = sandbox.home().join("newer.db");
    std::fs::copy(&older, &newer).unwrap();
    // The number of its schema, as the file format has it.
    let mut bytes = std::fs::read(&newer).unwrap();
    bytes[60..64].copy_from_slice(&9_999_u32.to_be_bytes());
    std::fs::write(&newer, bytes).unwrap();
    refused(&sandbox.ralph(&["restore", "--from", newer.to_str().unwrap(), "--yes"]), "newer_database");
    is_whole(&sandbox, one);
    // Whoever goes back to an older Ralph gets the newest copy that this one can open, and is told where there is none.
    let all_are_newer_but = |kept: &str| {
        let all = "ls $PWD/.ralph/db/ralph.db $PWD/.ralph/db/backups/*.db $HOME/.local/share/ralph/projects/*/backups/*.db";
        let all = sandbox.run(sandbox.command("sh").args(["-c", all])).stdout;
        all.lines().filter(|path| *path != kept).for_each(|path| _ = std::fs::copy(&newer, path).unwrap());
        refused(&sandbox.ralph(&["status"]), "newer_database");
    };
    all_are_newer_but(&older);
    sandbox.ralph_ok(&["restore", "--yes"]);
    is_whole(&sandbox, one);
    all_are_newer_but("");
    refused(&sandbox.ralph(&["restore", "--yes"]), "newer_database");
    assert!(sandbox.project().join(".ralph/db/ralph.db").exists());
}

#[test]
fn a_pipe_among_the_copies_is_passed_over() {
    let (sandbox, one) = project();
    sandbox.ralph_ok(&["backup"]);
    let pipe = sandbox.project().join(".ralph/db/backups/regular-00009.db");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::fs::remove_file(sandbox.project().join(".ralph/db/ralph.db")).unwrap();
    sandbox.ralph_ok(&["restore"]);
    is_whole(&sandbox, one);
}

#[test]
fn a_new_project_takes_the_place_of_a_lost_one_only_when_asked_for_and_keeps_it() {
    let (sandbox, _) = project();
    std::fs::remove_dir_all(sandbox.project().join(".ralph")).unwrap();
    sandbox.ralph_ok(&["init", "--fresh"]);
    assert_eq!(list(sandbox.ralph_ok(&["task", "list"])), Vec::<Value>::new());
    let kept = sandbox.run(sandbox.command("sh").args(["-c", "ls $HOME/.local/share/ralph/projects/*/backups/earlier-*.db"]));
    let kept = kept.stdout.trim().to_owned();
    sandbox.ralph_ok(&["restore", "--from", &kept, "--yes"]);
    assert_eq!(list(sandbox.ralph_ok(&["task", "list"])).len(), 1);
}

#[test]
fn the_newest_state_is_kept_and_named_however_often_a_wrong_copy_takes_its_place() {
    let (sandbox, _) = project();
    let wrong = sandbox.home().join("wrong.db");
    std::fs::copy(text(&sandbox.ralph_ok(&["backup"])["path"]), &wrong).unwrap();
    task(&sandbox, "pay", "Later", &[]);
    for _ in 0..2 {
        std::fs::remove_dir_all(sandbox.project().join(".ralph")).unwrap();
        assert_eq!(sandbox.ralph_ok(&["restore", "--from", wrong.to_str().unwrap()])["tasks"], 1);
    }
    // Once more on what is sound by now.
    sandbox.ralph_ok(&["init", "--fresh"]);
    let named = list(sandbox.ralph_ok(&["restore", "--show"])["others"].take());
    let restored = |copy: &Value| sandbox.ralph_ok(&["restore", "--from", &text(copy), "--yes"])["tasks"].take();
    assert!(named.iter().any(|copy| restored(copy) == 2), "{named:?}");
}

#[test]
fn restorations_at_once_come_one_after_another() {
    let (sandbox, one) = project();
    let copy = text(&sandbox.ralph_ok(&["backup"])["path"]);
    let start = |_| Running::start(&mut sandbox.ralph_command(&["restore", "--from", &copy, "--yes", "--json"]), None);
    let started: Vec<Running> = (0..6).map(start).collect();
    let mut done = 0;
    for restore in started {
        let output = restore.wait(LIMIT);
        if output.status.success() {
            done += 1;
        } else {
            assert_eq!(output.error()["code"], "busy", "{output:?}");
        }
    }
    assert!(done > 0);
    is_whole(&sandbox, one);
}

#[test]
fn what_an_agent_said_whose_project_was_removed_is_heard_by_the_restoration() {
    let (sandbox, one) = project();
    let teach = "learn gotcha a: The quokka server listens on port 5433 before src/boot.rs runs.\nrun touch began\nhang\n";
    let run = start(&sandbox, teach, &[]);
    wait_until("the agent at work", LIMIT, || sandbox.project().join("began").exists().then_some(()));
    wait_until("the lesson in the log", LIMIT, || sandbox.read(".ralph/db/logs/1.jsonl").contains("quokka").then_some(()));
    let folder = sandbox.project();
    wait_until("the folder is gone", LIMIT, || (std::fs::remove_dir_all(&folder).is_ok() || !folder.exists()).then_some(()));
    run.wait(LIMIT);
    std::fs::create_dir_all(&folder).unwrap();
    let shown = sandbox.ralph_ok(&["restore", "--show"]);
    assert!(shown["missing"].to_string().contains("but for what the agents had said"), "{shown}");
    sandbox.ralph_ok(&["restore"]);
    let known: Vec<String> = learnings(&sandbox, "pay", "active").iter().map(|learning| text(&learning["text"])).collect();
    assert!(known.len() == 2 && known[1].contains("quokka"), "{known:?}");
    assert_eq!((iterations(&sandbox)[0]["outcome"].clone(), status_of(&sandbox, one)), (json!("interrupted"), "pending".to_owned()));
    assert!(sandbox.read(".ralph/db/logs/1.jsonl").contains("quokka"));
    let kept = sandbox.run(sandbox.command("sh").args(["-c", "find $HOME/.local/share/ralph/projects -name '*.jsonl'"]));
    assert_eq!(kept.stdout, "", "nothing stays behind");
}

#[test]
fn a_log_of_a_project_that_was_moved_amid_a_run_does_not_stay_behind() {
    let (sandbox, _) = project();
    let run = start(&sandbox, "say A quokka\nrun touch began\nhang\n", &[]);
    wait_until("the agent at work", LIMIT, || sandbox.project().join("began").exists().then_some(()));
    let moved = sandbox.home().join("moved");
    std::fs::rename(sandbox.project(), &moved).unwrap();
    std::fs::create_dir(sandbox.project()).unwrap();
    run.wait(LIMIT);
    let kept = || sandbox.run(sandbox.command("sh").args(["-c", "find $HOME/.local/share/ralph/projects -name '*.jsonl'"])).stdout;
    assert!(!kept().is_empty(), "it may have gone to a dustbin");
    sandbox.ralph_ok(&["status", "-C", moved.to_str().unwrap()]);
    assert_eq!(kept(), "");
}

#[test]
fn a_project_that_was_moved_is_lost_nowhere() {
    let (sandbox, one) = project();
    let (old, new) = (sandbox.project(), sandbox.home().join("moved"));
    std::fs::rename(&old, &new).unwrap();
    let there = new.to_str().unwrap();
    assert_eq!(sandbox.run(sandbox.ralph_command(&["task", "list", "-C", there]).current_dir("/")).json().as_array().unwrap().len(), 1);
    std::fs::create_dir(&old).unwrap();
    refused(&sandbox.ralph(&["status"]), "no_project");
    sandbox.ralph_ok(&["init"]);
    assert_eq!(list(sandbox.ralph_ok(&["task", "list"])), Vec::<Value>::new(), "a new one may begin where it stood");
    refused(&sandbox.ralph(&["task", "show", &one.to_string()]), "not_found");
}

#[test]
fn numbers_of_iterations_never_restart_over_logs_that_are_there() {
    let (sandbox, _) = project();
    let copy = text(&sandbox.ralph_ok(&["backup"])["path"]);
    play(&sandbox, "say The first\ndone\n", &[]);
    let first = sandbox.read(".ralph/db/logs/1.jsonl");
    sandbox.ralph_ok(&["restore", "--from", &copy, "--yes"]);
    play(&sandbox, "say The second\ndone\n", &[]);
    assert_eq!(iterations(&sandbox)[0]["id"], 2);
    assert_eq!(sandbox.read(".ralph/db/logs/1.jsonl"), first, "its log is left as it was");
}

#[test]
fn kills_in_the_middle_of_a_copy_leave_whole_copies_alone() {
    let (sandbox, _) = project();
    for number in 2..40 {
        learn(&sandbox, "pay", &lesson(number), &[]);
    }
    let mut cut = 0;
    for round in 0..40_u64 {
        let copy = Running::start(&mut sandbox.ralph_command(&["backup"]), None);
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(6 * round) {
            std::hint::spin_loop();
        }
        copy.signal("KILL");
        cut += u64::from(!copy.wait(LIMIT).status.success());
    }
    eprintln!("{cut} of 40 were cut");
    let kept =
        sandbox.run(sandbox.command("sh").args(["-c", "ls .ralph/db/backups/*.db $HOME/.local/share/ralph/projects/*/backups/*.db"]));
    let copies: Vec<&str> = kept.stdout.lines().collect();
    assert!(cut > 0 && !copies.is_empty(), "{kept:?}");
    for copy in copies {
        // The first one was made before there was a task.
        let tasks = sandbox.ralph_ok(&["restore", "--from", copy, "--yes"])["tasks"].take();
        assert_eq!(json!(list(sandbox.ralph_ok(&["task", "list"])).len()), tasks, "{copy}");
    }
}

#[test]
fn a_run_whose_project_is_removed_stays_the_only_one_and_says_why_it_ends() {
    let (sandbox, _) = project();
    let run = start(&sandbox, "ignore-signals\nrun touch began\nhang\n", &[]);
    wait_until("the agent at work", LIMIT, || sandbox.project().join("began").exists().then_some(()));
    let folder = sandbox.project().join(".ralph");
    // The run may write amid the removal, which begins anew then, as a person would.
    wait_until("the folder is gone", LIMIT, || (std::fs::remove_dir_all(&folder).is_ok() || !folder.exists()).then_some(()));
    // The stubborn agent takes seconds to stop: meanwhile nobody begins anew beside it.
    let error = refused(&sandbox.ralph(&["init", "--fresh"]), "run_active");
    assert_eq!(error["message"], "a run already works in this checkout", "no row tells its number");
    let output = run.wait(LIMIT);
    assert_eq!(output.error()["code"], "project_gone", "{output:?}");
    assert!(!output.stderr.contains("not looked at"), "said once: {output:?}");
    assert!(!sandbox.project().join(".ralph").exists(), "nothing is made in its place");
    sandbox.ralph_ok(&["restore"]);
    assert_eq!(sandbox.ralph_ok(&["status"])["active_run"], Value::Null);
    assert_eq!(list(sandbox.ralph_ok(&["task", "list"]))[0]["status"], "pending");
}
