//! Conflicts that are settled in a work tree: only what somebody decided on counts.

use super::merge::{head, pair};
use super::{commit, git, write};
use crate::{GitError, Hooks, Repo, Resolution};
use std::fs;

/// Has `settles` settle what both sides did, each of which is a change in its work tree.
fn settled(base: impl Fn(&Repo), work: impl Fn(&Repo), settles: impl Fn(&Repo)) -> Resolution {
    let (_directory, repo, side) = pair();
    base(&repo);
    work(&side);
    let (base, tip) = (commit(&repo, "base"), commit(&side, "work"));
    let files = side.begin_resolution(&tip, &base).expect("a conflict");
    assert!(!files.is_empty() && head(&side) == tip);
    settles(&side);
    side.end_resolution(&tip, &base, &files, "Settled").expect("judges")
}

#[test]
fn a_conflict_without_lines_is_open_until_somebody_decides() {
    let change = |text: &'static str| move |repo: &Repo| write(repo, "b.txt", text);
    let remove = |repo: &Repo| fs::remove_file(repo.root().join("b.txt")).expect("removes");
    let add = |repo: &Repo| drop(git(repo.root(), &["add", "b.txt"]));
    let nothing = |_: &Repo| {};
    for (name, resolution) in [
        ("binary", settled(change("base\0"), change("work\0"), nothing)),
        ("deleted in the base", settled(remove, change("work\n"), nothing)),
        ("deleted in the work", settled(change("base\n"), remove, nothing)),
    ] {
        assert!(matches!(&resolution, Resolution::Open(why) if why.starts_with("b.txt is as the merge left it")), "{name}: {resolution:?}");
    }
    for (name, resolution) in [
        ("binary", settled(change("base\0"), change("work\0"), add)),
        ("binary, another", settled(change("base\0"), change("work\0"), change("both\0"))),
        ("deleted in the base", settled(remove, change("work\n"), add)),
        ("deleted in the base, removed", settled(remove, change("work\n"), remove)),
    ] {
        assert!(matches!(resolution, Resolution::Settled(_)), "{name}: {resolution:?}");
    }
}

#[test]
fn a_part_of_the_markers_is_a_marker_unless_a_side_has_it() {
    let change = |text: &'static str| move |repo: &Repo| write(repo, "b.txt", text);
    let marked = "<<<<<<< HEAD\nwork\nbase\n>>>>>>> main\n";
    for text in [marked, "<<<<<<<<<<<< HEAD\nwork\n", "base\r\n>>>>>>> main\r\n"] {
        let resolution = settled(change("base\n"), change("work\n"), change(text));
        assert!(matches!(&resolution, Resolution::Open(why) if why.contains("markers")), "{text}: {resolution:?}");
    }
    for text in [marked, "both\n=======\n"] {
        let resolution = settled(change("base\n"), change(marked), change(text));
        assert!(matches!(resolution, Resolution::Settled(_)), "{text}: {resolution:?}");
    }
    let small = |repo: &Repo| {
        write(repo, ".gitattributes", "*.txt conflict-marker-size=3\n");
        write(repo, "b.txt", "base\n");
    };
    let nothing = settled(small, change("work\n"), |_| {});
    assert!(matches!(nothing, Resolution::Open(_)), "{nothing:?}");
    let added = settled(small, change("work\n"), |repo| drop(git(repo.root(), &["add", "b.txt"])));
    assert!(matches!(&added, Resolution::Open(why) if why.contains("markers")), "{added:?}");
    let known = |repo: &Repo| {
        small(repo);
        write(repo, "b.txt", "work\n");
    };
    let added = settled(small, known, |repo| drop(git(repo.root(), &["add", "b.txt"])));
    assert!(matches!(&added, Resolution::Open(why) if why.contains("markers")), "{added:?}");
    let both = settled(small, change("work\n"), change("<<<base>>>\n>>>>work\n"));
    assert!(matches!(both, Resolution::Settled(_)), "{both:?}");
}

