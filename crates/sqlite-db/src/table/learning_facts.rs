//! Data on learnings besides their records: observations, comparisons, conflicts, pairs kept apart, who put them away or brought them back;
//! and their keys.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use ralph_core::LearningId;
use ralph_core::quality::{GateVerdict, PutAway, Reconciliation};
use ralph_core::replica::IterationRef;
use rusqlite::params;

/// Two learnings: older, newer.
pub type Pair = (LearningId, LearningId);

/// All such data on some learnings, or on all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LearningFacts {
    /// Iterations that observed them.
    pub observations: Vec<(LearningId, IterationRef)>,
    /// The gate's verdicts.
    pub gates: Vec<GateVerdict>,
    /// Their comparisons with known ones.
    pub reconciliations: Vec<Reconciliation>,
    /// What comparisons found about them and known ones.
    pub acts: Vec<Reconciliation>,
    /// Pairs that contradict each other and await a person.
    pub conflicts: Vec<Pair>,
    /// Pairs that a person keeps apart.
    pub apart: Vec<Pair>,
    /// Put-away learnings with their repetitions.
    pub put_away: Vec<(LearningId, PutAway)>,
    /// Those that a person brought back.
    pub brought_back: Vec<LearningId>,
}

/// The learnings that a query concerns: those listed in `?1`, or all. Two conditions rather than one that tests for NULL, which would read
/// every row either way.
const LISTED: &str = "memory_id IN (SELECT value FROM json_each(?1))";
const LISTED_PAIR: &str = "older IN (SELECT value FROM json_each(?1)) OR newer IN (SELECT value FROM json_each(?1))";
const ALL: &str = "?1 IS NULL";

