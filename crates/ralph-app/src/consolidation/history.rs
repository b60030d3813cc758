//! The active days of a project from git, read once and then incrementally.

use crate::app::App;
use crate::outside::Outside;
use git_repo::{Ages, GitError};
use ralph_core::active_days::{ActiveDays, Day};
use ralph_core::consolidation::HistoryKind;
use std::path::Path;

/// The active days of a project, and the dates of the lines of one of its files.
#[derive(Debug, Default)]
pub(super) struct History {
    pub ages: Ages,
    /// Why it is missing or incomplete.
    pub note: Option<String>,
    known: bool,
}

impl History {
    pub fn kind(&self) -> HistoryKind {
        match (self.known, self.ages.shallow) {
            (false, _) => HistoryKind::Unknown,
            (true, true) => HistoryKind::Shallow,
            (true, false) => HistoryKind::Complete,
        }
    }

    pub fn days(&self) -> &ActiveDays {
        &self.ages.days
    }

    /// The oldest date of some lines of the file, from 1; `None` if none of them is committed.
    pub fn oldest(&self, lines: &[u32]) -> Option<Day> {
        lines.iter().filter_map(|line| self.ages.lines().get(*line as usize - 1).copied().flatten()).min()
    }
}

impl App {
    /// Asks git for the active days, and for the dates of the lines of `file`, whose content has a digest. Results are cached outside of
    /// the project, so that reading changes nothing in it.
    pub(super) fn history(&self, file: Option<(&Path, &str)>) -> History {
        let Some(repo) = &self.repo else {
            let none = || format!("{} is not a git repository", self.paths.root.display());
            let why = self.refused_repository().map_or_else(none, |refused| refused.to_string());
            let note = format!("{why}, so no age is known and nothing is eligible");
            return History { note: Some(note), ..History::default() };
        };
        let known: Ages = self.outside.as_ref().and_then(Outside::ages).unwrap_or_default();
        let in_repository = file.map(|(path, digest)| (path.strip_prefix(repo.root()).unwrap_or(path), digest));
        let mut note = None;
        let found = repo.learning_ages(in_repository, known.clone()).or_else(|fault| {
            // Blame of the file failed; the days are still available.
            note = Some(format!("no age of the learnings file is known: {fault}"));
            repo.learning_ages(None, known.clone())
        });
        match found {
            Ok(ages) => {
                if ages != known
                    && let Some(outside) = &self.outside
                    && let Err(fault) = outside.keep_ages(&ages)
                {
                    tracing::debug!("ages are read anew the next time: {fault}");
                }
                if ages.shallow {
                    note.get_or_insert_with(|| {
                        "the clone is shallow: entries are at least as old as they seem; `git fetch --unshallow`".into()
                    });
                }
                History { ages, note, known: true }
            }
            Err(fault @ GitError::Missing) => History { note: Some(format!("{fault}; {}", fault.way_out())), ..History::default() },
            Err(fault) => History { note: Some(format!("git can't be asked: {fault}")), ..History::default() },
        }
    }
}
