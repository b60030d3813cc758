//! Copies of the whole database, made by SQLite itself (`VACUUM INTO`). A copy gets its final name once it is complete and synced, so that
//! neither a kill nor a full disk leaves a torn file that looks like a copy or displaces a good one.

use crate::error::{DbError, Result};
use crate::log::{FILES, bring_log_into_file, has_log, looks_whole, open_copy, open_sound};
use crate::place::{beside, immutable_uri, io, private_file};
use crate::schema::{Domain, refuse_newer};
use ralph_core::limits;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Name of the backup folder.
pub(crate) const FOLDER: &str = "backups";
/// Prefix of copies of `eval.db`, which are not copies of a project.
const EVALUATION: &str = "evaluation";
/// Used instead of a number while a copy is being made.
const UNFINISHED: &str = ".unfinished";

/// Why a copy is made: the first part of its file name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupReason {
    /// Before the schema changes.
    Migration,
    /// Before knowledge is restored from the journals.
    Rebuild,
    /// Before learnings are compared by vectors for the first time.
    Reconcile,
    /// After a run, or on a person's request.
    Regular,
    /// A copy of `eval.db`, made whenever the project's database is copied on a person's request, and before its schema changes.
    Evaluation,
}

impl BackupReason {
    fn as_str(self) -> &'static str {
        match self {
            BackupReason::Migration => "migration",
            BackupReason::Rebuild => "rebuild",
            BackupReason::Reconcile => "reconcile",
            BackupReason::Regular => "regular",
            BackupReason::Evaluation => EVALUATION,
        }
    }
}

/// Content of a sound copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyFacts {
    /// Features.
    pub features: u32,
    /// Tasks.
    pub tasks: u32,
    /// Learnings in any state.
    pub learnings: u32,
    /// Number of the last iteration; 0 if there was none.
    pub last_iteration: u32,
    /// Which database it is a copy of; `None` in copies of earlier versions.
    pub replica: Option<String>,
}

/// As [`Writer::backup`], for a connection that is not yet a writer.
pub(crate) fn vacuum_into(connection: &Connection, folder: &Path, reason: BackupReason) -> Result<PathBuf> {
    let make = |path: &Path| Ok(connection.execute("VACUUM INTO ?1", [path.to_string_lossy()]).map(drop)?);
    store(folder, reason.as_str(), limits::BACKUPS_KEPT, make)
}

/// Stores a sound copy in `folder/backups` elsewhere, keeping the newest [`limits::BACKUPS_KEPT_OUTSIDE`] there. For holders of the right to
/// write, as all who make copies are.
pub fn store_copy(copy: &Path, folder: &Path, reason: BackupReason) -> Result<PathBuf> {
    store(folder, reason.as_str(), limits::BACKUPS_KEPT_OUTSIDE, |path| duplicate(copy, path))
}

/// Sets a database aside under an unused name beside it: as one whole file or, if it can't be opened, its files under one number, so that
/// they still belong together, and none is taken for part of a database that was set aside before.
pub fn put_aside(path: &Path) -> Result<()> {
    let is_brought = bring_log_into_file(path).is_ok();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let aside = |number: u32| path.with_file_name(format!("aside-{number:05}-{name}"));
    let is_there = |path: &Path, ending: &&&str| beside(path, ending).symlink_metadata().is_ok();
    let free = (1..).map(aside).find(|aside| !FILES.iter().any(|ending| is_there(aside, &ending)));
    let aside = free.expect("one of four thousand million names is free");
    if !is_brought && open_sound(path).is_ok() {
        // Others have it open. A kill between several renames would separate the file from what is only in its log.
        put_in_place(path, &aside, || Ok::<_, DbError>(()))?;
        // The file first: without it the others are of no use to anybody who finds them.
        return FILES.iter().rev().try_for_each(|ending| remove(&beside(path, ending)));
    }
    for ending in FILES.iter().filter(|ending| is_there(path, ending)) {
        std::fs::rename(beside(path, ending), beside(&aside, ending)).map_err(|source| io(path, source))?;
    }
    Ok(())
}

/// Puts a sound copy in a database's place: first next to it, then by one rename. `make_room` moves the existing file away, and is called
/// only once the copy is on disk next to it, so that a failed copy never loses the existing database.
pub fn put_in_place<E: From<DbError>>(
    copy: &Path,
    path: &Path,
    make_room: impl FnOnce() -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    put(path, |beside| duplicate(copy, beside), make_room)
}

/// The same for what `make` writes into an empty file.
pub(crate) fn put<E: From<DbError>>(
    path: &Path,
    make: impl FnOnce(&Path) -> Result<()>,
    make_room: impl FnOnce() -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let beside = beside(path, UNFINISHED);
    let put = (|| {
        remove(&beside)?;
        private_file(&beside)?;
        make(&beside)?;
        open_sound(&beside)?;
        // Done first, so that the place is empty for as short as possible.
        sync(&beside)?;
        make_room()?;
        Ok(finish(&beside, path)?)
    })();
    if put.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    put
}

