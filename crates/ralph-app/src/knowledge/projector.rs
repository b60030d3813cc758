//! The projector: performs an act on the part of knowledge that it needs, and stores the changes with their lines.
//!
//! Every ordinary act, a rebuild and another clone's lines go through here, and all of them through the single interpretation of events.

use super::rules::Rules;
use super::slice::{Needs, load};
use super::{journal, split_task};
use crate::app::App;
use crate::clock::utc_offset_minutes;
use crate::error::{AppError, Result};
use ralph_core::LearningId;
use ralph_core::feature::{ClosedTo, Feature, FeatureState};
use ralph_core::feedback::Feedback;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::noun::Noun;
use ralph_core::quality::{GateReport, GateVerdict};
use ralph_rag::act::{Candidate, Draft, JournalLine, Occasion, Refusal};
use ralph_rag::journal::{GateRecord, Knowledge};
use ralph_rag::{gate, keys};
use sqlite_db::Tx;
use sqlite_db::table::EventLine;
use std::collections::{BTreeMap, BTreeSet};

impl App {
    /// Performs one act in a separate commit.
    pub(crate) fn act<T>(&self, needs: &Needs, decide: impl FnOnce(&mut Draft<'_>) -> std::result::Result<T, Refusal>) -> Result<T> {
        let rules = self.knowledge_rules()?;
        self.write(|tx| perform(tx, rules, needs, decide))
    }
}

/// What is already known of a candidate's text before it is stored, so that neither its words nor the gate's verdict are computed twice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Newcomer<'a> {
    /// The candidate.
    pub candidate: &'a Candidate,
    /// The gate's verdict on it.
    pub report: &'a GateReport,
}

impl Newcomer<'_> {
    /// Whether a learning has the text whose words were read.
    fn reads(&self, learning: &FeatureLearning) -> bool {
        self.candidate.learning.text == learning.text
    }

    /// Whether it has all that the gate judged by.
    fn judges(&self, learning: &FeatureLearning) -> bool {
        let candidate = &self.candidate.learning;
        self.reads(learning) && candidate.reason == learning.reason && candidate.tags == learning.tags
    }
}

