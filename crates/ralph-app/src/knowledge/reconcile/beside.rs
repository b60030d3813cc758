//! What clones learnt at the same time: each compared its own before it knew the other's. Once their journals are merged, pairs of
//! learnings from different databases are judged like any others. Only what follows is journaled, so a clone that finds nothing writes
//! nothing.

use super::{Comparison, count};
use crate::app::App;
use crate::error::Result;
use crate::knowledge::projector::perform;
use crate::knowledge::slice::Needs;
use crate::rows::find_feature;
use ralph_core::LearningId;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::quality::{PairJudgement, ReconcileRound};
use ralph_rag::act::ComparisonOutcome;
use ralph_rag::calibrate::Calibration;
use ralph_rag::reconcile::consequence;
use ralph_rag::words::Words;
use sqlite_db::table::Outside;
use sqlite_db::{Read, Tx};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;
use text_embed::dot;

/// The learnings of each feature whose pairs this process judged, by one model and its calibration. Nothing need be judged twice, since
/// neither words nor vectors change.
#[derive(Debug, Default)]
pub(crate) struct JudgedBeside {
    model: String,
    calibration: Option<Calibration>,
    features: BTreeMap<String, BTreeSet<LearningId>>,
}

/// Features with active learnings from other databases, and which learnings these are.
#[derive(Default)]
pub(super) struct Shared {
    outside: Outside,
    pub(super) features: BTreeSet<String>,
}

impl Shared {
    /// Reads them, without the features whose journals a newer Ralph wrote to: that one compares them.
    pub(super) fn read(r: &Read<'_>) -> Result<Shared> {
        let (outside, newer) = (r.outside_learnings()?, r.newer_journals()?);
        let active = if outside.is_empty() { Vec::new() } else { r.active_learnings()? };
        let is_shared = |(id, feature): &(LearningId, String)| outside.contains_key(id) && newer.iter().all(|(name, _)| name != feature);
        let features = active.into_iter().filter(is_shared).map(|(_, feature)| feature).collect();
        Ok(Shared { outside, features })
    }
}

/// The active learnings of a feature, oldest first, each with its vector, and the pairs on which something was found or decided.
struct Standing {
    learnings: Vec<(FeatureLearning, Vec<f32>)>,
    settled: BTreeSet<(LearningId, LearningId)>,
}

impl Standing {
    fn read(r: &Read<'_>, feature: &str, model: &str) -> Result<Standing> {
        let vectors = r.learning_vectors(find_feature(r, feature)?.id, model)?;
        let mut vectors: BTreeMap<LearningId, Vec<f32>> = vectors.into_iter().map(|v| (v.id, v.vector)).collect();
        let ids: Vec<LearningId> = vectors.keys().cloned().collect();
        let learnings = r.learnings_by_id(&ids)?.into_iter();
        let mut learnings: Vec<_> = learnings.filter_map(|l| vectors.remove(&l.id).map(|vector| (l, vector))).collect();
        learnings.sort_by(|(a, _), (b, _)| a.age().cmp(&b.age()));
        let facts = r.learning_facts(Some(&ids))?;
        let found = facts.acts.into_iter().filter_map(|found| Some((found.learning, found.other?)));
        let settled = found.chain(facts.conflicts).chain(facts.apart).flat_map(|(a, b)| [(a.clone(), b.clone()), (b, a)]).collect();
        Ok(Standing { learnings, settled })
    }

