//! What the window shows of consolidation.

use super::ages::ages_of;
use super::report::REPORT;
use crate::app::App;
use crate::error::Result;
use ralph_core::consolidation::{ConsolidationView, Fate, OpenProposal};
use ralph_core::errand::ErrandState;

impl App {
    /// Ages, triggers, decisions and history of all sources. Changes nothing.
    pub fn consolidation_view(&self) -> Result<ConsolidationView> {
        let settings = self.settings()?.consolidation;
        let sources = self.sources(None, &settings)?;
        let preview = self.preview_of(&sources, &settings)?;
        let ages = ages_of(sources, &settings);
        let open = self.db.read(|r| r.open_errand(&super::propose::PROPOSALS))?;
        let report = self.paths.root.join(REPORT);
        Ok(ConsolidationView {
            entries: ages.entries,
            summary: ages.summary,
            sources: preview.trigger.sources,
            decisions: preview.decisions,
            open: open.map(|errand| OpenProposal { errand: errand.id, writing: errand.state == ErrandState::Running }),
            report: report.is_file().then(|| REPORT.to_owned()),
            notes: preview.notes,
            history: self.consolidations()?,
        })
    }

    /// How many learnings of a feature a consolidation of all sources would move into documents.
    pub fn learnings_to_consolidate(&self, feature: &str) -> Result<u32> {
        let settings = self.settings()?.consolidation;
        // Nothing is compared while all entries are young, as in most features.
        if !self.sources(Some(feature), &settings)?.all.iter().flat_map(|source| &source.entries).any(|entry| entry.eligible) {
            return Ok(0);
        }
        let decisions = self.preview_of(&self.sources(None, &settings)?, &settings)?.decisions;
        let goes = decisions.iter().filter(|of| of.decision == Fate::Goes && of.source == feature && of.id.is_some());
        Ok(u32::try_from(goes.count()).unwrap_or(u32::MAX))
    }
}
