//! Work that an agent calls done and that is not: in conflict, on the stash; and a person's own work beside an agent.

use journeys::{committed_with_tasks, iterations, list, plain, play, project_with, refused, scripted, status_of, task, text};
use ralph_testkit::Sandbox;

#[test]
fn a_conflict_that_nobody_settled_is_not_merged_as_work() {
    for review in ["auto", "person"] {
        let sandbox = project_with(&format!("review = \"{review}\""));
        sandbox.write("notes.md", "first\n");
        sandbox.commit("notes");
        let id = task(&sandbox, "pay", "Notes", &[]);
        let left = "run echo a > notes.md; git stash -q; echo b > notes.md; git commit -qam b; git stash pop; true\n";
        let run = play(&sandbox, &format!("{left}done\n"), &["--worktrees"]);
        assert_eq!((text(&run["result"]).as_str(), status_of(&sandbox, id).as_str()), ("needs_you", "in_review"), "{run}");
        let remarks = list(sandbox.ralph_ok(&["task", "show", "1"])["iterations"].take());
        assert!(remarks[0]["evidence"].to_string().contains("left_in_conflict"), "{remarks:?}");
        let refusal = refused(&sandbox.ralph(&["merge", "1"]), "uncommitted");
        assert!(text(&refusal["message"]).contains("notes.md"), "{refusal}");
        assert_eq!(sandbox.read("notes.md"), "first\n");
    }
}

#[test]
fn no_agent_starts_where_git_can_t_tell_what_a_person_has_not_committed() {
    let sandbox = project_with("");
    sandbox.write(".gitattributes", "*.bin filter=lfs -text\n");
    sandbox.write("a.bin", "pointer\n");
    sandbox.commit("large files");
    let id = task(&sandbox, "pay", "Tidy", &[]);
    // As `git lfs install` leaves it, where its program is not on the PATH, as that of a desktop or a timer.
    for (key, value) in [("filter.lfs.clean", "git-lfs-is-missing clean -- %f"), ("filter.lfs.required", "true")] {
        sandbox.git(&["config", "--global", key, value]);
    }
    sandbox.write("a.bin", "changed\n");
    sandbox.write("mine.txt", "mine\n");
    let error = refused(&sandbox.ralph(&scripted(&sandbox, "run rm -f mine.txt\ndone\n", &["--in-place"])), "no_checkout");
    assert!(text(&error["message"]).contains("git-lfs-is-missing: not found"), "{error}");
    assert_eq!((sandbox.read("mine.txt").as_str(), status_of(&sandbox, id).as_str()), ("mine\n", "pending"));
    assert!(sandbox.ralph(&["doctor"]).stdout.contains("so no agent starts there"));
}

#[test]
fn work_that_lies_on_the_stash_is_not_done() {
    let sandbox = project_with("");
    let id = task(&sandbox, "pay", "Stash", &[]);
    let run = play(&sandbox, "run echo x > f.txt; git add -A; git stash -q\ndone\n", &["--worktrees"]);
    assert_eq!((text(&run["result"]).as_str(), status_of(&sandbox, id).as_str()), ("needs_you", "in_review"), "{run}");
    let refusal = refused(&sandbox.ralph(&["merge", "1"]), "by_git");
    assert!(text(&refusal["message"]).contains("the stash does"), "{refusal}");
    let folder = list(sandbox.ralph_ok(&["worktree", "list"]));
    sandbox.run(sandbox.command("git").args(["-C", &text(&folder[0]["path"]), "stash", "pop", "-q", "stash@{0}"]));
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!((sandbox.read("f.txt").as_str(), status_of(&sandbox, id).as_str()), ("x\n", "done"));
}

