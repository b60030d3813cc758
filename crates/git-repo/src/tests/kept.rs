//! Snapshots of uncommitted work, and their restoration, whatever happened in between.

use super::*;

/// Takes a snapshot.
fn keep(repo: &Repo, name: &str) -> crate::KeptWork {
    repo.keep(&repo.snapshot().expect("a snapshot"), name).expect("is kept")
}

fn read(repo: &Repo, path: impl AsRef<Path>) -> String {
    fs::read_to_string(repo.root().join(path)).unwrap_or_else(|_| "missing".to_owned())
}

/// A person's work: a file changed, one staged, one new, one deleted, a link, and a name that is not UTF-8.
fn work(repo: &Repo) {
    write(repo, "a.txt", "mine\n");
    write(repo, "staged.txt", "staged\n");
    git(repo.root(), &["add", "staged.txt"]);
    write(repo, "staged.txt", "staged, then more\n");
    write(repo, "new/deep.txt", "new\n");
    fs::remove_file(repo.root().join("b.txt")).expect("deletes");
    std::os::unix::fs::symlink("a.txt", repo.root().join("link")).expect("links");
    fs::write(repo.root().join(OsStr::from_bytes(b"odd\xff name.txt")), "odd\n").expect("writes");
}

/// A way to lose uncommitted work.
type ThrowAway = &'static dyn Fn(&Repo);

#[test]
fn work_that_was_thrown_away_in_any_way_comes_back_whole() {
    let ways: [(&str, ThrowAway); 5] = [
        ("reset", &|repo| {
            git(repo.root(), &["reset", "-q", "--hard"]);
            git(repo.root(), &["clean", "-fdqx"]);
        }),
        ("stash", &|repo| drop(git(repo.root(), &["stash", "-q", "--include-untracked"]))),
        ("another branch", &|repo| {
            git(repo.root(), &["add", "-A"]);
            git(repo.root(), &["checkout", "-q", "-b", "elsewhere"]);
            git(repo.root(), &["commit", "-q", "-m", "all"]);
            git(repo.root(), &["checkout", "-q", "main"]);
        }),
        ("rm", &|repo| {
            for path in ["a.txt", "staged.txt", "link"] {
                fs::remove_file(repo.root().join(path)).expect("removes");
            }
            fs::remove_dir_all(repo.root().join("new")).expect("removes");
        }),
        ("overwritten", &|repo| {
            write(repo, "a.txt", "theirs\n");
            write(repo, "new/deep.txt", "theirs\n");
        }),
    ];
    for (way, throw_away) in ways {
        let (_directory, repo) = sample();
        work(&repo);
        let before = git(repo.root(), &["status", "--porcelain"]);
        let kept = keep(&repo, "7");
        assert_eq!((kept.name.as_str(), kept.left_out.as_slice()), ("7", &[][..]));
        assert_eq!(git(repo.root(), &["status", "--porcelain"]), before, "the person's index and files are as they were");
        throw_away(&repo);
        let back = restored(&repo, "7", &[]);
        assert_eq!(
            (back.written.len(), back.removed),
            (5, if way == "rm" || way == "overwritten" { vec![] } else { vec!["b.txt".to_owned()] }),
            "{way}"
        );
        let files = ["a.txt", "staged.txt", "new/deep.txt", "b.txt", "link"].map(|path| read(&repo, path));
        assert_eq!(files, ["mine\n", "staged, then more\n", "new\n", "missing", "mine\n"], "{way}");
        assert_eq!(fs::read(repo.root().join(OsStr::from_bytes(b"odd\xff name.txt"))).expect(way), b"odd\n");
        assert_eq!(git(repo.root(), &["show", &format!("{}^2:staged.txt", kept.commit)]), "staged", "what was staged is kept too");
    }
}

