//! Moving a base forward where it is checked out, and where it is not.

use super::merge::{head, pair};
use super::{commit, git, make_executable, write};
use crate::{GitError, Landing, Repo};
use std::fs;

/// Of a landing that nobody takes note of.
pub(super) fn begins() -> Result<(), GitError> {
    Ok(())
}

#[test]
fn a_base_that_is_checked_out_moves_with_its_files_and_keeps_uncommitted_work() {
    let (_directory, repo, side) = pair();
    write(&repo, "b.txt", "mine, not committed");
    write(&repo, "staged.txt", "mine, staged");
    git(repo.root(), &["add", "staged.txt"]);
    write(&repo, "new.txt", "mine, untracked");
    let before = git(repo.root(), &["status", "--porcelain"]);
    assert_eq!(side.land("main", &head(&repo), &head(&side), begins).expect("lands"), Landing::Landed);
    assert_eq!((head(&repo), git(repo.root(), &["status", "--porcelain"])), (head(&side), before));
    assert_eq!(fs::read_to_string(repo.root().join("a.txt")).expect("reads"), "work\n");
}

#[test]
fn what_would_be_lost_is_named_and_stays() {
    for (file, staged) in [("a.txt", false), ("a.txt", true), ("new.txt", false)] {
        let (_directory, repo, side) = pair();
        write(&side, "new.txt", "theirs");
        commit(&side, "new");
        git(repo.root(), &["config", "merge.autoStash", "true"]);
        write(&repo, file, "mine");
        if staged {
            git(repo.root(), &["add", file]);
        }
        let (from, before) = (head(&repo), git(repo.root(), &["status", "--porcelain"]));
        let landing = side.land("main", &from, &head(&side), begins).expect("asks");
        assert_eq!(landing, Landing::InTheWay { checkout: repo.root().to_owned(), files: vec![file.to_owned()] });
        assert_eq!((head(&repo), git(repo.root(), &["status", "--porcelain"])), (from, before), "{file}");
        assert_eq!(fs::read_to_string(repo.root().join(file)).expect("stays"), "mine");
        assert_eq!(git(repo.root(), &["stash", "list"]), "");
    }
}

#[test]
fn what_looks_like_a_half_written_landing_and_is_a_person_s_stays() {
    // Each is the beginning of what would be written, or missing, as after a git that was killed.
    for (file, mine) in [("new.txt", Some("")), ("new.txt", Some("new")), ("a.txt", Some("")), ("a.txt", Some("wo")), ("a.txt", None)] {
        let (_directory, repo, side) = pair();
        write(&side, "new.txt", "new\n");
        commit(&side, "new");
        match mine {
            Some(text) => write(&repo, file, text),
            None => fs::remove_file(repo.root().join(file)).expect("deleted"),
        }
        let (from, before) = (head(&repo), git(repo.root(), &["status", "--porcelain"]));
        let landing = side.land("main", &from, &head(&side), begins).expect("asks");
        assert_eq!(landing, Landing::InTheWay { checkout: repo.root().to_owned(), files: vec![file.to_owned()] }, "{mine:?}");
        assert_eq!((head(&repo), git(repo.root(), &["status", "--porcelain"])), (from, before), "{file} {mine:?}");
        assert_eq!(fs::read_to_string(repo.root().join(file)).ok().as_deref(), mine, "{file}");
    }
}

#[cfg(unix)]
#[test]
fn what_lies_behind_a_link_is_not_taken_back() {
    let (directory, repo, side) = pair();
    let outside = directory.path().join("outside");
    fs::create_dir(&outside).expect("folder");
    fs::write(outside.join("x.txt"), "").expect("file");
    fs::create_dir(side.root().join("d")).expect("folder");
    write(&side, "d/x.txt", "x\n");
    let to = commit(&side, "in a folder");
    std::os::unix::fs::symlink(&outside, repo.root().join("d")).expect("link");
    let landing = side.land("main", &head(&repo), &to, begins).expect("asks");
    assert!(matches!(landing, Landing::InTheWay { .. }), "{landing:?}");
    assert_eq!(repo.mend_landing(&head(&repo), &to).expect("mends"), ["a.txt"; 0]);
    assert!(outside.join("x.txt").exists());
}

