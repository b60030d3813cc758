//! Operations that throw work away, of git and of the shell, at three moments: no acknowledged learning is lost after the next command, or
//! after the one that its answer names.
//!
//! `cargo xtask soak` tries every operation at every moment (`RALPH_SOAK_GIT`); an ordinary test tries each of them once.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a fault here fails the test")]

use journeys::{LIMIT, assert_sound, feature, learn, learnings, lesson, list, play, soak, start, task, text};
use ralph_testkit::{Running, Sandbox, wait_until};
use serde_json::Value;
use std::collections::BTreeSet;

/// What is done, as a person types it. `$root` is the commit from before `ralph init`.
const OPERATIONS: [&str; 24] = [
    "git checkout -- .",
    "git checkout -f HEAD",
    "git reset --hard",
    "git reset --hard $root",
    "git stash",
    "git stash -u",
    "git stash --all",
    "git stash -u; git stash drop || true",
    "git restore .",
    "git restore --source=$root .",
    "git clean -fd",
    "git clean -fdx",
    "git clean -fdX",
    "git checkout -f -B before $root",
    "git stash -u; git checkout -f -B before $root; git checkout -f main",
    "git checkout -f --orphan empty; git rm -rfq .",
    "git rm -rfq --cached .; git commit -qm gone; git clean -fdx",
    "git branch -f side; git worktree add -q --force $HOME/tree side; git worktree remove --force $HOME/tree; git branch -D side",
    "git checkout -qf -B side $root; echo 1 > README.md; git commit -qam one; git checkout -qf main; echo 2 > README.md; git commit -qam two; \
     git merge side || git merge --abort",
    "git checkout -qf -B side $root; echo 1 > README.md; git commit -qam one; git checkout -qf main; echo 2 > README.md; git commit -qam two; \
     git rebase side || git rebase --abort",
    "git add -A; git reset --hard",
    "rm -rf .ralph",
    "rm -rf .ralph/db",
    "rm -rf .ralph/db/memory",
];

const MOMENTS: [&str; 3] = ["fresh knowledge", "in the middle of a run", "after a run"];

/// Says what it learned, and goes on until it is stopped.
const WORKS_ON: &str = "\
[iteration 1]
edit work.txt <<EOF
one
EOF
learn pitfall: Lesson 11: call `step_11` before the rest
done

[*]
run touch began
hang
";

const WORKS: &str = "edit work.txt <<EOF\none\nEOF\nlearn pitfall: Lesson 11: call `step_11` before the rest\ndone\n";

struct World {
    sandbox: Sandbox,
    root: String,
    run: Option<Running>,
}

impl World {
    fn at(moment: &str) -> World {
        let sandbox = Sandbox::new();
        let root = sandbox.git(&["rev-parse", "HEAD"]);
        sandbox.ralph_ok(&["init"]);
        feature(&sandbox, "pay", &[]);
        learn(&sandbox, "pay", &lesson(1), &[]);
        let mut world = World { sandbox, root, run: None };
        if moment != "fresh knowledge" {
            world.sandbox.commit("knowledge");
            learn(&world.sandbox, "pay", &lesson(2), &[]);
            task(&world.sandbox, "pay", "One", &[]);
            task(&world.sandbox, "pay", "Two", &[]);
        }
        match moment {
            "in the middle of a run" => {
                world.run = Some(start(&world.sandbox, WORKS_ON, &[]));
                let began = world.sandbox.project().join("began");
                wait_until("the second iteration at work", LIMIT, || began.exists().then_some(()));
            }
            "after a run" => drop(play(&world.sandbox, WORKS, &["--max-iterations", "1"])),
            _ => {}
        }
        world
    }

    fn known(&self) -> BTreeSet<String> {
        learnings(&self.sandbox, "pay", "all").iter().map(|learning| text(&learning["text"])).collect()
    }

    fn throw_away(&mut self, operation: &str) {
        let mut command = self.sandbox.command("sh");
        let output = self.sandbox.run(command.args(["-ec", operation]).env("root", &self.root));
        assert!(output.status.success(), "{operation}: {output:?}");
        if let Some(run) = self.run.take() {
            run.signal("INT");
            // Whatever the outcome: the folder that it worked in may be gone.
            run.wait(LIMIT);
        }
    }

    /// The next command: it goes on, or names the way back, which is gone.
    fn look_again(&self, what: &str) {
        let looked = self.sandbox.ralph(&["status"]);
        if !looked.status.success() {
            let error = looked.error();
            assert!(error["code"] == "project_lost" && text(&error["hint"]).contains("ralph restore"), "{what}: {looked:?}");
            self.sandbox.ralph_ok(&["restore"]);
        }
        let status = self.sandbox.ralph_ok(&["status"]);
        assert_eq!(status["active_run"], Value::Null, "{what}: {status}");
        let tasks = list(self.sandbox.ralph_ok(&["task", "list"]));
        assert!(tasks.iter().all(|task| task["status"] != "in_progress"), "{what}: {tasks:?}");
    }
}

#[test]
fn nothing_that_throws_work_away_takes_a_learning_along() {
    let all = soak("RALPH_SOAK_GIT", 0) == 1;
    let mut tried = 0;
    for (place, operation) in OPERATIONS.into_iter().enumerate() {
        for (turn, moment) in MOMENTS.into_iter().enumerate() {
            if !all && place % MOMENTS.len() != turn {
                continue;
            }
            let what = format!("{operation}, {moment}");
            let mut world = World::at(moment);
            let before = world.known();
            assert_eq!(before.len(), if moment == "fresh knowledge" { 1 } else { 3 }, "{what}");
            world.throw_away(operation);
            world.look_again(&what);
            assert_eq!(world.known(), before, "{what}");
            // What the files lost is written back on request, and then both are whole.
            let rebuilt = world.sandbox.ralph_ok(&["rebuild"]);
            assert_eq!(rebuilt["held"], 0, "{what}: the project's own lines need no yes: {rebuilt}");
            assert_eq!(world.known(), before, "{what}: after the rebuild");
            assert_sound(&world.sandbox);
            tried += 1;
        }
    }
    eprintln!("{tried} of {} operations at a moment: no learning is missing", OPERATIONS.len() * MOMENTS.len());
}
