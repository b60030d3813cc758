//! Merging a branch and its base, and detecting what has landed.

use super::{commit, git, make_executable, restored, sample, write};
use crate::{ChangeKind, GitError, Hooks, MergeOrder, MergeOutcome, Repo};
use ralph_core::conflict::{ConflictKind, FileConflict};
use ralph_core::worktree::MergeStrategy;
use std::collections::BTreeSet;
use std::fs;
use tempfile::TempDir;

/// A repository and a linked work tree on the branch `work` with one commit: `a.txt` says "work".
pub(super) fn pair() -> (TempDir, Repo, Repo) {
    let (directory, repo) = sample();
    let head = repo.head().expect("head").expect("a commit");
    let side = repo.add_worktree(&directory.path().join("side"), "work", &head, Hooks::Run).expect("a work tree");
    write(&side, "a.txt", "work\n");
    commit(&side, "work on a");
    (directory, repo, side)
}

pub(super) fn head(repo: &Repo) -> String {
    repo.head().expect("head").expect("a commit")
}

pub(super) fn paths(conflicts: Vec<FileConflict>) -> Vec<String> {
    conflicts.into_iter().map(|conflict| conflict.path).collect()
}

fn order<'a>(tip: &'a str, base: &'a str, strategy: MergeStrategy) -> MergeOrder<'a> {
    MergeOrder { tip, base, strategy, message: "Merge task #7" }
}

fn hook(repo: &Repo, name: &str, script: &str) {
    let path = repo.common_folder().expect("folder").join("hooks").join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("hook");
    make_executable(&path);
}

#[test]
fn each_strategy_leaves_the_history_that_it_promises() {
    for (strategy, parents, subjects) in [
        (MergeStrategy::Merge, 2, vec!["Merge task #7", "moved on", "more work", "work on a", "first"]),
        (MergeStrategy::Squash, 1, vec!["Merge task #7", "moved on", "first"]),
        (MergeStrategy::Rebase, 1, vec!["more work", "work on a", "moved on", "first"]),
    ] {
        let (_directory, repo, side) = pair();
        // What a person wants of merges by hand.
        git(repo.root(), &["config", "merge.ff", "only"]);
        write(&side, "new/ü.txt", "x");
        let tip = commit(&side, "more work");
        write(&repo, "b.txt", "moved on\n");
        let base = commit(&repo, "moved on");
        let merged = side.merge_apart(&order(&tip, &base, strategy)).expect("merges");
        let MergeOutcome::Clean(result) = merged else { panic!("{strategy}: {merged:?}") };
        assert_eq!((side.branch().expect("branch"), head(&side)), (None, result.clone()));
        let told = git(side.root(), &["log", "--topo-order", "--format=%s"]);
        let mut told: Vec<&str> = told.lines().collect();
        let mut expected = subjects.clone();
        if strategy == MergeStrategy::Merge {
            // The order of two parents in a log is unspecified.
            told.sort_unstable();
            expected.sort_unstable();
            assert_eq!(git(side.root(), &["rev-parse", "HEAD^1"]), base);
        }
        assert_eq!((told, git(side.root(), &["log", "-1", "--format=%P"]).split(' ').count()), (expected, parents), "{strategy}");
        let start = git(side.root(), &["merge-base", &tip, &base]);
        assert!(
            side.has_landed(&start, &tip, &result).expect("asks") && !side.has_landed(&start, &tip, &base).expect("asks"),
            "{strategy}"
        );
        side.leave_merge("work").expect("leaves");
        assert_eq!((side.branch().expect("branch").as_deref(), head(&side)), (Some("work"), tip));
        assert!(!side.is_dirty().expect("clean") && head(&repo) == base);
    }
}

