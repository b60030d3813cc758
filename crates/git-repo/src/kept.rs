//! Uncommitted work that is kept aside, and put back: a commit below `refs/ralph/`, made without touching the person's index or files.
//!
//! Its tree is the work tree, untracked files included and ignored ones left out; its parents are the checked-out commit and, where
//! something else was staged, a commit of the index. Nothing of it is pushed by an ordinary push.

use crate::command::{Git, bytes_of_paths, path_from_bytes};
use crate::snapshot::{Snapshot, State};
use crate::{GitError, OUTSIDE_RALPH, Repo};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Where what is kept lies.
const PLACE: &str = "refs/ralph/snapshots/";
/// Where commits are held that a branch or the stash lost.
const HELD: &str = "refs/ralph/held/";
/// Commits that are held.
const HELD_COMMITS: usize = 200;
/// Bytes of one file that is kept: beyond it lie videos and disk images, which git would have to compress before each iteration.
const FILE_BYTES: u64 = 64 * 1_048_576;
/// Bytes of all files that are kept.
const ALL_BYTES: u64 = 512 * 1_048_576;
/// Names that are tried where one is taken: another project of the same repository may count as this one does.
const NAMES: u32 = 100;

/// Work that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptWork {
    /// The name to restore it by.
    pub name: String,
    /// Its commit.
    pub commit: String,
    /// Files that are too large, or could not be read.
    pub left_out: Vec<String>,
}

/// What was put back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RestoredFiles {
    /// Files that were written.
    pub written: Vec<String>,
    /// Files that were removed, as they were when it was kept.
    pub removed: Vec<String>,
}

impl Repo {
    /// Keeps the uncommitted work of `snapshot` under `name`, or under `name` with a number where that is taken.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long; then nothing is kept.
    pub fn keep(&self, snapshot: &Snapshot, name: &str) -> Result<KeptWork, GitError> {
        let (paths, left_out) = self.to_keep(snapshot);
        let folder = self.git_folder()?;
        let index = Scratch(folder.join(format!("ralph-index-{}", std::process::id())));
        let staged = self.staged_tree(&index)?;
        let base = match snapshot.head() {
            Some(head) => {
                self.quietly().index(&index.0).args(["read-tree", head]).output("read-tree")?;
                Some((head, self.tree_of(head)?))
            }
            None => {
                self.quietly().index(&index.0).args(["read-tree", "--empty"]).output("read-tree")?;
                None
            }
        };
        let add = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        self.quietly().index(&index.0).args(add).input(bytes_of_paths(paths)).output("update-index")?;
        let tree = self.write_tree(&index.0)?;
        let mut parents: Vec<String> = base.iter().map(|(head, _)| (*head).to_owned()).collect();
        // What was staged is worth a commit where it is neither what was committed nor what lies in the work tree.
        if let Some(staged) = staged.filter(|staged| *staged != tree && base.as_ref().is_none_or(|(_, base)| staged != base)) {
            parents.push(self.commit_tree(&staged, &parents, "What was staged")?);
        }
        let commit = self.commit_tree(&tree, &parents, "Uncommitted work, kept by Ralph")?;
        Ok(KeptWork { name: self.name_commit(name, &commit)?, commit, left_out })
    }

    /// Sees to it that `commit` is still kept under `name`, whatever an agent did to the reference.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long. A commit that is gone is no fault.
    pub fn keep_on(&self, name: &str, commit: &str) -> Result<(), GitError> {
        if self.kept(name)?.as_deref() != Some(commit) && self.has_commit(commit)? {
            self.quietly().args(["update-ref", &format!("{PLACE}{name}"), commit]).output("update-ref")?;
        }
        Ok(())
    }

