//! The only SQL: schema, migrations, and one file per table.
//!
//! **Never here:** product rules (they are pure, in `ralph-core` and `ralph-rag`), tokio, Tauri.
//!
//! Reading takes a [`Read`], writing a [`Tx`], which is a `Read` too: the borrow checker is the access control.
//! SQLite itself reports which tables a write changes; their topics are committed with it and visible to other processes.
//!
//! **To add a table:** a new file in `migrations/` (never edit an old one), an entry in [`schema`], a file in `table/`
//! with its `impl Read` and `impl Tx`, and the schema snapshot will ask to be reviewed.

mod audit;
mod backup;
mod connection;
mod error;
mod functions;
#[cfg(test)]
mod growth;
mod in_memory;
mod log;
mod mend;
mod place;
mod pragmas;
mod row;
pub mod schema;
mod seals;
pub mod table;
#[cfg(test)]
mod testing;
mod topics;
mod write_lock;

pub use audit::{ColumnAudit, Look, Wash, audit_copy, wash_copy};
pub use backup::{
    BackupReason, CopyFacts, all_copies, copies, is_evaluation_copy, look_at_copy, look_at_usable_copy, put_aside, put_in_place, store_copy,
};
pub use connection::{Db, Read, Tx, Writer};
pub use error::{DbError, Result};
pub use functions::add_functions;
pub use log::bring_log_into_file;
pub use mend::{look_at_mendable, put_mended_in_place};
pub use schema::Domain;
pub use write_lock::without_writers;
