//! `memory_gate`, `memory_reconciled`, `memory_acts`, `memory_apart` and `calibrations`: quality records of learnings.

use crate::connection::{Read, Tx};
use crate::error::Result;
use crate::row;
use crate::table::Pair;
use ralph_core::LearningId;
use ralph_core::quality::{BY_WORDS, GateVerdict, PairVerdict, Reconciliation};
use ralph_core::time::Timestamp;
use rusqlite::{OptionalExtension as _, Row, params};

/// A learning with its vector, to be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct LearningVector {
    /// Which learning.
    pub id: LearningId,
    /// When it was first written.
    pub created: Timestamp,
    /// Whether it was compared by its vector already.
    pub compared: bool,
    /// Its vector of length 1.
    pub vector: Vec<f32>,
}

/// Numbers of judged and flagged candidates, and of people's decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GateCounts {
    /// Judged.
    pub judged: u32,
    /// Did not pass.
    pub flagged: u32,
    /// Flagged, but kept by a person.
    pub kept: u32,
    /// Flagged, and put away by a person.
    pub put_away: u32,
}

const GATE: &str = "SELECT memory_id, at, report, refused, kept FROM memory_gate";

pub(super) fn read_gate(r: &Row<'_>) -> Result<GateVerdict> {
    Ok(GateVerdict {
        learning: r.get("memory_id")?,
        at: row::time(r, "at")?,
        report: row::json(r, "report")?,
        refused: r.get("refused")?,
        kept: r.get("kept")?,
    })
}

