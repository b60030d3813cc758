//! Work trees: created, listed, moved by hand, removed.

use super::{commit, git, make_executable, sample, write};
use crate::{GitError, Hooks, Repo, records};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

/// A work tree `name` next to the sample, on the branch `ralph/name`.
fn side(repo: &Repo, name: &str) -> Repo {
    let path = repo.root().parent().expect("a folder").join(name);
    let head = repo.head().expect("head").expect("a commit");
    repo.add_worktree(&path, &format!("ralph/{name}"), &head, Hooks::Run).expect("a work tree")
}

fn names(repo: &Repo) -> Vec<(String, Option<String>, bool)> {
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    repo.worktrees().expect("lists").into_iter().map(|w| (name(&w.path), w.branch, w.missing)).collect()
}

#[test]
fn odd_folders_are_read_back_as_they_are() {
    let (directory, repo) = sample();
    let head = repo.head().expect("head").expect("a commit");
    let path = directory.path().join("a \"b\"\n-ü $(touch x)");
    let odd = repo.add_worktree(&path, "ralph/7-größe", &head, Hooks::Run).expect("a work tree");
    assert_eq!(odd.root(), fs::canonicalize(&path).expect("stands"));
    assert_eq!(odd.branch().expect("branch").as_deref(), Some("ralph/7-größe"));
    assert!(odd.is_linked() && !repo.is_linked());
    assert_eq!(odd.main_worktree().expect("main"), Some(repo.root().to_owned()));
    assert_eq!(repo.main_worktree().expect("main"), None);
    assert_eq!(odd.common_folder().expect("common"), repo.common_folder().expect("common"));
    let listed = repo.worktrees().expect("lists");
    assert!(listed[0].is_main && listed[0].branch.as_deref() == Some("main"), "{listed:?}");
    assert!(listed[1].path == odd.root() && listed[1].head.as_deref() == Some(&head) && !listed[1].missing, "{listed:?}");
    repo.remove_worktree(&path).expect("removes");
    assert!(!path.exists() && repo.branch_tip("ralph/7-größe").expect("tip").is_some());
    assert_eq!(fs::read_dir(directory.path()).expect("reads").count(), 1, "nothing is left beside it");
}

#[test]
fn a_taken_branch_or_folder_is_refused_and_nothing_is_left() {
    let (directory, repo) = sample();
    let head = repo.head().expect("head").expect("a commit");
    let taken = directory.path().join("taken");
    fs::create_dir(&taken).expect("folder");
    fs::write(taken.join("mine"), "x").expect("file");
    assert!(repo.add_worktree(&taken, "ralph/1", &head, Hooks::Run).is_err());
    assert!(repo.add_worktree(&directory.path().join("new"), "main", &head, Hooks::Run).is_err());
    assert!(repo.add_worktree(&directory.path().join("new"), "ralph/2", "0123456789012345678901234567890123456789", Hooks::Run).is_err());
    assert_eq!((names(&repo).len(), fs::read_to_string(taken.join("mine")).expect("stays")), (1, "x".to_owned()));
    assert!(!directory.path().join("new").exists());
}

#[test]
fn a_hook_that_complains_after_the_check_out_leaves_a_whole_worktree() {
    let (_directory, repo) = sample();
    let hook = repo.root().join(".git/hooks/post-checkout");
    fs::write(&hook, "#!/bin/sh\nexit 3\n").expect("hook");
    make_executable(&hook);
    assert_eq!(fs::read_to_string(side(&repo, "one").root().join("a.txt")).expect("checked out"), "a\n");
}

#[test]
fn an_unborn_branch_and_a_detached_head_are_told_apart() {
    let folder = tempfile::tempdir().expect("folder");
    let empty = Repo::init(&folder.path().join("empty")).expect("init");
    let listed = empty.worktrees().expect("lists");
    assert_eq!((listed[0].head.clone(), listed[0].branch.as_deref()), (None, Some("main")));
    let (_directory, repo) = sample();
    git(repo.root(), &["checkout", "-q", "--detach"]);
    let listed = repo.worktrees().expect("lists");
    assert!(listed[0].head.is_some() && listed[0].branch.is_none(), "{listed:?}");
}

