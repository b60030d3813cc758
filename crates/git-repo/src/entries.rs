//! What `git status` lists. The number of untracked files is bounded, so that one forgotten folder of packages does not keep a person's
//! other files from being looked at and saved: beyond the bound the most crowded folders become one entry each.

use crate::command::Git;
use crate::paths::path_from_bytes;
use crate::{GitError, Repo, except};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Timeout of a look at a whole work tree: on a cold or a network disk, and where files pass a slow filter, it takes minutes.
pub(crate) const LOOK_LIMIT: Duration = Duration::from_secs(300);
/// Untracked files that are listed one by one.
const MAX_FILES: usize = if cfg!(test) { 200 } else { 50_000 };
/// Numbers of files from which a folder counts as crowded, tried in turn: the fewer such folders, the less is left out of sight.
const CROWDED: [usize; 3] = if cfg!(test) { [50, 10, 1] } else { [1_000, 100, 1] };
/// How many lists are read, each without the crowds of the ones before, until one is not cut off.
const LISTS: u32 = 6;

/// The paths, from the root of the repository, that differ from HEAD.
#[derive(Default)]
pub(crate) struct Entries {
    pub tracked: Vec<PathBuf>,
    pub untracked: Vec<PathBuf>,
    /// Those of the tracked that are in conflict.
    pub unmerged: Vec<PathBuf>,
    /// Folders whose untracked files are too many to be listed.
    pub crowds: BTreeSet<PathBuf>,
    /// Folders whose untracked files are left out, as if git ignored them.
    pub generated: BTreeSet<PathBuf>,
    /// Whether there are more.
    pub cut: bool,
}

impl Entries {
    /// What differs, with as many untracked files as can be looked at.
    pub(crate) fn within_bounds(repo: &Repo) -> Result<Entries, GitError> {
        let mut entries = Entries::read(repo, &BTreeSet::new())?;
        for _ in 0..LISTS {
            let new = if entries.cut || entries.untracked.len() > MAX_FILES { crowds(&entries.untracked) } else { BTreeSet::new() };
            if new.is_empty() {
                break;
            }
            entries.crowds.extend(new);
            if entries.cut {
                let rest = Entries::read(repo, &entries.crowds)?;
                (entries.untracked, entries.cut) = (rest.untracked, rest.cut);
                entries.generated.extend(rest.generated);
            } else {
                let crowds = &entries.crowds;
                entries.untracked.retain(|file| !is_below(file, crowds));
            }
        }
        if entries.cut {
            // Even with folders as one entry each there are too many.
            entries.crowds.insert("./".into());
        }
        let outer = entries.crowds.clone();
        entries.crowds.retain(|crowd| !is_below(crowd, &outer));
        Ok(entries)
    }

    /// Runs `git status`, for all but some folders.
    pub(crate) fn read(repo: &Repo, without: &BTreeSet<PathBuf>) -> Result<Entries, GitError> {
        let status = ["status", "--porcelain=v2", "-z", "--no-renames", "--ignore-submodules=none", "--untracked-files=all"];
        let without = without.iter().map(|folder| except(folder));
        let found = Git::reading(repo.root()).within(LOOK_LIMIT).stoppable().args(status).args(repo.work()).args(without).run()?;
        if !found.success {
            return Err(found.into_error("status"));
        }
        let mut entries = Entries { cut: found.cut, ..Entries::default() };
        let mut records = found.stdout.split(|&byte| byte == 0).filter(|record| !record.is_empty()).peekable();
        while let Some(record) = records.next() {
            // The last record of truncated output is torn.
            if found.cut && records.peek().is_none() {
                break;
            }
            entries.add(record);
        }
        entries.generated = repo.generated(&entries.untracked)?;
        let generated = &entries.generated;
        entries.untracked.retain(|file| !is_below(file, generated));
        Ok(entries)
    }

    /// Whether nothing differs.
    pub(crate) fn is_empty(&self) -> bool {
        self.tracked.is_empty() && self.untracked.is_empty() && self.crowds.is_empty()
    }

    /// Adds one record: its kind, a fixed number of fields, and the rest is the path.
    fn add(&mut self, record: &[u8]) {
        let fields_before_path = match record.first() {
            Some(b'1') => 8,
            Some(b'u') => 10,
            Some(b'?') => 1,
            // Without rename detection the others are headers.
            _ => return,
        };
        let Some(path) = record.splitn(fields_before_path + 1, |&byte| byte == b' ').nth(fields_before_path) else { return };
        let path = path_from_bytes(path);
        if record.first() == Some(&b'u') {
            self.unmerged.push(path.clone());
        }
        let paths = if record.first() == Some(&b'?') { &mut self.untracked } else { &mut self.tracked };
        paths.push(path);
    }
}

/// The fewest folders without which the files are few enough, or all folders if there are still too many.
fn crowds(files: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut chosen = BTreeSet::new();
    for least in CROWDED {
        let mut left = files.len();
        chosen.clear();
        for (count, folder) in crowded(files, least) {
            if left > MAX_FILES {
                left -= count;
                // Written with a slash at its end, as git writes folders.
                chosen.insert(folder.join(""));
            }
        }
        if left <= MAX_FILES {
            break;
        }
    }
    chosen
}

/// The innermost folders that hold at least `least` files outside of any such folder further inside; those with the most files first.
fn crowded(files: &[PathBuf], least: usize) -> Vec<(usize, &Path)> {
    // The deepest come first.
    let place = |folder: &Path| Reverse(folder.components().count());
    let mut counts: BTreeMap<(Reverse<usize>, &Path), usize> = BTreeMap::new();
    for folder in files.iter().filter_map(|file| file.parent()) {
        *counts.entry((place(folder), folder)).or_default() += 1;
    }
    let mut found = Vec::new();
    while let Some(((_, folder), count)) = counts.pop_first() {
        // The root of the work tree has none.
        let Some(parent) = folder.parent() else { break };
        if count >= least {
            found.push((count, folder));
        } else {
            *counts.entry((place(parent), parent)).or_default() += count;
        }
    }
    found.sort_by_key(|(count, folder)| (Reverse(*count), *folder));
    found
}

/// Whether a path lies in one of some folders.
fn is_below(path: &Path, folders: &BTreeSet<PathBuf>) -> bool {
    path.ancestors().skip(1).any(|above| folders.contains(above))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_few_files_as_can_be_are_left_out_of_sight() {
        let files = |folders: &[(&str, usize)]| -> Vec<PathBuf> {
            folders.iter().flat_map(|(folder, count)| (0..*count).map(move |number| Path::new(folder).join(number.to_string()))).collect()
        };
        for (what, folders, expected) in [
            ("one folder", &[("node_modules", 201), ("src/new", 3)][..], &["node_modules"][..]),
            (
                "its packages",
                &[("app/node_modules/a", 40), ("app/node_modules/b", 45), ("app/node_modules/c", 190), ("app/src", 20)],
                &["app/node_modules/c"],
            ),
            ("small packages", &[("app/node_modules/a", 40), ("app/node_modules/b", 45), ("app/src", 9), ("data", 190)], &["data"]),
            ("many small ones", &[("m/a", 49), ("m/b", 49), ("m/c", 49), ("m/d", 49), ("m/e", 49)], &["m"]),
            ("nothing but small ones", &[("a", 49), ("b", 48), ("c", 49), ("d", 40), ("e", 40)], &["a"]),
            ("beside tracked ones", &[("", 150), ("a", 60)], &["a"]),
            ("no folder at all", &[("", 500)], &[]),
        ] {
            let expected: BTreeSet<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(crowds(&files(folders)), expected, "{what}");
        }
    }
}
