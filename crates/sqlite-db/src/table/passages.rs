//! `passages`, their full-text indexes and `vectors`: the data that recall searches.

use super::feedback::read_feedback;
use crate::connection::{Read, Tx};
use crate::error::{DbError, Result};
use crate::row;
use ralph_core::feedback::Feedback;
use ralph_core::recall::{MemoryKind, Reach, TextIndex};
use ralph_core::time::Timestamp;
use ralph_core::{MemoryId, TaskId};
use rusqlite::{OptionalExtension as _, Row, params};

/// A passage without its text: its data in the in-memory index.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageRow {
    /// Its number; later passages have greater ones.
    pub row: i64,
    /// Kind of its memory.
    pub kind: MemoryKind,
    /// Number of its memory within that kind.
    pub source: i64,
    /// Its feature's number.
    pub feature_id: Option<u32>,
    /// Whether its memory is active.
    pub active: bool,
    /// Shared by neighbors.
    pub series: Option<String>,
    /// When it was written.
    pub created: Timestamp,
    /// Whether it names a file.
    pub names_a_file: bool,
    /// Whether a person vouched for it or three iterations observed it.
    pub protected: bool,
    /// Its vector of the requested model, if any.
    pub vector: Option<Vec<f32>>,
    /// Feedback on its learning, if any.
    pub feedback: Option<Feedback>,
    /// Its text and terms, if it was asked for as a change.
    pub words: Option<[String; 2]>,
}

/// The displayed data of a passage.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageText {
    /// Its number.
    pub row: i64,
    /// Its feature's number.
    pub feature_id: Option<u32>,
    /// Id of an episode or a fact.
    pub memory: Option<MemoryId>,
    /// The task of a failure report, or of an episode of this database.
    pub task: Option<TaskId>,
    /// State of its memory.
    pub state: String,
    /// When it was written.
    pub created: Timestamp,
    /// Start of a document's section, or source of a fact.
    pub place: Option<SourcePlace>,
    /// Its text.
    pub text: String,
}

/// Start of a document's section, or source of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePlace {
    /// The file, relative to the project.
    pub file: String,
    /// Its line, from 1; `None` if a fact is about the file as a whole.
    pub line: Option<u32>,
    /// Which of the sections that begin on this line, from 1: a long line has several.
    pub part: u32,
    /// Headings above it, or the name of what it defines; empty for a fact.
    pub heading: String,
}

/// A passage to store in addition to those derived by triggers.
#[derive(Debug, Clone, Copy)]
pub struct NewPassage<'a> {
    /// Number of the document.
    pub source: i64,
    /// Place within it.
    pub ordinal: u32,
    /// Shared by neighbors.
    pub series: Option<&'a str>,
    /// When it was written.
    pub created: Timestamp,
    /// Its text.
    pub text: &'a str,
}

/// Passages with their vector of the model `?1`, and what is known about their memories.
const PASSAGE: &str = "SELECT p.row, p.kind, p.source, p.feature_id, p.state = 'active' AS active, p.series, p.created, p.names_a_file,
        coalesce(m.protected, 0) AS protected, v.vector,
        coalesce(m.learned_triggers, '[]') AS learned_triggers, coalesce(m.feedback, '{}') AS feedback
    FROM passages p LEFT JOIN vectors v ON v.passage = p.row AND v.model = ?1
    LEFT JOIN memories m ON m.row = p.source AND p.kind = 'learning'";

/// Passages of active and parked memories without a vector of the model `?1`. Those with one are not visited.
const WITHOUT_VECTOR: &str = "FROM (SELECT passage FROM passages_waiting
        UNION ALL SELECT passage FROM vectors WHERE model < ?1
        UNION ALL SELECT passage FROM vectors WHERE model > ?1) w
    CROSS JOIN passages p ON p.row = w.passage
    WHERE p.state IN ('active', 'parked')";

/// The row of a changed passage; `None` if it is gone, or out of reach.
pub type ChangedPassage = (i64, Option<PassageRow>);

