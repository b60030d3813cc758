//! Files of `.ralph/` that are this machine's own, added to git by force: nothing is lost by that, every run can still be stopped, and
//! nobody is blamed without reason.

use journeys::{
    LIMIT, committed_with_tasks, feature, iterations, learn, learnings, lesson, list, play, refused, scripted, start, status_of, task, text,
};
use ralph_testkit::{Running, Sandbox, wait_until};
use serde_json::{Value, json};

/// Starts a run and waits until its agent has done what it is to do.
fn begun(sandbox: &Sandbox, does: &str, more: &[&str]) -> Running {
    let run = start(sandbox, &format!("run {does}\nrun touch \"$RALPH_PROJECT/../begun\"\nhang\n"), more);
    let mark = sandbox.project().join("../begun");
    wait_until("the agent did it", LIMIT, || mark.exists().then_some(()));
    std::fs::remove_file(mark).expect("the mark is removed");
    run
}

/// The files below `.ralph/db` that git tracks, journals apart.
fn tracked(sandbox: &Sandbox) -> String {
    sandbox.git(&["ls-files", ".ralph/db", ":(exclude).ralph/db/memory"])
}

/// How the doctor looks at them.
fn told_by_the_doctor(sandbox: &Sandbox) -> Value {
    // It may have other things to tell: git took journals back as well.
    let checks = list(sandbox.ralph(&["doctor"]).json()["checks"].clone());
    checks.into_iter().find(|check| check["name"] == "private files").map_or(Value::Null, |check| check["status"].clone())
}

/// Does as a hint says: runs its first command in a shell.
fn obey(sandbox: &Sandbox, error: &Value) {
    let hint = text(&error["hint"]);
    let command = hint.split('`').nth(1).expect("a command").to_owned();
    let done = sandbox.run(sandbox.command("sh").arg("-c").arg(&command));
    assert!(done.status.success(), "{command}: {done:?}");
}

#[test]
fn the_way_out_of_git_lets_no_checkout_put_an_old_log_beside_the_database() {
    let sandbox = committed_with_tasks(2);
    // Killed before it could look what its agent did, and with it whatever held the database open.
    let run = begun(&sandbox, "git add --all --force . && git commit --quiet --message all", &["--in-place"]);
    assert!(tracked(&sandbox).contains("ralph.db-wal"));
    run.signal("KILL");
    run.wait(LIMIT);
    let error = refused(&sandbox.ralph(&["status"]), "untrusted");
    assert!(text(&error["message"]).contains(".ralph/db/ralph.db-wal"), "{error}");
    obey(&sandbox, &error);
    assert_eq!(tracked(&sandbox), "");
    assert!(sandbox.git(&["ls-files", ".ralph/db"]).contains("memory/pay.jsonl"), "journals stay in git");
    sandbox.git(&["commit", "--quiet", "--message", "out"]);
    for (number, undo) in
        [&["checkout", "--quiet", "--", "."][..], &["restore", "."], &["reset", "--quiet", "--hard"], &["stash", "--quiet"]]
            .into_iter()
            .enumerate()
    {
        task(&sandbox, "pay", &format!("Later {number}"), &[]);
        learn(&sandbox, "pay", &lesson(number), &[]);
        sandbox.git(undo);
        assert_eq!(list(sandbox.ralph_ok(&["task", "list"])).len(), number + 3, "{undo:?}");
        assert_eq!(learnings(&sandbox, "pay", "active").len(), number + 1, "{undo:?}");
    }
    assert_eq!(told_by_the_doctor(&sandbox), Value::Null);
}

#[test]
fn a_run_is_stopped_whatever_its_agent_did_to_the_marks_of_its_project() {
    let own = "rm \"$RALPH_PROJECT/.ralph/db/origin\"";
    for (does, more) in [
        ("git add --force .ralph/db/ralph.db", "--in-place"),
        ("git -C \"$RALPH_PROJECT\" add --force .ralph/db", "--worktrees"),
        (own, "--in-place"),
        ("echo 01ARZ3NDEKTSV4RRFFQ69G5FAV > .ralph/db/origin", "--in-place"),
        ("rm -rf \"$HOME/.local/share/ralph/databases\" \"$HOME/.local/share/ralph/projects\"", "--in-place"),
    ] {
        let sandbox = committed_with_tasks(2);
        let run = begun(&sandbox, does, &[more]);
        for args in
            [&["status"][..], &["pause"], &["guide", "Be brief"], &["answer"], &["task", "update", "2", "--priority", "high"], &["stop"]]
        {
            let output = sandbox.ralph(args);
            assert!(output.status.success(), "{does}: {args:?}: {output:?}");
        }
        assert_eq!(run.wait(LIMIT).status.code(), Some(130), "{does}");
        assert_eq!((tracked(&sandbox), status_of(&sandbox, 1)), (String::new(), "pending".to_owned()), "{does}");
    }
}

