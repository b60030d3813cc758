//! What clones learnt at once: each compared its own before it knew of the other's. Once their journals are merged, pairs of learnings from
//! different databases are judged like any others. Only what follows is journaled, so a clone that finds nothing writes nothing.

use super::{Comparison, count};
use crate::app::App;
use crate::error::Result;
use crate::knowledge::projector::perform;
use crate::knowledge::slice::Needs;
use crate::rows::find_feature;
use ralph_core::LearningId;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::quality::{PairJudgement, PairVerdict, ReconcileRound};
use ralph_rag::reconcile::{is_near, judge_pair};
use ralph_rag::words::Words;
use sqlite_db::Read;
use std::collections::{BTreeMap, BTreeSet};
use text_embed::dot;

/// A pair from which something follows: older, newer.
type Found = (LearningId, LearningId, PairJudgement);

/// Features with active learnings from other databases, unless a newer Ralph wrote to their journals.
pub(super) fn shared_features(r: &Read<'_>) -> Result<Vec<String>> {
    let outside: Vec<LearningId> = r.outside_learnings()?.into_keys().collect();
    let active = r.learnings_by_id(&outside)?.into_iter().filter(|l| l.state == LearningState::Active);
    let features: BTreeSet<String> = active.map(|l| l.feature).collect();
    let mut shared = Vec::new();
    for feature in features {
        if r.newer_journal(&feature)?.is_none() {
            shared.push(feature);
        }
    }
    Ok(shared)
}

impl App {
    /// Judges the pairs of a feature that were learnt in different databases, until nothing follows from any.
    pub(super) fn compare_beside(&self, feature: &str, by: &Comparison<'_>, round: &mut ReconcileRound) -> Result<()> {
        while let Some((older, newer, judgement)) = self.db.read(|r| first_found(r, feature, by))? {
            let compared = self.write(|tx| {
                let both = tx.learnings_by_id(&[older.clone(), newer.clone()])?;
                if both.len() < 2 || both.iter().any(|l| l.state != LearningState::Active || l.conflicts_with.contains(&newer)) {
                    return Ok(None);
                }
                let needs = Needs::learnings([newer.as_str(), older.as_str()]);
                perform(tx, by.rules, &needs, |draft| draft.reconcile(&newer, by.model, Some((older.clone(), judgement)))).map(Some)
            })?;
            // Somebody else was faster; they, or the next look, find the rest.
            let Some(compared) = compared else { return Ok(()) };
            count(round, compared);
        }
        Ok(())
    }
}

/// The first pair of different origin from which something follows, and which nobody compared or decided on.
fn first_found(r: &Read<'_>, feature: &str, by: &Comparison<'_>) -> Result<Option<Found>> {
    let outside = r.outside_learnings()?;
    let vectors = r.learning_vectors(find_feature(r, feature)?.id, by.model)?;
    let ids: Vec<LearningId> = vectors.iter().map(|v| v.id.clone()).collect();
    let mut learnings = r.learnings_by_id(&ids)?;
    learnings.sort_by(|a, b| a.age().cmp(&b.age()));
    let vectors: BTreeMap<&LearningId, &[f32]> = vectors.iter().map(|v| (&v.id, v.vector.as_slice())).collect();
    let words: Vec<Words> = learnings.iter().map(|l| Words::of(&l.text)).collect();
    for (at, newer) in learnings.iter().enumerate() {
        let (apart, found) = (r.kept_apart_from(&newer.id)?, r.reconciliation(&newer.id)?);
        for (older_at, older) in learnings.iter().enumerate().take(at) {
            let settled = apart.contains(&older.id)
                || newer.conflicts_with.contains(&older.id)
                || found.as_ref().is_some_and(|found| found.other.as_ref() == Some(&older.id));
            let cosine = dot(vectors[&older.id], vectors[&newer.id]);
            if settled || is_from_one(&outside, older, newer) || !is_near(&words[older_at], &words[at], cosine, by.calibration) {
                continue;
            }
            let judgement = judge_pair(&words[older_at], &words[at], cosine, by.calibration);
            if matches!(judgement.verdict, PairVerdict::Observed | PairVerdict::Merged | PairVerdict::Conflict) {
                return Ok(Some((older.id.clone(), newer.id.clone(), judgement)));
            }
        }
    }
    Ok(None)
}

/// Whether one database learnt both, and so compared them.
fn is_from_one(outside: &sqlite_db::table::Outside, one: &FeatureLearning, other: &FeatureLearning) -> bool {
    outside.get(&one.id) == outside.get(&other.id)
}