#[test]
fn removal_follows_no_link_and_takes_read_only_folders() {
    let (directory, repo) = sample();
    let outside = directory.path().join("outside");
    fs::create_dir(&outside).expect("folder");
    fs::write(outside.join("kept"), "x").expect("file");
    let one = side(&repo, "one");
    symlink(&outside, one.root().join("link")).expect("link");
    symlink(repo.root(), one.root().join("home")).expect("link");
    let cache = one.root().join("cache/deep");
    fs::create_dir_all(&cache).expect("folder");
    fs::write(cache.join("package"), "x").expect("file");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o500)).expect("mode");
    repo.remove_worktree(one.root()).expect("removes");
    assert!(!one.root().exists() && outside.join("kept").exists() && repo.root().join("a.txt").exists());
}

#[test]
fn a_work_tree_that_git_was_killed_in_the_making_of_can_be_removed() {
    let (_directory, repo) = sample();
    let one = side(&repo, "one");
    git(repo.root(), &["worktree", "lock", "--reason", "initializing", &one.root().to_string_lossy()]);
    repo.remove_worktree(one.root()).expect("is nobody's lock");
    assert!(!one.root().exists() && repo.worktrees().expect("lists").len() == 1);
}

#[test]
fn a_record_that_git_was_killed_in_the_writing_of_stops_nobody_and_can_be_removed() {
    let (directory, repo) = sample();
    let half = || {
        let half = side(&repo, "half");
        let record = repo.common_folder().expect("common").join("worktrees/half");
        fs::write(record.join("locked"), "initializing\n").expect("as git begins");
        fs::write(record.join("commondir"), "").expect("as a kill leaves it");
        fs::write(record.join("HEAD"), "").expect("as a kill leaves it");
        half
    };
    half();
    let head = repo.head().expect("head").expect("a commit");
    repo.add_worktree(&directory.path().join("one"), "ralph/one", &head, Hooks::Run).expect("others are made");
    repo.remove_worktree(&directory.path().join("half")).expect("is nobody's");
    repo.remove_branch("ralph/half", &head).expect("removes");
    half();
    let listed = repo.worktrees().expect("lists");
    assert!(listed.iter().any(|known| known.unfinished && known.path.ends_with("half")), "{listed:?}");
    repo.remove_worktree(&directory.path().join("half")).expect("is nobody's");
    assert_eq!((names(&repo).len(), directory.path().join("half").exists()), (2, false));
}

#[test]
fn a_folder_that_git_was_killed_before_the_writing_in_can_be_removed() {
    let (directory, repo) = sample();
    let one = side(&repo, "one");
    fs::remove_dir_all(one.root()).expect("removes");
    fs::create_dir(one.root()).expect("as git makes it first");
    fs::write(repo.root().join(".git/worktrees/one/locked"), "initializing").expect("as git begins");
    repo.remove_worktree(one.root()).expect("holds nothing");
    assert_eq!((names(&repo).len(), one.root().exists()), (1, false));
    // Whatever has something in it is not known to be ours.
    let two = side(&repo, "two");
    fs::remove_file(two.root().join(".git")).expect("removes");
    assert!(repo.remove_worktree(two.root()).is_err() && two.root().join("a.txt").exists() && directory.path().join("two").is_dir());
}