impl Read<'_> {
    /// Every passage within reach, by row, with its vector of `model`.
    pub fn passages(&self, model: &str, reach: Reach) -> Result<Vec<PassageRow>> {
        let kinds = match reach {
            // Two index ranges by kind: with `<>` all failures would be visited.
            Reach::Knowledge => "WHERE p.kind < 'failure_report' OR p.kind > 'failure_report'",
            Reach::Everything => "",
        };
        let mut statement = self.connection.prepare_cached(&format!("{PASSAGE} {kinds}"))?;
        let mut passages = statement.query_and_then([model], passage)?.collect::<Result<Vec<PassageRow>>>()?;
        // Not in SQL, which would then visit all rows in order instead of the wanted kinds.
        passages.sort_unstable_by_key(|p| p.row);
        Ok(passages)
    }

    /// Number of the newest change to a passage, its vector, or data on its memory.
    pub fn passage_change(&self) -> Result<i64> {
        let mut statement = self.connection.prepare_cached("SELECT max(version) FROM passage_changes")?;
        Ok(statement.query_row([], |r| r.get::<_, Option<i64>>(0))?.unwrap_or(0))
    }

    /// Changes after the given one, in ascending order of rows: the current passage, or `None` if it is gone or
    /// out of reach. `None` if the changes since then are no longer known.
    pub fn changed_passages(&self, after: i64, model: &str, reach: Reach) -> Result<Option<Vec<ChangedPassage>>> {
        let known = |sql: &str| self.connection.prepare_cached(sql)?.query_row([after], |r| r.get::<_, bool>(0));
        if !known("SELECT EXISTS (SELECT 1 FROM passage_changes WHERE version = ?1)")? {
            return Ok(None);
        }
        let mut statement =
            self.connection.prepare_cached("SELECT DISTINCT passage FROM passage_changes WHERE version > ?1 ORDER BY passage")?;
        let rows = statement.query_map([after], |r| r.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?;
        let mut statement = self.connection.prepare_cached(&format!("{PASSAGE} WHERE p.row = ?2"))?;
        let mut words = self.connection.prepare_cached("SELECT text, terms FROM passages WHERE row = ?1")?;
        let mut changed = Vec::with_capacity(rows.len());
        for row in rows {
            let mut now = statement.query_and_then(params![model, row], passage)?.next().transpose()?;
            if let Some(now) = &mut now {
                now.words = Some(words.query_row([row], |r| Ok([r.get(0)?, r.get(1)?]))?);
            }
            changed.push((row, now.filter(|p| reach == Reach::Everything || p.kind != MemoryKind::FailureReport)));
        }
        Ok(Some(changed))
    }

    /// Calls `tell` with the row, text and terms of every passage within reach, by row; one at a time, since together they may be large.
    pub fn passage_words(&self, reach: Reach, mut tell: impl FnMut(i64, &str, &str)) -> Result<()> {
        let kinds = if reach == Reach::Knowledge { "WHERE kind <> 'failure_report'" } else { "" };
        let mut statement = self.connection.prepare_cached(&format!("SELECT row, text, terms FROM passages {kinds} ORDER BY row"))?;
        let mut rows = statement.query([])?;
        while let Some(r) = rows.next()? {
            let text = |at| r.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
            tell(r.get(0)?, text(1)?, text(2)?);
        }
        Ok(())
    }

    /// Passages that match any of the phrases, in no order: row, and how well (−BM25: higher is better). Phrases are quoted here, so
    /// that no operator of the query language has an effect.
    pub fn search_passages(&self, index: TextIndex, reach: Reach, phrases: &[String]) -> Result<Vec<(i64, f64)>> {
        if phrases.is_empty() {
            return Ok(Vec::new());
        }
        let any = phrases.iter().map(|p| format!("\"{}\"", p.replace('"', "\"\""))).collect::<Vec<_>>().join(" OR ");
        // A part of an identifier is weaker evidence than the same word in prose.
        let (table, weights, query) = match index {
            TextIndex::Words => ("fts", ", 1.0, 0.7", any),
            TextIndex::Terms => ("fts", "", format!("terms : ({any})")),
            TextIndex::Trigrams => ("trigram", "", any),
        };
        let shelves: &[&str] = match reach {
            Reach::Knowledge => &["knowledge"],
            Reach::Everything => &["knowledge", "failures"],
        };
        let mut found = Vec::new();
        for shelf in shelves {
            let name = format!("{shelf}_{table}");
            let sql = format!("SELECT rowid, -bm25({name}{weights}) FROM {name} WHERE {name} MATCH ?1");
            let mut statement = self.connection.prepare_cached(&sql)?;
            for row in statement.query_map([&query], |r| Ok((r.get(0)?, r.get(1)?)))? {
                found.push(row?);
            }
        }
        Ok(found)
    }

    /// Passages of active and parked memories without a vector of `model`, at most `limit`, learnings first: row and text.
    pub fn passages_without_vector(&self, model: &str, limit: u32) -> Result<Vec<(i64, String)>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT p.row, p.text {WITHOUT_VECTOR} ORDER BY p.kind <> 'learning', p.kind = 'failure_report', p.row LIMIT ?2"
        ))?;
        let rows = statement.query_map(params![model, limit], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Number of passages of active and parked memories without a vector of `model`.
    pub fn vectors_missing(&self, model: &str) -> Result<u32> {
        let mut statement = self.connection.prepare_cached(&format!("SELECT count(*) {WITHOUT_VECTOR}"))?;
        Ok(statement.query_row([model], |r| r.get(0))?)
    }

    /// Number of passages of active and parked memories, and of those with a vector of `model`.
    pub fn vector_counts(&self, model: &str) -> Result<(u32, u32)> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*), count(v.passage) FROM passages p LEFT JOIN vectors v ON v.passage = p.row AND v.model = ?1
             WHERE p.state IN ('active', 'parked')",
        )?;
        Ok(statement.query_row([model], |r| Ok((r.get(0)?, r.get(1)?)))?)
    }

    /// Whether any passage has a vector of the model.
    pub fn has_vectors(&self, model: &str) -> Result<bool> {
        Ok(self.vector_dimension(model)?.is_some())
    }

    /// Dimension of the stored vectors of the model; `None` if there are none.
    pub fn vector_dimension(&self, model: &str) -> Result<Option<u32>> {
        let sql = format!("SELECT length(vector) / {} FROM vectors WHERE model = ?1 LIMIT 1", size_of::<f32>());
        Ok(self.connection.prepare_cached(&sql)?.query_row([model], |r| r.get(0)).optional()?)
    }

    /// The displayed data of passages, in ascending order of rows.
    pub fn passage_texts(&self, rows: &[i64]) -> Result<Vec<PassageText>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT p.row, p.feature_id, coalesce(f.task_id, e.task_id) AS task_id, coalesce(n.id, t.id) AS memory, p.state,
                 p.created, p.text, coalesce(d.path, t.file) AS path, coalesce(s.line, t.line_now, t.line) AS line,
                 1 + (SELECT count(*) FROM document_sections b WHERE b.document = s.document AND b.line = s.line AND b.id < s.id) AS part,
                 coalesce(s.heading, '') AS heading FROM passages p
             LEFT JOIN failure_reports f ON f.iteration_id = p.source AND p.kind = 'failure_report'
             LEFT JOIN document_sections s ON s.id = p.source AND p.kind = 'document' LEFT JOIN documents d ON d.id = s.document
             LEFT JOIN facts t ON t.row = p.source AND p.kind = 'fact'
             LEFT JOIN episodes n ON n.row = p.source AND p.kind = 'episode'
             LEFT JOIN episodes e ON e.row = n.row AND e.replica = (SELECT value FROM meta WHERE key = 'replica')
             WHERE p.row IN (SELECT value FROM json_each(?1)) ORDER BY p.row",
        )?;
        let found = statement.query_and_then([row::to_json(&rows)], |r| {
            let file: Option<String> = r.get("path")?;
            let place =
                |file| Ok::<_, DbError>(SourcePlace { file, line: r.get("line")?, part: r.get("part")?, heading: r.get("heading")? });
            Ok(PassageText {
                row: r.get("row")?,
                place: file.map(place).transpose()?,
                feature_id: r.get("feature_id")?,
                memory: r.get("memory")?,
                task: r.get("task_id")?,
                state: r.get("state")?,
                created: row::time(r, "created")?,
                text: r.get("text")?,
            })
        })?;
        found.collect()
    }

    /// Grows with every change of a passage or a vector, whoever made it.
    pub fn passages_version(&self) -> Result<i64> {
        let mut statement = self.connection.prepare_cached("SELECT version FROM changes WHERE topic = 'passages'")?;
        Ok(statement.query_row([], |r| r.get(0)).optional()?.unwrap_or(0))
    }
}

