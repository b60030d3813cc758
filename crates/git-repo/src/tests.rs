//! Journeys on real repositories in temporary folders, isolated from the user's configuration.

mod ages;
mod folder;
mod generated;
mod hidden;
mod kept;
mod landed;
mod landing;
mod large;
mod left;
mod listing;
mod machinery;
mod merge;
mod merge_tree;
mod nested;
mod partial;
mod plain;
mod programs;
mod resolution;
mod scratch;
mod standing;
mod verbatim;
mod worktree;

use crate::{GitError, Repo, RestoredFiles};
use ralph_core::snapshot::SnapshotEffect;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Runs git as a person would.
fn git(directory: &Path, args: &[&str]) -> String {
    git_on(directory, args, "2026-03-04T10:00:00+0000")
}

/// As [`git`], with the date of commits.
fn git_on(directory: &Path, args: &[&str], date: &str) -> String {
    let mut command = Command::new("git");
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(variable);
    }
    let output = command
        .current_dir(directory)
        .args(["-c", "protocol.file.allow=always"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.org"), ("GIT_AUTHOR_DATE", date)])
        .envs([("GIT_COMMITTER_NAME", "C"), ("GIT_COMMITTER_EMAIL", "c@example.org"), ("GIT_COMMITTER_DATE", date)])
        .output()
        .expect("git runs");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Restores a snapshot, or these files of it.
fn restored(repo: &Repo, name: &str, only: &[PathBuf]) -> RestoredFiles {
    repo.restore(repo.restoration(name, only).expect("is kept")).expect("restores")
}

/// What restoring a snapshot would do to each of its files.
fn effects(repo: &Repo, name: &str) -> BTreeMap<PathBuf, SnapshotEffect> {
    let restoration = repo.restoration(name, &[]).expect("is kept");
    repo.effects(&restoration, &repo.snapshot_before(&restoration).expect("looks")).expect("compares")
}

fn write(repo: &Repo, path: impl AsRef<Path>, content: &str) {
    let path = repo.root().join(path);
    fs::create_dir_all(path.parent().expect("has a parent")).expect("folder");
    fs::write(path, content).expect("file");
}

fn make_executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("mode");
}

fn commit(repo: &Repo, message: &str) -> String {
    git(repo.root(), &["add", "-A"]);
    git(repo.root(), &["commit", "-q", "-m", message]);
    repo.head().expect("head").expect("a commit")
}

/// A repository with `a.txt` and `b.txt` in its first commit.
fn sample() -> (TempDir, Repo) {
    let directory = TempDir::new().expect("temporary folder");
    let repo = Repo::init(&directory.path().join("work")).expect("init");
    write(&repo, "a.txt", "a\n");
    write(&repo, "b.txt", "b\n");
    commit(&repo, "first");
    (directory, repo)
}

/// The files that differ before and after `work`.
fn changes(repo: &Repo, work: impl FnOnce()) -> Vec<String> {
    let before = repo.snapshot().expect("before");
    work();
    let after = repo.snapshot().expect("after");
    repo.changed_files([&before, &after], &BTreeSet::new(), 100).expect("changed")
}

#[test]
fn a_repository_is_found_from_inside_and_nothing_else_is_one() {
    let (directory, repo) = sample();
    write(&repo, "src/deep/x.rs", "");
    let root = fs::canonicalize(repo.root()).expect("root");
    for inside in ["", "src/deep", "src/deep/x.rs"] {
        assert_eq!(Repo::discover(&repo.root().join(inside)).expect(inside).root(), root);
    }
    git(directory.path(), &["init", "-q", "--bare", "bare"]);
    for outside in ["", "bare", "missing", "work/.git"] {
        let error = Repo::discover(&directory.path().join(outside)).expect_err(outside);
        assert!(matches!(error, GitError::NotARepository { .. }), "{outside}: {error}");
        assert!(error.way_out().contains("git init"), "{error}");
    }
}

#[test]
fn a_repository_without_commits_has_a_branch_and_no_head() {
    let directory = TempDir::new().expect("temporary folder");
    let repo = Repo::init(directory.path()).expect("init");
    assert_eq!((repo.head().expect("head"), repo.branch().expect("branch")), (None, Some("main".to_owned())));
    assert!(!repo.is_dirty().expect("clean"));
    assert_eq!(repo.active_days().expect("days").count(), 0);
    assert_eq!(repo.commits_between(None, None, 9).expect("commits"), Vec::<String>::new());
    assert_eq!(repo.diff(None, 1_000).expect("diff"), "");
    let changed = changes(&repo, || {
        write(&repo, "new.txt", "1");
        commit(&repo, "first");
        write(&repo, "more.txt", "2");
    });
    assert_eq!(changed, ["more.txt", "new.txt"]);
    let diff = repo.diff(None, 10_000).expect("diff");
    assert!(diff.contains("+++ b/new.txt") && diff.contains("+++ b/more.txt"), "{diff}");
    let first = repo.head().expect("head").expect("a commit");
    let diff = repo.diff_between(None, &first, 10_000).expect("diff");
    assert!(diff.contains("+++ b/new.txt") && !diff.contains("more.txt"), "the first commit is compared with nothing: {diff}");
}

#[test]
fn init_again_loses_nothing() {
    let (_directory, repo) = sample();
    let head = repo.head().expect("head");
    assert_eq!(Repo::init(repo.root()).expect("again").head().expect("head"), head);
}

#[test]
fn a_detached_head_has_no_branch() {
    let (_directory, repo) = sample();
    git(repo.root(), &["checkout", "-q", "--detach"]);
    assert_eq!(repo.branch().expect("branch"), None);
    assert!(repo.head().expect("head").is_some());
}

#[test]
fn dirty_is_what_is_outside_ralphs_folder() {
    let (_directory, repo) = sample();
    let app = repo.root().join("packages/app");
    let repo = repo.of_project(&app);
    write(&repo, "packages/app/.ralph/config.toml", "x");
    write(&repo, "packages/app/.ralph/db/ralph.db", "x");
    assert!(!repo.is_dirty().expect("clean"));
    write(&repo, ".gitignore", "target/\n");
    commit(&repo, "ignore");
    write(&repo, "target/out", "x");
    write(&repo, "packages/app/.ralph/config.toml", "y");
    assert!(!repo.is_dirty().expect("ignored"));
    for (path, content) in [("a.txt", "changed"), ("new.txt", ""), ("packages/app/.ralphish", ""), (".ralph/x", "")] {
        write(&repo, path, content);
        assert!(repo.is_dirty().expect("dirty"), "{path}");
        commit(&repo, path);
    }
}

#[test]
fn commits_are_newest_first_and_bounded() {
    let (_directory, repo) = sample();
    let first = repo.head().expect("head");
    for number in 1..=3 {
        write(&repo, "a.txt", &number.to_string());
        commit(&repo, &format!("change {number} – ü"));
    }
    let last = repo.head().expect("head");
    let commits = repo.commits_between(first.as_deref(), last.as_deref(), 2).expect("commits");
    let subjects: Vec<&str> = commits.iter().filter_map(|commit| commit.split_once(' ')).map(|(_, subject)| subject).collect();
    assert_eq!(subjects, ["change 3 – ü", "change 2 – ü"]);
    assert_eq!(repo.commits_between(None, last.as_deref(), 9).expect("all").len(), 4);
    assert_eq!(repo.commits_between(last.as_deref(), last.as_deref(), 9).expect("none").len(), 0);
}

#[test]
fn rewritten_history_is_tolerated() {
    let (_directory, repo) = sample();
    write(&repo, "a.txt", "2");
    let before = commit(&repo, "second");
    write(&repo, "a.txt", "3");
    git(repo.root(), &["commit", "-qa", "--amend", "-m", "amended"]);
    let after = repo.head().expect("head");
    let amended = repo.commits_between(Some(&before), after.as_deref(), 9).expect("amended");
    assert!(amended.len() == 1 && amended[0].ends_with(" amended"), "{amended:?}");
    // The old commit was collected, or is invalid.
    for gone in ["0123456789abcdef0123456789abcdef01234567", "--output=x", ""] {
        let commits = repo.commits_between(Some(gone), after.as_deref(), 9).expect("gone");
        assert!(commits.len() == 1 && commits[0].ends_with(" amended"), "{commits:?}");
        assert!(repo.diff(Some(gone), 1_000).expect("diff").contains("uncommitted changes only"));
    }
}

#[test]
fn a_change_is_seen_committed_or_not() {
    let (_directory, repo) = sample();
    let root = repo.root().to_owned();
    let repo = repo.of_project(&root);
    write(&repo, "dirty.txt", "1");
    write(&repo, "b.txt", "dirty");
    write(&repo, "committed-only.txt", "same");
    let changed = changes(&repo, || {
        write(&repo, "dirty.txt", "2"); // was dirty, differs, same size
        write(&repo, "a.txt", "2");
        git(repo.root(), &["add", "committed-only.txt", "a.txt"]);
        git(repo.root(), &["commit", "-qm", "work"]);
        write(&repo, "new/file.txt", "n");
        write(&repo, ".ralph/db/x", "1");
    });
    assert_eq!(changed, ["a.txt", "dirty.txt", "new/file.txt"]);
    assert_eq!(changes(&repo, || ()), Vec::<String>::new());
    // Put back to what is committed: a change to the person who had it dirty.
    assert_eq!(changes(&repo, || drop(git(repo.root(), &["checkout", "-q", "b.txt"]))), ["b.txt"]);
    // Ralph's own commits do not count.
    let own = changes(&repo, || {
        git(repo.root(), &["add", ".ralph"]);
        git(repo.root(), &["commit", "-qm", "journal"]);
    });
    assert_eq!(own, Vec::<String>::new());
}

#[test]
fn deletions_renames_modes_and_links_are_changes() {
    let (_directory, repo) = sample();
    let deleted = changes(&repo, || fs::remove_file(repo.root().join("a.txt")).expect("removed"));
    assert_eq!(deleted, ["a.txt"]);
    let renamed = changes(&repo, || drop(git(repo.root(), &["mv", "b.txt", "c.txt"])));
    assert_eq!(renamed, ["b.txt", "c.txt"]);
    std::os::unix::fs::symlink("c.txt", repo.root().join("link")).expect("link");
    let changed = changes(&repo, || {
        fs::remove_file(repo.root().join("link")).expect("removed");
        std::os::unix::fs::symlink("d.txt", repo.root().join("link")).expect("link");
        make_executable(&repo.root().join("c.txt"));
    });
    assert_eq!(changed, ["c.txt", "link"]);
}

#[test]
fn odd_names_survive() {
    let (_directory, repo) = sample();
    let names = ["-dash", "line\nend", "quote\"d", "sp ace", "tab\tbed", "ünï ‹日本›"];
    let write_all = || {
        for name in names {
            write(&repo, name, "x");
        }
        write(&repo, OsStr::from_bytes(b"\xff\xfe"), "x");
    };
    let expected: Vec<String> = names.iter().map(|name| (*name).to_owned()).chain(["\u{fffd}\u{fffd}".to_owned()]).collect();
    assert_eq!(changes(&repo, write_all), expected);
    assert!(repo.diff(repo.head().expect("head").as_deref(), 100_000).expect("diff").contains("sp ace"));
    assert_eq!(changes(&repo, || drop(commit(&repo, "odd"))), Vec::<String>::new());
    let back = changes(&repo, || drop(git(repo.root(), &["reset", "-q", "--hard", "HEAD^"])));
    assert_eq!(back, expected);
}

#[test]
fn the_number_of_files_is_bounded() {
    let (_directory, repo) = sample();
    let before = repo.snapshot().expect("before");
    for number in 0..30 {
        write(&repo, format!("heap/{number:02}"), "");
    }
    let after = repo.snapshot().expect("after");
    assert_eq!(repo.changed_files([&before, &after], &BTreeSet::new(), 2).expect("changed"), ["heap/00", "heap/01"]);
}

#[test]
fn a_diff_holds_commits_changes_and_new_files_and_is_cut() {
    let (_directory, repo) = sample();
    let root = repo.root().to_owned();
    let repo = repo.of_project(&root);
    let before = repo.head().expect("head");
    write(&repo, "a.txt", "committed\n");
    commit(&repo, "work");
    write(&repo, "b.txt", "uncommitted\n");
    write(&repo, "new.txt", "untracked\n");
    write(&repo, ".ralph/db/x", "secret of ralph\n");
    let diff = repo.diff(before.as_deref(), 10_000).expect("diff");
    for line in ["+committed", "+uncommitted", "+untracked"] {
        assert!(diff.lines().any(|l| l == line), "{diff}");
    }
    assert!(!diff.contains("ralph"), "{diff}");
    write(&repo, "b.txt", &"ü line\n".repeat(10_000));
    for max_bytes in [0, 40, 500, 20_001] {
        let diff = repo.diff(before.as_deref(), max_bytes).expect("diff");
        assert!(diff.ends_with(&format!("[diff cut at {max_bytes} bytes]\n")), "{diff}");
        assert!(diff.len() <= max_bytes.max(40), "{}", diff.len());
    }
}

#[test]
fn programs_named_by_the_repository_are_not_run() {
    let (directory, repo) = sample();
    let trace = directory.path().join("ran");
    let program = format!("touch {}", trace.display());
    for key in ["diff.external", "core.fsmonitor", "diff.x.textconv"] {
        git(repo.root(), &["config", key, &program]);
    }
    write(&repo, ".gitattributes", "*.txt diff=x\n");
    write(&repo, "a.txt", "changed\n");
    write(&repo, "new.txt", "new\n");
    assert!(repo.diff(repo.head().expect("head").as_deref(), 10_000).expect("diff").contains("+changed"));
    repo.snapshot().expect("snapshot");
    assert!(!trace.exists());
}

#[test]
fn a_worktree_is_a_repository_of_its_own() {
    let (directory, repo) = sample();
    let path = directory.path().join("side");
    git(repo.root(), &["worktree", "add", "-q", "-b", "side", &path.to_string_lossy()]);
    let side = Repo::discover(&path).expect("worktree");
    assert_eq!(side.branch().expect("branch").as_deref(), Some("side"));
    let changed = changes(&side, || {
        write(&side, "a.txt", "side");
        commit(&side, "in the worktree");
    });
    assert_eq!(changed, ["a.txt"]);
    assert!(!repo.is_dirty().expect("clean"));
}

#[test]
fn a_submodule_and_a_repository_inside_count_as_one_file() {
    let (directory, repo) = sample();
    let library = Repo::init(&directory.path().join("library")).expect("init");
    write(&library, "lib.txt", "1");
    commit(&library, "library");
    git(repo.root(), &["submodule", "-q", "add", "../library", "lib"]);
    commit(&repo, "submodule");
    let inner = Repo::discover(&repo.root().join("lib")).expect("submodule");
    assert!(inner.root().ends_with("work/lib"));
    assert_eq!(changes(&repo, || write(&inner, "lib.txt", "2")), ["lib"]);
    assert_eq!(changes(&repo, || drop(commit(&inner, "in the submodule"))), ["lib"]);
    let nested = Repo::init(&repo.root().join("nested")).expect("init");
    write(&nested, "n.txt", "1");
    assert_eq!(changes(&repo, || drop(commit(&nested, "nested"))), ["nested/"]);
}

#[test]
fn gits_own_words_are_in_the_error() {
    let (_directory, repo) = sample();
    fs::write(repo.root().join(".git/index"), "not an index").expect("broken");
    let error = repo.is_dirty().expect_err("broken index");
    assert!(error.to_string().contains("git status") && error.to_string().contains("index"), "{error}");
    assert!(repo.snapshot().is_err());
}

#[test]
fn what_is_excluded_stays_out_of_every_add_and_is_listed_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let repo = Repo::init(folder.path()).expect("a repository");
    let project = repo.root().join("a [b]");
    std::fs::create_dir_all(project.join(".ralph/db/memory")).expect("folders");
    for name in [".ralph/db/ralph.db", ".ralph/db/memory/pay.jsonl", "kept.txt"] {
        std::fs::write(project.join(name), "x").expect("writes");
    }
    for _ in 0..2 {
        repo.exclude(&project, &[".ralph/db/*", "!.ralph/db/memory/"]).expect("is listed");
    }
    let list = std::fs::read_to_string(repo.common_folder().expect("its folder").join("info/exclude")).expect("reads");
    assert_eq!(list.matches("ralph/db").count(), 2, "{list}");
    commit(&repo, "all");
    let names = git(folder.path(), &["ls-files", "-z"]);
    assert!(names.contains("pay.jsonl") && names.contains("kept.txt") && !names.contains("ralph.db"), "{names}");
}
