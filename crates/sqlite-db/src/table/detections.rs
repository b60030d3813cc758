//! `detections` and `learning_days`: what automatic learning found, and how much it did.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::detection::{DetectionKind, DetectionRefusal, DetectionState};
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, MemoryId};
use rusqlite::{Row, params};
use serde_json::Value;
use std::collections::BTreeMap;

const COLUMNS: &str = "SELECT id, kind, iteration_id, session, found, record, state, refusal, episode FROM detections";

/// A detection as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptDetection {
    /// Its number.
    pub id: u32,
    /// What kind.
    pub kind: DetectionKind,
    /// The iteration whose agent made the calls; `None` = a session outside of runs.
    pub iteration: Option<IterationId>,
    /// The MCP client of that session; empty in a run.
    pub session: String,
    /// When it was found.
    pub found: Timestamp,
    /// The detection itself.
    pub record: Value,
    /// Where it stands.
    pub state: DetectionState,
    /// Why nothing came of it.
    pub refusal: Option<DetectionRefusal>,
    /// The episode that it became, or that said so already.
    pub episode: Option<MemoryId>,
}

fn read_row(r: &Row<'_>) -> Result<KeptDetection> {
    Ok(KeptDetection {
        id: r.get("id")?,
        kind: row::word(r, "kind")?,
        iteration: r.get("iteration_id")?,
        session: r.get("session")?,
        found: row::time(r, "found")?,
        record: row::json(r, "record")?,
        state: row::word(r, "state")?,
        refusal: row::word_opt(r, "refusal")?,
        episode: r.get("episode")?,
    })
}

impl Read<'_> {
    /// Detections that wait for a decision, oldest first.
    pub fn waiting_detections(&self, limit: u32) -> Result<Vec<KeptDetection>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE state = 'waiting' ORDER BY id LIMIT ?1"))?;
        statement.query_and_then([limit], read_row)?.collect()
    }

    /// Whether one still waits.
    pub fn waits(&self, id: u32) -> Result<bool> {
        let mut statement = self.connection.prepare_cached("SELECT 1 FROM detections WHERE id = ?1 AND state = 'waiting'")?;
        Ok(statement.exists([id])?)
    }

    /// How many wait.
    pub fn count_waiting_detections(&self) -> Result<u32> {
        Ok(self.connection.prepare_cached("SELECT count(*) FROM detections WHERE state = 'waiting'")?.query_row([], |r| r.get(0))?)
    }

    /// What an episode came of, oldest first.
    pub fn detections_of(&self, episode: &str) -> Result<Vec<KeptDetection>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE episode = ?1 ORDER BY id"))?;
        statement.query_and_then([episode], read_row)?.collect()
    }

    /// Counts since a day, by day and by what was counted.
    pub fn learning_days(&self, since: i64) -> Result<BTreeMap<i64, BTreeMap<String, u32>>> {
        let mut statement = self.connection.prepare_cached("SELECT day, what, count FROM learning_days WHERE day >= ?1")?;
        let mut days: BTreeMap<i64, BTreeMap<String, u32>> = BTreeMap::new();
        let mut rows = statement.query([since])?;
        while let Some(row) = rows.next()? {
            days.entry(row.get(0)?).or_default().insert(row.get(1)?, row.get(2)?);
        }
        Ok(days)
    }
}

impl Tx<'_> {
    /// Keeps a detection that waits, and returns its number.
    pub fn insert_detection(
        &self,
        kind: DetectionKind,
        iteration: Option<IterationId>,
        session: &str,
        record: &Value,
        at: Timestamp,
    ) -> Result<u32> {
        self.connection
            .prepare_cached(
                "INSERT INTO detections (kind, iteration_id, session, found, record, state) VALUES (?1, ?2, ?3, ?4, ?5, 'waiting')",
            )?
            .execute(params![kind.as_str(), iteration, session, at.0, row::to_json(record)])?;
        Ok(u32::try_from(self.connection.last_insert_rowid()).unwrap_or(u32::MAX))
    }

    /// Settles a detection that waits, once: as the episode that it became or that says so already, or as refused. Whether it waited.
    pub fn settle_detection(&self, id: u32, outcome: std::result::Result<(DetectionState, &str), DetectionRefusal>) -> Result<bool> {
        let (state, refusal, episode) = match outcome {
            Ok((state, episode)) => (state, None, Some(episode)),
            Err(refusal) => (DetectionState::Refused, Some(refusal.as_str()), None),
        };
        let mut statement = self
            .connection
            .prepare_cached("UPDATE detections SET state = ?2, refusal = ?3, episode = ?4 WHERE id = ?1 AND state = 'waiting'")?;
        Ok(statement.execute(params![id, state.as_str(), refusal, episode])? > 0)
    }

    /// Lets go of the oldest detections that came to nothing, beyond `keep` of them.
    pub fn thin_detections(&self, keep: u32) -> Result<()> {
        self.connection
            .prepare_cached(
                "DELETE FROM detections WHERE state IN ('refused', 'known') AND id <= (SELECT id FROM detections
                     WHERE state IN ('refused', 'known') ORDER BY id DESC LIMIT 1 OFFSET ?1)",
            )?
            .execute([keep])?;
        Ok(())
    }

    /// Adds to a day's counts.
    pub fn count_learning(&self, day: i64, what: &str, count: u32) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO learning_days (day, what, count) VALUES (?1, ?2, ?3)
                 ON CONFLICT (day, what) DO UPDATE SET count = count + excluded.count",
            )?
            .execute(params![day, what, count])?;
        Ok(())
    }
}
