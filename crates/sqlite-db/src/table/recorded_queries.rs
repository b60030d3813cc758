//! `queries`, `results`, `configurations` and `counts` of `eval.db`: questions and their results.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::IterationId;
use ralph_core::evaluation::{QueryRecord, RecordedCounts, ResultRecord};
use ralph_core::time::Timestamp;
use rusqlite::{OptionalExtension as _, Row, params};
use std::collections::BTreeMap;

/// Name of the counter of dropped records.
const DROPPED: &str = "dropped";

fn read_query(r: &Row<'_>) -> Result<(i64, QueryRecord)> {
    let record = QueryRecord {
        id: r.get("id")?,
        at: row::time(r, "at")?,
        origin: row::word(r, "origin")?,
        text: r.get("text")?,
        feature: r.get("feature")?,
        iteration: r.get("iteration")?,
        configuration: r.get("configuration")?,
        arm: row::word(r, "arm")?,
        drawn: r.get("drawn")?,
        micros: r.get("micros")?,
        results: Vec::new(),
    };
    Ok((r.get("row")?, record))
}

fn read_result(r: &Row<'_>) -> Result<(i64, ResultRecord)> {
    let record = ResultRecord {
        kind: row::word(r, "kind")?,
        memory: r.get("memory")?,
        rank: r.get("rank")?,
        other_rank: r.get("other_rank")?,
        score: r.get("score")?,
        channels: row::json(r, "channels")?,
        terms: row::json(r, "terms")?,
        shown: r.get("shown")?,
    };
    Ok((r.get("query")?, record))
}

impl Read<'_> {
    /// The newest questions with their results, in the order they were recorded.
    pub fn recorded_queries(&self, limit: u32) -> Result<Vec<QueryRecord>> {
        self.queries_where("row > (SELECT coalesce(max(row), 0) FROM queries) - ?1", &limit)
    }

    /// One question with its results.
    pub fn recorded_query(&self, id: &str) -> Result<Option<QueryRecord>> {
        Ok(self.queries_where("id = ?1", &id)?.pop())
    }

    /// The newest question in these words, as they are stored.
    pub fn query_in_words(&self, words: &str) -> Result<Option<QueryRecord>> {
        Ok(self.queries_where("row = (SELECT max(row) FROM queries q WHERE q.text = ?1)", &words)?.pop())
    }

    /// Ids of the questions in these words, as they are stored, within this many milliseconds before or after a time.
    pub fn queries_in_words(&self, words: &str, now: Timestamp, millis: u64) -> Result<Vec<String>> {
        let millis = i64::try_from(millis).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached("SELECT id FROM queries WHERE text = ?1 AND at BETWEEN ?2 AND ?3")?;
        let rows = statement.query_map(params![words, now.0.saturating_sub(millis), now.0.saturating_add(millis)], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The question that the prompt of an iteration was made for, and those that its agent asked, in that order.
    pub fn queries_of_iteration(&self, iteration: IterationId) -> Result<Vec<QueryRecord>> {
        self.queries_where("iteration = ?1", &iteration)
    }

    fn queries_where(&self, condition: &str, value: &dyn rusqlite::ToSql) -> Result<Vec<QueryRecord>> {
        let sql = format!("SELECT * FROM queries WHERE {condition} ORDER BY row");
        let mut found: BTreeMap<i64, QueryRecord> =
            self.connection.prepare_cached(&sql)?.query_and_then([value], read_query)?.collect::<Result<_>>()?;
        let sql =
            format!("SELECT * FROM results WHERE query IN (SELECT row FROM queries WHERE {condition}) ORDER BY coalesce(rank, 1000000)");
        let mut statement = self.connection.prepare_cached(&sql)?;
        for result in statement.query_and_then([value], read_result)? {
            let (query, result) = result?;
            if let Some(query) = found.get_mut(&query) {
                query.results.push(result);
            }
        }
        Ok(found.into_values().collect())
    }

    /// The newest `limit` questions by their ids, newest first, that lack a comparison of one of these alternatives with the ranking
    /// `live`.
    pub fn queries_to_compare(&self, live: &str, others: &[&str], limit: u32) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id FROM (SELECT row, id FROM queries ORDER BY row DESC LIMIT ?3) q
             WHERE (SELECT count(*) FROM comparisons c WHERE c.query = q.id AND c.live = ?1
                 AND c.other IN (SELECT value FROM json_each(?2))) < json_array_length(?2) ORDER BY row DESC",
        )?;
        let ids = statement.query_map(params![live, row::to_json(&others), limit], |r| r.get(0))?;
        Ok(ids.collect::<rusqlite::Result<_>>()?)
    }

    /// The earliest time among this many of the newest questions; `None` while fewer are recorded.
    pub fn earliest_of_newest_queries(&self, count: u32) -> Result<Option<Timestamp>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT min(at) FROM (SELECT at FROM queries ORDER BY row DESC LIMIT ?1) HAVING count(*) = ?1")?;
        Ok(statement.query_row([count], |r| Ok(Timestamp(r.get(0)?))).optional()?)
    }

    /// How much is recorded, and how much was dropped.
    pub fn recorded_counts(&self) -> Result<RecordedCounts> {
        let mut statement = self.connection.prepare_cached(
            "SELECT (SELECT count(*) FROM queries), (SELECT count(*) FROM results), (SELECT count(*) FROM selections),
                 (SELECT count(*) FROM labels), (SELECT count(*) FROM comparisons),
                 coalesce((SELECT value FROM counts WHERE name = ?1), 0)",
        )?;
        Ok(statement.query_row([DROPPED], |r| {
            Ok(RecordedCounts {
                queries: r.get(0)?,
                results: r.get(1)?,
                selections: r.get(2)?,
                labels: r.get(3)?,
                comparisons: r.get(4)?,
                dropped: r.get(5)?,
            })
        })?)
    }

    /// Every configuration used: name, since when, and its content as JSON.
    pub fn configurations(&self) -> Result<Vec<(String, Timestamp, String)>> {
        let mut statement = self.connection.prepare_cached("SELECT name, at, content FROM configurations ORDER BY at, name")?;
        let found = statement.query_map([], |r| Ok((r.get(0)?, Timestamp(r.get(1)?), r.get(2)?)))?;
        Ok(found.collect::<rusqlite::Result<_>>()?)
    }

    /// The last check of the gates: when, required trial days, and whether all were open.
    pub fn last_look(&self) -> Result<Option<(Timestamp, u32, bool)>> {
        let mut statement = self.connection.prepare_cached("SELECT at, days, open FROM looks WHERE row = 1")?;
        Ok(statement.query_row([], |r| Ok((Timestamp(r.get(0)?), r.get(1)?, r.get(2)?))).optional()?)
    }

    /// Bytes used by rows, without free pages.
    pub fn bytes_used(&self) -> Result<u64> {
        let number = |name: &str| self.connection.pragma_query_value(None, name, |r| r.get::<_, i64>(0));
        let used = (number("page_count")? - number("freelist_count")?) * number("page_size")?;
        Ok(u64::try_from(used).unwrap_or(0))
    }
}

