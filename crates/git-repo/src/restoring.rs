//! Restoring what a snapshot holds: what that would do to each file, which files can't be saved first, and doing it.

use crate::paths::{bytes_of_paths, path_from_bytes};
use crate::snapshot::{HASHED_BYTES, Snapshot, State};
use crate::verbatim::Verbatim;
use crate::{GitError, Repo};
use ralph_core::snapshot::SnapshotEffect;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What a restoration would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restoration {
    commit: String,
    write: Vec<Written>,
    remove: Vec<PathBuf>,
    /// Those of `write` that are written byte for byte.
    verbatim: Vec<Verbatim>,
}

/// A file that a restoration writes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Written {
    path: PathBuf,
    /// Its mode and object, as an index names them.
    entry: String,
}

impl Written {
    /// The folder of a repository inside is no file in whose place another one stands.
    fn is_repository(&self) -> bool {
        self.entry.starts_with("160000")
    }
}

/// Result of a restoration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RestoredFiles {
    /// Files that were written.
    pub written: Vec<String>,
    /// Files that were removed because the snapshot does not contain them.
    pub removed: Vec<String>,
}

impl Repo {
    /// What a restoration of the snapshot `name` would do: to all its files that differ from its parent commit, or to those in `only`,
    /// which may be folders.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long, and [`GitError::NotKept`] if there is no such snapshot.
    pub fn restoration(&self, name: &str, only: &[PathBuf]) -> Result<Restoration, GitError> {
        let commit = self.kept(name)?.ok_or_else(|| GitError::NotKept { name: name.to_owned() })?;
        let origins = self.origins_of(&commit)?;
        let parent = origins.base.map_or_else(|| self.empty_tree(), Ok)?;
        let is_chosen = |path: &Path| only.is_empty() || only.iter().any(|chosen| path.starts_with(chosen));
        let diff = self.reading().args(["diff-tree", "-r", "-z", "--no-renames", "--raw", &parent, &commit]).args(self.restorable());
        let diff = diff.output("diff-tree")?;
        let mut fields = diff.split(|&byte| byte == 0);
        let (mut write, mut remove) = (Vec::new(), Vec::new());
        while let (Some(status), Some(path)) = (fields.next().filter(|status| !status.is_empty()), fields.next()) {
            let path = path_from_bytes(path);
            if !is_chosen(&path) {
                continue;
            }
            if status.ends_with(b"D") {
                remove.push(path);
            } else {
                let status = String::from_utf8_lossy(status);
                let mut words = status.split(' ').skip(1);
                let (mode, object) = (words.next().unwrap_or_default(), words.nth(1).unwrap_or_default());
                write.push(Written { path, entry: format!("{mode} {object}") });
            }
        }
        let verbatim = origins.verbatim.map_or_else(|| Ok(Vec::new()), |kept| self.verbatim_files(&kept))?;
        let verbatim: Vec<Verbatim> = verbatim.into_iter().filter(|file| is_chosen(&file.path)).collect();
        // To git they may be as they were committed.
        let known: BTreeSet<PathBuf> = write.iter().map(|file| file.path.clone()).collect();
        let others = verbatim.iter().filter(|file| !known.contains(&file.path));
        write.extend(others.map(|file| Written { path: file.path.clone(), entry: format!("100644 {}", file.id) }));
        Ok(Restoration { commit, write, remove, verbatim })
    }

    /// What a restoration does to each of its files, in the order of their paths. `now` is [`Repo::snapshot_before`].
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn effects(&self, restoration: &Restoration, now: &Snapshot) -> Result<BTreeMap<PathBuf, SnapshotEffect>, GitError> {
        let (differing, lost) = (self.differing(restoration)?, self.lost_by(restoration, now));
        let written = |file: &Written| match self.in_the_place_of(&file.path) {
            None => SnapshotEffect::ComesBack,
            Some(there) if there != file.path || differing.contains(&file.path) => SnapshotEffect::Replaced,
            Some(_) => SnapshotEffect::Unchanged,
        };
        let removed = |path: &Path| match self.stands(path) && !self.below_link(path, &mut BTreeMap::new()) {
            true => SnapshotEffect::Removed,
            false => SnapshotEffect::Unchanged,
        };
        let written = restoration.write.iter().map(|file| (file.path.clone(), written(file)));
        let removed = restoration.remove.iter().map(|path| (path.clone(), removed(path)));
        let lost = lost.into_iter().map(|path| (path.to_owned(), SnapshotEffect::InTheWay));
        Ok(written.chain(removed).chain(lost).collect())
    }

