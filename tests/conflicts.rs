//! Merges that are refused because of what both sides did to a file, or of what is in the worktree: each says what it is, and the way out.

use journeys::{LIMIT, git_in, in_review, list, project_with, refused, status_of, text};
use ralph_testkit::{Running, Sandbox, wait_until};
use serde_json::json;
use std::path::Path;

fn commit(sandbox: &Sandbox, folder: &Path, message: &str) {
    git_in(sandbox, folder, &["add", "--all"]);
    git_in(sandbox, folder, &["commit", "--quiet", "--message", message]);
}

#[test]
fn a_conflict_says_of_each_file_what_the_two_sides_did_to_it() {
    let sandbox = project_with("");
    let lines: String = (1..=20).map(|line| format!("line {line}\n")).collect();
    for file in ["gone.txt", "left.txt", "moved.txt"] {
        sandbox.write(file, &format!("{file}\n{lines}"));
    }
    std::fs::write(sandbox.project().join("image.bin"), b"\0\x01\x02").expect("writes");
    sandbox.commit("files to change");
    let (task, path) = in_review(&sandbox, "First", "gone.txt", "changed in the work\n");
    let number = task.to_string();
    let project = sandbox.project();
    let (base, work) = (project.as_path(), path.as_path());
    for (folder, side) in [(base, "base"), (work, "work")] {
        std::fs::write(folder.join("a.txt"), side).expect("writes");
        std::fs::write(folder.join("new.txt"), side).expect("writes");
        std::fs::write(folder.join("image.bin"), [&b"\0"[..], side.as_bytes()].concat()).expect("writes");
        std::fs::rename(folder.join("moved.txt"), folder.join(format!("moved-by-{side}.txt"))).expect("renames");
    }
    std::fs::remove_file(base.join("gone.txt")).expect("removes");
    std::fs::write(base.join("left.txt"), "changed on the base\n").expect("writes");
    std::fs::remove_file(work.join("left.txt")).expect("removes");
    commit(&sandbox, base, "base");
    commit(&sandbox, work, "work");
    let error = refused(&sandbox.ralph(&["merge", &number]), "conflict");
    let told = text(&error["message"]);
    for words in [
        "a.txt: the same lines changed on both sides",
        "gone.txt: deleted in 'main', changed in 'ralph/1-first'",
        "left.txt: changed in 'main', deleted in 'ralph/1-first'",
        "new.txt: both added it",
        "image.bin: binary, changed on both sides",
        "moved.txt: renamed differently",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let review = sandbox.ralph_ok(&["diff", &number]);
    let how =
        |file: &str| list(review["conflicts"].clone()).into_iter().find(|conflict| conflict["path"] == file).expect("told")["how"].take();
    assert_eq!(
        ["a.txt", "gone.txt", "left.txt", "new.txt", "image.bin", "moved.txt"].map(how),
        ["same_lines", "deleted_in_base", "deleted_in_work", "both_added", "binary", "renamed"].map(|how| json!(how)),
        "{review}"
    );
}

#[test]
fn a_conflict_whose_merge_driver_was_left_out_leads_to_the_agreement() {
    let sandbox = project_with("");
    sandbox.write(".gitattributes", "*.txt merge=ours\n");
    sandbox.commit("attributes");
    let (task, _) = in_review(&sandbox, "First", "a.txt", "work\n");
    sandbox.write("a.txt", "base\n");
    sandbox.commit("base");
    let number = task.to_string();
    let without = refused(&sandbox.ralph(&["merge", &number]), "conflict");
    assert!(!without.to_string().contains("ralph trust"), "{without}");
    sandbox.git(&["config", "merge.ours.driver", "true"]);
    let error = refused(&sandbox.ralph(&["merge", &number]), "conflict");
    assert!(text(&error["message"]).contains("merge.ours.driver"), "{error}");
    assert!(text(&error["hint"]).contains("ralph trust --yes"), "{error}");
    sandbox.ralph_ok(&["trust", "--yes"]);
    sandbox.ralph_ok(&["merge", &number]);
    assert_eq!((status_of(&sandbox, task).as_str(), sandbox.read("a.txt").as_str()), ("done", "base\n"));
}

#[test]
fn what_a_person_edits_in_the_worktree_while_a_merge_is_checked_is_kept() {
    // The check does what a person who looks at the result meanwhile would do.
    let sandbox = project_with("check = \"test ! -e $RALPH_PROJECT/merges || echo mine >> a.txt; test ! -e $RALPH_PROJECT/fail\"");
    let (task, path) = in_review(&sandbox, "First", "b.txt", "b\n");
    let number = task.to_string();
    sandbox.write("merges", "");
    sandbox.write("fail", "");
    let told = text(&refused(&sandbox.ralph(&["merge", &number]), "check_failed")["message"]);
    let held = |name: &str| sandbox.git(&["show", &format!("refs/ralph/snapshots/{name}:a.txt")]);
    let name = told.split_once("ralph snapshot restore ").and_then(|(_, name)| name.split_once('`')).map(|(name, _)| name.to_owned());
    assert!(told.contains("(a.txt) is kept"), "{told}");
    assert_eq!((held(&name.expect("named")), git_in(&sandbox, &path, &["status", "--porcelain"])), ("a\nmine".into(), String::new()));
    std::fs::remove_file(sandbox.project().join("fail")).expect("removes");
    let words = journeys::plain(&sandbox, &["merge", &number]).stdout;
    assert_eq!((status_of(&sandbox, task).as_str(), sandbox.read("a.txt").as_str()), ("done", "a\n"));
    let name = words.split_once("ralph snapshot restore ").and_then(|(_, name)| name.split_once('`')).map(|(name, _)| name.to_owned());
    let name = name.unwrap_or_else(|| panic!("{words}"));
    assert_eq!(held(&name), "a\nmine");
    sandbox.ralph_ok(&["snapshot", "restore", &name]);
    assert_eq!(sandbox.read("a.txt"), "a\nmine\n");
}

#[test]
fn a_worktree_whose_work_waits_for_its_review_says_so() {
    let sandbox = project_with("");
    let (task, _) = in_review(&sandbox, "First", "b.txt", "b\n");
    assert_eq!(sandbox.ralph_ok(&["worktree", "list"])[0]["state"], "in_review");
    let words = journeys::plain(&sandbox, &["worktree", "list"]).stdout;
    assert!(words.contains("waits for review"), "{words}");
    sandbox.ralph_ok(&["send-back", &task.to_string(), "--comment", "more"]);
    assert_eq!(sandbox.ralph_ok(&["worktree", "list"])[0]["state"], "ready");
}

#[test]
fn a_base_that_is_named_for_one_merge_is_forgotten_when_that_is_refused() {
    let sandbox = project_with("check = \"test ! -e $RALPH_PROJECT/fail\"");
    let (task, _) = in_review(&sandbox, "First", "b.txt", "b\n");
    sandbox.git(&["branch", "trunk"]);
    let fail = sandbox.write("fail", "");
    for (into, code) in [("ralph/1-first", "invalid"), ("trunk", "check_failed"), ("nowhere", "invalid")] {
        refused(&sandbox.ralph(&["merge", "1", "--into", into]), code);
        assert_eq!((status_of(&sandbox, task).as_str(), &sandbox.ralph_ok(&["diff", "1"])["row"]["base"]), ("in_review", &json!("main")));
    }
    std::fs::remove_file(fail).expect("removes");
    assert_eq!(sandbox.ralph_ok(&["merge", "1"])["base"], "main");
    assert_eq!((sandbox.read("b.txt").as_str(), sandbox.git(&["ls-tree", "--name-only", "trunk", "b.txt"]).as_str()), ("b\n", ""));
    let error = refused(&sandbox.ralph(&["merge", "1", "--into", "trunk"]), "invalid");
    assert!(text(&error["message"]).contains("'trunk' does not contain it") && text(&error["hint"]).contains("git merge"), "{error}");
    sandbox.git(&["branch", "--force", "trunk", "main"]);
    assert_eq!(sandbox.ralph_ok(&["merge", "1", "--into", "trunk"])["base"], "trunk", "it has got it by then");
    let (task, _) = in_review(&sandbox, "Second", "c.txt", "c\n");
    assert_eq!(sandbox.ralph_ok(&["merge", &task.to_string(), "--into", "trunk"])["base"], "trunk");
    assert_eq!(sandbox.git(&["show", "trunk:c.txt"]), "c");
}

/// A check that, once `merges` is there, does `what` a single time.
fn check_that_once(what: &str) -> String {
    format!("check = \"test ! -e $RALPH_PROJECT/merges || {{ rm $RALPH_PROJECT/merges; {what}; }}\"")
}

#[test]
fn what_is_committed_in_the_worktree_while_a_merge_is_checked_is_not_lost() {
    let commits = "echo more > more.txt; git add more.txt; git -c user.name=a -c user.email=a@x commit -qm more";
    for switches in [false, true] {
        let before = if switches { "git switch -q ralph/1-first; " } else { "" };
        let sandbox = project_with(&check_that_once(&format!("{before}{commits}")));
        let (task, path) = in_review(&sandbox, "First", "b.txt", "b\n");
        sandbox.write("merges", "");
        if !switches {
            let told = text(&refused(&sandbox.ralph(&["merge", "1"]), "by_git")["message"]);
            let commits = told.split_once("cherry-pick ").and_then(|(_, rest)| rest.split_once('`')).expect("the way out").0.to_owned();
            git_in(&sandbox, &path, &["cherry-pick", &commits]);
        }
        sandbox.ralph_ok(&["merge", "1"]);
        assert_eq!((status_of(&sandbox, task).as_str(), sandbox.read("more.txt").as_str()), ("done", "more\n"), "{switches}");
    }
}

#[test]
fn a_task_that_is_being_merged_goes_to_no_agent() {
    let sandbox = project_with(&check_that_once("until test -e $RALPH_PROJECT/go; do sleep 0.02; done"));
    let (task, _) = in_review(&sandbox, "First", "b.txt", "b\n");
    let merges = sandbox.write("merges", "");
    let merge = Running::start(&mut sandbox.ralph_command(&["merge", "1"]), None);
    wait_until("the check", LIMIT, || (!merges.exists()).then_some(()));
    for args in [&["task", "update", "1", "--status", "pending"][..], &["send-back", "1", "--comment", "more"], &["discard", "1"]] {
        let error = refused(&sandbox.ralph(args), "invalid");
        assert!(text(&error["message"]).contains("is being merged"), "{error}");
    }
    sandbox.write("go", "");
    assert!(merge.wait(LIMIT).status.success());
    assert_eq!(status_of(&sandbox, task), "done");
}

#[test]
fn commits_that_conflict_one_by_one_and_not_in_the_end_are_merged() {
    let sandbox = project_with("merge = \"rebase\"");
    let (task, path) = in_review(&sandbox, "First", "a.txt", "on the way\n");
    std::fs::write(path.join("a.txt"), "the same\n").expect("writes");
    std::fs::write(path.join("b.txt"), "b\n").expect("writes");
    commit(&sandbox, &path, "and on");
    sandbox.write("a.txt", "the same\n");
    sandbox.commit("the base gets there too");
    sandbox.ralph_ok(&["merge", &task.to_string()]);
    assert_eq!((status_of(&sandbox, task).as_str(), sandbox.read("b.txt").as_str()), ("done", "b\n"));
}

#[test]
fn work_that_was_discarded_does_not_come_along_with_other_work() {
    let sandbox = project_with("");
    in_review(&sandbox, "Below", "b.txt", "b\n");
    let (above, path) = in_review(&sandbox, "Above", "c.txt", "c\n");
    git_in(&sandbox, &path, &["rebase", "--quiet", "ralph/1-below"]);
    let fault = refused(&sandbox.ralph(&["merge", "2"]), "invalid");
    assert!(text(&fault["message"]).contains("task #1") && text(&fault["hint"]).contains("ralph merge 1"), "{fault}");
    sandbox.ralph_ok(&["discard", "1"]);
    let hint = text(&refused(&sandbox.ralph(&["merge", "2", "--into", "main"]), "invalid")["hint"]);
    let way = hint.split('`').find_map(|part| part.strip_prefix("git ")).expect("the way out");
    sandbox.git(&way.split(' ').collect::<Vec<_>>());
    sandbox.ralph_ok(&["merge", "2", "--into", "main"]);
    assert_eq!((status_of(&sandbox, above).as_str(), sandbox.read("c.txt").as_str()), ("done", "c\n"));
    assert!(!sandbox.project().join("b.txt").exists());
}

#[test]
fn what_lies_untracked_in_the_worktree_where_the_base_has_a_file_is_named_with_its_folder() {
    let sandbox = project_with("");
    let (task, path) = in_review(&sandbox, "First", "b.txt", "b\n");
    sandbox.write("report.txt", "base\n");
    sandbox.commit("base");
    std::fs::write(path.join("report.txt"), "written by a check\n").expect("writes");
    let error = refused(&sandbox.ralph(&["merge", &task.to_string()]), "uncommitted");
    let told = text(&error["message"]);
    assert!(told.contains(&*path.to_string_lossy()) && told.contains("report.txt"), "{told}");
    std::fs::remove_file(path.join("report.txt")).expect("removes");
    sandbox.ralph_ok(&["merge", &task.to_string()]);
}

#[test]
fn a_merge_does_not_go_on_without_a_check_that_waits_for_a_yes() {
    let sandbox = project_with("check = \"true\"");
    in_review(&sandbox, "First", "b.txt", "b\n");
    let config = sandbox.read(".ralph/config.toml").replace("check = \"true\"", "check = \"test ! -e b.txt\"");
    sandbox.write(".ralph/config.toml", &config);
    let error = refused(&sandbox.ralph(&["merge", "1"]), "untrusted");
    assert!(text(&error["message"]).contains("check"), "{error}");
    sandbox.ralph_ok(&["trust", "--yes"]);
    refused(&sandbox.ralph(&["merge", "1"]), "check_failed");
    assert_eq!(status_of(&sandbox, 1), "in_review");
}

#[test]
fn a_run_with_a_check_of_its_own_leaves_its_work_to_review_while_the_project_s_check_waits() {
    let sandbox = project_with("review = \"auto\"");
    let config = sandbox.read(".ralph/config.toml").replace("check = \"\"", "check = \"false\"");
    sandbox.write(".ralph/config.toml", &config);
    let task = journeys::task(&sandbox, "pay", "First", &[]);
    journeys::play(&sandbox, "edit b.txt <<EOF\nb\nEOF\ncommit b\ndone\n", &["--worktrees", "--max-iterations", "1", "--check", "true"]);
    assert_eq!(status_of(&sandbox, task), "in_review");
}
