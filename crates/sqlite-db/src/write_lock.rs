//! The queue of writers of all processes: a lock on a separate file, because SQLite's own busy handler is unfair and starves some of many.

use crate::error::{DbError, Result};
use crate::place::private_file;
use crate::schema::Domain;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

/// Runs `f` while nobody writes to the project's database at `path`, which may be missing: for putting another file in its place. A writer
/// that waits meanwhile finds the file replaced.
///
/// # Errors
///
/// Somebody writes for longer than writers wait for each other.
pub fn without_writers<T, E: From<DbError>>(path: &Path, f: impl FnOnce() -> std::result::Result<T, E>) -> std::result::Result<T, E> {
    let queue = private_file(&path.with_extension("lock"))?;
    let _lock = WriteLock::take(&queue, Domain::Project.wait())?;
    f()
}

/// The lock that a writer holds while it writes: the head of the queue.
pub(crate) struct WriteLock<'f> {
    file: &'f File,
    held: bool,
}

impl<'f> WriteLock<'f> {
    /// Waits for the lock. Polls, because a lock call has no timeout; short waits keep it nearly fair.
    #[allow(clippy::disallowed_methods, reason = "a bounded wait for another process, not a timed guess")]
    pub fn take(file: &'f File, bound: Duration) -> Result<WriteLock<'f>> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(50);
        loop {
            if let Some(lock) = WriteLock::try_take(file) {
                return Ok(lock);
            }
            if start.elapsed() >= bound {
                return Err(DbError::Busy);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(4));
        }
    }

    /// The lock if it is free now.
    pub fn try_take(file: &'f File) -> Option<WriteLock<'f>> {
        match file.try_lock() {
            Ok(()) => Some(WriteLock { file, held: true }),
            Err(TryLockError::WouldBlock) => None,
            // Some network file systems have no locks; then only SQLite's own applies.
            Err(TryLockError::Error(_)) => Some(WriteLock { file, held: false }),
        }
    }
}

impl Drop for WriteLock<'_> {
    fn drop(&mut self) {
        if self.held {
            // A failed unlock is repaired when the file is closed.
            let _ = self.file.unlock();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{BackupReason, Db, DbError, Domain, put_aside, put_in_place, without_writers};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc;

    #[test]
    fn who_waited_while_the_database_was_replaced_writes_to_none() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("ralph.db");
        let db = Db::open(&path).expect("opens");
        let copy = db.writer().expect("a turn").backup(folder.path(), BackupReason::Regular).expect("copies");
        let (about_to_wait, waits) = mpsc::channel();
        std::thread::scope(|scope| {
            let written = without_writers(&path, || {
                let writer = scope.spawn(|| {
                    about_to_wait.send(()).expect("is heard");
                    db.writer().map(drop)
                });
                waits.recv().expect("is said");
                put_in_place(&copy, &path, || put_aside(&path))?;
                Ok::<_, DbError>(writer)
            });
            let written = written.expect("nobody writes").join().expect("ends");
            assert!(matches!(written, Err(DbError::Replaced { .. })), "{written:?}");
        });
        Db::open(&path).expect("opens").writer().expect("the new one can be written to");
    }

    #[test]
    fn nobody_waits_long_for_the_history_of_retrieval() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let open = || Db::open_domain(&folder.path().join("eval.db"), Domain::Evaluation).expect("opens");
        let (one, other) = (open(), open());
        let _held = one.writer().expect("a turn");
        let start = std::time::Instant::now();
        assert!(matches!(other.writer().map(drop), Err(crate::DbError::Busy)));
        assert!(start.elapsed() < 10 * Domain::Evaluation.wait(), "{:?}", start.elapsed());
    }

    #[test]
    fn threads_of_one_process_and_another_process_never_write_at_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("ralph.db");
        // Separately opened files lock each other like separate processes.
        let (one, others) = (Db::open(&path).expect("opens"), [Db::open(&path).expect("opens"), Db::open(&path).expect("opens")]);
        let inside = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for db in [&one, &one, &one, &others[0], &others[1]] {
                scope.spawn(|| {
                    for _ in 0..3_000 {
                        let writer = db.writer().expect("a turn");
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "somebody else writes");
                        // Long enough for the others to queue meanwhile.
                        (0..50).for_each(|_| std::thread::yield_now());
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(writer);
                    }
                });
            }
        });
    }
}
