//! Programs that an agent wrote into the repository's configuration run only once somebody agreed to them.

use super::merge::pair;
use super::{commit, git, sample, write};
use crate::{Hooks, MergeOrder, MergeOutcome, Repo};
use ralph_core::worktree::MergeStrategy;
use std::fs;
use std::path::Path;

/// A program that leaves a file behind, and passes on what it is given.
fn trap(folder: &Path) -> (String, impl Fn() -> bool) {
    let file = folder.join("ran");
    let command = format!("touch '{}'; cat", file.display());
    (command, move || fs::remove_file(&file).is_ok())
}

/// Everything that looks at files.
fn look(repo: &Repo) {
    write(repo, "a.txt", "changed\n");
    let snapshot = repo.snapshot().expect("a snapshot");
    assert!(snapshot.is_dirty() && repo.is_dirty().expect("dirty"));
    repo.keep(&snapshot, "7").expect("kept");
    repo.uncommitted_tracked(9).expect("listed");
}

#[test]
fn a_filter_that_nobody_agreed_to_does_not_run_and_one_that_somebody_did_runs() {
    let (directory, repo, side) = pair();
    let (command, has_run) = trap(directory.path());
    write(&repo, ".gitattributes", "* filter=a=b\n");
    write(&side, ".gitattributes", "* filter=a=b\n");
    git(repo.root(), &["config", "filter.a=b.clean", &command]);
    git(repo.root(), &["config", "filter.a=b.required", "true"]);
    for tree in [&repo, &side] {
        look(tree);
        assert!(!has_run(), "{}", tree.root().display());
    }
    let known = repo.own_programs().expect("listed");
    assert_eq!(known, [("filter.a=b.clean".to_owned(), command.clone())]);
    repo.agree_to_programs(known);
    look(&side);
    assert!(has_run(), "agreed to for all work trees");
    git(repo.root(), &["config", "filter.a=b.clean", &format!("{command} ")]);
    has_run();
    look(&side);
    assert!(!has_run(), "another command is not agreed to");
    side.commit_work("Work", Hooks::Run).expect("committed");
    assert!(!has_run());
    assert_eq!(side.uncommitted_tracked(9).expect("listed"), Vec::<String>::new());
}

#[test]
fn what_is_named_for_one_work_tree_or_in_an_included_file_is_left_out_too() {
    let (directory, repo, side) = pair();
    let (command, has_run) = trap(directory.path());
    write(&side, ".gitattributes", "* filter=x\n");
    git(repo.root(), &["config", "extensions.worktreeConfig", "true"]);
    git(side.root(), &["config", "--worktree", "filter.x.clean", &command]);
    look(&side);
    assert!(!has_run());
    git(side.root(), &["config", "--worktree", "--unset", "filter.x.clean"]);
    let other = directory.path().join("other");
    fs::write(&other, format!("[filter \"x\"]\nclean = \"{command}\"\n")).expect("writes");
    git(repo.root(), &["config", "include.path", &other.to_string_lossy()]);
    look(&side);
    assert!(!has_run());
}

#[test]
fn a_merge_driver_that_nobody_agreed_to_gives_way_to_git_s_own() {
    for (theirs, merges) in [("1\n2\n3\nfour\n", true), ("one again\n2\n3\n4\n", false)] {
        let (directory, repo, side) = pair();
        let (command, has_run) = trap(directory.path());
        for tree in [&repo, &side] {
            write(tree, "lines.txt", "1\n2\n3\n4\n");
            write(tree, ".gitattributes", "*.txt merge=x\n");
        }
        commit(&repo, "lines");
        git(side.root(), &["add", "--all"]);
        git(side.root(), &["reset", "-q", "--hard", "main"]);
        git(repo.root(), &["config", "merge.x.driver", &command]);
        write(&repo, "lines.txt", "one\n2\n3\n4\n");
        commit(&repo, "ours");
        write(&side, "lines.txt", theirs);
        commit(&side, "theirs");
        let (base, tip) = (repo.head().expect("head").expect("one"), side.head().expect("head").expect("one"));
        let conflicts = if merges { vec![] } else { vec!["lines.txt".to_owned()] };
        assert_eq!(repo.conflicts(&base, &tip).expect("compared"), conflicts);
        let order = MergeOrder { tip: &tip, base: &base, strategy: MergeStrategy::Merge, message: "Merge" };
        match side.merge_apart(&order).expect("merges") {
            MergeOutcome::Clean(_) => assert_eq!(fs::read_to_string(side.root().join("lines.txt")).expect("merged"), "one\n2\n3\nfour\n"),
            other => assert_eq!(other, MergeOutcome::Conflict(conflicts)),
        }
        assert!(!has_run());
    }
}

#[test]
fn a_person_s_own_filter_goes_on_working() {
    let (directory, repo) = sample();
    let (command, has_run) = trap(directory.path());
    write(&repo, ".gitattributes", "* filter=x\n");
    assert_eq!(repo.own_programs().expect("listed"), []);
    // Tests have no configuration of their own but this.
    git(repo.root(), &["config", "filter.x.clean", &command]);
    repo.agree_to_programs(repo.own_programs().expect("listed"));
    look(&repo);
    assert!(has_run());
}
