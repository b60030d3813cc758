//! What only a person can settle becomes a notice: after a run, a source that is too long but has too few eligible entries, and the
//! contradictions that a consolidation finds.

use crate::app::App;
use crate::consolidation::sources::Sources;
use crate::error::Result;
use crate::notices::put_before_person;
use ralph_core::LearningId;
use ralph_core::consolidation::{ConsolidationPreview, Entry, Fate};
use ralph_core::limits;
use ralph_core::notice::{NewNotice, NoticeKind};
use ralph_core::text::one_line;
use ralph_core::time::Timestamp;
use sqlite_db::Read;
use std::collections::{BTreeMap, BTreeSet};

/// Time after which a settled notice may be repeated.
const QUIET_MILLIS: u64 = 7 * 86_400_000;
/// Characters of each side in the title of a contradiction.
const SHOWN_CHARS: usize = 60;

impl App {
    /// Checks every source. Open or recently settled notices are not repeated.
    pub(crate) fn escalate_consolidation(&self) -> Result<()> {
        let settings = self.settings()?.consolidation;
        let sources = self.sources(None, &settings)?;
        // What could go is compared with everything, which takes a while.
        if sources.all.iter().all(|source| source.lines < settings.lines) {
            return Ok(());
        }
        let now = self.clock.now();
        let found = self.preview_of(&sources, &settings)?.trigger.sources;
        for source in found.iter().filter(|source| source.needs_person) {
            let title = one_line(
                &format!("The learnings in {} are too many, and too few can go into a document", source.source),
                limits::TITLE_CHARS,
            );
            let detail = format!(
                "{}\n\nWhat has proved itself could become part of a document, but too little of it can: `ralph consolidate --dry-run` says \
                 why the rest stays. Shorten it by hand: retire what is wrong or of one incident only, merge what says the same, settle \
                 contradictions. Or wait: `ralph learning ages` shows what comes next.",
                source.why
            );
            self.write(|tx| {
                if !is_known(tx, &title, now)? {
                    put_before_person(tx, NewNotice::new(NoticeKind::Consolidation, title, detail), now)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

impl App {
    /// Puts the contradictions that a consolidation met before a person, each pair of texts once: nobody else may settle them. Learnings
    /// that contradict each other wait as conflicts already.
    pub(super) fn escalate_contradictions(&self, sources: &Sources, preview: &ConsolidationPreview) -> Result<()> {
        let entries: BTreeMap<&str, &Entry> =
            sources.all.iter().flat_map(|source| &source.entries).map(|entry| (entry.key.as_str(), entry)).collect();
        let ids: Vec<LearningId> = entries.values().filter_map(|entry| entry.id.clone()).collect();
        let waiting: BTreeSet<_> = self.db.read(|r| r.learning_facts(Some(&ids)))?.conflicts.into_iter().collect();
        let now = self.clock.now();
        for found in preview.decisions.iter().filter(|found| found.decision == Fate::Contradiction) {
            let (Some(entry), Some(other), Some(text)) = (entries.get(found.key.as_str()), &found.other, &found.other_text) else {
                continue;
            };
            let pair = (found.key.clone(), other.clone());
            if waiting.contains(&pair) || waiting.contains(&(pair.1, pair.0)) {
                continue;
            }
            let new = contradiction(entry, (other, text), entries.get(other.as_str()).copied());
            if !self.db.read(|r| r.has_notice(new.kind, &new.detail))? {
                self.write(|tx| put_before_person(tx, new, now))?;
            }
        }
        Ok(())
    }
}

/// A contradiction in words. Its detail is the same from whichever side it is found, and wherever in its document the other side is.
fn contradiction(entry: &Entry, (place, text): (&str, &str), other: Option<&Entry>) -> NewNotice {
    let named = |entry: &Entry| entry.title.clone().unwrap_or_else(|| entry.text.clone());
    let said = |entry: &Entry| format!("- {} of {}: {}", entry.key, entry.source, one_line(&entry.text, limits::LEARNING_TEXT_CHARS));
    let file = place.rsplit_once(':').map_or(place, |(file, _)| file);
    let theirs = other.map_or_else(|| format!("- {file}: {}", one_line(text, limits::LEARNING_TEXT_CHARS)), said);
    let mut sides = [said(entry), theirs];
    sides.sort();
    let what = other.map_or_else(|| place.to_owned(), |other| format!("'{}'", one_line(&named(other), SHOWN_CHARS)));
    let title = format!("'{}' contradicts {what}", one_line(&named(entry), SHOWN_CHARS));
    let neither = if other.is_some() { "Neither becomes part of a document" } else { "The learning becomes part of no document" };
    let detail = format!(
        "{}\n\n{neither} before one of them is right. Retire a learning that is wrong (`ralph learning retire ID`), or \
         change the text and commit it. Nobody asks about these two again.",
        sides.join("\n")
    );
    NewNotice::new(NoticeKind::Consolidation, one_line(&title, limits::TITLE_CHARS), detail)
}

/// Whether there is such a notice, open or recently settled.
fn is_known(r: &Read<'_>, title: &str, now: Timestamp) -> Result<bool> {
    let quiet_since = Timestamp(now.0.saturating_sub_unsigned(QUIET_MILLIS));
    Ok(r.has_notice_since(NoticeKind::Consolidation, title, quiet_since)?)
}
