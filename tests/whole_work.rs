//! Nothing of the work in worktrees is lost or merged unnoticed: below any folder of Ralph's, uncommitted, reverted, on a base that
//! changed underneath it.

use journeys::{git_in, in_review, iterations, open_worktree, play, project_with, refused, scripted, status_of, task, text};
use ralph_testkit::Sandbox;
use serde_json::json;

/// A project in which folders called `.ralph` are tracked, except its own.
fn with_examples(settings: &str) -> Sandbox {
    let sandbox = project_with(settings);
    sandbox.write(".gitignore", "/.ralph/\n");
    sandbox.commit("examples are tracked");
    sandbox
}

const EXAMPLE: &str = "examples/.ralph/config.toml";

#[test]
fn work_below_somebody_else_s_folder_of_ralph_is_merged_like_any_other() {
    let sandbox = with_examples("review = \"auto\"");
    let work = task(&sandbox, "pay", "Example", &[]);
    play(&sandbox, &format!("edit {EXAMPLE} <<EOF\nx = 1\nEOF\ncommit Example\ndone\n"), &["--worktrees"]);
    assert_eq!((status_of(&sandbox, work).as_str(), sandbox.read(EXAMPLE).as_str()), ("done", "x = 1\n"));
}

#[test]
fn what_nobody_committed_below_such_a_folder_is_neither_left_out_nor_thrown_away() {
    let sandbox = with_examples("");
    task(&sandbox, "pay", "Example", &[]);
    play(&sandbox, &format!("edit {EXAMPLE} <<EOF\nx = 1\nEOF\nedit f.txt <<EOF\nf\nEOF\ndone\n"), &["--worktrees"]);
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!((sandbox.read(EXAMPLE).as_str(), sandbox.read("f.txt").as_str()), ("x = 1\n", "f\n"));
    let other = task(&sandbox, "pay", "Other", &[]).to_string();
    let (path, _) = open_worktree(&sandbox, 2);
    std::fs::write(path.join(EXAMPLE), "x = 2\n").expect("writes");
    let error = refused(&sandbox.ralph(&["worktree", "remove", &other]), "invalid");
    assert!(text(&error["message"]).contains(EXAMPLE), "{error}");
    assert_eq!(std::fs::read_to_string(path.join(EXAMPLE)).expect("stays"), "x = 2\n");
}

#[test]
fn work_that_was_merged_by_hand_and_taken_back_is_not_called_merged() {
    let sandbox = project_with("");
    let (task, path) = in_review(&sandbox, "First", "b.txt", "b\n");
    sandbox.git(&["merge", "--quiet", "--no-ff", "-m", "by hand", "ralph/1-first"]);
    sandbox.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    let error = refused(&sandbox.ralph(&["merge", "1"]), "by_git");
    assert!(text(&error["message"]).contains("nothing of it is left"), "{error}");
    assert!(status_of(&sandbox, task) == "in_review" && path.exists());
    sandbox.git(&["revert", "--no-edit", "HEAD"]);
    sandbox.ralph_ok(&["status"]);
    assert_eq!((status_of(&sandbox, task).as_str(), sandbox.read("b.txt").as_str()), ("done", "b\n"));
}

#[test]
fn a_task_with_work_that_its_base_lacks_is_not_called_done() {
    let sandbox = project_with("");
    let (task, _) = in_review(&sandbox, "Sent back", "b.txt", "b\n");
    sandbox.ralph_ok(&["send-back", &task.to_string(), "--comment", "more"]);
    let by_hand = journeys::task(&sandbox, "pay", "By hand", &[]);
    let (path, _) = open_worktree(&sandbox, by_hand);
    std::fs::write(path.join("c.txt"), "c\n").expect("writes");
    git_in(&sandbox, &path, &["add", "--all"]);
    git_in(&sandbox, &path, &["commit", "--quiet", "--message", "Mine"]);
    for task in [task, by_hand] {
        let refusal = refused(&sandbox.ralph(&["task", "update", &task.to_string(), "--status", "done"]), "invalid");
        assert!(text(&refusal["message"]).contains("it is done when 'main' contains it"), "{refusal}");
        assert_eq!(status_of(&sandbox, task), "pending");
    }
    sandbox.git(&["merge", "--quiet", "--no-edit", &format!("ralph/{by_hand}-by-hand")]);
    sandbox.ralph_ok(&["discard", &task.to_string()]);
    for task in [task, by_hand] {
        sandbox.ralph_ok(&["task", "update", &task.to_string(), "--status", "done"]);
    }
}

