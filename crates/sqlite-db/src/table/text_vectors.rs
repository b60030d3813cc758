//! `kept_vectors` and `token_vectors`: vectors by hash of the text.

use super::passages::floats;
use crate::connection::{Read, Tx};
use crate::error::Result;
use rusqlite::{OptionalExtension as _, params};

/// Newest vectors without a passage that are kept: 15 MB of 384 numbers each. A rebuild of a larger project embeds the rest again.
const KEPT: u32 = 10_000;

/// A model's vectors of one text.
#[derive(Debug, Clone, PartialEq)]
pub struct TextVector {
    /// Of length 1.
    pub vector: Vec<f32>,
    /// The vectors of its tokens, 128 bytes each; `None` = not computed.
    pub tokens: Option<Vec<u8>>,
}

impl Read<'_> {
    /// The vectors by `model` of the text with that hash, if known.
    pub fn text_vector(&self, hash: &[u8], model: &str) -> Result<Option<TextVector>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT v.vector, (SELECT tokens FROM token_vectors WHERE hash = ?1 AND model = ?2) FROM (
                 SELECT vector FROM vectors WHERE hash = ?1 AND model = ?2
                 UNION ALL SELECT vector FROM kept_vectors WHERE hash = ?1 AND model = ?2 LIMIT 1) v",
        )?;
        let found = statement
            .query_row(params![hash, model], |r| Ok(TextVector { vector: floats(r.get_ref(0)?.as_blob()?), tokens: r.get(1)? }))
            .optional()?;
        Ok(found)
    }

    /// The token vectors of a passage by `model`; `None` if not computed.
    pub fn passage_tokens(&self, passage: i64, model: &str) -> Result<Option<Vec<u8>>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT t.tokens FROM vectors v JOIN token_vectors t ON t.hash = v.hash AND t.model = v.model
             WHERE v.passage = ?1 AND v.model = ?2",
        )?;
        Ok(statement.query_row(params![passage, model], |r| r.get(0)).optional()?)
    }

    /// Number of passages of active and parked memories with token vectors of `model`.
    pub fn passages_with_tokens(&self, model: &str) -> Result<u32> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*) FROM passages p JOIN vectors v ON v.passage = p.row AND v.model = ?1
             JOIN token_vectors t ON t.hash = v.hash AND t.model = ?1 WHERE p.state IN ('active', 'parked')",
        )?;
        Ok(statement.query_row([model], |r| r.get(0))?)
    }

    /// Passages of active and parked memories with a vector of `model` but no token vectors, at most `limit`: row and text.
    pub fn passages_without_tokens(&self, model: &str, limit: u32) -> Result<Vec<(i64, String)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT p.row, p.text FROM vectors v CROSS JOIN passages p ON p.row = v.passage
             WHERE v.model = ?1 AND p.state IN ('active', 'parked')
                 AND NOT EXISTS (SELECT 1 FROM token_vectors t WHERE t.hash = v.hash AND t.model = v.model)
             ORDER BY p.kind <> 'learning', p.kind = 'failure_report', p.row LIMIT ?2",
        )?;
        let rows = statement.query_map(params![model, limit], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Stores the vectors of a passage's text by `model`, replacing another model's. A passage that is gone meanwhile is skipped.
    pub fn set_text_vector(&self, passage: i64, model: &str, hash: &[u8], made: &TextVector) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO vectors (passage, model, vector, hash) SELECT row, ?2, ?3, ?4 FROM passages WHERE row = ?1
                 ON CONFLICT (passage) DO UPDATE SET model = excluded.model, vector = excluded.vector, hash = excluded.hash",
            )?
            .execute(params![passage, model, bytes(&made.vector), hash])?;
        self.set_tokens(hash, model, made)?;
        self.connection.prepare_cached("DELETE FROM kept_vectors WHERE hash = ?1 AND model = ?2")?.execute(params![hash, model])?;
        Ok(())
    }

    /// Stores the vectors by `model` of a text that is not a passage.
    pub fn keep_text_vector(&self, model: &str, hash: &[u8], made: &TextVector) -> Result<()> {
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO kept_vectors (hash, model, vector) VALUES (?1, ?2, ?3)")?
            .execute(params![hash, model, bytes(&made.vector)])?;
        self.set_tokens(hash, model, made)
    }

    fn set_tokens(&self, hash: &[u8], model: &str, made: &TextVector) -> Result<()> {
        if let Some(tokens) = &made.tokens {
            self.connection
                .prepare_cached("INSERT OR REPLACE INTO token_vectors (hash, model, tokens) VALUES (?1, ?2, ?3)")?
                .execute(params![hash, model, tokens])?;
        }
        Ok(())
    }

    /// Marks all vectors of a model as outdated, so that they are recomputed: a server may have put another model behind its name.
    pub fn outdate_vectors(&self, model: &str) -> Result<()> {
        for sql in [
            "UPDATE vectors SET model = '' WHERE model = ?1",
            "DELETE FROM kept_vectors WHERE model = ?1",
            "DELETE FROM story_vectors WHERE model = ?1",
        ] {
            self.connection.prepare_cached(sql)?.execute([model])?;
        }
        Ok(())
    }

    /// Deletes the oldest vectors without passages beyond the limit, and token vectors of texts without a vector.
    pub fn forget_text_vectors(&self) -> Result<()> {
        self.connection
            .prepare_cached("DELETE FROM kept_vectors WHERE id <= (SELECT id FROM kept_vectors ORDER BY id DESC LIMIT 1 OFFSET ?1)")?
            .execute([KEPT])?;
        self.connection
            .prepare_cached(
                "DELETE FROM token_vectors WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = token_vectors.hash)
                     AND NOT EXISTS (SELECT 1 FROM kept_vectors k WHERE k.hash = token_vectors.hash)",
            )?
            .execute([])?;
        Ok(())
    }
}

pub(super) fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}
