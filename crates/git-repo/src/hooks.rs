//! Hooks outside of `.git/hooks`: `core.hooksPath` may name a folder among the files of a checkout, where each has its own, or any other.

use crate::command::Git;
use crate::digest::digest_of;
use crate::paths::path_from_bytes;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The folder in which husky writes the hooks that git runs; each runs the one of its name in the folder above.
const HUSKYS: &str = "_";

/// Who would notice a changed hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Held {
    /// Nobody reviews it: git ignores it, does not know it, or was told to overlook it.
    Nowhere,
    /// Who commits it, or looks at what is not committed.
    Index,
    /// Whoever looks at the commits.
    Commit,
}

/// A hook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hook {
    pub digest: String,
    pub held: Held,
}

/// The hooks in a folder, in the checkout at `root`, by their paths as they are configured.
pub(crate) fn hooks_in_effect(root: &Path, configured: &Path) -> BTreeMap<String, Hook> {
    let above = configured.parent().filter(|_| configured.file_name() == Some(OsStr::new(HUSKYS)));
    [Some(configured), above].into_iter().flatten().flat_map(|folder| hooks_of(root, folder)).collect()
}

fn hooks_of(root: &Path, configured: &Path) -> Vec<(String, Hook)> {
    let named = plain_files(&root.join(configured));
    if named.is_empty() {
        return Vec::new();
    }
    let held = Holding::of(root, &root.join(configured));
    let hook = |(name, path): (PathBuf, PathBuf)| {
        let hook = Hook { digest: digest_of(&path), held: held.of_file(&name) };
        (configured.join(name).to_string_lossy().into_owned(), hook)
    };
    named.into_iter().map(hook).collect()
}

/// The names and paths of what git could run in a folder. An unreadable folder has none.
pub(crate) fn plain_files(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()));
    let named = files.map(|entry| (PathBuf::from(entry.file_name()), entry.path()));
    named.filter(|(name, _)| !name.to_string_lossy().ends_with(".sample")).collect()
}

/// The files of a folder that git holds.
#[derive(Default)]
struct Holding {
    /// Those in the index, without what git was told to overlook.
    index: BTreeSet<PathBuf>,
    /// Those of them that differ from the commit that is checked out.
    differing: BTreeSet<PathBuf>,
    /// Whether the folder lies in the checkout itself: nobody else commits what is in another.
    is_inside: bool,
}

impl Holding {
    fn of(root: &Path, folder: &Path) -> Holding {
        let listed = |args: &[&str]| Git::reading(folder).args(args.iter().copied()).output("ls-files").ok();
        let Some(index) = listed(&["ls-files", "-v", "-z"]) else { return Holding::default() };
        let entries = index.split(|&byte| byte == 0);
        // Other letters mean assumed to be unchanged, or left out of the work tree.
        let index: BTreeSet<PathBuf> = entries.filter_map(|entry| entry.strip_prefix(b"H ")).map(path_from_bytes).collect();
        if index.is_empty() {
            return Holding::default();
        }
        let differing = ["diff", "--no-ext-diff", "--no-textconv", "--name-only", "--no-renames", "--relative", "-z", "HEAD", "--", "."];
        let differing = match listed(&differing) {
            Some(paths) => paths.split(|&byte| byte == 0).map(path_from_bytes).collect(),
            // Before the first commit.
            None => index.clone(),
        };
        let is_inside = matches!((crate::real_path(root), crate::real_path(folder)), (Ok(root), Ok(folder)) if folder.starts_with(&root));
        Holding { index, differing, is_inside }
    }

    fn of_file(&self, name: &Path) -> Held {
        match (self.index.contains(name), self.differing.contains(name)) {
            (true, false) => Held::Commit,
            (true, true) if self.is_inside => Held::Index,
            _ => Held::Nowhere,
        }
    }
}
