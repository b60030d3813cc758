//! The recorded history, read at once.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::recall::history_file;
use ralph_core::evaluation::{Agreement, Label, LabelSource, QueryRecord, RecordedCounts, SelectionRecord, ShadowRecord};
use ralph_core::time::Timestamp;
use ralph_rag::evaluate::retrieval::Truth;
use ralph_rag::evaluate::truth::{agreement, said_by};
use sqlite_db::{Db, DbError, Read, Tx};

/// Newest questions used for figures: several cycles of a busy project.
const QUERIES: u32 = 20_000;

/// All data that figures are computed from.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub queries: Vec<QueryRecord>,
    pub selections: Vec<SelectionRecord>,
    pub labels: Vec<Label>,
    pub comparisons: Vec<ShadowRecord>,
    /// Configurations used: name, since when, content as JSON.
    pub configurations: Vec<(String, Timestamp, String)>,
    pub counts: RecordedCounts,
}

impl History {
    /// The agreement of the judge with the person.
    pub(crate) fn agreement(&self) -> Agreement {
        agreement(&said_by(&self.labels, LabelSource::Person), &said_by(&self.labels, LabelSource::Judge))
    }

    /// What answers which question.
    pub(crate) fn truth(&self) -> Truth {
        Truth::of(&self.selections, &self.labels, self.agreement().counts)
    }
}

impl App {
    /// `eval.db`, with all queued records written; `None` if it does not exist and can't be created.
    pub(crate) fn evaluation_db(&self) -> Result<Option<Db>> {
        self.evaluation.flush();
        if self.is_read_only() && !self.evaluation.path().exists() {
            return Ok(None);
        }
        Ok(Some(history_file::open(self.evaluation.path())?))
    }

    /// Reads `eval.db`; `None` if there is none. One that proves damaged while it is read is put aside, as one that can't be opened is.
    pub(crate) fn read_history<T>(&self, read: impl FnOnce(&Read<'_>) -> Result<T>) -> Result<Option<T>> {
        self.of_history(|db| db.read(read))
    }

    /// Writes into `eval.db`, as [`App::read_history`].
    pub(crate) fn write_history<T>(&self, write: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<Option<T>> {
        self.of_history(|db| db.writer()?.transaction(write))
    }

    /// Acts on `eval.db`, as [`App::read_history`].
    pub(crate) fn of_history<T>(&self, act: impl FnOnce(&Db) -> Result<T>) -> Result<Option<T>> {
        let Some(db) = self.evaluation_db()? else { return Ok(None) };
        match act(&db) {
            Err(AppError::Db(DbError::Damaged { .. })) => {
                history_file::put_aside(db)?;
                Ok(None)
            }
            done => done.map(Some),
        }
    }

    /// Waits until everything that was recorded so far is in `eval.db`, or counted as dropped.
    pub fn finish_recording(&self) {
        self.evaluation.flush();
    }

    /// The recorded history.
    pub(crate) fn recorded(&self) -> Result<History> {
        let read = self.read_history(|r| {
            Ok(History {
                queries: r.recorded_queries(QUERIES)?,
                selections: r.selections()?,
                labels: r.labels()?,
                comparisons: r.comparisons()?,
                configurations: r.configurations()?,
                counts: r.recorded_counts()?,
            })
        })?;
        let mut history = read.unwrap_or_default();
        history.counts.dropped = history.counts.dropped.saturating_add(self.evaluation.dropped());
        Ok(history)
    }
}