impl Tx<'_> {
    /// Stores a question with its results; an existing one stays.
    pub fn insert_query(&self, query: &QueryRecord) -> Result<()> {
        let changed = self
            .connection
            .prepare_cached(
                "INSERT OR IGNORE INTO queries (id, at, origin, text, feature, iteration, configuration, arm, micros, drawn)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                query.id,
                query.at.0,
                query.origin.as_str(),
                query.text,
                query.feature,
                query.iteration,
                query.configuration,
                query.arm.as_str(),
                query.micros,
                query.drawn
            ])?;
        if changed == 0 {
            return Ok(());
        }
        let row = self.connection.last_insert_rowid();
        let mut statement = self.connection.prepare_cached(
            "INSERT OR IGNORE INTO results (query, kind, memory, rank, other_rank, score, channels, terms, shown)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?;
        for result in &query.results {
            statement.execute(params![
                row,
                result.kind.as_str(),
                result.memory,
                result.rank,
                result.other_rank,
                result.score,
                row::to_json(&result.channels),
                row::to_json(&result.terms),
                result.shown
            ])?;
        }
        Ok(())
    }

    /// Stores a configuration by its name, once.
    pub fn insert_configuration(&self, name: &str, at: Timestamp, content: &str) -> Result<()> {
        self.connection
            .prepare_cached("INSERT OR IGNORE INTO configurations (name, at, content) VALUES (?1, ?2, ?3)")?
            .execute(params![name, at.0, content])?;
        Ok(())
    }

    /// Stores the last check of the gates.
    pub fn set_last_look(&self, at: Timestamp, days: u32, open: bool) -> Result<()> {
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO looks (row, at, days, open) VALUES (1, ?1, ?2, ?3)")?
            .execute(params![at.0, days, open])?;
        Ok(())
    }

    /// Counts dropped records.
    pub fn count_dropped(&self, more: u32) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO counts (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            )?
            .execute(params![DROPPED, more])?;
        Ok(())
    }

    /// Deletes a question for which nothing was chosen or labeled, with its comparisons; any other stays.
    pub fn forget_unchosen_query(&self, id: &str) -> Result<()> {
        let unchosen = "SELECT id FROM queries WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM selections s WHERE s.query = queries.id)
             AND NOT EXISTS (SELECT 1 FROM labels l WHERE l.query = queries.id)";
        self.connection.execute(&format!("DELETE FROM comparisons WHERE query IN ({unchosen})"), [id])?;
        self.connection.execute(&format!("DELETE FROM queries WHERE id IN ({unchosen})"), [id])?;
        Ok(())
    }

    /// Deletes questions before a time, with their selections and labels, and the selections that belong to no question.
    pub fn forget_queries_before(&self, before: Timestamp) -> Result<usize> {
        self.connection.execute(
            "DELETE FROM selections WHERE at < ?1 AND NOT EXISTS (SELECT 1 FROM queries q WHERE q.id = selections.query)",
            [before.0],
        )?;
        self.forget("at < ?1", before.0)
    }

    /// Deletes the oldest tenth of the questions.
    pub fn forget_oldest_queries(&self) -> Result<usize> {
        let tenth: i64 = self.connection.query_row("SELECT max(count(*) / 10, 1) FROM queries", [], |r| r.get(0))?;
        self.forget("row IN (SELECT row FROM queries ORDER BY row LIMIT ?1)", tenth)
    }

    fn forget(&self, condition: &str, value: i64) -> Result<usize> {
        let of = format!("query IN (SELECT id FROM queries WHERE {condition})");
        for table in ["selections", "labels", "comparisons"] {
            self.connection.execute(&format!("DELETE FROM {table} WHERE {of}"), [value])?;
        }
        Ok(self.connection.execute(&format!("DELETE FROM queries WHERE {condition}"), [value])?)
    }
}