#[test]
fn of_two_works_at_the_same_commit_either_can_be_merged() {
    let sandbox = project_with("");
    let (one, _) = in_review(&sandbox, "One", "b.txt", "b\n");
    let two = task(&sandbox, "pay", "Two", &[]);
    let (path, _) = open_worktree(&sandbox, two);
    git_in(&sandbox, &path, &["merge", "--quiet", "ralph/1-one"]);
    play(&sandbox, "done\n", &["--max-iterations", "1", "--task", "2"]);
    sandbox.ralph_ok(&["merge", "1"]);
    sandbox.ralph_ok(&["status"]);
    assert_eq!((status_of(&sandbox, one), status_of(&sandbox, two)), ("done".to_owned(), "done".to_owned()));
}

#[test]
fn work_does_not_stand_on_what_another_took_over_from_it() {
    let sandbox = project_with("");
    in_review(&sandbox, "One", "b.txt", "b\n");
    let two = task(&sandbox, "pay", "Two", &[]);
    let (path, _) = open_worktree(&sandbox, two);
    git_in(&sandbox, &path, &["merge", "--quiet", "ralph/1-one"]);
    play(&sandbox, "done\n", &["--max-iterations", "1", "--task", "2"]);
    sandbox.ralph_ok(&["send-back", "1", "--comment", "more"]);
    play(&sandbox, "edit c.txt <<EOF\nc\nEOF\ncommit More\ndone\n", &["--max-iterations", "1", "--task", "1", "--worktrees"]);
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!((sandbox.read("b.txt").as_str(), sandbox.read("c.txt").as_str()), ("b\n", "c\n"));
}

#[test]
fn a_commit_that_was_taken_off_the_base_does_not_come_back_with_work_that_began_on_it() {
    for merge in ["merge", "squash", "rebase"] {
        let sandbox = project_with(&format!("merge = \"{merge}\""));
        sandbox.write("leak.txt", "a secret\n");
        sandbox.commit("oops");
        in_review(&sandbox, "First", "b.txt", "b\n");
        sandbox.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
        let diff = sandbox.ralph_ok(&["diff", "1"]);
        assert_eq!((&diff["row"]["files"], &diff["row"]["standing"]), (&json!(1), &json!("clean")), "{merge}: {diff}");
        sandbox.ralph_ok(&["merge", "1"]);
        assert_eq!(sandbox.read("b.txt"), "b\n", "{merge}");
        assert_eq!(sandbox.git(&["log", "--format=%s", "--", "leak.txt"]), "", "{merge}");
    }
}

#[test]
fn work_on_its_dependency_s_branch_is_merged_whatever_form_that_one_landed_in() {
    for merge in ["squash", "rebase", "merge"] {
        let sandbox = project_with(&format!("merge = \"{merge}\"\ndependencies = \"stacked\""));
        task(&sandbox, "pay", "Below", &[]);
        sandbox.ralph_ok(&["task", "create", "--feature", "pay", "--title", "Above", "--depends-on", "1"]);
        let script = "[task \"Below\"]\nrun echo below >> a.txt\ncommit Below\ndone\n[*]\nrun echo above >> a.txt\ncommit Above\ndone\n";
        play(&sandbox, script, &["--workers", "2"]);
        sandbox.write("c.txt", "moved on\n");
        sandbox.commit("moved on");
        sandbox.ralph_ok(&["merge", "1"]);
        let diff = sandbox.ralph_ok(&["diff", "2"]);
        assert_eq!((&diff["row"]["added"], &diff["conflicts"]), (&json!(1), &json!([])), "{merge}: its own line alone: {diff}");
        sandbox.ralph_ok(&["merge", "2"]);
        assert_eq!(sandbox.read("a.txt"), "a\nbelow\nabove\n", "{merge}");
    }
}