    /// The files to be written whose content differs from what is in their place. A separate index compares them as git does:
    /// line ends and filters make no difference, except in files that are restored byte for byte.
    fn differing(&self, restoration: &Restoration) -> Result<BTreeSet<PathBuf>, GitError> {
        let mut differing = self.differing_verbatim(&restoration.verbatim)?;
        let verbatim: BTreeSet<&Path> = restoration.verbatim.iter().map(|file| file.path.as_path()).collect();
        let is_compared = |file: &&Written| !file.is_repository() && !verbatim.contains(file.path.as_path());
        let mut compared = restoration.write.iter().filter(is_compared).map(|file| (file.entry.as_str(), file.path.as_path())).peekable();
        if compared.peek().is_none() {
            return Ok(differing);
        }
        let index = self.scratch("compare")?;
        self.fill_index(&index, compared)?;
        let git = || self.quietly().index(index.path());
        // It fails where something differs.
        git().args(["update-index", "-q", "--refresh"]).run()?;
        let told = git().args(["diff-files", "-z", "--name-only"]).output("diff-files")?;
        differing.extend(told.split(|&byte| byte == 0).filter(|path| !path.is_empty()).map(path_from_bytes));
        Ok(differing)
    }

    /// What has to give way to a file: what is in its place, or a file or link in place of one of its parent folders.
    fn in_the_place_of<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        self.nearest(path).filter(|there| *there == path || !self.is_folder(there))
    }

    /// The nearest of a path and the folders above it where anything stands.
    fn nearest<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        path.ancestors().filter(|path| !path.as_os_str().is_empty()).find(|path| self.stands(path))
    }

    /// The work tree as it is, with everything that is in the way of a restoration: ignored files, too.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn snapshot_before(&self, restoration: &Restoration) -> Result<Snapshot, GitError> {
        let mut now = self.snapshot()?;
        let mut budget = HASHED_BYTES;
        for path in restoration.write.iter().map(|file| &file.path).chain(&restoration.remove) {
            // There may be a file where the snapshot has a folder.
            let Some(there) = self.nearest(path) else { continue };
            if !now.dirty.contains_key(there) {
                let state = State::read(&self.root().join(there), &mut budget);
                if matches!(state, State::File { .. } | State::Link(_)) {
                    now.dirty.insert(there.to_owned(), state);
                }
            }
        }
        Ok(now)
    }

    /// The files whose restoration would destroy something for good: folders and repositories in their places, and what no snapshot of
    /// `now` can hold.
    fn lost_by<'r>(&self, restoration: &'r Restoration, now: &Snapshot) -> Vec<&'r Path> {
        // In a crowded folder the files that are in the way were looked at one by one.
        let crowds: BTreeSet<&Path> = now.crowds().collect();
        let left_out: BTreeSet<PathBuf> = self.beyond_keeping(now).into_iter().map(PathBuf::from).collect();
        let is_left_out = |path: &Path| left_out.contains(path) && !crowds.contains(path);
        let is_in_the_way = |file: &Written| self.is_folder(&file.path) && !file.is_repository();
        let written = restoration.write.iter().filter(|file| is_in_the_way(file) || file.path.ancestors().any(is_left_out));
        let removed = restoration.remove.iter().filter(|path| is_left_out(path));
        written.map(|file| &file.path).chain(removed).map(PathBuf::as_path).collect()
    }

    fn stands(&self, path: &Path) -> bool {
        self.root().join(path).symlink_metadata().is_ok()
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.root().join(path).symlink_metadata().is_ok_and(|found| found.is_dir())
    }

    /// Carries out a restoration. The current content is replaced, so save it first.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn restore(&self, restoration: Restoration) -> Result<RestoredFiles, GitError> {
        let Restoration { commit, write, mut remove, verbatim } = restoration;
        let write: Vec<PathBuf> = write.into_iter().map(|file| file.path).collect();
        if !write.is_empty() {
            let index = self.scratch("restore")?;
            self.quietly().index(index.path()).args(["read-tree", &commit]).output("read-tree")?;
            let paths = bytes_of_paths(write.iter().map(PathBuf::as_path));
            self.quietly()
                .index(index.path())
                .args(["checkout-index", "--force", "-z", "--stdin"])
                .input(paths)
                .output("checkout-index")?;
            self.write_verbatim(&verbatim)?;
        }
        remove.retain(|path| !self.below_link(path, &mut BTreeMap::new()) && std::fs::remove_file(self.root().join(path)).is_ok());
        let names = |paths: Vec<PathBuf>| paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        Ok(RestoredFiles { written: names(write), removed: names(remove) })
    }
}