impl Tx<'_> {
    /// Stores one chunk of a document, and returns its row.
    pub fn insert_document_passage(&self, passage: &NewPassage<'_>) -> Result<i64> {
        self.connection
            .prepare_cached(
                "INSERT INTO passages (kind, source, ordinal, state, series, created, text, terms, names_a_file)
                 VALUES ('document', ?1, ?2, 'active', ?3, ?4, ?5, identifier_parts(?5), names_a_file(?5))",
            )?
            .execute(params![passage.source, passage.ordinal, passage.series, passage.created.0, passage.text])?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Stores a passage's vector, replacing another model's. A passage that is gone meanwhile is skipped.
    pub fn set_vector(&self, passage: i64, model: &str, vector: &[f32]) -> Result<()> {
        let bytes: Vec<u8> = vector.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.connection
            .prepare_cached(
                "INSERT INTO vectors (passage, model, vector) SELECT row, ?2, ?3 FROM passages WHERE row = ?1
                 ON CONFLICT (passage) DO UPDATE SET model = excluded.model, vector = excluded.vector",
            )?
            .execute(params![passage, model, bytes])?;
        Ok(())
    }
}

fn passage(r: &Row<'_>) -> Result<PassageRow> {
    Ok(PassageRow {
        row: r.get("row")?,
        kind: row::word(r, "kind")?,
        source: r.get("source")?,
        feature_id: r.get("feature_id")?,
        active: r.get("active")?,
        series: r.get("series")?,
        created: row::time(r, "created")?,
        names_a_file: r.get("names_a_file")?,
        protected: r.get("protected")?,
        vector: r.get_ref("vector")?.as_blob_or_null().unwrap_or_default().map(floats),
        feedback: feedback_of(r)?,
        words: None,
    })
}

/// Feedback; most learnings have none, and nothing is parsed for them.
fn feedback_of(r: &Row<'_>) -> Result<Option<Feedback>> {
    let is = |column, nothing: &str| Ok::<_, DbError>(r.get_ref(column)?.as_str().is_ok_and(|text| text == nothing));
    if is("learned_triggers", "[]")? && is("feedback", "{}")? { Ok(None) } else { read_feedback(r).map(Some) }
}

pub(super) fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}
