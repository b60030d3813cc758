//! What differs between the journal files and the database, as shown by `ralph doctor`.

use super::edited::{in_brief, other_lines};
use super::journal::parsed;
use super::slice::load_all;
use super::union::lines_of;
use crate::app::App;
use crate::error::{AppError, Result};
use ralph_core::count;
use ralph_core::text::{counted, listed};
use ralph_rag::journal::{Knowledge, SkippedLine, replay};
use sqlite_db::table::EventLine;
use std::collections::{BTreeMap, BTreeSet};

/// Difference between files and database.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JournalDifference {
    /// Lines in the database, and in no journal here or on another branch.
    pub only_in_database: u32,
    /// Lines in the database that are only on other branches, or in the stash: how many on each.
    pub elsewhere: BTreeMap<String, u32>,
    /// Lines in a file but not in the database.
    pub only_in_files: u32,
    /// Lines that await the person's agreement; in a file, but not in the database.
    pub held: u32,
    /// Unreadable lines.
    pub skipped: Vec<SkippedLine>,
    /// Lines that were edited in place in a file, each in brief.
    pub edited: Vec<String>,
    /// Lines of other clones with the id of another line that the database knows, each in brief.
    pub clashing: Vec<String>,
    /// Number of lines on either side.
    pub lines: u32,
    /// Rows that differ from what the lines imply, each in brief.
    pub rows: Vec<String>,
}

impl JournalDifference {
    /// What journals and database agree on, and what the database knows from other branches.
    pub(crate) fn agreement(&self) -> String {
        let lines: u32 = self.elsewhere.values().sum();
        let known = format!("{}, the same knowledge as the database", counted(self.lines.saturating_sub(lines), "event"));
        let branches: Vec<&String> = self.elsewhere.keys().collect();
        if lines == 0 { known } else { format!("{known}, which knows {} more from {}", counted(lines, "event"), listed(&branches, 3)) }
    }
}

impl App {
    /// The difference between journal files and database; changes nothing. Concurrent writers don't matter: a line is committed before
    /// it is written to its file. So what the database contained *before* the files were read must be in them, and
    /// what they contain must be in the database *afterwards*.
    pub fn journal_difference(&self) -> Result<JournalDifference> {
        let (events, waiting, stored) = self.db.read(|r| Ok::<_, AppError>((r.events()?, r.waiting_events()?, load_all(r)?)))?;
        let files = self.read_files(&BTreeMap::new())?;
        let held = count(self.waiting_lines()?.len());
        let ids = |events: &[EventLine]| events.iter().map(|event| event.id.clone()).collect::<BTreeSet<_>>();
        let (before, after, waiting) = (ids(&events), ids(&self.db.read(|r| r.events())?), ids(&waiting));
        let others = other_lines(&events, files.iter().map(lines_of));
        let in_files: BTreeSet<String> = files.iter().flat_map(|file| file.lines.iter().map(|line| line.id.clone())).collect();
        let missing = before.difference(&in_files).filter(|id| !waiting.contains(*id)).cloned().collect();
        let (elsewhere, nowhere) = self.elsewhere(missing)?;
        Ok(JournalDifference {
            only_in_database: count(nowhere.len()),
            elsewhere,
            only_in_files: count(in_files.difference(&after).count()).saturating_sub(held),
            held,
            edited: in_brief(&others.edited),
            clashing: in_brief(&others.clashing),
            lines: count(in_files.union(&before).count()),
            rows: differing_rows(&replay(events.iter().filter_map(parsed)), &stored),
            skipped: files.into_iter().flat_map(|file| file.skipped).collect(),
        })
    }
}

/// Rows that differ from what the lines imply, each in brief.
fn differing_rows(told: &Knowledge, stored: &Knowledge) -> Vec<String> {
    // In full, so that nothing that is added is left out here.
    let Knowledge {
        features,
        learnings,
        observations,
        open_conflicts,
        gates,
        reconciled,
        acts,
        brought_back,
        kept_apart,
        put_away,
        landed,
        episodes,
        facts,
        feedback,
        consolidations,
        last_event: _,
        opposites: _,
    } = told;
    let names = features.keys().chain(stored.features.keys()).collect::<BTreeSet<_>>().into_iter();
    let names = names.filter(|key| features.get(*key) != stored.features.get(*key)).map(|key| format!("feature {key}"));
    let ids = learnings.keys().chain(stored.learnings.keys()).collect::<BTreeSet<_>>().into_iter();
    let ids = ids.filter(|id| learnings.get(*id) != stored.learnings.get(*id)).map(|id| format!("learning {id}"));
    let parts = [
        ("episodes", *episodes == stored.episodes),
        ("facts", *facts == stored.facts),
        ("observations", *observations == stored.observations),
        ("open conflicts", *open_conflicts == stored.open_conflicts),
        ("the gate's verdicts", *gates == stored.gates),
        ("comparisons by vectors", *reconciled == stored.reconciled),
        ("what followed from comparisons and returns", *acts == stored.acts && *brought_back == stored.brought_back),
        ("pairs kept apart", *kept_apart == stored.kept_apart),
        ("what landed", *landed == stored.landed),
        ("feedback", *feedback == stored.feedback),
        ("what was put away", *put_away == stored.put_away),
        ("consolidations", *consolidations == stored.consolidations),
    ];
    let parts = parts.into_iter().filter(|(_, same)| !same).map(|(name, _)| name.to_owned());
    names.chain(ids).chain(parts).collect()
}
