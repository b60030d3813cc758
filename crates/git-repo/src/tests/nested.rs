//! Repositories inside a work tree: nothing that was committed there goes with it.

use super::merge::{head, pair};
use super::standing::told;
use super::{commit, git, restored, sample, write};
use crate::{GitError, Hooks, Repo};
use std::path::Path;

fn of(repo: &Repo, path: &str) -> Repo {
    Repo::discover(&repo.root().join(path)).expect("a repository inside")
}

fn keep(side: &Repo, name: &str) -> Result<Vec<String>, GitError> {
    side.keep_nested(&side.snapshot()?, name)
}

#[test]
fn commits_and_changes_of_a_submodule_outlive_the_work_tree() {
    let (directory, repo) = sample();
    let library = Repo::init(&directory.path().join("library")).expect("a library");
    write(&library, "l.txt", "one\n");
    commit(&library, "library");
    git(repo.root(), &["submodule", "-q", "add", "../library", "lib"]);
    let base = commit(&repo, "with a submodule");
    let side = repo.add_worktree(&directory.path().join("side"), "work", &base, Hooks::Run).expect("a work tree");
    let here = |repo: &Repo| repo.submodules_here().expect("looks").len();
    assert_eq!((here(&repo), here(&side)), (1, 0), "its folder is empty");
    git(side.root(), &["submodule", "-q", "update", "--init"]);
    let inner = of(&side, "lib");
    assert_eq!(keep(&side, "1").expect("looks"), Vec::<String>::new(), "all of it is in the library");
    write(&inner, "l.txt", "two\n");
    let two = commit(&inner, "two");
    write(&inner, "l.txt", "not committed\n");
    let tip = commit(&side, "bump");
    assert_eq!(repo.undeclared_nested(&base, &tip).expect("looks"), Vec::<String>::new(), "submodules are declared");
    assert_eq!(keep(&side, "1").expect("keeps"), ["lib"]);
    git(repo.root(), &["worktree", "remove", "--force", "--force", &side.root().to_string_lossy()]);
    let main = of(&repo, "lib");
    git(main.root(), &["checkout", "-q", &two]);
    assert_eq!(head(&main), two);
    let kept = git(main.root(), &["for-each-ref", "--format=%(refname)", "refs/ralph/nested/side/lib/ralph/snapshots"]);
    assert_eq!(git(main.root(), &["show", &format!("{kept}:l.txt")]), "not committed");
}

#[test]
fn a_repository_that_was_made_inside_is_told_and_kept() {
    let (_directory, repo, side) = pair();
    let base = head(&side);
    let made = Repo::init(&side.root().join("app")).expect("a repository inside");
    write(&made, "p.txt", "precious\n");
    let inside = commit(&made, "precious");
    assert_eq!(keep(&side, "7").expect("keeps"), ["app"], "also where it is not tracked");
    let tip = commit(&side, "with a repository");
    assert_eq!(side.undeclared_nested(&base, &tip).expect("looks"), ["app"]);
    assert_eq!(side.undeclared_nested(&tip, &tip).expect("looks"), Vec::<String>::new());
    repo.remove_worktree(side.root()).expect("removed");
    assert_eq!(git(repo.root(), &["show", &format!("{inside}:p.txt")]), "precious");
    assert_eq!(git(repo.root(), &["rev-parse", "refs/ralph/nested/side/app/head"]), inside);
}

#[test]
fn files_in_the_place_of_a_submodule_that_is_not_checked_out_are_known_to_lie_there_alone() {
    let (directory, repo, _library) = with_submodule();
    let side = repo.add_worktree(&directory.path().join("side"), "work", &head(&repo), Hooks::Run).expect("a work tree");
    let beyond = || side.beyond_keeping(&side.snapshot().expect("looks"));
    assert_eq!(beyond(), Vec::<String>::new(), "its folder is empty");
    write(&side, "lib/new.txt", "new\n");
    assert!(!side.snapshot().expect("looks").is_dirty(), "to git there is nothing");
    assert_eq!(beyond(), ["lib"]);
    assert_eq!(repo.beyond_keeping(&repo.snapshot().expect("looks")), Vec::<String>::new(), "there it is checked out");
}

