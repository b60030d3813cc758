//! The columns of `memories` for learning from selections.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::LearningId;
use ralph_core::feedback::Feedback;
use ralph_core::time::Timestamp;
use rusqlite::{Row, params};

/// Name of the column that no full-text index may contain.
const COLUMN: &str = "learned_triggers";

/// Reads both columns into one value.
pub(super) fn read_feedback(r: &Row<'_>) -> Result<Feedback> {
    let said: Feedback = row::json(r, "feedback")?;
    Ok(Feedback { terms: row::json(r, COLUMN)?, ..said })
}

impl Read<'_> {
    /// Feedback on the given learnings, or on all that have any.
    pub fn feedback(&self, of: Option<&[LearningId]>) -> Result<Vec<(LearningId, Feedback)>> {
        let condition = if of.is_some() { "id IN (SELECT value FROM json_each(?1))" } else { "?1 IS NULL" };
        let sql = format!(
            "SELECT id, {COLUMN}, feedback FROM memories
             WHERE kind = 'learning' AND ({COLUMN} <> '[]' OR feedback <> '{{}}') AND {condition} ORDER BY row"
        );
        let asked = of.map(|ids| row::to_json(&ids));
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.query_and_then([asked], |r| Ok((r.get("id")?, read_feedback(r)?)))?.collect()
    }

    /// Feedback on all learnings that have any, without replaced ones: what was said about them is with their replacements.
    pub fn standing_feedback(&self) -> Result<Vec<(LearningId, Feedback)>> {
        let sql = format!(
            "SELECT id, {COLUMN}, feedback FROM memories
             WHERE kind = 'learning' AND ({COLUMN} <> '[]' OR feedback <> '{{}}') AND superseded_by IS NULL ORDER BY row"
        );
        self.connection.prepare_cached(&sql)?.query_and_then([], |r| Ok((r.get("id")?, read_feedback(r)?)))?.collect()
    }

    /// Every learning that was replaced.
    pub fn replaced_learnings(&self) -> Result<Vec<LearningId>> {
        let mut statement = self.connection.prepare_cached("SELECT id FROM memories WHERE superseded_by IS NOT NULL")?;
        Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// Number of learnings promoted within this many milliseconds before or after a time: after a clock that was ahead, nothing is held up
    /// until its date. A replaced one has passed its promotion on.
    pub fn promoted_around(&self, now: Timestamp, millis: u64) -> Result<u32> {
        let millis = i64::try_from(millis).unwrap_or(i64::MAX);
        let mut statement = self
            .connection
            .prepare_cached("SELECT count(*) FROM memories WHERE promoted > ?1 AND promoted < ?2 AND superseded_by IS NULL")?;
        Ok(statement.query_row([now.0.saturating_sub(millis), now.0.saturating_add(millis)], |r| r.get(0))?)
    }

    /// Full-text tables, triggers and views that name the column of learned terms: there must be none.
    pub fn indexes_of_learned_terms(&self) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT name FROM sqlite_schema WHERE sql LIKE '%' || ?1 || '%' AND (sql LIKE '%fts5%' OR type IN ('trigger', 'view', 'index'))",
        )?;
        Ok(statement.query_map([COLUMN], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// Full-text tables, each with its columns.
    pub fn full_text_tables(&self) -> Result<Vec<(String, Vec<String>)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT s.name, (SELECT json_group_array(c.name) FROM pragma_table_info(s.name) c) AS columns FROM sqlite_schema s
             WHERE s.type = 'table' AND s.sql LIKE '%USING fts5%' ORDER BY s.name",
        )?;
        statement.query_and_then([], |r| Ok((r.get("name")?, row::json(r, "columns")?)))?.collect()
    }

    /// Journal lines by which validations were rolled back.
    pub fn rollback_lines(&self) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT line FROM events WHERE json_valid(line) AND json_extract(line, '$.event') = 'validations_dropped' ORDER BY id",
        )?;
        Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// Journal lines by which terms were learned, rolled back or evicted: the audit trail of learned terms.
    pub fn feedback_lines(&self) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT line FROM events WHERE json_valid(line) AND json_extract(line, '$.event') IN ('terms_learnt', 'terms_dropped') ORDER BY id",
        )?;
        Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Stores the feedback on a learning.
    pub fn set_feedback(&self, id: &str, feedback: &Feedback) -> Result<()> {
        let said = Feedback { terms: Vec::new(), ..feedback.clone() };
        let said = if said.is_empty() { "{}".to_owned() } else { row::to_json(&said) };
        self.connection
            .prepare_cached("UPDATE memories SET learned_triggers = ?2, feedback = ?3, promoted = ?4 WHERE id = ?1")?
            .execute(params![id, row::to_json(&feedback.terms), said, feedback.promoted.map(|t| t.0)])?;
        Ok(())
    }
}
