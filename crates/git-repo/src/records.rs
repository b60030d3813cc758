//! The records of work trees as git's own files hold them, so that no process is started for a list that every task needs several times
//! (gitrepository-layout(5), git-worktree(1)). Anything out of the ordinary is left to git.

use crate::paths::path_from_bytes;
use crate::plain::{self, NAME_BYTES, Place};
use std::path::{Path, PathBuf};

/// Git's reason for locking a work tree while creating it.
const INITIALIZING: &str = "initializing";

/// A work tree of a repository, as git knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worktree {
    /// Its root.
    pub path: PathBuf,
    /// HEAD; `None` before the first commit, and for a bare repository.
    pub head: Option<String>,
    /// The branch that is checked out; `None` when detached.
    pub branch: Option<String>,
    /// Whether it is the main one: never removed.
    pub is_main: bool,
    /// Whether it is locked against cleaning.
    pub locked: bool,
    /// Whether git was creating it, or was killed during that.
    pub unfinished: bool,
    /// Whether its folder is gone, was moved, or is another repository's, of which this one is a copy.
    pub missing: bool,
}

impl Worktree {
    /// Whether its files are not where git expects them: on a medium that is not there, moved by hand, or gone.
    pub fn is_away(&self) -> bool {
        self.missing || !self.is_main && !self.path.join(".git").exists()
    }

    pub(crate) fn read(record: &[u8], is_main: bool) -> Option<Worktree> {
        let mut lines = record.split(|&byte| byte == 0);
        let path = path_from_bytes(lines.next()?.strip_prefix(b"worktree ")?);
        let mut worktree = Worktree { path, is_main, ..Worktree::default() };
        for line in lines {
            let line = String::from_utf8_lossy(line);
            let (word, value) = line.split_once(' ').unwrap_or((&line, ""));
            match word {
                // Before the first commit git prints zeros.
                "HEAD" => worktree.head = Some(value.to_owned()).filter(|id| id.bytes().any(|byte| byte != b'0')),
                "branch" => worktree.branch = Some(value.strip_prefix("refs/heads/").unwrap_or(value).to_owned()),
                // Git's own lock during creation.
                "locked" if value == INITIALIZING => worktree.unfinished = true,
                "locked" => worktree.locked = true,
                "prunable" => worktree.missing = true,
                _ => {}
            }
        }
        worktree.missing |= !worktree.path.is_dir();
        Some(worktree)
    }
}

/// All work trees of the repository that the one with this root belongs to, the main one first and the others by path, as `git worktree
/// list` orders them; `None` if git has to be asked, also while a record is being written.
pub(crate) fn worktrees(root: &Path) -> Option<Vec<Worktree>> {
    let common = Place::of(root)?.common;
    let main = common.parent().filter(|_| common.file_name().is_some_and(|name| name == ".git"))?;
    let main = plain::work_tree(main)?;
    let found = checked_out(&common, &common)?;
    let mut all = Vec::new();
    let records = match std::fs::read_dir(common.join("worktrees")) {
        Ok(records) => Some(records),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(_) => return None,
    };
    for record in records.into_iter().flatten() {
        all.push(linked(&common, &record.ok()?.path())?);
    }
    all.sort_by(|one, other| one.path.cmp(&other.path));
    let first = Worktree { missing: !main.is_dir(), path: main, is_main: true, ..found };
    Some(std::iter::once(first).chain(all).collect())
}

/// A linked work tree by the folder of its record.
fn linked(common: &Path, record: &Path) -> Option<Worktree> {
    // Git writes the way back to the shared folder last.
    plain::read(&record.join("commondir"), NAME_BYTES).filter(|text| !text.is_empty())?;
    let place = plain::read(&record.join("gitdir"), NAME_BYTES)?;
    let dot = path_from_bytes(place.trim_ascii_end());
    let path = dot.parent().filter(|_| dot.is_absolute() && dot.file_name().is_some_and(|name| name == ".git"))?.to_owned();
    let lock = record.join("locked");
    let reason = if lock.symlink_metadata().is_ok() { Some(plain::read(&lock, NAME_BYTES)?) } else { None };
    let unfinished = reason.as_deref().is_some_and(|reason| reason.trim_ascii() == INITIALIZING.as_bytes());
    let locked = reason.is_some() && !unfinished;
    let missing = !path.is_dir() || (reason.is_none() && !dot.exists()) || Place::is_of_another(&path, common);
    Some(Worktree { path, locked, unfinished, missing, ..checked_out(common, record)? })
}

/// What is checked out in the work tree whose own git files are in `own`.
fn checked_out(common: &Path, own: &Path) -> Option<Worktree> {
    let place = Place { own: own.to_owned(), common: common.to_owned() };
    Some(Worktree { head: place.head()?, branch: place.branch()?, ..Worktree::default() })
}
