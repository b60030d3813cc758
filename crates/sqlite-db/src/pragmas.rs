//! The settings of connections.

use crate::error::Result;
use crate::functions::{add_filters, add_functions};
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::time::Duration;

/// What a writing connection needs whatever it does.
pub(crate) fn prepare(connection: &Connection, wait: Duration) -> Result<()> {
    connection.busy_timeout(wait)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    add_functions(connection)?;
    add_filters(connection)?;
    compile_once(connection)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(())
}

/// What a reading connection needs.
pub(crate) fn prepare_reader(connection: &Connection, wait: Duration) -> Result<()> {
    connection.busy_timeout(wait)?;
    add_filters(connection)?;
    compile_once(connection)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Plans that don't depend on bound values. By default SQLite recompiles a statement for each value that its plan could depend on, such as
/// that of a LIMIT; so a condition that a partial index requires is written out.
fn compile_once(connection: &Connection) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// WAL, so that readers never wait for a writer. NORMAL: a killed process loses nothing; after a power cut the journal,
/// which is synced, may be ahead of the database, and `ralph rebuild` restores the knowledge.
///
/// For these two SQLite parses the whole schema, a millisecond. A process that only reads avoids that, since its reading connection parses
/// the schema, too.
pub(crate) fn tune(connection: &Connection) -> Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn sqlite_counts_no_bytes_and_takes_no_lock_for_it() {
        let connection = rusqlite::Connection::open_in_memory().expect("opens");
        let used = |option: &str| connection.query_row("SELECT sqlite_compileoption_used(?1)", [option], |r| r.get::<_, bool>(0));
        assert_eq!(used("DEFAULT_MEMSTATUS=0"), Ok(true), "`.cargo/config.toml` says so to whoever builds in this repository");
    }
}
