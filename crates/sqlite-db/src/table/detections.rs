//! `detections` and `learning_days`: detections of automatic learning, and its activity.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::detection::{DetectionKind, DetectionRefusal, DetectionState, LearningCount};
use ralph_core::time::Timestamp;
use ralph_core::topic::Topic;
use ralph_core::worktree::Worktree;
use ralph_core::{IterationId, MemoryId};
use rusqlite::{Row, params};
use serde_json::Value;
use std::collections::BTreeMap;

const COLUMNS: &str = "SELECT id, kind, iteration_id, session, found, record, state, refusal, episode, tries, by_rules FROM detections";

/// A stored detection.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptDetection {
    /// Its number.
    pub id: u32,
    /// What kind.
    pub kind: DetectionKind,
    /// The iteration whose agent made the calls; `None` = a session outside of runs.
    pub iteration: Option<IterationId>,
    /// The MCP client of that session; empty for a run.
    pub session: String,
    /// When it was detected.
    pub found: Timestamp,
    /// The detection itself.
    pub record: Value,
    /// Its state.
    pub state: DetectionState,
    /// Why it was rejected.
    pub refusal: Option<DetectionRefusal>,
    /// The episode that it became, or that already says so.
    pub episode: Option<MemoryId>,
    /// Number of requests to a model about it.
    pub tries: u32,
    /// Why rules decide on it instead of a model; `None` if they would anyway, or a model is yet to be asked.
    pub by_rules: Option<DetectionRefusal>,
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
        tries: r.get("tries")?,
        by_rules: row::word_opt(r, "by_rules")?,
    })
}

impl Read<'_> {
    /// Records of a kind that an iteration's agent gave rise to after a detection.
    pub fn detections_after(&self, id: u32, iteration: IterationId, kind: DetectionKind) -> Result<Vec<Value>> {
        let mut statement =
            self.connection.prepare_cached("SELECT record FROM detections WHERE iteration_id = ?1 AND id > ?2 AND kind = ?3")?;
        statement.query_and_then(params![iteration, id, kind.as_str()], |r| row::json(r, "record"))?.collect()
    }

    /// Undecided detections after number `after`, oldest first; without those queued for a
    /// model, if `for_rules`.
    pub fn waiting_detections(&self, after: u32, limit: u32, for_rules: bool) -> Result<Vec<KeptDetection>> {
        let sql = format!("{COLUMNS} WHERE state = 'waiting' AND id > ?1 AND (NOT ?3 OR by_rules IS NOT NULL) ORDER BY id LIMIT ?2");
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.query_and_then(params![after, limit, for_rules], read_row)?.collect()
    }

    /// Detections that a model can be asked about now, oldest first.
    pub fn detections_to_ask(&self, now: Timestamp) -> Result<Vec<KeptDetection>> {
        let sql = format!(
            "{COLUMNS} WHERE state = 'waiting' AND by_rules IS NULL AND (not_before IS NULL OR not_before <= ?1) ORDER BY id LIMIT 200"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.query_and_then([now.0], read_row)?.collect()
    }

    /// When the next detection that can't be asked about now becomes available.
    pub fn next_detection_to_ask(&self, now: Timestamp) -> Result<Option<Timestamp>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT min(not_before) FROM detections WHERE state = 'waiting' AND by_rules IS NULL AND not_before > ?1")?;
        Ok(statement.query_row([now.0], |r| r.get::<_, Option<i64>>(0))?.map(Timestamp))
    }

    /// Number of detections queued for a model.
    pub fn count_detections_to_ask(&self) -> Result<u32> {
        let mut statement =
            self.connection.prepare_cached("SELECT count(*) FROM detections WHERE state = 'waiting' AND by_rules IS NULL")?;
        Ok(statement.query_row([], |r| r.get(0))?)
    }

    /// One count of one day.
    pub fn learning_count(&self, day: i64, what: impl Into<LearningCount>) -> Result<u32> {
        let mut statement =
            self.connection.prepare_cached("SELECT coalesce(sum(count), 0) FROM learning_days WHERE day = ?1 AND what = ?2")?;
        Ok(statement.query_row(params![day, what.into().to_string()], |r| r.get(0))?)
    }

    /// Whether one is still undecided.
    pub fn waits(&self, id: u32) -> Result<bool> {
        let mut statement = self.connection.prepare_cached("SELECT 1 FROM detections WHERE id = ?1 AND state = 'waiting'")?;
        Ok(statement.exists([id])?)
    }

    /// Number of undecided detections.
    pub fn count_waiting_detections(&self) -> Result<u32> {
        Ok(self.connection.prepare_cached("SELECT count(*) FROM detections WHERE state = 'waiting'")?.query_row([], |r| r.get(0))?)
    }

    /// The detections behind an episode, oldest first.
    pub fn detections_of(&self, episode: &str) -> Result<Vec<KeptDetection>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE episode = ?1 ORDER BY id"))?;
        statement.query_and_then([episode], read_row)?.collect()
    }

    /// Counts since a day, by day; anything else that another version of Ralph counted is left out.
    pub fn learning_days(&self, since: i64) -> Result<BTreeMap<i64, BTreeMap<LearningCount, u32>>> {
        let mut statement = self.connection.prepare_cached("SELECT day, what, count FROM learning_days WHERE day >= ?1")?;
        let mut days: BTreeMap<i64, BTreeMap<LearningCount, u32>> = BTreeMap::new();
        let mut rows = statement.query([since])?;
        while let Some(row) = rows.next()? {
            let counts = days.entry(row.get(0)?).or_default();
            if let Ok(what) = row.get::<_, String>(1)?.parse() {
                counts.insert(what, row.get(2)?);
            }
        }
        Ok(days)
    }
}

