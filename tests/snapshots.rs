//! Snapshots as a person meets them: whose they are, and what a restoration that fails leaves them with.
#![cfg(unix)]

use journeys::{committed_with_tasks, play, refused, text};

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
