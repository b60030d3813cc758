//! Sources of entries: the learnings file, and the active learnings of each feature.

use super::history::History;
use crate::app::App;
use crate::clock::utc_offset_minutes;
use crate::error::{AppError, Result};
use crate::evaluation::feedback::written;
use crate::files::FileFault;
use crate::rows::find_feature;
use crate::secrets::wash;
use ralph_core::active_days::Day;
use ralph_core::consolidation::{Consolidation, Entry, HistoryKind, SourceKind};
use ralph_core::feature::{Feature, FeatureState};
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::limits;
use ralph_core::settings::ConsolidationSettings;
use ralph_core::text::{hex, one_line};
use ralph_core::time::Timestamp;
use ralph_rag::consolidate::{FileEntry, KnownDays, LearningsFile, age, lines_of, warnings};
use sha2::{Digest as _, Sha256};
use sqlite_db::Read;
use std::collections::BTreeMap;

/// Maximum offset of a clock from UTC in minutes, with a margin: another clone's line may contain anything.
const MOST_MINUTES_AHEAD: i32 = 1_440;

/// One source with its entries.
#[derive(Debug)]
pub(super) struct SourceEntries {
    pub name: String,
    pub kind: SourceKind,
    pub lines: u32,
    /// The day of its last consolidation, and the active days since then.
    pub last: Option<(Day, Option<u32>)>,
    /// Entries of the file in file order; learnings by age, oldest first.
    pub entries: Vec<Entry>,
}

/// All sources.
#[derive(Debug)]
pub(super) struct Sources {
    /// The file first, then the features by name; those without entries are omitted.
    pub all: Vec<SourceEntries>,
    pub history: History,
    /// Notes for a person.
    pub notes: Vec<String>,
}

impl App {
    /// The file and all active features, or one feature.
    pub(super) fn sources(&self, feature: Option<&str>, settings: &ConsolidationSettings) -> Result<Sources> {
        let only = feature.map(|name| self.db.read(|r| find_feature(r, name))).transpose()?;
        let mut notes = Vec::new();
        let text = if only.is_some() { None } else { self.learnings_file(settings, &mut notes) };
        let path = self.paths.root.join(&settings.learnings_file);
        // Git reports lines of the file itself, not of a link to it.
        let real = self.paths.files().real(&path).ok().flatten().unwrap_or(path);
        let digest = text.as_ref().map(|text| hex(&Sha256::digest(text)));
        let mut history = self.history(digest.as_deref().map(|digest| (real.as_path(), digest)));
        notes.extend(history.note.take());
        let known = KnownDays { history: history.kind(), days: history.days(), fresh_days: settings.fresh_days };
        let now = self.clock.now();
        let earlier = self.db.read(|r| consolidated_on(r, now))?;
        let last = |feature: Option<&str>| last_of(&earlier, feature, &history);
        let mut all = Vec::new();
        if let Some(file) = text.as_deref().map(LearningsFile::parse) {
            notes.extend(file.odd_end.map(|line| odd_end(&settings.learnings_file, line)));
            notes.extend(file.meant.map(|line| no_entry(&settings.learnings_file, line)));
            let entries = file.entries.iter().map(|entry| of_file(entry, &settings.learnings_file, &history, known)).collect();
            all.push(SourceEntries {
                name: settings.learnings_file.clone(),
                kind: SourceKind::File,
                lines: file.lines,
                last: last(None),
                entries,
            });
        }
        let wanted = |of: &Feature| only.as_ref().map_or(of.state == FeatureState::Active, |only| only.name == of.name);
        self.db.read(|r| {
            let offsets = r.learned_offsets()?;
            for feature in r.features()?.into_iter().filter(wanted) {
                let learnings = r.learnings_in(feature.id, LearningState::Active)?;
                let entry = |learning: &FeatureLearning| -> Result<Entry> {
                    Ok(of_learning(learning, created(r, learning, now)?, &offsets, known))
                };
                let mut entries = learnings.iter().map(entry).collect::<Result<Vec<Entry>>>()?;
                entries.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
                let lines = learnings.iter().fold(0, |sum: u32, l| sum.saturating_add(lines_of(&l.text, l.reason.as_deref())));
                let last = last(Some(&feature.name));
                all.push(SourceEntries { name: feature.name, kind: SourceKind::Feature, lines, last, entries });
            }
            Ok::<_, AppError>(())
        })?;
        all.retain(|source| only.is_some() || !source.entries.is_empty() || source.kind == SourceKind::File);
        Ok(Sources { all, history, notes })
    }

