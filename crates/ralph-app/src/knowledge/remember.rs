//! The one door in: `append_feature_learning`, and what else changes knowledge.
//!
//! clean → gate → admit by words (rules of `ralph-rag`) → one commit: row, journal outbox, saturation, split task. The comparison by
//! vectors follows in a commit of its own ([`crate::knowledge::reconcile`]).

use crate::App;
use crate::error::{AppError, Result};
use crate::features::{find, must_be_active};
use crate::knowledge::journal::{next_id, record};
use ralph_core::feature::{Feature, FeatureState};
use ralph_core::learning::{FeatureLearning, LearningSource, LearningState, NewLearning, Remembered, Verdict};
use ralph_core::quality::{GateMode, GateReport, GateVerdict};
use ralph_core::time::Timestamp;
use ralph_core::{LearningId, TaskId, limits};
use ralph_rag::admit::{self, Admission};
use ralph_rag::clean::clean;
use ralph_rag::gate;
use ralph_rag::journal::{Event, GateMark};
use sqlite_db::Tx;

/// Category of a learning that names none.
const DEFAULT_CATEGORY: &str = "general";

/// What the door did. Parking is committed too, although the caller is told an error.
pub(crate) enum Admitted {
    /// It is known or stored as active.
    Stored(Remembered),
    /// It waits for room.
    Parked(AppError),
}

impl App {
    /// The one door for a learning. An answer with a verdict is true when it is given; without room the error
    /// `knowledge_full` names the parked learning.
    pub fn append_feature_learning(&self, new: &NewLearning) -> Result<Remembered> {
        let now = self.clock.now();
        let settings = self.settings()?;
        match self.write(|tx| remember(tx, new, settings.max_learnings, settings.gate, now))? {
            Admitted::Stored(remembered) => Ok(remembered),
            Admitted::Parked(error) => Err(error),
        }
    }

    /// Learnings of one feature or of all, in the given states (all when empty), oldest first.
    pub fn learnings(&self, feature: Option<&str>, states: &[LearningState]) -> Result<Vec<FeatureLearning>> {
        self.db.read(|r| {
            let name = feature.map(|name| find(r, name).map(|f| f.name)).transpose()?;
            Ok(r.learnings(name.as_deref(), states)?)
        })
    }

    /// One learning.
    pub fn learning(&self, id: &str) -> Result<FeatureLearning> {
        self.db.read(|r| r.learning(id)?.ok_or_else(|| AppError::not_found("learning", id)))
    }
}

/// The door itself, inside a write.
pub(crate) fn remember(tx: &Tx<'_>, new: &NewLearning, default_cap: u32, mode: GateMode, now: Timestamp) -> Result<Admitted> {
    let feature = find(tx, &new.feature)?;
    must_be_active(tx, &feature, "learnings")?;
    let (learning, redacted) = candidate(tx, new, &feature, now)?;
    let known = tx.known_learnings(feature.id)?;
    let cap = feature.max_learnings.unwrap_or(default_cap);
    let report = gate::judge(&learning.text, learning.reason.as_deref(), &learning.tags);
    // A person's own word is never refused.
    let refused = !report.passed && learning.source != LearningSource::Human && enforces(tx, mode, now)?;
    let gated = Some(Gated { report: &report, refused });
    let (verdict, id, pruned, conflicts_with) = match admit::admit(&learning.text, learning.source, &known, cap) {
        Admission::Observe { id, endorse } => {
            observe(tx, &feature, &id, learning.iteration, endorse, now)?;
            (Verdict::Observed, id, Vec::new(), Vec::new())
        }
        Admission::Admit { .. } | Admission::Park { .. } if refused => {
            let refused = FeatureLearning { state: LearningState::Retired, ..learning };
            store(tx, &feature, &refused, gated, &[], now)?;
            (Verdict::Refused, refused.id, Vec::new(), Vec::new())
        }
        Admission::Admit { prune, conflicts } => {
            store(tx, &feature, &learning, gated, &conflicts, now)?;
            for pruned in &prune {
                tx.set_learning_state(pruned, LearningState::Pruned, None)?;
                record(tx, &feature.name, Event::Pruned { learning: pruned.clone(), for_learning: learning.id.clone() }, now)?;
            }
            let verdict = if conflicts.is_empty() { Verdict::Added } else { Verdict::Conflict };
            (verdict, learning.id, prune, conflicts)
        }
        Admission::Park { conflicts } => {
            let parked = FeatureLearning { state: LearningState::Parked, ..learning };
            store(tx, &feature, &parked, gated, &conflicts, now)?;
            let split_task = crate::knowledge::split::maybe_create_split_task(tx, &feature, default_cap, now)?;
            let saturation = tx.saturation_of(&feature, default_cap)?;
            return Ok(Admitted::Parked(AppError::KnowledgeFull { parked: parked.id, saturation, split_task }));
        }
    };
    let split_task = crate::knowledge::split::maybe_create_split_task(tx, &feature, default_cap, now)?;
    let saturation = tx.saturation_of(&feature, default_cap)?;
    let reconcile_pending = matches!(verdict, Verdict::Added | Verdict::Conflict);
    Ok(Admitted::Stored(Remembered {
        verdict,
        id,
        pruned,
        conflicts_with,
        redacted,
        saturation,
        split_task,
        gate: report,
        reconcile_pending,
    }))
}