#[test]
fn work_in_conflict_is_not_committed_before_somebody_settles_it() {
    type Act<'a> = &'a dyn Fn(&Repo);
    // These fail, as they end in a conflict.
    let left = |repo: &Repo, args: &[&str]| {
        let done = std::process::Command::new("git").arg("-C").arg(repo.root()).args(args).output().expect("git runs");
        assert!(!done.status.success(), "{args:?}");
    };
    let stash = |repo: &Repo| {
        write(repo, "a.txt", "stashed\n");
        git(repo.root(), &["stash", "-q"]);
        write(repo, "a.txt", "committed\n");
        commit(repo, "committed");
        left(repo, &["stash", "pop"]);
    };
    let other = |repo: &Repo, act: Act<'_>, how: &str| {
        git(repo.root(), &["switch", "-q", "-c", "other", "main"]);
        act(repo);
        commit(repo, "other");
        git(repo.root(), &["switch", "-q", "work"]);
        left(repo, &[how, "other"]);
    };
    let lines = |repo: &Repo| write(repo, "a.txt", "other\n");
    let gone = |repo: &Repo| fs::remove_file(repo.root().join("a.txt")).expect("removes");
    let nothing = |_: &Repo| {};
    let picks = |repo: &Repo| other(repo, &lines, "cherry-pick");
    let removes = |repo: &Repo| other(repo, &gone, "merge");
    let conflicts: [(&str, Act<'_>); 3] = [("stash", &stash), ("cherry-pick", &picks), ("gone in the other", &removes)];
    for (name, conflict) in conflicts {
        let resolve = |repo: &Repo| write(repo, "a.txt", "both\n");
        let add = |repo: &Repo| drop(git(repo.root(), &["add", "a.txt"]));
        let settlings: [(&str, bool, Act<'_>); 4] =
            [("nothing", false, &nothing), ("edited", true, &resolve), ("added", true, &add), ("removed", true, &gone)];
        for (how, expected, settle) in settlings {
            let (_directory, _repo, side) = pair();
            git(side.root(), &["config", "user.name", "A"]);
            git(side.root(), &["config", "user.email", "a@example.org"]);
            let before = side.snapshot().expect("looks");
            conflict(&side);
            let tip = head(&side);
            assert_eq!(side.snapshot().expect("looks").unmerged_since(&before), ["a.txt"]);
            settle(&side);
            let committed = side.commit_work("Task #7", Hooks::Run);
            let is_refused = matches!(&committed, Err(GitError::Failed { message, .. }) if message.ends_with("the conflict in a.txt"));
            assert_eq!(!is_refused, expected, "{name}, {how}: {committed:?}");
            assert!(expected || head(&side) == tip && !git(side.root(), &["ls-files", "-u"]).is_empty(), "{name}: nothing is staged");
        }
    }
}

#[test]
fn a_branch_that_can_t_be_checked_out_where_it_goes_to_does_not_go_there() {
    let (_directory, repo, side) = pair();
    write(&repo, "b.txt", "moved on\n");
    let (from, to) = (head(&side), commit(&repo, "moved on"));
    git(side.root(), &["reset", "-q", "--hard", &format!("{from}^")]);
    let from = head(&side);
    let lock = side.git_folder().expect("asks").join("index.lock");
    fs::write(&lock, "").expect("a git at work there");
    assert!(side.move_branch("work", &from, &to).is_err());
    fs::remove_file(lock).expect("removes");
    assert_eq!(side.uncommitted(9).expect("asks"), Vec::<String>::new(), "nothing is staged as taken back");
    side.move_branch("work", &from, &to).expect("moves");
    assert_eq!((side.branch().expect("asks").as_deref(), head(&side)), (Some("work"), to.clone()));
    assert!(side.move_branch("work", &from, &to).is_err(), "it is not there any more");
    assert_eq!((side.branch().expect("asks").as_deref(), side.is_dirty().expect("asks")), (Some("work"), false));
}
