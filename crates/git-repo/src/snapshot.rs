//! The state of a work tree at one moment, and the differences between two.

use crate::command::Git;
use crate::entries::Entries;
use crate::nested::is_repository;
use crate::paths::{as_text, keys_as_text, path_from_bytes};
use crate::{GitError, Repo};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Repositories within repositories whose files are listed.
const DEPTH: u32 = 4;
/// Maximum bytes of a file compared by content; larger ones by size and time.
const HASHED_FILE_BYTES: u64 = 1_048_576;
/// Maximum bytes read by one snapshot; after that files are compared by size and time.
pub(crate) const HASHED_BYTES: u64 = 128 * 1_048_576;

/// A work tree at one moment: its commit, and all work that differed from it. A submodule or a nested repository that differs is included
/// itself, and so are its own files that differ from its commit. Serializable, so that another process may compare.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    head: Option<String>,
    #[serde(with = "keys_as_text")]
    pub(crate) dirty: BTreeMap<PathBuf, State>,
    /// The files that a merge, a stash or a patch left in conflict.
    #[serde(default)]
    unmerged: BTreeSet<String>,
}

/// Changes between two moments of files that were uncommitted at the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonsWork {
    /// Missing, or reset to the committed state, unless this very content was committed.
    pub gone: Vec<String>,
    /// Changed otherwise.
    pub changed: Vec<String>,
}

impl Snapshot {
    /// Whether anything differs from the commit.
    pub fn is_dirty(&self) -> bool {
        !self.dirty.is_empty()
    }

    /// The files, links, repositories and crowded folders that differ from the commit, with their modification time if known.
    pub fn uncommitted(&self) -> impl Iterator<Item = (&Path, Option<SystemTime>)> {
        self.dirty.iter().filter_map(|(path, state)| match state {
            State::File { modified, .. } | State::Repository { modified, .. } => Some((path.as_path(), *modified)),
            State::Link(_) | State::Crowd => Some((path.as_path(), None)),
            State::Missing | State::Other => None,
        })
    }

    /// The files whose uncommitted state changed since an earlier moment; those changed by a commit or a merge are excluded, and so are
    /// those in a crowd at either moment.
    pub fn uncommitted_since<'a>(&'a self, before: &'a Snapshot) -> impl Iterator<Item = &'a Path> {
        let paths: BTreeSet<&PathBuf> = before.dirty.keys().chain(self.dirty.keys()).collect();
        paths.into_iter().map(PathBuf::as_path).filter(move |path| match (before.dirty.get(*path), self.dirty.get(*path)) {
            (Some(then), Some(now)) => !then.same(now),
            (Some(State::Crowd), None) | (None, Some(State::Crowd)) => false,
            (then, now) => then.is_some() != now.is_some() && ![before, self].iter().any(|moment| moment.is_in_crowd(path)),
        })
    }

    /// The files in conflict that were not so at an earlier moment.
    pub fn unmerged_since(&self, before: &Snapshot) -> Vec<String> {
        self.unmerged.difference(&before.unmerged).cloned().collect()
    }

    /// The folders that are one entry each because of too many untracked files: what is in them is not looked at.
    pub fn crowds(&self) -> impl Iterator<Item = &Path> {
        self.dirty.iter().filter(|(_, state)| matches!(state, State::Crowd)).map(|(path, _)| path.as_path())
    }

    /// Whether a path lies in such a folder.
    fn is_in_crowd(&self, path: &Path) -> bool {
        path.ancestors().skip(1).any(|above| matches!(self.dirty.get(above), Some(State::Crowd)))
    }

    /// The outermost repository inside that differs and holds a path.
    fn repository_around<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        path.ancestors().skip(1).filter(|above| matches!(self.dirty.get(*above), Some(State::Repository { .. }))).last()
    }

    /// HEAD; `None` before the first commit.
    pub fn head(&self) -> Option<&str> {
        self.head.as_deref()
    }
}

