//! State of a repository beyond its files: branches, remotes, stash, unfinished operations; and its changes.

mod gone;
mod left;

use crate::landing::BY_RALPH;
use crate::paths::path_from_bytes;
use crate::plain::Place;
use crate::{GitError, Repo, path_from_text, path_to_text, plain, records};
use ralph_core::run::{GitOperation, GitRemark, HistoryChange};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Bytes read of the list of references: some 50,000 of them.
const REFERENCE_BYTES: usize = 4 * 1_048_576;
/// Entries of the stash that are compared.
const STASH_ENTRIES: usize = 200;
/// Entries of a branch's log that are read.
const LOGGED: usize = 200;
/// Moved branches that are examined and reported: a repository that moves more at once was fetched or mirrored.
const MOVED_BRANCHES: usize = 20;
/// Marker of each operation in the repository's own folder.
const MARKS: [(&str, GitOperation); 7] = [
    ("MERGE_HEAD", GitOperation::Merge),
    ("rebase-merge", GitOperation::Rebase),
    ("rebase-apply", GitOperation::Rebase),
    ("CHERRY_PICK_HEAD", GitOperation::CherryPick),
    ("REVERT_HEAD", GitOperation::Revert),
    ("BISECT_LOG", GitOperation::Bisect),
    ("BISECT_START", GitOperation::Bisect),
];

/// Beginning of the full name of a local branch.
const LOCAL: &str = "refs/heads/";
/// Beginning of the full name of a remote's branch.
const REMOTE: &str = "refs/remotes/";
/// How an entry about a push begins in the reflog of a remote's branch.
const BY_PUSH: &str = "update by push";
/// Beginning of the full name of a tag.
const TAG: &str = "refs/tags/";
/// Where branches, those of remotes and tags are.
const REFERENCES: [&str; 3] = ["refs/heads", "refs/remotes", "refs/tags"];

/// A repository's references and operations at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepositoryState {
    head: Option<String>,
    branch: Option<String>,
    /// Local branches and remote-tracking ones, by their full names.
    references: BTreeMap<String, String>,
    /// Tags by their full names, each with the object that it names.
    #[serde(default)]
    tags: BTreeMap<String, String>,
    /// Commits of the stash, newest first.
    stash: Vec<String>,
    operations: Vec<GitOperation>,
    /// Linked work trees; `None` if git itself would have to be asked.
    #[serde(default)]
    checkouts: Option<Vec<CheckedOut>>,
    /// Bytes of the log of what is checked out here; `None` if git itself would have to be asked.
    #[serde(default)]
    logged: Option<u64>,
}

/// What is checked out in a linked work tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CheckedOut {
    /// Its root, as a text of [`path_to_text`].
    path: String,
    branch: Option<String>,
    head: Option<String>,
}

impl RepositoryState {
    /// The branch that is checked out.
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// Roots of the linked work trees, each with the branch that is checked out there.
    pub fn branches_in_worktrees(&self) -> impl Iterator<Item = (PathBuf, &str)> {
        self.checkouts.iter().flatten().filter_map(|tree| Some((path_from_text(&tree.path), tree.branch.as_deref()?)))
    }
}