#[test]
fn nothing_but_a_linked_worktree_of_this_repository_is_removed() {
    let (directory, repo) = sample();
    let (_other_directory, other) = sample();
    let (one, locked, outer) = (side(&repo, "one"), side(&repo, "locked"), side(&repo, "outer"));
    git(repo.root(), &["worktree", "lock", &locked.root().to_string_lossy()]);
    git(repo.root(), &["worktree", "add", "-q", "--detach", &outer.root().join("inner").to_string_lossy()]);
    let plain = directory.path().join("plain");
    fs::create_dir(&plain).expect("folder");
    for path in [repo.root(), locked.root(), other.root(), outer.root(), &plain] {
        let error = repo.remove_worktree(path).expect_err("refused");
        assert!(matches!(error, GitError::NotRemovable { .. }), "{}: {error}", path.display());
        assert!(path.is_dir());
    }
    // A link to the person's own folder in place of the work tree.
    fs::rename(one.root(), directory.path().join("away")).expect("moved");
    symlink(repo.root(), one.root()).expect("link");
    assert!(repo.remove_worktree(one.root()).is_err());
    assert!(repo.root().join("a.txt").exists() && one.root().is_symlink());
    // Another repository in its place.
    fs::remove_file(one.root()).expect("link");
    fs::rename(other.root(), one.root()).expect("moved");
    assert!(repo.remove_worktree(one.root()).is_err() && one.root().join("a.txt").exists());
}

#[test]
fn a_worktree_that_was_moved_or_deleted_by_hand_is_seen_and_mended() {
    let (directory, repo) = sample();
    let (moved, deleted) = (side(&repo, "moved"), side(&repo, "deleted"));
    let new = directory.path().join("new");
    fs::rename(moved.root(), &new).expect("moved");
    fs::remove_dir_all(deleted.root()).expect("deleted");
    let missing: Vec<bool> = names(&repo).into_iter().map(|(_, _, missing)| missing).collect();
    assert_eq!(missing, [false, true, true]);
    repo.repair_worktree(&new).expect("repairs");
    repo.remove_worktree(deleted.root()).expect("forgets");
    assert_eq!(names(&repo)[1..], [("new".to_owned(), Some("ralph/moved".to_owned()), false)]);
    let back = repo.restore_worktree(deleted.root(), "ralph/deleted", Hooks::Run).expect("comes back");
    assert_eq!(back.branch().expect("branch").as_deref(), Some("ralph/deleted"));
}

#[test]
fn a_removal_that_was_cut_short_is_finished() {
    let (directory, repo) = sample();
    let one = side(&repo, "one");
    fs::rename(one.root(), directory.path().join("one.ralph-removing")).expect("as a kill leaves it");
    // What can't be removed as a folder, on either side of it.
    let stuck = ["a.ralph-removing", "z.ralph-removing"].map(|name| directory.path().join(name));
    stuck.iter().for_each(|stuck| fs::write(stuck, "").expect("writes"));
    let left = Repo::finish_removals(directory.path());
    assert_eq!(left.len(), 2, "{left:?}");
    stuck.iter().for_each(|stuck| fs::remove_file(stuck).expect("is left alone"));
    repo.remove_worktree(one.root()).expect("the record goes as well");
    assert_eq!((names(&repo).len(), fs::read_dir(directory.path()).expect("reads").count()), (1, 1));
}

#[test]
fn what_a_kill_leaves_of_a_record_that_was_being_removed_is_in_nobody_s_way() {
    let (directory, repo) = sample();
    let (one, two) = (side(&repo, "one"), side(&repo, "two"));
    let record = repo.root().join(".git/worktrees/one");
    fs::remove_dir_all(one.root()).expect("the folder goes first");
    fs::remove_file(record.join("gitdir")).expect("then this");
    fs::remove_file(record.join("HEAD")).expect("then the others");
    assert_eq!(names(&repo).len(), 2);
    repo.remove_branch("ralph/one", &repo.head().expect("head").expect("a commit")).expect("nobody has it");
    let head = repo.head().expect("head").expect("a commit");
    repo.add_worktree(one.root(), "ralph/one", &head, Hooks::Run).expect("begins anew");
    for work in [one, two] {
        repo.remove_worktree(work.root()).expect("removes");
    }
    git(repo.root(), &["worktree", "prune"]);
    assert!(!repo.root().join(".git/worktrees").exists() && !directory.path().join("one").exists());
}

