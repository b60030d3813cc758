//! A cleaned candidate, and known learnings that are similar to it.

use super::rules::Rules;
use crate::error::{AppError, Result};
use ralph_core::feature::Feature;
use ralph_core::learning::{DEFAULT_CATEGORY, FeatureLearning, LearningState, NewLearning};
use ralph_core::{LearningId, count, limits};
use ralph_rag::clean::{CleanText, clean_said};
use ralph_rag::keys::{self, QueryKeys};
use sqlite_db::{Read, Tx};
use std::collections::BTreeSet;

/// A cleaned candidate.
pub(super) struct Cleaned {
    /// The record to store, still without an id.
    pub learning: FeatureLearning,
    /// Number of secrets removed.
    pub redacted: u32,
    /// Whether text or reason were longer than is kept.
    pub cut: bool,
}

/// Cleans a candidate.
pub(super) fn cleaned(tx: &Tx<'_>, new: &NewLearning, feature: &Feature, rules: Rules) -> Result<Cleaned> {
    let text = clean_said(&new.text, limits::LEARNING_TEXT_CHARS);
    if text.text.trim().is_empty() {
        return Err(AppError::invalid("text", "is empty", "say what was learnt in one to three sentences"));
    }
    let reason = new.reason.as_deref().map(|r| clean_said(r, limits::LEARNING_REASON_CHARS)).filter(|r| !r.text.is_empty());
    let category = clean_said(new.category.as_deref().unwrap_or(DEFAULT_CATEGORY).trim(), limits::TAG_CHARS);
    let tags: Vec<CleanText> = new.tags.iter().map(|tag| clean_said(tag.trim(), limits::TAG_CHARS)).collect();
    let redacted: usize = [&text, &category].into_iter().chain(&reason).chain(&tags).map(|cleaned| cleaned.redactions.len()).sum();
    let mut tags: Vec<String> = tags.into_iter().map(|tag| tag.text).filter(|tag| !tag.is_empty()).collect();
    let mut seen = BTreeSet::new();
    tags.retain(|tag| seen.insert(tag.to_lowercase()));
    tags.truncate(limits::LEARNING_TAGS);
    let cut = text.cut || reason.as_ref().is_some_and(|reason| reason.cut);
    let has_number = new.task_id.is_some() || new.iteration.is_some();
    let learning = FeatureLearning {
        reason: reason.map(|r| r.text),
        category: if category.text.is_empty() { DEFAULT_CATEGORY.to_owned() } else { category.text },
        tags,
        source: new.source,
        task_id: new.task_id,
        iteration: new.iteration,
        replica: if has_number { Some(tx.own()?.replica) } else { None },
        ..FeatureLearning::new(String::new(), &feature.name, text.text, rules.now)
    };
    Ok(Cleaned { learning, redacted: count(redacted), cut })
}

/// Learnings of a feature that may say the same as one of these, or contradict it. A text that was put away is compared with nothing.
pub(crate) fn met_by(r: &Read<'_>, ids: &[LearningId], feature: &Feature) -> Result<Vec<LearningId>> {
    let mut met = BTreeSet::new();
    let lives = |learning: &FeatureLearning| matches!(learning.state, LearningState::Active | LearningState::Parked);
    for learning in r.learnings_by_id(ids)?.into_iter().filter(lives) {
        met.extend(near(r, feature, &learning.text)?);
    }
    Ok(met.into_iter().collect())
}

/// Learnings of a feature, in any state, that may say the same as a text, or contradict it.
pub(super) fn near(r: &Read<'_>, feature: &Feature, text: &str) -> Result<Vec<LearningId>> {
    near_by(r, feature, &keys::wanted(text))
}

/// The same by the keys of a text.
pub(super) fn near_by(r: &Read<'_>, feature: &Feature, wanted: &QueryKeys) -> Result<Vec<LearningId>> {
    Ok(r.learnings_near(feature.id, &wanted.keys, wanted.all, limits::NEAR_LEARNINGS)?)
}

/// The same of several features, by their row numbers.
pub(super) fn near_in(r: &Read<'_>, features: &[u32], text: &str) -> Result<Vec<LearningId>> {
    let wanted = keys::wanted(text);
    Ok(r.learnings_near_in(features, &wanted.keys, wanted.all, limits::NEAR_LEARNINGS)?)
}
