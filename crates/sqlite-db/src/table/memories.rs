//! `memories`: all knowledge; here the records of kind `learning`. The meaning of states is not defined here.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row::{self, Columns};
use ralph_core::learning::{Conflict, FeatureLearning, LearningFilter, LearningState};
use ralph_core::{LearningId, TaskId};
use rusqlite::{Row, params};
use std::collections::BTreeMap;

/// Pairs that contradict each other and await a person: both are active, or wait for room, in features that are not put away, or a document
/// tells the older one. Replacing one of them, or putting it away, leaves nothing to decide, and undoing that brings the pair back.
macro_rules! open_conflicts {
    () => {
        "(SELECT c.older, c.newer, n.feature_id FROM memory_conflicts c
            JOIN memories o ON o.id = c.older JOIN memories n ON n.id = c.newer
            WHERE o.state IN ('active', 'parked', 'consolidated') AND n.state IN ('active', 'parked') AND NOT EXISTS
                (SELECT 1 FROM features a WHERE a.id IN (o.feature_id, n.feature_id) AND a.state = 'archived'))"
    };
}
pub(super) use open_conflicts;

/// The record and, as a JSON list, its open conflicts. The order of the columns is that of `read_row`.
const COLUMNS: &str = concat!(
    "SELECT m.id, f.name AS feature, m.text, m.reason, m.category, m.tags, m.source, m.task_id, m.iteration, m.replica, m.created,
    m.last_used, m.hit_count, m.reviewed_by, m.review_count, m.state, m.superseded_by, m.consolidated_into,
    (SELECT json_group_array(other) FROM (SELECT older AS other FROM ",
    open_conflicts!(),
    " WHERE newer = m.id UNION ALL SELECT newer FROM ",
    open_conflicts!(),
    " WHERE older = m.id)) AS conflicts_with
    FROM memories m JOIN features f ON f.id = m.feature_id WHERE m.kind = 'learning'"
);

fn read_row(r: &Row<'_>) -> Result<FeatureLearning> {
    let mut columns = Columns::of(r);
    Ok(FeatureLearning {
        id: columns.get("id")?,
        feature: columns.get("feature")?,
        text: columns.get("text")?,
        reason: columns.get("reason")?,
        category: columns.get("category")?,
        tags: columns.json("tags")?,
        source: columns.word("source")?,
        task_id: columns.get("task_id")?,
        iteration: columns.get("iteration")?,
        replica: columns.get("replica")?,
        created: columns.time("created")?,
        last_used: columns.time_opt("last_used")?,
        hit_count: columns.get("hit_count")?,
        reviewed_by: columns.get("reviewed_by")?,
        review_count: columns.get("review_count")?,
        state: columns.word("state")?,
        superseded_by: columns.get("superseded_by")?,
        consolidated_into: columns.json_opt("consolidated_into")?,
        conflicts_with: columns.json("conflicts_with")?,
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

    /// At most `most` learnings that pass the filter, from row `from` on, oldest first; and how many pass. Only these rows are read whole.
    pub fn learning_page(&self, filter: &LearningFilter, from: u32, most: u32) -> Result<(Vec<FeatureLearning>, u32)> {
        let words: Vec<String> = filter.words.iter().map(|word| word.to_lowercase()).collect();
        let (states, sources, words) = (row::to_json(&filter.states), row::to_json(&filter.sources), row::to_json(&words));
        let passing = "FROM memories p JOIN features g ON g.id = p.feature_id WHERE p.kind = 'learning'
             AND (?1 IS NULL OR g.name = ?1) AND (?2 = '[]' OR p.state IN (SELECT value FROM json_each(?2)))
             AND (?3 IS NULL OR p.category = ?3) AND (?4 = '[]' OR p.source IN (SELECT value FROM json_each(?4)))
             AND (?5 = '[]' OR NOT EXISTS (SELECT 1 FROM json_each(?5)
                 WHERE instr(lowercase(p.text || ' ' || p.tags || ' ' || g.name), value) = 0))";
        let mut count = self.connection.prepare_cached(&format!("SELECT count(*) {passing}"))?;
        let total = count.query_row(params![filter.feature, states, filter.category, sources, words], |r| r.get(0))?;
        let mut rows = self.connection.prepare_cached(&format!(
            "{COLUMNS} AND m.id IN (SELECT p.id {passing} ORDER BY p.created, p.id LIMIT ?7 OFFSET ?6) ORDER BY m.created, m.id"
        ))?;
        let rows = rows.query_and_then(params![filter.feature, states, filter.category, sources, words, from, most], read_row)?;
        Ok((rows.collect::<Result<_>>()?, total))
    }

    /// Categories of the learnings of one feature or of all, in the given states (all when empty), by name.
    pub fn learning_categories(&self, feature: Option<&str>, states: &[LearningState]) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT category FROM memories WHERE kind = 'learning'
             AND (?1 IS NULL OR feature_id = (SELECT id FROM features WHERE name = ?1))
             AND (?2 = '[]' OR state IN (SELECT value FROM json_each(?2))) ORDER BY category",
        )?;
        let categories = statement.query_map(params![feature, row::to_json(&states)], |r| r.get(0))?;
        Ok(categories.collect::<rusqlite::Result<_>>()?)
    }

    /// Learnings of a feature (by row number) in one state, without their conflicts.
    pub fn learnings_in(&self, feature_id: u32, state: LearningState) -> Result<Vec<FeatureLearning>> {
        // The state is written out for the index of the active ones, which a bound one would not be known to meet.
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT m.id, f.name AS feature, m.text, m.reason, m.category, m.tags, m.source, m.task_id, m.iteration, m.replica, m.created,
                 m.last_used, m.hit_count, m.reviewed_by, m.review_count, m.state, m.superseded_by, m.consolidated_into,
                 '[]' AS conflicts_with
             FROM memories m JOIN features f ON f.id = m.feature_id
             WHERE m.feature_id = ?1 AND m.kind = 'learning' AND m.state = '{}'",
            state.as_str()
        ))?;
        statement.query_and_then([feature_id], read_row)?.collect()
    }

    /// One learning.
    pub fn learning(&self, id: &str) -> Result<Option<FeatureLearning>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} AND m.id = ?1"))?;
        statement.query_and_then([id], read_row)?.next().transpose()
    }

    /// Several learnings, in the given order; unknown ids are skipped.
    pub fn learnings_by_id(&self, ids: &[LearningId]) -> Result<Vec<FeatureLearning>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} AND m.id IN (SELECT value FROM json_each(?1))"))?;
        let mut by_id = BTreeMap::new();
        for learning in statement.query_and_then([row::to_json(&ids)], read_row)? {
            let learning = learning?;
            by_id.insert(learning.id.clone(), learning);
        }
        Ok(ids.iter().filter_map(|id| by_id.remove(id)).collect())
    }

    /// Several learnings with their row numbers, in the given order; unknown numbers are skipped.
    pub fn learnings_by_row(&self, rows: &[i64]) -> Result<Vec<(i64, FeatureLearning)>> {
        let mut statement =
            self.connection.prepare_cached("SELECT row, id FROM memories WHERE row IN (SELECT value FROM json_each(?1))")?;
        let found = statement.query_map([row::to_json(&rows)], |r| Ok((r.get(0)?, r.get(1)?)))?;
        let ids: BTreeMap<i64, LearningId> = found.collect::<rusqlite::Result<_>>()?;
        let asked: Vec<LearningId> = ids.values().cloned().collect();
        let mut by_id: BTreeMap<LearningId, FeatureLearning> =
            self.learnings_by_id(&asked)?.into_iter().map(|l| (l.id.clone(), l)).collect();
        Ok(rows.iter().filter_map(|row| Some((*row, by_id.remove(ids.get(row)?)?))).collect())
    }

    /// Row numbers of the learnings in a state.
    pub fn learning_rows(&self, state: LearningState) -> Result<Vec<i64>> {
        let mut statement = self.connection.prepare_cached("SELECT row FROM memories WHERE state = ?1")?;
        let rows = statement.query_map([state.as_str()], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Pairs that contradict each other and await a person, newest first.
    pub fn conflicts(&self) -> Result<Vec<Conflict>> {
        let mut statement =
            self.connection.prepare_cached(concat!("SELECT older, newer FROM ", open_conflicts!(), " ORDER BY newer DESC, older"))?;
        let pairs: Vec<(LearningId, LearningId)> =
            statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
        let ids: Vec<LearningId> = pairs.iter().flat_map(|(older, newer)| [older.clone(), newer.clone()]).collect();
        let by_id: BTreeMap<LearningId, FeatureLearning> = self.learnings_by_id(&ids)?.into_iter().map(|l| (l.id.clone(), l)).collect();
        let conflict = |(older, newer): &(LearningId, LearningId)| {
            Some(Conflict { older: by_id.get(older)?.clone(), newer: by_id.get(newer)?.clone() })
        };
        Ok(pairs.iter().filter_map(conflict).collect())
    }

    /// Learnings of a feature, in any state, that came from a task of any replica.
    pub fn learnings_of_task(&self, task: TaskId, feature_id: u32) -> Result<Vec<LearningId>> {
        let mut statement =
            self.connection.prepare_cached("SELECT id FROM memories WHERE task_id = ?1 AND feature_id = ?2 AND kind = 'learning'")?;
        Ok(statement.query_map([task, feature_id], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Stores what has been said about a known learning since: a reason, and tags. They lead to it from now on.
    fn fill_learning(&self, learning: &FeatureLearning) -> Result<()> {
        let filled = self
            .connection
            .prepare_cached("UPDATE memories SET reason = ?2, tags = ?3 WHERE id = ?1 AND (reason IS NOT ?2 OR tags <> ?3)")?
            .execute(params![learning.id, learning.reason, row::to_json(&learning.tags)])?;
        if filled > 0 {
            self.connection
                .prepare_cached("DELETE FROM passages WHERE kind = 'learning' AND source = (SELECT row FROM memories WHERE id = ?1)")?
                .execute([&learning.id])?;
            // As the trigger does for a new one.
            self.connection
                .prepare_cached(
                    "INSERT INTO passages (kind, source, feature_id, state, series, created, text, terms, names_a_file)
                     SELECT 'learning', m.row, m.feature_id, m.state,
                         coalesce('iteration:' || m.iteration, 'task:' || m.task_id) || coalesce('@' || m.replica, ''), m.created,
                         m.text || coalesce(' ' || m.reason, ''),
                         identifier_parts(m.text || coalesce(' ' || m.reason, ''))
                             || coalesce((SELECT ' ' || group_concat(value, ' ') FROM json_each(m.tags)), ''),
                         names_a_file(m.text || coalesce(' ' || m.reason, ''))
                     FROM memories m WHERE m.id = ?1",
                )?
                .execute([&learning.id])?;
        }
        Ok(())
    }

    /// Stores the record of a learning, new or changed; returns whether it is new. Its feature must exist. The text of a known one stays.
    pub fn put_learning(&self, learning: &FeatureLearning) -> Result<bool> {
        let changed = self
            .connection
            .prepare_cached(
                "UPDATE memories SET feature_id = (SELECT id FROM features WHERE name = ?2), last_used = ?3, hit_count = ?4, reviewed_by = ?5,
                     review_count = ?6, state = ?7, superseded_by = ?8, consolidated_into = ?9 WHERE id = ?1",
            )?
            .execute(params![
                learning.id,
                learning.feature,
                learning.last_used.map(|t| t.0),
                learning.hit_count,
                learning.reviewed_by,
                learning.review_count,
                learning.state.as_str(),
                learning.superseded_by,
                learning.consolidated_into.as_ref().map(row::to_json)
            ])?;
        if changed > 0 {
            self.fill_learning(learning)?;
            return Ok(false);
        }
        self.connection
            .prepare_cached(
                "INSERT INTO memories (id, kind, feature_id, text, reason, category, tags, source, task_id, iteration, replica, created,
                     last_used, hit_count, reviewed_by, review_count, state, superseded_by, consolidated_into)
                 VALUES (?1, 'learning', (SELECT id FROM features WHERE name = ?2), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,
                     ?16, ?17, ?18)",
            )?
            .execute(params![
                learning.id,
                learning.feature,
                learning.text,
                learning.reason,
                learning.category,
                row::to_json(&learning.tags),
                learning.source.as_str(),
                learning.task_id,
                learning.iteration,
                learning.replica,
                learning.created.0,
                learning.last_used.map(|t| t.0),
                learning.hit_count,
                learning.reviewed_by,
                learning.review_count,
                learning.state.as_str(),
                learning.superseded_by,
                learning.consolidated_into.as_ref().map(row::to_json)
            ])?;
        Ok(true)
    }
}