impl Tx<'_> {
    /// Stores an undecided detection, and returns its number.
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

    /// Leases a detection for a request to a model, until a time: nobody else takes it meanwhile, and others can if this process
    /// dies. Returns whether it was free.
    pub fn take_detection(&self, id: u32, now: Timestamp, until: Timestamp) -> Result<bool> {
        let mut statement = self.connection.prepare_cached(
            "UPDATE detections SET tries = tries + 1, not_before = ?3
             WHERE id = ?1 AND state = 'waiting' AND by_rules IS NULL AND (not_before IS NULL OR not_before <= ?2)",
        )?;
        Ok(statement.execute(params![id, now.0, until.0])? > 0)
    }

    /// Makes a detection available again at a time.
    pub fn ask_again(&self, id: u32, at: Timestamp) -> Result<()> {
        let mut statement = self.connection.prepare_cached("UPDATE detections SET not_before = ?2 WHERE id = ?1 AND state = 'waiting'")?;
        statement.execute(params![id, at.0])?;
        Ok(())
    }

    /// Leaves a detection to rules, with the reason.
    pub fn leave_to_rules(&self, id: u32, because: DetectionRefusal) -> Result<()> {
        let mut statement = self.connection.prepare_cached("UPDATE detections SET by_rules = ?2 WHERE id = ?1 AND state = 'waiting'")?;
        statement.execute(params![id, because.as_str()])?;
        Ok(())
    }

    /// Settles an undecided detection, once: as the episode that it became or that already says so, or as rejected. Returns whether it did.
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

    /// Detections that were rejected because their work was discarded wait for its branch again.
    pub fn reopen_discarded(&self, worktree: &Worktree) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE detections SET state = 'waiting', refusal = NULL WHERE state = 'refused' AND refusal = 'discarded'
                     AND iteration_id IN (SELECT id FROM iterations WHERE task_id = ?1 AND worktree = ?2)",
            )?
            .execute(params![worktree.work.task(), worktree.path])?;
        Ok(())
    }

    /// Deletes the oldest rejected detections beyond `keep`.
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
    pub fn count_learning(&self, day: i64, what: impl Into<LearningCount>, count: u32) -> Result<()> {
        self.touch(Topic::Learnings);
        self.connection
            .prepare_cached(
                "INSERT INTO learning_days (day, what, count) VALUES (?1, ?2, ?3)
                 ON CONFLICT (day, what) DO UPDATE SET count = count + excluded.count",
            )?
            .execute(params![day, what.into().to_string(), count])?;
        Ok(())
    }
}
