//! Copies of the whole database, made by SQLite itself (`VACUUM INTO`), the newest few kept.

use crate::connection::Writer;
use crate::error::{DbError, Result};
use ralph_core::limits;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

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
}

impl BackupReason {
    fn as_str(self) -> &'static str {
        match self {
            BackupReason::Migration => "migration",
            BackupReason::Rebuild => "rebuild",
            BackupReason::Reconcile => "reconcile",
            BackupReason::Regular => "regular",
        }
    }
}

impl Writer<'_> {
    /// Writes a copy into `folder/backups` and removes the oldest beyond [`limits::BACKUPS_KEPT`] of the same reason.
    pub fn backup(&self, folder: &Path, reason: BackupReason) -> Result<PathBuf> {
        vacuum_into(self.read().connection, folder, reason)
    }
}

/// As [`Writer::backup`], for a connection that is not yet a writer.
pub(crate) fn vacuum_into(connection: &Connection, folder: &Path, reason: BackupReason) -> Result<PathBuf> {
    let backups = folder.join("backups");
    let io = |source| DbError::Io { path: backups.clone(), source };
    std::fs::create_dir_all(&backups).map_err(io)?;
    let prefix = format!("{}-", reason.as_str());
    let mut existing: Vec<u32> = numbers(&backups, &prefix).map_err(io)?;
    existing.sort_unstable();
    let next = existing.last().map_or(1, |n| n + 1);
    let path = backups.join(format!("{prefix}{next:05}.db"));
    connection.execute("VACUUM INTO ?1", [path.to_string_lossy()])?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(io)?;
    }
    let excess = (existing.len() + 1).saturating_sub(limits::BACKUPS_KEPT);
    for number in existing.into_iter().take(excess) {
        // A copy that can't be removed is no reason to fail the newer one.
        let _ = std::fs::remove_file(backups.join(format!("{prefix}{number:05}.db")));
    }
    Ok(path)
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
