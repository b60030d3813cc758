//! Writes records into `eval.db` on a separate thread, so that no query waits for it.
//!
//! The queue is bounded. A record that does not fit, or can't be written, is counted and dropped: that loses history, never function.

use crate::recall::history_file::{has_folder, open, put_aside};
use crate::recall::owed::Owed;
use crate::recall::unfinished::UnfinishedRecord;
use ralph_core::evaluation::{SelectionRecord, ShadowRecord};
use ralph_core::limits;
use ralph_core::recall::{RecallOrigin, RecallQuery};
use ralph_core::time::Timestamp;
use ralph_rag::evaluate::visit::{Sequel, sequel};
use sqlite_db::{Db, DbError, Tx};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long the first record of a commit waits for others: the next question should not compete with the writing of the one before.
const GATHERING: Duration = Duration::from_millis(50);
/// Commits after which the file is reopened, which keeps it within its limits: a window stays open for weeks.
const COMMITS_OF_A_VISIT: usize = 1_000;
/// Number of newest questions whose earliest gives the time when computing ages: a clock that temporarily jumps ahead ages nothing, neither
/// while it is ahead nor afterwards.
const SETTLED: u32 = 101;

/// An item of the queue.
pub(crate) enum Record {
    /// A question.
    Query(Box<UnfinishedRecord>),
    /// A selection.
    Selection(Box<SelectionRecord>),
    /// The id of a question that was not one: its words were half-typed.
    Superseded(String),
    /// A question under two configurations.
    Comparison(Box<ShadowRecord>),
    /// A barrier: the sender learns that everything before it was processed.
    Barrier(SyncSender<()>),
}

/// A person's question in the window: the page asks again whenever something changes, and at every pause in typing, but that is not a
/// new question. A person who reads an answer asked once, and what they say about it belongs to one question.
struct LastQuestion {
    request: RecallQuery,
    at: Timestamp,
    id: String,
}

/// Writes into `eval.db` through a queue.
pub(crate) struct Recorder {
    path: PathBuf,
    last: Mutex<Option<LastQuestion>>,
    /// Created with the first record.
    writer: Mutex<Option<(SyncSender<Record>, JoinHandle<()>)>>,
    dropped: Arc<AtomicU32>,
}

impl Recorder {
    /// A recorder into the file at `path`, which is created on demand.
    pub(crate) fn of(path: PathBuf) -> Recorder {
        Recorder { path, last: Mutex::default(), writer: Mutex::default(), dropped: Arc::default() }
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Dropped records that the file does not count yet.
    pub(crate) fn dropped(&self) -> u32 {
        self.dropped.load(Ordering::Relaxed).saturating_add(Owed::of(&self.path).count())
    }

    /// How a request relates to the last question of a person in the window, with that question's id; `None` for anybody else's request,
    /// and for the first.
    pub(crate) fn sequel(&self, request: &RecallQuery, origin: RecallOrigin, now: Timestamp) -> Option<(Sequel, String)> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let last = last.as_ref().filter(|_| origin == RecallOrigin::Person)?;
        Some((sequel((&last.request, last.at), (request, now)), last.id.clone()))
    }

    /// Notes a question of a person in the window, for [`Recorder::sequel`].
    pub(crate) fn note(&self, request: &RecallQuery, origin: RecallOrigin, at: Timestamp, id: &str) {
        if origin == RecallOrigin::Person {
            let question = LastQuestion { request: request.clone(), at, id: id.to_owned() };
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(question);
        }
    }

    /// Queues a record; never blocks.
    pub(crate) fn record(&self, record: Record) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let (queue, _) = writer.get_or_insert_with(|| self.start());
        if queue.try_send(record).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until everything queued is written.
    pub(crate) fn flush(&self) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((queue, thread)) = writer.as_ref().map(|(queue, thread)| (queue.clone(), thread.thread().clone())) else { return };
        drop(writer);
        let (done, written) = sync_channel(1);
        // A full queue has room again once the thread is awake.
        thread.unpark();
        if queue.send(Record::Barrier(done)).is_ok() {
            thread.unpark();
            // The writer can only be gone by a panic, and then there is nothing to wait for.
            let _ = written.recv();
        }
    }

    fn start(&self) -> (SyncSender<Record>, JoinHandle<()>) {
        let (queue, records) = sync_channel(limits::EVAL_QUEUE);
        let (path, dropped) = (self.path.clone(), Arc::clone(&self.dropped));
        (queue, std::thread::spawn(move || write_all(&path, &records, &dropped)))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((queue, thread)) = writer {
            drop(queue);
            thread.thread().unpark();
            // Everything queued is written before the process ends.
            let _ = thread.join();
        }
    }
}

