//! `notices`: shown to a person until settled.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::notice::{NewNotice, Notice, NoticeId, NoticeKind};
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, RunId, TaskId};
use rusqlite::{OptionalExtension as _, Row, params};

const COLUMNS: &str = "SELECT id, kind, run_id, iteration_id, task_id, title, detail, wish, created, settled, accepted FROM notices";

fn read_row(r: &Row<'_>) -> Result<Notice> {
    let wished: Option<String> = r.get("wish")?;
    Ok(Notice {
        id: r.get("id")?,
        kind: row::word(r, "kind")?,
        run: r.get("run_id")?,
        iteration: r.get("iteration_id")?,
        task: r.get("task_id")?,
        title: r.get("title")?,
        detail: r.get("detail")?,
        wish: if wished.is_some() { Some(row::json(r, "wish")?) } else { None },
        created: row::time(r, "created")?,
        settled: row::time_opt(r, "settled")?,
        accepted: r.get("accepted")?,
    })
}

impl Read<'_> {
    /// Open notices, oldest first: all but the proposals, and of these the first `proposals`. Agents may make as many as they like;
    /// reports of harm must not wait behind them.
    pub fn open_notices(&self, proposals: u32) -> Result<Vec<Notice>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "{COLUMNS} WHERE settled IS NULL AND (kind <> 'proposal' OR id IN (
                 SELECT id FROM notices WHERE settled IS NULL AND kind = 'proposal' ORDER BY id LIMIT ?1)) ORDER BY id"
        ))?;
        statement.query_and_then([proposals], read_row)?.collect()
    }

    /// Number of open notices.
    pub fn open_notice_count(&self) -> Result<u32> {
        Ok(self.connection.prepare_cached("SELECT count(*) FROM notices WHERE settled IS NULL")?.query_row([], |r| r.get(0))?)
    }

    /// The runs that open notices come from, once for each notice.
    pub fn runs_of_open_notices(&self) -> Result<Vec<RunId>> {
        let mut statement = self.connection.prepare_cached("SELECT run_id FROM notices WHERE settled IS NULL AND run_id IS NOT NULL")?;
        Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// Open proposals to change a task, oldest first.
    pub fn open_proposals_on(&self, task: TaskId) -> Result<Vec<Notice>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "{COLUMNS} WHERE settled IS NULL AND wish ->> 'act' = 'update_task' AND wish ->> 'task' = ?1 ORDER BY id"
        ))?;
        statement.query_and_then([task], read_row)?.collect()
    }

    /// Whether there is a notice with this title that is open, or was settled after a time.
    pub fn has_notice_since(&self, kind: NoticeKind, title: &str, settled: Timestamp) -> Result<bool> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT 1 FROM notices WHERE kind = ?1 AND title = ?2 AND (settled IS NULL OR settled > ?3) LIMIT 1")?;
        Ok(statement.exists(params![kind.as_str(), title, settled.0])?)
    }

    /// All notices, newest first.
    pub fn notices(&self, limit: u32) -> Result<Vec<Notice>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} ORDER BY id DESC LIMIT ?1"))?;
        statement.query_and_then([limit], read_row)?.collect()
    }

    /// One notice.
    pub fn notice(&self, id: NoticeId) -> Result<Option<Notice>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?;
        statement.query_and_then([id], read_row)?.next().transpose()
    }

    /// Whether there ever was a notice with this detail.
    pub fn has_notice(&self, kind: NoticeKind, detail: &str) -> Result<bool> {
        let mut statement = self.connection.prepare_cached("SELECT 1 FROM notices WHERE kind = ?1 AND detail = ?2 LIMIT 1")?;
        Ok(statement.exists([kind.as_str(), detail])?)
    }

    /// Number of notices of an iteration; of those without one if `iteration` is `None`.
    pub fn notices_of(&self, iteration: Option<IterationId>) -> Result<u32> {
        let mut statement = self.connection.prepare_cached("SELECT count(*) FROM notices WHERE iteration_id IS ?1 AND settled IS NULL")?;
        Ok(statement.query_row([iteration], |r| r.get(0))?)
    }
}

impl Tx<'_> {
    /// Adds a notice. One that is the same and still open is not repeated: its number is returned.
    pub fn insert_notice(&self, new: &NewNotice, at: Timestamp) -> Result<NoticeId> {
        let wish = new.wish.as_ref().map(row::to_json);
        let mut same = self
            .connection
            .prepare_cached("SELECT id FROM notices WHERE settled IS NULL AND kind = ?1 AND title = ?2 AND detail = ?3 AND wish IS ?4")?;
        if let Some(known) = same.query_row(params![new.kind.as_str(), new.title, new.detail, wish], |r| r.get(0)).optional()? {
            return Ok(known);
        }
        self.connection
            .prepare_cached(
                "INSERT INTO notices (kind, run_id, iteration_id, task_id, title, detail, wish, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![new.kind.as_str(), new.run, new.iteration, new.task, new.title, new.detail, wish, at.0])?;
        Ok(NoticeId::try_from(self.connection.last_insert_rowid()).unwrap_or(NoticeId::MAX))
    }

    /// Settles an open notice; returns whether it was open.
    pub fn settle_notice(&self, id: NoticeId, accepted: bool, at: Timestamp) -> Result<bool> {
        let count = self
            .connection
            .prepare_cached("UPDATE notices SET settled = ?3, accepted = ?2 WHERE id = ?1 AND settled IS NULL")?
            .execute(params![id, accepted, at.0])?;
        Ok(count > 0)
    }

    /// Opens a settled notice again; returns whether it was settled.
    pub fn reopen_notice(&self, id: NoticeId) -> Result<bool> {
        let count = self
            .connection
            .prepare_cached("UPDATE notices SET settled = NULL, accepted = NULL WHERE id = ?1 AND settled IS NOT NULL")?
            .execute(params![id])?;
        Ok(count > 0)
    }
}
