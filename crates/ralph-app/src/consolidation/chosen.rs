//! What a consolidation takes: the entries that go into documents, and those of the learnings file that newer ones among them supersede.

use ralph_core::consolidation::{ConsolidationPreview, Entry, Fate, SourceKind};

/// What was chosen for a proposal.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    /// The entries that go into documents.
    pub batch: Vec<Entry>,
    /// Entries of the learnings file, each with the key of the newer one that says otherwise. Only the final state lasts: once that is in
    /// a document, the older entry would contradict it as long as it stays.
    pub superseded: Vec<(Entry, String)>,
}

impl Chosen {
    /// Which entries move, according to a preview of sources with these entries.
    pub fn of<'e>(preview: &ConsolidationPreview, entries: impl Iterator<Item = &'e Entry>) -> Chosen {
        let superseded = entries.zip(&preview.decisions).filter(|(entry, found)| {
            entry.kind == SourceKind::File
                && found.decision == Fate::Superseded
                && preview.batch.iter().any(|of| Some(&of.key) == found.other.as_ref())
        });
        let superseded = superseded.filter_map(|(entry, found)| Some((entry.clone(), found.other.clone()?))).collect();
        Chosen { batch: preview.batch.clone(), superseded }
    }

    /// Those that entries of the batch supersede.
    pub fn superseded_with(&self, batch: &[Entry]) -> impl Iterator<Item = &Entry> {
        self.superseded.iter().filter(|(_, by)| batch.iter().any(|entry| entry.key == *by)).map(|(entry, _)| entry)
    }
}
