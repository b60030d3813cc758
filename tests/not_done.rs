//! Work that an agent calls done and that is not: in conflict.

use journeys::{list, play, project_with, refused, status_of, task, text};

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
