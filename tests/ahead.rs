//! Worktrees prepared while agents work, so that the next task need not wait for its files; none of them is left afterwards.

use journeys::{LIMIT, assert_sound, iterations, play, start, status_of, text, with_tasks};
use ralph_testkit::{Sandbox, wait_until};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Works until the test lets go, then tells which files it began with.
const WAITS: &str = "\
run until [ -e \"$RALPH_PROJECT/.ralph/go\" ]; do sleep 0.02; done
run ls > \"$RALPH_PROJECT/.ralph/files-$RALPH_TASK\"
run echo work > file-$RALPH_TASK
commit Work
done
";

/// The linked worktrees that git knows, which cannot list them while one is half recorded.
fn linked(sandbox: &Sandbox) -> BTreeSet<PathBuf> {
    let listed = wait_until("git lists", LIMIT, || {
        let output = sandbox.run(sandbox.command("git").args(["worktree", "list", "--porcelain"]));
        output.status.success().then_some(output.stdout)
    });
    listed.lines().filter_map(|line| line.strip_prefix("worktree ")).skip(1).map(PathBuf::from).collect()
}

fn is_spare(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("spare-"))
}

/// What stands in the folder of the worktrees, locks included.
fn beside(sandbox: &Sandbox, of: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let folder = of.first().and_then(|path| path.parent()).unwrap_or_else(|| panic!("no worktree: {}", sandbox.git(&["worktree", "list"])));
    std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect()
}

fn wait_for_spares(sandbox: &Sandbox, count: usize) {
    wait_until("worktrees made ahead", LIMIT, || (linked(sandbox).iter().filter(|path| is_spare(path)).count() == count).then_some(()));
}

#[test]
fn the_next_tasks_work_in_worktrees_made_ahead_from_the_base_as_it_is_then() {
    let sandbox = with_tasks(5);
    sandbox.commit("a project");
    let run = start(&sandbox, WAITS, &["--workers", "2"]);
    wait_for_spares(&sandbox, 2);
    assert_eq!(sandbox.ralph_ok(&["worktree", "list"]).as_array().map(Vec::len), Some(2), "they are nobody's");
    sandbox.write("later.txt", "later\n");
    sandbox.commit("the base moves");
    sandbox.write(".ralph/go", "");
    let run = run.wait(LIMIT).json();
    assert_eq!((run["iterations"].as_u64(), run["stop_reason"].as_str()), (Some(5), Some("nothing_ready")), "{run}");
    for task in 1..=5_u64 {
        assert_eq!(status_of(&sandbox, task), "in_review");
        let began_with = sandbox.read(format!(".ralph/files-{task}"));
        assert_eq!(began_with.contains("later.txt"), task > 2, "task {task} began with {began_with}");
        assert_eq!(sandbox.git(&["diff", "--name-only", &format!("main...ralph/{task}-task-{task}")]).trim(), format!("file-{task}"));
    }
    let places: BTreeSet<PathBuf> = iterations(&sandbox).iter().filter_map(|row| row["worktree"].as_str().map(PathBuf::from)).collect();
    assert_eq!((places.len(), &linked(&sandbox)), (5, &places), "and none is left");
    assert_eq!(beside(&sandbox, &places), places);
    assert_sound(&sandbox);
}

#[test]
fn what_a_kill_or_a_stop_leaves_of_them_goes() {
    for signal in ["KILL", "INT"] {
        let sandbox = with_tasks(5);
        let run = start(&sandbox, WAITS, &["--workers", "2"]);
        wait_for_spares(&sandbox, 2);
        run.signal(signal);
        run.wait(LIMIT);
        sandbox.ralph_ok(&["status"]);
        let left = linked(&sandbox);
        assert_eq!(left.len(), 2, "after {signal}: {left:?}");
        assert_eq!(beside(&sandbox, &left), left, "after {signal}");
        assert_sound(&sandbox);
    }
}

#[test]
fn one_whose_beginning_was_killed_between_its_record_and_its_folder_goes() {
    let sandbox = with_tasks(5);
    let run = start(&sandbox, WAITS, &["--workers", "2"]);
    wait_for_spares(&sandbox, 2);
    run.signal("KILL");
    run.wait(LIMIT);
    let place = linked(&sandbox).into_iter().find(|path| is_spare(path)).expect("a spare");
    let record = format!(".git/worktrees/{}/gitdir", place.file_name().expect("a name").to_string_lossy());
    sandbox.write(&record, &format!("{}/.git\n", place.with_file_name("3-task-3").display()));
    sandbox.ralph_ok(&["status"]);
    // No row of the database names the new place, so git still has the record.
    sandbox.git(&["worktree", "prune", "--expire", "now"]);
    let left = linked(&sandbox);
    assert_eq!((left.len(), beside(&sandbox, &left)), (2, left.clone()));
    assert_sound(&sandbox);
}

#[cfg(unix)]
#[test]
fn a_hook_that_prepares_worktrees_is_told_of_each_at_its_place() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = with_tasks(4);
    let hook = sandbox.write(".git/hooks/post-checkout", "#!/bin/sh\npwd >> \"$(git rev-parse --git-common-dir)/prepared\"\n");
    std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).expect("executable");
    play(&sandbox, "pause 300\nrun echo work > file-$RALPH_TASK\ndone\n", &["--workers", "2"]);
    let told: Vec<String> = sandbox.read(".git/prepared").lines().map(str::to_owned).collect();
    let places: BTreeSet<String> = iterations(&sandbox).iter().filter_map(|row| row["worktree"].as_str().map(str::to_owned)).collect();
    assert_eq!(told.iter().cloned().collect::<BTreeSet<_>>(), places);
    assert_eq!((told.len(), places.len()), (4, 4), "{told:?}");
}

#[test]
fn worktrees_of_two_projects_share_neither_ports_nor_a_name() {
    let sandbox = with_tasks(1);
    sandbox.commit("a project");
    let clone = sandbox.home().join("clone");
    let clone = clone.to_str().expect("a path");
    sandbox.git(&["clone", "--quiet", ".", clone]);
    let there = |args: &[&str]| sandbox.ralph_ok(&[&["-C", clone], args].concat());
    there(&["task", "create", "--feature", "pay", "--title", "Task 1"]);
    sandbox.trust();
    there(&["trust", "--yes"]);
    let tells = "run echo \"$RALPH_PORT_BASE $RALPH_WORKTREE_NAME\" > told.txt; git add -A; git commit -qm told\ndone\n";
    let script = sandbox.write(sandbox.home().join("tells"), tells);
    let args = ["run", "--agent", "scripted", "--script", script.to_str().expect("a path"), "--worktrees"];
    sandbox.ralph_ok(&args);
    there(&args);
    let told = |work: &Value| std::fs::read_to_string(PathBuf::from(text(&work["path"])).join("told.txt")).expect("it told");
    let (here, other) = (sandbox.ralph_ok(&["worktree", "list"]), there(&["worktree", "list"]));
    let (here, other) = (told(&here[0]), told(&other[0]));
    let parts = |told: &str| told.trim().split_once(' ').map(|(port, name)| (port.to_owned(), name.to_owned())).expect("two words");
    let ((port, name), (other_port, other_name)) = (parts(&here), parts(&other));
    assert_eq!((port.as_str(), other_port.as_str()), ("21000", "21010"));
    assert!(name != other_name && name.ends_with("-1-task-1") && other_name.ends_with("-1-task-1"), "{name}, {other_name}");
}
