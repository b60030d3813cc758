//! Agents that stray: work on branches of their own, repositories within the worktree, hands on the person's checkout. Nothing is called
//! done that the base does not contain, and nothing of the person's is lost.
#![cfg(unix)]

use journeys::{committed_with_tasks, is_in_base, iterations, list, play, refused, status_of, with_tasks};
use ralph_testkit::Sandbox;
use serde_json::{Value, json};

fn work(sandbox: &Sandbox, script: &str) -> Value {
    play(sandbox, script, &["--worktrees"])
}

fn refusal(sandbox: &Sandbox, task: u64, kind: &str) -> String {
    let error = refused(&sandbox.ralph(&["merge", &task.to_string()]), kind);
    error["message"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn work_on_a_branch_of_the_agent_s_own_is_merged_like_any_other() {
    let sandbox = committed_with_tasks(2);
    let script = "\
[task 1]
run git checkout -q -b feature/own; echo one > one.txt; git add -A; git commit -qm one; echo open > open.txt
done

[task 2]
run git checkout -q --detach; echo two > two.txt; git add -A; git commit -qm two
done
";
    work(&sandbox, script);
    for task in 1..=2 {
        assert_eq!(status_of(&sandbox, task), "in_review", "task {task} is not done before the base contains it");
        sandbox.ralph_ok(&["merge", &task.to_string()]);
    }
    for path in ["one.txt", "open.txt", "two.txt"] {
        assert!(is_in_base(&sandbox, path), "{path}");
    }
    assert_eq!(sandbox.git(&["branch", "--list", "feature/own"]).trim(), "feature/own");
}

#[test]
fn a_branch_that_its_agent_deleted_comes_back_with_what_is_checked_out() {
    let sandbox = committed_with_tasks(1);
    work(&sandbox, "run echo x > x.txt; git add -A; git commit -qm x; git checkout -q --detach; git branch -qD $RALPH_BRANCH\ndone\n");
    assert_eq!(status_of(&sandbox, 1), "in_review");
    sandbox.ralph_ok(&["merge", "1"]);
    assert!(is_in_base(&sandbox, "x.txt"));
}

#[test]
fn what_an_agent_commits_elsewhere_is_told_and_does_not_count_as_done() {
    let sandbox = committed_with_tasks(3);
    let script = "\
[task 1]
run cd \"$RALPH_PROJECT\"; echo hacked > hacked.txt; git add hacked.txt; git commit -qm hacked
done

[task 2]
run git checkout -q -b feat; echo two > two.txt; git add -A; git commit -qm two; git checkout -q $RALPH_BRANCH
done

[task 3]
run echo three > three.txt; git add -A; git commit -qm three; git push -q . HEAD:side
done
";
    sandbox.git(&["branch", "side"]);
    work(&sandbox, script);
    let told: Vec<Value> = iterations(&sandbox).iter().map(|row| row["evidence"]["remarks"][0].clone()).collect();
    let facts = told.iter().map(|remark| (&remark["kind"], &remark["branch"], &remark["own"])).collect::<Vec<_>>();
    let kind = json!("committed_elsewhere");
    let expected = [("main", false), ("feat", false), ("side", true)].map(|(branch, own)| (json!(branch), json!(own)));
    assert_eq!(facts, expected.iter().map(|(branch, own)| (&kind, branch, own)).collect::<Vec<_>>());
    assert_eq!(status_of(&sandbox, 2), "in_review", "nothing is on its branch, and something is elsewhere");
    assert!(refusal(&sandbox, 2, "by_git").contains("the new branch 'feat'"));
    sandbox.git(&["merge", "-q", "--no-edit", "feat"]);
    sandbox.ralph_ok(&["merge", "2"]);
    assert_eq!(status_of(&sandbox, 2), "done", "the base contains it");
}

#[test]
fn a_lock_that_a_killed_git_left_in_a_worktree_stops_no_commit() {
    let sandbox = committed_with_tasks(1);
    work(&sandbox, "run echo x > x.txt; touch \"$(git rev-parse --git-dir)/index.lock\"\ndone\n");
    sandbox.ralph_ok(&["merge", "1"]);
    assert!(is_in_base(&sandbox, "x.txt"));
}

#[test]
fn work_whose_base_has_another_history_now_is_shown_and_goes_to_another_base() {
    let sandbox = committed_with_tasks(1);
    work(&sandbox, "run echo x > x.txt; git add -A; git commit -qm x\ndone\n");
    sandbox.git(&["branch", "trunk"]);
    sandbox.git(&["checkout", "-q", "--orphan", "fresh"]);
    sandbox.git(&["commit", "-qm", "another history"]);
    sandbox.git(&["branch", "-f", "main", "fresh"]);
    assert_eq!(sandbox.ralph_ok(&["diff", "1"])["row"]["standing"], "base_moved");
    assert!(refusal(&sandbox, 1, "by_git").contains("no commit in common"));
    let refused_in_status = || sandbox.ralph_ok(&["status"])["needs_you"][0]["refused"].to_string();
    sandbox.git(&["branch", "-D", "main"]);
    assert!(refused_in_status().contains("the branch 'main' is gone"));
    assert_eq!(sandbox.ralph_ok(&["diff", "1"])["row"]["standing"], "base_gone");
    sandbox.git(&["branch", "main", "fresh"]);
    assert_eq!(refused_in_status(), "null");
    sandbox.ralph_ok(&["merge", "1", "--into", "trunk"]);
    assert_eq!(status_of(&sandbox, 1), "done");
}

#[test]
fn a_repository_that_cannot_be_read_discards_no_work() {
    let sandbox = committed_with_tasks(1);
    work(&sandbox, "run echo x > x.txt; git add -A; git commit -qm x; git config core.worktree /nowhere\ndone\n");
    sandbox.run(sandbox.command("git").args(["config", "--file", ".git/config", "--unset", "core.worktree"]));
    assert_eq!(status_of(&sandbox, 1), "in_review");
}

#[test]
fn a_worktree_that_became_something_else_is_not_called_done() {
    let sandbox = committed_with_tasks(1);
    work(&sandbox, "run rm -rf .git; git init -q; echo x > x.txt; git add -A; git commit -qm fake\ndone\n");
    assert_eq!(status_of(&sandbox, 1), "in_review");
    assert!(refused(&sandbox.ralph(&["merge", "1"]), "invalid")["message"].as_str().is_some_and(|told| told.contains("stands where")));
    let kept = &sandbox.ralph_ok(&["worktree", "prune", "--force"])["kept"];
    assert_eq!(kept.as_array().map(Vec::len), Some(1), "{kept}");
    assert_eq!(status_of(&sandbox, 1), "in_review", "and looking again changes nothing");
}

#[test]
fn work_that_a_hook_did_not_let_in_is_not_found_merged() {
    let sandbox = committed_with_tasks(1);
    sandbox.write(".git/hooks/pre-commit", "#!/bin/sh\necho not today >&2\nexit 1\n");
    sandbox.run(sandbox.command("chmod").args(["+x", ".git/hooks/pre-commit"]));
    work(&sandbox, "run echo x > x.txt\ndone\n");
    assert_eq!(status_of(&sandbox, 1), "in_review");
    sandbox.ralph_ok(&["status"]);
    assert_eq!(status_of(&sandbox, 1), "in_review", "its branch has no commit, which every base contains");
    let row = sandbox.ralph_ok(&["worktree", "list"])[0].take();
    assert!(std::path::Path::new(row["path"].as_str().unwrap()).join("x.txt").is_file(), "{row}");
    refusal(&sandbox, 1, "uncommitted");
}

#[test]
fn work_that_git_could_not_add_is_not_called_merged() {
    let sandbox = committed_with_tasks(1);
    work(&sandbox, "run echo x > x.txt; mkdir sub; cd sub; git init -q; echo y > y.txt\ndone\n");
    let told = refusal(&sandbox, 1, "uncommitted");
    assert!(told.contains("x.txt") && told.contains("sub"), "{told}");
    assert_eq!(status_of(&sandbox, 1), "in_review");
    let folder = sandbox.ralph_ok(&["worktree", "list"])[0]["path"].as_str().unwrap().to_owned();
    std::fs::remove_dir_all(std::path::Path::new(&folder).join("sub/.git")).unwrap();
    sandbox.ralph_ok(&["merge", "1"]);
    assert!(status_of(&sandbox, 1) == "done" && is_in_base(&sandbox, "x.txt") && is_in_base(&sandbox, "sub/y.txt"));
}

#[test]
fn a_repository_within_the_worktree_is_refused_with_a_way_out() {
    let sandbox = committed_with_tasks(1);
    work(
        &sandbox,
        "run mkdir app; cd app; git init -q; echo p > p.txt; git add -A; git -c user.name=a -c user.email=a@x commit -qm p\ndone\n",
    );
    let told = refusal(&sandbox, 1, "repository_inside");
    assert!(told.contains("app"), "{told}");
    let folder = sandbox.ralph_ok(&["worktree", "list"])[0]["path"].as_str().unwrap().to_owned();
    let mend = "rm -rf app/.git; git rm -q --cached app; git add -A; git -c user.name=a -c user.email=a@x commit -qm files";
    assert!(sandbox.run(sandbox.command("sh").current_dir(&folder).args(["-c", mend])).status.success());
    sandbox.ralph_ok(&["merge", "1"]);
    assert!(is_in_base(&sandbox, "app/p.txt"));
}

#[test]
fn what_an_agent_did_to_the_person_s_checkout_is_told_and_comes_back() {
    let sandbox = committed_with_tasks(2);
    sandbox.write("README.md", "mine, not committed\n");
    sandbox.write("new.txt", "mine, too\n");
    work(&sandbox, "[task 1]\nrun cd \"$RALPH_PROJECT\"; git checkout -q -f -b stolen; git clean -qfd\n\n[*]\nrun true\n");
    let rows = iterations(&sandbox);
    let remarks = rows[0]["evidence"]["remarks"].as_array().unwrap().clone();
    let gone = remarks.iter().find(|remark| remark["kind"] == "outside_gone").unwrap_or_else(|| panic!("{remarks:?}"));
    assert_eq!(gone["paths"], json!(["README.md", "new.txt"]));
    assert!(remarks.contains(&json!({ "kind": "outside_switched", "from": "main", "to": "stolen" })), "{remarks:?}");
    assert!(sandbox.ralph_ok(&["notice", "list"]).to_string().contains("git_harm"));
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.ralph_ok(&["snapshot", "restore", gone["kept"]["snapshot"].as_str().unwrap()]);
    assert_eq!((sandbox.read("README.md"), sandbox.read("new.txt")), ("mine, not committed\n".into(), "mine, too\n".into()));
}

#[test]
fn places_where_nobody_works_are_refused_before_an_agent_starts() {
    let sandbox = committed_with_tasks(1);
    sandbox.git(&["checkout", "-q", "--detach"]);
    let refused_run = refused(&sandbox.ralph(&["run", "--agent", "scripted", "--worktrees"]), "invalid");
    assert!(refused_run["message"].as_str().is_some_and(|told| told.contains("worktree_base")), "{refused_run}");
    assert_eq!(iterations(&sandbox).len(), 0);
    let hub = sandbox.home().join("hub.git");
    sandbox.git(&["init", "-q", "--bare", &hub.to_string_lossy()]);
    for folder in [hub, sandbox.project().join(".git/refs")] {
        refused(&sandbox.ralph(&["-C", &folder.to_string_lossy(), "init"]), "invalid");
        assert!(!folder.join(".ralph").exists());
    }
}

#[test]
fn what_an_errand_s_agent_does_beside_its_worktree_is_told_and_holds_up_no_merge() {
    let sandbox = with_tasks(1);
    sandbox.write("shared.txt", "nothing\n");
    sandbox.commit("a project");
    work(&sandbox, "edit shared.txt <<EOF\nwork\nEOF\ncommit Work\ndone\n");
    sandbox.write("shared.txt", "base\n");
    sandbox.git(&["commit", "--quiet", "-am", "Base"]);
    sandbox.write("notes.md", "of a person\n");
    let place = sandbox.project().display().to_string();
    let script = format!(
        "edit shared.txt <<EOF\nbase and work\nEOF\nrun git add shared.txt && git commit -q --no-edit\n\
         run rm {place}/notes.md && echo hi > {place}/evil.txt\n\
         run git branch stray $(git commit-tree -m stray HEAD^{{tree}})\n"
    );
    sandbox.write(".ralph/resolve.script", &script);
    sandbox.ralph_ok(&["merge", "1", "--resolve", "--agent", "scripted", "--script", ".ralph/resolve.script"]);
    assert_eq!(sandbox.read("shared.txt"), "base and work\n");
    let note = sandbox.ralph_ok(&["errand", "show", "1"])["note"].to_string();
    for told in ["evil.txt", "work of the project's own checkout is gone while it worked elsewhere: notes.md", "the new branch 'stray'"] {
        assert!(note.contains(told), "{told}: {note}");
    }
    let notices = list(sandbox.ralph_ok(&["notice", "list"]));
    let (title, detail) = (notices[0]["title"].to_string(), notices[0]["detail"].to_string());
    assert!(notices.len() == 1 && title.contains("Errand 1: uncommitted work") && detail.contains("snapshot restore e1"), "{notices:#?}");
    let listed = journeys::plain(&sandbox, &["snapshot", "list"]);
    assert!(listed.stdout.contains("errand 1"), "{}", listed.stdout);
    sandbox.ralph_ok(&["snapshot", "restore", "e1", "--path", "notes.md"]);
    assert_eq!(sandbox.read("notes.md"), "of a person\n");
    let again = sandbox.ralph_ok(&["snapshot", "restore", "e1", "--path", "notes.md"]);
    assert_eq!(again["written"], json!([]), "what is so already does not come back");
    std::fs::remove_file(sandbox.project().join("notes.md")).expect("is there");
    sandbox.write("notes.md/own.txt", "a folder where the file was\n");
    let kept = || sandbox.ralph_ok(&["snapshot", "list"]);
    let (before, error) = (kept(), refused(&sandbox.ralph(&["snapshot", "restore", "e1", "--path", "notes.md"]), "invalid"));
    assert!(!error["hint"].to_string().contains("--path"), "the window, which has no options, shows the same words: {error}");
    assert_eq!(kept(), before, "a refusal leaves no snapshot behind");
}

#[test]
fn a_worktree_stays_as_long_as_it_holds_what_no_snapshot_can() {
    let sandbox = committed_with_tasks(1);
    work(&sandbox, "run echo one > one.txt\ndone\n");
    let folder = sandbox.ralph_ok(&["worktree", "list"])[0]["path"].as_str().unwrap().to_owned();
    let large = std::path::Path::new(&folder).join("results.bin");
    std::fs::File::create(&large).and_then(|file| file.set_len(70 << 20)).unwrap();
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!((status_of(&sandbox, 1).as_str(), large.exists()), ("done", true));
    let error = refused(&sandbox.ralph(&["worktree", "remove", "1", "--force"]), "invalid");
    assert!(error["message"].as_str().is_some_and(|told| told.contains("results.bin")), "{error}");
    let pruned = sandbox.ralph_ok(&["worktree", "prune", "--force"]);
    assert!(pruned["kept"].to_string().contains("results.bin") && large.exists(), "{pruned}");
    std::fs::remove_file(&large).unwrap();
    sandbox.ralph_ok(&["status"]);
    assert!(!std::path::Path::new(&folder).exists(), "the next look takes it away");
}

#[test]
fn a_worktree_stays_as_long_as_files_lie_in_the_place_of_a_submodule() {
    let sandbox = committed_with_tasks(1);
    let library = sandbox.home().join("library");
    sandbox.git(&["clone", "--quiet", ".", &library.to_string_lossy()]);
    sandbox.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &library.to_string_lossy(), "lib"]);
    sandbox.git(&["commit", "--quiet", "--message", "with a library"]);
    work(&sandbox, "run echo one > one.txt && echo new > lib/new.txt\ndone\n");
    let folder = sandbox.ralph_ok(&["worktree", "list"])[0]["path"].as_str().unwrap().to_owned();
    let new = std::path::Path::new(&folder).join("lib/new.txt");
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!((status_of(&sandbox, 1).as_str(), new.exists()), ("done", true), "git looks at nothing there");
    let pruned = sandbox.ralph_ok(&["worktree", "prune"]);
    assert!(pruned["kept"].to_string().contains("in the place of a submodule: lib") && new.exists(), "{pruned}");
    std::fs::remove_file(&new).unwrap();
    sandbox.ralph_ok(&["status"]);
    assert!(!std::path::Path::new(&folder).exists(), "the next look takes it away");
}

#[test]
fn what_was_thrown_away_in_a_person_s_own_worktree_comes_back_there() {
    let sandbox = committed_with_tasks(1);
    let place = sandbox.home().join("topic");
    sandbox.git(&["worktree", "add", "-q", "-b", "topic", &place.to_string_lossy()]);
    std::fs::write(place.join("notes.txt"), "mine\n").unwrap();
    sandbox.write("throw-away.script", "run git clean -qfd; echo w > w.txt; git add -A; git commit -qm w\ndone\n");
    let (there, script) = (place.to_string_lossy(), sandbox.project().join("throw-away.script"));
    sandbox.ralph(&["-C", &there, "run", "--agent", "scripted", "--script", &script.to_string_lossy(), "--in-place"]);
    assert!(!place.join("notes.txt").exists());
    let id = iterations(&sandbox)[0]["id"].to_string();
    sandbox.ralph_ok(&["-C", &there, "snapshot", "restore", &id]);
    assert_eq!(std::fs::read_to_string(place.join("notes.txt")).unwrap(), "mine\n");
    assert!(!sandbox.project().join("notes.txt").exists());
}
