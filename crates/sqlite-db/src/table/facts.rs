//! `facts`: what is true, each with the file that states it.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::MemoryId;
use ralph_core::memory::{Fact, subject_key};
use rusqlite::{Row, params};
use std::collections::BTreeMap;

const COLUMNS: &str = "SELECT t.id, f.name AS feature, t.kind, t.subject, t.value, t.confidence, t.source, t.file, t.line, t.quote,
    t.task_id, t.iteration, t.replica, t.created, t.withdrawn FROM facts t LEFT JOIN features f ON f.id = t.feature_id";

/// A fact with the file that states it, as of the last scan.
#[derive(Debug, Clone, PartialEq)]
pub struct SourcedFact {
    /// The fact.
    pub fact: Fact,
    /// Length and modification time of the file; empty when it must be scanned.
    pub stamp: String,
    /// Its line as of the last scan.
    pub line_now: Option<u32>,
}

fn read_row(r: &Row<'_>) -> Result<Fact> {
    Ok(Fact {
        id: r.get("id")?,
        feature: r.get("feature")?,
        kind: r.get("kind")?,
        subject: r.get("subject")?,
        value: r.get("value")?,
        confidence: r.get("confidence")?,
        source: row::word(r, "source")?,
        file: r.get("file")?,
        line: r.get("line")?,
        quote: r.get("quote")?,
        task_id: r.get("task_id")?,
        iteration: r.get("iteration")?,
        replica: r.get("replica")?,
        created: row::time(r, "created")?,
        withdrawn: row::json_opt(r, "withdrawn")?,
    })
}

impl Read<'_> {
    /// Facts, oldest first: all of them, or those of a feature (by row number) and of the project.
    pub fn facts(&self, feature_id: Option<u32>) -> Result<Vec<Fact>> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{COLUMNS} WHERE ?1 IS NULL OR t.feature_id IS NULL OR t.feature_id = ?1 ORDER BY t.created, t.id"))?;
        statement.query_and_then([feature_id], read_row)?.collect()
    }

    /// Facts by their ids, unordered; unknown ids are skipped.
    pub fn facts_by_id(&self, ids: &[MemoryId]) -> Result<Vec<Fact>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE t.id IN (SELECT value FROM json_each(?1))"))?;
        statement.query_and_then([row::to_json(&ids)], read_row)?.collect()
    }

    /// Facts of a kind about a subject, of all features and of the project, in any state.
    pub fn facts_about(&self, kind: &str, subject: &str) -> Result<Vec<Fact>> {
        let key = subject_key(subject);
        // The index knows the case of ASCII only.
        let same = if key.is_ascii() { "t.subject = ?2 COLLATE NOCASE" } else { "?2 = ?2" };
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE {same} AND t.kind = ?1"))?;
        let facts = statement.query_and_then([kind, key.as_str()], read_row)?;
        facts.filter(|fact: &Result<Fact>| fact.as_ref().map_or(true, |fact| subject_key(&fact.subject) == key)).collect()
    }

    /// Facts that a person put away, of all features and of the project, unordered.
    pub fn facts_put_away(&self) -> Result<Vec<Fact>> {
        let mut statement = self.connection.prepare_cached(&format!("{COLUMNS} WHERE t.withdrawn ->> 'because' = 'person'"))?;
        statement.query_and_then([], read_row)?.collect()
    }

    /// Number of active facts of a feature (by row number), or of the project, excluding facts from code.
    pub fn count_facts(&self, feature_id: Option<u32>) -> Result<u32> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT count(*) FROM facts WHERE feature_id IS ?1 AND withdrawn IS NULL AND source <> 'code'")?;
        Ok(statement.query_row([feature_id], |r| r.get(0))?)
    }

    /// Facts that were read from a file, by file.
    pub fn sourced_facts(&self) -> Result<Vec<SourcedFact>> {
        let columns = COLUMNS.replacen(" FROM ", ", t.stamp, t.line_now FROM ", 1);
        let mut statement = self.connection.prepare_cached(&format!("{columns} WHERE t.file IS NOT NULL ORDER BY t.file, t.id"))?;
        let sourced = |r: &Row<'_>| Ok(SourcedFact { fact: read_row(r)?, stamp: r.get("stamp")?, line_now: r.get("line_now")? });
        statement.query_and_then([], sourced)?.collect()
    }

    /// Current lines of facts, for those that moved.
    pub fn moved_facts(&self) -> Result<BTreeMap<MemoryId, u32>> {
        let mut statement = self.connection.prepare_cached("SELECT id, line_now FROM facts WHERE line_now IS NOT NULL")?;
        Ok(statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Stores a fact, new or changed. The text of an existing one stays.
    pub fn put_fact(&self, fact: &Fact) -> Result<()> {
        let withdrawn = fact.withdrawn.as_ref().map(row::to_json);
        let changed =
            self.connection.prepare_cached("UPDATE facts SET withdrawn = ?2 WHERE id = ?1")?.execute(params![fact.id, withdrawn])?;
        if changed > 0 {
            return Ok(());
        }
        self.connection
            .prepare_cached(
                "INSERT INTO facts (id, feature_id, kind, subject, value, confidence, source, file, line, quote, task_id, iteration, replica,
                     created, withdrawn)
                 VALUES (?1, (SELECT id FROM features WHERE name = ?2), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            )?
            .execute(params![
                fact.id,
                fact.feature,
                fact.kind,
                fact.subject,
                fact.value,
                fact.confidence,
                fact.source.as_str(),
                fact.file,
                fact.line,
                fact.quote,
                fact.task_id,
                fact.iteration,
                fact.replica,
                fact.created.0,
                withdrawn
            ])?;
        Ok(())
    }

    /// Stores the stamp of a fact's file, and the fact's current line in it.
    pub fn set_fact_place(&self, id: &str, stamp: &str, line_now: Option<u32>) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE facts SET stamp = ?2, line_now = ?3 WHERE id = ?1")?
            .execute(params![id, stamp, line_now])?;
        Ok(())
    }
}
