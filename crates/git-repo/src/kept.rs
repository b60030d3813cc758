//! Snapshots of uncommitted work: commits below `refs/ralph/`, made without touching the person's index or files.
//!
//! A snapshot's tree is the work tree, including untracked but not ignored files, and those of repositories inside; its parents are the
//! checked-out commit, if something else was staged a commit of the index, and one of the files that git would not give back as they were.
//! None of this is pushed by an ordinary push.

use crate::command::Git;
use crate::entries::LOOK_LIMIT;
use crate::paths::{bytes_of_paths, path_from_bytes};
use crate::plain::Place;
use crate::scratch::Scratch;
use crate::snapshot::{Snapshot, State};
use crate::{GitError, Repo};
use ralph_core::run::GitRemark;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Reference prefix of snapshots.
const PLACE: &str = "refs/ralph/snapshots/";
/// Reference prefix of commits that a branch or the stash lost.
const HELD: &str = "refs/ralph/held/";
/// Number of held commits beyond which those that something else refers to are released: nearly all belong to merged work.
const HELD_TURN: usize = 100;
/// Maximum number of held commits: what a month of much work leaves.
const HELD_COMMITS: usize = 2_000;
/// Maximum bytes of one file in a snapshot: larger ones are videos and disk images, which git would have to compress before each iteration.
const FILE_BYTES: u64 = 64 * 1_048_576;
/// Maximum bytes of all files in a snapshot.
const ALL_BYTES: u64 = 512 * 1_048_576;
/// The message of a snapshot; below it stands which of its parents are what.
const MESSAGE: &str = "Uncommitted work, kept by Ralph";
const STAGED: &str = "Staged: ";
const VERBATIM: &str = "Byte for byte: ";
/// Names that are tried if one is taken: another project of the same repository may use the same numbers.
const NAMES: u32 = 100;

/// A snapshot of uncommitted work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptWork {
    /// The name to restore it by.
    pub name: String,
    /// Its commit.
    pub commit: String,
    /// What is not in it: files that were too large or unreadable, nested repositories whose commits exist nowhere else, and `crowds`.
    pub left_out: Vec<String>,
    /// Folders with too many untracked files.
    pub crowds: Vec<String>,
}

/// What a snapshot was made of.
pub(crate) struct Origins {
    /// The commit that was checked out; `None` before the first.
    pub base: Option<String>,
    /// The files that git would not give back as they were.
    pub verbatim: Option<String>,
}

impl Repo {
    /// Saves the uncommitted work of `snapshot` under `name`, or under `name` with a number if that is taken.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long; then nothing is saved.
    pub fn keep(&self, snapshot: &Snapshot, name: &str) -> Result<KeptWork, GitError> {
        let (paths, left_out) = self.to_keep(snapshot);
        let index = self.scratch("index")?;
        let staged = self.staged_tree(&index)?;
        let base = match snapshot.head() {
            Some(head) => {
                self.quietly().index(index.path()).args(["read-tree", head]).output("read-tree")?;
                Some((head, self.tree_of(head)?))
            }
            None => {
                self.quietly().index(index.path()).args(["read-tree", "--empty"]).output("read-tree")?;
                None
            }
        };
        let add = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        self.quietly()
            .within(LOOK_LIMIT)
            .index(index.path())
            .args(add)
            .input(bytes_of_paths(paths.iter().copied()))
            .output("update-index")?;
        let tree = self.write_tree(index.path())?;
        let files = paths.into_iter().filter(|path| matches!(snapshot.dirty[*path], State::File { .. }));
        let verbatim = self.verbatim_tree(index.path(), &files.collect::<Vec<_>>())?;
        let mut parents: Vec<String> = base.iter().map(|(head, _)| (*head).to_owned()).collect();
        let mut message = MESSAGE.to_owned();
        // Staged content deserves a commit if it differs from both the commit and the work tree.
        if let Some(staged) = staged.filter(|staged| *staged != tree && base.as_ref().is_none_or(|(_, base)| staged != base)) {
            let staged = self.commit_tree(&staged, &parents, "What was staged")?;
            message += &format!("\n\n{STAGED}{staged}");
            parents.push(staged);
        }
        if let Some(verbatim) = verbatim {
            let verbatim = self.commit_tree(&verbatim, &[], "Byte for byte")?;
            message += &format!("\n\n{VERBATIM}{verbatim}");
            parents.push(verbatim);
        }
        let commit = self.commit_tree(&tree, &parents, &message)?;
        let crowds = snapshot.crowds().map(|path| path.to_string_lossy().into_owned()).collect();
        Ok(KeptWork { name: self.name_commit(name, &commit)?, commit, left_out, crowds })
    }

