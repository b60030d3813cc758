//! The journal files: the outbox is written to them after each commit, and read back from them.
//!
//! A line is first committed to the outbox (with the change it tells of), then appended and synced, then forgotten.
//! A process that dies in between leaves lines in the outbox; the next one to write finds them and appends those that
//! are not in the file yet.

use crate::App;
use crate::error::{AppError, Result};
use crate::files::Readers;
use ralph_core::limits;
use ralph_core::time::Timestamp;
use ralph_rag::journal::{self, Event, Line, SkippedLine};
use sqlite_db::table::OutboxLine;
use sqlite_db::{Tx, Writer};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

/// Bytes at the end of a journal that are searched for lines of an interrupted flush: far more than one write makes.
/// Should a line be repeated all the same, replay counts it once.
const TAIL_BYTES: u64 = 65_536;

/// Records an event: its line is committed with the change that `tx` makes.
pub(crate) fn record(tx: &Tx<'_>, feature: &str, event: Event, now: Timestamp) -> Result<()> {
    let id = next_id(tx, now)?;
    let line = Line { v: journal::VERSION, id: id.clone(), at: now, event };
    tx.push_outbox(feature, &id, &line.to_json())?;
    Ok(())
}

/// A fresh id, greater than every one given out in this database.
pub(crate) fn next_id(tx: &Tx<'_>, now: Timestamp) -> Result<String> {
    let id = crate::clock::next_id(tx.last_event_id()?.as_deref(), now);
    tx.set_last_event_id(&id)?;
    Ok(id)
}

impl App {
    /// The journal of a feature.
    pub(crate) fn journal_path(&self, feature: &str) -> PathBuf {
        self.paths.memory.join(format!("{feature}.jsonl"))
    }

    /// Brings the outbox into the journal files. Called with the right to write, so that lines keep the order of commits.
    pub(crate) fn flush_journal(&self, writer: &mut Writer<'_>) -> Result<()> {
        let lines = writer.read().outbox()?;
        let Some(last) = lines.last().map(|l| l.seq) else { return Ok(()) };
        let mut by_feature: BTreeMap<&str, Vec<&OutboxLine>> = BTreeMap::new();
        for line in &lines {
            by_feature.entry(&line.feature).or_default().push(line);
        }
        for (feature, lines) in by_feature {
            let path = self.journal_path(feature);
            let file = self.paths.files().append(&path, Readers::Anyone)?;
            append(file, &lines).map_err(|source| AppError::io(&path, source))?;
        }
        writer.transaction(|tx| tx.clear_outbox(last))?;
        Ok(())
    }

    /// Reads every journal: lines, and what had to be skipped.
    pub(crate) fn read_journals(&self) -> Result<(Vec<Line>, Vec<SkippedLine>)> {
        let mut lines = Vec::new();
        let mut skipped = Vec::new();
        for path in self.journal_files()? {
            let Some(bytes) = self.paths.files().read(&path, limits::JOURNAL_BYTES)? else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let (more, faults) = journal::parse(&name, &bytes);
            lines.extend(more);
            skipped.extend(faults);
        }
        Ok((lines, skipped))
    }

    /// The journal files of the project by name.
    pub(crate) fn journal_files(&self) -> Result<Vec<PathBuf>> {
        Ok(self.paths.files().list(&self.paths.memory, "jsonl")?)
    }

    /// The newest events of a feature, newest first.
    pub fn journal(&self, feature: &str, limit: usize) -> Result<Vec<ralph_core::learning::JournalEntry>> {
        let feature = self.feature(feature)?;
        let path = self.journal_path(&feature.name);
        let Some(bytes) = self.paths.files().read(&path, limits::JOURNAL_BYTES)? else { return Ok(Vec::new()) };
        let (mut lines, _) = journal::parse(&feature.name, &bytes);
        lines.sort_by(|a, b| b.id.cmp(&a.id));
        Ok(lines.iter().take(limit).map(Line::entry).collect())
    }
}

/// Appends the lines that are not in the file yet and syncs it. A torn last line is closed first, never mended.
fn append(mut file: File, lines: &[&OutboxLine]) -> std::io::Result<()> {
    let tail = read_tail(&mut file)?;
    let mut out = String::new();
    if !tail.is_empty() && !tail.ends_with('\n') {
        out.push('\n');
    }
    // Only a whole line counts as written: one that was torn by a full disk or a power cut is written again.
    for line in lines.iter().filter(|l| !tail.contains(&l.line)) {
        out.push_str(&line.line);
        out.push('\n');
    }
    file.write_all(out.as_bytes())?;
    file.sync_data()
}

fn read_tail(file: &mut File) -> std::io::Result<String> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