#[test]
fn what_the_two_sides_did_to_a_file_is_told_before_a_merge_and_after_it_stopped() {
    use ConflictKind::{BothAdded, DeletedInBase, DeletedInWork, Other, SameLines};
    for strategy in [MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase] {
        let (_directory, repo, side) = pair();
        for (tree, gone, changed) in [(&repo, "a.txt", "b.txt"), (&side, "b.txt", "a.txt")] {
            fs::remove_file(tree.root().join(gone)).expect("removes");
            write(tree, changed, gone);
            write(tree, "new.txt", gone);
        }
        let (base, tip) = (commit(&repo, "base"), commit(&side, "work"));
        let expected = [("a.txt", DeletedInBase), ("b.txt", DeletedInWork), ("new.txt", BothAdded)];
        let told = |found: Vec<FileConflict>| found.into_iter().map(|conflict| (conflict.path, conflict.how)).collect::<Vec<_>>();
        let expected = expected.map(|(path, how)| (path.to_owned(), how));
        assert_eq!(told(repo.conflicts(None, &base, &tip).expect("asks")), expected);
        let merged = side.merge_apart(&order(&tip, &base, strategy)).expect("merges");
        let MergeOutcome::Conflict(found) = merged else { panic!("{strategy}: {merged:?}") };
        // A rebase stops at the first commit.
        let found = told(found);
        assert!(found == expected || strategy == MergeStrategy::Rebase && found == expected[..1], "{found:?}");
        side.leave_merge("work").expect("leaves");
    }
    let (_directory, repo, side) = pair();
    write(&repo, "a.txt", "base\n");
    let (base, tip) = (commit(&repo, "base"), head(&side));
    let how = |found: Vec<FileConflict>| found.into_iter().map(|conflict| conflict.how).collect::<Vec<_>>();
    assert_eq!(how(repo.conflicts(None, &base, &tip).expect("asks")), [SameLines]);
    let merged = side.merge_apart(&order(&tip, &base, MergeStrategy::Merge)).expect("merges");
    let MergeOutcome::Conflict(found) = merged else { panic!("{merged:?}") };
    assert_eq!(how(found), [Other], "the index does not tell whether it has lines");
}

#[test]
fn a_conflict_names_its_files_and_leaves_nothing_half_done() {
    for strategy in [MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase] {
        let (_directory, repo, side) = pair();
        write(&side, "odd \"ü\".txt", "theirs\n");
        let tip = commit(&side, "odd");
        write(&side, "kept.tmp", "untracked");
        write(&repo, "a.txt", "mine\n");
        write(&repo, "odd \"ü\".txt", "mine\n");
        let base = commit(&repo, "mine");
        let expected = vec!["a.txt".to_owned(), "odd \"ü\".txt".to_owned()];
        assert_eq!(paths(side.conflicts(None, &base, &tip).expect("asks")), expected);
        let merged = side.merge_apart(&order(&tip, &base, strategy)).expect("merges");
        let MergeOutcome::Conflict(files) = merged else { panic!("{strategy}: {merged:?}") };
        let files = paths(files);
        assert!(files.iter().all(|file| expected.contains(file)) && !files.is_empty(), "{strategy}: {files:?}");
        side.leave_merge("work").expect("leaves");
        assert_eq!((side.branch().expect("branch").as_deref(), head(&side)), (Some("work"), tip));
        assert_eq!(side.uncommitted(9).expect("asks"), ["kept.tmp"], "{strategy}");
        assert_eq!(head(&repo), base);
    }
}

#[test]
fn a_hook_that_refuses_is_told_in_its_words_however_many() {
    let (_directory, repo, side) = pair();
    write(&repo, "b.txt", "moved on\n");
    let (tip, base) = (head(&side), commit(&repo, "moved on"));
    hook(&repo, "commit-msg", "i=0; while [ $i -lt 3000 ]; do echo not on a sunday >&2; i=$((i+1)); done; exit 1");
    for strategy in [MergeStrategy::Merge, MergeStrategy::Squash] {
        let merged = side.merge_apart(&order(&tip, &base, strategy)).expect("merges");
        assert!(matches!(&merged, MergeOutcome::NotCommitted(words) if words.contains("not on a sunday")), "{merged:?}");
        side.leave_merge("work").expect("leaves");
        assert!(head(&side) == tip && !side.is_dirty().expect("clean"));
    }
    hook(&repo, "commit-msg", "exit 0");
    hook(&repo, "pre-rebase", "echo no rebases >&2; exit 1");
    let merged = side.merge_apart(&order(&tip, &base, MergeStrategy::Rebase)).expect("merges");
    assert!(matches!(&merged, MergeOutcome::Refused(words) if words.contains("no rebases")), "{merged:?}");
    // A successful hook with much output is not killed by an unread pipe.
    hook(&repo, "commit-msg", "i=0; while [ $i -lt 3000 ]; do echo all well today >&2 || exit 1; i=$((i+1)); done");
    let merged = side.merge_apart(&order(&tip, &base, MergeStrategy::Merge)).expect("merges");
    assert!(matches!(merged, MergeOutcome::Clean(_)), "{merged:?}");
}