#[test]
fn git_s_own_folders_are_told_apart() {
    let (directory, repo) = sample();
    git(directory.path(), &["init", "-q", "--bare", "hub.git"]);
    assert!(Repo::is_git_folder(&directory.path().join("hub.git")) && Repo::is_git_folder(&repo.root().join(".git/refs")));
    assert!(!Repo::is_git_folder(repo.root()) && !Repo::is_git_folder(directory.path()));
}

#[test]
fn uncommitted_work_in_repositories_inside_is_told_by_its_files_and_comes_back() {
    let (directory, repo) = sample();
    add_library(&directory, &repo);
    let nested = Repo::init(&repo.root().join("vendor/y")).expect("a repository inside");
    write(&nested, "y.txt", "y\n");
    write(&repo, "lib/l.txt", "mine\n");
    write(&repo, "lib/new.txt", "mine\n");
    let before = repo.snapshot().expect("before");
    let kept = repo.keep(&before, "7").expect("keeps");
    assert_eq!(kept.left_out, Vec::<String>::new());
    let mine = ["lib/l.txt", "lib/new.txt", "vendor/y", "vendor/y/y.txt"];
    let uncommitted: Vec<&Path> = before.uncommitted().map(|(path, _)| path).collect();
    assert!(mine.iter().all(|path| uncommitted.contains(&Path::new(path))), "{uncommitted:?}");
    assert_eq!(
        told(&repo, &mine, || {
            git(repo.root(), &["submodule", "-q", "update", "--force"]);
            std::fs::remove_file(repo.root().join("lib/new.txt")).expect("removes");
            std::fs::remove_dir_all(repo.root().join("vendor")).expect("removes");
        }),
        ["uncommitted work is gone: lib/l.txt, lib/new.txt, vendor/y, vendor/y/y.txt"]
    );
    let back = restored(&repo, "7", &[]);
    assert_eq!((back.written.len(), back.removed), (3, vec![]));
    let back = ["lib/l.txt", "lib/new.txt", "vendor/y/y.txt"].map(|path| std::fs::read_to_string(repo.root().join(path)).expect(path));
    assert_eq!(back, ["mine\n", "mine\n", "y\n"]);
}

#[test]
fn a_repository_inside_with_commits_of_its_own_is_left_out_by_name() {
    let (_directory, repo) = sample();
    let nested = Repo::init(&repo.root().join("vendor/y")).expect("a repository inside");
    write(&nested, "y.txt", "y\n");
    commit(&nested, "nowhere else");
    let kept = repo.keep(&repo.snapshot().expect("reads"), "7").expect("keeps");
    assert_eq!(kept.left_out, ["vendor/y/"]);
    write(&nested, "y.txt", "changed\n");
    assert_eq!(told(&repo, &["vendor/y"], || drop(commit(&nested, "more"))), Vec::<String>::new(), "it stays");
}

#[test]
fn a_state_with_names_of_any_bytes_is_stored_and_read_again() {
    let (_directory, repo) = sample();
    write(&repo, "100%.txt", "1\n");
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt as _;
        std::fs::write(repo.root().join(std::ffi::OsStr::from_bytes(b"caf\xe9.txt")), "1\n").expect("writes");
        std::os::unix::fs::symlink(std::ffi::OsStr::from_bytes(b"\xe9"), repo.root().join("link")).expect("links");
    }
    let snapshot = repo.snapshot().expect("reads");
    let stored = serde_json::to_string(&snapshot).expect("is stored");
    assert_eq!(serde_json::from_str::<crate::Snapshot>(&stored).expect("is read"), snapshot);
}

