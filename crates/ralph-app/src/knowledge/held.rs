//! Lines that appeared in the journals while an agent worked, or that the branch of its work adds. The agent may have written them, so they
//! are not imported before the person agrees; lines that appear while nothing runs, as by `git pull`, are imported at once.

use super::journal::file_name;
use super::staged::land_files;
use super::union::{apply_all, take_line};
use crate::app::App;
use crate::error::{AppError, Result};
use crate::files::Readers;
use ralph_core::limits;
use ralph_core::text::{cut, hex};
use ralph_core::trust::{TrustItem, name};
use ralph_core::worktree::Worktree;
use ralph_rag::act::JournalLine;
use ralph_rag::clean::redact;
use ralph_rag::journal::{Event, Line, parse};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Lines shown to a person, and characters of each: further ones are only counted.
const SHOWN_LINES: usize = 50;
const SHOWN_CHARS: usize = 2_000;

impl App {
    /// Journal lines that await the person's agreement. Cheap if there are none.
    pub(crate) fn waiting_lines(&self) -> Result<Vec<JournalLine>> {
        let held = self.held()?;
        if held.ids.is_empty() && !(held.watching && self.journals_changed()?) {
            return Ok(Vec::new());
        }
        // The files first: lines that this database writes into them are known before.
        let mut files = self.read_files(&BTreeMap::new())?;
        files.extend(self.read_staged(&BTreeMap::new())?);
        let (events, staged) = self.db.read(|r| Ok::<_, AppError>((r.events()?, r.staged(None)?)))?;
        let mut known: BTreeSet<String> = events.into_iter().map(|event| event.id).collect();
        known.extend(staged.into_iter().map(|row| row.id));
        let waits = |line: &Line| !known.contains(&line.id) && (held.watching || held.ids.contains(&line.id));
        let mut seen = BTreeSet::new();
        let mut waiting = Vec::new();
        for file in files {
            let lines = file.lines.into_iter().filter(|line| waits(line) && seen.insert(line.id.clone()));
            waiting.extend(lines.map(|line| JournalLine { feature: file.feature.clone(), line }));
        }
        Ok(waiting)
    }

    /// From now on unknown lines are held. Earlier ones are imported first.
    pub(crate) fn watch_journals(&self) -> Result<()> {
        if self.trust.read()?.watching {
            self.end_watch()?;
        }
        let mut writer = self.db.writer()?;
        self.pull_with(&mut writer)?;
        self.trust.change(|record| record.watching = true)
    }

    /// No run is in progress any more: lines held during it stay held, and later ones are a teammate's.
    pub(crate) fn end_watch(&self) -> Result<()> {
        let waiting = self.waiting_lines()?;
        if !waiting.is_empty() {
            self.write(|tx| {
                let mut held = tx.held_lines()?;
                held.extend(waiting.iter().map(|waiting| waiting.line.id.clone()));
                Ok(tx.set_held_lines(&held)?)
            })?;
        }
        self.trust.change(|record| record.watching = false)
    }

    /// Holds the lines of a branch that this database does not know: Ralph writes only staged lines there, so the agent wrote them, whoever
    /// merges the branch.
    pub(crate) fn hold_lines_of(&self, worktree: &Worktree) -> Result<()> {
        let repo = self.repository_for("task")?;
        let Some(tip) = repo.branch_tip(&worktree.branch)? else { return Ok(()) };
        // Line by line, as an import reads them, so that one that is not text hides none of the others.
        let files = repo.files_at(&tip, self.journals_in(repo))?;
        let lines = files.iter().flat_map(|(_, bytes)| parse("", bytes).0);
        let mut strange: BTreeSet<String> = lines.filter(|line| !is_staged(line)).map(|line| line.id).collect();
        let known = self.db.read(|r| r.known_events(&strange))?;
        strange.retain(|id| !known.contains(id));
        if strange.is_empty() {
            return Ok(());
        }
        self.write(|tx| {
            let mut held = tx.held_lines()?;
            held.extend(strange);
            Ok(tx.set_held_lines(&held)?)
        })
    }

    /// Imports lines that the person was shown and agreed to.
    pub(crate) fn take_waiting(&self, waiting: &[JournalLine]) -> Result<()> {
        if waiting.is_empty() {
            return Ok(());
        }
        let rules = self.knowledge_rules()?;
        self.write(|tx| {
            let mut held = tx.held_lines()?;
            for JournalLine { feature, line } in waiting {
                held.remove(&line.id);
                if !is_staged(line) {
                    take_line(tx, feature, line)?;
                }
            }
            tx.set_held_lines(&held)?;
            apply_all(tx, rules)?;
            let staged: Vec<&Line> = waiting.iter().map(|waiting| &waiting.line).filter(|line| is_staged(line)).collect();
            land_files(tx, &staged, &held, rules).map(drop)
        })
    }

    /// Removes held lines from their files: the person does not want them. If git brings them back, they are held again.
    pub(crate) fn refuse_waiting(&self, waiting: &[JournalLine]) -> Result<()> {
        let refused: BTreeSet<String> = waiting.iter().map(|waiting| waiting.line.id.clone()).collect();
        let features: BTreeSet<&str> = waiting.iter().map(|waiting| waiting.feature.as_str()).collect();
        if refused.is_empty() {
            return Ok(());
        }
        let mut writer = self.db.writer()?;
        // Held to the end: no line may be appended to a journal that is being rewritten.
        self.flush_journal(&mut writer)?;
        for feature in features {
            self.take_out(feature, &refused)?;
        }
        writer.transaction(|tx| {
            let mut held = tx.held_lines()?;
            held.extend(refused);
            Ok::<_, AppError>(tx.set_held_lines(&held)?)
        })
    }

    /// Removes lines from a journal file, while the write lock is held.
    pub(super) fn take_out(&self, feature: &str, ids: &BTreeSet<String>) -> Result<()> {
        let path = self.journal_path(feature);
        let Some(bytes) = self.paths.files().read(&path, limits::JOURNAL_BYTES)? else { return Ok(()) };
        let stays = |raw: &&[u8]| !parse("", raw).0.iter().any(|line| ids.contains(&line.id));
        let kept: Vec<u8> = bytes.split_inclusive(|byte| *byte == b'\n').filter(stays).flatten().copied().collect();
        Ok(self.paths.files().write(&path, &kept, Readers::Anyone)?)
    }
}

/// Whether a line is a staged lesson.
fn is_staged(line: &Line) -> bool {
    matches!(line.event, Event::Staged { .. })
}

/// The held lines as a trust item: the first of them, and a digest over all.
pub(crate) fn item(waiting: &[JournalLine]) -> Option<TrustItem> {
    let mut digest = Sha256::new();
    let mut shown = String::new();
    for (place, JournalLine { feature, line }) in waiting.iter().enumerate() {
        let json = line.to_json();
        digest.update(json.as_bytes());
        digest.update(b"\n");
        if place < SHOWN_LINES {
            let _ = writeln!(shown, "{}: {}", file_name(feature), redact(cut(&json, SHOWN_CHARS)).0);
        }
    }
    let rest = format!("{} lines, sha256 {}", waiting.len(), hex(&digest.finalize()));
    let effect = "these lines came into the journals by an agent's branch or while one was at work; with a yes they become knowledge, and until then they are none";
    (!waiting.is_empty()).then(|| TrustItem::new(name::JOURNALS, shown + &rest, effect))
}
