//! `.ralph/tmp/consolidation-report.md`: every decision with its reason, for people.

use crate::App;
use crate::error::Result;
use crate::files::Readers;
use crate::paths::Paths;
use ralph_core::authority::Act;
use ralph_core::consolidation::{ConsolidationPreview, PreparedBatch};
use ralph_rag::consolidate::report;
use std::path::PathBuf;

/// Below `.ralph/`.
const FOLDER: &str = "tmp";
const FILE: &str = "consolidation-report.md";
const BATCH: &str = "consolidation-batch.json";
/// The folder keeps itself out of git: projects that were made before it have no rule for it.
const IGNORES_ITSELF: &str = "# Ralph's own notes of the moment: nothing here belongs into git.\n*\n";

impl App {
    /// Prepares a consolidation of one feature, or of all sources: its batch is kept until it lands, and the report is written.
    pub fn prepare_consolidation(&self, feature: Option<&str>) -> Result<ConsolidationPreview> {
        self.allowed(&Act::Curate)?;
        let preview = self.consolidation_preview(feature)?;
        let base = self.repo.as_ref().map(git_repo::Repo::head).transpose()?.flatten();
        let prepared = PreparedBatch { base, batch: preview.batch.clone() };
        let folder = self.paths.root.join(".ralph").join(FOLDER);
        let files = self.paths.files();
        files.make_folder(&folder)?;
        files.write(&folder.join(".gitignore"), IGNORES_ITSELF.as_bytes(), Readers::Anyone)?;
        files.write(&folder.join(FILE), report(&preview).as_bytes(), Readers::Owner)?;
        let batch = serde_json::to_vec_pretty(&prepared).expect("entries hold only strings, numbers and lists");
        files.write(&batch_file(&self.paths), &batch, Readers::Owner)?;
        Ok(preview)
    }
}

/// What is prepared, until it lands.
pub(super) fn batch_file(paths: &Paths) -> PathBuf {
    paths.root.join(".ralph").join(FOLDER).join(BATCH)
}
