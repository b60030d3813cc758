//! Ages of entries.

use super::sources::Sources;
use crate::app::App;
use crate::error::Result;
use ralph_core::consolidation::{AgeSummary, Entry, LearningAges};
use ralph_core::settings::ConsolidationSettings;

impl App {
    /// Every entry of the learnings file and every active learning with its age in active days, or those of one feature.
    pub fn learning_ages(&self, feature: Option<&str>) -> Result<LearningAges> {
        let settings = self.settings()?.consolidation;
        Ok(ages_of(self.sources(feature, &settings)?, &settings))
    }
}

/// The entries of some sources, and a summary of their ages.
pub(super) fn ages_of(Sources { all, history, notes }: Sources, settings: &ConsolidationSettings) -> LearningAges {
    let entries: Vec<Entry> = all.into_iter().flat_map(|source| source.entries).collect();
    let count = |which: &dyn Fn(&Entry) -> bool| {
        let number = entries.iter().filter(|entry| which(entry)).count();
        u32::try_from(number).unwrap_or(u32::MAX)
    };
    let summary = AgeSummary {
        history: history.kind(),
        active_days: history.days().count(),
        fresh_days: settings.fresh_days,
        entries: count(&|_| true),
        eligible: count(&|entry| entry.eligible),
        uncommitted: count(&|entry| entry.written.is_none() && entry.age_active_days.is_some()),
        oldest: entries.iter().filter_map(|entry| entry.age_active_days).max(),
        notes,
    };
    LearningAges { entries, summary }
}
