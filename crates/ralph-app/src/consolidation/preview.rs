//! Preview of a consolidation: whether it is due, the batch, and the decision on every entry. Changes nothing.

use super::documents::documents_in;
use super::sources::{SourceEntries, Sources};
use crate::app::App;
use crate::error::Result;
use crate::recall::texts::made_of;
use ralph_core::consolidation::{ConsolidationPreview, Entry, Fate, SourceTrigger, Trigger};
use ralph_core::settings::ConsolidationSettings;
use ralph_rag::calibrate::Calibration;
use ralph_rag::consolidate::{Candidates, Meaning, Pairs, Source, held, too_long, trigger};
use std::collections::HashMap;
use text_embed::dot;

impl App {
    /// What a consolidation of one feature, or of all sources, would do.
    pub fn consolidation_preview(&self, feature: Option<&str>) -> Result<ConsolidationPreview> {
        let settings = self.settings()?.consolidation;
        self.preview_of(&self.sources(feature, &settings)?, &settings)
    }

    /// The sources that are due for consolidation.
    pub fn due_sources(&self) -> Result<Vec<SourceTrigger>> {
        let settings = self.settings()?.consolidation;
        if !self.has_entries_enough(&settings)? {
            return Ok(Vec::new());
        }
        let sources = self.sources(None, &settings)?;
        // What would move is compared with everything, which takes a while; it is old enough in any case.
        let may_be_due = |source: &SourceEntries| {
            let most = source.entries.iter().filter(|entry| entry.eligible).count();
            trigger_of(source, most, &settings).due
        };
        if !sources.all.iter().any(may_be_due) {
            return Ok(Vec::new());
        }
        let found = self.preview_of(&sources, &settings)?.trigger.sources;
        Ok(found.into_iter().filter(|source| source.due).collect())
    }

    /// Whether some source has enough entries to be due once they are old enough. Counted by an index, since ages require reading all
    /// entries and git's history.
    fn has_entries_enough(&self, settings: &ConsolidationSettings) -> Result<bool> {
        let file = self.paths.files().metadata(&self.paths.root.join(&settings.learnings_file));
        let enough = settings.min_entries.max(1);
        Ok(!matches!(file, Ok(None)) || self.db.read(|r| r.saturations(enough))?.iter().any(|feature| feature.learnings_count >= enough))
    }

    /// What a consolidation of sources that have been read would do.
    pub(super) fn preview_of(&self, sources: &Sources, settings: &ConsolidationSettings) -> Result<ConsolidationPreview> {
        let Sources { all, notes, .. } = sources;
        let mut notes = notes.clone();
        let targets = self.targets(settings, &mut notes)?;
        let documents = documents_in(&self.paths.root, settings)?;
        notes.extend(too_long(&documents));
        let ids: Vec<String> = all.iter().flat_map(|source| &source.entries).filter_map(|entry| entry.id.clone()).collect();
        let facts = self.db.read(|r| r.learning_facts(Some(&ids)))?;
        let pairs = Pairs { conflicts: facts.conflicts.into_iter().collect(), apart: facts.apart.into_iter().collect() };
        let sources: Vec<&[Entry]> = all.iter().map(|source| source.entries.as_slice()).collect();
        let held = held(&documents);
        let candidates = Candidates::new(&sources, (&targets, &held), &pairs, settings.keep_newest as usize);
        let (vectors, calibration) = self.vectors_of(&candidates.texts(), &mut notes);
        let cosine = |a: &str, b: &str| Some(dot(vectors.get(a)?, vectors.get(b)?));
        let decisions = candidates.decide(&Meaning { cosine: &cosine, calibration });
        let mut left = decisions.as_slice();
        let asks = |source: &SourceEntries| {
            let (of_source, rest) = left.split_at(source.entries.len());
            left = rest;
            trigger_of(source, of_source.iter().filter(|found| found.decision == Fate::Goes).count(), settings)
        };
        let found: Vec<SourceTrigger> = all.iter().map(asks).collect();
        // Equal entries of the file share a key, and only one of them moves.
        let decided = all.iter().flat_map(|source| &source.entries).zip(&decisions);
        let batch = decided.filter(|(_, found)| found.decision == Fate::Goes).map(|(entry, _)| entry.clone()).collect();
        let leading = found.iter().max_by_key(|source| (source.due, source.needs_person, source.lines)).cloned();
        Ok(ConsolidationPreview { trigger: Trigger { leading, sources: found }, batch, decisions, notes })
    }

    /// Vectors of some texts; those of learnings are in the database. Without them words alone decide, which is noted.
    fn vectors_of<'t>(&self, texts: &[&'t str], notes: &mut Vec<String>) -> (HashMap<&'t str, Vec<f32>>, Option<Calibration>) {
        let mut made = || -> Result<_> {
            let embedder = self.embedder()?;
            if texts.is_empty() {
                return Ok((HashMap::new(), None));
            }
            if self.embedding_waits()? {
                notes.push(format!("entries are compared by their words alone: {}", crate::recall::embedding::WAITS));
                return Ok((HashMap::new(), None));
            }
            let Some(calibration) = self.known_calibration(&embedder)? else {
                notes.push(format!(
                    "entries are compared by their words alone: what the similarities of '{}' mean is learnt by `ralph calibrate`",
                    embedder.id()
                ));
                return Ok((HashMap::new(), None));
            };
            let made = made_of(&self.db, &embedder, texts, false)?;
            Ok((texts.iter().copied().zip(made).map(|(text, (_, made))| (text, made.vector)).collect(), Some(calibration)))
        };
        match made() {
            Ok(found) => found,
            Err(fault) => {
                notes.push(format!("entries are compared by their words alone: {fault}"));
                (HashMap::new(), None)
            }
        }
    }
}

/// Whether a source, some of whose entries would go, is due for consolidation.
fn trigger_of(source: &SourceEntries, goes: usize, settings: &ConsolidationSettings) -> SourceTrigger {
    let entries: Vec<&Entry> = source.entries.iter().collect();
    let SourceEntries { name, kind, lines, last, .. } = source;
    trigger(Source { name, kind: *kind, lines: *lines, entries: &entries, goes, last: *last }, settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    #[test]
    fn where_nothing_can_be_due_the_history_is_not_read_for_ages() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        git_repo::Repo::init(folder.path()).expect("a repository");
        let app = App::init(folder.path(), Clock::system()).expect("a project");
        let are_read = || app.outside.as_ref().is_some_and(|outside| outside.ages().is_some());
        assert!(app.due_sources().expect("looks").is_empty() && !are_read(), "no entries");
        std::fs::write(folder.path().join("learnings.md"), "## Wait for the lock\n\nOr two write.\n").expect("writes");
        assert!(app.due_sources().expect("looks").is_empty() && are_read(), "too young");
    }
}
