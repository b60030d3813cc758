//! Migrations: append-only, all or nothing, and a newer file is refused.

use crate::error::{DbError, Result};
use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

const ALL: &[M<'static>] = &[
    M::up(include_str!("migrations/001-start.sql")),
    M::up(include_str!("migrations/002-saturation-indexes.sql")),
    M::up(include_str!("migrations/003-attempts.sql")),
    M::up(include_str!("migrations/004-iteration-lists.sql")),
    M::up(include_str!("migrations/005-recall.sql")),
    M::up(include_str!("migrations/006-reconcile.sql")),
];

/// Number of the newest schema this program knows.
pub const NEWEST: i64 = ALL.len() as i64;

/// Number of the schema in the file; 0 = an empty file.
pub fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Refuses a file that a newer program wrote.
pub fn refuse_newer(connection: &Connection) -> Result<i64> {
    let found = version(connection)?;
    if found > NEWEST { Err(DbError::Newer { found, known: NEWEST }) } else { Ok(found) }
}

/// Brings the file to the newest schema. Safe to call from several processes at once.
pub fn migrate(connection: &mut Connection) -> Result<()> {
    Migrations::from_slice(ALL).to_latest(connection).map_err(|error| match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => DbError::from(err),
        other => DbError::Constraint(format!("migration: {other}")),
    })
}
