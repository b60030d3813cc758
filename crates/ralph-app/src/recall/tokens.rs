//! Vectors of the tokens of passages, kept in memory: the same few passages come up again and again.

use ralph_core::limits;
use sqlite_db::Read;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Tokens by the rows of passages.
#[derive(Debug, Default)]
pub struct KeptTokens(Mutex<HashMap<i64, Arc<[u8]>>>);

impl KeptTokens {
    /// The tokens of a passage; `None` where it has none yet, or they can't be read.
    pub fn get(&self, r: &Read<'_>, row: i64, model: &str) -> Option<Arc<[u8]>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(&row) {
            return Some(Arc::clone(known));
        }
        let read: Arc<[u8]> = r.passage_tokens(row, model).ok().flatten()?.into();
        if kept.len() >= limits::TOKENS_KEPT {
            kept.clear();
        }
        kept.insert(row, Arc::clone(&read));
        Some(read)
    }

    /// Forgets those of a passage that changed.
    pub fn forget(&self, row: i64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&row);
    }
}
