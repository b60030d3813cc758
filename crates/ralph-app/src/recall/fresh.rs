//! The index of a long-lived process: updated incrementally after writes by any process.

use crate::error::Result;
use ralph_core::recall::Reach;
use ralph_rag::recall::{Index, Passage};
use sqlite_db::Read;
use sqlite_db::table::PassageRow;
use std::sync::Arc;

/// An index kept in step with the store.
#[derive(Debug, Default)]
pub struct FreshIndex(Option<HeldIndex>);

#[derive(Debug)]
struct HeldIndex {
    model: String,
    /// The newest change in the index.
    change: i64,
    index: Arc<Index>,
}

impl FreshIndex {
    /// The current index.
    pub fn get(&mut self, r: &Read<'_>, model: &str, reach: Reach) -> Result<Arc<Index>> {
        let change = r.passage_change()?;
        let mut known = self.0.take().filter(|known| known.model == model);
        if let Some(old) = &mut known
            && old.change != change
        {
            let changed = r.changed_passages(old.change, model, reach)?;
            let changed = changed.map(|all| all.into_iter().map(|(row, now)| (row, now.map(passage))).collect());
            // Copied only while a search holds it.
            let kept = changed.is_some_and(|changed| Arc::make_mut(&mut old.index).change(changed));
            if kept { old.change = change } else { known = None }
        }
        let known = match known {
            Some(known) => known,
            None => HeldIndex { model: model.to_owned(), change, index: Arc::new(index_of(r, model, reach)?) },
        };
        let index = Arc::clone(&known.index);
        self.0 = Some(known);
        Ok(index)
    }

    /// Bytes used by its vectors.
    pub fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |known| known.index.bytes())
    }
}

/// Reads the index from the store.
pub fn index_of(r: &Read<'_>, model: &str, reach: Reach) -> Result<Index> {
    Ok(Index::build(r.passages(model, reach)?.into_iter().map(passage)))
}

fn passage(row: PassageRow) -> Passage {
    Passage {
        row: row.row,
        memory: (row.kind, row.source),
        feature: row.feature_id,
        active: row.active,
        series: row.series,
        created: row.created.0,
        names_a_file: row.names_a_file,
        protected: row.protected,
        vector: row.vector,
        feedback: row.feedback,
    }
}
