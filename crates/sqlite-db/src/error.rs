//! Database errors, each with a way out if there is one.

use std::path::PathBuf;

/// A database error.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// Other processes kept the database busy for longer than the limit.
    #[error("the database stays busy: another process holds it")]
    Busy,
    /// Written by a newer Ralph.
    #[error("{database} has schema {found}, and this Ralph knows schemas up to {known}; nothing was changed")]
    Newer {
        /// Which database, in words.
        database: &'static str,
        /// Its schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// Damaged, not a database at all, or that of another program.
    #[error("{path} is damaged, or not a database of Ralph's; the file was left as it is")]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// An older schema could not be migrated to the newest one, because of the file's content.
    #[error("{path} could not be brought from schema {found} to {newest} ({fault}): it was left as it is")]
    Migration {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// Ours.
        newest: i64,
        /// What stood in the way.
        fault: String,
    },
    /// The file was moved or deleted after it was opened.
    #[error("{} was moved or deleted while it was open", path.display())]
    Gone {
        /// Its former path.
        path: PathBuf,
    },
    /// Another file replaced it after it was opened.
    #[error("{} was replaced by another file while it was open", path.display())]
    Replaced {
        /// The path.
        path: PathBuf,
    },
    /// Something other than a plain file is in its place.
    #[error("{} is {found}, and should be a plain file", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
        /// What is there.
        found: &'static str,
    },
    /// The disk is full.
    #[error("the disk is full: nothing was stored")]
    DiskFull,
    /// The file or folder may not be written.
    #[error("the database can't be written: the file or folder is read-only")]
    ReadOnly,
    /// A constraint of the schema was violated: a unique index, a foreign key, a CHECK.
    #[error("the database refused the write: {0}")]
    Constraint(String),
    /// A stored word or list that this version can't parse.
    #[error("the column '{column}' holds '{value}', which this Ralph can't read")]
    Unreadable {
        /// Which column.
        column: &'static str,
        /// Its value, truncated.
        value: String,
    },
    /// A file next to the database.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Any other SQLite error.
    #[error("SQLite: {0}")]
    Sqlite(rusqlite::Error),
}

impl DbError {
    /// Whether the storage, rather than the data, keeps it from being read or written: the same may succeed once the storage works again.
    pub fn is_of_the_place(&self) -> bool {
        matches!(self, DbError::Busy | DbError::DiskFull | DbError::ReadOnly | DbError::Damaged { .. } | DbError::Io { .. })
    }

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
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => DbError::Busy,
            ErrorCode::DiskFull => DbError::DiskFull,
            // The shared-memory file can't be created: SQLite gives no reason, and this is the only one.
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