#[test]
fn an_ignored_file_in_the_way_stays() {
    let (_directory, repo, side) = pair();
    write(&side, ".env", "theirs");
    commit(&side, "an env");
    fs::write(repo.root().join(".git/info/exclude"), ".env\n").expect("exclude");
    write(&repo, ".env", "mine");
    let landing = side.land("main", &head(&repo), &head(&side), begins).expect("asks");
    assert!(matches!(landing, Landing::InTheWay { .. }), "{landing:?}");
    assert_eq!(fs::read_to_string(repo.root().join(".env")).expect("stays"), "mine");
}

#[test]
fn locks_of_one_work_tree_go_and_those_of_all_stay() {
    let (_directory, repo, side) = pair();
    let admin = side.git_folder().expect("a folder");
    let left = ["index.lock", "MERGE_MSG.lock"].map(|name| admin.join(name));
    let shared = ["config.lock", "packed-refs.lock"].map(|name| repo.root().join(".git").join(name));
    for lock in left.iter().chain(&shared) {
        fs::write(lock, "").expect("lock");
    }
    let mut removed = Repo::remove_locks(side.own_locks("work")).expect("removes");
    removed.sort();
    assert_eq!(removed.iter().map(|lock| lock.file_name()).collect::<Vec<_>>(), [left[1].file_name(), left[0].file_name()]);
    assert_eq!(repo.own_locks("main"), Vec::<std::path::PathBuf>::new());
    assert!(shared.iter().all(|lock| lock.exists()) && admin.join("HEAD").exists());
    let lasting = side.lasting_branch_locks("work");
    assert_eq!(lasting, [repo.root().join(".git/packed-refs.lock")], "nobody lets it go");
    Repo::remove_locks(lasting).expect("removes");
    assert!(side.lasting_branch_locks("work").is_empty() && shared[0].exists());
}

#[test]
fn a_base_that_nobody_has_checked_out_moves_alone() {
    let (_directory, repo, side) = pair();
    let from = head(&repo);
    git(repo.root(), &["branch", "release"]);
    assert_eq!(side.land("release", &from, &head(&side), begins).expect("lands"), Landing::Landed);
    assert_eq!((repo.branch_tip("release").expect("tip"), head(&repo)), (Some(head(&side)), from));
}

#[test]
fn whoever_was_faster_is_noticed() {
    let (_directory, repo, side) = pair();
    let from = head(&repo);
    git(repo.root(), &["branch", "release"]);
    write(&repo, "b.txt", "faster");
    let now = commit(&repo, "faster");
    git(repo.root(), &["branch", "-f", "release", "main"]);
    for base in ["main", "release"] {
        assert_eq!(side.land(base, &from, &head(&side), begins).expect("asks"), Landing::BaseMoved, "{base}");
        assert_eq!(repo.branch_tip(base).expect("tip"), Some(now.clone()));
    }
}

#[test]
fn the_base_is_found_wherever_it_is_checked_out() {
    let (directory, repo, side) = pair();
    let elsewhere = directory.path().join("else where");
    git(repo.root(), &["worktree", "add", "-q", "-b", "release", &elsewhere.to_string_lossy()]);
    let elsewhere = Repo::discover(&elsewhere).expect("a work tree");
    assert_eq!(side.land("release", &head(&repo), &head(&side), begins).expect("lands"), Landing::Landed);
    assert_eq!(fs::read_to_string(elsewhere.root().join("a.txt")).expect("reads"), "work\n");
    fs::remove_dir_all(elsewhere.root()).expect("deleted by hand");
    write(&side, "a.txt", "more\n");
    let (from, to) = (head(&side), commit(&side, "more"));
    // Nobody can tell a folder that is gone from one that is only away.
    let landing = side.land("release", &from, &to, begins).expect("asks");
    assert!(matches!(&landing, Landing::Refused { message, .. } if message.contains("git worktree prune")), "{landing:?}");
    git(repo.root(), &["worktree", "prune"]);
    assert_eq!(side.land("release", &from, &to, begins).expect("lands"), Landing::Landed, "the folder is gone, the branch is not");
}

