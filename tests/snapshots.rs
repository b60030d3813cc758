//! Snapshots as a person meets them: whose they are, and what a restoration that fails leaves them with.
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