    /// Puts back what was kept under `name`: all files of it that differ from the commit it was made on, or those of `only`, which may be
    /// folders. What stands there now is replaced, so keep it first.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long, and [`GitError::NotKept`] when there is nothing of that name.
    pub fn restore(&self, name: &str, only: &[PathBuf]) -> Result<RestoredFiles, GitError> {
        let commit = self.kept(name)?.ok_or_else(|| GitError::NotKept { name: name.to_owned() })?;
        let parent = self.reading().args(["rev-parse", "--verify", "--quiet", &format!("{commit}^1")]).run()?;
        let parent = if parent.success { parent.text().trim().to_owned() } else { self.empty_tree()? };
        let diff = self.reading().args(["diff-tree", "-r", "-z", "--no-renames", "--name-status", &parent, &commit]).args(OUTSIDE_RALPH);
        let diff = diff.output("diff-tree")?;
        let mut fields = diff.split(|&byte| byte == 0);
        let (mut write, mut remove) = (Vec::new(), Vec::new());
        while let (Some(status), Some(path)) = (fields.next().filter(|status| !status.is_empty()), fields.next()) {
            let path = path_from_bytes(path);
            if only.is_empty() || only.iter().any(|chosen| path.starts_with(chosen)) {
                if status == b"D" { remove.push(path) } else { write.push(path) }
            }
        }
        if !write.is_empty() {
            let index = Scratch(self.git_folder()?.join(format!("ralph-restore-{}", std::process::id())));
            self.quietly().index(&index.0).args(["read-tree", &commit]).output("read-tree")?;
            let paths = bytes_of_paths(write.iter().map(PathBuf::as_path));
            self.quietly().index(&index.0).args(["checkout-index", "--force", "-z", "--stdin"]).input(paths).output("checkout-index")?;
        }
        remove.retain(|path| !self.below_link(path, &mut BTreeMap::new()) && std::fs::remove_file(self.root().join(path)).is_ok());
        let names = |paths: Vec<PathBuf>| paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        Ok(RestoredFiles { written: names(write), removed: names(remove) })
    }

    /// The commit that is kept under `name`.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
    pub fn kept(&self, name: &str) -> Result<Option<String>, GitError> {
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if !is_name {
            return Ok(None);
        }
        let found = self.reading().args(["rev-parse", "--verify", "--quiet", &format!("{PLACE}{name}^{{commit}}")]).run()?;
        Ok(found.success.then(|| found.text().trim().to_owned()))
    }

    /// The names of all that is kept, with the second of the epoch in which each was made, newest first.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
    pub fn all_kept(&self) -> Result<Vec<(String, i64)>, GitError> {
        let listed = ["for-each-ref", "--sort=-committerdate", "--format=%(refname) %(committerdate:unix)", PLACE];
        let listed = self.reading().args(listed).output("for-each-ref")?;
        let read = |line: &str| {
            let (name, made) = line.strip_prefix(PLACE)?.split_once(' ')?;
            Some((name.to_owned(), made.parse().unwrap_or(i64::MAX)))
        };
        Ok(String::from_utf8_lossy(&listed).lines().filter_map(read).collect())
    }

    /// Forgets what was made before the second `since` of the epoch, and all but the newest `max`.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
    pub fn forget_kept(&self, max: usize, since: i64) -> Result<(), GitError> {
        let all = self.all_kept()?;
        let old = all.iter().enumerate().filter(|(place, (_, made))| *place >= max || *made < since);
        let orders: String = old.map(|(_, (name, _))| format!("delete {PLACE}{name}\n")).collect();
        if !orders.is_empty() {
            self.quietly().args(["update-ref", "--stdin"]).input(orders.into_bytes()).output("update-ref")?;
        }
        Ok(())
    }

    /// Keeps a commit that nothing may refer to any more from being cleaned up.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long. A commit that is gone is no fault.
    pub fn hold(&self, commit: &str) -> Result<(), GitError> {
        if self.has_commit(commit)? {
            self.quietly().args(["update-ref", &format!("{HELD}{commit}"), commit]).output("update-ref")?;
            let listed =
                self.reading().args(["for-each-ref", "--sort=-committerdate", "--format=%(refname)", HELD]).output("for-each-ref")?;
            let listed = String::from_utf8_lossy(&listed);
            let orders: String = listed.lines().skip(HELD_COMMITS).map(|name| format!("delete {name}\n")).collect();
            if !orders.is_empty() {
                self.quietly().args(["update-ref", "--stdin"]).input(orders.into_bytes()).output("update-ref")?;
            }
        }
        Ok(())
    }