/// State of a path at the moment of a snapshot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum State {
    Missing,
    File {
        bytes: u64,
        executable: bool,
        modified: Option<SystemTime>,
        content: Option<u64>,
    },
    Link(#[serde(with = "as_text")] PathBuf),
    /// A submodule or a nested repository: its commit, and a hash of its own status.
    Repository {
        head: Option<String>,
        status: u64,
        /// When its folder last changed; says nothing about its state.
        #[serde(default)]
        modified: Option<SystemTime>,
        /// Whether its commits are stored elsewhere, as those of a submodule or a linked work tree are.
        #[serde(default)]
        is_linked: bool,
    },
    /// A folder with too many untracked files: in it nothing is known.
    Crowd,
    /// A special file, or a folder in place of a file.
    Other,
}

impl State {
    /// Whether both are equal, as far as known: by content, otherwise by size and time.
    pub(crate) fn same(&self, other: &State) -> bool {
        match (self, other) {
            (
                State::File { bytes, executable, content: Some(content), .. },
                State::File { bytes: other_bytes, executable: other_executable, content: Some(other_content), .. },
            ) => (bytes, executable, content) == (other_bytes, other_executable, other_content),
            (
                State::File { bytes, executable, modified, .. },
                State::File { bytes: other_bytes, executable: other_executable, modified: other_modified, .. },
            ) => (bytes, executable, modified) == (other_bytes, other_executable, other_modified),
            (State::Repository { head, status, .. }, State::Repository { head: other_head, status: other_status, .. }) => {
                (head, status) == (other_head, other_status)
            }
            (State::Crowd, now) | (now, State::Crowd) => *now != State::Missing,
            _ => self == other,
        }
    }

    /// Whether it is a repository without a change of its own.
    pub(crate) fn is_clean_repository(&self) -> bool {
        matches!(self, State::Repository { status, .. } if *status == hash(b""))
    }

    /// Reads the state of `path`; `budget` is the remaining number of bytes to read.
    pub(crate) fn read(path: &Path, budget: &mut u64) -> State {
        let Ok(metadata) = path.symlink_metadata() else { return State::Missing };
        if metadata.is_symlink() {
            return path.read_link().map_or(State::Other, State::Link);
        }
        if metadata.is_dir() {
            return if path.join(".git").exists() { State::read_repository(path, metadata.modified().ok()) } else { State::Other };
        }
        if !metadata.is_file() {
            return State::Other;
        }
        let bytes = metadata.len();
        let content = (bytes <= HASHED_FILE_BYTES.min(*budget)).then(|| std::fs::read(path).ok()).flatten().map(|content| {
            *budget = budget.saturating_sub(bytes);
            hash(&content)
        });
        State::File { bytes, executable: is_executable(&metadata), modified: metadata.modified().ok(), content }
    }

    fn read_repository(path: &Path, modified: Option<SystemTime>) -> State {
        let head = Git::reading(path).args(["rev-parse", "--verify", "--quiet", "HEAD"]).run().ok().filter(|found| found.success);
        let status = Git::reading(path).args(["status", "--porcelain=v2", "-z"]).run();
        let head = head.map(|head| head.text().trim().to_owned());
        State::Repository {
            head,
            status: status.map_or(0, |status| hash(&status.stdout)),
            modified,
            is_linked: path.join(".git").is_file(),
        }
    }
}

/// The same in every build of Ralph: it is stored, and compared by whichever build recovers a killed run. 64 bits suffice.
fn hash(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(Sha256::digest(bytes)[..8].try_into().expect("a digest is longer than that"))
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_metadata: &std::fs::Metadata) -> bool {
    false
}

