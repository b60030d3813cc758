//! Connections: one writer per process, a few read-only ones, and the queue for writers of all processes.

use crate::backup::{self, BackupReason};
use crate::error::{DbError, Result};
use crate::in_memory::InMemory;
use crate::place::{
    Identity, as_writable_as_its_database, beside, immutable_uri, io, keeps_a_wal, private_file, refuse_odd, stands_with_its_log,
};
use crate::pragmas::{prepare, prepare_reader, tune};
use crate::schema::{self, Domain};
use crate::seals;
use crate::topics::{self, TouchedTopics};
use crate::write_lock::WriteLock;
use ralph_core::topic::Topic;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::fs::File;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// Idle read-only connections that are kept.
const READERS_KEPT: usize = 4;

/// An open database.
pub struct Db {
    path: PathBuf,
    domain: Domain,
    identity: Identity,
    access: Access,
    /// Dropped before the writer: only a writable connection that is the last one checkpoints the WAL.
    readers: Mutex<Vec<Connection>>,
    /// `None` if the database is read-only.
    writer: Option<Mutex<Connection>>,
    /// Topics touched by the writer's open transaction.
    touched: TouchedTopics,
    /// Writers of all processes queue here.
    queue: Option<File>,
    /// What is read in place of the file, if that has an older schema and is read-only.
    older: Option<InMemory>,
    /// Whether the reason is a full disk.
    full: bool,
    /// Whether the writer has what [`tune`] sets, see there, and keeps seals.
    tuned: AtomicBool,
}

/// How the file can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    ReadWrite,
    ReadOnly,
    /// Read-only, in a folder where not even the shared-memory file can be created: nobody else can write there either.
    Immutable,
}

/// The right to write, exclusive across all processes until dropped.
pub struct Writer<'db> {
    // Dropped in this order. The lock is shared by the whole process: if the connection were released first, the next thread would take the
    // lock while it is still held, and lose it a moment later.
    _lock: Option<WriteLock<'db>>,
    connection: MutexGuard<'db, Connection>,
    touched: &'db TouchedTopics,
    tuned: &'db AtomicBool,
    domain: Domain,
}

/// A read snapshot: sees what was committed before it began.
pub struct Read<'c> {
    pub(crate) connection: &'c Connection,
}

/// An open write transaction; also a [`Read`] that sees its own writes.
pub struct Tx<'c> {
    read: Read<'c>,
    touched: &'c TouchedTopics,
}

/// Why the database is read-only.
fn refusal(full: bool) -> DbError {
    if full { DbError::DiskFull } else { DbError::ReadOnly }
}

impl Db {
    /// Opens the database at `path`, creates it if missing, and migrates it to the newest schema (after a copy). Does not queue with the
    /// writers if the schema is current: readers never wait for one. A read-only database can still be read.
    pub fn open(path: &Path) -> Result<Db> {
        Db::open_domain(path, Domain::Project)
    }

    /// As [`Db::open`], for a database of either domain.
    pub fn open_domain(path: &Path, domain: Domain) -> Result<Db> {
        for file in [path.to_owned(), path.with_extension("lock"), beside(path, "-wal"), beside(path, "-shm")] {
            refuse_odd(&file)?;
        }
        match Db::open_to_write(path, domain) {
            Err(refusal @ (DbError::ReadOnly | DbError::DiskFull)) if path.is_file() => {
                Db::open_to_read(path, domain, matches!(refusal, DbError::DiskFull))
            }
            opened => opened,
        }
    }

