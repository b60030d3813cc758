//! What can go wrong with the database, with the way out where there is one.

use std::path::PathBuf;

/// A fault of the database.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// Other processes kept the database busy for longer than the bound.
    #[error("the database stayed busy for {seconds} s: another process holds it")]
    Busy {
        /// How long was waited.
        seconds: u64,
    },
    /// Written by a newer Ralph.
    #[error("the database has schema {found}, this Ralph knows up to {known}: update Ralph; nothing was changed")]
    Newer {
        /// Its schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// Damaged, or no database at all.
    #[error("{path} is damaged or no database: `ralph restore` brings back the newest copy; the file was left as it is")]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The file was moved or deleted after it was opened.
    #[error("{} was moved or deleted while it was open", path.display())]
    Gone {
        /// Where it stood.
        path: PathBuf,
    },
    /// Another file took its place after it was opened.
    #[error("{} was replaced by another file while it was open", path.display())]
    Replaced {
        /// Where it stood.
        path: PathBuf,
    },
    /// Something that is no plain file stands in a file's place.
    #[error("{} is {found}, and should be a plain file", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
        /// What is there.
        found: &'static str,
    },
    /// The disk is full.
    #[error("the disk is full: nothing was stored; make room and try again")]
    DiskFull,
    /// The file or folder may not be written.
    #[error("the database can't be written: the file or folder is read-only")]
    ReadOnly,
    /// A rule of the schema was broken: a unique index, a foreign key, a CHECK.
    #[error("the database refused the write: {0}")]
    Constraint(String),
    /// A stored word or list that this version can't read.
    #[error("the column '{column}' holds '{value}', which this Ralph can't read")]
    Unreadable {
        /// Which column.
        column: &'static str,
        /// Its value, cut.
        value: String,
    },
    /// A file beside the database.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Anything else SQLite says.
    #[error("SQLite: {0}")]
    Sqlite(rusqlite::Error),
}

impl DbError {
    /// Whether a unique index or a primary key refused the write.
    pub fn is_unique_violation(&self) -> bool {
        matches!(self, DbError::Constraint(text) if text.contains("UNIQUE"))
    }
}

impl From<rusqlite::Error> for DbError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let rusqlite::Error::SqliteFailure(failure, message) = &error else {
            return DbError::Sqlite(error);
        };
        match failure.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => DbError::Busy { seconds: ralph_core::limits::WRITE_WAIT_MILLIS / 1000 },
            ErrorCode::DiskFull => DbError::DiskFull,
            // The file that readers share can't be made: SQLite tells no reason, and there is no other.
            _ if failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE => DbError::DiskFull,
            ErrorCode::ReadOnly => DbError::ReadOnly,
            ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt => DbError::Damaged { path: PathBuf::from("ralph.db") },
            ErrorCode::ConstraintViolation => DbError::Constraint(message.clone().unwrap_or_default()),
            _ => DbError::Sqlite(error),
        }
    }
}

/// Result of every function here.
pub type Result<T> = std::result::Result<T, DbError>;
