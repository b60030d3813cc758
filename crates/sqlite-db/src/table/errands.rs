//! `errands`: agent runs that belong to no task.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::TaskId;
use ralph_core::errand::{Errand, ErrandId, ErrandKind, ErrandState};
use ralph_core::run::owner::Owner;
use ralph_core::signal::Usage;
use ralph_core::time::Timestamp;
use ralph_core::topic::Topic;
use rusqlite::{OptionalExtension as _, Row, params};

const COLUMNS: &str =
    "SELECT id, kind, state, task_id, run_id, title, agent, model, folder, max_usd, max_minutes, answer, note, usage, started, ended
     FROM errands";

/// Whether an errand `e` used something of unknown cost; as for iterations. Older usage has no key for it.
pub(super) const UNPRICED: &str = "(coalesce(e.usage ->> 'unpriced', 0)
    OR (e.cost_usd IS NULL AND e.usage ->> 'input_tokens' + e.usage ->> 'output_tokens' > 0)
    OR (e.agent IN ('codex', 'opencode') AND e.state = 'stopped'))";

/// An open errand, with what is needed to tell whether its owner is alive.
#[derive(Debug, Clone)]
pub struct ErrandOwner {
    /// The errand.
    pub id: ErrandId,
    /// The process that drives it.
    pub owner: Owner,
    /// Its last heartbeat.
    pub heartbeat: Timestamp,
}

fn read_row(r: &Row<'_>) -> Result<Errand> {
    Ok(Errand {
        id: r.get("id")?,
        kind: row::word(r, "kind")?,
        state: row::word(r, "state")?,
        task: r.get("task_id")?,
        run: r.get("run_id")?,
        title: r.get("title")?,
        agent: row::word_opt(r, "agent")?,
        model: r.get("model")?,
        folder: r.get("folder")?,
        max_usd: r.get("max_usd")?,
        max_minutes: r.get("max_minutes")?,
        answer: r.get("answer")?,
        note: r.get("note")?,
        usage: row::json::<Option<Usage>>(r, "usage").unwrap_or_default().unwrap_or_default(),
        started: row::time(r, "started")?,
        ended: row::time_opt(r, "ended")?,
    })
}

impl Read<'_> {
    /// The newest errands, newest first.
    pub fn errands(&self, limit: u32) -> Result<Vec<Errand>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} ORDER BY id DESC LIMIT ?1"))?;
        statement.query_and_then([limit], read_row)?.collect()
    }

    /// Errands that are not over, newest first.
    pub fn running_errands(&self) -> Result<Vec<Errand>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE state = 'running' ORDER BY id DESC"))?;
        statement.query_and_then([], read_row)?.collect()
    }

    /// One errand.
    pub fn errand(&self, id: ErrandId) -> Result<Option<Errand>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?;
        statement.query_and_then([id], read_row)?.next().transpose()
    }

    /// Open errands.
    pub fn errand_owners(&self) -> Result<Vec<ErrandOwner>> {
        let mut statement =
            self.connection.prepare_cached("SELECT id, owner, heartbeat FROM errands WHERE state = 'running' ORDER BY id")?;
        let read = |r: &Row<'_>| -> Result<ErrandOwner> {
            Ok(ErrandOwner { id: r.get("id")?, owner: row::json(r, "owner")?, heartbeat: row::time(r, "heartbeat")? })
        };
        statement.query_and_then([], read)?.collect()
    }

    /// The running errand of a task.
    pub fn running_errand_of(&self, task: TaskId) -> Result<Option<ErrandId>> {
        let mut statement = self.connection.prepare_cached("SELECT id FROM errands WHERE state = 'running' AND task_id = ?1")?;
        Ok(statement.query_row([task], |r| r.get(0)).optional()?)
    }

    /// The stored matter of an errand; `None` if there is none.
    pub fn errand_matter(&self, id: ErrandId) -> Result<Option<String>> {
        let mut statement = self.connection.prepare_cached("SELECT matter FROM errands WHERE id = ?1")?;
        Ok(statement.query_row([id], |r| r.get(0)).optional()?.flatten())
    }

    /// The matters of the newest errands of a kind, newest first; errands without one are skipped.
    pub fn errand_matters(&self, kind: ErrandKind, limit: u32) -> Result<Vec<(ErrandId, String)>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, matter FROM errands WHERE kind = ?1 AND matter IS NOT NULL ORDER BY id DESC LIMIT ?2")?;
        statement.query_and_then(params![kind.as_str(), limit], |r| Ok((r.get(0)?, r.get(1)?)))?.collect()
    }

    /// The same for one task.
    pub fn errand_matters_of(&self, kind: ErrandKind, task: TaskId, limit: u32) -> Result<Vec<(ErrandId, String)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, matter FROM errands WHERE kind = ?1 AND task_id = ?2 AND matter IS NOT NULL ORDER BY id DESC LIMIT ?3",
        )?;
        statement.query_and_then(params![kind.as_str(), task, limit], |r| Ok((r.get(0)?, r.get(1)?)))?.collect()
    }

    /// The errand whose proposal an act recorded.
    pub fn errand_of_act(&self, act: &str) -> Result<Option<ErrandId>> {
        let mut statement =
            self.connection.prepare_cached("SELECT id FROM errands WHERE json_extract(matter, '$.act') = ?1 ORDER BY id LIMIT 1")?;
        Ok(statement.query_row([act], |r| r.get(0)).optional()?)
    }

    /// An errand of these kinds that is running, or whose proposal awaits review.
    pub fn open_errand(&self, kinds: &[ErrandKind]) -> Result<Option<Errand>> {
        let words: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        let mut statement = self.connection.prepare_cached(&format!(
            "{COLUMNS} WHERE kind IN (SELECT value FROM json_each(?1)) AND (state = 'running'
                 OR id IN (SELECT errand_id FROM worktrees WHERE state = 'ready' AND errand_id IS NOT NULL)) ORDER BY id LIMIT 1"
        ))?;
        statement.query_and_then([row::to_json(&words)], read_row)?.next().transpose()
    }

    /// Whether an errand was asked to stop.
    pub fn is_errand_to_stop(&self, id: ErrandId) -> Result<bool> {
        let mut statement = self.connection.prepare_cached("SELECT stop_asked FROM errands WHERE id = ?1")?;
        Ok(statement.query_row([id], |r| r.get(0)).optional()?.unwrap_or(true))
    }
}