#[test]
fn private_files_that_an_agent_only_added_are_taken_out_again_and_the_run_goes_on() {
    let sandbox = committed_with_tasks(2);
    let run = play(&sandbox, "run git add --force .ralph\nmcp list_features {}\ndone\n", &["--in-place"]);
    assert_eq!(run["stop_reason"], "nothing_ready", "{run}");
    assert_eq!((tracked(&sandbox), status_of(&sandbox, 2)), (String::new(), "done".to_owned()));
    let told = &iterations(&sandbox)[0]["evidence"]["ralph_files"];
    assert!(told.to_string().contains("ralph.db") && told.to_string().contains("added to git"), "{told}");
}

#[test]
fn an_agent_that_commits_private_files_ends_the_run_by_name_and_no_task_fails_for_it() {
    let sandbox = committed_with_tasks(2);
    // Git refuses a file that Ralph writes to while it is read.
    let add = "for try in 1 2 3 4 5 6 7 8 9; do git add --all --force . && break; done";
    let script = format!("[task 1]\nrun {add}; git commit --quiet --message all\ndone\n\n[*]\nmcp list_features {{}}\ndone\n");
    let args = scripted(&sandbox, &script, &["--in-place"]);
    let output = sandbox.ralph(&args);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let run = output.json();
    assert_eq!((&run["stop_reason"], &run["iterations"]), (&json!("private_files"), &json!(1)), "{run}");
    assert!(text(&run["note"]).contains("push no commit"), "{run}");
    let notices = list(sandbox.ralph_ok(&["notice", "list"]));
    assert!(notices.iter().any(|notice| notice["kind"] == "ralph_files" && text(&notice["detail"]).contains("ralph.db")), "{notices:?}");
    assert_eq!((tracked(&sandbox), status_of(&sandbox, 2)), (String::new(), "pending".to_owned()));

    let error = refused(&sandbox.ralph(&args), "untrusted");
    assert_eq!(told_by_the_doctor(&sandbox), "warning");
    obey(&sandbox, &error);
    sandbox.git(&["commit", "--quiet", "--message", "out"]);
    play(&sandbox, "done\n", &["--in-place"]);
    assert_eq!(status_of(&sandbox, 2), "done");
}

#[test]
fn what_an_agent_put_into_git_is_taken_out_and_told_though_ralph_was_killed() {
    let add = "git add --force .ralph/db/logs";
    for (does, committed) in [(add.to_owned(), false), (format!("{add} && git commit --quiet --message logs && {add}"), true)] {
        let sandbox = committed_with_tasks(2);
        sandbox.write(".ralph/db/notes.txt", "mine");
        sandbox.git(&["add", "--force", ".ralph/db/notes.txt"]);
        sandbox.git(&["commit", "--quiet", "--message", "notes"]);
        let run = begun(&sandbox, &does, &["--in-place"]);
        assert!(tracked(&sandbox).contains("1.jsonl"));
        run.signal("KILL");
        run.wait(LIMIT);
        let notices = list(sandbox.ralph_ok(&["notice", "list"]));
        let told = notices.iter().find(|notice| notice["kind"] == "ralph_files").expect("it is told");
        assert!(text(&told["title"]).starts_with("iteration 1, or a person since, changed"), "{told}");
        let detail = text(&told["detail"]);
        assert!(detail.contains(".jsonl") && !detail.contains("notes.txt") && detail.contains("push no commit") == committed, "{told}");
        assert!(!tracked(&sandbox).contains("1.jsonl"), "no later `git add` or commit brings it along");
    }
}

#[test]
fn private_files_that_an_agent_commits_and_takes_out_again_are_told_and_the_way_out_leaves_none_of_them_in_history() {
    let sandbox = committed_with_tasks(2);
    let commit = |message: &str| format!("git commit --quiet --message {message}");
    let all = format!("git add --all --force . && {}", commit("all"));
    let script = format!(
        "[task 1]\nrun echo work > work.txt\nrun {all}\nrun git rm -r -q -f --cached .ralph/db && {}\ndone\n\n[*]\ndone\n",
        commit("out")
    );
    let output = sandbox.ralph(&scripted(&sandbox, &script, &["--in-place"]));
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let run = output.json();
    assert_eq!((&run["stop_reason"], &run["iterations"]), (&json!("private_files"), &json!(1)), "{run}");
    let note = text(&run["note"]);
    let held = || sandbox.git(&["log", "--format=%h", "--", ".ralph/db/ralph.db"]);
    assert!(note.contains("ralph.db") && tracked(&sandbox).is_empty() && !held().is_empty(), "{note}");
    // The way out, as typed but for the editor.
    let command = note.split('`').nth(1).expect("a command").to_owned();
    let done = sandbox.run(sandbox.command("sh").arg("-c").arg(format!("{command} --message work")));
    assert!(done.status.success(), "{command}: {done:?}");
    assert_eq!(
        (held(), sandbox.git(&["log", "-1", "--format=%s", "--", "work.txt"]).trim().to_owned()),
        (String::new(), "work".to_owned())
    );
    play(&sandbox, "done\n", &["--in-place"]);
    assert_eq!(status_of(&sandbox, 2), "done");
}

