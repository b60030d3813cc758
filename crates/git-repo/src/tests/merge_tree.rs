//! Merges without a work tree, told where the work begins and, for older git, shown it.

use super::merge::{head, pair};
use super::{commit, git, write};
use crate::merge_tree::{MergedTree, is_too_old};

#[test]
fn commits_that_fork_there_merge_as_if_git_had_been_told_the_base() {
    let (_directory, repo, side) = pair();
    let base = head(&repo);
    write(&side, "shared.txt", "theirs\n");
    let tip = commit(&side, "work");
    // Without being told, git would take the newer of the two.
    git(repo.root(), &["merge", "--quiet", "--no-edit", "work"]);
    write(&repo, "shared.txt", "ours\n");
    let ours = commit(&repo, "other lines");
    let told = repo.merge_tree(Some(&base), [&ours, &tip], &["--name-only"]).expect("merges");
    let [one, other] = repo.forked(&base, [&ours, &tip]).expect("commits");
    let shown = repo.merge_tree(None, [&one, &other], &["--name-only"]).expect("merges");
    assert_eq!((told.told.code, shown.told.code), (Some(1), Some(1)), "both sides changed the same lines since");
    // The first two parts are the tree, whose marks name the sides, and the file in conflict.
    let file = |told: &MergedTree| told.told.text().split('\0').nth(1).map(str::to_owned);
    assert_eq!((file(&told), file(&shown)), (Some("shared.txt".to_owned()), Some("shared.txt".to_owned())));
    assert_eq!(repo.forked(&base, [&ours, &tip]).expect("commits"), [one, other], "the same files give the same commits");
    let plain = repo.merge_tree(None, [&ours, &tip], &["--name-only"]).expect("merges");
    assert_eq!(plain.told.code, Some(0), "the work is in it already");
}

#[test]
fn a_git_that_merges_in_work_trees_alone_is_too_old() {
    for (version, is) in [
        ("git version 2.34.1", true),
        ("git version 1.8.3.1", true),
        ("git version 2.38.0.rc1", false),
        ("git version 2.39.5 (Apple Git-154)", false),
        ("git version 2.47.1.windows.2", false),
        ("git version 3.0.0", false),
        ("something else", false),
    ] {
        assert_eq!(is_too_old(version), is, "{version}");
    }
}
