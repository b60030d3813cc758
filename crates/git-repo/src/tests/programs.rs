//! Programs that an agent wrote into the repository's configuration run only once somebody agreed to them.

use super::merge::{pair, paths};
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
        assert_eq!(paths(repo.conflicts(None, &base, &tip).expect("compared")), conflicts);
        let order = MergeOrder { tip: &tip, base: &base, strategy: MergeStrategy::Merge, message: "Merge" };
        match side.merge_apart(&order).expect("merges") {
            MergeOutcome::Clean(_) => assert_eq!(fs::read_to_string(side.root().join("lines.txt")).expect("merged"), "one\n2\n3\nfour\n"),
            MergeOutcome::Conflict(found) => assert_eq!(paths(found), conflicts),
            other => panic!("{other:?}"),
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

#[test]
fn a_program_that_compares_files_neither_runs_nor_hides_work() {
    let (directory, repo) = sample();
    let (command, has_run) = trap(directory.path());
    git(repo.root(), &["config", "diff.external", &format!("{command} >&2 </dev/null; true")]);
    git(repo.root(), &["config", "diff.trustExitCode", "true"]);
    let before = repo.head().expect("head").expect("one");
    write(&repo, "a.txt", "work\n");
    let after = repo.commit_work("Work", Hooks::Skip).expect("committed").expect("a difference");
    assert!(repo.differs(&before, &after).expect("compared"));
    write(&repo, "a.txt", "more\n");
    assert_eq!(repo.uncommitted_tracked(9).expect("listed"), ["a.txt"]);
    assert!(!has_run());
}

#[cfg(unix)]
#[test]
fn a_filter_is_left_out_wherever_git_s_own_files_are_and_however_it_is_called() {
    use std::os::unix::fs::symlink;
    type Change = fn(&Path, &Repo, &Repo);
    let changes: [(&str, Change); 4] = [
        ("a link", |folder, repo, _| {
            fs::rename(repo.root().join(".git"), folder.join("moved")).expect("moved");
            symlink(folder.join("moved"), repo.root().join(".git")).expect("a link");
        }),
        ("a linked commondir", |folder, repo, side| {
            let shared = side.git_folder().expect("own").join("commondir");
            fs::write(folder.join("commondir"), repo.root().join(".git").to_str().expect("text")).expect("written");
            fs::remove_file(&shared).expect("removed");
            symlink(folder.join("commondir"), shared).expect("a link");
        }),
        ("a blank at the end", |folder, repo, _| {
            fs::create_dir(folder.join("moved")).expect("another folder");
            fs::rename(repo.root().join(".git"), folder.join("moved ")).expect("moved");
            fs::write(repo.root().join(".git"), format!("gitdir: {} \n", folder.join("moved").display())).expect("written");
        }),
        ("no UTF-8", |_, repo, _| {
            let config = repo.root().join(".git/config");
            let text = fs::read(&config).expect("read");
            let at = text.windows(3).position(|part| part == b"\"x\"").expect("the filter") + 1;
            fs::write(&config, [&text[..at], b"\xff", &text[at + 1..]].concat()).expect("written");
            for tree in [repo.root().to_owned(), repo.root().with_file_name("side")] {
                fs::write(tree.join(".gitattributes"), b"* filter=\xff\n").expect("written");
            }
        }),
    ];
    for (name, change) in changes {
        let (directory, repo, side) = pair();
        let (command, has_run) = trap(directory.path());
        for tree in [&repo, &side] {
            write(tree, ".gitattributes", "* filter=x\n");
        }
        git(repo.root(), &["config", "filter.x.clean", &command]);
        change(directory.path(), &repo, &side);
        let looked = if name == "a linked commondir" { &side } else { &repo };
        look(looked);
        assert!(!has_run(), "{name}");
        let known = looked.own_programs().expect("listed");
        assert_eq!(known.len(), 1, "{name}");
        looked.agree_to_programs(known);
        look(looked);
        assert_eq!(has_run(), name != "no UTF-8", "{name}");
    }
}

#[test]
fn no_object_is_fetched_by_a_program_that_a_remote_names() {
    let (directory, repo) = sample();
    let (command, has_run) = trap(directory.path());
    let upload = format!("{command} #");
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "o"),
        ("remote.o.promisor", "true"),
        ("remote.o.url", "."),
        ("remote.o.uploadpack", upload.as_str()),
    ] {
        git(repo.root(), &["config", key, value]);
    }
    assert!(!repo.has_commit(&"1".repeat(40)).expect("looked"));
    repo.differs(&"1".repeat(40), "HEAD").expect_err("no such commit");
    assert!(!has_run());
}

#[test]
fn a_file_that_is_no_text_conflicts_without_its_merge_driver() {
    let (_directory, repo, side) = pair();
    for tree in [&repo, &side] {
        write(tree, ".gitattributes", "*.bin merge=x\n");
        write(tree, "x.bin", "\0one\n");
    }
    commit(&repo, "binary");
    git(side.root(), &["add", "--all"]);
    git(side.root(), &["reset", "-q", "--hard", "main"]);
    git(repo.root(), &["config", "merge.x.driver", "false"]);
    write(&repo, "x.bin", "\0two\n");
    let base = commit(&repo, "ours");
    write(&side, "x.bin", "\0three\n");
    let tip = commit(&side, "theirs");
    assert_eq!(paths(repo.conflicts(None, &base, &tip).expect("compared")), ["x.bin"]);
    let order = MergeOrder { tip: &tip, base: &base, strategy: MergeStrategy::Merge, message: "Merge" };
    let merged = side.merge_apart(&order).expect("merges");
    let MergeOutcome::Conflict(found) = merged else { panic!("{merged:?}") };
    assert_eq!(paths(found), ["x.bin"]);
    let files = ["a.txt", "x.bin"].map(str::to_owned);
    assert_eq!(side.left_out_drivers(&files).expect("asked"), ["merge.x.driver"]);
    assert_eq!(side.left_out_drivers(&files[..1]).expect("asked"), Vec::<String>::new());
    repo.agree_to_programs(repo.own_programs().expect("listed"));
    assert_eq!(side.left_out_drivers(&files).expect("asked"), Vec::<String>::new());
}