    fn open_to_write(path: &Path, domain: Domain) -> Result<Db> {
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
        let queue = private_file(&path.with_extension("lock"))?;
        let is_wal = stands_with_its_log(path)? || keeps_a_wal(&mut private_file(path)?);
        ["-wal", "-shm"].iter().try_for_each(|ending| as_writable_as_its_database(&beside(path, ending)))?;
        // Before the connection: if the file is replaced in between, the connection is refused, and never taken for one to the new file.
        let identity = Identity::of(path);
        let mut connection = Connection::open(path).map_err(|e| name_file(e.into(), path))?;
        prepare(&connection, domain.wait()).map_err(|e| name_file(e, path))?;
        if !is_wal {
            // What SQLite creates beside a new file would be taken for that of the file which a restoration puts in its place.
            let _lock = WriteLock::take(&queue, domain.wait())?;
            identity.check()?;
            // Left as it is, if it belongs to another program.
            schema::refuse_foreign(&connection, domain).map_err(|e| name_file(e, path))?;
            tune(&connection).map_err(|e| name_file(e, path))?;
        }
        if schema::refuse_newer(&connection, domain).map_err(|e| name_file(e, path))? < domain.newest() {
            let _lock = WriteLock::take(&queue, domain.wait())?;
            identity.check()?;
            schema::refuse_foreign(&connection, domain).map_err(|e| name_file(e, path))?;
            let found = schema::refuse_newer(&connection, domain).map_err(|e| name_file(e, path))?;
            if (1..domain.newest()).contains(&found) {
                let reason = if domain == Domain::Project { BackupReason::Migration } else { BackupReason::Evaluation };
                backup::vacuum_into(&connection, folder, reason)?;
            }
            schema::migrate(&mut connection, domain, path)?;
        }
        let touched = TouchedTopics::default();
        topics::tell(&connection, &touched)?;
        let db = Db {
            path: path.to_owned(),
            domain,
            identity,
            access: Access::ReadWrite,
            writer: Some(Mutex::new(connection)),
            touched,
            readers: Mutex::new(Vec::new()),
            queue: Some(queue),
            older: None,
            full: false,
            tuned: AtomicBool::new(false),
        };
        if is_wal {
            // The schema is parsed here once; a damaged or foreign one is reported at once, and by its file's name.
            let reader = db.open_reader()?;
            schema::refuse_foreign(&reader, domain).map_err(|e| name_file(e, path))?;
            lock(&db.readers).push(reader);
        }
        Ok(db)
    }

    pub(crate) fn open_to_read(path: &Path, domain: Domain, full: bool) -> Result<Db> {
        let db = |access| Db {
            path: path.to_owned(),
            domain,
            identity: Identity::of(path),
            access,
            writer: None,
            touched: TouchedTopics::default(),
            readers: Mutex::new(Vec::new()),
            queue: None,
            older: None,
            full,
            tuned: AtomicBool::new(true),
        };
        let shared = db(Access::ReadOnly);
        let version = |db: &Db| -> Result<i64> {
            let reader = db.open_reader()?;
            schema::refuse_foreign(&reader, domain)?;
            schema::refuse_newer(&reader, domain)
        };
        let (db, found) = match version(&shared) {
            Ok(found) => (shared, found),
            // The content of the WAL would be ignored.
            Err(_) if std::fs::metadata(beside(path, "-wal")).is_ok_and(|wal| wal.len() > 0) => return Err(refusal(full)),
            Err(_) => {
                let alone = db(Access::Immutable);
                let found = version(&alone).map_err(|e| name_file(e, path))?;
                (alone, found)
            }
        };
        if found < domain.newest() {
            let older = InMemory::migrated(path, domain).map_err(|_| refusal(full))?;
            return Ok(Db { older: Some(older), ..db });
        }
        Ok(db)
    }

    /// Whether the database is read-only; [`Db::refusal`] gives the reason.
    pub fn is_read_only(&self) -> bool {
        self.access != Access::ReadWrite
    }

    /// Why nothing can be written: the folder or the file is read-only, the disk was full when it was opened, or a newer Ralph has
    /// migrated it since. `None` if it is writable.
    pub fn refusal(&self) -> Option<DbError> {
        if self.is_read_only() {
            return Some(refusal(self.full));
        }
        let migrated = self.read(|r| schema::refuse_newer(r.connection, self.domain));
        migrated.err().filter(|fault| matches!(fault, DbError::Newer { .. }))
    }

    /// Fails unless the opened file is still at its path; the error says what happened to it.
    pub fn still_there(&self) -> Result<()> {
        self.identity.check()
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `f` on a read-only connection, in one consistent snapshot.
    pub fn read<T, E: From<DbError>>(&self, f: impl FnOnce(&Read<'_>) -> std::result::Result<T, E>) -> std::result::Result<T, E> {
        self.identity.check()?;
        let idle = lock(&self.readers).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.open_reader()?,
        };
        let result = {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred).map_err(DbError::from)?;
            f(&Read { connection: &transaction })
        };
        let mut readers = lock(&self.readers);
        if readers.len() < READERS_KEPT {
            readers.push(connection);
        }
        result
    }