#[test]
fn a_new_file_that_nobody_committed_is_named_by_the_merge_that_keeps_it() {
    let sandbox = project_with("");
    let (_, path) = in_review(&sandbox, "First", "b.txt", "b\n");
    std::fs::write(path.join("new.rs"), "fn new() {}\n").expect("writes");
    let kept = text(&sandbox.ralph_ok(&["merge", "1"])["kept"]);
    sandbox.ralph_ok(&["snapshot", "restore", &kept]);
    assert_eq!(sandbox.read("new.rs"), "fn new() {}\n");
}

#[test]
fn a_worktree_without_the_project_s_folder_is_refused_until_the_base_has_it() {
    let sandbox = Sandbox::new();
    let folder = sandbox.project().join("packages/new");
    std::fs::create_dir_all(&folder).expect("folder");
    let ralph = |args: &[&str]| sandbox.run(sandbox.ralph_command(args).current_dir(&folder));
    for args in
        [&["init"][..], &["feature", "create", "pay", "--display-name", "Pay"], &["task", "create", "--feature", "pay", "--title", "One"]]
    {
        let done = ralph(args);
        assert!(done.status.success(), "{}", done.stderr);
    }
    let error = refused(&ralph(&["worktree", "open", "1"]), "invalid");
    assert!(text(&error["message"]).contains("packages/new") && text(&error["hint"]).contains("commit packages/new"), "{error}");
    sandbox.commit("the folder");
    let opened = ralph(&["worktree", "open", "1"]).json();
    assert!(std::path::Path::new(&text(&opened["path"])).join("packages/new").is_dir(), "{opened}");
}

#[test]
fn what_keeps_a_worktree_from_being_made_is_told_with_its_way_out() {
    let sandbox = project_with("");
    task(&sandbox, "pay", "First", &[]);
    sandbox.git(&["branch", "ralph"]);
    let run = sandbox.ralph(&scripted(&sandbox, "done\n", &["--worktrees"])).json();
    let note = text(&run["note"]);
    assert!(note.contains("'ralph'") && note.contains("rename"), "{run}");
    assert!(iterations(&sandbox).iter().all(|iteration| iteration["outcome"] != "done"));
    sandbox.git(&["branch", "-m", "ralph", "other"]);
    play(&sandbox, "edit b.txt <<EOF\nb\nEOF\ndone\n", &["--worktrees"]);
    assert_eq!(status_of(&sandbox, 1), "in_review");
}

#[test]
fn work_that_took_its_base_over_and_was_taken_back_is_not_called_merged() {
    let sandbox = project_with("");
    let (task, path) = in_review(&sandbox, "First", "b.txt", "b\n");
    sandbox.write("c.txt", "moved on\n");
    sandbox.commit("moved on");
    git_in(&sandbox, &path, &["merge", "--quiet", "--no-edit", "main"]);
    sandbox.git(&["merge", "--quiet", "--no-ff", "-m", "by hand", "ralph/1-first"]);
    sandbox.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    refused(&sandbox.ralph(&["merge", "1"]), "by_git");
    assert!(status_of(&sandbox, task) == "in_review" && path.exists());
}

#[test]
fn work_that_was_taken_back_and_went_on_is_merged_whole() {
    let sandbox = project_with("");
    let (task, _) = in_review(&sandbox, "First", "b.txt", "b\n");
    sandbox.git(&["merge", "--quiet", "--no-ff", "-m", "by hand", "ralph/1-first"]);
    sandbox.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    sandbox.ralph_ok(&["send-back", "1", "--comment", "mend it"]);
    play(&sandbox, "edit fix.txt <<EOF\nfix\nEOF\ncommit Fix\ndone\n", &["--max-iterations", "1", "--task", "1", "--worktrees"]);
    let diff = sandbox.ralph_ok(&["diff", "1"]);
    assert_eq!((&diff["row"]["files"], &diff["conflicts"]), (&json!(2), &json!([])), "{diff}");
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!(
        (status_of(&sandbox, task).as_str(), sandbox.read("b.txt").as_str(), sandbox.read("fix.txt").as_str()),
        ("done", "b\n", "fix\n")
    );
}

