//! Repositories inside a work tree: submodules, and what was cloned or created there. Their commits are in no commit of the surrounding
//! repository, and in a linked work tree they are deleted with it.

use crate::command::Git;
use crate::paths::path_from_bytes;
use crate::{GitError, Repo, Snapshot, plain};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the references of nested repositories are kept, below the name of the work tree that they were in.
const PLACE: &str = "refs/ralph/nested/";
/// The mode of an entry that is a repository.
const MODE: &str = "160000";
/// Time that a copy of their commits may take.
const COPY_LIMIT: Duration = Duration::from_secs(600);
/// Repositories within repositories that are followed.
const DEPTH: u32 = 4;

impl Repo {
    /// Whether `folder` is git's own: a bare repository, or what is in `.git`.
    pub fn is_git_folder(folder: &Path) -> bool {
        let found = Git::reading(folder).args(["rev-parse", "--is-inside-git-dir"]).run();
        found.is_ok_and(|found| found.success && found.text().trim() == "true")
    }

    /// Saves what exists only in repositories inside this work tree: commits that none of their remotes has, and uncommitted work as a
    /// snapshot with the name `name`. The commits of a submodule go to the main work tree's copy of it, so that they can be checked out
    /// there; others go to this repository itself. Ignored repositories are left out. `now` is the work tree as it is. Returns their paths.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long: then their content may exist nowhere else.
    pub fn keep_nested(&self, now: &Snapshot, name: &str) -> Result<Vec<String>, GitError> {
        self.keep_nested_down(now, name, DEPTH)
    }

    fn keep_nested_down(&self, now: &Snapshot, name: &str, depth: u32) -> Result<Vec<String>, GitError> {
        let mut kept = Vec::new();
        for path in self.nested(now)? {
            let inner = Repo::at(self.root().join(&path));
            let snapshot = inner.snapshot()?;
            if snapshot.is_dirty() {
                inner.keep(&snapshot, name)?;
            }
            if depth > 0 {
                inner.keep_nested_down(&snapshot, name, depth - 1)?;
            }
            if inner.has_own_commits()? {
                self.copy_from(&inner, &path)?;
                kept.push(path.to_string_lossy().into_owned());
            }
        }
        Ok(kept)
    }

    /// Paths that hold a repository of their own, tracked as one or not at all.
    fn nested(&self, now: &Snapshot) -> Result<BTreeSet<PathBuf>, GitError> {
        let others = ["ls-files", "-z", "--others", "--exclude-standard"];
        let others = if now.is_dirty() { self.reading().args(others).output("ls-files")? } else { Vec::new() };
        // An untracked repository is listed by git only as its folder, with a separator at the end.
        let others = others.split(|&byte| byte == 0).filter_map(|path| path.strip_suffix(b"/")).map(path_from_bytes);
        let paths: BTreeSet<PathBuf> = self.tracked_repositories()?.into_iter().chain(others).collect();
        Ok(paths.into_iter().filter(|path| is_repository(&self.root().join(path))).collect())
    }

    /// Paths that are repositories according to the index, whatever is there now.
    fn tracked_repositories(&self) -> Result<Vec<PathBuf>, GitError> {
        if plain::certainly_tracks_no_repository(self.root()) {
            return Ok(Vec::new());
        }
        let tracked = self.reading().args(["ls-files", "-z", "--stage"]).output("ls-files")?;
        let tracked = tracked.split(|&byte| byte == 0).filter(|entry| entry.starts_with(MODE.as_bytes()));
        Ok(tracked.filter_map(|entry| entry.splitn(2, |&byte| byte == b'\t').nth(1)).map(path_from_bytes).collect())
    }

