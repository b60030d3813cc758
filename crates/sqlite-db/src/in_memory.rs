//! An older database in a place that can't be written to: a copy of it in memory is migrated to the newest schema, and read.

use crate::error::Result;
use crate::functions::add_functions;
use crate::log::open_copy;
use crate::schema::{self, Domain};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Such a copy, which exists as long as this.
pub(crate) struct InMemory {
    uri: String,
    /// SQLite drops it with its last connection.
    _kept: Mutex<Connection>,
}

impl InMemory {
    /// Copies the database at `path` and migrates the copy. SQLite refuses more than a gigabyte.
    pub fn migrated(path: &Path, domain: Domain) -> Result<InMemory> {
        static COPIES: AtomicU64 = AtomicU64::new(0);
        let uri = format!("file:/copy-{}?vfs=memdb", COPIES.fetch_add(1, Ordering::Relaxed));
        let mut copy = Connection::open(&uri)?;
        open_copy(path)?.execute("VACUUM INTO ?1", [&uri])?;
        add_functions(&copy)?;
        schema::migrate(&mut copy, domain, path)?;
        Ok(InMemory { uri, _kept: Mutex::new(copy) })
    }

    /// What a connection to it opens.
    pub fn uri(&self) -> &str {
        &self.uri
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Db, DbError};

    #[test]
    fn an_older_database_is_read_where_nothing_can_be_written_and_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("ralph.db");
        drop(Db::open(&path).expect("opens"));
        let older = Domain::Project.newest() - 1;
        let earlier = format!(
            "INSERT INTO features (name, display_name, state, created, updated) VALUES ('pay', 'pay', 'active', 1, 1);
             DROP VIEW strategy_metrics; DROP VIEW iteration_outcomes; PRAGMA user_version = {older};"
        );
        Connection::open(&path).and_then(|raw| raw.execute_batch(&earlier)).expect("as the version before wrote it");
        let before = std::fs::read(&path).expect("reads");
        let db = Db::open_to_read(&path, Domain::Project, false).expect("opens");
        for _ in 0..2 {
            let found = db.read(|r| Ok::<_, DbError>((r.features()?.len(), r.last_ended_run()?))).expect("reads");
            assert_eq!(found, (1, None));
        }
        assert!(db.is_read_only() && matches!(db.writer().err(), Some(DbError::ReadOnly)));
        assert!(std::fs::read(&path).expect("reads") == before);
    }
}
