//! Connections: one writer per process, a few read-only ones, and the queue for writers of all processes.

use crate::backup;
use crate::error::{DbError, Result};
use crate::schema;
use ralph_core::topic::Topic;
use ralph_core::{identifier, limits};
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Idle read-only connections that are kept.
const READERS_KEPT: usize = 4;

/// An open database.
pub struct Db {
    path: PathBuf,
    /// Dropped before the writer: only a connection that may write, and is the last, brings the WAL into the file.
    readers: Mutex<Vec<Connection>>,
    writer: Mutex<Connection>,
    /// Writers of all processes queue here: SQLite's own busy handler is unfair and starves some of many writers.
    queue: File,
}

/// The right to write, held against every process until it is dropped.
pub struct Writer<'db> {
    connection: MutexGuard<'db, Connection>,
    queue: &'db File,
}

/// A view to read from: sees what was committed before it began.
pub struct Read<'c> {
    pub(crate) connection: &'c Connection,
}

/// An open write transaction; also a [`Read`] that sees its own writes.
pub struct Tx<'c> {
    read: Read<'c>,
    touched: RefCell<BTreeSet<Topic>>,
}

impl Db {
    /// Opens the database at `path`, makes it when it is missing, and brings it to the newest schema (after a copy).
    pub fn open(path: &Path) -> Result<Db> {
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
        let queue_path = path.with_extension("lock");
        let queue = private_file(&queue_path)?;
        private_file(path)?;
        let mut connection = Connection::open(path).map_err(|e| name_file(e.into(), path))?;
        tune(&connection).map_err(|e| name_file(e, path))?;
        {
            let _turn = Turn::take(&queue)?;
            let found = schema::refuse_newer(&connection).map_err(|e| name_file(e, path))?;
            if (1..schema::NEWEST).contains(&found) {
                backup::vacuum_into(&connection, folder, backup::BackupReason::Migration)?;
            }
            schema::migrate(&mut connection)?;
        }
        Ok(Db { path: path.to_owned(), writer: Mutex::new(connection), readers: Mutex::new(Vec::new()), queue })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads with `f` on a read-only connection, in one consistent view.
    pub fn read<T, E: From<DbError>>(&self, f: impl FnOnce(&Read<'_>) -> std::result::Result<T, E>) -> std::result::Result<T, E> {
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

    /// Waits for the right to write, at most [`limits::WRITE_WAIT_MILLIS`].
    pub fn writer(&self) -> Result<Writer<'_>> {
        let connection = lock(&self.writer);
        Turn::take(&self.queue)?.keep();
        Ok(Writer { connection, queue: &self.queue })
    }

    fn open_reader(&self) -> Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(Duration::from_millis(limits::WRITE_WAIT_MILLIS))?;
        connection.pragma_update(None, "query_only", true)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(connection)
    }
}

impl Writer<'_> {
    /// Runs `f` in one transaction: committed when it returns `Ok`, undone when it does not.
    pub fn transaction<T, E: From<DbError>>(&mut self, f: impl FnOnce(&Tx<'_>) -> std::result::Result<T, E>) -> std::result::Result<T, E> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(DbError::from)?;
        let result = {
            let tx = Tx { read: Read { connection: &transaction }, touched: RefCell::default() };
            let value = f(&tx)?;
            tx.mark_topics()?;
            value
        };
        transaction.commit().map_err(DbError::from)?;
        Ok(result)
    }

    /// Reads what is committed now.
    pub fn read(&self) -> Read<'_> {
        Read { connection: &self.connection }
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        // A failure to unlock is healed when the file is closed.
        let _ = self.queue.unlock();
    }
}

impl<'c> Deref for Tx<'c> {
    type Target = Read<'c>;
    fn deref(&self) -> &Read<'c> {
        &self.read
    }
}

impl Tx<'_> {
    /// Marks a topic as changed by this write.
    pub fn touch(&self, topic: Topic) {
        self.touched.borrow_mut().insert(topic);
    }

    fn mark_topics(&self) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO changes (topic, version) VALUES (?1, 1) ON CONFLICT (topic) DO UPDATE SET version = version + 1",
        )?;
        for topic in self.touched.borrow().iter() {
            statement.execute([topic.as_str()])?;
        }
        Ok(())
    }
}

/// The place at the head of the writers' queue.
struct Turn<'f> {
    file: &'f File,
    held: bool,
}

impl<'f> Turn<'f> {
    /// Waits for the turn. Polls, because a lock call can't be given a bound; short waits keep it nearly fair.
    #[allow(clippy::disallowed_methods, reason = "a bounded wait for another process, not a timed guess")]
    fn take(file: &'f File) -> Result<Turn<'f>> {
        let start = Instant::now();
        let bound = Duration::from_millis(limits::WRITE_WAIT_MILLIS);
        let mut pause = Duration::from_micros(50);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Turn { file, held: true }),
                Err(TryLockError::WouldBlock) if start.elapsed() < bound => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(4));
                }
                Err(TryLockError::WouldBlock) => return Err(DbError::Busy { seconds: bound.as_secs() }),
                // Some network file systems have no locks; SQLite's own then decides.
                Err(TryLockError::Error(_)) => return Ok(Turn { file, held: false }),
            }
        }
    }

    /// Leaves the unlocking to someone else.
    fn keep(mut self) {
        self.held = false;
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.held {
            let _ = self.file.unlock();
        }
    }
}

/// WAL so that readers never wait for a writer. NORMAL: a killed process loses nothing; after a power cut the journal,
/// which is synced, may be ahead of the database, and `ralph rebuild` brings knowledge back.
fn tune(connection: &Connection) -> Result<()> {
    connection.busy_timeout(Duration::from_millis(limits::WRITE_WAIT_MILLIS))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    add_functions(connection)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(())
}

/// The functions that triggers ask for, so that the index of passages is kept in step: any connection that writes needs them.
pub fn add_functions(connection: &Connection) -> Result<()> {
    let plain = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("identifier_parts", 1, plain, |context| {
        Ok(identifier::identifier_parts(context.get_raw(0).as_str_or_null()?.unwrap_or_default()))
    })?;
    connection.create_scalar_function("names_a_file", 1, plain, |context| {
        Ok(identifier::names_a_file(context.get_raw(0).as_str_or_null()?.unwrap_or_default()))
    })?;
    Ok(())
}

/// Opens or makes a file that only its owner may read: transcripts and prompts are private.
fn private_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path).map_err(|source| io(path, source))
}

fn io(path: &Path, source: std::io::Error) -> DbError {
    match source.kind() {
        std::io::ErrorKind::StorageFull => DbError::DiskFull,
        _ => DbError::Io { path: path.to_owned(), source },
    }
}

fn name_file(error: DbError, path: &Path) -> DbError {
    match error {
        DbError::Damaged { .. } => DbError::Damaged { path: path.to_owned() },
        other => other,
    }
}

/// A panic in another thread leaves no half-done write behind (the transaction is undone), so a poisoned lock is usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
