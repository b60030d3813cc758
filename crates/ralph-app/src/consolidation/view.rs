//! Data of the consolidation page in one call.

use super::report::REPORT;
use crate::app::App;
use crate::error::Result;
use ralph_core::consolidation::{ConsolidationView, OpenProposal};
use ralph_core::errand::ErrandState;

impl App {
    /// Ages, triggers, decisions and history of all sources. Changes nothing.
    pub fn consolidation_view(&self) -> Result<ConsolidationView> {
        let ages = self.learning_ages(None)?;
        let preview = self.consolidation_preview(None)?;
        let open = self.db.read(|r| r.open_errand(&super::propose::PROPOSALS))?;
        let mut notes = ages.summary.notes.clone();
        notes.extend(preview.notes.into_iter().filter(|note| !ages.summary.notes.contains(note)));
        let report = self.paths.root.join(REPORT);
        Ok(ConsolidationView {
            entries: ages.entries,
            summary: ages.summary,
            sources: preview.trigger.sources,
            decisions: preview.decisions,
            open: open.map(|errand| OpenProposal { errand: errand.id, writing: errand.state == ErrandState::Running }),
            report: report.is_file().then(|| REPORT.to_owned()),
            notes,
            history: self.consolidations()?,
        })
    }
}