impl Tx<'_> {
    /// Stores a new errand, ignoring its number, and returns the assigned one.
    pub fn insert_errand(&self, new: &Errand, owner: &Owner) -> Result<ErrandId> {
        self.connection
            .prepare_cached(
                "INSERT INTO errands (kind, state, task_id, title, agent, model, folder, max_usd, max_minutes, owner, heartbeat, started, run_id)
                 VALUES (?1, 'running', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?11)",
            )?
            .execute(params![
                new.kind.as_str(),
                new.task,
                new.title,
                new.agent.map(|agent| agent.as_str()),
                new.model,
                new.folder,
                new.max_usd,
                new.max_minutes,
                row::to_json(owner),
                new.started.0,
                new.run
            ])?;
        Ok(ErrandId::try_from(self.connection.last_insert_rowid()).unwrap_or(ErrandId::MAX))
    }

    /// Its heartbeat, and its usage so far.
    pub fn beat_errand(&self, id: ErrandId, usage: &Usage, now: Timestamp) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE errands SET heartbeat = ?2, usage = ?3, cost_usd = ?4 WHERE id = ?1 AND state = 'running'")?
            .execute(params![id, now.0, row::to_json(usage), usage.cost_usd])?;
        Ok(())
    }

    /// Asks an errand to stop; returns whether it is running.
    pub fn ask_errand_to_stop(&self, id: ErrandId) -> Result<bool> {
        Ok(self.connection.prepare_cached("UPDATE errands SET stop_asked = 1 WHERE id = ?1 AND state = 'running'")?.execute([id])? > 0)
    }

    /// Ends an errand once.
    pub fn end_errand(&self, id: ErrandId, state: ErrandState, answer: &str, note: Option<&str>, now: Timestamp) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE errands SET state = ?2, answer = ?3, note = ?4, ended = ?5 WHERE id = ?1 AND state = 'running'")?
            .execute(params![id, state.as_str(), answer, note, now.0])?;
        self.tell_reviews();
        Ok(())
    }

    /// Stores the matter of an errand: a JSON object for whoever ordered it.
    pub fn set_errand_matter(&self, id: ErrandId, matter: &str) -> Result<()> {
        self.connection.prepare_cached("UPDATE errands SET matter = ?2 WHERE id = ?1")?.execute(params![id, matter])?;
        Ok(())
    }

    /// Stores the working folder of an errand.
    pub fn set_errand_folder(&self, id: ErrandId, folder: &str) -> Result<()> {
        self.connection.prepare_cached("UPDATE errands SET folder = ?2 WHERE id = ?1")?.execute(params![id, folder])?;
        Ok(())
    }

    /// Marks an ended errand as failed because its result was invalid.
    pub fn fail_errand(&self, id: ErrandId, note: &str) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE errands SET state = 'failed', note = ?2 WHERE id = ?1 AND state = 'done'")?
            .execute(params![id, note])?;
        self.tell_reviews();
        Ok(())
    }

    /// Whether what it proposes waits for its review depends on its state; its heartbeats change nothing of that.
    fn tell_reviews(&self) {
        self.touch(Topic::Worktrees);
    }
}