/// Replaces a copy by the result of `change` on a duplicate of it: first next to it, then by one rename. It keeps its time, by which a
/// restoration chooses.
pub(crate) fn replace_copy(copy: &Path, change: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let beside = beside(copy, UNFINISHED);
    let replaced = (|| {
        let made = copy.metadata().and_then(|found| found.modified()).map_err(|source| io(copy, source))?;
        // It would be taken for the log of the new one.
        bring_log_into_file(copy)?;
        remove(&beside)?;
        private_file(&beside)?;
        duplicate(copy, &beside)?;
        change(&beside)?;
        open_sound(&beside)?;
        File::options().write(true).open(&beside).and_then(|file| file.set_modified(made)).map_err(|source| io(&beside, source))?;
        finish(&beside, copy)
    })();
    if replaced.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    replaced
}

/// Checks whether a copy is sound, and returns its content. Never changes it.
pub fn look_at_copy(path: &Path) -> Result<CopyFacts> {
    let looked = open_sound(path).and_then(|connection| facts(&connection));
    // A file without the tables, or that can't be read to its end, is not a copy of a project.
    looked.map_err(|_| DbError::Damaged { path: path.to_owned() })
}

pub(crate) fn facts(connection: &Connection) -> Result<CopyFacts> {
    let count = |table: &str| connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, u32>(0));
    Ok(CopyFacts {
        features: count("features")?,
        tasks: count("tasks")?,
        learnings: count("memories")?,
        last_iteration: connection.query_row("SELECT coalesce(max(id), 0) FROM iterations", [], |row| row.get(0))?,
        replica: connection.query_row("SELECT value FROM meta WHERE key = 'replica'", [], |row| row.get(0)).optional()?,
    })
}

/// The same for a copy that is to replace a database: one that a newer Ralph wrote is refused, since nothing could open it there.
pub fn look_at_usable_copy(path: &Path) -> Result<CopyFacts> {
    let facts = look_at_copy(path)?;
    refuse_newer(&open_copy(path)?, Domain::Project)?;
    Ok(facts)
}

/// Whether a file is a sound database of another kind: the records of retrieval, which hold nothing of the project.
pub fn is_evaluation_copy(path: &Path) -> bool {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let tables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('queries', 'selections', 'comparisons')";
    let found = Connection::open_with_flags(immutable_uri(path), flags).and_then(|c| c.query_row(tables, [], |row| row.get::<_, u32>(0)));
    found.is_ok_and(|tables| tables == 3)
}

/// The finished copies of a project in `folder/backups`, in no order.
pub fn copies(folder: &Path) -> Vec<PathBuf> {
    let is_of_project = |path: &PathBuf| path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with(EVALUATION));
    all_copies(folder).into_iter().filter(is_of_project).collect()
}

/// The same with the copies of its `eval.db`. What is not a plain file does not count: a link could lead anywhere.
pub fn all_copies(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join(FOLDER)).into_iter().flatten().flatten();
    let plain = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    plain.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "db")).collect()
}

/// Removes unfinished copies that killed processes left in a folder: each is as large as the database, and contains its texts. Whoever
/// makes a copy of the same database holds the right to write, so nobody is making one now; `eval.db` has writers of its own.
pub(crate) fn remove_unfinished(folder: &Path, of_evaluation: bool) {
    // A link could lead anywhere.
    let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    for entry in is_folder.then(|| std::fs::read_dir(folder).ok()).flatten().into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_unfinished = name.ends_with(UNFINISHED) || name.ends_with(&format!("{UNFINISHED}-journal"));
        if is_unfinished && name.starts_with(EVALUATION) == of_evaluation {
            // What can't be removed is found again by the next copy.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn store(folder: &Path, prefix: &str, kept: usize, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let backups = folder.join(FOLDER);
    // Never parent folders: if a project was moved away, nothing is recreated.
    match std::fs::create_dir(&backups) {
        Err(source) if source.kind() != std::io::ErrorKind::AlreadyExists => return Err(io(&backups, source)),
        _ => {}
    }
    remove_unfinished(&backups, prefix == EVALUATION);
    let prefix = format!("{prefix}-");
    let mut existing: Vec<u32> = numbers(&backups, &prefix).map_err(|source| io(&backups, source))?;
    existing.sort_unstable();
    let name = |number: u32| backups.join(format!("{prefix}{number:05}.db"));
    let path = name(existing.last().map_or(1, |n| n + 1));
    let unfinished = backups.join(format!("{prefix}{}{UNFINISHED}", std::process::id()));
    let made = (|| {
        // Created before it is filled, so that nobody else can ever read it.
        private_file(&unfinished)?;
        make(&unfinished)?;
        open_sound(&unfinished)?;
        finish(&unfinished, &path)
    })();
    if made.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    made?;
    // Torn ones, from earlier versions, don't displace good ones.
    let good: Vec<PathBuf> = existing.into_iter().map(name).filter(|old| looks_whole(old)).collect();
    for old in good.iter().take((good.len() + 1).saturating_sub(kept)) {
        // Failing to remove an old copy is not a reason to fail the new one.
        let _ = std::fs::remove_file(old);
    }
    Ok(path)
}

/// Syncs a finished file, renames it, then syncs the folder.
fn finish(unfinished: &Path, path: &Path) -> Result<()> {
    sync(unfinished)?;
    std::fs::rename(unfinished, path).map_err(|source| io(path, source))?;
    // Windows can't sync folders; there the rename itself is enough.
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|source| io(folder, source))?;
    }
    Ok(())
}

