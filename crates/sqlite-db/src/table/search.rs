//! Full-text search over what is known.

use crate::connection::Read;
use crate::error::Result;
use crate::row;
use ralph_core::LearningId;
use rusqlite::params;

impl Read<'_> {
    /// Active learnings outside the named features whose words match, best first: ids only. `words` are plain words; they are quoted
    /// here, so that no operator of the query language has an effect.
    pub fn matching_learnings(&self, words: &[String], not_in: &[String], limit: u32) -> Result<Vec<LearningId>> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let query = words.iter().map(|w| format!("\"{}\"", w.replace('"', "\"\""))).collect::<Vec<_>>().join(" OR ");
        let mut statement = self.connection.prepare_cached(
            "SELECT m.id FROM memories_fts x JOIN memories m ON m.row = x.rowid JOIN features f ON f.id = m.feature_id
             WHERE memories_fts MATCH ?1 AND m.kind = 'learning' AND m.state = 'active' AND f.state <> 'archived'
             AND f.name NOT IN (SELECT value FROM json_each(?2)) ORDER BY bm25(memories_fts), m.id LIMIT ?3",
        )?;
        let rows = statement.query_map(params![query, row::to_json(&not_in), limit], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