#[test]
fn what_a_merge_commit_of_stacked_work_adds_is_merged_with_it() {
    for merge in ["squash", "rebase", "merge"] {
        let sandbox = project_with(&format!("merge = \"{merge}\"\ndependencies = \"stacked\""));
        let below = task(&sandbox, "pay", "Below", &[]);
        let (below_path, _) = open_worktree(&sandbox, below);
        sandbox.ralph_ok(&["task", "create", "--feature", "pay", "--title", "Above", "--depends-on", "1"]);
        play(&sandbox, "run echo below >> a.txt\ncommit Below\ndone\n", &["--max-iterations", "1", "--task", "1", "--worktrees"]);
        let (path, row) = open_worktree(&sandbox, 2);
        assert_eq!(row["base"], "ralph/1-below");
        let newer = |text: &str| {
            std::fs::write(below_path.join("lib.txt"), text).expect("writes");
            git_in(&sandbox, &below_path, &["add", "--all"]);
            git_in(&sandbox, &below_path, &["commit", "--quiet", "-m", "newer"]);
        };
        newer("lib\n");
        std::fs::write(path.join("own.txt"), "own\n").expect("writes");
        git_in(&sandbox, &path, &["add", "--all"]);
        git_in(&sandbox, &path, &["commit", "--quiet", "-m", "own"]);
        git_in(&sandbox, &path, &["merge", "--quiet", "--no-ff", "--no-commit", "ralph/1-below"]);
        std::fs::write(path.join("use.txt"), "use\n").expect("writes");
        git_in(&sandbox, &path, &["add", "--all"]);
        git_in(&sandbox, &path, &["commit", "--quiet", "-m", "newer ones, and what uses them"]);
        play(&sandbox, "done\n", &["--max-iterations", "1", "--task", "2", "--worktrees"]);
        sandbox.ralph_ok(&["merge", "1"]);
        sandbox.ralph_ok(&["merge", "2"]);
        let files = ["a.txt", "lib.txt", "own.txt", "use.txt"].map(|file| sandbox.read(file));
        assert_eq!(files, ["a\nbelow\n", "lib\n", "own\n", "use\n"], "{merge}");
        assert_eq!(status_of(&sandbox, 2), "done", "{merge}");
    }
}

#[test]
fn commits_that_contradict_a_base_that_lost_one_and_not_in_the_end_are_merged() {
    let sandbox = project_with("");
    sandbox.write("leak.txt", "a secret\n");
    sandbox.commit("oops");
    let (task, path) = in_review(&sandbox, "First", "a.txt", "changed\n");
    for (file, content) in [("a.txt", "a\n"), ("b.txt", "b\n")] {
        std::fs::write(path.join(file), content).expect("writes");
        git_in(&sandbox, &path, &["add", "--all"]);
        git_in(&sandbox, &path, &["commit", "--quiet", "-m", file]);
    }
    sandbox.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    sandbox.write("a.txt", "moved on\n");
    sandbox.commit("moved on");
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!(
        (status_of(&sandbox, task).as_str(), sandbox.read("a.txt").as_str(), sandbox.read("b.txt").as_str()),
        ("done", "moved on\n", "b\n")
    );
    assert!(!sandbox.project().join("leak.txt").exists());
}

