//! One store for each group of a collection, filled and indexed like the product's.

use crate::records::Record;
use ralph_app::{AppError, Result, TextHash, index_of, learn_words, made_of};
use ralph_core::recall::Reach;
use ralph_core::time::Timestamp;
use ralph_rag::recall::{Index, chunks};
use sqlite_db::Db;
use sqlite_db::table::{NewPassage, TextVector};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use text_embed::Embedder;

/// Texts embedded at once, between two progress reports: what a stop loses is recomputed.
const BATCH: usize = 64;

/// One group's store, filled and indexed.
pub struct Store {
    /// Its database.
    pub db: Db,
    /// Its index.
    pub index: Index,
    /// Positions of documents.
    pub by_id: BTreeMap<String, usize>,
}

impl Store {
    /// Stores the members at `path`.
    pub fn fill(path: &Path, documents: &[Record], members: &[usize], vectors: &Vectors, model: &str) -> Result<Store> {
        let db = Db::open(path)?;
        db.writer()?.transaction(|tx| -> Result<()> {
            for at in members {
                let document = &documents[*at];
                let (text, series) = (document.whole(), document.series());
                for (ordinal, (chunk, (hash, made))) in chunks(&text).into_iter().zip(&vectors.0[*at]).enumerate() {
                    let row = tx.insert_document_passage(&NewPassage {
                        source: *at as i64,
                        ordinal: ordinal as u32,
                        series: series.as_deref(),
                        created: Timestamp(0),
                        text: chunk,
                    })?;
                    tx.set_text_vector(row, model, hash, made)?;
                }
            }
            Ok(())
        })?;
        let index = db.read(|r| {
            let mut index = index_of(r, model, Reach::Knowledge)?;
            learn_words(r, Reach::Knowledge, &mut index)?;
            Ok::<_, AppError>(index)
        })?;
        Ok(Store { db, index, by_id: members.iter().map(|at| (documents[*at].id.clone(), *at)).collect() })
    }
}

/// Vectors of every document's chunks.
pub struct Vectors(Vec<Vec<(TextHash, TextVector)>>);

impl Vectors {
    /// Computes what `known` does not contain, and stores it there.
    pub fn of(documents: &[Record], embedder: &Embedder, known: &Db, progress: &dyn Fn(&str)) -> Result<Vectors> {
        let texts: Vec<String> = documents.iter().map(Record::whole).collect();
        let pieces: Vec<(usize, &str)> =
            texts.iter().enumerate().flat_map(|(at, text)| chunks(text).into_iter().map(move |c| (at, c))).collect();
        // Texts of similar length together: a batch is as slow as its longest.
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        order.sort_by_key(|at| pieces[*at].1.len());
        let mut made: Vec<Option<(TextHash, TextVector)>> = vec![None; pieces.len()];
        for (number, batch) in order.chunks(BATCH).enumerate() {
            progress(&format!("embedding {} of {} texts", number * BATCH, pieces.len()));
            let texts: Vec<&str> = batch.iter().map(|at| pieces[*at].1).collect();
            let found = made_of(known, embedder, &texts, true)?;
            known.writer()?.transaction(|tx| -> Result<()> {
                Ok(found.iter().try_for_each(|(hash, made)| tx.keep_text_vector(embedder.id(), hash, made))?)
            })?;
            for (at, found) in batch.iter().zip(found) {
                made[*at] = Some(found);
            }
        }
        let mut vectors: Vec<Vec<_>> = vec![Vec::new(); documents.len()];
        for ((at, _), made) in pieces.iter().zip(made) {
            vectors[*at].extend(made);
        }
        Ok(Vectors(vectors))
    }
}

/// A folder that is removed when dropped.
pub struct Scratch(pub PathBuf);

impl Scratch {
    /// A new one among the system's temporary files.
    pub fn new() -> Result<Scratch> {
        let path = std::env::temp_dir().join(format!("ralph-eval-{}-{}", std::process::id(), ulid::Ulid::generate()));
        std::fs::create_dir_all(&path).map_err(|source| AppError::io(&path, source))?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!("{} is left behind: {error}", self.0.display());
        }
    }
}