/// Adds a library with one file, `l.txt`, as the submodule `lib`.
fn add_library(directory: &tempfile::TempDir, repo: &Repo) -> Repo {
    let library = Repo::init(&directory.path().join("library")).expect("a library");
    write(&library, "l.txt", "one\n");
    commit(&library, "library");
    git(repo.root(), &["submodule", "-q", "add", "../library", "lib"]);
    commit(repo, "with a submodule");
    library
}

/// A repository with a submodule `lib` that has one file, `l.txt`, and a second commit in the library.
fn with_submodule() -> (tempfile::TempDir, Repo, Repo) {
    let (directory, repo) = sample();
    let library = add_library(&directory, &repo);
    write(&library, "l.txt", "two\n");
    commit(&library, "two");
    let inner = of(&repo, "lib");
    git(inner.root(), &["fetch", "-q"]);
    (directory, repo, inner)
}

#[test]
fn a_submodule_at_another_commit_is_uncommitted_work_that_no_snapshot_holds() {
    let (_directory, repo, inner) = with_submodule();
    let update = || drop(git(repo.root(), &["submodule", "-q", "update"]));
    assert_eq!(told(&repo, &["lib"], update), Vec::<String>::new());
    git(inner.root(), &["checkout", "-q", "origin/main"]);
    let kept = repo.keep(&repo.snapshot().expect("snapshot"), "7").expect("keeps");
    assert_eq!(kept.left_out, ["lib"]);
    assert_eq!(told(&repo, &["lib"], || drop(commit(&repo, "bump"))), Vec::<String>::new(), "committed as it was");
    git(inner.root(), &["checkout", "-q", "HEAD~1"]);
    assert_eq!(told(&repo, &["lib"], update), ["uncommitted work is gone: lib"]);
    // One whose files alone differ stands in the snapshot with them.
    write(&inner, "l.txt", "mine\n");
    assert_eq!(repo.keep(&repo.snapshot().expect("snapshot"), "8").expect("keeps").left_out, Vec::<String>::new());
}

#[test]
fn what_changed_further_and_was_committed_in_a_submodule_is_not_gone() {
    let (_directory, repo, inner) = with_submodule();
    let further = |text: &str| {
        write(&inner, "l.txt", text);
        commit(&inner, "by an agent");
    };
    for mine in ["lib/l.txt", "lib/new.txt"] {
        write(&repo, mine, "mine\n");
        assert_eq!(
            told(&repo, &[mine], || further("mine\nand more\n")),
            if mine == "lib/l.txt" { vec!["uncommitted work was changed: lib/l.txt"] } else { vec![] }
        );
    }
    write(&repo, "lib/l.txt", "mine\n");
    assert_eq!(
        told(&repo, &["lib/l.txt"], || drop(git(inner.root(), &["checkout", "-q", "l.txt"]))),
        ["uncommitted work is gone: lib/l.txt"]
    );
}

#[test]
fn a_linked_work_tree_inside_without_changes_is_nobody_s_uncommitted_work() {
    let (_directory, repo) = sample();
    git(repo.root(), &["worktree", "add", "-q", ".worktrees/own"]);
    let remove = || drop(git(repo.root(), &["worktree", "remove", "--force", ".worktrees/own"]));
    let before = repo.snapshot().expect("snapshot");
    assert!(before.is_dirty(), "it is there, untracked");
    let mine: Vec<String> = before.uncommitted().map(|(path, _)| path.to_string_lossy().into_owned()).collect();
    let mine: Vec<&str> = mine.iter().map(String::as_str).collect();
    assert_eq!(told(&repo, &mine, remove), Vec::<String>::new());
    git(repo.root(), &["worktree", "add", "-q", "-f", ".worktrees/own", "own"]);
    write(&repo, ".worktrees/own/new.txt", "mine\n");
    assert_ne!(told(&repo, &[".worktrees/own/new.txt"], remove), Vec::<String>::new());
}