#[test]
fn one_file_comes_back_alone_and_the_rest_stays() {
    let (_directory, repo) = sample();
    work(&repo);
    keep(&repo, "7");
    git(repo.root(), &["stash", "-q", "-u"]);
    write(&repo, "a.txt", "newer\n");
    let back = restored(&repo, "7", &["new".into()]);
    assert_eq!((back.written, back.removed), (vec!["new/deep.txt".to_owned()], vec![]));
    assert_eq!((read(&repo, "a.txt").as_str(), read(&repo, "b.txt").as_str()), ("newer\n", "b\n"));
    assert!(matches!(repo.restoration("8", &[]), Err(GitError::NotKept { .. })));
    assert!(matches!(repo.restoration("../heads/main", &[]), Err(GitError::NotKept { .. })));
}

#[test]
fn a_name_that_is_taken_gets_a_number_and_old_ones_are_forgotten() {
    let (_directory, repo) = sample();
    write(&repo, "a.txt", "1\n");
    let names: Vec<String> = (0..3).map(|_| keep(&repo, "7").name).collect();
    assert_eq!(names, ["7", "7.1", "7.2"]);
    let all = repo.all_kept().expect("lists");
    assert_eq!(all.len(), 3);
    let none = BTreeSet::new();
    repo.forget_kept((1, 3), 0, &BTreeSet::from(["7".to_owned()])).expect("forgets");
    assert_eq!(repo.all_kept().expect("lists").len(), 2, "one, and the one that a person was told of");
    repo.forget_kept((1, 3), all[0].1 + 1, &none).expect("forgets");
    assert_eq!(repo.all_kept().expect("lists"), vec![]);
}

#[test]
fn repositories_of_every_kind_keep_work_without_a_fault() {
    let (directory, repo) = sample();
    // Before the first commit.
    let empty = Repo::init(&directory.path().join("empty")).expect("init");
    write(&empty, "first.txt", "first\n");
    keep(&empty, "1");
    fs::remove_file(empty.root().join("first.txt")).expect("removes");
    assert_eq!(restored(&empty, "1", &[]).written, ["first.txt"]);
    commit(&empty, "first");
    // A linked work tree shares the names.
    git(repo.root(), &["worktree", "add", "-q", "../tree"]);
    let tree = Repo::discover(&directory.path().join("tree")).expect("a work tree");
    write(&tree, "a.txt", "in the tree\n");
    write(&repo, "a.txt", "in the first\n");
    assert_eq!((keep(&repo, "1").name, keep(&tree, "1").name), ("1".to_owned(), "1.1".to_owned()));
    // A submodule, a nested repository, a folder that became a link, a conflict, and an unreadable file.
    git(repo.root(), &["submodule", "--quiet", "add", "../empty", "module"]);
    write(&repo, "folder/x.txt", "x\n");
    commit(&repo, "folder");
    git(repo.root(), &["checkout", "-q", "-b", "other"]);
    write(&repo, "b.txt", "other\n");
    git(repo.root(), &["commit", "-q", "-m", "other", "--", "b.txt"]);
    git(repo.root(), &["checkout", "-q", "main"]);
    write(&repo, "b.txt", "main\n");
    git(repo.root(), &["commit", "-q", "-m", "main", "--", "b.txt"]);
    let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    let merged = Command::new("git").args(identity).args(["merge", "-q", "other"]).current_dir(repo.root()).output().expect("git runs");
    assert!(!merged.status.success() && String::from_utf8_lossy(&merged.stdout).contains("CONFLICT"), "is a conflict: {merged:?}");
    Repo::init(&repo.root().join("inner")).expect("init");
    fs::rename(repo.root().join("folder"), repo.root().join("moved")).expect("moves");
    std::os::unix::fs::symlink("moved", repo.root().join("folder")).expect("links");
    let kept = keep(&repo, "2");
    assert!(repo.kept("2").expect("asks").is_some_and(|commit| commit == kept.commit));
    assert!(read(&repo, "b.txt").contains("<<<<<<<"), "the conflict stands as it was");
}

#[test]
fn work_of_an_errand_is_kept_by_its_name_more_than_once_and_comes_back() {
    let (_directory, repo) = sample();
    write(&repo, "a.txt", "mine\n");
    let names = [keep(&repo, "e7"), keep(&repo, "e7")].map(|kept| kept.name);
    assert_eq!(names, ["e7", "e7.1"]);
    git(repo.root(), &["reset", "-q", "--hard"]);
    assert_eq!(restored(&repo, "e7.1", &[]).written, ["a.txt"]);
    assert_eq!((read(&repo, "a.txt").as_str(), repo.kept("e").expect("asks"), repo.kept("7e").expect("asks")), ("mine\n", None, None));
}

