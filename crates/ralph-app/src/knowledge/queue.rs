//! The review queue: what awaits a person, and automatic acts that a person can undo.

use crate::app::App;
use crate::error::Result;
use crate::rows::spelled;
use ralph_core::feature::FeatureState;
use ralph_core::learning::{Conflict, FeatureLearning, LearningState, PutAwayNote};
use ralph_core::limits;
use ralph_core::quality::{
    AutomaticAct, GateMode, GateStanding, GateVerdict, GateWarning, LearningQuality, PairVerdict, PutAway, Reconciliation, ReviewMore,
    ReviewPair, ReviewQueue, SaidAgain,
};
use ralph_core::stats::Proportion;
use ralph_core::time::Timestamp;
use ralph_core::{LearningId, count};
use ralph_rag::guard;
use ralph_rag::words::Words;
use sqlite_db::Read;
use std::collections::{BTreeMap, BTreeSet};

impl App {
    /// Everything that awaits a person.
    pub fn review_queue(&self) -> Result<ReviewQueue> {
        let mode = self.settings()?.gate;
        let now = self.clock.now();
        self.db.read(|r| {
            let pairs = r.conflicts()?.into_iter().map(|conflict| review_pair(r, conflict));
            // One of a feature that was put away could not return.
            let archived = r.features()?.into_iter().filter(|feature| feature.state == FeatureState::Archived);
            let archived: BTreeSet<String> = archived.map(|feature| feature.name).collect();
            let mut parked = r.learnings(None, &[LearningState::Parked])?;
            parked.retain(|learning| !archived.contains(&learning.feature));
            let (warned, warnings) = first(r.gate_warnings(u32::MAX)?);
            let (done, acts) = first(r.automatic_acts(u32::MAX)?);
            let (asked, said_again) = first(r.said_again(u32::MAX)?);
            let (doubted, doubts) = first(super::doubts::doubts(r)?);
            Ok(ReviewQueue {
                pairs: pairs.collect::<Result<_>>()?,
                parked,
                warnings: warnings_of(r, warned)?,
                acts: acts_of(r, done)?,
                said_again: said_again_of(r, asked)?,
                doubts: doubted,
                more: ReviewMore { warnings, acts, said_again, doubts },
                gate: standing(r, mode, now)?,
            })
        })
    }

    /// Quality records of a feature's learnings, or of all.
    pub fn learning_qualities(&self, feature: Option<&str>) -> Result<Vec<LearningQuality>> {
        self.db.read(|r| {
            let name = spelled(r, feature)?;
            let mut qualities: BTreeMap<String, LearningQuality> = BTreeMap::new();
            for learning in r.learnings(name.as_deref(), &[])? {
                qualities.insert(learning.id.clone(), LearningQuality { learning: learning.id, gate: None, reconciliation: None });
            }
            for verdict in r.gate_verdicts(name.as_deref())? {
                if let Some(quality) = qualities.get_mut(&verdict.learning) {
                    quality.gate = Some(verdict);
                }
            }
            for found in r.reconciliations(name.as_deref())? {
                if let Some(quality) = qualities.get_mut(&found.learning) {
                    quality.reconciliation = Some(found);
                }
            }
            Ok(qualities.into_values().collect())
        })
    }
}

/// The listed rows, and how many are not listed.
fn first<T>(mut rows: Vec<T>) -> (Vec<T>, u32) {
    let left = rows.len().saturating_sub(limits::REVIEW_ROWS as usize);
    rows.truncate(limits::REVIEW_ROWS as usize);
    (rows, count(left))
}

/// How many learnings a person is asked about, besides those that contradict each other or wait for room.
pub(crate) fn doubted_or_said_again(r: &Read<'_>) -> Result<u32> {
    let doubted = count(super::doubts::doubts(r)?.len());
    Ok(doubted.saturating_add(r.count_said_again()?))
}