#[test]
fn an_untracked_file_in_the_way_is_told_and_stays() {
    let (_directory, repo, side) = pair();
    write(&repo, "b2.txt", "tracked\n");
    let (tip, base) = (head(&side), commit(&repo, "moved on"));
    write(&side, "b2.txt", "mine");
    let merged = side.merge_apart(&order(&tip, &base, MergeStrategy::Merge)).expect("asks");
    assert!(matches!(&merged, MergeOutcome::Refused(words) if words.contains("b2.txt")), "{merged:?}");
    side.leave_merge("work").expect("leaves");
    assert_eq!(fs::read_to_string(side.root().join("b2.txt")).expect("stays"), "mine");
}

#[test]
fn a_branch_without_work_changes_nothing() {
    let (_directory, repo, side) = pair();
    let tip = head(&side);
    git(repo.root(), &["merge", "-q", "--ff-only", "work"]);
    for strategy in [MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase] {
        assert_eq!(side.merge_apart(&order(&tip, &tip, strategy)).expect("merges"), MergeOutcome::Clean(tip.clone()), "{strategy}");
        side.leave_merge("work").expect("leaves");
    }
    assert!(side.has_landed(&tip, &tip, &head(&repo)).expect("asks"));
}

#[test]
fn a_merge_with_a_submodule_and_one_without_common_history() {
    let (directory, repo, side) = pair();
    let library = Repo::init(&directory.path().join("library")).expect("init");
    write(&library, "lib.txt", "1");
    commit(&library, "library");
    git(repo.root(), &["submodule", "-q", "add", "../library", "lib"]);
    let (tip, base) = (head(&side), commit(&repo, "submodule"));
    let merged = side.merge_apart(&order(&tip, &base, MergeStrategy::Merge)).expect("merges");
    assert!(matches!(merged, MergeOutcome::Clean(_)), "{merged:?}");
    side.leave_merge("work").expect("leaves");
    git(side.root(), &["checkout", "-q", "--orphan", "strange"]);
    let strange = commit(&side, "strange");
    assert!(!repo.has_landed(&tip, &strange, &base).expect("asks"));
    let error = repo.conflicts(None, &base, &strange).expect_err("nothing in common");
    assert!(matches!(error, GitError::Failed { .. }) && error.to_string().contains("unrelated"), "{error}");
}

#[test]
fn a_killed_merge_is_left_from_wherever_it_stood() {
    let (_directory, repo, side) = pair();
    write(&repo, "a.txt", "mine\n");
    let (tip, base) = (head(&side), commit(&repo, "mine"));
    for strategy in [MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase] {
        side.merge_apart(&order(&tip, &base, strategy)).expect("conflicts");
        write(&side, "b.txt", "half a resolution");
        side.leave_merge("work").expect("leaves");
        side.leave_merge("work").expect("twice");
        let standing = side.standing().expect("standing");
        assert_eq!((standing.branch(), side.is_dirty().expect("clean"), head(&side)), (Some("work"), false, tip.clone()));
        assert_eq!(side.what_became(&standing, &side.standing().expect("standing"), &BTreeSet::new()).expect("nothing"), vec![]);
    }
}

#[test]
fn a_merge_is_left_for_its_branch_also_where_somebody_checked_that_out_meanwhile() {
    let (_directory, repo, side) = pair();
    let (tip, base) = (head(&side), head(&repo));
    side.merge_apart(&order(&tip, &base, MergeStrategy::Merge)).expect("merges");
    git(repo.root(), &["switch", "-q", "work"]);
    side.leave_merge("work").expect("leaves");
    assert_eq!((side.branch().expect("branch").as_deref(), head(&side)), (Some("work"), tip));
}

#[test]
fn what_a_hook_makes_of_the_work_is_committed_with_it() {
    let (_directory, repo, side) = pair();
    // A formatter, and a file that it has nothing to do with.
    hook(&repo, "pre-commit", "sed -i 's/ *$//' a.txt; echo x > report");
    write(&side, "a.txt", "trailing   \n");
    let tip = side.commit_work("Task #7", Hooks::Run).expect("commits").expect("something");
    assert_eq!(git(side.root(), &["show", "--format=%s", "--name-only", &tip]), "Task #7\n\na.txt");
    assert_eq!(
        (git(side.root(), &["show", "HEAD:a.txt"]), git(side.root(), &["status", "--porcelain"])),
        ("trailing".into(), "?? report".into())
    );
    assert_eq!(git(side.root(), &["log", "--format=%s"]), "Task #7\nwork on a\nfirst");
}

