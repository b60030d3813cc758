//! Snapshots as a person meets them: whose they are, and what a restoration that fails leaves them with. And what no snapshot holds, and
//! an agent takes away.
#![cfg(unix)]

use journeys::{committed_with_tasks, list, play, refused, text};
use ralph_testkit::Sandbox;

/// Snapshots named by numbers, of one moment.
fn made_at(sandbox: &Sandbox, seconds: u64, numbers: std::ops::RangeInclusive<u32>) {
    let commit = format!("GIT_COMMITTER_DATE='{seconds} +0000' git commit-tree HEAD^{{tree}} -m kept");
    let name = format!("for n in $(seq {} {}); do echo create refs/ralph/snapshots/$n $c; done", numbers.start(), numbers.end());
    let made = sandbox.run(sandbox.command("sh").args(["-c", &format!("c=$({commit}); {name} | git update-ref --stdin")]));
    assert!(made.status.success(), "{made:?}");
}

fn kept(sandbox: &Sandbox) -> Vec<String> {
    list(sandbox.ralph_ok(&["snapshot", "list"])).iter().map(|snapshot| text(&snapshot["name"])).collect()
}

#[test]
fn what_is_told_as_gone_is_kept_however_many_snapshots_follow_and_none_is_kept_for_good() {
    let sandbox = committed_with_tasks(3);
    sandbox.write("a.txt", "a\n");
    sandbox.commit("a");
    made_at(&sandbox, 1_000_000_000, 700..=700);
    play(&sandbox, "done\n", &["--in-place", "--max-iterations", "1"]);
    assert_eq!(kept(&sandbox), Vec::<String>::new(), "also where nothing else was to be kept");

    sandbox.write("a.txt", "two days of work\n");
    play(&sandbox, "run git checkout -- a.txt\ndone\n", &["--in-place", "--max-iterations", "1"]);
    assert_eq!((sandbox.read("a.txt").as_str(), kept(&sandbox)), ("a\n", vec!["2".to_owned()]));
    made_at(&sandbox, 4_000_000_000, 701..=760);
    sandbox.write("b.txt", "b\n");
    play(&sandbox, "done\n", &["--in-place", "--max-iterations", "1"]);
    assert!(kept(&sandbox).len() < 60, "others make room for each other");
    sandbox.ralph_ok(&["snapshot", "restore", "2"]);
    assert_eq!(sandbox.read("a.txt"), "two days of work\n");
}

#[test]
fn a_restoration_that_fails_in_the_middle_names_what_holds_what_stood_there() {
    let sandbox = committed_with_tasks(1);
    sandbox.write("a.txt", "first\n");
    sandbox.write("b.txt", "first of b\n");
    play(&sandbox, "done\n", &["--in-place"]);
    sandbox.write("a.txt", "second\n");
    sandbox.write("b.txt", "second of b\n");
    // The second of its files can't be written: git's folder has lost it.
    let lost = sandbox.git(&["rev-parse", "refs/ralph/snapshots/1:b.txt"]).trim().to_owned();
    std::fs::remove_file(sandbox.project().join(".git/objects").join(&lost[..2]).join(&lost[2..])).unwrap();
    let error = refused(&sandbox.ralph(&["snapshot", "restore", "1"]), "git");
    let message = text(&error["message"]);
    assert!(message.starts_with("snapshot 1 is restored in part at most"), "{message}");
    assert!(message.contains("`ralph snapshot restore 1.1` brings back what stood there"), "{message}");
    assert_eq!(sandbox.read("a.txt"), "first\n", "a part of it");
    sandbox.ralph_ok(&["snapshot", "restore", "1.1"]);
    assert_eq!((sandbox.read("a.txt"), sandbox.read("b.txt")), ("second\n".to_owned(), "second of b\n".to_owned()));
}

/// What git found about the last iteration on a task, by kind.
fn found(sandbox: &Sandbox, task: &str) -> Vec<String> {
    let task = sandbox.ralph_ok(&["task", "show", task]);
    let last = list(task["iterations"].clone()).pop().expect("an iteration");
    list(last["evidence"]["remarks"].clone()).iter().map(|remark| text(&remark["kind"])).collect()
}

#[test]
fn a_worktree_or_a_tag_of_the_person_s_that_an_agent_removes_is_put_before_them_with_the_way_back() {
    let sandbox = committed_with_tasks(3);
    sandbox.git(&["tag", "v1"]);
    sandbox.git(&["worktree", "add", "-q", "-b", "fix", "../fix"]);
    let script = "run git worktree remove --force ../fix; git tag -d v1\ndone\n";
    let ended = play(&sandbox, script, &["--in-place", "--max-iterations", "1"]);
    assert_eq!(text(&ended["result"]), "needs_you");
    assert_eq!(found(&sandbox, "1"), ["tag_moved", "checkout_gone"]);
    let told = text(&list(sandbox.ralph_ok(&["notice", "list"]))[0]["detail"]);
    for way_back in ["git tag --force v1 ", "git worktree add --force "] {
        let line = told.lines().find_map(|line| line.strip_prefix("  → ").filter(|line| line.starts_with(way_back))).unwrap();
        let back = sandbox.run(sandbox.command("sh").args(["-c", line]));
        assert!(back.status.success(), "{line}: {back:?}");
    }
    assert_eq!(sandbox.git(&["tag", "--list"]).trim(), "v1");
    assert!(sandbox.project().join("../fix/.git").exists());

    // Ralph's own come and go.
    sandbox.ralph_ok(&["notice", "dismiss", "1"]);
    play(
        &sandbox,
        "run git -C \"$RALPH_PROJECT\" worktree remove --force \"$RALPH_WORKTREE\"\ndone\n",
        &["--worktrees", "--max-iterations", "1"],
    );
    assert_eq!(found(&sandbox, "2"), Vec::<String>::new());
}