    /// A git command that changes nothing of the person's, and starts no hook.
    fn quietly(&self) -> Git {
        Git::writing(self.root()).args(["-c", "core.hooksPath=/dev/null", "-c", "core.safecrlf=false", "-c", "gc.auto=0"])
    }

    /// The paths that are kept, and the names of those that are left out.
    fn to_keep<'a>(&self, snapshot: &'a Snapshot) -> (Vec<&'a Path>, Vec<String>) {
        let (mut paths, mut left_out, mut bytes) = (Vec::new(), Vec::new(), 0);
        let mut folders = BTreeMap::new();
        for (path, state) in &snapshot.dirty {
            let length = match state {
                State::Missing | State::Link(_) => 0,
                State::File { bytes, .. } if *bytes <= FILE_BYTES => *bytes,
                State::File { .. } | State::Repository { .. } | State::Other => u64::MAX,
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

    /// Whether a folder above `path` is a symbolic link: git keeps nothing beyond one. `folders` remembers what was looked at.
    fn below_link(&self, path: &Path, folders: &mut BTreeMap<PathBuf, bool>) -> bool {
        path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()).any(|folder| {
            if let Some(known) = folders.get(folder) {
                return *known;
            }
            let is_link = self.root().join(folder).symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
            folders.insert(folder.to_owned(), is_link);
            is_link
        })
    }

    /// The tree of the person's index; `None` while it holds a conflict, or where there is none.
    fn staged_tree(&self, scratch: &Scratch) -> Result<Option<String>, GitError> {
        let path = self.reading().args(["rev-parse", "--git-path", "index"]).output("rev-parse")?;
        let path = self.root().join(path_from_bytes(path.strip_suffix(b"\n").unwrap_or(&path)));
        if std::fs::copy(path, &scratch.0).is_err() {
            return Ok(None);
        }
        let written = self.quietly().index(&scratch.0).args(["write-tree", "--missing-ok"]).run()?;
        Ok(written.success.then(|| written.text().trim().to_owned()))
    }

    fn write_tree(&self, index: &Path) -> Result<String, GitError> {
        let tree = self.quietly().index(index).args(["write-tree", "--missing-ok"]).output("write-tree")?;
        Ok(String::from_utf8_lossy(&tree).trim().to_owned())
    }

    fn tree_of(&self, commit: &str) -> Result<String, GitError> {
        let tree = self.reading().args(["rev-parse", "--verify", &format!("{commit}^{{tree}}")]).output("rev-parse")?;
        Ok(String::from_utf8_lossy(&tree).trim().to_owned())
    }

    fn commit_tree(&self, tree: &str, parents: &[String], message: &str) -> Result<String, GitError> {
        let author = ["-c", "user.name=Ralph", "-c", "user.email=ralph@localhost", "-c", "commit.gpgSign=false"];
        let parents = parents.iter().flat_map(|parent| ["-p", parent.as_str()]);
        let commit = self.quietly().args(author).args(["commit-tree", tree, "-m", message]).args(parents).output("commit-tree")?;
        Ok(String::from_utf8_lossy(&commit).trim().to_owned())
    }

    /// Gives a commit the first of `name`, `name.1`, `name.2` … that is free.
    fn name_commit(&self, name: &str, commit: &str) -> Result<String, GitError> {
        let mut refused = GitError::NotKept { name: name.to_owned() };
        for number in 0..NAMES {
            let tried = if number == 0 { name.to_owned() } else { format!("{name}.{number}") };
            // The empty value says that there must be none yet.
            match self.quietly().args(["update-ref", &format!("{PLACE}{tried}"), commit, ""]).output("update-ref") {
                Ok(_) => return Ok(tried),
                Err(error) if self.kept(&tried)?.is_some() => refused = error,
                Err(error) => return Err(error),
            }
        }
        Err(refused)
    }

    /// The folder of this work tree's own git files.
    fn git_folder(&self) -> Result<PathBuf, GitError> {
        let found = self.reading().args(["rev-parse", "--absolute-git-dir"]).output("rev-parse")?;
        Ok(path_from_bytes(found.strip_suffix(b"\n").unwrap_or(&found)))
    }
}

/// A file that is gone when it is dropped.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // It may never have been made.
        let _ = std::fs::remove_file(&self.0);
    }
}