#[test]
fn what_can_not_be_added_to_a_commit_runs_no_hook_again() {
    let (directory, repo, _side) = pair();
    let library = Repo::init(&directory.path().join("library")).expect("init");
    write(&library, "lib.txt", "1");
    commit(&library, "library");
    git(repo.root(), &["submodule", "-q", "add", "../library", "lib"]);
    commit(&repo, "submodule");
    hook(&repo, "pre-commit", "echo x >> ../asked");
    write(&repo, "a.txt", "more\n");
    write(&repo, "lib/lib.txt", "2");
    repo.commit_work("Task #7", Hooks::Run).expect("commits").expect("something");
    assert_eq!(fs::read_to_string(directory.path().join("asked")).expect("asked"), "x\n");
}

#[test]
fn a_hook_that_wants_another_form_of_message_holds_up_no_work() {
    let (_directory, repo, side) = pair();
    let asked = repo.common_folder().expect("folder").join("asked");
    hook(&repo, "pre-commit", &format!("echo x >> '{}'; test ! -e not-yet.txt", asked.display()));
    // What commitlint's usual rules come to.
    hook(&repo, "commit-msg", "head -1 \"$1\" | grep -qE '^(feat|fix|chore): [a-z].{0,92}[^.]$' || { echo no type >&2; exit 1; }");
    write(&side, "new.txt", "x");
    side.commit_work("Task #7: Retry refunds.", Hooks::Run).expect("commits").expect("something");
    assert_eq!(git(side.root(), &["log", "-1", "--format=%B"]).trim(), "chore: task #7: Retry refunds");
    write(&side, "new.txt", "y");
    side.commit_work(&format!("Task #8: {}", "Retry refunds ".repeat(14)), Hooks::Run).expect("commits").expect("something");

    let times = || fs::read_to_string(&asked).expect("asked").lines().count();
    let before = times();
    write(&side, "not-yet.txt", "x");
    assert!(side.commit_work("Task #9", Hooks::Run).is_err());
    assert_eq!(times() - before, 1, "what is refused for the work is not tried again");
    hook(&repo, "commit-msg", "echo \"not: $(cat \"$1\")\" >&2; exit 1");
    fs::remove_file(side.root().join("not-yet.txt")).expect("removed");
    write(&side, "new.txt", "z");
    let refused = side.commit_work("Task #9", Hooks::Run).expect_err("no message will do").to_string();
    assert!(refused.contains("not: Task #9"), "{refused}");
}

#[test]
fn work_is_committed_with_hooks_and_without_ralphs_own_files() {
    let (_directory, repo, side) = pair();
    write(&side, "new.txt", "x");
    write(&side, "examples/.ralph/config.toml", "of somebody else");
    write(&side, ".ralph/db/memory/staged/work.jsonl", "Ralph's own");
    hook(&repo, "pre-commit", "exit 1");
    assert!(side.commit_work("Task #7", Hooks::Run).is_err());
    hook(&repo, "pre-commit", "exit 0");
    let tip = side.commit_work("Task #7", Hooks::Run).expect("commits").expect("something");
    assert_eq!(git(side.root(), &["show", "--format=%s", "--name-only", &tip]), "Task #7\n\nexamples/.ralph/config.toml\nnew.txt");
    assert_eq!(side.commit_work("again", Hooks::Run).expect("nothing"), None);
}

#[test]
fn a_branch_is_told_by_commits_and_files() {
    let (_directory, repo, side) = pair();
    let base = head(&repo);
    git(side.root(), &["mv", "b.txt", "bö \"b\".txt"]);
    fs::write(side.root().join("bin"), b"\0\x01").expect("file");
    commit(&side, "odd \u{1f} | subject");
    git(side.root(), &["rm", "-q", "a.txt"]);
    let tip = commit(&side, "gone");
    let commits = side.branch_commits(&base, &tip, 10).expect("commits");
    let told: Vec<(&str, &str, u32)> = commits.iter().map(|c| (c.subject.as_str(), c.author.as_str(), c.files)).collect();
    assert_eq!(told, [("work on a", "A", 1), ("odd \u{1f} | subject", "A", 3), ("gone", "A", 1)]);
    assert_eq!((commits[0].time, commits[2].id.as_str()), (1_772_618_400, tip.as_str()));
    let changes = side.changes_between(&base, &tip).expect("changes");
    let told: Vec<_> = changes.iter().map(|c| (c.path.as_str(), c.old_path.as_deref(), c.kind, c.lines)).collect();
    let expected = [
        ("a.txt", None, ChangeKind::Deleted, Some((0, 1))),
        ("bin", None, ChangeKind::Added, None),
        ("bö \"b\".txt", Some("b.txt"), ChangeKind::Renamed, Some((0, 0))),
    ];
    assert_eq!(told, expected);
    let (text, cut) = side.diff_of(&base, &tip, &["a.txt".into()], 3, 10_000).expect("diff");
    assert!(text.starts_with("diff --git a/a.txt b/a.txt") && !text.contains("bin") && !cut, "{text}");
    let (text, cut) = side.diff_of(&base, &tip, &[], 3, 60).expect("diff");
    assert!(cut && text.len() <= 60 && text.ends_with('\n'), "{text}");
    let first = side.before_commit(&git(side.root(), &["rev-list", "--max-parents=0", "HEAD"])).expect("the empty tree");
    assert_eq!(side.changes_between(&first, &base).expect("changes").len(), 2);
    assert_eq!(side.branched_from(&head(&repo), &tip).expect("fork"), base);
}

