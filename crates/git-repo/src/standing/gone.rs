//! What has disappeared from a repository besides branches: tags, remote branches, stash entries, linked work trees.

use super::{CheckedOut, MOVED_BRANCHES, REMOTE, RepositoryState, STASH_ENTRIES, TAG};
use crate::{Repo, path_from_text};
use ralph_core::run::GitRemark;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

impl Repo {
    /// Linked work trees that were there at the first of two moments, and are not at the second. `are_others` says whether somebody
    /// else is responsible for what happens to a folder. A folder that was moved is still there.
    pub fn checkouts_gone(before: &RepositoryState, after: &RepositoryState, are_others: impl Fn(&Path) -> bool) -> Vec<GitRemark> {
        let (Some(then), Some(now)) = (&before.checkouts, &after.checkouts) else { return Vec::new() };
        let is_new = |tree: &&CheckedOut| !then.iter().any(|known| known.path == tree.path);
        let was_moved = |tree: &CheckedOut| now.iter().filter(is_new).any(|new| (&new.branch, &new.head) == (&tree.branch, &tree.head));
        let is_there = |tree: &CheckedOut| now.iter().any(|known| known.path == tree.path) || was_moved(tree);
        let gone = then.iter().filter(|tree| !is_there(tree)).map(|tree| (path_from_text(&tree.path), tree));
        let gone = gone.filter(|(path, _)| !are_others(path)).take(MOVED_BRANCHES);
        gone.map(|(path, tree)| GitRemark::CheckoutGone {
            path: path.to_string_lossy().into_owned(),
            branch: tree.branch.clone(),
            head: tree.head.clone(),
        })
        .collect()
    }
}

/// Tags that are gone or name something else. New ones are ordinary work.
pub(super) fn tags_moved<'s>(before: &'s RepositoryState, after: &'s RepositoryState) -> impl Iterator<Item = GitRemark> + 's {
    let moved = before.tags.iter().map(|(name, from)| (name, from, after.tags.get(name))).filter(|(_, from, to)| *to != Some(from));
    moved.take(MOVED_BRANCHES).map(|(name, from, to)| GitRemark::TagMoved {
        tag: name.trim_start_matches(TAG).to_owned(),
        from: from.clone(),
        to: to.cloned(),
    })
}

/// Remote branches that are gone and whose last commit no other branch is at: one that was renamed, or is now on a remote with another
/// name, does not count. A fetch that prunes can't be told from a push that deletes, since the branch's log is deleted with it.
pub(super) fn from_remotes(before: &RepositoryState, after: &RepositoryState) -> Option<GitRemark> {
    let remote = |state: &RepositoryState| -> BTreeMap<String, String> {
        let of_remotes = state.references.iter().filter_map(|(name, commit)| Some((name.strip_prefix(REMOTE)?.to_owned(), commit.clone())));
        of_remotes.collect()
    };
    let now = remote(after);
    let stands: BTreeSet<&String> = now.values().collect();
    let gone = remote(before).into_iter().filter(|(name, commit)| !now.contains_key(name) && !stands.contains(commit));
    let (branches, commits): (Vec<String>, Vec<String>) = gone.take(MOVED_BRANCHES).unzip();
    (!branches.is_empty()).then_some(GitRemark::RemoteBranchesGone { branches, commits })
}

pub(super) fn stash_remarks(before: &RepositoryState, after: &RepositoryState) -> Vec<GitRemark> {
    let made = after.stash.iter().filter(|entry| !before.stash.contains(entry)).count();
    let gone: Vec<String> = before.stash.iter().filter(|entry| !after.stash.contains(entry)).cloned().collect();
    let made = (made > 0).then(|| GitRemark::Stashed { count: u32::try_from(made).unwrap_or(u32::MAX) });
    // With a full list the oldest entries may just be beyond it.
    let gone = (!gone.is_empty() && after.stash.len() < STASH_ENTRIES).then_some(GitRemark::StashDropped { commits: gone });
    made.into_iter().chain(gone).collect()
}