#[test]
fn a_base_that_is_checked_out_in_a_folder_that_is_away_stays() {
    let (directory, repo, side) = pair();
    let [place, aside] = ["medium", "moved"].map(|name| directory.path().join(name));
    git(repo.root(), &["worktree", "add", "-q", "-b", "release", &place.to_string_lossy()]);
    let (from, to) = (head(&repo), head(&side));
    // By an empty folder in its place, too, as where a medium is mounted.
    for (locked, mounted) in [(false, false), (true, false), (true, true)] {
        if locked && !mounted {
            git(repo.root(), &["worktree", "lock", &place.to_string_lossy()]);
        }
        fs::rename(&place, &aside).expect("taken away");
        if mounted {
            fs::create_dir(&place).expect("folder");
        }
        let landing = side.land("release", &from, &to, begins).expect("asks");
        assert!(
            matches!(&landing, Landing::Refused { checkout: Some(checkout), .. } if *checkout == place),
            "{locked} {mounted}: {landing:?}"
        );
        assert_eq!(repo.branch_tip("release").expect("tip").as_ref(), Some(&from));
        if mounted {
            fs::remove_dir(&place).expect("folder");
        }
        fs::rename(&aside, &place).expect("brought back");
    }
    assert_eq!(side.land("release", &from, &to, begins).expect("lands"), Landing::Landed);
    assert_eq!(git(&place, &["status", "--porcelain"]), "");
}

#[test]
fn a_base_that_is_checked_out_under_another_name_moves_with_its_files() {
    // Renamed with its old name as an alias, and the old name, or a third one, still given as the base.
    for base in ["main", "trunk", "third"] {
        let (_directory, repo, side) = pair();
        git(repo.root(), &["branch", "-m", "main", "trunk"]);
        git(repo.root(), &["symbolic-ref", "refs/heads/main", "refs/heads/trunk"]);
        git(repo.root(), &["symbolic-ref", "refs/heads/third", "refs/heads/main"]);
        git(repo.root(), &["symbolic-ref", "HEAD", "refs/heads/main"]);
        assert_eq!(repo.holders(base).expect("asks").len(), 1, "{base}");
        assert_eq!(side.land(base, &head(&repo), &head(&side), begins).expect("lands"), Landing::Landed, "{base}");
        assert_eq!((head(&repo), git(repo.root(), &["status", "--porcelain"])), (head(&side), String::new()), "{base}");
    }
}

#[test]
fn locks_hooks_and_unfinished_operations_refuse_plainly() {
    let (_directory, repo, side) = pair();
    let (from, to) = (head(&repo), head(&side));
    git(repo.root(), &["branch", "release"]);
    let refused = |base: &str, word: &str| {
        let landing = side.land(base, &from, &to, begins).expect("asks");
        assert!(matches!(&landing, Landing::Refused { message, .. } if message.contains(word)), "{word}: {landing:?}");
        assert_eq!(repo.branch_tip(base).expect("tip"), Some(from.clone()));
        assert_eq!(git(repo.root(), &["status", "--porcelain", "--untracked-files=no"]), "");
    };
    let lock = repo.root().join(".git/index.lock");
    fs::write(&lock, "").expect("lock");
    refused("main", "index.lock");
    fs::remove_file(&lock).expect("lock");
    let hook = repo.root().join(".git/hooks/reference-transaction");
    let script = "#!/bin/sh\nwhile read a b ref; do case $ref in refs/heads/*) echo protected >&2; exit 1;; esac; done\n";
    fs::write(&hook, script).expect("hook");
    make_executable(&hook);
    refused("release", "protected");
    refused("main", "protected");
    fs::remove_file(&hook).expect("hook");
    git(repo.root(), &["bisect", "start"]);
    git(repo.root(), &["checkout", "-q", "--detach"]);
    refused("main", "bisect");
    assert_eq!(repo.branch_in_the_end().expect("branch"), Some("main".to_owned()), "it goes back there");
    git(repo.root(), &["bisect", "reset"]);
    git(repo.root(), &["checkout", "-q", "--detach"]);
    assert_eq!(repo.branch_in_the_end().expect("branch"), None);
}

