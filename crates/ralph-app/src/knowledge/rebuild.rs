//! Knowledge restored from the journals, also in a fresh clone.

use crate::App;
use crate::error::{AppError, Result};
use ralph_core::authority::Act;
use ralph_core::feature::Feature;
use ralph_core::quality::{GateReport, GateVerdict};
use ralph_core::time::Timestamp;
use ralph_rag::gate;
use ralph_rag::journal::{GateMark, Knowledge, SkippedLine, replay};
use serde::Serialize;
use sqlite_db::{BackupReason, Tx};
use std::collections::BTreeMap;

/// What a rebuild did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rebuilt {
    /// Features in the journals.
    pub features: u32,
    /// Learnings in the journals, in all states.
    pub learnings: u32,
    /// Lines that could not be read; each was left where it is.
    pub skipped: Vec<SkippedLine>,
    /// Learnings that name a feature of which no journal tells; a feature with just its name was made for them.
    pub nameless_features: Vec<String>,
}

impl App {
    /// Replaces the knowledge in the database by what the journals tell, in one commit, after a copy. Tasks and runs stay.
    pub fn rebuild(&self) -> Result<Rebuilt> {
        self.allowed(&Act::Rebuild)?;
        let now = self.clock.now();
        let default_cap = self.settings()?.max_learnings;
        let mut writer = self.db.writer()?;
        // Lines that a killed process left in the outbox belong to the journals.
        self.flush_journal(&mut writer)?;
        writer.backup(&self.paths.db, BackupReason::Rebuild)?;
        let (lines, skipped) = self.read_journals()?;
        let knowledge = replay(lines);
        let nameless = writer.transaction::<_, AppError>(|tx| {
            let nameless = write_features(tx, &knowledge, now)?;
            write_learnings(tx, &knowledge)?;
            if let Some(last) = &knowledge.last_event
                && tx.last_event_id()?.is_none_or(|known| known < *last)
            {
                tx.set_last_event_id(last)?;
            }
            for feature in tx.features()? {
                crate::knowledge::split::maybe_create_split_task(tx, &feature, default_cap, now)?;
            }
            Ok(nameless)
        })?;
        Ok(Rebuilt {
            features: count(knowledge.features.len()),
            learnings: count(knowledge.learnings.len()),
            skipped,
            nameless_features: nameless,
        })
    }

    /// The knowledge in the database, in the form of a replay, so that both can be compared.
    pub(crate) fn knowledge(&self) -> Result<Knowledge> {
        self.db.read(|r| {
            let mut features: BTreeMap<String, Feature> = BTreeMap::new();
            for feature in r.features()? {
                features.insert(feature.name.clone(), Feature { id: 0, ..feature });
            }
            let mut learnings = BTreeMap::new();
            for mut learning in r.learnings(None, &[])? {
                learning.conflicts_with.clear();
                learnings.insert(learning.id.clone(), learning);
            }
            let open_conflicts = r.conflicts()?.into_iter().map(|c| (c.older.id, c.newer.id)).collect();
            let observations = r.observations()?.into_iter().collect();
            let gates = r.gate_verdicts(None)?.into_iter().map(|v| {
                let mark = GateMark { passed: v.report.passed, density: v.report.density, refused: v.refused };
                (v.learning, (v.at, mark, v.kept))
            });
            Ok(Knowledge {
                features,
                learnings,
                observations,
                open_conflicts,
                gates: gates.collect(),
                reconciled: r.reconciliations(None)?.into_iter().map(|found| (found.learning.clone(), found)).collect(),
                kept_apart: r.kept_apart()?.into_iter().collect(),
                last_event: None,
            })
        })
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Parents may come after their children by name, so links are set in a second pass.
fn write_features(tx: &Tx<'_>, knowledge: &Knowledge, now: Timestamp) -> Result<Vec<String>> {
    let mut nameless = Vec::new();
    for feature in knowledge.features.values() {
        if tx.feature(&feature.name)?.is_none() {
            tx.insert_feature(&Feature { parent: None, ..feature.clone() })?;
        }
    }
    for learning in knowledge.learnings.values() {
        if tx.feature(&learning.feature)?.is_none() {
            tx.insert_feature(&Feature::new(&learning.feature, now))?;
            nameless.push(learning.feature.clone());
        }
    }
    for feature in knowledge.features.values() {
        tx.update_feature(feature)?;
    }
    Ok(nameless)
}

fn write_learnings(tx: &Tx<'_>, knowledge: &Knowledge) -> Result<()> {
    tx.clear_learnings()?;
    let ids: BTreeMap<String, u32> = tx.features()?.into_iter().map(|f| (f.name.to_ascii_lowercase(), f.id)).collect();
    for learning in knowledge.learnings.values() {
        let id = ids.get(&learning.feature.to_ascii_lowercase()).ok_or_else(|| AppError::not_found("feature", &learning.feature))?;
        tx.insert_learning(learning, *id)?;
    }
    for (id, iteration) in &knowledge.observations {
        if knowledge.learnings.contains_key(id) {
            tx.insert_observation(id, *iteration)?;
        }
    }
    let known = |older: &String, newer: &String| knowledge.learnings.contains_key(older) && knowledge.learnings.contains_key(newer);
    for (older, newer) in knowledge.open_conflicts.iter().filter(|(older, newer)| known(older, newer)) {
        tx.insert_conflict(older, newer)?;
    }
    for (older, newer) in knowledge.kept_apart.iter().filter(|(older, newer)| known(older, newer)) {
        tx.insert_apart(older, newer)?;
    }
    for found in knowledge.reconciled.values().filter(|found| knowledge.learnings.contains_key(&found.learning)) {
        tx.set_reconciliation(found)?;
    }
    for (id, (at, mark, kept)) in &knowledge.gates {
        let Some(learning) = knowledge.learnings.get(id) else { continue };
        // The parts follow from the text; what was said then counts.
        let parts = gate::judge(&learning.text, learning.reason.as_deref(), &learning.tags);
        let report = GateReport { passed: mark.passed, density: mark.density, ..parts };
        tx.insert_gate_verdict(&GateVerdict { learning: id.clone(), at: *at, report, refused: mark.refused, kept: *kept })?;
    }
    Ok(())
}