#[test]
fn a_branch_is_removed_only_where_it_stood_and_comes_back() {
    let (_directory, repo) = sample();
    let one = side(&repo, "one");
    write(&one, "new.txt", "x");
    let tip = commit(&one, "work");
    assert!(repo.remove_branch("ralph/one", &tip).is_err(), "checked out");
    repo.remove_worktree(one.root()).expect("removes");
    let elsewhere = repo.head().expect("head").expect("a commit");
    assert!(repo.remove_branch("ralph/one", &elsewhere).is_err(), "moved");
    repo.remove_branch("ralph/one", &tip).expect("removes");
    assert_eq!(repo.branch_tip("ralph/one").expect("tip"), None);
    git(repo.root(), &["reflog", "expire", "--expire=now", "--all"]);
    git(repo.root(), &["gc", "-q", "--prune=now"]);
    repo.return_branch("ralph/one", &tip).expect("returns");
    repo.return_branch("ralph/one", &tip).expect("twice");
    assert_eq!(repo.branch_tip("ralph/one").expect("tip"), Some(tip));
    assert!(repo.return_branch("ralph/one", &elsewhere).is_err(), "is at another commit");
}

#[test]
fn names_that_git_would_misread_are_no_branches() {
    let (_directory, repo) = sample();
    for (name, expected) in
        [("ralph/7-x", true), ("größe", true), ("-d", false), ("a..b", false), ("a b", false), ("@{-1}", false), ("", false)]
    {
        assert_eq!(repo.is_branch_name(name).expect("asks"), expected, "{name}");
    }
}

#[test]
fn a_spare_work_tree_becomes_one_with_a_branch_at_another_place_and_commit() {
    let (directory, repo) = sample();
    let first = repo.head().expect("head").expect("a commit");
    let [spare, place] = ["spare", "begun"].map(|name| directory.path().join(name));
    repo.add_spare(&spare, &first).expect("a spare");
    write(&repo, "later.txt", "later\n");
    commit(&repo, "the base moves");
    let moved = repo.head().expect("head").expect("a commit");
    let begun = repo.begin_in_spare(&spare, &place, ("ralph/1-work", &moved), Hooks::Run).expect("begins");
    assert_eq!(begun.branch().expect("branch").as_deref(), Some("ralph/1-work"));
    assert_eq!((begun.head().expect("head"), place.join("later.txt").exists(), spare.exists()), (Some(moved.clone()), true, false));
    assert!(begun.uncommitted(10).expect("files").is_empty());
    repo.add_spare(&spare, &first).expect("another spare");
    let taken = repo.begin_in_spare(&spare, &directory.path().join("more"), ("ralph/1-work", &moved), Hooks::Run);
    assert!(matches!(taken, Err(GitError::Failed { command: "checkout", .. })), "a branch that is there is not moved: {taken:?}");
    assert_eq!(repo.branch_tip("ralph/1-work").expect("tip"), Some(moved));
}

#[test]
fn a_spare_that_only_git_can_move_is_moved_by_git_or_stays() {
    let (directory, repo) = sample();
    let head = repo.head().expect("head").expect("a commit");
    let spare = directory.path().join("spare");
    let begin = |to: &str| repo.begin_in_spare(&spare, &directory.path().join(to), (&format!("ralph/{to}"), &head), Hooks::Run);
    repo.add_spare(&spare, &head).expect("a spare");
    let record = repo.root().join(".git/worktrees/spare");
    git(repo.root(), &["worktree", "lock", &spare.to_string_lossy()]);
    assert!(matches!(begin("locked"), Err(GitError::Failed { command: "worktree move", .. })), "a lock is somebody's");
    git(repo.root(), &["worktree", "unlock", &spare.to_string_lossy()]);
    fs::write(directory.path().join("taken"), "somebody's").expect("writes");
    assert!(begin("taken").is_err());
    assert_eq!((spare.exists(), fs::read_to_string(directory.path().join("taken")).expect("reads")), (true, "somebody's".to_owned()));
    assert_eq!(begin("free").expect("begins").branch().expect("branch").as_deref(), Some("ralph/free"));
    assert_eq!(records::worktrees(repo.root()).as_ref(), Some(&repo.listed_worktrees().expect("lists")));
    assert!(!directory.path().join("free").join(".git").is_symlink() && !record.join("gitdir.ralph").exists());
}