    /// The text of the learnings file, if it exists and is readable.
    fn learnings_file(&self, settings: &ConsolidationSettings, notes: &mut Vec<String>) -> Option<String> {
        match self.paths.files().read_text(&self.paths.root.join(&settings.learnings_file), limits::DOCUMENT_BYTES) {
            Ok(text) => text,
            Err(FileFault::Kind { found, .. }) => {
                notes.push(format!("{} is {found}, so its entries are left out", settings.learnings_file));
                None
            }
            Err(fault) => {
                notes.push(format!("its entries are left out: {fault}"));
                None
            }
        }
    }
}

/// That nothing in a file is an entry, although it looks as if it was meant as one.
fn no_entry(file: &str, line: u32) -> String {
    format!(
        "{file}:{line}: nothing in the file is an entry, so nothing of it is consolidated; begin each entry with a heading as in `## Title`"
    )
}

/// Why a file with lines of an old kind has no entries.
fn odd_end(file: &str, line: u32) -> String {
    format!("{file}:{line}: its entries are left out: it has a line end of an old kind (CR without LF); save it with LF or CRLF")
}

/// Consolidations on the days on which they took place, judged by the lines around them: nothing waits for the date of a clock that was
/// ahead.
fn consolidated_on(r: &Read<'_>, now: Timestamp) -> Result<Vec<Consolidation>> {
    let day = |of: Consolidation| -> Result<Consolidation> {
        let at = written(r, &of.id, of.at, now)?;
        Ok(if at == of.at { of } else { Consolidation { at, day: Day::of(at, utc_offset_minutes(at)), ..of } })
    };
    r.consolidations(None)?.into_iter().map(day).collect()
}

/// When a learning was made. Only a date in the future is not believed: the lines around all others need not be read.
fn created(r: &Read<'_>, learning: &FeatureLearning, now: Timestamp) -> Result<Timestamp> {
    if learning.created <= now { Ok(learning.created) } else { written(r, &learning.id, learning.created, now) }
}

/// The last consolidation of a feature, or of the file, that was not undone.
fn last_of(earlier: &[Consolidation], feature: Option<&str>, history: &History) -> Option<(Day, Option<u32>)> {
    let stands = earlier.iter().filter(|of| of.feature.as_deref() == feature && of.undone.is_none());
    let day = stands.map(|of| of.day).max()?;
    Some((day, (history.kind() != HistoryKind::Unknown).then(|| history.days().after(day))))
}

fn of_file(entry: &FileEntry, file: &str, history: &History, known: KnownDays<'_>) -> Entry {
    let written = history.oldest(&entry.written_lines);
    let known = if history.ages.knows_lines() { known } else { KnownDays { history: HistoryKind::Unknown, ..known } };
    let (age_active_days, eligible, reason) = age(written, known);
    Entry {
        key: entry.key(),
        id: None,
        title: Some(one_line(&wash::text(&entry.title), limits::TITLE_CHARS)),
        source: file.to_owned(),
        kind: SourceKind::File,
        line: Some(entry.line),
        text: wash::text(&entry.body),
        reason_given: None,
        created: None,
        written,
        age_active_days,
        eligible,
        reason,
        protected: false,
        warnings: warnings(&entry.title, &entry.body),
    }
}

fn of_learning(learning: &FeatureLearning, created: Timestamp, offsets: &BTreeMap<String, i32>, known: KnownDays<'_>) -> Entry {
    let offset = offsets.get(&learning.id).copied().filter(|offset| offset.abs() <= MOST_MINUTES_AHEAD);
    let offset = offset.unwrap_or_else(|| utc_offset_minutes(created));
    let written = Some(Day::of(created, offset));
    let (age_active_days, eligible, reason) = age(written, known);
    Entry {
        key: learning.id.clone(),
        id: Some(learning.id.clone()),
        title: None,
        source: learning.feature.clone(),
        kind: SourceKind::Feature,
        line: None,
        text: learning.text.clone(),
        reason_given: learning.reason.clone(),
        created: Some(learning.created),
        written,
        age_active_days,
        eligible,
        reason,
        protected: !learning.is_auto_prunable(),
        warnings: Vec::new(),
    }
}
