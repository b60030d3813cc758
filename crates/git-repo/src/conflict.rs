//! Conflicts of a merge, with what the two sides did to each file.

use crate::branch::Fork;
use crate::paths::path_from_bytes;
use crate::{GitError, Repo};
use ralph_core::conflict::{ConflictKind, FileConflict};
use std::collections::{BTreeMap, BTreeSet};

/// Git's words for kinds of conflicts.
const LINES: &[u8] = b"CONFLICT (contents)";
const BINARY: &[u8] = b"CONFLICT (binary)";
const RENAMES: &[u8] = b"CONFLICT (rename/rename)";

/// Which of the common ancestor, ours and theirs has a file.
pub(crate) type Stages = [bool; 3];

impl Repo {
    /// The files that would conflict if the work from `fork` to `tip` were merged into `base`, where `None` is the last commit that both
    /// share; empty if it merges cleanly. Touches no work tree.
    ///
    /// # Errors
    /// [`GitError::Failed`] if the two have no common history.
    pub fn conflicts(&self, fork: Option<&Fork>, base: &str, tip: &str) -> Result<Vec<FileConflict>, GitError> {
        let merged = self.merge_tree(fork.and_then(Fork::told), [base, tip], &[])?;
        match merged.told.code {
            Some(0) => Ok(Vec::new()),
            Some(1) => Ok(read_merged(&merged.told.stdout, &merged.sides)),
            _ => Err(merged.told.into_error("merge-tree")),
        }
    }

    /// The files that a merge into the base left unmerged here.
    pub(crate) fn unmerged(&self) -> Result<Vec<FileConflict>, GitError> {
        let stages = self.unmerged_stages()?;
        Ok(stages.into_iter().map(|(path, stages)| FileConflict { how: kind_of(stages, &BTreeSet::new()), path }).collect())
    }

    /// The files that are unmerged here, for whatever reason, with the sides that have each.
    pub(crate) fn unmerged_stages(&self) -> Result<BTreeMap<String, Stages>, GitError> {
        let listed = self.reading().args(["ls-files", "--unmerged", "--full-name", "-z", ":/"]).output("ls-files")?;
        Ok(read_stages(listed.split(|&byte| byte == 0)))
    }
}

/// Reads the output of `merge-tree`: a tree, what each file has in which stage, and messages with the files that each concerns.
fn read_merged(told: &[u8], sides: &[String; 2]) -> Vec<FileConflict> {
    let mut fields = told.split(|&byte| byte == 0).skip(1);
    let stages = read_stages(fields.by_ref().take_while(|field| !field.is_empty()));
    let mut kinds: BTreeMap<String, BTreeSet<&[u8]>> = BTreeMap::new();
    while let Some(count) = fields.next().and_then(|count| std::str::from_utf8(count).ok()?.parse().ok()) {
        let paths: Vec<String> = fields.by_ref().take(count).map(name_of).collect();
        let (Some(kind), Some(_words)) = (fields.next(), fields.next()) else { break };
        for path in paths {
            kinds.entry(path).or_default().insert(kind);
        }
    }
    let none = BTreeSet::new();
    let found = stages.into_iter().map(|(path, stages)| {
        let how = kind_of(stages, kinds.get(&path).unwrap_or(&none));
        // If the sides have different kinds of things at one path, git puts one of them beside it, named after its commit.
        let plain = path.rsplit_once('~').filter(|(_, side)| sides.iter().any(|name| name == side)).map(|(plain, _)| plain.to_owned());
        (plain.unwrap_or(path), how)
    });
    found.collect::<BTreeMap<_, _>>().into_iter().map(|(path, how)| FileConflict { path, how }).collect()
}

/// Reads entries of an index: mode, object, stage and path.
fn read_stages<'t>(entries: impl Iterator<Item = &'t [u8]>) -> BTreeMap<String, Stages> {
    let mut found: BTreeMap<String, Stages> = BTreeMap::new();
    for entry in entries {
        let Some(end) = entry.iter().position(|&byte| byte == b'\t') else { continue };
        let stage = entry[..end].last().and_then(|stage| usize::from(*stage).checked_sub(usize::from(b'1')));
        if let Some(has) = stage.and_then(|stage| found.entry(name_of(&entry[end + 1..])).or_default().get_mut(stage)) {
            *has = true;
        }
    }
    found
}

fn kind_of(stages: Stages, kinds: &BTreeSet<&[u8]>) -> ConflictKind {
    match stages {
        _ if kinds.contains(RENAMES) => ConflictKind::Renamed,
        [true, true, false] => ConflictKind::DeletedInWork,
        [true, false, true] => ConflictKind::DeletedInBase,
        [false, true, true] => ConflictKind::BothAdded,
        _ if kinds.contains(BINARY) => ConflictKind::Binary,
        _ if kinds.contains(LINES) => ConflictKind::SameLines,
        _ => ConflictKind::Other,
    }
}

fn name_of(path: &[u8]) -> String {
    path_from_bytes(path).to_string_lossy().into_owned()
}