/// Performs an act: decides on the needed knowledge, settles the consequences, stores the changes. A refusal changes nothing.
pub(crate) fn perform<T>(
    tx: &Tx<'_>,
    rules: Rules,
    needs: &Needs,
    decide: impl FnOnce(&mut Draft<'_>) -> std::result::Result<T, Refusal>,
) -> Result<T> {
    perform_for(tx, rules, needs, None, decide)
}

/// As [`perform`]; of a newcomer the text was read already.
pub(crate) fn perform_for<T>(
    tx: &Tx<'_>,
    rules: Rules,
    needs: &Needs,
    newcomer: Option<Newcomer<'_>>,
    decide: impl FnOnce(&mut Draft<'_>) -> std::result::Result<T, Refusal>,
) -> Result<T> {
    let known = load(tx, needs, rules.default_cap)?;
    perform_on(tx, rules, (&known, known.clone()), newcomer, decide)
}

/// As [`perform`], on knowledge that may be ahead of what is `stored`: the difference is stored, too.
pub(crate) fn perform_on<T>(
    tx: &Tx<'_>,
    rules: Rules,
    (stored, known): (&Knowledge, Knowledge),
    newcomer: Option<Newcomer<'_>>,
    decide: impl FnOnce(&mut Draft<'_>) -> std::result::Result<T, Refusal>,
) -> Result<T> {
    let own = tx.own()?;
    // Another clone's clock may be ahead: new events still come after all known ones.
    let mut last = tx.last_event_id()?.max(known.last_event.clone());
    let mut next_id = || {
        let id = crate::clock::next_id(last.as_deref(), rules.now);
        last = Some(id.clone());
        id
    };
    let occasion = Occasion {
        now: rules.now,
        offset: Some(utc_offset_minutes(rules.now)),
        own: &own,
        default_cap: rules.default_cap,
        documents: &tx.lost_words()?,
        next_id: &mut next_id,
    };
    let mut draft = Draft::new(known, occasion);
    let value = decide(&mut draft).map_err(|refusal| refused(tx, refusal))?;
    let (after, told) = draft.finish();
    refuse_newer(tx, &told)?;
    store(tx, stored, &after, newcomer)?;
    for JournalLine { feature, line } in &told {
        tx.insert_event(&EventLine { id: line.id.clone(), feature: feature.clone(), line: line.to_json() })?;
    }
    if let Some(last) = after.last_event.max(last) {
        tx.set_last_event_id(&last)?;
    }
    for feature in told.iter().map(|told| &told.feature).collect::<BTreeSet<_>>() {
        split_task::maybe_create_split_task(tx, feature, rules)?;
    }
    Ok(value)
}

/// A journal with lines of a newer Ralph is not added to: their meaning is unknown here.
fn refuse_newer(tx: &Tx<'_>, told: &[JournalLine]) -> Result<()> {
    for feature in told.iter().map(|told| &told.feature).collect::<BTreeSet<_>>() {
        if let Some(fault) = tx.newer_journal(feature)? {
            return Err(AppError::NewerJournal { file: journal::file_name(feature), fault });
        }
    }
    Ok(())
}

fn refused(tx: &Tx<'_>, refusal: Refusal) -> AppError {
    match refusal {
        Refusal::NotFound { what, name } => AppError::not_found(what, name),
        Refusal::Invalid { field, fault, hint } => AppError::invalid(field, fault, hint),
        Refusal::Closed { name } => crate::rows::find_feature(tx, &name)
            .and_then(|feature| crate::rows::must_be_active(tx, &feature, ClosedTo::Learnings))
            .err()
            .unwrap_or(AppError::NotFound { what: Noun::Feature, name }),
        Refusal::Full { learning, saturation } => {
            let split_task = tx.feature(&saturation.feature).ok().flatten().and_then(|f| tx.active_split_task(f.id).ok().flatten());
            let is_parked = tx.learning(&learning).ok().flatten().is_some_and(|learning| learning.state == LearningState::Parked);
            AppError::NoRoom { learning, is_parked, saturation, split_task }
        }
    }
}

/// Stores the difference between stored and current knowledge.
fn store(tx: &Tx<'_>, stored: &Knowledge, known: &Knowledge, newcomer: Option<Newcomer<'_>>) -> Result<()> {
    store_features(tx, stored, known)?;
    store_learnings(tx, stored, known, newcomer)?;
    for pair in known.open_conflicts.difference(&stored.open_conflicts) {
        tx.insert_conflict(pair)?;
    }
    for pair in stored.open_conflicts.difference(&known.open_conflicts) {
        tx.delete_conflict(pair)?;
    }
    for pair in known.kept_apart.difference(&stored.kept_apart) {
        tx.insert_apart(pair)?;
    }
    for pair in stored.kept_apart.difference(&known.kept_apart) {
        tx.delete_apart(pair)?;
    }
    for id in known.landed.difference(&stored.landed) {
        tx.insert_landed(id)?;
    }
    for (_, episode) in changed(&stored.episodes, &known.episodes) {
        tx.put_episode(episode)?;
    }
    for (_, of) in changed(&stored.consolidations, &known.consolidations) {
        tx.put_consolidation(of)?;
    }
    for (_, fact) in changed(&stored.facts, &known.facts) {
        tx.put_fact(fact)?;
    }
    Ok(())
}

/// Stores changed learnings and what belongs to a single one.
fn store_learnings(tx: &Tx<'_>, stored: &Knowledge, known: &Knowledge, newcomer: Option<Newcomer<'_>>) -> Result<()> {
    for (id, learning) in changed(&stored.learnings, &known.learnings) {
        if tx.put_learning(learning)? {
            tx.insert_keys(id, &keys_of(learning, newcomer))?;
        }
    }
    for (id, seen) in known.observations.difference(&stored.observations) {
        tx.insert_observation(id, seen)?;
    }
    for (id, seen) in stored.observations.difference(&known.observations) {
        tx.delete_observation(id, seen)?;
    }
    for (id, gated) in changed(&stored.gates, &known.gates) {
        tx.put_gate_verdict(&verdict(known, id, gated, newcomer))?;
    }
    for (id, found) in changed(&stored.reconciled, &known.reconciled) {
        debug_assert_eq!(*id, found.learning);
        tx.set_reconciliation(found)?;
    }
    for id in gone(&stored.reconciled, &known.reconciled) {
        tx.clear_reconciliation(id)?;
    }
    for (_, found) in changed(&stored.acts, &known.acts) {
        tx.put_act(found)?;
    }
    for pair in gone(&stored.acts, &known.acts) {
        tx.delete_act(pair)?;
    }
    for id in known.brought_back.difference(&stored.brought_back) {
        tx.insert_brought_back(id)?;
    }
    for id in stored.brought_back.difference(&known.brought_back) {
        tx.delete_brought_back(id)?;
    }
    for (id, put_away) in changed(&stored.put_away, &known.put_away) {
        tx.put_put_away(id, put_away)?;
    }
    for id in gone(&stored.put_away, &known.put_away) {
        tx.delete_put_away(id)?;
    }
    for (id, feedback) in changed(&stored.feedback, &known.feedback) {
        tx.set_feedback(id, feedback)?;
    }
    for id in gone(&stored.feedback, &known.feedback) {
        tx.set_feedback(id, &Feedback::default())?;
    }
    Ok(())
}

/// Entries that are new or differ from those stored.
fn changed<'k, K: Ord, V: PartialEq>(stored: &'k BTreeMap<K, V>, known: &'k BTreeMap<K, V>) -> impl Iterator<Item = (&'k K, &'k V)> {
    known.iter().filter(|(id, value)| stored.get(*id) != Some(value))
}

/// Ids that are stored, but no longer known.
fn gone<'k, K: Ord, V>(stored: &'k BTreeMap<K, V>, known: &'k BTreeMap<K, V>) -> impl Iterator<Item = &'k K> {
    stored.keys().filter(|id| !known.contains_key(*id))
}

fn keys_of(learning: &FeatureLearning, newcomer: Option<Newcomer<'_>>) -> Vec<i64> {
    let read = newcomer.filter(|newcomer| newcomer.reads(learning)).map(|newcomer| keys::of_words(&newcomer.candidate.words));
    read.unwrap_or_else(|| keys::of(&learning.text))
}

/// Parents may come after their children by name, so links are set in a second pass.
fn store_features(tx: &Tx<'_>, stored: &Knowledge, known: &Knowledge) -> Result<()> {
    let changed: Vec<_> = changed(&stored.features, &known.features).map(|(_, feature)| feature).collect();
    for feature in &changed {
        if tx.feature(&feature.name)?.is_none() {
            let state = FeatureState::Active;
            tx.insert_feature(&Feature { parent: None, state, ..(*feature).clone() })?;
        }
    }
    for feature in changed {
        tx.write_feature(feature)?;
    }
    Ok(())
}

/// The gate's verdict as stored: its parts follow from the text; the verdict is the original one.
fn verdict(known: &Knowledge, id: &LearningId, gated: &GateRecord, newcomer: Option<Newcomer<'_>>) -> GateVerdict {
    let inspected = |l: &FeatureLearning| {
        let read = newcomer.filter(|newcomer| newcomer.judges(l)).map(|newcomer| newcomer.report.clone());
        read.unwrap_or_else(|| gate::inspect(&l.text, l.reason.as_deref(), &l.tags))
    };
    let parts = known.learnings.get(id).map(inspected);
    let parts = parts.unwrap_or_else(|| gate::inspect("", None, &[]));
    let report = GateReport { passed: gated.mark.passed, density: gated.mark.density, ..parts };
    GateVerdict { learning: id.clone(), at: gated.at, report, refused: gated.mark.refused, kept: gated.kept }
}