#[test]
fn the_way_out_of_a_conflict_with_a_base_that_lost_a_commit_does_not_bring_that_back() {
    for merges_base in [false, true] {
        let sandbox = project_with("");
        sandbox.write("leak.txt", "a secret\n");
        sandbox.commit("oops");
        let (task, path) = in_review(&sandbox, "First", "a.txt", "work\n");
        sandbox.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
        sandbox.write("a.txt", "moved on\n");
        sandbox.commit("moved on");
        let mut fault = refused(&sandbox.ralph(&["merge", "1"]), "start_lost");
        assert!(text(&fault["message"]).contains("a.txt") && text(&fault["hint"]).contains("message names"), "{fault}");
        if merges_base {
            git_in(&sandbox, &path, &["merge", "--quiet", "-X", "ours", "-m", "base", "main"]);
            fault = refused(&sandbox.ralph(&["merge", "1"]), "start_lost");
        }
        let message = text(&fault["message"]);
        let way = message.split('`').find_map(|part| part.strip_prefix("git ")).expect("the way out");
        sandbox.git(&way.split(' ').chain(["-X", "theirs"]).collect::<Vec<_>>());
        sandbox.ralph_ok(&["merge", "1"]);
        assert_eq!((status_of(&sandbox, task).as_str(), sandbox.read("a.txt").as_str()), ("done", "work\n"), "{message}");
        assert!(!sandbox.project().join("leak.txt").exists(), "{message}");
    }
}

#[test]
fn work_that_went_on_in_another_form_on_its_base_can_be_ended() {
    let sandbox = project_with("");
    let (task, _) = in_review(&sandbox, "First", "b.txt", "b\n");
    sandbox.git(&["merge", "--quiet", "--ff-only", "ralph/1-first"]);
    sandbox.git(&["mv", "b.txt", "c.txt"]);
    sandbox.write("c.txt", "wholly rewritten\n");
    sandbox.commit("moved and rewritten");
    let message = text(&refused(&sandbox.ralph(&["merge", "1"]), "by_git")["message"]);
    assert!(message.contains("nothing of it is left") && message.contains("another form"), "{message}");
    for way in ["discard 1", "task update 1 --status done"] {
        assert!(message.contains(&format!("`ralph {way}`")), "{message}");
        sandbox.ralph_ok(&way.split(' ').collect::<Vec<_>>());
    }
    assert_eq!(status_of(&sandbox, task), "done");
}

#[test]
fn a_commit_that_no_hook_refused_is_told_without_words_on_hooks() {
    let sandbox = project_with("");
    in_review(&sandbox, "First", "b.txt", "b\n");
    sandbox.write("c.txt", "moved on\n");
    sandbox.commit("moved on");
    sandbox.git(&["config", "commit.gpgSign", "true"]);
    sandbox.git(&["config", "gpg.program", "/bin/false"]);
    sandbox.trust();
    let message = text(&refused(&sandbox.ralph(&["merge", "1"]), "by_git")["message"]);
    assert!(message.contains("gpg failed") && !message.contains("makes none"), "{message}");
}

#[test]
fn what_a_person_has_below_somebody_else_s_folder_of_ralph_is_seen_where_an_agent_works_in_place() {
    let sandbox = with_examples("");
    sandbox.write(EXAMPLE, "x = 1\n");
    sandbox.commit("an example");
    sandbox.write(EXAMPLE, "x = 1\nmine = 1\n");
    task(&sandbox, "pay", "Example", &[]);
    let script = "run git checkout -q -- examples\nedit examples/.ralph/new.toml <<EOF\nx\nEOF\ndone\n";
    play(&sandbox, script, &["--max-iterations", "1", "--in-place"]);
    let row = iterations(&sandbox).remove(0);
    assert!(row["evidence"]["remarks"].to_string().contains(EXAMPLE), "{row}");
    assert!(row["evidence"]["changed_files"].to_string().contains("examples/.ralph/new.toml"), "{row}");
    sandbox.ralph_ok(&["snapshot", "restore", &row["id"].to_string()]);
    assert_eq!(sandbox.read(EXAMPLE), "x = 1\nmine = 1\n");
}

#[test]
fn a_worktree_whose_branch_would_stand_above_others_gets_the_next_name() {
    let sandbox = project_with("");
    let first = task(&sandbox, "pay", "First", &[]);
    sandbox.git(&["branch", "ralph/1-first/notes"]);
    assert_eq!(open_worktree(&sandbox, first).1["branch"], "ralph/1-first-2");
}
