//! Work found by looking: folders that were moved or deleted, branches that were merged, renamed, set back or deleted by hand.

use journeys::{git_in, in_review, lesson, list, play, project_with, refused, status_of, task, text};
use serde_json::{Value, json};

#[test]
fn moved_and_deleted_folders_are_found_by_looking() {
    let sandbox = project_with("");
    let (first, path) = in_review(&sandbox, "First", "b.txt", "b\n");
    let (second, gone) = in_review(&sandbox, "Second", "c.txt", "c\n");
    let moved = path.with_file_name("moved");
    std::fs::rename(&path, &moved).expect("moves");
    std::fs::remove_dir_all(&gone).expect("deletes");
    let rows = list(sandbox.ralph_ok(&["worktree", "list"]));
    let told: Vec<(&Value, &Value)> = rows.iter().map(|row| (&row["path"], &row["state"])).collect();
    assert_eq!(told, [(&json!(moved), &json!("in_review")), (&json!(gone), &json!("missing"))]);
    for task in [first, second] {
        sandbox.ralph_ok(&["merge", &task.to_string()]);
    }
    assert_eq!((sandbox.read("b.txt").as_str(), sandbox.read("c.txt").as_str()), ("b\n", "c\n"));
    assert!(!moved.exists() && !gone.exists());
}

#[test]
fn a_project_that_was_moved_keeps_its_worktrees() {
    let sandbox = project_with("");
    let (_, path) = in_review(&sandbox, "Work", "b.txt", "b\n");
    let moved = sandbox.home().join("moved");
    std::fs::rename(sandbox.project(), &moved).expect("moves");
    std::fs::create_dir(sandbox.project()).expect("a place to start from");
    let place = moved.to_string_lossy().into_owned();
    let rows = list(sandbox.ralph_ok(&["-C", &place, "worktree", "list"]));
    assert_eq!((&rows[0]["path"], &rows[0]["state"]), (&json!(path), &json!("in_review")), "{rows:?}");
    sandbox.ralph_ok(&["-C", &place, "merge", "1"]);
    assert!(moved.join("b.txt").exists() && !path.exists());
}

#[test]
fn a_copy_of_a_project_leaves_the_worktrees_of_the_original_alone() {
    let sandbox = project_with("");
    let (first, path) = in_review(&sandbox, "Work", "b.txt", "b\n");
    let (second, other) = in_review(&sandbox, "Other", "c.txt", "c\n");
    let copy = sandbox.home().join("copy");
    sandbox.run(sandbox.command("cp").args(["-r", ".", copy.to_str().expect("a name")]));
    let in_copy = |args: &[&str]| sandbox.ralph_ok(&[&["-C", copy.to_str().expect("a name")], args].concat());
    let original = || {
        let said = [&path, &other].map(|path| git_in(&sandbox, path, &["status", "--branch", "--porcelain=v2"]));
        (said, sandbox.git(&["for-each-ref"]), sandbox.ralph_ok(&["worktree", "list"]))
    };
    let before = original();
    std::fs::write(path.join("mine.txt"), "of the original").expect("writes");
    let told: Vec<Value> = list(in_copy(&["worktree", "list"])).iter().map(|row| row["state"].clone()).collect();
    assert_eq!(told, ["missing", "missing"]);
    in_copy(&["discard", &second.to_string()]);
    in_copy(&["discard", &second.to_string(), "--undo"]);
    sandbox.write("a.txt", "the original goes on\n");
    std::fs::write(copy.join("a.txt"), "so does the copy\n").expect("writes");
    git_in(&sandbox, &copy, &["commit", "--quiet", "--all", "--message", "the copy goes on"]);
    for task in [first, second] {
        in_copy(&["merge", &task.to_string()]);
        assert!(path.join("mine.txt").exists() && other.exists());
    }
    in_copy(&["worktree", "prune"]);
    assert_eq!(
        (in_copy(&["worktree", "list"]), git_in(&sandbox, &copy, &["branch", "--format=%(refname:short)"])),
        (json!([]), "main".into())
    );
    assert!(copy.join("b.txt").exists() && copy.join("c.txt").exists() && !sandbox.project().join("b.txt").exists());
    std::fs::remove_file(path.join("mine.txt")).expect("removes");
    assert_eq!(original(), before);
    sandbox.git(&["checkout", "--quiet", "a.txt"]);
    for task in [first, second] {
        sandbox.ralph_ok(&["merge", &task.to_string()]);
    }
    assert_eq!((sandbox.read("b.txt").as_str(), path.exists()), ("b\n", false));
}

#[test]
fn a_branch_that_was_merged_by_hand_is_found_merged() {
    let sandbox = project_with("");
    let (task, _) = in_review(&sandbox, "Work", "b.txt", "b\n");
    sandbox.git(&["merge", "--quiet", "--squash", "ralph/1-work"]);
    sandbox.git(&["commit", "--quiet", "--message", "by hand"]);
    let before = sandbox.git(&["rev-parse", "main"]);
    assert_eq!(sandbox.ralph_ok(&["diff", "1"])["row"]["standing"], "landed");
    assert_eq!(sandbox.ralph_ok(&["merge", "1"])["commit"], json!(before));
    assert_eq!(status_of(&sandbox, task), "done");
}

#[test]
fn a_branch_that_was_merged_by_hand_and_deleted_is_found_merged() {
    let sandbox = project_with("");
    let (task, path) = in_review(&sandbox, "Work", "b.txt", "b\n");
    sandbox.git(&["merge", "--quiet", "--no-edit", "ralph/1-work"]);
    sandbox.git(&["worktree", "remove", "--force", &path.to_string_lossy()]);
    sandbox.git(&["branch", "--quiet", "--delete", "ralph/1-work"]);
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!((status_of(&sandbox, task).as_str(), sandbox.ralph_ok(&["worktree", "list"])), ("done", json!([])));
}

