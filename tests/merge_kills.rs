//! Merges that are killed anywhere: Ralph, git in the middle of one, or both. `cargo xtask soak` asks for many (`RALPH_SOAK_MERGE_KILLS`).
#![cfg(unix)]

use journeys::{
    LIMIT, Seeded, before_git, git_in, is_git_at_work, list, marked, persons_checkout, play, project_with, refused, soak, spin, status_of,
    task, text,
};
use ralph_testkit::{Running, Sandbox, wait_until};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// Work that waits in one project, whose merges are killed.
struct Merges {
    sandbox: Sandbox,
    chance: Seeded,
    /// The folder of each task's work.
    folders: BTreeMap<u64, PathBuf>,
    /// Microseconds that a merge takes, as it was last seen.
    takes: u64,
}

impl Merges {
    /// Tasks that each change 40 files of their own: one for each kill, and one that shows how long a merge takes.
    fn new(seed: u64, strategy: &str, kills: u64) -> Merges {
        let sandbox = project_with(&format!("merge = \"{strategy}\"\ncheck = \"true\""));
        for task in 1..=kills + 1 {
            (0..40).for_each(|number| drop(sandbox.write(format!("files/{task}/{number}.txt"), "before\n")));
        }
        sandbox.commit("many files");
        for _ in 0..=kills {
            task(&sandbox, "pay", "Work", &[]);
        }
        let script = "run for n in $(seq 0 39); do echo after $n > files/$RALPH_TASK/$n.txt; done\ncommit work\ndone\n";
        play(&sandbox, script, &["--worktrees", "--max-iterations", &(kills + 1).to_string()]);
        let rows = list(sandbox.ralph_ok(&["worktree", "list"]));
        let folder = |row: &Value| Some((row["task"].as_u64()?, PathBuf::from(text(&row["path"]))));
        let folders = rows.iter().filter_map(folder).collect();
        sandbox.write("mine.txt", "not committed\n");
        sandbox.write("README.md", "mine as well\n");
        let mut merges = Merges { sandbox, chance: Seeded::new(seed), folders, takes: 0 };
        merges.finish(1);
        merges
    }

    fn finish(&mut self, task: u64) {
        let begin = Instant::now();
        self.sandbox.ralph_ok(&["merge", &task.to_string()]);
        self.takes = u64::try_from(begin.elapsed().as_micros()).unwrap_or(u64::MAX);
    }

    /// Kills a merge, git in the middle of it, or both, somewhere on the way; afterwards it is done or undone, and nothing is lost.
    /// Returns whether it had landed.
    fn kill(&mut self, task: u64) -> bool {
        let (path, branch) = (self.folders[&task].clone(), format!("ralph/{task}-work"));
        let tip = self.sandbox.git(&["rev-parse", &branch]);
        let (head, status) = persons_checkout(&self.sandbox);
        let merge = Running::start(&mut self.sandbox.ralph_command(&["merge", &task.to_string()]), None);
        spin(self.chance.below(self.takes + self.takes / 8));
        let victims = self.chance.below(3);
        if victims > 0 {
            let of = merge.id().to_string();
            let kill = "for p in $(cat /proc/$0/task/*/children); do kill -9 $p; done 2>/dev/null";
            self.sandbox.run(self.sandbox.command("sh").args(["-c", kill, &of]));
        }
        if victims < 2 {
            merge.signal("KILL");
        }
        merge.wait(LIMIT);
        let sandbox = &self.sandbox;
        wait_until("git ends", LIMIT, || (!is_git_at_work(&[&sandbox.project(), &path])).then_some(()));
        sandbox.ralph_ok(&["worktree", "list"]);

        let (head_after, status_after) = persons_checkout(sandbox);
        assert_eq!(status_after, status, "task {task}: the person's checkout");
        let landed = status_of(sandbox, task) == "done";
        if !landed {
            assert_eq!((head_after, git_in(sandbox, &path, &["branch", "--show-current"])), (head, branch), "task {task}");
            assert_eq!(git_in(sandbox, &path, &["status", "--porcelain"]), "", "task {task}");
            self.finish(task);
        }
        let sandbox = &self.sandbox;
        let folder = format!("files/{task}");
        assert_eq!(sandbox.read(format!("{folder}/39.txt")), "after 39\n", "task {task}");
        assert_eq!(sandbox.git(&["diff", "--stat", &tip, "main", "--", &folder]), "", "task {task}: no commit is lost");
        let locks = sandbox.run(sandbox.command("find").args([".git", "-name", "*.lock"])).stdout;
        let known = || sandbox.ralph_ok(&["worktree", "list"]);
        assert_eq!((locks.as_str(), persons_checkout(sandbox).1), ("", status), "task {task}, landed: {landed}, {victims}: {}", known());
        assert!(marked(sandbox).is_empty(), "task {task}: no process stays");
        landed
    }
}

