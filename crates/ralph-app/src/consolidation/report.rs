//! `.ralph/tmp/consolidation-report.md`: every decision with its reason, for people.

use crate::app::App;
use crate::error::Result;
use crate::files::Readers;
use ralph_core::consolidation::ConsolidationPreview;
use ralph_rag::consolidate::report;

/// The report, relative to the project.
pub(super) const REPORT: &str = ".ralph/tmp/consolidation-report.md";
/// The folder ignores itself in git: older projects have no rule for it.
const IGNORES_ITSELF: &str = "# Ralph's own notes of the moment: nothing here belongs into git.\n*\n";

impl App {
    pub(super) fn write_consolidation_report(&self, preview: &ConsolidationPreview) -> Result<()> {
        let (place, files) = (self.paths.root.join(REPORT), self.paths.files());
        if let Some(folder) = place.parent() {
            files.make_folder(folder)?;
            files.write(&folder.join(".gitignore"), IGNORES_ITSELF.as_bytes(), Readers::Anyone)?;
        }
        files.write(&place, report(preview).as_bytes(), Readers::Owner)?;
        Ok(())
    }
}