    /// The pairs (older, newer) of different origin from which something follows, without those that were judged before.
    fn pairs(&self, by: &Comparison<'_>, outside: &Outside, judged: &BTreeSet<LearningId>) -> Vec<(LearningId, LearningId, PairJudgement)> {
        if self.learnings.iter().all(|(learning, _)| judged.contains(&learning.id)) {
            return Vec::new();
        }
        let words: Vec<Words> = self.learnings.iter().map(|(learning, _)| Words::of(&learning.text)).collect();
        let mut pairs = Vec::new();
        for (at, (newer, vector)) in self.learnings.iter().enumerate() {
            for (older_at, (older, other)) in self.learnings.iter().enumerate().take(at) {
                // A database has already compared what it learnt itself.
                let is_from_one = outside.get(&older.id) == outside.get(&newer.id);
                if is_from_one || judged.contains(&older.id) && judged.contains(&newer.id) {
                    continue;
                }
                let pair = (older.id.clone(), newer.id.clone());
                let found = consequence(&words[older_at], &words[at], dot(other, vector), by.calibration);
                if let Some(judgement) = found.filter(|_| !self.settled.contains(&pair)) {
                    pairs.push((pair.0, pair.1, judgement));
                }
            }
        }
        pairs
    }
}

impl App {
    /// Judges the pairs of a feature that were learnt in different databases.
    pub(super) fn compare_beside(&self, feature: &str, shared: &Shared, by: &Comparison<'_>, round: &mut ReconcileRound) -> Result<()> {
        let standing = self.db.read(|r| Standing::read(r, feature, by.model))?;
        let pairs = standing.pairs(by, &shared.outside, &self.judged_beside(feature, by));
        let mut gone = BTreeSet::new();
        if !pairs.is_empty() {
            self.copy_before_the_first()?;
        }
        for (older, newer, judgement) in pairs {
            if gone.contains(&older) || gone.contains(&newer) {
                continue;
            }
            let compared = self.write(|tx| settle(tx, by, (&older, &newer), judgement, &mut gone))?;
            if let Some(compared) = compared {
                count(round, compared);
            }
        }
        // A learning that gave way may return.
        let active = standing.learnings.into_iter().map(|(learning, _)| learning.id).filter(|id| !gone.contains(id));
        let mut judged = self.judged_beside.lock().unwrap_or_else(PoisonError::into_inner);
        judged.features.insert(feature.to_owned(), active.collect());
        Ok(())
    }

    /// The learnings of a feature whose pairs were judged; none of those judged with another model or calibration.
    fn judged_beside(&self, feature: &str, by: &Comparison<'_>) -> BTreeSet<LearningId> {
        let mut judged = self.judged_beside.lock().unwrap_or_else(PoisonError::into_inner);
        if judged.model != by.model || judged.calibration != Some(by.calibration) {
            *judged = JudgedBeside { model: by.model.to_owned(), calibration: Some(by.calibration), features: BTreeMap::new() };
        }
        judged.features.get(feature).cloned().unwrap_or_default()
    }
}

/// Applies what follows from a pair, unless one of the two gave way or somebody decided on them meanwhile. Adds to `gone` those that are
/// not active.
fn settle(
    tx: &Tx<'_>,
    by: &Comparison<'_>,
    (older, newer): (&LearningId, &LearningId),
    judgement: PairJudgement,
    gone: &mut BTreeSet<LearningId>,
) -> Result<Option<ComparisonOutcome>> {
    let both = [older.clone(), newer.clone()];
    let active = |tx: &Tx<'_>| -> Result<Vec<FeatureLearning>> {
        Ok(tx.learnings_by_id(&both)?.into_iter().filter(|l| l.state == LearningState::Active).collect())
    };
    let before = active(tx)?;
    let is_decided = before.iter().any(|l| l.conflicts_with.contains(newer)) || tx.kept_apart_from(newer)?.contains(older);
    let compared = if before.len() == both.len() && !is_decided {
        let decided = Some((older.clone(), judgement));
        Some(perform(tx, by.rules, &Needs::learnings([newer.as_str(), older.as_str()]), |draft| draft.reconcile(newer, by.model, decided))?)
    } else {
        None
    };
    let left = active(tx)?;
    gone.extend(both.into_iter().filter(|id| left.iter().all(|l| l.id != *id)));
    Ok(compared)
}