#[test]
fn work_whose_branch_was_deleted_is_discarded_and_comes_back() {
    let sandbox = project_with("");
    let (task, path) = in_review(&sandbox, "Work", "b.txt", "b\n");
    let tip = sandbox.git(&["rev-parse", "ralph/1-work"]);
    std::fs::remove_dir_all(&path).expect("deletes");
    sandbox.git(&["worktree", "prune"]);
    sandbox.git(&["branch", "--quiet", "-D", "ralph/1-work"]);
    let error = refused(&sandbox.ralph(&["merge", "1"]), "invalid");
    assert!(text(&error["hint"]).contains("discard 1 --undo"), "{error}");
    assert_eq!(status_of(&sandbox, task), "skipped");
    assert_eq!(sandbox.ralph_ok(&["diff", "1"])["files"][0]["path"], "b.txt", "what it was is told");
    sandbox.ralph_ok(&["discard", "1", "--undo"]);
    assert_eq!(sandbox.git(&["rev-parse", "ralph/1-work"]), tip);
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!((status_of(&sandbox, task).as_str(), sandbox.read("b.txt").as_str()), ("done", "b\n"));
}

#[test]
fn a_branch_that_was_renamed_is_followed_and_an_emptied_folder_filled_again() {
    let sandbox = project_with("");
    let (renamed, _) = in_review(&sandbox, "Work", "b.txt", "b\n");
    let (emptied, path) = in_review(&sandbox, "Other", "c.txt", "c\n");
    sandbox.git(&["branch", "--move", "ralph/1-work", "mine/work"]);
    assert_eq!(sandbox.ralph_ok(&["diff", "1"])["row"]["branch"], "mine/work");
    std::fs::remove_dir_all(&path).expect("deletes");
    std::fs::create_dir(&path).expect("an empty folder");
    for task in [renamed, emptied] {
        sandbox.ralph_ok(&["merge", &task.to_string()]);
        assert_eq!(status_of(&sandbox, task), "done");
    }
    assert_eq!((sandbox.read("b.txt").as_str(), sandbox.read("c.txt").as_str()), ("b\n", "c\n"));
    assert_eq!(sandbox.git(&["branch", "--format=%(refname:short)"]), "main");
}

#[test]
fn work_whose_branch_was_set_back_is_not_called_merged() {
    let sandbox = project_with("");
    let (task, path) = in_review(&sandbox, "Work", "b.txt", "b\n");
    let tip = sandbox.git(&["rev-parse", "ralph/1-work"]);
    sandbox.write("other.txt", "other\n");
    sandbox.commit("the base moves");
    git_in(&sandbox, &path, &["reset", "--quiet", "--hard", "main"]);
    let error = refused(&sandbox.ralph(&["merge", "1"]), "by_git");
    assert!(text(&error["message"]).contains(&tip[..12]), "{error}");
    assert_eq!(status_of(&sandbox, task), "in_review");
    git_in(&sandbox, &path, &["reset", "--quiet", "--hard", &tip]);
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!((status_of(&sandbox, task).as_str(), sandbox.read("b.txt").as_str()), ("done", "b\n"));
}

#[test]
fn work_that_was_amended_and_merged_by_hand_is_merged() {
    let sandbox = project_with("");
    let (task, path) = in_review(&sandbox, "Work", "b.txt", "b\n");
    std::fs::write(path.join("b.txt"), "better\n").expect("writes");
    git_in(&sandbox, &path, &["commit", "--quiet", "--all", "--amend", "--message", "Better work"]);
    sandbox.git(&["merge", "--quiet", "--no-edit", "ralph/1-work"]);
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!((status_of(&sandbox, task).as_str(), sandbox.read("b.txt").as_str()), ("done", "better\n"));
}

#[test]
fn work_that_only_taught_something_is_merged_and_was_not_taken_back() {
    let sandbox = project_with("");
    // So that what is learnt on a branch goes into a commit of it.
    sandbox.write(".gitignore", ".env\n");
    sandbox.commit("settings and journals");
    let id = task(&sandbox, "pay", "Look", &[]);
    let run = play(&sandbox, &format!("learn pitfall: {}\ndone\n", lesson(1)), &["--worktrees"]);
    assert_eq!((text(&run["result"]).as_str(), status_of(&sandbox, id).as_str()), ("done", "done"), "{run}");
    assert_eq!(sandbox.ralph_ok(&["diff", "1"])["row"]["standing"], "landed");
    assert_eq!(sandbox.ralph_ok(&["merge", "1"])["base"], "main");
}

#[test]
fn work_whose_merge_was_taken_back_is_not_called_merged() {
    for strategy in ["merge", "squash"] {
        let sandbox = project_with(&format!("merge = \"{strategy}\""));
        let (_, _) = in_review(&sandbox, "Work", "b.txt", "b\n");
        sandbox.ralph_ok(&["merge", "1"]);
        sandbox.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
        assert_eq!(sandbox.ralph_ok(&["diff", "1"])["row"]["standing"], "clean", "{strategy}");
        let error = refused(&sandbox.ralph(&["merge", "1"]), "invalid");
        assert!(text(&error["message"]).contains("does not contain its work any more"), "{error}");
        let hint = text(&error["hint"]);
        let way = hint.split('`').find_map(|part| part.strip_prefix("git ")).expect("the way out");
        sandbox.git(&way.split(' ').collect::<Vec<_>>());
        assert_eq!(sandbox.read("b.txt"), "b\n");
        sandbox.ralph_ok(&["merge", "1"]);
    }
}