#[test]
fn commits_of_a_branch_that_an_agent_made_come_to_the_branch_of_the_work() {
    let (_directory, repo, side) = pair();
    let work = repo.branch_tip("work").expect("asks").expect("a tip");
    git(side.root(), &["checkout", "-q", "-b", "feature/own"]);
    write(&side, "more.txt", "more\n");
    let more = commit(&side, "more");
    write(&side, "open.txt", "not committed\n");
    assert!(side.adopt("work").expect("adopts"));
    assert_eq!((side.branch().expect("asks").as_deref(), head(&side)), (Some("work"), more.clone()));
    assert_eq!(repo.branch_tip("feature/own").expect("asks"), Some(more.clone()), "its own branch stays");
    assert_eq!(side.uncommitted(5).expect("asks"), ["open.txt"]);
    // A commit without a branch counts as well; one that lacks commits of the work does not, nor does the middle of a rebase.
    git(side.root(), &["checkout", "-q", "--detach"]);
    assert!(side.adopt("work").expect("adopts"));
    git(side.root(), &["checkout", "-q", "--detach", &format!("{work}^")]);
    assert!(!side.adopt("work").expect("looks"));
    assert_eq!(repo.branch_tip("work").expect("asks"), Some(more));
}

#[test]
fn hooks_that_complain_after_a_check_out_are_in_nobody_s_way() {
    let (_directory, repo, side) = pair();
    write(&repo, "b.txt", "moved on\n");
    let (tip, base) = (head(&side), commit(&repo, "moved on"));
    hook(&repo, "post-checkout", "echo complains >&2; exit 1");
    let merged = side.merge_apart(&order(&tip, &base, MergeStrategy::Merge)).expect("merges");
    assert!(matches!(merged, MergeOutcome::Clean(_)), "{merged:?}");
    side.leave_merge("work").expect("leaves");
    assert_eq!((side.branch().expect("branch").as_deref(), head(&side)), (Some("work"), tip));
}

#[test]
fn work_below_a_folder_of_ralph_is_work_except_where_the_project_is() {
    let (_directory, repo, side) = pair();
    let before = head(&side);
    for (path, is_work) in [(".ralph/rules.md", true), ("fixtures/.ralph/x", true), (".ralph/db/memory/staged/work.jsonl", false)] {
        write(&side, path, "new");
        assert_eq!(side.uncommitted(9).expect("asks"), if is_work { vec![path] } else { vec![] });
        let of_project = |folder: &str| side.clone().of_project(&side.root().join(folder)).uncommitted(9).expect("asks");
        assert_eq!(of_project(""), if path.starts_with(".ralph/") { vec![] } else { vec![path] });
        assert_eq!(of_project("fixtures"), if path.starts_with(".ralph/") { vec![path] } else { vec![] });
        let tip = commit(&side, "by an agent");
        assert_eq!(repo.differs(&before, &tip).expect("asks"), is_work, "{path}");
        git(side.root(), &["reset", "-q", "--hard", &before]);
    }
    // What it holds comes back from a snapshot, except what Ralph went on writing since.
    write(&side, ".ralph/rules.md", "new");
    write(&side, ".ralph/db/memory/pay.jsonl", "new");
    let kept = side.keep(&side.snapshot().expect("snapshot"), "7").expect("keeps");
    assert_eq!(restored(&repo, &kept.name, &[]).written, [".ralph/rules.md"]);
}
