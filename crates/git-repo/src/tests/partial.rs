//! Partial clones, whose remote is there and is not asked.

use super::*;
use crate::{Ages, MergeOrder, MergeOutcome};
use ralph_core::worktree::MergeStrategy;

/// A repository whose file has three versions on `main`, and two more on `other`; and a clone without the contents that it does not check
/// out.
fn clone() -> (TempDir, Repo) {
    let (directory, whole) = sample();
    for version in ["a\n1\n", "a\n1\n2\n"] {
        write(&whole, "a.txt", version);
        commit(&whole, "more");
    }
    git(whole.root(), &["checkout", "-q", "-b", "other"]);
    for version in ["b\n1\n", "b\n1\n2\n"] {
        write(&whole, "b.txt", version);
        commit(&whole, "more");
    }
    git(whole.root(), &["checkout", "-q", "main"]);
    git(whole.root(), &["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", whole.root().display());
    git(directory.path(), &["clone", "-q", "--filter=blob:none", &url, "partial"]);
    let partial = Repo::discover(&directory.path().join("partial")).expect("a clone");
    (directory, partial)
}

/// Runs the command that a message names as the way out.
fn follow(repo: &Repo, message: &str) {
    let is_way_out = |command: &&str| command.starts_with("fetch") || command.starts_with("config");
    let mut commands = message.split('`').filter_map(|part| part.strip_prefix("git "));
    let command = commands.find(is_way_out).unwrap_or_else(|| panic!("no way out: {message}"));
    git(repo.root(), &command.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn what_a_partial_clone_lacks_is_told_with_the_command_that_brings_it() {
    let (_directory, repo) = clone();
    let ages = || repo.learning_ages(Some((Path::new("a.txt"), "digest")), Ages::default());
    let told = ages().expect_err("lacks the versions before").to_string();
    assert!(told.contains("partial clone"), "{told}");
    follow(&repo, &told);
    assert_eq!(ages().expect("has them now").lines().len(), 3);
}

#[test]
fn a_merge_that_takes_what_a_partial_clone_lacks_is_refused_with_the_way_out() {
    let (_directory, repo) = clone();
    git(repo.root(), &["fetch", "-q", "origin", "other:other"]);
    let [tip, base] = ["main", "other"].map(|name| repo.branch_tip(name).expect("asks").expect("is there"));
    let order = MergeOrder { tip: &tip, base: &base, strategy: MergeStrategy::Merge, message: "Merge" };
    let MergeOutcome::Refused(told) = repo.merge_apart(&order).expect("tries") else { panic!("lacks a file of the base") };
    assert_eq!(repo.branch().expect("asks").as_deref(), Some("main"), "nothing is half done");
    follow(&repo, &told);
    assert!(matches!(repo.merge_apart(&order).expect("merges"), MergeOutcome::Clean(_)));
}

#[test]
fn what_was_pulled_into_a_partial_clone_is_searched_by_its_end() {
    let (_directory, repo) = clone();
    let before = repo.head().expect("asks");
    git(repo.root(), &["pull", "-q", "--ff-only", "origin", "other"]);
    let added = || repo.added_lines(before.as_deref(), repo.head().expect("asks").as_deref(), 1 << 20).expect("searches");
    assert_eq!(added(), [("b.txt".to_owned(), "1\n2\n".to_owned())].into());
    git(repo.root(), &["config", "--unset-all", "remote.origin.partialclonefilter"]);
    assert_eq!(added(), [("b.txt".to_owned(), "1\n2\n".to_owned())].into(), "what later fetches bring is not here yet");
}

#[test]
fn a_clone_is_partial_until_its_fetches_bring_all() {
    let (_directory, repo) = clone();
    let found = repo.partial_clone().expect("asks").expect("is one");
    assert_eq!((found.remote.as_str(), found.filter.as_str()), ("origin", "blob:none"));
    let missing = || git(repo.root(), &["rev-list", "--objects", "--all", "--missing=print"]).matches('?').count();
    assert!(missing() > 0);
    let way_out = found.way_out();
    let (bring, keep) = way_out.split_once("; then ").expect("two commands");
    follow(&repo, bring);
    assert_eq!((missing(), repo.partial_clone().expect("asks")), (0, Some(found)), "later fetches leave things out again");
    follow(&repo, keep);
    assert_eq!((missing(), repo.partial_clone().expect("asks")), (0, None));
    assert!(sample().1.partial_clone().expect("asks").is_none());
}
