//! The files of a database: opened only if they are plain files, and identified while they are open.

use crate::error::{DbError, Result};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// Opens or creates a file that only its owner can read: transcripts and prompts are private. Never blocks on a special file.
pub(crate) fn private_file(path: &Path) -> Result<File> {
    refuse_odd(path)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // Between the check and the opening the file may have been replaced.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options.open(path).map_err(|source| io(path, source))
}

/// Whether a database is here with its log beside it, as while it is open anywhere; fails unless it may be read and written. It is not
/// opened for that, since it may be open in this process: when a process closes a file, the system releases all of its locks on the file,
/// including those by which SQLite keeps other processes from removing the log.
pub(crate) fn stands_with_its_log(path: &Path) -> Result<bool> {
    let stands = path.metadata().is_ok_and(|found| found.len() > 0) && beside(path, "-wal").exists();
    if stands {
        may_write(path).map_err(|source| io(path, source))?;
    }
    Ok(stands)
}

/// Whether the header of a database says that it has a WAL (`https://sqlite.org/fileformat2.html`, read and write version 2).
pub(crate) fn keeps_a_wal(file: &mut File) -> bool {
    let mut header = [0; 20];
    file.read_exact(&mut header).is_ok() && header[18..] == [2, 2]
}

/// Makes what SQLite keeps beside a database writable again: it has the mode that the database had when it was created, and the database
/// may have been read-only only at that time.
pub(crate) fn as_writable_as_its_database(beside: &Path) -> Result<()> {
    #[cfg(unix)]
    if beside.symlink_metadata().is_ok_and(|found| found.is_file() && found.permissions().readonly()) {
        // A file of another user stays as it is, which is reported below.
        let _ = std::fs::set_permissions(beside, std::os::unix::fs::PermissionsExt::from_mode(0o600));
    }
    match may_write(beside) {
        Err(source) if source.kind() != ErrorKind::NotFound => Err(io(beside, source)),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn may_write(path: &Path) -> std::io::Result<()> {
    Ok(rustix::fs::access(path, rustix::fs::Access::READ_OK | rustix::fs::Access::WRITE_OK)?)
}

#[cfg(not(unix))]
fn may_write(path: &Path) -> std::io::Result<()> {
    let read_only = std::fs::metadata(path)?.permissions().readonly();
    if read_only { Err(ErrorKind::PermissionDenied.into()) } else { Ok(()) }
}

/// Rejects anything but a plain file: a link, a folder, a pipe, a device.
pub(crate) fn refuse_odd(path: &Path) -> Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => Ok(()),
        Ok(found) => Err(DbError::NoFile { path: path.to_owned(), found: kind(&found) }),
        Err(source) if source.kind() == ErrorKind::NotFound => Ok(()),
        Err(source) => Err(io(path, source)),
    }
}

fn kind(found: &std::fs::Metadata) -> &'static str {
    if found.is_symlink() {
        "a link"
    } else if found.is_dir() {
        "a folder"
    } else {
        "a pipe or a device"
    }
}

pub(crate) fn io(path: &Path, source: std::io::Error) -> DbError {
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => DbError::DiskFull,
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => DbError::ReadOnly,
        _ => DbError::Io { path: path.to_owned(), source },
    }
}

/// A file that is kept next to the database at `path`, and named after it.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Identity of the opened file at its path. SQLite continues with a file that was moved or deleted, and would mix it
/// with another file at the same path.
#[derive(Debug)]
pub(crate) struct Identity {
    path: PathBuf,
    file: Option<(u64, u64)>,
}

impl Identity {
    /// The file that is at `path` now.
    pub fn of(path: &Path) -> Identity {
        Identity { path: path.to_owned(), file: number(path).ok().flatten() }
    }

    /// Fails with what happened to the file if it is no longer there.
    pub fn check(&self) -> Result<()> {
        match number(&self.path) {
            Ok(now) if now == self.file => Ok(()),
            Ok(_) => Err(DbError::Replaced { path: self.path.clone() }),
            Err(source) if matches!(source.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Err(DbError::Gone { path: self.path.clone() })
            }
            // Any other reason why it can't be inspected is reported by the access itself.
            Err(_) => Ok(()),
        }
    }
}

/// Device and inode of a file; `None` if the system has none.
fn number(path: &Path) -> std::io::Result<Option<(u64, u64)>> {
    let found = std::fs::metadata(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Ok(Some((found.dev(), found.ino())))
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        Ok(None)
    }
}

/// A URI by which SQLite treats the file as immutable.
pub(crate) fn immutable_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for character in path.to_string_lossy().chars() {
        match character {
            '%' => uri.push_str("%25"),
            '?' => uri.push_str("%3f"),
            '#' => uri.push_str("%23"),
            plain => uri.push(plain),
        }
    }
    uri + "?immutable=1"
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::Db;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt};

    #[test]
    fn a_database_that_is_opened_twice_here_stays_open_to_other_processes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ralph.db");
        let _db = Db::open(&path).expect("opens");
        let (file, own) = (format!(":{} ", path.metadata().expect("is there").ino()), format!(" {} ", std::process::id()));
        let is_locked = || {
            let locks = std::fs::read_to_string("/proc/locks").expect("is told");
            locks.lines().any(|lock| lock.contains(&file) && lock.contains(&own))
        };
        assert!(is_locked());
        drop(Db::open(&path).expect("opens again"));
        assert!(is_locked(), "the last other process to close it would remove the log that is written here");
    }

    #[test]
    fn a_log_from_when_the_database_was_read_only_is_writable_with_it_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ralph.db");
        let _db = Db::open(&path).expect("opens");
        let files = ["-wal", "-shm"].map(|ending| beside(&path, ending));
        for file in &files {
            std::fs::set_permissions(file, PermissionsExt::from_mode(0o400)).expect("is read-only");
        }
        Db::open(&path).expect("opens again");
        assert_eq!(files.map(|file| file.metadata().expect("is there").permissions().mode() & 0o777), [0o600; 2]);
    }
}
