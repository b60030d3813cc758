//! The journal files: lines are written to them after each commit.
//!
//! A line is first committed with the change it records, then appended and synced, then marked as flushed. A process that dies in between
//! leaves unflushed lines; the next writer finds them and appends those that are not in the file yet.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::files::Readers;
use git_repo::Repo;
use ralph_rag::journal::{self, Line};
use sqlite_db::Writer;
use sqlite_db::table::EventLine;
use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Bytes at the end of a journal that are searched for lines of an interrupted flush: far more than one write produces.
/// If a line is repeated all the same, replay counts it once.
const TAIL_BYTES: u64 = 65_536;
/// File extension of journals.
pub(super) const EXTENSION: &str = "jsonl";

/// The name of a feature's journal.
pub(crate) fn file_name(feature: &str) -> String {
    format!("{feature}.{EXTENSION}")
}

impl App {
    /// The journal of a feature.
    pub(crate) fn journal_path(&self, feature: &str) -> PathBuf {
        self.paths.memory.join(file_name(feature))
    }

    /// The folder of the journals as a path from the root of the repository.
    pub(super) fn journals_in(&self, repo: &Repo) -> &Path {
        self.paths.memory.strip_prefix(repo.root()).unwrap_or(&self.paths.memory)
    }

    /// The journal files of the project by name.
    pub(crate) fn journal_files(&self) -> Result<Vec<PathBuf>> {
        Ok(self.paths.files().list(&self.paths.memory, EXTENSION)?)
    }

    /// A file's length and modification time as one word; `None` if it does not exist.
    pub(super) fn journal_stamp(&self, feature: &str) -> Result<Option<String>> {
        Ok(self.paths.files().metadata(&self.journal_path(feature))?.map(|metadata| stamp_of(&metadata)))
    }

    /// Writes queued lines to the journal files. Called while holding the write lock, so that lines keep the order of commits.
    pub(crate) fn flush_journal(&self, writer: &mut Writer<'_>) -> Result<()> {
        let lines = writer.read().waiting_events()?;
        let Some(last) = lines.last().map(|l| l.id.clone()) else { return Ok(()) };
        let mut by_feature: BTreeMap<&str, Vec<&EventLine>> = BTreeMap::new();
        for line in &lines {
            by_feature.entry(&line.feature).or_default().push(line);
        }
        let mut stamps = Vec::new();
        for (feature, lines) in by_feature {
            let path = self.journal_path(feature);
            let seen = writer.read().journal_file(feature)?.map(|file| file.stamp);
            let mut file = self.paths.files().append(&path, Readers::Anyone)?;
            let stamp = append(&mut file, &lines, seen.as_deref()).map_err(|source| AppError::io(&path, source))?;
            stamps.push((feature, stamp));
        }
        writer.transaction(|tx| {
            tx.mark_flushed(&last)?;
            stamps.iter().try_for_each(|(feature, stamp)| tx.set_journal_stamp(feature, stamp))
        })?;
        Ok(())
    }

    /// Writes queued lines to the journal files for the doctor. Returns how many can't be written, and why; none while somebody else is
    /// writing, who also writes these.
    pub(crate) fn stuck_lines(&self) -> Result<Option<(usize, AppError)>> {
        let waiting = self.db.read(|r| r.waiting_events())?.len();
        if waiting == 0 {
            return Ok(None);
        }
        if let Some(refusal) = self.db.refusal() {
            return Ok(Some((waiting, refusal.into())));
        }
        let Some(mut writer) = self.db.try_writer()? else { return Ok(None) };
        let fault = self.flush_journal(&mut writer).err();
        Ok(fault.map(|fault| (waiting, fault)))
    }

    /// What a newer Ralph wrote to the journals, a sentence for each: this one does not show it, nor does it add to those journals or
    /// compare their learnings.
    pub fn newer_journals(&self) -> Result<Vec<String>> {
        let newer = self.db.read(|r| r.newer_journals())?;
        let told = |(feature, fault): (String, String)| AppError::NewerJournal { file: file_name(&feature), fault }.to_string();
        Ok(newer.into_iter().map(told).collect())
    }

    /// Every known line.
    pub(crate) fn known_lines(&self) -> Result<Vec<Line>> {
        let events = self.db.read(|r| r.events())?;
        Ok(events.iter().filter_map(parsed).collect())
    }

    /// The newest events of a feature, newest first.
    pub fn journal(&self, feature: &str, limit: usize) -> Result<Vec<ralph_core::learning::JournalEntry>> {
        if limit == 0 {
            return Err(AppError::invalid("limit", "is 0, which shows nothing", "name at least 1, or leave it out"));
        }
        let feature = self.feature(feature)?;
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let events = self.db.read(|r| r.events_of(&feature.name, limit))?;
        Ok(events.iter().filter_map(parsed).map(|line| line.entry()).collect())
    }
}

/// A line that was read or written here before, so it is valid.
pub(super) fn parsed(event: &EventLine) -> Option<Line> {
    journal::parse(&event.feature, event.line.as_bytes()).0.pop()
}

fn stamp_of(metadata: &Metadata) -> String {
    let changed = metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok()).unwrap_or_default();
    format!("{}@{}", metadata.len(), changed.as_nanos())
}

/// Appends the lines that are not in the file yet and syncs it. Returns its stamp, or an empty one if the file is to be read again: since
/// it was `seen`, someone else has written to it. A torn last line is terminated first, never repaired.
fn append(file: &mut File, lines: &[&EventLine], seen: Option<&str>) -> std::io::Result<String> {
    let found = file.metadata()?;
    // A file that did not exist is empty now.
    let untouched = seen.map_or(found.len() == 0, |seen| seen == stamp_of(&found));
    // An interrupted flush has changed the file, so a file that nobody touched holds none of the lines.
    let tail = read_tail(file, &found, if untouched { 1 } else { TAIL_BYTES })?;
    let mut out = String::new();
    if !tail.is_empty() && !tail.ends_with('\n') {
        out.push('\n');
    }
    // Only a complete line counts as written: one torn by a full disk or a power cut is written again.
    for line in lines.iter().filter(|l| !tail.contains(&l.line)) {
        out.push_str(&line.line);
        out.push('\n');
    }
    file.write_all(out.as_bytes())?;
    file.sync_data()?;
    if untouched { Ok(stamp_of(&file.metadata()?)) } else { Ok(String::new()) }
}

fn read_tail(file: &mut File, found: &Metadata, bytes: u64) -> std::io::Result<String> {
    file.seek(SeekFrom::Start(found.len().saturating_sub(bytes)))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    Ok(String::from_utf8_lossy(&tail).into_owned())
}