#[test]
fn a_landing_that_was_cut_short_is_taken_back_and_work_stays() {
    let (_directory, repo, side) = pair();
    for (name, text) in [("whole.txt", "old whole\n"), ("half.txt", "old half\n"), ("lost.txt", "old lost\n"), ("mine.txt", "old mine\n")] {
        write(&repo, name, text);
    }
    write(&repo, "going.txt", "going\n");
    let from = commit(&repo, "more files");
    git(side.root(), &["reset", "-q", "--hard", "main"]);
    for name in ["whole.txt", "half.txt", "lost.txt", "mine.txt", "new.txt", "staged.txt"] {
        write(&side, name, &format!("new {name}, a line\n"));
    }
    fs::remove_file(side.root().join("going.txt")).expect("deleted");
    let to = commit(&side, "many changes");
    write(&repo, "b.txt", "mine, elsewhere");
    let before = git(repo.root(), &["status", "--porcelain"]);
    // As left by a kill in the middle; one file was changed by hand since.
    write(&repo, "whole.txt", "new whole.txt, a line\n");
    write(&repo, "half.txt", "new ha");
    fs::remove_file(repo.root().join("lost.txt")).expect("deleted");
    fs::remove_file(repo.root().join("going.txt")).expect("deleted");
    write(&repo, "mine.txt", "by hand");
    write(&repo, "new.txt", "new new");
    write(&repo, "staged.txt", "new staged.txt, a line\n");
    git(repo.root(), &["add", "staged.txt", "whole.txt"]);
    let mut back = repo.mend_landing(&from, &to).expect("mends");
    back.sort();
    assert_eq!(back, ["going.txt", "half.txt", "lost.txt", "new.txt", "staged.txt", "whole.txt"]);
    assert_eq!(git(repo.root(), &["status", "--porcelain"]), format!("{before}\n M mine.txt").trim());
    assert_eq!(fs::read_to_string(repo.root().join("mine.txt")).expect("stays"), "by hand");
    assert_eq!(repo.mend_landing(&from, &to).expect("again"), Vec::<String>::new());
    write(&repo, "mine.txt", "old mine\n");
    assert_eq!(side.land("main", &from, &to, begins).expect("lands"), Landing::Landed);
}

#[test]
fn a_merge_that_left_work_out_took_nothing_back() {
    // A fast-forward that was reverted did, whatever was merged since.
    for (by, has_landed) in [
        (&["merge -q -s ours -m m work"][..], true),
        (&["merge -q -s ours -m m work", "commit -q --allow-empty -m more"], true),
        (&["merge -q --ff-only work", "revert --no-edit HEAD"], false),
        (&["branch other", "merge -q --ff-only work", "revert --no-edit HEAD", "merge -q --no-ff -s ours -m m other"], false),
    ] {
        let (_directory, repo, side) = pair();
        let (start, tip) = (head(&repo), head(&side));
        if has_landed {
            write(&repo, "a.txt", "base\n");
            commit(&repo, "base");
        }
        for command in by {
            git(repo.root(), &command.split(' ').collect::<Vec<_>>());
        }
        assert_eq!(repo.has_landed(&start, &tip, &head(&repo)).expect("asks"), has_landed, "{by:?}");
    }
}