fn review_pair(r: &Read<'_>, conflict: Conflict) -> Result<ReviewPair> {
    let Conflict { older, newer } = conflict;
    let (old, new) = (Words::of(&older.text), Words::of(&newer.text));
    // What returned or was moved here may be older than what it was compared with.
    let is_of = |found: &Reconciliation| found.learning == older.id || found.other.as_ref() == Some(&older.id);
    let found = r.acts_of(&newer.id)?.into_iter().filter(is_of).max_by_key(|found| found.at);
    Ok(ReviewPair {
        older_text: guard::pieces(&older.text, &old, &new),
        newer_text: guard::pieces(&newer.text, &new, &old),
        verdict: found.as_ref().map_or(PairVerdict::Conflict, |found| found.judgement.verdict),
        similarity: found.map(|found| found.judgement.similarity),
        hits: guard::hits(&old, &new),
        older,
        newer,
    })
}

fn warnings_of(r: &Read<'_>, verdicts: Vec<GateVerdict>) -> Result<Vec<GateWarning>> {
    let known = by_id(r, verdicts.iter().map(|v| v.learning.clone()).collect())?;
    Ok(verdicts.into_iter().filter_map(|verdict| Some(GateWarning { learning: known.get(&verdict.learning)?.clone(), verdict })).collect())
}

fn acts_of(r: &Read<'_>, found: Vec<Reconciliation>) -> Result<Vec<AutomaticAct>> {
    let ids = found.iter().flat_map(|f| [Some(f.learning.clone()), f.other.clone(), f.made.clone()]).flatten().collect();
    let known = by_id(r, ids)?;
    let act = |reconciliation: Reconciliation| {
        let (compared, met) = (known.get(&reconciliation.learning)?.clone(), known.get(reconciliation.other.as_ref()?)?.clone());
        let (learning, other) = if met.age() < compared.age() { (compared, met) } else { (met, compared) };
        let (new, old) = (Words::of(&learning.text), Words::of(&other.text));
        Some(AutomaticAct {
            learning_text: guard::pieces(&learning.text, &new, &old),
            other_text: guard::pieces(&other.text, &old, &new),
            made: reconciliation.made.as_ref().and_then(|id| known.get(id).cloned()),
            reconciliation,
            learning,
            other,
        })
    };
    Ok(found.into_iter().filter_map(act).collect())
}

/// Put-away learnings that were repeated, if still put away.
fn said_again_of(r: &Read<'_>, asked: Vec<(LearningId, PutAway)>) -> Result<Vec<SaidAgain>> {
    let known = by_id(r, asked.iter().map(|(id, _)| id.clone()).collect())?;
    let row = |(id, put_away): (String, PutAway)| {
        let iterations = count(put_away.again.len());
        let note = PutAwayNote { asks_again: put_away.asks_again(), by: put_away.by, at: put_away.at };
        Some(SaidAgain { learning: known.get(&id)?.clone(), put_away: note, iterations })
    };
    Ok(asked.into_iter().filter_map(row).collect())
}

fn by_id(r: &Read<'_>, mut ids: Vec<String>) -> Result<BTreeMap<String, FeatureLearning>> {
    ids.sort();
    ids.dedup();
    Ok(r.learnings_by_id(&ids)?.into_iter().map(|l| (l.id.clone(), l)).collect())
}

fn standing(r: &Read<'_>, mode: GateMode, now: Timestamp) -> Result<GateStanding> {
    let since = r.gate_since()?;
    let enforces_from = since.map(|since| since.plus_millis(limits::GATE_WARN_MILLIS));
    let counts = r.gate_counts()?;
    Ok(GateStanding {
        mode,
        since,
        enforces_from,
        enforcing: mode == GateMode::Enforce && enforces_from.is_some_and(|from| from <= now),
        flagged: Proportion { successes: counts.flagged, trials: counts.judged },
        false_rejections: Proportion { successes: counts.kept, trials: counts.kept + counts.put_away },
    })
}
