//! `events` and `journal_files`: every known journal line, and the files as last seen.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::LearningId;
use ralph_core::time::Timestamp;
use rusqlite::{OptionalExtension as _, params};
use std::collections::{BTreeMap, BTreeSet};

/// Lines on either side that are used to judge the time of one.
const AROUND: u32 = 200;

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

/// A journal file as last seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalFile {
    /// Name of the feature.
    pub feature: String,
    /// Its length and modification time; empty when it must be read again.
    pub stamp: String,
    /// Lines written into it by a newer Ralph.
    pub newer: Option<String>,
}

impl Read<'_> {
    /// Lines that may not be in their files yet, in commit order.
    pub fn waiting_events(&self) -> Result<Vec<EventLine>> {
        self.event_lines("SELECT id, feature, line FROM events WHERE NOT flushed ORDER BY id", [])
    }

    /// Every line, in commit order.
    pub fn events(&self) -> Result<Vec<EventLine>> {
        self.event_lines("SELECT id, feature, line FROM events ORDER BY id", [])
    }

    /// Those among some lines that are known, by their ids.
    pub fn known_events(&self, ids: &BTreeSet<String>) -> Result<BTreeSet<String>> {
        let mut statement = self.connection.prepare_cached("SELECT id FROM events WHERE id IN (SELECT value FROM json_each(?1))")?;
        Ok(statement.query_map([row::to_json(ids)], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// The lines with these ids, as far as known.
    pub fn lines_of(&self, ids: &BTreeSet<&str>) -> Result<BTreeSet<String>> {
        let mut statement = self.connection.prepare_cached("SELECT line FROM events WHERE id IN (SELECT value FROM json_each(?1))")?;
        Ok(statement.query_map([row::to_json(ids)], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// The newest lines of a feature, newest first, also from a journal whose name another clone spelled differently.
    pub fn events_of(&self, feature: &str, limit: u32) -> Result<Vec<EventLine>> {
        self.event_lines(
            "SELECT id, feature, line FROM events
             WHERE feature IN (SELECT ?1 UNION SELECT feature FROM journal_files WHERE feature = ?1 COLLATE NOCASE)
             ORDER BY id DESC LIMIT ?2",
            params![feature, limit],
        )
    }

    fn event_lines(&self, sql: &str, values: impl rusqlite::Params) -> Result<Vec<EventLine>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(values, |r| Ok(EventLine { id: r.get(0)?, feature: r.get(1)?, line: r.get(2)? }))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Offset from UTC in minutes of the clock of each learning's author; only of lines that have one.
    pub fn learned_offsets(&self) -> Result<BTreeMap<LearningId, i32>> {
        // Prefiltered by text: most lines would be parsed as JSON in vain.
        let mut statement = self.connection.prepare_cached(
            "SELECT json_extract(line, '$.learning.id') AS learning, json_extract(line, '$.offset') AS ahead FROM events
             WHERE instr(line, '\"event\":\"learned\"') AND json_valid(line) AND json_extract(line, '$.event') = 'learned'
                 AND ahead IS NOT NULL",
        )?;
        let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// When the lines around the first one about a learning were written, in that order and by the same replica, and which of them it is;
    /// `None` if there is no such line.
    pub fn times_around(&self, learning: &str) -> Result<Option<(Vec<Timestamp>, usize)>> {
        // A line's id is never older than the id of its subject: both begin with a time.
        let mut first = self.connection.prepare_cached(
            "SELECT id, json_extract(line, '$.replica') FROM events
             WHERE id >= substr(?1, 1, 10) AND instr(line, ?1) AND json_valid(line) ORDER BY id LIMIT 1",
        )?;
        let read = |r: &rusqlite::Row<'_>| Ok((r.get::<_, String>(0)?, r.get::<_, Option<String>>(1)?));
        let Some((id, replica)) = first.query_row([learning], read).optional()? else { return Ok(None) };
        let times = |condition: &str| -> Result<Vec<Timestamp>> {
            let mut statement = self.connection.prepare_cached(&format!(
                "SELECT json_extract(line, '$.at') FROM events
                 WHERE json_valid(line) AND json_extract(line, '$.replica') IS ?2 AND id {condition} LIMIT {AROUND}"
            ))?;
            let found = statement.query_map(params![id, replica], |r| r.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
            Ok(found.iter().filter_map(|at| Timestamp::parse(at)).collect())
        };
        let mut all = times("<= ?1 ORDER BY id DESC")?;
        all.reverse();
        let Some(place) = all.len().checked_sub(1) else { return Ok(None) };
        all.extend(times("> ?1 ORDER BY id")?);
        Ok(Some((all, place)))
    }

    /// Whether any line exists.
    pub fn has_events(&self) -> Result<bool> {
        Ok(self.connection.prepare_cached("SELECT 1 FROM events LIMIT 1")?.exists([])?)
    }

    /// The journal files as last seen, by feature.
    pub fn journal_files(&self) -> Result<Vec<JournalFile>> {
        let mut statement = self.connection.prepare_cached("SELECT feature, stamp, newer FROM journal_files ORDER BY feature")?;
        let rows = statement.query_map([], |r| Ok(JournalFile { feature: r.get(0)?, stamp: r.get(1)?, newer: r.get(2)? }))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Ids of lines that await a person because they appeared in the files during a run.
    pub fn held_lines(&self) -> Result<BTreeSet<String>> {
        let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE key = 'held_lines'")?;
        let mut rows = statement.query([])?;
        rows.next()?.map_or_else(|| Ok(BTreeSet::new()), |row| row::json(row, "value"))
    }

    /// One journal file as last seen.
    pub fn journal_file(&self, feature: &str) -> Result<Option<JournalFile>> {
        let mut statement = self.connection.prepare_cached("SELECT feature, stamp, newer FROM journal_files WHERE feature = ?1")?;
        let read = |r: &rusqlite::Row<'_>| Ok(JournalFile { feature: r.get(0)?, stamp: r.get(1)?, newer: r.get(2)? });
        Ok(statement.query_row([feature], read).optional()?)
    }

    /// Lines written by a newer Ralph into the journal of a feature.
    pub fn newer_journal(&self, feature: &str) -> Result<Option<String>> {
        let mut statement = self.connection.prepare_cached("SELECT newer FROM journal_files WHERE feature = ?1 AND newer IS NOT NULL")?;
        Ok(statement.query_row([feature], |r| r.get(0)).optional()?)
    }

    /// Features whose journals a newer Ralph wrote to, each with the first such line.
    pub fn newer_journals(&self) -> Result<Vec<(String, String)>> {
        let mut statement =
            self.connection.prepare_cached("SELECT feature, newer FROM journal_files WHERE newer IS NOT NULL ORDER BY feature")?;
        Ok(statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Adds a line written here; committed with the change that it records.
    pub fn insert_event(&self, event: &EventLine) -> Result<()> {
        self.connection.prepare_cached("INSERT INTO events (id, feature, line, flushed, own) VALUES (?1, ?2, ?3, 0, 1)")?.execute([
            &event.id,
            &event.feature,
            &event.line,
        ])?;
        Ok(())
    }

    /// Adds a line that is already in a file, and so comes from outside; returns whether it was new. A database that is older than this
    /// table wrote the lines about its features itself, and finds them when it reads those journals for the first time.
    pub fn take_event(&self, event: &EventLine) -> Result<bool> {
        let added = self
            .connection
            .prepare_cached(
                "INSERT OR IGNORE INTO events (id, feature, line, flushed, own) VALUES (?1, ?2, ?3, 1,
                     EXISTS (SELECT 1 FROM meta WHERE key = 'adopts_unknown') AND ?3 ->> '$.replica' IS NULL
                     AND EXISTS (SELECT 1 FROM features WHERE name = ?2) AND NOT EXISTS (SELECT 1 FROM journal_files WHERE feature = ?2))",
            )?
            .execute([&event.id, &event.feature, &event.line])?;
        Ok(added > 0)
    }

    /// Marks the lines up to an id as written to their files.
    pub fn mark_flushed(&self, up_to: &str) -> Result<()> {
        self.connection.prepare_cached("UPDATE events SET flushed = 1 WHERE NOT flushed AND id <= ?1")?.execute([up_to])?;
        Ok(())
    }

    /// Marks lines to be written again because their files have lost them.
    pub fn mark_waiting(&self, ids: &[String]) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE events SET flushed = 0 WHERE id IN (SELECT value FROM json_each(?1))")?
            .execute([row::to_json(&ids)])?;
        Ok(())
    }

    /// Stores which lines await a person.
    pub fn set_held_lines(&self, ids: &BTreeSet<String>) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO meta (key, value) VALUES ('held_lines', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1")?
            .execute([row::to_json(&ids)])?;
        Ok(())
    }

    /// Stores a journal file as seen now.
    pub fn set_journal_file(&self, file: &JournalFile) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO journal_files (feature, stamp, newer) VALUES (?1, ?2, ?3)
                 ON CONFLICT (feature) DO UPDATE SET stamp = excluded.stamp, newer = excluded.newer",
            )?
            .execute(params![file.feature, file.stamp, file.newer])?;
        Ok(())
    }

    /// Forgets the state of a journal file, so that it is read again.
    pub fn forget_journal_file(&self, feature: &str) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM journal_files WHERE feature = ?1")?.execute([feature])?;
        Ok(())
    }

    /// As [`Tx::set_journal_file`], for a file that was only appended to.
    pub fn set_journal_stamp(&self, feature: &str, stamp: &str) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO journal_files (feature, stamp) VALUES (?1, ?2) ON CONFLICT (feature) DO UPDATE SET stamp = excluded.stamp",
            )?
            .execute([feature, stamp])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Db, DbError};

    #[test]
    fn lines_that_a_database_wrote_before_it_kept_lines_are_its_own() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let db = Db::open(&folder.path().join("ralph.db")).expect("opens");
        let take = |tx: &Tx<'_>, id: &str, feature: &str, line: &str| {
            tx.take_event(&EventLine { id: id.into(), feature: feature.into(), line: line.into() }).map(drop)
        };
        let own = db.writer().expect("a turn").transaction::<_, DbError>(|tx| {
            tx.connection.execute_batch(
                "INSERT INTO meta (key, value) VALUES ('adopts_unknown', '1');
                 INSERT INTO features (name, display_name, state, created, updated) VALUES ('pay', 'pay', 'active', 1, 1);",
            )?;
            take(tx, "1", "pay", "{}")?;
            take(tx, "2", "pay", "{\"replica\":\"B\"}")?;
            take(tx, "3", "of another clone", "{}")?;
            tx.set_journal_file(&JournalFile { feature: "pay".into(), stamp: "1".into(), newer: None })?;
            take(tx, "4", "pay", "{}")?;
            let mut own = tx.connection.prepare("SELECT id FROM events WHERE own")?;
            Ok(own.query_map([], |r| r.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?)
        });
        assert_eq!(own.expect("reads"), ["1"]);
    }
}
