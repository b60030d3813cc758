//! Content of existing documents: those of the knowledge folder, and ingested ones.

use crate::app::App;
use crate::error::Result;
use crate::secrets::wash;
use ralph_core::limits;
use ralph_core::settings::ConsolidationSettings;
use ralph_rag::consolidate::{TargetStatement, statements};
use std::collections::BTreeSet;

/// Maximum statements that entries are compared with; larger projects have other means to find repetitions.
const STATEMENTS: usize = 20_000;

impl App {
    /// The statements of all documents except the learnings file, which is not a target.
    pub(super) fn targets(&self, settings: &ConsolidationSettings, notes: &mut Vec<String>) -> Result<Vec<TargetStatement>> {
        let (root, files) = (&self.paths.root, self.paths.files());
        let is_text = |path: &str| {
            let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
            matches!(ending.as_str(), "md" | "markdown" | "mdx" | "txt")
        };
        let mut paths: BTreeSet<String> = self.documents()?.into_iter().map(|document| document.path).collect();
        let folder = root.join(&settings.knowledge_folder);
        if folder.is_dir() {
            let found = files.walk(&folder, limits::DOCUMENTS)?;
            paths.extend(found.iter().filter_map(|path| Some(path.strip_prefix(root).ok()?.to_str()?.replace('\\', "/"))));
        }
        let mut targets = Vec::new();
        for path in paths.into_iter().filter(|path| is_text(path) && *path != settings.learnings_file) {
            match files.read_text(&root.join(&path), limits::DOCUMENT_BYTES) {
                Ok(Some(text)) => {
                    let said = statements(&wash::text(&text)).into_iter();
                    targets.extend(said.map(|s| TargetStatement { file: path.clone(), line: s.line, text: s.text }));
                }
                Ok(None) => {}
                Err(fault) => notes.push(format!("{path} is not compared with: {fault}")),
            }
        }
        if targets.len() > STATEMENTS {
            notes.push(format!("the documents make {} statements; the first {STATEMENTS} are compared with", targets.len()));
            targets.truncate(STATEMENTS);
        }
        Ok(targets)
    }
}