    /// What [`Repo::keep`] would leave out of `snapshot`, and what git does not look at: files in the place of a submodule.
    pub fn beyond_keeping(&self, snapshot: &Snapshot) -> Vec<String> {
        let mut beyond = self.to_keep(snapshot).1;
        beyond.extend(self.in_place_of_submodules().into_iter().map(|path| path.to_string_lossy().into_owned()));
        beyond
    }

    /// Ensures that `commit` is still saved under `name`, whatever an agent did to the reference.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long. A missing commit is no error.
    pub fn keep_on(&self, name: &str, commit: &str) -> Result<(), GitError> {
        if self.kept(name)?.as_deref() != Some(commit) && self.has_commit(commit)? {
            self.quietly().args(["update-ref", &format!("{PLACE}{name}"), commit]).output("update-ref")?;
        }
        Ok(())
    }

    /// Forgets a snapshot that nobody needs; if it is gone, or its name belongs to another one, that is not an error.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn forget(&self, kept: &KeptWork) -> Result<(), GitError> {
        self.quietly().args(["update-ref", "-d", &format!("{PLACE}{}", kept.name), &kept.commit]).run().map(drop)
    }

    /// The commit of the snapshot `name`.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn kept(&self, name: &str) -> Result<Option<String>, GitError> {
        // Those of errands begin with an `e`.
        let number = name.strip_prefix('e').unwrap_or(name);
        let is_name = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if !is_name {
            return Ok(None);
        }
        let found = self.reading().args(["rev-parse", "--verify", "--quiet", &format!("{PLACE}{name}^{{commit}}")]).run()?;
        Ok(found.success.then(|| found.text().trim().to_owned()))
    }

    /// The commit that a snapshot is the work since, and the one of its files byte for byte. Earlier versions wrote neither down, and kept none
    /// of those.
    pub(crate) fn origins_of(&self, snapshot: &str) -> Result<Origins, GitError> {
        let told = self.reading().args(["log", "--no-walk", "--format=%P%n%b", snapshot, "--"]).output("log")?;
        let told = String::from_utf8_lossy(&told);
        let (parents, notes) = told.split_once('\n').unwrap_or((&told, ""));
        let noted = |what: &str| notes.lines().find_map(|line| line.strip_prefix(what)).map(str::to_owned);
        let (staged, verbatim) = (noted(STAGED), noted(VERBATIM));
        let is_base = |parent: &&str| ![&staged, &verbatim].iter().any(|other| other.as_deref() == Some(*parent));
        Ok(Origins { base: parents.split_whitespace().find(is_base).map(str::to_owned), verbatim })
    }

    /// The names of all snapshots with their times in seconds since the epoch, newest first.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn all_kept(&self) -> Result<Vec<(String, i64)>, GitError> {
        let listed = ["for-each-ref", "--sort=-committerdate", "--format=%(refname) %(committerdate:unix)", PLACE];
        let listed = self.reading().args(listed).output("for-each-ref")?;
        let read = |line: &str| {
            let (name, made) = line.strip_prefix(PLACE)?.split_once(' ')?;
            Some((name.to_owned(), made.parse().unwrap_or(i64::MAX)))
        };
        Ok(String::from_utf8_lossy(&listed).lines().filter_map(read).collect())
    }

    /// Deletes snapshots from before `since` (in seconds since the epoch), all but the newest `most`, and of those that nobody was `told`
    /// of all but the newest `max`; also what processes left behind that were killed while taking one.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn forget_kept(&self, (max, most): (usize, usize), since: i64, told: &BTreeSet<String>) -> Result<(), GitError> {
        let (all, mut others) = (self.all_kept()?, 0);
        let old = all.iter().enumerate().filter(|(place, (name, made))| {
            let is_told = told.contains(name);
            others += usize::from(!is_told);
            *made < since || *place >= most || !is_told && others > max
        });
        self.delete_references(old.map(|(_, (name, _))| format!("{PLACE}{name}")))?;
        self.clear_scratch()
    }

    fn delete_references(&self, names: impl Iterator<Item = impl Display>) -> Result<(), GitError> {
        let orders: String = names.map(|name| format!("delete {name}\n")).collect();
        if !orders.is_empty() {
            self.quietly().args(["update-ref", "--stdin"]).input(orders.into_bytes()).output("update-ref")?;
        }
        Ok(())
    }

    /// Protects a commit that may be unreferenced from garbage collection.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long. A missing commit is no error.
    pub fn hold(&self, commit: &str) -> Result<(), GitError> {
        let name = format!("{HELD}{commit}");
        if Place::of(self.root()).and_then(|place| place.reference(&name)) == Some(Some(commit.to_owned())) {
            return Ok(());
        }
        if self.has_commit(commit)? {
            self.quietly().args(["update-ref", &name, commit]).output("update-ref")?;
            self.let_go(commit)?;
        }
        Ok(())
    }

    /// Bounds the number of held commits. `just_held` stays: a stash or a branch that was lost may be older than all others.
    fn let_go(&self, just_held: &str) -> Result<(), GitError> {
        let listed = ["for-each-ref", "--sort=-committerdate", "--format=%(objectname)", HELD];
        let listed = self.reading().args(listed).output("for-each-ref")?;
        let listed = String::from_utf8_lossy(&listed);
        let held: Vec<&str> = listed.lines().collect();
        let others = || held.iter().copied().filter(|commit| *commit != just_held);
        let reference = |commit: &str| format!("{HELD}{commit}");
        if held.len().is_multiple_of(HELD_TURN) {
            let not = ["--not", "--branches", "--tags", "--remotes"];
            let listed = self.reading().within(LOOK_LIMIT).args(["rev-list"]).args(&held).args(not).run();
            // If the list takes too long, or is incomplete, nothing is deleted.
            if let Some(listed) = listed.ok().filter(|listed| listed.success && !listed.cut) {
                let listed = listed.text();
                let alone: BTreeSet<&str> = listed.lines().collect();
                self.delete_references(others().filter(|commit| !alone.contains(commit)).map(reference))?;
            }
        }
        self.delete_references(others().skip(HELD_COMMITS).map(reference))
    }

    /// Protects the commits that the remarked-on changes may have left without a reference, see [`Repo::hold`].
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn hold_unreferenced(&self, remarks: &[GitRemark]) -> Result<(), GitError> {
        remarks.iter().flat_map(GitRemark::unreferenced).try_for_each(|commit| self.hold(commit))
    }

    /// A git command that changes nothing that belongs to the person, and runs no hooks.
    pub(crate) fn quietly(&self) -> Git {
        Git::writing(self.root()).args(["-c", "core.safecrlf=false", "-c", "gc.auto=0"])
    }

    /// The paths to save, and the names of omitted ones.
    fn to_keep<'a>(&self, snapshot: &'a Snapshot) -> (Vec<&'a Path>, Vec<String>) {
        let (mut paths, mut left_out, mut bytes) = (Vec::new(), Vec::new(), 0);
        let mut folders = BTreeMap::new();
        for (path, state) in &snapshot.dirty {
            let length = match state {
                State::Missing | State::Link(_) => 0,
                State::File { bytes, .. } if *bytes <= FILE_BYTES => *bytes,
                State::Repository { .. } if self.is_kept_by_its_files(snapshot, path, state) => continue,
                State::File { .. } | State::Repository { .. } | State::Crowd | State::Other => u64::MAX,
            };
            let whole = self.root().join(path);
            let readable = !matches!(state, State::File { .. }) || File::open(&whole).is_ok();
            if length > ALL_BYTES - bytes || !readable || self.below_link(path, &mut folders) {
                left_out.push(path.to_string_lossy().into_owned());
            } else {
                bytes += length;
                paths.push(path.as_path());
            }
        }
        (paths, left_out)
    }

    /// Whether nothing of a nested repository needs to be kept except its files, which are listed beside it: a snapshot has no commit of
    /// it.
    fn is_kept_by_its_files(&self, snapshot: &Snapshot, path: &Path, state: &State) -> bool {
        let State::Repository { head, .. } = state else { return false };
        let has_files = || snapshot.dirty.keys().any(|file| file != path && file.starts_with(path));
        let is_bumped = || self.entry_of(snapshot, path).is_some_and(|entry| head.as_ref() != Some(&entry));
        !self.holds_commits_alone(path) && !is_bumped() && (state.is_clean_repository() || has_files())
    }

    /// Whether commits of the repository at `path` would be deleted with its folder: those of a submodule are elsewhere.
    fn holds_commits_alone(&self, path: &Path) -> bool {
        let inner = Repo::at(self.root().join(path));
        inner.root.join(".git").is_dir() && inner.has_own_commits().unwrap_or(true)
    }

    /// Whether a folder above `path` is a symbolic link: git stores nothing beyond one. `folders` is a cache.
    pub(crate) fn below_link(&self, path: &Path, folders: &mut BTreeMap<PathBuf, bool>) -> bool {
        path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()).any(|folder| {
            if let Some(known) = folders.get(folder) {
                return *known;
            }
            let is_link = self.root().join(folder).symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
            folders.insert(folder.to_owned(), is_link);
            is_link
        })
    }

    /// The tree of the person's index; `None` if it has a conflict, or does not exist.
    fn staged_tree(&self, scratch: &Scratch) -> Result<Option<String>, GitError> {
        let path = self.reading().args(["rev-parse", "--git-path", "index"]).output("rev-parse")?;
        let path = self.root().join(path_from_bytes(path.strip_suffix(b"\n").unwrap_or(&path)));
        if std::fs::copy(path, scratch.path()).is_err() {
            return Ok(None);
        }
        let written = self.quietly().index(scratch.path()).args(["write-tree", "--missing-ok"]).run()?;
        Ok(written.success.then(|| written.text().trim().to_owned()))
    }

    pub(crate) fn write_tree(&self, index: &Path) -> Result<String, GitError> {
        let tree = self.quietly().index(index).args(["write-tree", "--missing-ok"]).output("write-tree")?;
        Ok(String::from_utf8_lossy(&tree).trim().to_owned())
    }

    pub(crate) fn tree_of(&self, commit: &str) -> Result<String, GitError> {
        let tree = self.reading().args(["rev-parse", "--verify", &format!("{commit}^{{tree}}")]).output("rev-parse")?;
        Ok(String::from_utf8_lossy(&tree).trim().to_owned())
    }

    fn commit_tree(&self, tree: &str, parents: &[String], message: &str) -> Result<String, GitError> {
        Repo::commit_tree_by(self.quietly(), tree, parents, message)
    }

    /// As Ralph's own commit, by a command that may know its time.
    pub(crate) fn commit_tree_by(git: Git, tree: &str, parents: &[String], message: &str) -> Result<String, GitError> {
        let author = ["-c", "user.name=Ralph", "-c", "user.email=ralph@localhost", "-c", "commit.gpgSign=false"];
        let parents = parents.iter().flat_map(|parent| ["-p", parent.as_str()]);
        let commit = git.args(author).args(["commit-tree", tree, "-m", message]).args(parents).output("commit-tree")?;
        Ok(String::from_utf8_lossy(&commit).trim().to_owned())
    }

    /// Stores a commit under the first free of `name`, `name.1`, `name.2` …
    fn name_commit(&self, name: &str, commit: &str) -> Result<String, GitError> {
        let mut number = 0;
        loop {
            let tried = if number == 0 { name.to_owned() } else { format!("{name}.{number}") };
            // The empty value requires that the reference does not exist yet.
            match self.quietly().args(["update-ref", &format!("{PLACE}{tried}"), commit, ""]).output("update-ref") {
                Ok(_) => return Ok(tried),
                Err(_) if number + 1 < NAMES && self.kept(&tried)?.is_some() => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// The folder of this work tree's own git files, absolute.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn git_folder(&self) -> Result<PathBuf, GitError> {
        if let Some(own) = Place::of(self.root()).map(|place| place.own) {
            return Ok(own);
        }
        let found = self.reading().args(["rev-parse", "--absolute-git-dir"]).output("rev-parse")?;
        Ok(path_from_bytes(found.strip_suffix(b"\n").unwrap_or(&found)))
    }
}
