//! `events` and `journal_files`: every journal line that this database knows, and the files as they were seen last.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::LearningId;
use rusqlite::{OptionalExtension as _, params};
use std::collections::{BTreeMap, BTreeSet};

/// A journal line with its feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLine {
    /// Id of the event; ids grow with commits.
    pub id: String,
    /// Name of the feature whose journal it belongs to.
    pub feature: String,
    /// The line without its line feed.
    pub line: String,
}

/// A journal file as it was seen last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalFile {
    /// Name of the feature.
    pub feature: String,
    /// Its length and time of change; empty when it must be read again.
    pub stamp: String,
    /// What a newer Ralph wrote into it.
    pub newer: Option<String>,
}

impl Read<'_> {
    /// Lines that are perhaps not in their files yet, in the order of commits.
    pub fn waiting_events(&self) -> Result<Vec<EventLine>> {
        self.event_lines("SELECT id, feature, line FROM events WHERE NOT flushed ORDER BY id", [])
    }

    /// Every line, in the order of commits.
    pub fn events(&self) -> Result<Vec<EventLine>> {
        self.event_lines("SELECT id, feature, line FROM events ORDER BY id", [])
    }

    /// The newest lines of a feature, newest first.
    pub fn events_of(&self, feature: &str, limit: u32) -> Result<Vec<EventLine>> {
        self.event_lines("SELECT id, feature, line FROM events WHERE feature = ?1 ORDER BY id DESC LIMIT ?2", params![feature, limit])
    }

    fn event_lines(&self, sql: &str, values: impl rusqlite::Params) -> Result<Vec<EventLine>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(values, |r| Ok(EventLine { id: r.get(0)?, feature: r.get(1)?, line: r.get(2)? }))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Minutes by which the clock of whoever wrote a learning was ahead of UTC, by learning; those of lines that tell it.
    pub fn learned_offsets(&self) -> Result<BTreeMap<LearningId, i32>> {
        // The words of a line are looked for first: most lines are read as JSON in vain.
        let mut statement = self.connection.prepare_cached(
            "SELECT json_extract(line, '$.learning.id') AS learning, json_extract(line, '$.offset') AS ahead FROM events
             WHERE instr(line, '\"event\":\"learned\"') AND json_extract(line, '$.event') = 'learned' AND ahead IS NOT NULL",
        )?;
        let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Whether any line is known.
    pub fn has_events(&self) -> Result<bool> {
        Ok(self.connection.prepare_cached("SELECT 1 FROM events LIMIT 1")?.exists([])?)
    }

    /// The journal files as they were seen last, by feature.
    pub fn journal_files(&self) -> Result<Vec<JournalFile>> {
        let mut statement = self.connection.prepare_cached("SELECT feature, stamp, newer FROM journal_files ORDER BY feature")?;
        let rows = statement.query_map([], |r| Ok(JournalFile { feature: r.get(0)?, stamp: r.get(1)?, newer: r.get(2)? }))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Ids of lines that wait for a person: they came into the files while a run was at work.
    pub fn held_lines(&self) -> Result<BTreeSet<String>> {
        let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE key = 'held_lines'")?;
        let mut rows = statement.query([])?;
        rows.next()?.map_or_else(|| Ok(BTreeSet::new()), |row| row::json(row, "value"))
    }

    /// One journal file as it was seen last.
    pub fn journal_file(&self, feature: &str) -> Result<Option<JournalFile>> {
        let mut statement = self.connection.prepare_cached("SELECT feature, stamp, newer FROM journal_files WHERE feature = ?1")?;
        let read = |r: &rusqlite::Row<'_>| Ok(JournalFile { feature: r.get(0)?, stamp: r.get(1)?, newer: r.get(2)? });
        Ok(statement.query_row([feature], read).optional()?)
    }

    /// What a newer Ralph wrote into the journal of a feature.
    pub fn newer_journal(&self, feature: &str) -> Result<Option<String>> {
        let mut statement = self.connection.prepare_cached("SELECT newer FROM journal_files WHERE feature = ?1 AND newer IS NOT NULL")?;
        Ok(statement.query_row([feature], |r| r.get(0)).optional()?)
    }
}

impl Tx<'_> {
    /// Adds a line that was told here; committed with the change that it tells of.
    pub fn insert_event(&self, event: &EventLine) -> Result<()> {
        self.connection.prepare_cached("INSERT INTO events (id, feature, line, flushed, own) VALUES (?1, ?2, ?3, 0, 1)")?.execute([
            &event.id,
            &event.feature,
            &event.line,
        ])?;
        Ok(())
    }

    /// Adds a line that stands in a file already, and so comes from outside; whether it was new.
    pub fn take_event(&self, event: &EventLine) -> Result<bool> {
        let added = self
            .connection
            .prepare_cached("INSERT OR IGNORE INTO events (id, feature, line, flushed, own) VALUES (?1, ?2, ?3, 1, 0)")?
            .execute([&event.id, &event.feature, &event.line])?;
        Ok(added > 0)
    }

    /// Remembers that the lines up to an id are in their files.
    pub fn mark_flushed(&self, up_to: &str) -> Result<()> {
        self.connection.prepare_cached("UPDATE events SET flushed = 1 WHERE NOT flushed AND id <= ?1")?.execute([up_to])?;
        Ok(())
    }

    /// Lets lines be written again: their files have lost them.
    pub fn mark_waiting(&self, ids: &[String]) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE events SET flushed = 0 WHERE id IN (SELECT value FROM json_each(?1))")?
            .execute([row::to_json(&ids)])?;
        Ok(())
    }

    /// Remembers which lines wait for a person.
    pub fn set_held_lines(&self, ids: &BTreeSet<String>) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO meta (key, value) VALUES ('held_lines', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1")?
            .execute([row::to_json(&ids)])?;
        Ok(())
    }

    /// Remembers a journal file as it is seen now.
    pub fn set_journal_file(&self, file: &JournalFile) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO journal_files (feature, stamp, newer) VALUES (?1, ?2, ?3)
                 ON CONFLICT (feature) DO UPDATE SET stamp = excluded.stamp, newer = excluded.newer",
            )?
            .execute(params![file.feature, file.stamp, file.newer])?;
        Ok(())
    }

    /// Forgets how a journal file was seen, so that it is read again.
    pub fn forget_journal_file(&self, feature: &str) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM journal_files WHERE feature = ?1")?.execute([feature])?;
        Ok(())
    }

    /// As [`Tx::set_journal_file`], for a file that was only added to.
    pub fn set_journal_stamp(&self, feature: &str, stamp: &str) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO journal_files (feature, stamp) VALUES (?1, ?2) ON CONFLICT (feature) DO UPDATE SET stamp = excluded.stamp",
            )?
            .execute([feature, stamp])?;
        Ok(())
    }
}
