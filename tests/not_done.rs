//! Work that an agent calls done and that is not: in conflict, on the stash; and an agent that nobody could watch.

use journeys::{list, play, project_with, refused, scripted, status_of, task, text};

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
