//! The write-ahead log of a database that nobody has open, as a kill or a power cut leaves it: the newest changes are only in the log, so
//! file and log are read, moved and copied together.

use crate::error::{DbError, Result};
use crate::place::{beside, immutable_uri, refuse_odd};
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// What SQLite keeps beside a database, and the database itself, in the order in which they are moved: a log without its database would
/// be taken for that of the next one.
pub(crate) const FILES: [&str; 3] = ["-wal", "-shm", ""];

/// Whether there are changes in a log beside the file; an error if something other than a plain file is there.
pub(crate) fn has_log(path: &Path) -> Result<bool> {
    FILES.iter().try_for_each(|ending| refuse_odd(&beside(path, ending)))?;
    Ok(beside(path, "-wal").metadata().is_ok_and(|log| log.len() > 0))
}

/// Opens a database to read it together with its log. The file is not changed.
pub(crate) fn open_copy(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    if has_log(path)? {
        return Ok(Connection::open_with_flags(path, flags)?);
    }
    Ok(Connection::open_with_flags(immutable_uri(path), flags)?)
}

/// Opens a copy to read it, if all pages exist and are valid to SQLite; the tables may have an older schema.
pub(crate) fn open_sound(path: &Path) -> Result<Connection> {
    let damaged = || Err(DbError::Damaged { path: path.to_owned() });
    // Pages that the file lacks may be in its log. SQLite would take a file without a header for a new one, and remove the log.
    match has_length_it_declares(path) {
        None => return damaged(),
        Some(false) if !has_log(path)? => return damaged(),
        Some(_) => {}
    }
    let connection = open_copy(path)?;
    let fault: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if fault == "ok" { Ok(connection) } else { damaged() }
}

/// Whether a file has a database header and the length it declares: a file torn by a kill is shorter.
pub(crate) fn looks_whole(path: &Path) -> bool {
    has_length_it_declares(path) == Some(true)
}

/// Whether a file has the length that its header declares; `None` without the header of a database.
fn has_length_it_declares(path: &Path) -> Option<bool> {
    let mut head = [0_u8; 100];
    // Opening a pipe would block until its writer opens it.
    if !path.metadata().is_ok_and(|found| found.is_file()) {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.read_exact(&mut head).ok().filter(|()| head.starts_with(b"SQLite format 3\0"))?;
    let page = match u64::from(u16::from_be_bytes([head[16], head[17]])) {
        1 => 65_536,
        size => size,
    };
    let pages = u64::from(u32::from_be_bytes([head[28], head[29], head[30], head[31]]));
    (pages > 0).then_some(length >= page * pages)
}

/// Moves what is in the log of a database into its file, so that the file alone is complete.
///
/// # Errors
///
/// The database is damaged, can't be written, or others have it open.
pub fn bring_log_into_file(path: &Path) -> Result<()> {
    if !has_log(path)? {
        return Ok(());
    }
    // SQLite would remove the log of a file that is not a database.
    drop(open_sound(path)?);
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    drop(connection);
    if has_log(path)? { Err(DbError::Busy) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::copy_of_killed;
    use crate::{BackupReason, Db, audit_copy, look_at_copy, put_aside, put_in_place, wash_copy};

    fn features(path: &Path) -> u32 {
        look_at_copy(path).expect("is sound").features
    }

    fn add(db: &Db, name: &str) {
        let sql = "INSERT INTO features (name, display_name, state, created, updated) VALUES (?1, ?1, 'active', 1, 1)";
        let mut writer = db.writer().expect("a turn");
        writer.transaction::<_, DbError>(|tx| Ok(tx.connection.execute(sql, [name]).map(drop)?)).expect("stores");
    }

    #[test]
    fn what_a_kill_left_in_the_log_is_set_aside_with_its_database_and_both_come_back() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("ralph.db");
        let db = Db::open(&folder.path().join("open/ralph.db")).expect("opens");
        add(&db, "first");
        copy_of_killed(&db, &path);
        assert!(has_log(&path).expect("looks"), "the last change is in the log");
        assert_eq!(features(&path), 1, "what stands in the log counts");
        put_aside(&path).expect("moves");
        add(&db, "second");
        copy_of_killed(&db, &path);
        put_aside(&path).expect("moves");
        // One that can't be opened keeps its log, whatever is in it.
        std::fs::write(&path, "torn").expect("writes");
        std::fs::write(beside(&path, "-wal"), "its log").expect("writes");
        put_aside(&path).expect("moves");

        let aside = |number: u32| folder.path().join(format!("aside-{number:05}-ralph.db"));
        assert_eq!((features(&aside(1)), features(&aside(2))), (1, 2));
        assert_eq!((has_log(&aside(1)).expect("looks"), has_log(&aside(2)).expect("looks")), (false, false), "one whole file each");
        assert_eq!(std::fs::read_to_string(beside(&aside(3), "-wal")).expect("reads"), "its log");
        put_in_place(&aside(2), &path, || Ok::<_, DbError>(())).expect("is put");
        assert_eq!(features(&path), 2);
    }

    #[test]
    fn what_others_hold_in_the_log_is_set_aside_in_one_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("ralph.db");
        let db = Db::open(&path).expect("opens");
        add(&db, "first");
        let held = db.read(|held| {
            let seen = held.features()?.len();
            add(&db, "second");
            put_aside(&path).map(|()| seen)
        });
        assert_eq!(held.expect("is set aside"), 1, "the reader keeps the second change in the log");
        let aside = folder.path().join("aside-00001-ralph.db");
        assert_eq!((features(&aside), has_log(&aside).expect("looks")), (2, false), "no kill parts a file from its log");
        assert_eq!(FILES.map(|ending| beside(&path, ending).exists()), [false; 3]);
    }

    #[test]
    fn a_copy_with_a_log_is_copied_scanned_and_washed_whole() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let db = Db::open(&folder.path().join("open/ralph.db")).expect("opens");
        db.writer().expect("a turn").backup(folder.path(), BackupReason::Regular).expect("the main file has something, too");
        add(&db, "swordfish");
        let copy = folder.path().join("aside-00001-ralph.db");
        copy_of_killed(&db, &copy);
        put_in_place(&copy, &folder.path().join("ralph.db"), || Ok::<_, DbError>(())).expect("is put");
        assert_eq!(features(&folder.path().join("ralph.db")), 1);
        let found =
            || audit_copy(&copy, &|_, text| text.matches("swordfish").count()).expect("audits").iter().map(|c| c.found).sum::<u32>();
        assert!(found() > 0);
        wash_copy(&copy, &(std::sync::Arc::new(|_: &str, text: &str| text.replace("swordfish", "gone")) as crate::Wash)).expect("washes");
        assert_eq!((found(), features(&copy), has_log(&copy).expect("looks")), (0, 1, false));
    }
}