#[test]
fn a_hook_of_checkouts_is_found_wherever_the_person_keeps_hooks() {
    let (_directory, repo) = sample();
    assert!(!repo.has_checkout_hook().expect("asks"));
    write(&repo, "hooks/post-checkout", "#!/bin/sh\n");
    git(repo.root(), &["config", "core.hooksPath", "hooks"]);
    assert!(repo.has_checkout_hook().expect("asks"));
}

#[test]
fn the_main_work_tree_is_known_where_the_folder_of_git_stands_apart() {
    let (directory, repo) = sample();
    git(repo.root(), &["init", "-q", "--separate-git-dir", &directory.path().join("apart.git").to_string_lossy()]);
    let repo = Repo::discover(repo.root()).expect("still one");
    let one = side(&repo, "one");
    let listed = repo.worktrees().expect("lists");
    assert_eq!(
        listed.iter().map(|known| (known.path.as_path(), known.missing)).collect::<Vec<_>>(),
        [(repo.root(), false), (one.root(), false)]
    );
    let base = repo.head().expect("head").expect("a commit");
    write(&one, "a.txt", "theirs\n");
    let tip = commit(&one, "work");
    repo.land("main", &base, &tip, || Ok::<_, GitError>(())).expect("lands");
    assert_eq!(fs::read_to_string(repo.root().join("a.txt")).expect("reads"), "theirs\n");
}

#[test]
fn records_say_what_git_lists() {
    let (directory, repo) = sample();
    let agree = |about: &str| {
        let listed = repo.listed_worktrees().expect("lists");
        assert_eq!(records::worktrees(repo.root()).as_ref(), Some(&listed), "{about}");
        listed
    };
    agree("alone");
    let work: Vec<Repo> = ["one", "two", "three", "four", "five", "six"].iter().map(|name| side(&repo, name)).collect();
    agree("six more");
    git(work[0].root(), &["checkout", "-q", "--detach"]);
    git(work[1].root(), &["checkout", "-q", "--orphan", "unborn"]);
    git(repo.root(), &["worktree", "lock", "--reason", "a disk that is not always there", &work[2].root().to_string_lossy()]);
    fs::remove_dir_all(work[2].root()).expect("removes");
    fs::rename(work[3].root(), directory.path().join("elsewhere")).expect("moves");
    fs::remove_file(work[4].root().join(".git")).expect("removes");
    git(repo.root(), &["pack-refs", "--all"]);
    let listed = agree("in every state");
    assert_eq!(records::worktrees(work[5].root()), Some(listed.clone()), "seen from a linked one");
    let missing = listed.iter().filter(|known| known.missing).count();
    assert_eq!((listed.len(), missing, listed.iter().filter(|known| known.locked).count()), (7, 3, 1), "{listed:#?}");
    fs::write(repo.root().join(".git/worktrees/six/locked"), "initializing\n").expect("writes");
    assert!(agree("in the making").iter().any(|known| known.unfinished));
    // A record in the writing, and whatever else is out of the ordinary, is for git to tell.
    fs::write(repo.root().join(".git/worktrees/six/commondir"), "").expect("writes");
    assert_eq!(records::worktrees(repo.root()), None);
    let other = directory.path().join("tables");
    git(directory.path(), &["init", "--quiet", &other.to_string_lossy()]);
    // As `git init --ref-format=reftable` makes it, which older git can't.
    fs::create_dir(other.join(".git/reftable")).expect("creates");
    assert_eq!(records::worktrees(&other), None);
}