#[test]
#[cfg(unix)]
fn the_way_out_is_one_command_whatever_an_agent_called_its_branch_and_wherever_the_worktree_is() {
    let mut sandbox = project_with("");
    let data = sandbox.home().join("My Data");
    sandbox.set("RALPH_DATA_HOME", data);
    sandbox.trust();
    let id = task(&sandbox, "pay", "Aside", &[]);
    let aside = "run git switch -q -c 'side;touch$${IFS}planted'; echo x > f.txt; git add f.txt; git commit -qm x; git switch -q -\n";
    let run = play(&sandbox, &format!("{aside}done\n"), &["--worktrees"]);
    assert_eq!((text(&run["result"]).as_str(), status_of(&sandbox, id).as_str()), ("needs_you", "in_review"), "{run}");
    let refusal = refused(&sandbox.ralph(&["merge", "1"]), "by_git");
    let message = text(&refusal["message"]);
    let typed = message.split('`').nth(1).expect("a command");
    assert!(typed.contains("My Data"), "{message}");
    let done = sandbox.run(sandbox.command("sh").args(["-c", typed]));
    assert!(done.status.success() && !sandbox.project().join("planted").exists(), "{typed}: {}", done.stderr);
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!((sandbox.read("f.txt").as_str(), status_of(&sandbox, id).as_str()), ("x\n", "done"));
}

#[test]
fn a_person_s_merge_that_an_agent_ended_is_told() {
    for (ends, expected) in [("git add -A; git commit -qm work", "conflict_ended"), ("git merge --abort", "work_gone"), ("true", "")] {
        let sandbox = project_with("");
        sandbox.git(&["checkout", "-q", "-b", "other"]);
        sandbox.write("notes.md", "other\n");
        sandbox.commit("other");
        sandbox.git(&["checkout", "-q", "main"]);
        sandbox.write("notes.md", "mine\n");
        sandbox.commit("mine");
        task(&sandbox, "pay", "Notes", &[]);
        assert!(!sandbox.run(sandbox.command("sh").args(["-c", "git merge -q other || echo conflict"])).stdout.is_empty());
        play(&sandbox, &format!("run {ends}\ndone\n"), &["--in-place"]);
        let told = iterations(&sandbox)[0]["evidence"]["remarks"].clone();
        let kinds: Vec<String> = list(told.clone()).iter().map(|remark| text(&remark["kind"])).collect();
        assert_eq!(kinds.join(" "), expected, "{told}");
        if expected == "conflict_ended" {
            assert_eq!((text(&told[0]["paths"][0]), text(&told[0]["kept"]["snapshot"])), ("notes.md".into(), "1".into()), "{told}");
        }
    }
}

#[test]
fn a_project_that_the_repository_around_it_ignores_is_told() {
    let sandbox = project_with("");
    sandbox.write(".gitignore", "/inner/\n");
    sandbox.write("inner/app/mine.txt", "mine\n");
    let inside = |args: &[&str]| {
        let app = sandbox.project().join("inner/app");
        sandbox.ralph(&[&["-C", &app.to_string_lossy()], args].concat())
    };
    inside(&["init"]);
    let told = "is ignored by the repository in";
    assert!(inside(&["doctor"]).stdout.contains(told));
    assert!(!sandbox.ralph(&["doctor"]).stdout.contains(told));
}

#[test]
fn a_rule_for_hidden_files_that_keeps_what_is_learnt_out_of_commits_is_told() {
    let sandbox = Sandbox::new();
    let warned = |rules: &str| {
        sandbox.write(".gitignore", rules);
        let init = sandbox.ralph(&["init"]);
        let told = init.stderr.contains("what is learnt comes into no commit");
        assert_eq!(sandbox.ralph(&["doctor"]).stdout.contains("what is learnt comes into no commit"), told, "{rules}");
        told
    };
    assert!(!warned("target/\n") && warned(".*\n!.gitignore\n") && !warned(".*\n!.gitignore\n!/.ralph/\n"));
}

#[test]
fn status_names_the_way_out_where_a_folder_took_the_worktree_s_place_and_where_the_settings_are_gone() {
    let sandbox = committed_with_tasks(2);
    let script = "\
[task 1]
run rm .git; git init -q
done

[task 2]
run rm \"$RALPH_PROJECT/.ralph/config.toml\"
done
";
    play(&sandbox, script, &["--worktrees"]);
    let told = plain(&sandbox, &["status"]).stdout;
    for part in [
        "stands where the worktree of task #1 was; move it away; what was committed is on its branch",
        "not agreed to on this machine: config.toml (nothing is in it)",
        "ralph notice list tells what it is, then ralph notice dismiss",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains("ralph notice accept"), "there is nothing to accept: {told}");
}