impl Read<'_> {
    /// Data on the given learnings, or on all; on a pair if one of the two is given.
    pub fn learning_facts(&self, ids: Option<&[LearningId]>) -> Result<LearningFacts> {
        let asked = ids.map(|ids| row::to_json(&ids));
        let condition = if asked.is_some() { LISTED } else { ALL };
        let sql = format!("SELECT memory_id, replica, iteration FROM memory_observations WHERE {condition} ORDER BY 1, 2, 3");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let observations = statement.query_map([&asked], |r| {
            let replica: String = r.get(1)?;
            Ok((r.get(0)?, IterationRef { replica: Some(replica).filter(|r| !r.is_empty()), iteration: r.get(2)? }))
        })?;
        let observations = observations.collect::<rusqlite::Result<_>>()?;
        let sql = format!("SELECT memory_id, at, report, refused, kept FROM memory_gate WHERE {condition}");
        let gates = self.connection.prepare_cached(&sql)?.query_and_then([&asked], super::quality::read_gate)?.collect::<Result<_>>()?;
        let sql = format!("SELECT record FROM memory_reconciled WHERE {condition}");
        let reconciliations =
            self.connection.prepare_cached(&sql)?.query_and_then([&asked], |r| row::json(r, "record"))?.collect::<Result<_>>()?;
        let sql = format!("SELECT record FROM memory_acts WHERE {condition}");
        let acts = self.connection.prepare_cached(&sql)?.query_and_then([&asked], |r| row::json(r, "record"))?.collect::<Result<_>>()?;
        let sql = format!("SELECT memory_id FROM memory_brought_back WHERE {condition}");
        let brought_back = self.connection.prepare_cached(&sql)?.query_map([&asked], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
        let sql = format!("SELECT memory_id, record FROM memory_put_away WHERE {condition}");
        let put_away = self
            .connection
            .prepare_cached(&sql)?
            .query_and_then([&asked], |r| Ok((r.get("memory_id")?, row::json(r, "record")?)))?
            .collect::<Result<_>>()?;
        Ok(LearningFacts {
            observations,
            gates,
            reconciliations,
            acts,
            conflicts: self.pairs("memory_conflicts", &asked)?,
            apart: self.pairs("memory_apart", &asked)?,
            put_away,
            brought_back,
        })
    }

    fn pairs(&self, table: &str, asked: &Option<String>) -> Result<Vec<Pair>> {
        let condition = if asked.is_some() { LISTED_PAIR } else { ALL };
        let mut statement = self.connection.prepare_cached(&format!("SELECT older, newer FROM {table} WHERE {condition}"))?;
        Ok(statement.query_map([asked], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<rusqlite::Result<_>>()?)
    }

    /// Learnings of a feature, in any state, that have all of the keys, or at least one of them; those with the most come first.
    pub fn learnings_near(&self, feature_id: u32, keys: &[i64], all: bool, limit: u32) -> Result<Vec<LearningId>> {
        let needed = if all { keys.len() } else { 1 };
        let mut statement = self.connection.prepare_cached(
            "SELECT m.id FROM (SELECT memory, count(*) AS shared FROM memory_keys
                 WHERE feature_id = ?1 AND key IN (SELECT value FROM json_each(?2))
                 GROUP BY memory HAVING shared >= ?3 ORDER BY shared DESC, memory DESC LIMIT ?4) k
             CROSS JOIN memories m ON m.row = k.memory ORDER BY k.shared DESC, k.memory DESC",
        )?;
        let rows = statement.query_map(params![feature_id, row::to_json(&keys), needed as i64, limit], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The same of several features: at most `limit` of each.
    pub fn learnings_near_in(&self, features: &[u32], keys: &[i64], all: bool, limit: u32) -> Result<Vec<LearningId>> {
        let needed = if all { keys.len() } else { 1 };
        let mut statement = self.connection.prepare_cached(
            "SELECT m.id FROM (SELECT memory, row_number() OVER (PARTITION BY feature_id ORDER BY shared DESC, memory DESC) AS place FROM
                 (SELECT feature_id, memory, count(*) AS shared FROM memory_keys
                  WHERE feature_id IN (SELECT value FROM json_each(?1)) AND key IN (SELECT value FROM json_each(?2))
                  GROUP BY feature_id, memory HAVING shared >= ?3)) k
             CROSS JOIN memories m ON m.row = k.memory WHERE k.place <= ?4",
        )?;
        let rows = statement.query_map(params![row::to_json(&features), row::to_json(&keys), needed as i64, limit], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Put-away learnings that a person is asked about again, newest first.
    pub fn said_again(&self, limit: u32) -> Result<Vec<(LearningId, PutAway)>> {
        let mut statement =
            self.connection.prepare_cached("SELECT memory_id, record FROM memory_put_away WHERE asks ORDER BY memory_id DESC LIMIT ?1")?;
        statement.query_and_then([limit], |r| Ok((r.get("memory_id")?, row::json(r, "record")?)))?.collect()
    }

    /// Number of learnings that [`Read::said_again`] would list without a limit.
    pub fn count_said_again(&self) -> Result<u32> {
        let mut statement = self.connection.prepare_cached("SELECT count(*) FROM memory_put_away WHERE asks")?;
        Ok(statement.query_row([], |r| r.get(0))?)
    }
}

impl Tx<'_> {
    /// Stores the keys of a learning.
    pub fn insert_keys(&self, id: &str, keys: &[i64]) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT OR IGNORE INTO memory_keys (feature_id, key, memory)
                 SELECT m.feature_id, k.value, m.row FROM memories m, json_each(?2) k WHERE m.id = ?1",
            )?
            .execute(params![id, row::to_json(&keys)])?;
        Ok(())
    }

    /// Replaces the keys of all learnings, and stores the version of the rules that they come from.
    pub fn renew_keys(&self, version: u32, keys: &[(LearningId, Vec<i64>)]) -> Result<()> {
        self.connection.execute("DELETE FROM memory_keys", [])?;
        keys.iter().try_for_each(|(id, keys)| self.insert_keys(id, keys))?;
        self.connection
            .prepare_cached("INSERT INTO meta (key, value) VALUES ('keys', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1")?
            .execute([version.to_string()])?;
        Ok(())
    }

    /// Stores that an iteration observed a learning.
    pub fn insert_observation(&self, id: &str, seen: &IterationRef) -> Result<()> {
        self.connection
            .prepare_cached("INSERT OR IGNORE INTO memory_observations (memory_id, replica, iteration) VALUES (?1, ?2, ?3)")?
            .execute(params![id, seen.replica.as_deref().unwrap_or_default(), seen.iteration])?;
        Ok(())
    }

    /// Deletes an observation.
    pub fn delete_observation(&self, id: &str, seen: &IterationRef) -> Result<()> {
        self.connection
            .prepare_cached("DELETE FROM memory_observations WHERE memory_id = ?1 AND replica = ?2 AND iteration = ?3")?
            .execute(params![id, seen.replica.as_deref().unwrap_or_default(), seen.iteration])?;
        Ok(())
    }

    /// Opens a conflict for a person to decide.
    pub fn insert_conflict(&self, (older, newer): &Pair) -> Result<()> {
        self.connection.prepare_cached("INSERT OR IGNORE INTO memory_conflicts (older, newer) VALUES (?1, ?2)")?.execute([older, newer])?;
        Ok(())
    }

    /// Closes a conflict.
    pub fn delete_conflict(&self, (older, newer): &Pair) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM memory_conflicts WHERE older = ?1 AND newer = ?2")?.execute([older, newer])?;
        Ok(())
    }

    /// Marks two learnings as kept apart.
    pub fn insert_apart(&self, (older, newer): &Pair) -> Result<()> {
        self.connection.prepare_cached("INSERT OR IGNORE INTO memory_apart (older, newer) VALUES (?1, ?2)")?.execute([older, newer])?;
        Ok(())
    }

    /// Removes that mark.
    pub fn delete_apart(&self, (older, newer): &Pair) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM memory_apart WHERE older = ?1 AND newer = ?2")?.execute([older, newer])?;
        Ok(())
    }

    /// Marks a learning as brought back by a person.
    pub fn insert_brought_back(&self, id: &str) -> Result<()> {
        self.connection.prepare_cached("INSERT OR IGNORE INTO memory_brought_back (memory_id) VALUES (?1)")?.execute([id])?;
        Ok(())
    }

    /// Removes that mark.
    pub fn delete_brought_back(&self, id: &str) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM memory_brought_back WHERE memory_id = ?1")?.execute([id])?;
        Ok(())
    }

    /// Stores the data on a put-away learning.
    pub fn put_put_away(&self, id: &str, put_away: &PutAway) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO memory_put_away (memory_id, asks, record) VALUES (?1, ?2, ?3)
                 ON CONFLICT (memory_id) DO UPDATE SET asks = excluded.asks, record = excluded.record",
            )?
            .execute(params![id, put_away.asks_again(), row::to_json(put_away)])?;
        Ok(())
    }

    /// Deletes the data on a put-away learning that is back.
    pub fn delete_put_away(&self, id: &str) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM memory_put_away WHERE memory_id = ?1")?.execute([id])?;
        Ok(())
    }
}