impl Read<'_> {
    /// The gate's verdicts on the learnings of one feature, or on all.
    pub fn gate_verdicts(&self, feature: Option<&str>) -> Result<Vec<GateVerdict>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "{GATE} WHERE ?1 IS NULL OR memory_id IN (SELECT m.id FROM memories m JOIN features f ON f.id = m.feature_id WHERE f.name = ?1)"
        ))?;
        statement.query_and_then([feature], read_gate)?.collect()
    }

    /// Undecided warnings on agents' learnings that are active, parked or rejected, newest first.
    pub fn gate_warnings(&self, limit: u32) -> Result<Vec<GateVerdict>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "{GATE} WHERE NOT passed AND kept IS NULL AND EXISTS (SELECT 1 FROM memories m WHERE m.id = memory_id AND m.source <> 'human'
                 AND (m.state IN ('active', 'parked') OR (m.state = 'retired' AND refused))) ORDER BY memory_id DESC LIMIT ?1"
        ))?;
        statement.query_and_then([limit], read_gate)?.collect()
    }

    /// When the gate's first verdict was recorded.
    pub fn gate_since(&self) -> Result<Option<Timestamp>> {
        let mut statement = self.connection.prepare_cached("SELECT min(at) AS at FROM memory_gate")?;
        statement.query_and_then([], |r| row::time_opt(r, "at"))?.next().transpose().map(Option::flatten)
    }

    /// Counts of the gate's verdicts on agents' learnings, and of people's decisions on them.
    pub fn gate_counts(&self) -> Result<GateCounts> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*), coalesce(sum(NOT passed), 0), coalesce(sum(NOT passed AND kept = 1), 0), coalesce(sum(NOT passed AND kept = 0), 0)
             FROM memory_gate g JOIN memories m ON m.id = g.memory_id WHERE m.source <> 'human'",
        )?;
        let counts =
            statement.query_row([], |r| Ok(GateCounts { judged: r.get(0)?, flagged: r.get(1)?, kept: r.get(2)?, put_away: r.get(3)? }))?;
        Ok(counts)
    }

    /// The comparison of one learning with the known ones.
    pub fn reconciliation(&self, id: &str) -> Result<Option<Reconciliation>> {
        let mut statement = self.connection.prepare_cached("SELECT record FROM memory_reconciled WHERE memory_id = ?1")?;
        statement.query_and_then([id], |r| row::json(r, "record"))?.next().transpose()
    }

    /// The comparisons of the learnings of one feature, or of all.
    pub fn reconciliations(&self, feature: Option<&str>) -> Result<Vec<Reconciliation>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT record FROM memory_reconciled WHERE ?1 IS NULL
             OR memory_id IN (SELECT m.id FROM memories m JOIN features f ON f.id = m.feature_id WHERE f.name = ?1) ORDER BY memory_id",
        )?;
        statement.query_and_then([feature], |r| row::json(r, "record"))?.collect()
    }

    /// What followed from comparisons and still holds, newest first.
    pub fn automatic_acts(&self, limit: u32) -> Result<Vec<Reconciliation>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT a.record FROM memory_acts a JOIN memories one ON one.id = a.memory_id JOIN memories other ON other.id = a.other
             WHERE one.superseded_by IN (a.other, a.made) OR other.superseded_by IN (a.memory_id, a.made)
             ORDER BY a.memory_id DESC, a.other DESC LIMIT ?1",
        )?;
        statement.query_and_then([limit], |r| row::json(r, "record"))?.collect()
    }

    /// What was found about a learning and any other, whichever of the two was compared.
    pub fn acts_of(&self, id: &str) -> Result<Vec<Reconciliation>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT record FROM memory_acts WHERE memory_id = ?1 UNION ALL SELECT record FROM memory_acts WHERE other = ?1",
        )?;
        statement.query_and_then([id], |r| row::json(r, "record"))?.collect()
    }

    /// Active learnings with a vector of `model` that have not been compared by it yet, oldest first.
    pub fn learnings_to_reconcile(&self, model: &str, limit: u32) -> Result<Vec<LearningId>> {
        let mut statement = self.connection.prepare_cached(&format!("SELECT m.id {TO_RECONCILE} ORDER BY m.created, m.id LIMIT ?2"))?;
        let ids = statement.query_map(params![model, limit], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok(ids)
    }

    /// Number of learnings that [`Read::learnings_to_reconcile`] would list without a limit.
    pub fn count_to_reconcile(&self, model: &str) -> Result<u32> {
        let mut statement = self.connection.prepare_cached(&format!("SELECT count(*) {TO_RECONCILE}"))?;
        Ok(statement.query_row([model], |r| r.get(0))?)
    }

    /// Whether anything has ever been compared here by vectors.
    pub fn has_reconciled(&self) -> Result<bool> {
        Ok(self.connection.prepare_cached("SELECT 1 FROM memory_reconciled WHERE model <> ?1 LIMIT 1")?.exists([BY_WORDS])?)
    }

    /// Every active learning with the name of its feature.
    pub fn active_learnings(&self) -> Result<Vec<(LearningId, String)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT m.id, f.name FROM features f CROSS JOIN memories m ON m.feature_id = f.id
             WHERE m.kind = 'learning' AND m.state = 'active' ORDER BY f.name, m.id",
        )?;
        Ok(statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<rusqlite::Result<_>>()?)
    }

    /// Active learnings of a feature with their vectors of `model`.
    pub fn learning_vectors(&self, feature_id: u32, model: &str) -> Result<Vec<LearningVector>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT m.id, m.created, r.memory_id IS NOT NULL AS compared, v.vector
             FROM memories m CROSS JOIN passages p ON p.kind = 'learning' AND p.source = m.row
             CROSS JOIN vectors v ON v.passage = p.row AND v.model = ?2
             LEFT JOIN memory_reconciled r ON r.memory_id = m.id AND r.model = ?2
             WHERE m.feature_id = ?1 AND m.kind = 'learning' AND m.state = 'active'",
        )?;
        let rows = statement.query_and_then(params![feature_id, model], |r| {
            Ok(LearningVector {
                id: r.get("id")?,
                created: row::time(r, "created")?,
                compared: r.get("compared")?,
                vector: super::passages::floats(r.get_ref("vector")?.as_blob().unwrap_or_default()),
            })
        })?;
        rows.collect()
    }

    /// The learnings that a person keeps apart from this one.
    pub fn kept_apart_from(&self, id: &str) -> Result<Vec<LearningId>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT newer FROM memory_apart WHERE older = ?1 UNION ALL SELECT older FROM memory_apart WHERE newer = ?1")?;
        let ids = statement.query_map([id], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok(ids)
    }

    /// Slope and offset fitted for a model.
    pub fn calibration(&self, model: &str) -> Result<Option<(f64, f64)>> {
        let mut statement = self.connection.prepare_cached("SELECT slope, offset FROM calibrations WHERE model = ?1")?;
        Ok(statement.query_row([model], |r| Ok((r.get(0)?, r.get(1)?))).optional()?)
    }
}

