//! The index of a long-lived process: updated incrementally after writes by any process.

use crate::error::Result;
use crate::recall::tokens::KeptTokens;
use ralph_core::limits;
use ralph_core::recall::Reach;
use ralph_rag::recall::{Index, Passage, PassageWords};
use sqlite_db::Read;
use sqlite_db::table::PassageRow;
use std::sync::Arc;

/// An index kept in step with the store.
#[derive(Debug, Default)]
pub struct FreshIndex {
    known: Option<HeldIndex>,
    /// Whether it was asked for already.
    asked: bool,
}

#[derive(Debug)]
struct HeldIndex {
    model: String,
    /// The newest change in the index.
    change: i64,
    index: Arc<Index>,
    tokens: Arc<KeptTokens>,
    /// The change that its snapshot includes, if there is one.
    kept: Option<i64>,
}

/// An index as a process left it for the next one, and the mark that shows whether it still fits.
#[derive(Debug)]
pub struct Snapshot {
    /// Also stored in the database, as long as no other snapshot was kept: an older copy of the database has another mark.
    pub mark: String,
    model: String,
    change: i64,
    index: Index,
}

impl Snapshot {
    /// As [`FreshIndex::snapshot`] gave it; `None` for anything else.
    pub fn of(bytes: &[u8]) -> Option<Snapshot> {
        let mut lines = bytes.splitn(4, |byte| *byte == b'\n');
        let mut line = || std::str::from_utf8(lines.next()?).ok();
        let (mark, model, change) = (line()?.to_owned(), line()?.to_owned(), line()?.parse().ok()?);
        Some(Snapshot { mark, model, change, index: Index::from_bytes(lines.next()?)? })
    }
}

impl HeldIndex {
    fn wants_snapshot(&self) -> bool {
        self.index.passages() >= limits::INDEX_KEPT_FROM && self.kept.is_none_or(|kept| self.change - kept > limits::INDEX_CHANGES)
    }
}

impl FreshIndex {
    /// Whether nothing has been read yet.
    pub fn is_new(&self) -> bool {
        self.known.is_none()
    }

    /// Begins with a snapshot, which the next [`FreshIndex::get`] brings to the state of the store.
    pub fn begin(&mut self, snapshot: Snapshot) {
        let Snapshot { model, change, index, .. } = snapshot;
        self.known = Some(HeldIndex { model, change, index: Arc::new(index), tokens: Arc::default(), kept: Some(change) });
    }

    /// Whether a new snapshot would save the next process something.
    pub fn wants_snapshot(&self) -> bool {
        self.known.as_ref().is_some_and(HeldIndex::wants_snapshot)
    }

    /// The index for the next process, under a mark.
    pub fn snapshot(&mut self, mark: &str) -> Option<Vec<u8>> {
        let known = self.known.as_mut()?;
        known.kept = Some(known.change);
        let mut bytes = format!("{mark}\n{}\n{}\n", known.model, known.change).into_bytes();
        bytes.extend(known.index.to_bytes());
        Some(bytes)
    }

    /// The tokens that were read of its passages.
    pub fn tokens(&self) -> Arc<KeptTokens> {
        self.known.as_ref().map(|known| Arc::clone(&known.tokens)).unwrap_or_default()
    }

    /// The index of the store as it is now. It reads the words when it is asked for a second time, or is kept for the next process: the
    /// store's full-text tables answer a single question to a small store faster.
    pub fn get(&mut self, r: &Read<'_>, model: &str, reach: Reach) -> Result<Arc<Index>> {
        let change = r.passage_change()?;
        let mut known = self.known.take().filter(|known| known.model == model);
        if let Some(old) = &mut known
            && old.change != change
        {
            let changed = r.changed_passages(old.change, model, reach)?;
            changed.iter().flatten().for_each(|(row, _)| old.tokens.forget(*row));
            let changed = changed.map(|all| all.into_iter().map(|(row, now)| (row, now.map(passage))).collect());
            // Copied only if a search holds it.
            let kept = changed.is_some_and(|changed| Arc::make_mut(&mut old.index).change(changed));
            if kept { old.change = change } else { known = None }
        }
        let again = self.asked;
        self.asked = true;
        let mut known = match known {
            Some(known) => known,
            None => HeldIndex {
                model: model.to_owned(),
                change,
                index: Arc::new(index_of(r, model, reach)?),
                tokens: Arc::default(),
                kept: None,
            },
        };
        if (again || known.wants_snapshot()) && !known.index.knows_words() {
            learn_words(r, reach, Arc::make_mut(&mut known.index))?;
        }
        let index = Arc::clone(&known.index);
        self.known = Some(known);
        Ok(index)
    }

    /// Approximate bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.known.as_ref().map_or(0, |known| known.index.bytes())
    }
}

/// Reads the index from the store.
pub fn index_of(r: &Read<'_>, model: &str, reach: Reach) -> Result<Index> {
    Ok(Index::build(r.passages(model, reach)?.into_iter().map(passage)))
}

/// Makes an index read the words of its passages, so that it needs no full-text tables.
pub fn learn_words(r: &Read<'_>, reach: Reach, index: &mut Index) -> Result<()> {
    let mut lists = index.lists();
    r.passage_words(reach, |row, text, terms| lists.add(row, text, terms))?;
    lists.end();
    Ok(())
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
        words: row.words.map(|[text, terms]| PassageWords { text, terms }),
    }
}
