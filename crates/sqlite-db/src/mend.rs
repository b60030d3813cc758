//! A database of which only the full-text indexes are damaged: they hold nothing of their own, so the database is whole again once they
//! are rebuilt from its tables.

use crate::backup::{CopyFacts, facts, put};
use crate::error::{DbError, Result};
use crate::functions::add_functions;
use crate::log::{has_log, open_copy, open_sound};
use crate::place::{beside, io, private_file};
use rusqlite::Connection;
use std::path::Path;

/// Ending of the name of a copy of the damaged file while it is being repaired.
const WORKED_ON: &str = ".mending";
/// The indexes of full text, and their own tables, whose names begin with theirs.
const INDEXES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE %USING fts5%'";

/// What a database holds of which only the full-text indexes are damaged. Never changes it.
///
/// # Errors
///
/// It is sound, or more than that is damaged.
pub fn look_at_mendable(path: &Path) -> Result<CopyFacts> {
    let refused = || DbError::Damaged { path: path.to_owned() };
    if open_sound(path).is_ok() {
        return Err(refused());
    }
    let looked = (|| -> Result<CopyFacts> {
        let connection = open_copy(path)?;
        add_functions(&connection)?;
        let (indexes, others) = tables(&connection)?;
        for table in others {
            let fault: String = connection.query_row(&format!("PRAGMA integrity_check({})", quoted(&table)), [], |row| row.get(0))?;
            if fault != "ok" {
                return Err(refused());
            }
        }
        if indexes.is_empty() { Err(refused()) } else { facts(&connection) }
    })();
    looked.map_err(|_| refused())
}

/// Replaces such a database by a repaired one: first next to it, then by one rename. `make_room` moves the damaged file away. The caller
/// must hold the right to write.
pub fn put_mended_in_place<E: From<DbError>>(
    path: &Path,
    make_room: impl FnOnce() -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    put(path, |to| mend_into(path, to), make_room)
}

fn mend_into(path: &Path, to: &Path) -> Result<()> {
    look_at_mendable(path)?;
    let worked_on = beside(path, WORKED_ON);
    let mended = (|| {
        for ending in ["-wal", ""].iter().filter(|ending| ending.is_empty() || has_log(path).is_ok_and(|has| has)) {
            let copy = beside(&worked_on, ending);
            private_file(&copy)?;
            std::fs::copy(beside(path, ending), &copy).map_err(|source| io(&copy, source))?;
        }
        let made = without_indexes(&worked_on, to)?;
        let connection = Connection::open(to)?;
        add_functions(&connection)?;
        for (name, sql) in made {
            let name = quoted(&name);
            connection.execute_batch(&format!("{sql}; INSERT INTO {name} ({name}) VALUES ('rebuild');"))?;
        }
        Ok(())
    })();
    for ending in ["-wal", "-shm", "-journal", ""] {
        let _ = std::fs::remove_file(beside(&worked_on, ending));
    }
    mended
}

/// Writes a database into another file, except for its full-text indexes; returns their names and how they are created.
fn without_indexes(path: &Path, to: &Path) -> Result<Vec<(String, String)>> {
    let connection = Connection::open(path)?;
    let mut statement = connection.prepare(&INDEXES.replacen("name", "name, sql", 1))?;
    let made = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<Vec<(String, String)>>>()?;
    drop(statement);
    // To be dropped they would have to be read.
    connection.pragma_update(None, "writable_schema", true)?;
    for table in tables(&connection)?.0 {
        connection.execute("DELETE FROM sqlite_schema WHERE tbl_name = ?1", [table])?;
    }
    drop(connection);
    // Another connection knows nothing of what is gone.
    Connection::open(path)?.execute("VACUUM INTO ?1", [to.to_string_lossy()])?;
    Ok(made)
}