#[test]
fn what_a_person_let_git_track_before_is_not_called_an_agent_s_doing() {
    let sandbox = committed_with_tasks(1);
    sandbox.write(".ralph/db/notes.txt", "mine");
    sandbox.git(&["add", "--force", ".ralph/db/notes.txt"]);
    sandbox.git(&["commit", "--quiet", "--message", "notes"]);
    let script = "run git rm --quiet --cached .ralph/db/notes.txt && git commit --quiet --message out\nmcp list_features {}\ndone\n";
    assert_eq!(play(&sandbox, script, &["--in-place"])["stop_reason"], "nothing_ready");
}

#[test]
fn an_earlier_database_that_git_brings_back_does_not_cost_the_newer_one() {
    let sandbox = committed_with_tasks(2);
    sandbox.git(&["add", "--all", "--force", "."]);
    sandbox.git(&["commit", "--quiet", "--message", "all"]);
    obey(&sandbox, &refused(&sandbox.ralph(&["status"]), "untrusted"));
    sandbox.git(&["commit", "--quiet", "--message", "out"]);
    task(&sandbox, "pay", "Later", &[]);
    sandbox.git(&["checkout", "--quiet", "--force", "HEAD~1"]);
    obey(&sandbox, &refused(&sandbox.ralph(&["status"]), "untrusted"));
    assert_eq!(list(sandbox.ralph_ok(&["task", "list"])).len(), 2, "it is the earlier one");
    let data = sandbox.home().join(".local/share/ralph/projects");
    let backups = std::fs::read_dir(data).unwrap().flatten().find_map(|project| std::fs::read_dir(project.path().join("backups")).ok());
    let mut aside = backups.into_iter().flatten().flatten().map(|copy| copy.path());
    let aside = aside.find(|copy| copy.file_name().is_some_and(|name| name.to_string_lossy().starts_with("earlier-"))).unwrap();
    sandbox.ralph_ok(&["restore", "--yes", "--from", &aside.to_string_lossy()]);
    assert_eq!(list(sandbox.ralph_ok(&["task", "list"])).len(), 3);
}

#[test]
fn a_database_that_was_not_made_here_is_not_used() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    learn(&sandbox, "pay", "Refunds are settled at midnight", &[]);
    sandbox.ralph_ok(&["backup"]);
    std::fs::remove_file(sandbox.project().join(".ralph/db/origin")).unwrap();
    sandbox.git(&["add", "--all", "--force", ".ralph"]);
    sandbox.git(&["commit", "--quiet", "--message", "everything"]);
    let clone = sandbox.home().join("clone");
    sandbox.git(&["clone", "--quiet", ".", &clone.to_string_lossy()]);
    let ralph = |args: &[&str]| sandbox.run(sandbox.ralph_command(args).current_dir(&clone));
    for command in [&["status"][..], &["learning", "list"], &["run"], &["trust", "--yes"]] {
        let error = refused(&ralph(command), "untrusted");
        assert!(text(&error["message"]).contains("ralph.db") && text(&error["hint"]).contains("journals"), "{error}");
    }
    // Not tracked any more, yet nobody on this machine made it.
    sandbox.run(sandbox.command("git").args(["rm", "--quiet", "--cached", "-r", ".ralph/db"]).current_dir(&clone));
    let error = refused(&ralph(&["status"]), "untrusted");
    assert!(text(&error["message"]).contains("ralph.db"), "{error}");
    let waits = list(ralph(&["trust"]).json()["items"].clone());
    assert_eq!(waits.iter().filter(|item| item["agreed"] == false).map(|item| text(&item["name"])).collect::<Vec<_>>(), ["ralph.db"]);
    for name in ["ralph.db", "ralph.db-wal", "ralph.db-shm"] {
        let _ = std::fs::remove_file(clone.join(".ralph/db").join(name));
    }
    let learnings = list(ralph(&["learning", "list"]).json());
    assert!(learnings.len() == 1 && text(&learnings[0]["text"]).contains("midnight"), "the journals bring it back: {learnings:?}");

    // The person's own project, copied or moved by hand, is theirs; one that came without a mark they can agree to.
    let [copy, other] = ["copy", "other"].map(|name| sandbox.home().join(name));
    for place in [&copy, &other] {
        sandbox.run(sandbox.command("cp").arg("-r").arg(&clone).arg(place));
        if *place == copy {
            assert!(sandbox.run(sandbox.ralph_command(&["status"]).current_dir(&copy)).status.success());
        }
        std::fs::write(place.join(".ralph/db/origin"), "../../etc/passwd/aaaaaaaaa").unwrap();
    }
    let known = sandbox.run(sandbox.ralph_command(&["status"]).current_dir(&copy));
    assert!(known.status.success(), "it has a second name outside of the folder by now: {known:?}");
    let ralph = |args: &[&str]| sandbox.run(sandbox.ralph_command(args).current_dir(&other));
    refused(&ralph(&["status"]), "untrusted");
    assert!(ralph(&["trust", "--yes"]).status.success());
    assert!(ralph(&["status"]).status.success());
}