/// Opened for writing, without which Windows syncs no file.
fn sync(path: &Path) -> Result<()> {
    File::options().write(true).open(path).and_then(|file| file.sync_all()).map_err(|source| io(path, source))
}

fn duplicate(from: &Path, to: &Path) -> Result<()> {
    if has_log(from)? {
        return Ok(open_copy(from)?.execute("VACUUM INTO ?1", [to.to_string_lossy()]).map(drop)?);
    }
    let mut source = File::open(from).map_err(|fault| io(from, fault))?;
    let mut target = File::options().write(true).truncate(true).open(to).map_err(|fault| io(to, fault))?;
    std::io::copy(&mut source, &mut target).map_err(|fault| io(to, fault))?;
    Ok(())
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(io(path, source)),
        _ => Ok(()),
    }
}

fn numbers(folder: &Path, prefix: &str) -> std::io::Result<Vec<u32>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number: Option<u32> = name.to_str().and_then(|n| n.strip_prefix(prefix)?.strip_suffix(".db")?.parse().ok());
        found.extend(number);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Db;

    #[test]
    fn a_torn_copy_is_none_and_pushes_no_good_one_out() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let db = Db::open(&folder.path().join("ralph.db")).expect("opens");
        let copy = || db.writer().expect("a turn").backup(folder.path(), BackupReason::Regular).expect("copies");
        let first = copy();
        assert!(look_at_copy(&first).is_ok());
        // As left by kills: the name, with no or partial content.
        let whole = std::fs::read(&first).expect("reads");
        for (number, length) in (2..20).zip([0, 100, 4_096, whole.len() / 2].into_iter().cycle()) {
            let torn = folder.path().join(format!("backups/regular-{number:05}.db"));
            std::fs::write(&torn, &whole[..length]).expect("writes");
            assert!(look_at_copy(&torn).is_err(), "{length} bytes");
        }
        let second = copy();
        assert!(first.exists() && look_at_copy(&second).is_ok(), "the only good one is still there");
        for _ in 0..limits::BACKUPS_KEPT {
            copy();
        }
        let good = copies(folder.path()).into_iter().filter(|path| look_at_copy(path).is_ok()).count();
        assert_eq!((good, first.exists()), (limits::BACKUPS_KEPT, false), "good ones make room for each other");
    }

    #[test]
    fn a_copy_that_fails_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let failed = store(folder.path(), "regular", 7, |path| {
            std::fs::write(path, b"half of it").expect("writes");
            Err(DbError::DiskFull)
        });
        assert!(matches!(failed, Err(DbError::DiskFull)));
        let torn = store(folder.path(), "regular", 7, |path| std::fs::write(path, b"half of it").map_err(|source| io(path, source)));
        assert!(torn.is_err(), "what is not a whole database gets no name");
        assert_eq!(std::fs::read_dir(folder.path().join("backups")).expect("lists").count(), 0);
    }

    #[test]
    fn what_a_kill_left_of_a_copy_is_removed_by_the_next_one() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let db = Db::open(&folder.path().join("ralph.db")).expect("opens");
        db.writer().expect("a turn").backup(folder.path(), BackupReason::Regular).expect("copies");
        let left = ["migration-4242.unfinished", "regular-7.unfinished-journal", "evaluation-4242.unfinished"];
        left.iter().for_each(|name| std::fs::write(folder.path().join("backups").join(name), "half of it").expect("writes"));
        db.writer().expect("a turn").backup(folder.path(), BackupReason::Regular).expect("copies");
        let is_there = left.map(|name| folder.path().join("backups").join(name).exists());
        assert_eq!(is_there, [false, false, true], "the other database has writers of its own");
    }

    #[test]
    fn a_copy_is_put_in_place_whole() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("ralph.db");
        let db = Db::open(&path).expect("opens");
        let copy = db.writer().expect("a turn").backup(folder.path(), BackupReason::Regular).expect("copies");
        drop(db);
        std::fs::remove_file(&path).expect("removes");
        put_in_place(&copy, &path, || Ok::<_, DbError>(())).expect("is put");
        Db::open(&path).expect("opens again");
    }
}
