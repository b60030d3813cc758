//! The index of search: held in memory, changed with the store, kept on disk for the next process.

use super::fresh::{FreshIndex, Snapshot};
use super::tokens::KeptTokens;
use crate::app::App;
use crate::error::{AppError, Result};
use crate::outside::Outside;
use ralph_core::recall::Reach;
use ralph_rag::recall::Index;
use std::path::Path;
use std::sync::{Arc, PoisonError};

impl App {
    /// The index as the store is now, and the tokens that were read for it.
    pub(super) fn index(&self, reach: Reach, model: &str) -> Result<(Arc<Index>, Arc<KeptTokens>)> {
        let place = if reach == Reach::Knowledge { &self.knowledge } else { &self.everything };
        let mut fresh = place.lock().unwrap_or_else(PoisonError::into_inner);
        let file = self.outside.as_ref().map(|outside| outside.index(file_of(reach)));
        let kept = self.outside.as_ref().filter(|_| fresh.is_new());
        let snapshot = kept.and_then(|outside| Snapshot::of(&outside.read_index(file_of(reach))?));
        let index = self.db.read(|r| {
            if let Some(snapshot) = snapshot
                && r.index_mark(reach)?.as_deref() == Some(&snapshot.mark)
            {
                fresh.begin(snapshot);
            }
            fresh.get(r, model, reach)
        })?;
        if let Some(file) = file.filter(|_| fresh.wants_snapshot()) {
            // Then the next process reads the rows.
            let _ = self.keep_index(&mut fresh, reach, &file).inspect_err(|error| tracing::debug!("no snapshot of the index: {error}"));
        }
        Ok((index, fresh.tokens()))
    }

    /// Whether no part of an index is in memory yet.
    pub(super) fn index_is_new(&self, reach: Reach) -> bool {
        let place = if reach == Reach::Knowledge { &self.knowledge } else { &self.everything };
        place.lock().unwrap_or_else(PoisonError::into_inner).is_new()
    }

    /// Keeps the index for the next process, unless somebody is writing just then.
    fn keep_index(&self, fresh: &mut FreshIndex, reach: Reach, file: &Path) -> Result<()> {
        let Some(mut writer) = self.db.try_writer()? else { return Ok(()) };
        let mark = crate::clock::next_id(None, self.clock.now());
        writer.transaction(|tx| Ok::<_, AppError>(tx.set_index_mark(reach, &mark)?))?;
        drop(writer);
        let Some(bytes) = fresh.snapshot(&mark) else { return Ok(()) };
        crate::files::write_whole(file, &bytes, crate::files::Readers::Owner).map_err(|source| AppError::io(file, source))?;
        // Secrets may have been removed from its words meanwhile.
        if self.db.read(|r| r.index_mark(reach))?.as_deref() != Some(&*mark) {
            remove(file)?;
        }
        Ok(())
    }

    /// Removes the snapshots: they contain words from which secrets are being removed. The store has already withdrawn their marks.
    pub(crate) fn forget_kept_indexes(&self, outside: &[Outside]) -> Result<()> {
        let files = |outside: &Outside| [Reach::Knowledge, Reach::Everything].map(|reach| outside.index(file_of(reach)));
        outside.iter().flat_map(files).try_for_each(|file| remove(&file))
    }

    /// Bytes that the indexes in memory take.
    pub(crate) fn index_bytes(&self) -> usize {
        [&self.knowledge, &self.everything].map(|place| place.lock().unwrap_or_else(PoisonError::into_inner).bytes()).iter().sum()
    }
}

/// Name of a snapshot.
fn file_of(reach: Reach) -> &'static str {
    match reach {
        Reach::Knowledge => "index-knowledge.bin",
        Reach::Everything => "index-everything.bin",
    }
}

fn remove(file: &Path) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(AppError::io(file, source)),
        _ => Ok(()),
    }
}