    /// Submodules that are checked out here. A new work tree has their empty folders.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn submodules_here(&self) -> Result<Vec<PathBuf>, GitError> {
        let mut found = self.tracked_repositories()?;
        found.retain(|path| self.root().join(path).join(".git").exists());
        Ok(found)
    }

    /// Folders of submodules that are not checked out, and hold files all the same: to git there is nothing.
    pub(crate) fn in_place_of_submodules(&self) -> Vec<PathBuf> {
        let holds_files = |path: &PathBuf| {
            let folder = self.root().join(path);
            !folder.join(".git").exists() && folder.read_dir().is_ok_and(|mut entries| entries.next().is_some())
        };
        // Git answered a moment ago, and the caller already has its error from there.
        self.tracked_repositories().unwrap_or_default().into_iter().filter(holds_files).collect()
    }

    /// Whether a commit of it is in no remote that it knows.
    pub(crate) fn has_own_commits(&self) -> Result<bool, GitError> {
        let head = self.head()?;
        let stash = self.reading().args(["rev-parse", "--verify", "--quiet", "refs/stash"]).run()?.success;
        let named = head.iter().map(|_| "HEAD").chain(stash.then_some("refs/stash"));
        let all = ["rev-list", "--max-count=1", "--branches", "--glob=refs/ralph"];
        let own = self.reading().args(all).args(named).args(["--not", "--remotes"]).output("rev-list")?;
        Ok(!own.is_empty())
    }

    /// Copies every reference of a repository inside to where it outlives this work tree.
    fn copy_from(&self, inner: &Repo, path: &Path) -> Result<(), GitError> {
        let home = self.home_of(inner)?;
        let tree = self.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let place = format!("{PLACE}{}/{}", as_reference(&tree), as_reference(&path.to_string_lossy()));
        let mut specs = vec![format!("+refs/heads/*:{place}/heads/*"), format!("+refs/ralph/*:{place}/ralph/*")];
        if inner.head()?.is_some() {
            specs.push(format!("+HEAD:{place}/head"));
        }
        if inner.reading().args(["rev-parse", "--verify", "--quiet", "refs/stash"]).run()?.success {
            specs.push(format!("+refs/stash:{place}/stash"));
        }
        let fetch = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--no-auto-gc",
            "--upload-pack=git-upload-pack",
            "--",
        ];
        // No configuration may name another address for this folder, or another program to read it.
        let copy = Git::writing(&home).within(COPY_LIMIT).env("GIT_ALLOW_PROTOCOL", "file");
        copy.args(fetch).args([inner.root().as_os_str()]).args(specs).output("fetch").map(drop)
    }

    /// The repository of the main work tree for a submodule of this one, else that of this one.
    fn home_of(&self, inner: &Repo) -> Result<PathBuf, GitError> {
        let (own, common) = (self.git_folder()?, self.common_folder()?);
        let module = inner.git_folder()?.strip_prefix(&own).ok().map(|below| common.join(below));
        Ok(module.filter(|module| own != common && module.join("HEAD").is_file()).unwrap_or(common))
    }

    /// Repositories that `tip` has as entries without declaring them as submodules, and that `base` does not have: whoever checks out `tip`
    /// gets an empty folder.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
    pub fn undeclared_nested(&self, base: &str, tip: &str) -> Result<Vec<String>, GitError> {
        let listed = self.reading().args(["diff-tree", "-r", "-z", "--no-renames", base, tip]).output("diff-tree")?;
        let mut fields = listed.split(|&byte| byte == 0);
        let mut added = Vec::new();
        while let (Some(modes), Some(path)) = (fields.next().filter(|modes| !modes.is_empty()), fields.next()) {
            let modes = String::from_utf8_lossy(modes).into_owned();
            let mut modes = modes.trim_start_matches(':').split(' ');
            if modes.next() != Some(MODE) && modes.next() == Some(MODE) {
                added.push(path_from_bytes(path));
            }
        }
        if added.is_empty() {
            return Ok(Vec::new());
        }
        let file = format!("{tip}:.gitmodules");
        // Fails where there is no such file.
        let named = self.reading().args(["config", "-z", "--blob", &file, "--get-regexp", r"^submodule\..*\.path$"]).run()?;
        let named: BTreeSet<PathBuf> = if named.success {
            let entries = named.stdout.split(|&byte| byte == 0);
            entries.filter_map(|entry| entry.splitn(2, |&byte| byte == b'\n').nth(1)).map(path_from_bytes).collect()
        } else {
            BTreeSet::new()
        };
        Ok(added.into_iter().filter(|path| !named.contains(path)).map(|path| path.to_string_lossy().into_owned()).collect())
    }
}

pub(crate) fn is_repository(folder: &Path) -> bool {
    let real = folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    real && Repo::discover(folder).is_ok_and(|found| found.root().file_name() == folder.file_name() && folder.join(".git").exists())
}

/// A name as a part of a reference's name.
fn as_reference(name: &str) -> String {
    let plain = |one: char| if one.is_alphanumeric() || one == '_' { one } else { '-' };
    name.chars().map(plain).collect::<String>().trim_matches('-').to_owned()
}