/// The full-text tables, with what SQLite keeps for them, and all other tables.
fn tables(connection: &Connection) -> Result<(Vec<String>, Vec<String>)> {
    let names = |sql: &str| -> Result<Vec<String>> {
        Ok(connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
    };
    let indexes = names(INDEXES)?;
    let all = names("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    let is_of =
        |table: &String| indexes.iter().any(|index| table == index || table.strip_prefix(index).is_some_and(|own| own.starts_with('_')));
    Ok(all.into_iter().partition(is_of))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::learning;
    use crate::{BackupReason, Db, look_at_copy, put_aside};
    use ralph_core::feature::Feature;
    use ralph_core::time::Timestamp;
    use std::path::PathBuf;

    /// Before which pages a table begins, and how large they are.
    const PLACE: &str = "SELECT rootpage - 1, page_size FROM sqlite_schema, pragma_page_size WHERE name = ?1";

    /// A database with a learning, of which the pages of a table are overwritten.
    fn damaged(folder: &Path, table: &str) -> PathBuf {
        let path = folder.join("ralph.db");
        let db = Db::open(&path).expect("opens");
        let mut writer = db.writer().expect("a turn");
        let stored = writer.transaction(|tx| {
            tx.insert_feature(&Feature::new("pay", Timestamp(1)))?;
            tx.put_learning(&learning("L1"))
        });
        assert!(stored.expect("stores"));
        writer.checkpoint().expect("into the file");
        let place = |row: &rusqlite::Row<'_>| Ok([row.get::<_, u32>(0)?, row.get::<_, u32>(1)?]);
        let place = writer.read().connection.query_row(PLACE, [table], place).expect("is there");
        let [page, size] = place.map(|number| usize::try_from(number).expect("fits"));
        drop(writer);
        drop(db);
        let mut bytes = std::fs::read(&path).expect("reads");
        bytes[page * size..][..size].fill(0x55);
        std::fs::write(&path, bytes).expect("writes");
        path
    }

    #[test]
    fn with_a_damaged_index_of_full_text_nothing_is_lost() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = damaged(folder.path(), "knowledge_fts_data");
        assert!(look_at_copy(&path).is_err(), "SQLite takes it for damaged");
        assert_eq!(look_at_mendable(&path).expect("can be mended").learnings, 1);
        put_mended_in_place(&path, || put_aside(&path)).expect("is mended");
        assert_eq!(look_at_copy(&path).expect("is sound").learnings, 1);
        let db = Db::open(&path).expect("opens");
        let found = |word: &str| {
            let sql = "SELECT count(*) FROM knowledge_fts WHERE knowledge_fts MATCH ?1";
            db.read(|r| r.connection.query_row(sql, [word], |row| row.get::<_, u32>(0)).map_err(DbError::from)).expect("searches")
        };
        assert_eq!((found("lesson"), found("absent")), (1, 0));
        db.writer().expect("a turn").transaction(|tx| tx.put_learning(&learning("L2"))).expect("stores");
        assert_eq!(found("lesson"), 2, "and it is kept up");
        db.writer().expect("a turn").backup(folder.path(), BackupReason::Regular).expect("copies");
        let names = std::fs::read_dir(folder.path()).expect("lists").map(|entry| entry.expect("an entry").file_name());
        assert!(
            names.map(|name| name.to_string_lossy().into_owned()).all(|name| !name.contains("mending") && !name.contains("unfinished"))
        );
        assert!(folder.path().join("aside-00001-ralph.db").exists(), "the damaged one is kept");
    }

    #[test]
    fn what_is_sound_or_damaged_elsewhere_is_not_mended() {
        for table in ["features", "passages"] {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let path = damaged(folder.path(), table);
            let before = std::fs::read(&path).expect("reads");
            assert!(look_at_mendable(&path).is_err(), "{table}");
            assert!(put_mended_in_place(&path, || put_aside(&path)).is_err() && std::fs::read(&path).expect("reads") == before, "{table}");
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("ralph.db");
        drop(Db::open(&path).expect("opens"));
        assert!(look_at_mendable(&path).is_err(), "it is sound");
    }
}
