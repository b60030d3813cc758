//! `memories`: everything that is known; here the kind `learning`, with its observations and conflicts.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::learning::{Conflict, FeatureLearning, LearningState};
use ralph_core::time::Timestamp;
use ralph_core::topic::Topic;
use ralph_core::{LearningId, TaskId};
use rusqlite::{Row, params};
use std::collections::BTreeMap;

/// One query gives the record and, as a JSON list, the open conflicts it is part of.
const COLUMNS: &str = "SELECT m.id, f.name AS feature, m.text, m.reason, m.category, m.tags, m.source, m.task_id, m.iteration, m.created,
    m.last_used, m.hit_count, m.reviewed_by, m.review_count, m.state, m.superseded_by,
    (SELECT json_group_array(other) FROM (SELECT older AS other FROM memory_conflicts WHERE newer = m.id
        UNION ALL SELECT newer FROM memory_conflicts WHERE older = m.id)) AS conflicts_with
    FROM memories m JOIN features f ON f.id = m.feature_id WHERE m.kind = 'learning'";

fn read_row(r: &Row<'_>) -> Result<FeatureLearning> {
    Ok(FeatureLearning {
        id: r.get("id")?,
        feature: r.get("feature")?,
        text: r.get("text")?,
        reason: r.get("reason")?,
        category: r.get("category")?,
        tags: row::json(r, "tags")?,
        source: row::word(r, "source")?,
        task_id: r.get("task_id")?,
        iteration: r.get("iteration")?,
        created: row::time(r, "created")?,
        last_used: row::time_opt(r, "last_used")?,
        hit_count: r.get("hit_count")?,
        reviewed_by: r.get("reviewed_by")?,
        review_count: r.get("review_count")?,
        state: row::word(r, "state")?,
        superseded_by: r.get("superseded_by")?,
        conflicts_with: row::json(r, "conflicts_with")?,
    })
}