#[test]
fn what_nothing_refers_to_any_more_is_held() {
    let (_directory, repo) = sample();
    write(&repo, "a.txt", "2\n");
    let lost = commit(&repo, "second");
    git(repo.root(), &["reset", "-q", "--hard", "HEAD~1"]);
    repo.hold(&lost).expect("holds");
    git(repo.root(), &["reflog", "expire", "--expire=now", "--all"]);
    git(repo.root(), &["gc", "-q", "--prune=now"]);
    assert_eq!(git(repo.root(), &["show", &format!("{lost}:a.txt")]), "2");
    repo.hold("0123456789012345678901234567890123456789").expect("one that is gone is no fault");
}

#[test]
fn what_was_lost_is_held_however_old_it_is_and_however_much_is_held() {
    let (_directory, repo) = sample();
    let head = repo.head().expect("asks").expect("a commit");
    // As on a stash of last year.
    let dated = |repo: &Repo, parent: &str, message: &str, date: &str| {
        let tree = format!("{parent}^{{tree}}");
        let commit = Command::new("git")
            .args(["-c", "user.name=A", "-c", "user.email=a@b", "commit-tree", &tree, "-p", parent, "-m", message])
            .env("GIT_COMMITTER_DATE", date)
            .current_dir(repo.root())
            .output()
            .expect("git runs");
        String::from_utf8_lossy(&commit.stdout).trim().to_owned()
    };
    let lost = dated(&repo, &head, "lost", "2001-01-01T00:00:00Z");
    let discarded = dated(&repo, &head, "discarded", "2002-01-01T00:00:00Z");
    repo.hold(&discarded).expect("holds");
    let mut merged = head;
    for number in 0..98 {
        merged = dated(&repo, &merged, &format!("merged {number}"), "2026-01-01T00:00:00Z");
        write(&repo, format!(".git/refs/ralph/held/{merged}"), &format!("{merged}\n"));
    }
    git(repo.root(), &["update-ref", "refs/heads/main", &merged]);
    repo.hold(&lost).expect("holds");
    let held = git(repo.root(), &["for-each-ref", "--format=%(objectname)", "refs/ralph/held"]);
    let mut held: Vec<&str> = held.lines().collect();
    held.sort_unstable();
    let mut alone = [lost.as_str(), &discarded];
    alone.sort_unstable();
    assert_eq!(held, alone, "what a branch has needs nothing else to hold it");
}

/// The files of snapshot 7 for which something would be lost.
fn in_the_way(repo: &Repo) -> Vec<PathBuf> {
    effects(repo, "7").into_iter().filter(|(_, effect)| *effect == SnapshotEffect::InTheWay).map(|(path, _)| path).collect()
}

#[test]
fn what_stands_in_the_way_of_a_restoration_is_kept_first_or_told() {
    let (_directory, repo) = sample();
    for name in ["notes.txt", "data.bin", "build", "vendor"] {
        write(&repo, name, "first\n");
    }
    keep(&repo, "7");
    // Ignored since, another folder, a repository of its own.
    write(&repo, ".gitignore", "notes.txt\n*.log\n");
    write(&repo, "notes.txt", "second\n");
    for folder in ["build", "vendor"] {
        fs::remove_file(repo.root().join(folder)).expect("deletes");
    }
    write(&repo, "build/own.log", "log\n");
    Repo::init(&repo.root().join("vendor")).expect("begins");
    let all = repo.restoration("7", &[]).expect("planned");
    let kept = repo.keep(&repo.snapshot_before(&all).expect("looks"), "7").expect("keeps");
    assert_eq!(in_the_way(&repo), ["build", "vendor"].map(PathBuf::from));
    let notes = repo.restoration("7", &["notes.txt".into()]).expect("planned");
    repo.restore(notes).expect("restores");
    assert_eq!(read(&repo, "notes.txt"), "first\n");
    assert_eq!(restored(&repo, &kept.name, &["notes.txt".into()]).written, ["notes.txt"]);
    assert_eq!(read(&repo, "notes.txt"), "second\n");
}