    /// Waits for the right to write, for at most as long as its domain says.
    pub fn writer(&self) -> Result<Writer<'_>> {
        self.identity.check()?;
        let writer = self.writer_of_opened()?;
        // While it waited, a restoration may have put another file in the place of this one.
        self.identity.check()?;
        Ok(writer)
    }

    /// As [`Db::writer`], even if the file has been moved since it was opened: data that belongs to it is still written.
    pub fn writer_of_opened(&self) -> Result<Writer<'_>> {
        let (Some(writer), Some(queue)) = (&self.writer, &self.queue) else {
            return Err(refusal(self.full));
        };
        let connection = lock(writer);
        let lock = WriteLock::take(queue, self.domain.wait())?;
        Ok(self.writer_with(connection, lock))
    }

    /// The right to write if it is free now; `None` if somebody holds it, or the database is read-only.
    pub fn try_writer(&self) -> Result<Option<Writer<'_>>> {
        self.identity.check()?;
        let (Some(writer), Some(queue)) = (&self.writer, &self.queue) else { return Ok(None) };
        let connection = match writer.try_lock() {
            Ok(connection) => connection,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        let Some(lock) = WriteLock::try_take(queue) else { return Ok(None) };
        self.identity.check()?;
        // A tool that writes without queueing may hold SQLite's own lock.
        connection.busy_timeout(Duration::ZERO)?;
        Ok(Some(self.writer_with(connection, lock)))
    }

    fn writer_with<'db>(&'db self, connection: MutexGuard<'db, Connection>, lock: WriteLock<'db>) -> Writer<'db> {
        Writer { connection, touched: &self.touched, tuned: &self.tuned, domain: self.domain, _lock: Some(lock) }
    }

    /// A read-only connection.
    pub(crate) fn open_reader(&self) -> Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = match (&self.older, self.access) {
            (Some(older), _) => Connection::open_with_flags(older.uri(), flags | OpenFlags::SQLITE_OPEN_URI)?,
            (None, Access::Immutable) => {
                // SQLite gives no reason.
                std::fs::File::open(&self.path).map_err(|source| DbError::Io { path: self.path.clone(), source })?;
                Connection::open_with_flags(immutable_uri(&self.path), flags | OpenFlags::SQLITE_OPEN_URI)?
            }
            (None, Access::ReadWrite | Access::ReadOnly) => Connection::open_with_flags(&self.path, flags)?,
        };
        prepare_reader(&connection, self.domain.wait())?;
        Ok(connection)
    }
}

impl Writer<'_> {
    /// Writes a copy into `folder/backups` and removes the oldest beyond [`ralph_core::limits::BACKUPS_KEPT`] of the same reason.
    pub fn backup(&self, folder: &Path, reason: BackupReason) -> Result<PathBuf> {
        backup::vacuum_into(self.read().connection, folder, reason)
    }

    /// Checkpoints the WAL into the file, as far as readers permit.
    pub fn checkpoint(&self) -> Result<()> {
        Ok(self.read().connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
    }

    /// As [`Writer::checkpoint`], but without waiting for anybody.
    pub fn checkpoint_now(&self) -> Result<()> {
        Ok(self.read().connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?)
    }

    /// Runs `f` in one transaction: committed if it returns `Ok`, otherwise rolled back.
    pub fn transaction<T, E: From<DbError>>(&mut self, f: impl FnOnce(&Tx<'_>) -> std::result::Result<T, E>) -> std::result::Result<T, E> {
        if !self.tuned.load(Ordering::Relaxed) {
            tune(&self.connection)?;
            seals::keep(&self.connection)?;
            self.tuned.store(true, Ordering::Relaxed);
        }
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(DbError::from)?;
        // Since it was opened, a newer Ralph may have given it a schema for which these statements are not made.
        schema::refuse_newer(&transaction, self.domain)?;
        let result = {
            // A rolled-back transaction touched nothing.
            self.touched.take();
            let tx = Tx { read: Read { connection: &transaction }, touched: self.touched };
            let value = f(&tx)?;
            tx.mark_topics()?;
            value
        };
        transaction.commit().map_err(DbError::from)?;
        Ok(result)
    }

    /// Reads the committed state.
    pub fn read(&self) -> Read<'_> {
        Read { connection: &self.connection }
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        // [`Db::try_writer`] disabled the timeout. SQLite accepts any such setting.
        let _ = self.connection.busy_timeout(self.domain.wait());
    }
}

impl<'c> Deref for Tx<'c> {
    type Target = Read<'c>;
    fn deref(&self) -> &Read<'c> {
        &self.read
    }
}

impl Tx<'_> {
    /// Marks a topic whose change is visible in no row; all others are derived from the changed tables.
    pub fn touch(&self, topic: Topic) {
        self.touched.add(&[topic]);
    }

    fn mark_topics(&self) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO changes (topic, version) VALUES (?1, 1) ON CONFLICT (topic) DO UPDATE SET version = version + 1",
        )?;
        for topic in self.touched.take() {
            statement.execute([topic.as_str()])?;
        }
        Ok(())
    }
}

fn name_file(error: DbError, path: &Path) -> DbError {
    match error {
        DbError::Damaged { .. } => DbError::Damaged { path: path.to_owned() },
        other => other,
    }
}

/// A panic in another thread leaves no partial write (the transaction is rolled back), so a poisoned lock is usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