fn write_all(path: &Path, records: &Receiver<Record>, dropped: &AtomicU32) {
    let mut db: Option<Db> = None;
    let mut commits = 0_usize;
    while let Ok(first) = records.recv() {
        let (batch, waiting) = gathered(first, records);
        // The file may have been removed since: then it is recreated.
        if db.as_ref().is_some_and(|db| db.still_there().is_err()) || commits.is_multiple_of(COMMITS_OF_A_VISIT) {
            db = None;
        }
        commits += 1;
        if let Err(fault) = write_somewhere(&mut db, path, &batch, dropped) {
            tracing::debug!("{} records of retrieval are lost: {fault}", batch.len());
            owe(path, u32::try_from(batch.len()).unwrap_or(u32::MAX), dropped);
            db = None;
        }
        for done in waiting {
            // The waiting caller may have given up.
            let _ = done.send(());
        }
    }
    // The number of records dropped since the last one that was written.
    if dropped.load(Ordering::Relaxed) > 0 && write(&mut db, path, &[], dropped).is_err() {
        owe(path, 0, dropped);
    }
}

/// The records of one commit, and those who wait for it. No record wakes the thread while it gathers; somebody who waits does, and so does
/// the end of the process.
fn gathered(first: Record, records: &Receiver<Record>) -> (Vec<Record>, Vec<SyncSender<()>>) {
    let (mut batch, mut waiting) = (Vec::new(), Vec::new());
    if !matches!(first, Record::Barrier(_)) {
        std::thread::park_timeout(GATHERING);
    }
    for record in std::iter::once(first).chain(records.try_iter().take(limits::EVAL_QUEUE)) {
        match record {
            Record::Barrier(done) => waiting.push(done),
            record => batch.push(record),
        }
    }
    (batch, waiting)
}

/// Leaves the count of dropped records to whoever can write the file again; if not even that is possible, the process keeps it.
fn owe(path: &Path, more: u32, dropped: &AtomicU32) {
    let lost = dropped.swap(0, Ordering::Relaxed).saturating_add(more);
    if !(has_folder(path) && Owed::of(path).add(lost)) {
        dropped.fetch_add(lost, Ordering::Relaxed);
    }
}

/// Writes a batch, into a new file if the present one proves damaged.
fn write_somewhere(db: &mut Option<Db>, path: &Path, batch: &[Record], dropped: &AtomicU32) -> Result<(), DbError> {
    let written = write(db, path, batch, dropped);
    match (written, db.take()) {
        (Err(DbError::Damaged { .. }), Some(damaged)) => {
            put_aside(damaged)?;
            write(db, path, batch, dropped)
        }
        (written, opened) => {
            *db = opened;
            written
        }
    }
}

fn write(db: &mut Option<Db>, path: &Path, batch: &[Record], dropped: &AtomicU32) -> Result<(), DbError> {
    if batch.is_empty() && dropped.load(Ordering::Relaxed) == 0 {
        return Ok(());
    }
    let fresh = db.is_none();
    let opened = match db.take() {
        Some(opened) => opened,
        None => open(path)?,
    };
    let mut lost = dropped.swap(0, Ordering::Relaxed);
    let written = opened.writer().and_then(|mut writer| {
        writer.transaction(|tx| {
            lost = lost.saturating_add(Owed::of(path).take());
            if lost > 0 {
                tx.count_dropped(lost)?;
            }
            batch.iter().try_for_each(|record| insert(tx, record))?;
            if fresh { forget(tx, limits::EVAL_BYTES) } else { Ok(()) }
        })
    });
    if written.is_err() {
        dropped.fetch_add(lost, Ordering::Relaxed);
    }
    *db = Some(opened);
    written
}

fn insert(tx: &Tx<'_>, record: &Record) -> Result<(), DbError> {
    match record {
        Record::Query(asked) => {
            let (query, configuration) = asked.finish();
            tx.insert_configuration(&query.configuration, query.at, &configuration)?;
            tx.insert_query(&query)
        }
        Record::Selection(selection) => tx.insert_selection(selection),
        Record::Superseded(query) => tx.forget_unchosen_query(query),
        Record::Comparison(comparison) => tx.put_comparison(comparison),
        Record::Barrier(_) => Ok(()),
    }
}

/// Keeps the file within its limits of age and size.
fn forget(tx: &Tx<'_>, most_bytes: u64) -> Result<(), DbError> {
    if let Some(newest) = tx.earliest_of_newest_queries(SETTLED)? {
        let kept = i64::try_from(limits::EVAL_KEPT_MILLIS).unwrap_or(i64::MAX);
        tx.forget_queries_before(Timestamp(newest.0.saturating_sub(kept)))?;
    }
    while tx.bytes_used()? > most_bytes && tx.forget_oldest_queries()? > 0 {}
    Ok(())
}

#[cfg(test)]
mod tests;