/// What the gate said of a candidate.
#[derive(Clone, Copy)]
pub(crate) struct Gated<'a> {
    report: &'a GateReport,
    refused: bool,
}

/// Whether the gate refuses now: it is asked to, and two weeks of verdicts are recorded.
fn enforces(tx: &Tx<'_>, mode: GateMode, now: Timestamp) -> Result<bool> {
    Ok(mode == GateMode::Enforce && tx.gate_since()?.is_some_and(|since| now.millis_since(since) >= limits::GATE_WARN_MILLIS))
}

/// Cleans what was given. Returns the record to store and the number of secrets taken out.
fn candidate(tx: &Tx<'_>, new: &NewLearning, feature: &Feature, now: Timestamp) -> Result<(FeatureLearning, u32)> {
    let text = clean(&new.text, limits::LEARNING_TEXT_CHARS);
    if text.text.trim().is_empty() {
        return Err(AppError::invalid("text", "is empty", "say what was learnt in one to three sentences"));
    }
    let reason = new.reason.as_deref().map(|r| clean(r, limits::LEARNING_REASON_CHARS)).filter(|r| !r.text.is_empty());
    let category = clean(new.category.as_deref().unwrap_or(DEFAULT_CATEGORY).trim(), limits::TAG_CHARS).text;
    let mut tags: Vec<String> = new.tags.iter().map(|t| clean(t.trim(), limits::TAG_CHARS).text).filter(|t| !t.is_empty()).collect();
    tags.dedup();
    tags.truncate(limits::LEARNING_TAGS);
    let redacted = text.redactions.len() + reason.as_ref().map_or(0, |r| r.redactions.len());
    let learning = FeatureLearning {
        id: next_id(tx, now)?,
        feature: feature.name.clone(),
        text: text.text,
        reason: reason.map(|r| r.text),
        category: if category.is_empty() { DEFAULT_CATEGORY.to_owned() } else { category },
        tags,
        source: new.source,
        task_id: new.task_id,
        iteration: new.iteration,
        created: now,
        last_used: None,
        hit_count: 1,
        reviewed_by: None,
        review_count: 0,
        state: LearningState::Active,
        superseded_by: None,
        conflicts_with: Vec::new(),
    };
    Ok((learning, u32::try_from(redacted).unwrap_or(u32::MAX)))
}