/// Learnings still to be compared; if a newer Ralph wrote to the journal, that one compares them. CROSS JOIN fixes the reading order:
/// active ones first, which are bounded; not all vectors, most of which may belong to put-away ones.
const TO_RECONCILE: &str = "FROM features f CROSS JOIN memories m ON m.feature_id = f.id
    CROSS JOIN passages p ON p.kind = 'learning' AND p.source = m.row
    CROSS JOIN vectors v ON v.passage = p.row AND v.model = ?1 LEFT JOIN memory_reconciled r ON r.memory_id = m.id AND r.model = ?1
    WHERE m.kind = 'learning' AND m.state = 'active' AND r.memory_id IS NULL
      AND NOT EXISTS (SELECT 1 FROM journal_files j WHERE j.feature = f.name AND j.newer IS NOT NULL)";

impl Tx<'_> {
    /// Stores the gate's verdict and a person's decision.
    pub fn put_gate_verdict(&self, verdict: &GateVerdict) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO memory_gate (memory_id, at, passed, refused, report, kept) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (memory_id) DO UPDATE SET at = excluded.at, passed = excluded.passed, refused = excluded.refused,
                     report = excluded.report, kept = excluded.kept",
            )?
            .execute(params![
                verdict.learning,
                verdict.at.0,
                verdict.report.passed,
                verdict.refused,
                row::to_json(&verdict.report),
                verdict.kept
            ])?;
        Ok(())
    }

    /// Stores the comparison of a learning, replacing an earlier one.
    pub fn set_reconciliation(&self, found: &Reconciliation) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO memory_reconciled (memory_id, model, verdict, other, made, at, record) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (memory_id) DO UPDATE SET model = excluded.model, verdict = excluded.verdict, other = excluded.other,
                     made = excluded.made, at = excluded.at, record = excluded.record",
            )?
            .execute(params![
                found.learning,
                found.model,
                PairVerdict::as_str(found.judgement.verdict),
                found.other,
                found.made,
                found.at.0,
                row::to_json(found)
            ])?;
        Ok(())
    }

    /// Deletes the comparison of a learning that was moved.
    pub fn clear_reconciliation(&self, id: &str) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM memory_reconciled WHERE memory_id = ?1")?.execute([id])?;
        Ok(())
    }

    /// Stores what was found about two learnings, replacing what was found before.
    pub fn put_act(&self, found: &Reconciliation) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO memory_acts (memory_id, other, verdict, made, record) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (memory_id, other) DO UPDATE SET verdict = excluded.verdict, made = excluded.made, record = excluded.record",
            )?
            .execute(params![found.learning, found.other, found.judgement.verdict.as_str(), found.made, row::to_json(found)])?;
        Ok(())
    }

    /// Deletes what was found about two learnings.
    pub fn delete_act(&self, (learning, other): &Pair) -> Result<()> {
        self.connection.prepare_cached("DELETE FROM memory_acts WHERE memory_id = ?1 AND other = ?2")?.execute([learning, other])?;
        Ok(())
    }

    /// Stores the fitted constants of a model.
    pub fn set_calibration(&self, model: &str, slope: f64, offset: f64, at: Timestamp) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO calibrations (model, slope, offset, at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (model) DO UPDATE SET slope = excluded.slope, offset = excluded.offset, at = excluded.at",
            )?
            .execute(params![model, slope, offset, at.0])?;
        Ok(())
    }
}