impl Read<'_> {
    /// Learnings of one feature or of all, in the given states (all when empty), oldest first.
    pub fn learnings(&self, feature: Option<&str>, states: &[LearningState]) -> Result<Vec<FeatureLearning>> {
        let words: Vec<&str> = states.iter().map(|s| s.as_str()).collect();
        let mut statement = self.connection.prepare_cached(&format!(
            "{COLUMNS} AND (?1 IS NULL OR m.feature_id = (SELECT id FROM features WHERE name = ?1))
             AND (?2 = '[]' OR m.state IN (SELECT value FROM json_each(?2))) ORDER BY m.created, m.id"
        ))?;
        statement.query_and_then(params![feature, row::to_json(&words)], read_row)?.collect()
    }

    /// Active and parked learnings of a feature by its row number: what the door compares a candidate with.
    pub fn known_learnings(&self, feature_id: u32) -> Result<Vec<FeatureLearning>> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{COLUMNS} AND m.feature_id = ?1 AND m.state IN ('active', 'parked') ORDER BY m.created, m.id"))?;
        statement.query_and_then([feature_id], read_row)?.collect()
    }

    /// One learning.
    pub fn learning(&self, id: &str) -> Result<Option<FeatureLearning>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} AND m.id = ?1"))?;
        statement.query_and_then([id], read_row)?.next().transpose()
    }

    /// Several learnings, in the given order; ids of none are passed over.
    pub fn learnings_by_id(&self, ids: &[LearningId]) -> Result<Vec<FeatureLearning>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} AND m.id IN (SELECT value FROM json_each(?1))"))?;
        let mut by_id = BTreeMap::new();
        for learning in statement.query_and_then([row::to_json(&ids)], read_row)? {
            let learning = learning?;
            by_id.insert(learning.id.clone(), learning);
        }
        Ok(ids.iter().filter_map(|id| by_id.remove(id)).collect())
    }

    /// Several learnings by their row numbers, in the given order; numbers of none are passed over.
    pub fn learnings_by_row(&self, rows: &[i64]) -> Result<Vec<FeatureLearning>> {
        let mut statement =
            self.connection.prepare_cached("SELECT row, id FROM memories WHERE row IN (SELECT value FROM json_each(?1))")?;
        let found = statement.query_map([row::to_json(&rows)], |r| Ok((r.get(0)?, r.get(1)?)))?;
        let ids: BTreeMap<i64, LearningId> = found.collect::<rusqlite::Result<_>>()?;
        self.learnings_by_id(&rows.iter().filter_map(|row| ids.get(row).cloned()).collect::<Vec<_>>())
    }

    /// Row numbers of the learnings in a state.
    pub fn learning_rows(&self, state: LearningState) -> Result<Vec<i64>> {
        let mut statement = self.connection.prepare_cached("SELECT row FROM memories WHERE state = ?1")?;
        let rows = statement.query_map([state.as_str()], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Active and parked learnings that came from a task and are held by its feature.
    pub fn learnings_of_task(&self, task: TaskId, feature_id: u32) -> Result<Vec<FeatureLearning>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "{COLUMNS} AND m.task_id = ?1 AND m.feature_id = ?2 AND m.state IN ('active', 'parked') ORDER BY m.created, m.id"
        ))?;
        statement.query_and_then([task, feature_id], read_row)?.collect()
    }

    /// Pairs that contradict each other and wait for a person, the newest first.
    pub fn conflicts(&self) -> Result<Vec<Conflict>> {
        let mut statement = self.connection.prepare_cached("SELECT older, newer FROM memory_conflicts ORDER BY newer DESC, older")?;
        let pairs: Vec<(LearningId, LearningId)> =
            statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
        let ids: Vec<LearningId> = pairs.iter().flat_map(|(older, newer)| [older.clone(), newer.clone()]).collect();
        let by_id: BTreeMap<LearningId, FeatureLearning> = self.learnings_by_id(&ids)?.into_iter().map(|l| (l.id.clone(), l)).collect();
        let conflict = |(older, newer): &(LearningId, LearningId)| {
            Some(Conflict { older: by_id.get(older)?.clone(), newer: by_id.get(newer)?.clone() })
        };
        Ok(pairs.iter().filter_map(conflict).collect())
    }

    /// Whether an iteration already observed a learning.
    pub fn has_observed(&self, id: &str, iteration: u32) -> Result<bool> {
        let mut statement = self.connection.prepare_cached("SELECT 1 FROM memory_observations WHERE memory_id = ?1 AND iteration = ?2")?;
        Ok(statement.exists(params![id, iteration])?)
    }

    /// Active and parked counts over all features, and the number of open conflicts.
    pub fn learning_totals(&self) -> Result<(u32, u32, u32)> {
        let mut statement = self.connection.prepare_cached(
            "SELECT (SELECT count(*) FROM memories WHERE kind = 'learning' AND state = 'active' AND protected)
                    + (SELECT count(*) FROM memories WHERE kind = 'learning' AND state = 'active' AND NOT protected),
                    (SELECT count(*) FROM memories WHERE kind = 'learning' AND state = 'parked'),
                    (SELECT count(*) FROM memory_conflicts)",
        )?;
        Ok(statement.query_row([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?)
    }

    /// Observations of every learning: id, iteration.
    pub fn observations(&self) -> Result<Vec<(LearningId, u32)>> {
        let mut statement = self.connection.prepare_cached("SELECT memory_id, iteration FROM memory_observations ORDER BY 1, 2")?;
        let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Stores a new learning in the feature it names.
    pub fn insert_learning(&self, learning: &FeatureLearning, feature_id: u32) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO memories (id, kind, feature_id, text, reason, category, tags, source, task_id, iteration, created, last_used,
                     hit_count, reviewed_by, review_count, state, superseded_by)
                 VALUES (?1, 'learning', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            )?
            .execute(params![
                learning.id,
                feature_id,
                learning.text,
                learning.reason,
                learning.category,
                row::to_json(&learning.tags),
                learning.source.as_str(),
                learning.task_id,
                learning.iteration,
                learning.created.0,
                learning.last_used.map(|t| t.0),
                learning.hit_count,
                learning.reviewed_by,
                learning.review_count,
                learning.state.as_str(),
                learning.superseded_by
            ])?;
        self.touch(Topic::Passages);
        self.touch(Topic::Learnings);
        Ok(())
    }

    /// Changes where a learning stands.
    pub fn set_learning_state(&self, id: &str, state: LearningState, superseded_by: Option<&str>) -> Result<()> {
        self.connection.prepare_cached("UPDATE memories SET state = ?2, superseded_by = ?3 WHERE id = ?1")?.execute(params![
            id,
            state.as_str(),
            superseded_by
        ])?;
        self.touch(Topic::Passages);
        self.touch(Topic::Learnings);
        Ok(())
    }

    /// Remembers that an iteration observed a learning.
    pub fn insert_observation(&self, id: &str, iteration: u32) -> Result<()> {
        self.connection
            .prepare_cached("INSERT OR IGNORE INTO memory_observations (memory_id, iteration) VALUES (?1, ?2)")?
            .execute(params![id, iteration])?;
        Ok(())
    }

    /// One more distinct iteration has seen a learning.
    pub fn count_hit(&self, id: &str) -> Result<()> {
        self.connection.prepare_cached("UPDATE memories SET hit_count = hit_count + 1 WHERE id = ?1")?.execute([id])?;
        self.touch(Topic::Passages);
        self.touch(Topic::Learnings);
        Ok(())
    }

    /// Records a review.
    pub fn set_reviewed(&self, id: &str, by: &str) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE memories SET reviewed_by = ?2, review_count = review_count + 1 WHERE id = ?1")?
            .execute([id, by])?;
        self.touch(Topic::Passages);
        self.touch(Topic::Learnings);
        Ok(())
    }

    /// Records that learnings were told to an agent.
    pub fn set_last_used(&self, ids: &[LearningId], at: Timestamp) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE memories SET last_used = ?2 WHERE id IN (SELECT value FROM json_each(?1))")?
            .execute(params![row::to_json(&ids), at.0])?;
        self.touch(Topic::Learnings);
        Ok(())
    }

    /// Moves a learning to another feature, in the given state.
    pub fn move_learning(&self, id: &str, feature_id: u32, state: LearningState) -> Result<()> {
        self.connection.prepare_cached("UPDATE memories SET feature_id = ?2, state = ?3 WHERE id = ?1")?.execute(params![
            id,
            feature_id,
            state.as_str()
        ])?;
        self.touch(Topic::Passages);
        self.touch(Topic::Learnings);
        Ok(())
    }

    /// Opens a conflict for a person to decide.
    pub fn insert_conflict(&self, older: &str, newer: &str) -> Result<()> {
        self.connection.prepare_cached("INSERT OR IGNORE INTO memory_conflicts (older, newer) VALUES (?1, ?2)")?.execute([older, newer])?;
        self.touch(Topic::Learnings);
        Ok(())
    }

    /// Closes a conflict; whether there was one.
    pub fn delete_conflict(&self, older: &str, newer: &str) -> Result<bool> {
        let count =
            self.connection.prepare_cached("DELETE FROM memory_conflicts WHERE older = ?1 AND newer = ?2")?.execute([older, newer])?;
        self.touch(Topic::Learnings);
        Ok(count > 0)
    }

    /// Removes every learning, so that the journals can be replayed. Only inside the rebuild's own transaction, after a backup.
    pub fn clear_learnings(&self) -> Result<()> {
        self.connection.execute("DELETE FROM memories WHERE kind = 'learning'", [])?;
        self.touch(Topic::Passages);
        self.touch(Topic::Learnings);
        Ok(())
    }
}