/// Stores a new record with its first observation, the gate's verdict and its conflicts.
pub(crate) fn store(
    tx: &Tx<'_>,
    feature: &Feature,
    learning: &FeatureLearning,
    gated: Option<Gated<'_>>,
    conflicts: &[LearningId],
    now: Timestamp,
) -> Result<()> {
    tx.insert_learning(learning, feature.id)?;
    if let Some(iteration) = learning.iteration {
        tx.insert_observation(&learning.id, iteration)?;
    }
    let gate = gated.map(|g| GateMark { passed: g.report.passed, density: g.report.density, refused: g.refused });
    if let Some(Gated { report, refused }) = gated {
        tx.insert_gate_verdict(&GateVerdict { learning: learning.id.clone(), at: now, report: report.clone(), refused, kept: None })?;
    }
    record(tx, &feature.name, Event::Learned { learning: Box::new(learning.clone()), gate }, now)?;
    for older in conflicts {
        tx.insert_conflict(older, &learning.id)?;
        record(tx, &feature.name, Event::Conflict { older: older.clone(), newer: learning.id.clone() }, now)?;
    }
    Ok(())
}

/// Counts an observation when it comes from an iteration that has not been counted yet.
fn observe(tx: &Tx<'_>, feature: &Feature, id: &str, iteration: Option<u32>, endorse: bool, now: Timestamp) -> Result<()> {
    let counted = match iteration {
        Some(iteration) if !tx.has_observed(id, iteration)? => {
            tx.insert_observation(id, iteration)?;
            tx.count_hit(id)?;
            true
        }
        _ => false,
    };
    record(tx, &feature.name, Event::Observed { learning: id.to_owned(), iteration, counted }, now)?;
    if endorse {
        tx.set_reviewed(id, LearningSource::Human.as_str())?;
        record(tx, &feature.name, Event::Reviewed { learning: id.to_owned(), by: LearningSource::Human.as_str().to_owned() }, now)?;
    }
    Ok(())
}

/// Lets parked learnings return where there is room. Called after everything that makes room.
pub(crate) fn fill_room(tx: &Tx<'_>, feature: &Feature, default_cap: u32, now: Timestamp) -> Result<Vec<LearningId>> {
    if feature.state != FeatureState::Active {
        return Ok(Vec::new());
    }
    let known = tx.known_learnings(feature.id)?;
    let returning = admit::select_for_unparking(&known, feature.max_learnings.unwrap_or(default_cap));
    for id in &returning {
        tx.set_learning_state(id, LearningState::Active, None)?;
        record(tx, &feature.name, Event::Restored { learning: id.clone() }, now)?;
    }
    Ok(returning)
}

/// Moves a task's learnings with it. What finds no room in the target waits there as parked; what left makes room here.
pub(crate) fn move_learnings(tx: &Tx<'_>, task: TaskId, from: &Feature, to: &Feature, default_cap: u32, now: Timestamp) -> Result<()> {
    let mut moving = tx.learnings_of_task(task, from.id)?;
    // Protected ones take the room first.
    moving.sort_by(|a, b| (a.is_auto_prunable(), &a.id).cmp(&(b.is_auto_prunable(), &b.id)));
    let mut room = to.max_learnings.unwrap_or(default_cap).saturating_sub(tx.saturation_of(to, default_cap)?.learnings_count);
    for learning in moving {
        let state = if room > 0 { LearningState::Active } else { LearningState::Parked };
        room = room.saturating_sub(1);
        tx.move_learning(&learning.id, to.id, state)?;
        tx.clear_reconciliation(&learning.id)?;
        record(tx, &from.name, Event::MovedOut { learning: learning.id.clone(), to: to.name.clone() }, now)?;
        let arrived = FeatureLearning { feature: to.name.clone(), state, conflicts_with: Vec::new(), ..learning };
        record(tx, &to.name, Event::MovedIn { learning: Box::new(arrived), from: from.name.clone() }, now)?;
    }
    fill_room(tx, from, default_cap, now)?;
    crate::knowledge::split::maybe_create_split_task(tx, to, default_cap, now)?;
    Ok(())
}
