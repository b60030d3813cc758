//! Commits that were checked out between two moments, then left for something else, and that no branch or tag has: git will delete them.

use super::{MOVED_BRANCHES, RepositoryState};
use crate::plain::Place;
use crate::{GitError, Repo};
use ralph_core::run::GitRemark;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::PathBuf;

/// Bytes read of the log of what is checked out: some 5,000 entries.
const LOG_BYTES: u64 = 1 << 20;
/// How git logs that something else is checked out. A rebase, a reset or an amended commit is logged differently: whoever does that wants
/// to be rid of what it leaves behind.
const CHECKOUT: &str = "checkout: moving from ";

impl Repo {
    /// Length of the log of what is checked out here; `None` if git itself would have to be asked.
    pub(super) fn logged(&self) -> Option<u64> {
        match log_of_head(self)?.metadata() {
            Ok(log) => Some(log.len()),
            Err(fault) => (fault.kind() == ErrorKind::NotFound).then_some(0),
        }
    }

    /// The commits that were left since the first of two moments, unless their work is in what is checked out at the second. `told` are the
    /// remarks that name some of them already.
    pub(super) fn left_behind(
        &self,
        before: &RepositoryState,
        after: &RepositoryState,
        told: &[GitRemark],
    ) -> Result<Option<GitRemark>, GitError> {
        let mut known: BTreeSet<&str> = before.references.values().chain(&before.head).chain(&after.head).map(String::as_str).collect();
        known.extend(told.iter().flat_map(GitRemark::unreferenced));
        let left = before.logged.and_then(|from| left_since(self, from)).unwrap_or_default();
        let mut commits: Vec<String> = Vec::new();
        for commit in left.into_iter().filter(|commit| !known.contains(commit.as_str())).take(MOVED_BRANCHES) {
            if !self.has_commit(&commit)? || self.is_referenced(&commit)? || self.is_taken(&commit, before, after)? {
                continue;
            }
            let is_below = |newer: &String| self.contains(Some(newer), Some(&commit));
            if !commits.iter().map(is_below).collect::<Result<Vec<bool>, GitError>>()?.contains(&true) {
                commits.push(commit);
            }
        }
        Ok((!commits.is_empty()).then_some(GitRemark::LeftBehind { commits }))
    }

    fn is_taken(&self, commit: &str, before: &RepositoryState, after: &RepositoryState) -> Result<bool, GitError> {
        match (&before.head, &after.head) {
            (Some(start), Some(head)) => self.has_taken(start, commit, head),
            (None, Some(head)) => self.contains(Some(head), Some(commit)),
            (_, None) => Ok(false),
        }
    }
}

fn log_of_head(repo: &Repo) -> Option<PathBuf> {
    Some(Place::of(repo.root())?.own.join("logs/HEAD"))
}

/// The commits that were left by checking out something else, newest first, in the log from byte `from` on.
fn left_since(repo: &Repo, from: u64) -> Option<Vec<String>> {
    let mut log = File::open(log_of_head(repo)?).ok()?;
    // A log that became shorter was rewritten: nobody knows which of its entries are new.
    if log.metadata().ok()?.len() < from {
        return None;
    }
    log.seek(SeekFrom::Start(from)).ok()?;
    let mut new = Vec::new();
    log.take(LOG_BYTES).read_to_end(&mut new).ok()?;
    // `OLD NEW Name <address> SECONDS ZONE<tab>what was done`.
    let text = String::from_utf8_lossy(&new);
    let entries = text.lines().rev().filter_map(|line| line.split_once('\t'));
    let left = entries.filter(|(_, what)| what.starts_with(CHECKOUT)).filter_map(|(facts, _)| facts.split(' ').next());
    let mut seen = BTreeSet::new();
    Some(left.filter(|commit| seen.insert(*commit)).map(str::to_owned).collect())
}
