//! What a killed run left: found wherever its folder went, and whatever became of its database.

use journeys::{
    LIMIT, alive, assert_sound, before_git, feature, git_in, iterations, learnings, list, marked, project_with, refused, start, task, text,
};
use ralph_testkit::{Sandbox, wait_until};
use serde_json::json;

/// An agent that teaches and goes on; its helper heeds no polite request.
const TEACHES_AND_STAYS: &str = "\
learn gotcha a: The quokka server listens on port 5433 before src/boot.rs runs.
run setsid sh -c 'touch started; exec tail -f /dev/null' >/dev/null 2>&1 &
hang
";

/// A run whose process was killed while its agent works on.
fn killed_run(sandbox: &Sandbox) {
    let run = start(sandbox, TEACHES_AND_STAYS, &[]);
    wait_until("the agent at work", LIMIT, || sandbox.project().join("started").exists().then_some(()));
    wait_until("the lesson in the log", LIMIT, || sandbox.read(".ralph/db/logs/1.jsonl").contains("quokka").then_some(()));
    run.signal("KILL");
    wait_until("the end of ralph", LIMIT, || (!alive(run.id())).then_some(()));
    assert!(marked(sandbox).len() >= 2, "kill -9 leaves the agent and its helper");
}

#[test]
fn what_a_killed_run_left_ends_also_after_the_folder_was_moved() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Work", &[]);
    killed_run(&sandbox);
    let moved = sandbox.home().join("moved");
    std::fs::rename(sandbox.project(), &moved).unwrap();
    std::fs::create_dir(sandbox.project()).unwrap();
    sandbox.ralph_ok(&["status", "-C", moved.to_str().unwrap()]);
    wait_until("the end of every orphan", LIMIT, || marked(&sandbox).is_empty().then_some(()));
    assert_eq!(list(sandbox.ralph_ok(&["learning", "list", "-C", moved.to_str().unwrap()])).len(), 1, "what was said is heard");
}

#[test]
fn what_a_person_wrote_after_the_kill_is_not_taken_for_the_loop_s() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Work", &[]);
    killed_run(&sandbox);
    sandbox.write("mine.txt", "an hour of thought");
    // However late the kill is found, the iteration ended when its agent was last heard.
    sandbox.ralph_ok(&["status"]);
    start(&sandbox, "run rm -f mine.txt\ndone\n", &["--max-iterations", "1"]).wait(LIMIT);
    let notices = sandbox.ralph_ok(&["notice", "list"]).to_string();
    assert!(notices.contains("mine.txt"), "{notices}");
}

#[test]
fn a_copy_of_the_folder_ends_nothing_of_a_run_that_goes_on() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Work", &[]);
    let run = start(&sandbox, TEACHES_AND_STAYS, &[]);
    wait_until("the agent at work", LIMIT, || sandbox.project().join("started").exists().then_some(()));
    // The agent, and the helper that it started.
    wait_until("both of them", LIMIT, || (marked(&sandbox).len() >= 2).then_some(()));
    let (before, copy) = (marked(&sandbox).len(), sandbox.home().join("copy"));
    sandbox.run(sandbox.command("cp").args(["-r", ".", copy.to_str().unwrap()]));
    sandbox.ralph_ok(&["status", "-C", copy.to_str().unwrap()]);
    assert_eq!(marked(&sandbox).len(), before);
    assert!(alive(run.id()));
    sandbox.ralph_ok(&["stop"]);
    run.wait(LIMIT);
}

#[test]
fn what_a_killed_run_said_and_left_is_not_lost_with_the_database() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Work", &[]);
    killed_run(&sandbox);
    for file in ["ralph.db", "ralph.db-wal", "ralph.db-shm"] {
        let _ = std::fs::remove_file(sandbox.project().join(".ralph/db").join(file));
    }
    sandbox.ralph_ok(&["restore", "--yes"]);
    wait_until("the end of every orphan", LIMIT, || marked(&sandbox).is_empty().then_some(()));
    assert_eq!((learnings(&sandbox, "pay", "active").len(), iterations(&sandbox)[0]["outcome"].clone()), (1, json!("interrupted")));
    assert_sound(&sandbox);
}

#[test]
fn a_restored_database_that_is_older_than_a_killed_run_ends_what_it_left_and_says_where_its_words_are() {
    let sandbox = Sandbox::with_project();
    feature(&sandbox, "pay", &[]);
    task(&sandbox, "pay", "Work", &[]);
    let copy = text(&sandbox.ralph_ok(&["backup"])["path"]);
    killed_run(&sandbox);
    let restored = sandbox.ralph_ok(&["restore", "--yes", "--from", &copy]);
    assert!(list(restored["missing"].clone()).iter().any(|line| text(line).contains("1.jsonl")), "{restored}");
    wait_until("the end of every orphan", LIMIT, || marked(&sandbox).is_empty().then_some(()));
}

#[test]
fn a_branch_whose_worktree_was_never_made_goes_with_it() {
    let mut sandbox = project_with("");
    let one = task(&sandbox, "pay", "First", &[]).to_string();
    let path = before_git(&mut sandbox, "*'worktree add'*", "kill -9 $PPID; exit 1");
    assert!(!sandbox.ralph(&["worktree", "open", &one]).status.success());
    sandbox.set("PATH", path);
    let branches = || git_in(&sandbox, &sandbox.project(), &["branch", "--list", "ralph/*"]).trim().to_owned();
    assert_eq!(branches(), "ralph/1-first");
    sandbox.ralph_ok(&["status"]);
    assert_eq!(branches(), "");
    assert_eq!(list(sandbox.ralph_ok(&["worktree", "list"])).len(), 0);
    assert_eq!(sandbox.ralph_ok(&["worktree", "open", &one])["branch"], branches().trim_start_matches("+ "));
    assert_sound(&sandbox);
}

#[test]
fn a_branch_that_a_person_made_meanwhile_stays_when_a_worktree_is_given_up() {
    // Both at the moment in which git is to make the worktree: somebody is faster, or Ralph is killed and somebody makes the branch then.
    for meanwhile in ["", "kill -9 $PPID; "] {
        let mut sandbox = project_with("");
        let one = task(&sandbox, "pay", "First", &[]).to_string();
        let happens = format!("{meanwhile}$git branch ralph/1-first main");
        let path = before_git(&mut sandbox, "*'worktree add'*|*update-ref*ralph/1-first*", &happens);
        if meanwhile.is_empty() {
            refused(&sandbox.ralph(&["worktree", "open", &one]), "git");
        } else {
            assert!(!sandbox.ralph(&["worktree", "open", &one]).status.success());
        }
        sandbox.set("PATH", path);
        sandbox.ralph_ok(&["status"]);
        assert_eq!(git_in(&sandbox, &sandbox.project(), &["branch", "--list", "ralph/*"]).trim(), "ralph/1-first", "{meanwhile}");
        assert_eq!(sandbox.ralph_ok(&["worktree", "open", &one])["branch"], "ralph/1-first-2");
    }
}
