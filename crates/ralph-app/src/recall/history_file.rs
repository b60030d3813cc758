//! `eval.db` as a file: a damaged one is put aside and a new one begun, since losing it costs only history.

use sqlite_db::{Db, DbError, Domain};
use std::path::{Path, PathBuf};

/// Whether the file's folder exists: that of a removed project is not created again.
pub(crate) fn has_folder(path: &Path) -> bool {
    path.parent().is_some_and(Path::is_dir)
}

/// Opens the file. A damaged one is put aside.
pub(crate) fn open(path: &Path) -> Result<Db, DbError> {
    if !has_folder(path) {
        return Err(DbError::Gone { path: path.to_owned() });
    }
    match Db::open_domain(path, Domain::Evaluation) {
        Err(DbError::Damaged { .. }) => {
            rename(path)?;
            Db::open_domain(path, Domain::Evaluation)
        }
        opened => opened,
    }
}

/// Puts aside the file of a database that opened but proved damaged when read or written; does nothing if another process did so already.
pub(crate) fn put_aside(db: Db) -> Result<(), DbError> {
    let path = db.path().to_owned();
    let is_there = db.still_there().is_ok();
    // Closed first: the last one to close a database removes the files beside it, by name.
    drop(db);
    if is_there { rename(&path) } else { Ok(()) }
}

fn rename(path: &Path) -> Result<(), DbError> {
    tracing::warn!("{} is damaged: it is put aside, and a new one is begun", path.display());
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    std::fs::rename(path, beside(".damaged")).map_err(|source| DbError::Io { path: path.to_owned(), source })?;
    for ending in ["-wal", "-shm"] {
        // Usually there is none.
        let _ = std::fs::remove_file(beside(ending));
    }
    Ok(())
}