#[test]
fn a_merge_that_is_killed_anywhere_is_done_or_undone() {
    let (kills, seed) = (soak("RALPH_SOAK_MERGE_KILLS", 18), soak("RALPH_SOAK_SEED", 20_261_123_u64));
    let (mut left, mut landed) = (kills, 0);
    for (round, strategy) in ["merge", "squash", "rebase"].into_iter().cycle().enumerate() {
        // More in one project would only make its history longer.
        let here = left.min((kills / 3).clamp(1, 20));
        if here == 0 {
            break;
        }
        let seed = seed.wrapping_add(round as u64);
        eprintln!("{here} kills with {strategy}, seed {seed}");
        let mut merges = Merges::new(seed, strategy, here);
        landed += (2..=here + 1).filter(|task| merges.kill(*task)).count();
        left -= here;
    }
    eprintln!("{landed} of {kills} had landed when they were killed, or in spite of it");
}

#[test]
fn a_lock_of_a_killed_git_goes_with_the_merge_that_was_refused() {
    let sandbox = project_with("check = \"test ! -e $RALPH_PROJECT/fail || { touch $RALPH_PROJECT/.git/packed-refs.lock; false; }\"");
    task(&sandbox, "pay", "Work", &[]);
    play(&sandbox, "edit work.txt <<EOF\nwork\nEOF\ncommit work\ndone\n", &["--worktrees", "--max-iterations", "1"]);
    let mark = sandbox.write("fail", "");
    refused(&sandbox.ralph(&["merge", "1"]), "check_failed");
    assert!(!sandbox.project().join(".git/packed-refs.lock").exists(), "no branch could be removed any more");
    std::fs::remove_file(mark).unwrap();
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!(sandbox.git(&["branch", "--list", "ralph/*"]), "");
}

#[test]
fn a_merge_right_after_a_killed_one_waits_for_the_git_of_that_one() {
    let mut sandbox = project_with("");
    task(&sandbox, "pay", "Work", &[]);
    play(&sandbox, "edit a.txt <<EOF\nwork\nEOF\ncommit work\ndone\n", &["--worktrees", "--max-iterations", "1"]);
    let lock = sandbox.project().join(".git/index.lock");
    let outlives = format!("touch {0}; kill -9 $PPID; sleep 2; rm -f {0}; exit 1", lock.display());
    let path = before_git(&mut sandbox, "*'update-ref --stdin'*", &outlives);
    assert!(!sandbox.ralph(&["merge", "1"]).status.success());
    sandbox.set("PATH", path);
    sandbox.ralph_ok(&["merge", "1"]);
    assert_eq!((status_of(&sandbox, 1).as_str(), sandbox.read("a.txt").as_str()), ("done", "work\n"));
}

#[test]
fn what_a_person_changes_before_a_landing_begins_is_not_taken_back_with_it() {
    let mut sandbox = project_with("");
    task(&sandbox, "pay", "Work", &[]);
    play(&sandbox, "edit a.txt <<EOF\nwork\nEOF\ncommit work\ndone\n", &["--worktrees", "--max-iterations", "1"]);
    // As if git had written a part of the result.
    let file = sandbox.project().join("a.txt");
    let path = before_git(&mut sandbox, "*'update-ref --stdin'*", &format!("printf wo > {}; kill -9 $PPID; exit 1", file.display()));
    assert!(!sandbox.ralph(&["merge", "1"]).status.success());
    sandbox.set("PATH", path);
    assert_eq!((status_of(&sandbox, 1).as_str(), sandbox.read("a.txt").as_str()), ("in_review", "wo"));
    refused(&sandbox.ralph(&["merge", "1"]), "in_the_way");
}