#[test]
fn a_folder_with_too_many_files_keeps_no_other_from_being_kept_and_watched() {
    let (_directory, repo) = sample();
    for number in 0..220 {
        write(&repo, format!("packages/{number}.js"), "");
    }
    write(&repo, "packages/mine.txt", "mine\n");
    for name in ["a", "b", "c"] {
        write(&repo, format!("src/new/{name}.rs"), "a person's\n");
    }
    let before = repo.snapshot().expect("before");
    let kept = repo.keep(&before, "7").expect("is kept");
    assert_eq!((kept.left_out, kept.crowds), (vec!["packages/".to_owned()], vec!["packages/".to_owned()]));
    write(&repo, "src/new/a.rs", "an agent's\n");
    fs::remove_file(repo.root().join("src/new/c.rs")).expect("deletes");
    for number in 0..40 {
        fs::remove_file(repo.root().join(format!("packages/{number}.js"))).expect("deletes");
    }
    // Few enough now to be looked at, which does not make them new.
    let after = repo.snapshot().expect("after");
    assert_eq!(after.crowds().count(), 0);
    let changed = ["src/new/a.rs", "src/new/c.rs"];
    assert_eq!(repo.changed_files([&before, &after], &BTreeSet::new(), 10).expect("asks"), changed);
    assert_eq!(after.uncommitted_since(&before).collect::<Vec<_>>(), changed.map(Path::new));
    let gone = repo.uncommitted_work(&before, &after, before.uncommitted().map(|(path, _)| path)).expect("asks");
    assert_eq!((gone.gone, gone.changed), (vec!["src/new/c.rs".to_owned()], vec!["src/new/a.rs".to_owned()]));
    fs::remove_dir_all(repo.root().join("packages")).expect("deletes");
    let after = repo.snapshot().expect("after");
    let gone = repo.uncommitted_work(&before, &after, before.uncommitted().map(|(path, _)| path)).expect("asks");
    assert_eq!(gone.gone, ["packages/", "src/new/c.rs"]);
    assert_eq!(restored(&repo, "7", &[]).written, ["src/new/a.rs", "src/new/b.rs", "src/new/c.rs"]);
    assert_eq!(read(&repo, "src/new/c.rs"), "a person's\n");
}

#[test]
fn what_a_restoration_would_do_to_each_file_is_known_before() {
    let (_directory, repo) = sample();
    write(&repo, "a.txt", "half rewritten\n");
    fs::remove_file(repo.root().join("b.txt")).expect("deletes");
    write(&repo, "notes.txt", "mine\n");
    write(&repo, "src/new.rs", "mine\n");
    keep(&repo, "7");
    let told = |all: [SnapshotEffect; 4]| ["a.txt", "b.txt", "notes.txt", "src/new.rs"].map(PathBuf::from).into_iter().zip(all).collect();
    let index = fs::read(repo.root().join(".git/index")).expect("index");
    assert_eq!(effects(&repo, "7"), told([SnapshotEffect::Unchanged; 4]), "nothing happened since");
    assert_eq!(fs::read(repo.root().join(".git/index")).expect("index"), index, "the person's index is not touched");

    git(repo.root(), &["checkout", "-q", "--", "."]);
    fs::remove_file(repo.root().join("notes.txt")).expect("deletes");
    fs::remove_dir_all(repo.root().join("src")).expect("deletes");
    write(&repo, "src", "a file where the folder was\n");
    let after = [SnapshotEffect::Replaced, SnapshotEffect::Removed, SnapshotEffect::ComesBack, SnapshotEffect::Replaced];
    assert_eq!(effects(&repo, "7"), told(after));

    fs::remove_file(repo.root().join("src")).expect("deletes");
    write(&repo, "notes.txt/own.log", "a folder where the file was\n");
    assert_eq!(in_the_way(&repo), [PathBuf::from("notes.txt")]);
}