impl Repo {
    /// The current state of the work tree, without ignored files. Beyond 50,000 untracked files the most crowded folders count as one each.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn snapshot(&self) -> Result<Snapshot, GitError> {
        let mut snapshot = Snapshot { head: self.head()?, dirty: BTreeMap::new(), unmerged: BTreeSet::new() };
        let mut budget = HASHED_BYTES;
        self.add_dirty(&mut snapshot, Path::new(""), &mut budget, DEPTH)?;
        Ok(snapshot)
    }

    /// Adds what differs here to the paths of the work tree that contains this one at `place`.
    fn add_dirty(&self, snapshot: &mut Snapshot, place: &Path, budget: &mut u64, depth: u32) -> Result<(), GitError> {
        let entries = Entries::within_bounds(self)?;
        snapshot.unmerged.extend(entries.unmerged.iter().map(|path| place.join(path).to_string_lossy().into_owned()));
        snapshot.dirty.extend(entries.crowds.into_iter().map(|crowd| (place.join(crowd), State::Crowd)));
        for path in entries.tracked.into_iter().chain(entries.untracked).chain(self.hidden_from_status()?) {
            let (here, whole) = (place.join(&path), self.root().join(&path));
            let state = State::read(&whole, budget);
            if depth > 0 && matches!(state, State::Repository { .. }) && is_repository(&whole) {
                // If it can't be read, only it itself is listed.
                let _ = Repo::at(whole).add_dirty(snapshot, &here, budget, depth - 1);
            }
            snapshot.dirty.insert(here, state);
        }
        Ok(())
    }

    /// The files whose content differs between two moments, committed or not: changed, new, deleted, both names of a renamed one; a
    /// repository inside counts as one. Sorted; at most `max`. Files that were merely committed are excluded. Names that are not UTF-8
    /// are shown with `�`. What was committed to files of `others` only does not count.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn changed_files(&self, [before, after]: [&Snapshot; 2], others: &BTreeSet<PathBuf>, max: usize) -> Result<Vec<String>, GitError> {
        let mut changed = &self.committed_between(before.head(), after.head())? - others;
        let dirty: BTreeSet<&PathBuf> = before.dirty.keys().chain(after.dirty.keys()).collect();
        let mut budget = HASHED_BYTES;
        for path in dirty {
            let same = match (before.dirty.get(path), after.dirty.get(path)) {
                (Some(then), Some(now)) => then.same(now),
                // Clean again: reset or committed. The current content is unchanged, unless it was reset.
                (Some(then), None) => then.same(&State::read(&self.root().join(path), &mut budget)),
                // What nobody looked at before can't be known to be new.
                (None, now) => before.is_in_crowd(path) || now == Some(&State::Crowd),
            };
            let around = before.repository_around(path).or_else(|| after.repository_around(path));
            match (same, around) {
                (true, None) => drop(changed.remove(path)),
                (true, Some(_)) => {}
                (false, around) => drop(changed.insert(around.unwrap_or(path).to_owned())),
            }
        }
        Ok(changed.iter().take(max).map(|path| path.to_string_lossy().into_owned()).collect())
    }

    /// Changes of the uncommitted files among `paths` between two moments. Content that was committed unchanged is neither gone nor
    /// changed.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn uncommitted_work<'a>(
        &self,
        before: &Snapshot,
        after: &Snapshot,
        paths: impl IntoIterator<Item = &'a Path>,
    ) -> Result<PersonsWork, GitError> {
        let mut work = PersonsWork::default();
        let mut put_back = None;
        let mut budget = HASHED_BYTES;
        for path in paths {
            let Some(then) = before.dirty.get(path) else { continue };
            let now = after.dirty.get(path).cloned().unwrap_or_else(|| State::read(&self.root().join(path), &mut budget));
            if then.same(&now) || self.is_told_by_its_files([before, after], path, [then, &now]) {
                continue;
            }
            let is_gone = now == State::Missing
                || if matches!(now, State::Repository { .. }) || before.repository_around(path).is_some() {
                    !after.dirty.contains_key(path) && self.is_as_committed(before, path)?
                } else {
                    let differing = match &mut put_back {
                        Some(known) => known,
                        none => none.insert(self.differing_from(before.head())?),
                    };
                    differing.as_ref().is_some_and(|differing| !path.ancestors().any(|above| differing.contains(above)))
                };
            let list = if is_gone { &mut work.gone } else { &mut work.changed };
            list.push(path.to_string_lossy().into_owned());
        }
        Ok(work)
    }

    /// Whether nothing but files was uncommitted in a nested repository: one that stays is at the commit that the surrounding repository
    /// had or has for it; one that disappears has no change, and its commits are elsewhere.
    fn is_told_by_its_files(&self, moments: [&Snapshot; 2], path: &Path, [then, now]: [&State; 2]) -> bool {
        let State::Repository { head: then_head, is_linked, .. } = then else { return false };
        let [was, is] = moments.map(|moment| self.entry_of(moment, path));
        let is_held = was.is_none() || [was, is].contains(then_head);
        match now {
            State::Repository { head, .. } => head == then_head || is_held,
            State::Missing => *is_linked && then.is_clean_repository() && is_held,
            _ => false,
        }
    }

    /// The commit that the repository around a path has for the one there, at the moment of a snapshot.
    pub(crate) fn entry_of(&self, moment: &Snapshot, path: &Path) -> Option<String> {
        let (around, head, inside) = self.around(moment, path);
        let listed = around.reading().args(["--literal-pathspecs", "ls-tree", "-z", head?, "--"]).args([inside]).run().ok()?.text();
        Some(listed.strip_prefix("160000 commit ")?.split_once('\t')?.0.to_owned())
    }

    /// The innermost repository around a path, its commit at the moment of a snapshot, and the path from there.
    fn around<'p>(&self, moment: &'p Snapshot, path: &'p Path) -> (Repo, Option<&'p str>, &'p Path) {
        let inner = path.ancestors().skip(1).find_map(|above| match moment.dirty.get(above) {
            Some(State::Repository { head, .. }) => Some((above, head.as_deref())),
            _ => None,
        });
        match inner {
            Some((above, head)) => (Repo::at(self.root().join(above)), head, path.strip_prefix(above).unwrap_or(path)),
            None => (self.clone(), moment.head(), path),
        }
    }

    /// Whether a path is as the commit has it that was checked out around it at an earlier moment.
    fn is_as_committed(&self, before: &Snapshot, path: &Path) -> Result<bool, GitError> {
        let (around, head, inside) = self.around(before, path);
        let Some(head) = head else { return Ok(false) };
        Ok(around.diffing().env("GIT_LITERAL_PATHSPECS", "1").args(["--quiet", head, "--"]).args([inside]).run()?.success)
    }

    /// The files of the work tree that differ from a commit, including those it lacks, and folders with too many of those; `None` without
    /// such a commit.
    fn differing_from(&self, commit: Option<&str>) -> Result<Option<BTreeSet<PathBuf>>, GitError> {
        let Some(commit) = commit.filter(|commit| self.has_commit(commit).unwrap_or(false)) else { return Ok(None) };
        let tracked = self.diffing().args(["--name-only", "-z", "--no-renames", commit]).args(self.work()).output("diff")?;
        let mut differing: BTreeSet<PathBuf> =
            tracked.split(|&byte| byte == 0).filter(|path| !path.is_empty()).map(path_from_bytes).collect();
        let entries = Entries::within_bounds(self)?;
        differing.extend(entries.untracked.into_iter().chain(entries.crowds));
        differing.extend(self.hidden_from_status()?);
        Ok(Some(differing))
    }

    /// The first parent of a commit; `None` for a root commit.
    fn parent_of(&self, commit: Option<&str>) -> Result<Option<String>, GitError> {
        let Some(commit) = commit else { return Ok(None) };
        let found = self.reading().args(["rev-parse", "--verify", "--quiet", &format!("{commit}^")]).run()?;
        Ok(found.success.then(|| found.text().trim().to_owned()))
    }

    /// The paths in which two commits differ. If `before` is gone, those of the last commit.
    fn committed_between(&self, before: Option<&str>, after: Option<&str>) -> Result<BTreeSet<PathBuf>, GitError> {
        if before == after {
            return Ok(BTreeSet::new());
        }
        let base = match before {
            Some(before) if self.has_commit(before)? => Some(before.to_owned()),
            Some(_) => self.parent_of(after)?,
            None => None,
        };
        let base = base.map_or_else(|| self.empty_tree(), Ok)?;
        let target = after.map_or_else(|| self.empty_tree(), |after| Ok(after.to_owned()))?;
        let diff = self.reading().args(["diff-tree", "-r", "-z", "--name-only", "--no-renames", &base, &target]).args(self.work());
        Ok(diff.output("diff-tree")?.split(|&byte| byte == 0).filter(|path| !path.is_empty()).map(path_from_bytes).collect())
    }
}