impl Repo {
    /// Current state of the repository.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn standing(&self) -> Result<RepositoryState, GitError> {
        let count = format!("--max-count={STASH_ENTRIES}");
        let stash = || self.reading().args(["log", "--walk-reflogs", "--format=%H", &count, "refs/stash", "--"]).run();
        let stash = if plain::certainly_no_stash(self.root()) { None } else { Some(stash()?).filter(|stash| stash.success) };
        let known = Place::of(self.root()).and_then(|place| place.references(&REFERENCES));
        let known = known.map_or_else(|| self.references(), Ok)?;
        let (tags, references) = known.into_iter().partition(|(name, _)| name.starts_with(TAG));
        Ok(RepositoryState {
            head: self.head()?,
            branch: self.branch()?,
            references,
            tags,
            stash: stash.map_or(Vec::new(), |stash| stash.text().lines().map(str::to_owned).collect()),
            operations: self.operations()?,
            checkouts: self.checkouts(),
            logged: self.logged(),
        })
    }

    /// The linked work trees that are there.
    fn checkouts(&self) -> Option<Vec<CheckedOut>> {
        let there = records::worktrees(self.root())?.into_iter().filter(|tree| !tree.is_main && !tree.unfinished && !tree.is_away());
        Some(there.map(|tree| CheckedOut { path: path_to_text(&tree.path), branch: tree.branch, head: tree.head }).collect())
    }

    /// The newest entry of the stash that was put there while `branch` was checked out, as git names it.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn stashed_on(&self, branch: &str) -> Result<Option<String>, GitError> {
        if plain::certainly_no_stash(self.root()) {
            return Ok(None);
        }
        let count = format!("--max-count={STASH_ENTRIES}");
        let listed = self.reading().args(["log", "--walk-reflogs", "--format=%gs", &count, "refs/stash", "--"]).run()?;
        let is_of_branch = |how: &str| ["WIP on ", "On "].iter().any(|what| how.starts_with(&format!("{what}{branch}: ")));
        let place = if listed.success { listed.text().lines().position(is_of_branch) } else { None };
        Ok(place.map(|place| format!("stash@{{{place}}}")))
    }

    /// Branches here and of remotes, and tags, with what they name.
    fn references(&self) -> Result<BTreeMap<String, String>, GitError> {
        let format = "--format=%(objectname) %(symref)%(refname)";
        let listed = self.reading().args(["for-each-ref", format]).args(REFERENCES).at_most(REFERENCE_BYTES).output("for-each-ref")?;
        let text = String::from_utf8_lossy(&listed);
        // A symbolic reference (`origin/HEAD`) moves with another: its target comes before its own name.
        let whole = if listed.len() < REFERENCE_BYTES { text.as_ref() } else { text.rsplit_once('\n').map_or("", |(whole, _)| whole) };
        let references = whole.lines().filter_map(|line| line.split_once(' ')).filter(|(_, name)| name.matches("refs/").count() == 1);
        Ok(references.map(|(commit, name)| (name.to_owned(), commit.to_owned())).collect())
    }

    /// The operations that have begun and not ended.
    pub(crate) fn operations(&self) -> Result<Vec<GitOperation>, GitError> {
        if let Some(place) = Place::of(self.root()) {
            let is_there = |mark: &str| place.own.join(mark).symlink_metadata().is_ok();
            let mut found: Vec<GitOperation> = MARKS.iter().filter(|(mark, _)| is_there(mark)).map(|(_, operation)| *operation).collect();
            found.dedup();
            return Ok(found);
        }
        let marks = MARKS.iter().flat_map(|(mark, _)| ["--git-path", mark]);
        let paths = self.reading().args(["rev-parse"]).args(marks).output("rev-parse")?;
        let paths = paths.split(|&byte| byte == b'\n').filter(|path| !path.is_empty());
        let mut found: Vec<GitOperation> = MARKS
            .iter()
            .zip(paths)
            .filter(|(_, path)| self.root().join(path_from_bytes(path)).symlink_metadata().is_ok())
            .map(|((_, operation), _)| *operation)
            .collect();
        found.dedup();
        Ok(found)
    }

    /// Whether a merge, a rebase or the like is begun here and not ended.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn is_amid_operation(&self) -> Result<bool, GitError> {
        Ok(!self.operations()?.is_empty())
    }

    /// Changes of the repository between two moments, other than commits added to what is checked out. `others` are branches whose changes
    /// are due to somebody else.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn what_became(
        &self,
        before: &RepositoryState,
        after: &RepositoryState,
        others: &BTreeSet<String>,
    ) -> Result<Vec<GitRemark>, GitError> {
        let mut remarks = Vec::new();
        let kept = self.contains(after.head.as_deref(), before.head.as_deref())?;
        if before.branch != after.branch {
            remarks.push(GitRemark::BranchSwitched {
                from: before.branch.clone(),
                to: after.branch.clone(),
                behind: !kept,
                head: before.head.clone().filter(|_| !kept),
            });
        } else if before.branch.is_none()
            && !kept
            && let Some(from) = &before.head
        {
            remarks.push(self.moved(None, from, after.head.as_deref())?);
        }
        remarks.extend(self.branches_moved(before, after, others)?);
        remarks.extend(self.committed_elsewhere(before, after, others)?);
        let begun = after.operations.iter().filter(|operation| !before.operations.contains(operation));
        remarks.extend(begun.map(|operation| GitRemark::Unfinished { operation: *operation }));
        remarks.extend(gone::stash_remarks(before, after));
        remarks.extend(gone::tags_moved(before, after));
        remarks.extend(gone::from_remotes(before, after));
        remarks.extend(self.pushed(before, after)?);
        remarks.extend(self.left_behind(before, after, &remarks)?);
        Ok(remarks)
    }

    /// Local branches that lost commits.
    fn branches_moved(
        &self,
        before: &RepositoryState,
        after: &RepositoryState,
        others: &BTreeSet<String>,
    ) -> Result<Vec<GitRemark>, GitError> {
        let mut remarks = Vec::new();
        let moved = changed_branches(before, after, others).filter_map(|changed| Some((changed.branch, changed.from?, changed.to)));
        for (branch, from, to) in moved.take(MOVED_BRANCHES) {
            if self.contains(to, Some(from))? {
                continue;
            }
            let renamed = if to.is_none() { self.new_name_of(branch, from, (before, after), others)? } else { None };
            remarks.push(match renamed {
                Some(to) => GitRemark::BranchRenamed { from: branch.to_owned(), to },
                None => self.moved(Some(branch), from, to)?,
            });
        }
        Ok(remarks)
    }

    /// The new local branch that a missing branch was renamed to, according to its reflog, if it still holds the commit.
    fn new_name_of(
        &self,
        branch: &str,
        commit: &str,
        (before, after): (&RepositoryState, &RepositoryState),
        others: &BTreeSet<String>,
    ) -> Result<Option<String>, GitError> {
        let was_renamed = format!("Branch: renamed {LOCAL}{branch} to {LOCAL}");
        let new = changed_branches(before, after, others).filter_map(|changed| Some((changed.branch, changed.from, changed.to?)));
        for (new, _, tip) in new.filter(|(_, from, _)| from.is_none()).take(MOVED_BRANCHES) {
            if self.contains(Some(tip), Some(commit))? && self.log_of(new, "%gs")?.lines().any(|how| how.starts_with(&was_renamed)) {
                return Ok(Some(new.to_owned()));
            }
        }
        Ok(None)
    }

    /// The reflog of a local branch, newest first.
    fn log_of(&self, branch: &str, format: &str) -> Result<String, GitError> {
        let (count, format, name) = (format!("--max-count={LOGGED}"), format!("--format={format}"), format!("{LOCAL}{branch}"));
        Ok(self.reading().args(["log", "--walk-reflogs", &count, &format, &name, "--"]).run()?.text())
    }

    /// Local branches that were not checked out here and got commits: new ones with commits that are not checked out here either, and
    /// existing ones by anything but a merge of Ralph's.
    fn committed_elsewhere(
        &self,
        before: &RepositoryState,
        after: &RepositoryState,
        others: &BTreeSet<String>,
    ) -> Result<Vec<GitRemark>, GitError> {
        let mut remarks = Vec::new();
        let here = [before.branch(), after.branch()];
        let is_known = |commit: &str| before.references.values().any(|known| known == commit);
        let grown = changed_branches(before, after, others).filter_map(|changed| Some((changed.branch, changed.from, changed.to?)));
        for (branch, from, to) in grown.filter(|(branch, ..)| !here.contains(&Some(*branch))).take(MOVED_BRANCHES) {
            let own = self.contains(after.head.as_deref(), Some(to))?;
            let is_told = match from {
                None => !own && !is_known(to),
                Some(from) => self.contains(Some(to), Some(from))? && !self.is_landed(branch, from)?,
            };
            if is_told {
                remarks.push(GitRemark::CommittedElsewhere {
                    branch: branch.to_owned(),
                    from: from.map(str::to_owned),
                    to: to.to_owned(),
                    own,
                });
            }
        }
        Ok(remarks)
    }

    /// Whether only merges of Ralph's have moved a branch since it was at `from`.
    fn is_landed(&self, branch: &str, from: &str) -> Result<bool, GitError> {
        let told = self.log_of(branch, "%H %gs")?;
        let mut since = told.lines().take_while(|line| !line.starts_with(from)).peekable();
        let is_by_ralph = |line: &str| line.split_once(' ').is_some_and(|(_, how)| how.starts_with(BY_RALPH));
        Ok(since.peek().is_some() && since.all(is_by_ralph))
    }

    fn moved(&self, branch: Option<&str>, from: &str, to: Option<&str>) -> Result<GitRemark, GitError> {
        let change = match to {
            None => HistoryChange::Gone,
            Some(_) if self.contains(Some(from), to)? => HistoryChange::Behind,
            Some(_) => HistoryChange::Rewritten,
        };
        Ok(GitRemark::HistoryMoved { branch: branch.map(str::to_owned), change, from: from.to_owned(), to: to.map(str::to_owned) })
    }

    /// Whether `part` is an ancestor of `whole`. A missing commit is not.
    fn contains(&self, whole: Option<&str>, part: Option<&str>) -> Result<bool, GitError> {
        match (whole, part) {
            (_, None) => Ok(true),
            (None, Some(_)) => Ok(false),
            (Some(whole), Some(part)) if whole == part => Ok(true),
            (Some(whole), Some(part)) => match self.is_ancestor(part, whole) {
                Err(GitError::Failed { .. }) => Ok(false),
                found => found,
            },
        }
    }

    /// Commits at which somebody else's work ends between two moments: of all branches at the first, and of remote branches that anything
    /// but a push has moved since.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn work_of_others(&self, before: &RepositoryState, after: &RepositoryState) -> Result<Vec<String>, GitError> {
        let mut others: BTreeSet<String> = before.references.values().cloned().collect();
        let moved = after.references.iter().filter(|(name, _)| name.starts_with(REMOTE));
        for (name, commit) in moved.filter(|(name, commit)| before.references.get(*name) != Some(commit)).take(MOVED_BRANCHES) {
            let count = format!("--max-count={LOGGED}");
            let told = self.reading().args(["log", "--walk-reflogs", &count, "--format=%H %gs", name, "--"]).run()?.text();
            let stood = before.references.get(name).map_or("-", String::as_str);
            let steps = told.lines().take_while(|line| !line.starts_with(stood)).filter_map(|line| line.split_once(' '));
            others.extend(steps.filter(|(_, how)| !how.starts_with(BY_PUSH)).map(|(commit, _)| commit.to_owned()));
            if told.trim().is_empty() && !is_local(after, commit) {
                others.insert(commit.clone());
            }
        }
        Ok(others.into_iter().collect())
    }

    /// Remote branches that were moved by a push; moves by a fetch are excluded.
    fn pushed(&self, before: &RepositoryState, after: &RepositoryState) -> Result<Option<GitRemark>, GitError> {
        let (mut branches, mut forced) = (Vec::new(), false);
        let remote = after.references.iter().filter_map(|(name, commit)| Some((name, name.strip_prefix(REMOTE)?, commit)));
        let moved = remote.filter(|(name, _, commit)| before.references.get(*name) != Some(commit));
        for (name, branch, commit) in moved.take(MOVED_BRANCHES) {
            let told = self.reading().args(["log", "--walk-reflogs", "--max-count=1", "--format=%gs", name, "--"]).run()?.text();
            let by_push = match told.trim() {
                // Without a reflog, a commit that exists both on the remote and locally was more likely pushed.
                "" => is_local(after, commit),
                told => told.starts_with(BY_PUSH),
            };
            if by_push {
                branches.push(branch.to_owned());
                forced |= !self.contains(Some(commit), before.references.get(name).map(String::as_str))?;
            }
        }
        Ok((!branches.is_empty()).then_some(GitRemark::Pushed { branches, forced }))
    }
}

/// Whether a local branch is at a commit.
fn is_local(state: &RepositoryState, commit: &str) -> bool {
    state.references.iter().any(|(name, tip)| name.starts_with(LOCAL) && tip == commit)
}

/// A local branch with its commit at two moments; `None` where it does not exist.
struct ChangedBranch<'s> {
    branch: &'s str,
    from: Option<&'s str>,
    to: Option<&'s str>,
}

/// The local branches that are new, gone or at another commit, without those of others.
fn changed_branches<'s>(
    before: &'s RepositoryState,
    after: &'s RepositoryState,
    others: &BTreeSet<String>,
) -> impl Iterator<Item = ChangedBranch<'s>> {
    let names: BTreeSet<&String> = before.references.keys().chain(after.references.keys()).collect();
    names.into_iter().filter_map(move |name| {
        let branch = name.strip_prefix(LOCAL)?;
        let [from, to] = [before, after].map(|state| state.references.get(name).map(String::as_str));
        (from != to && !others.contains(branch)).then_some(ChangedBranch { branch, from, to })
    })
}
