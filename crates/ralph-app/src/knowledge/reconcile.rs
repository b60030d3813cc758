//! Reconciliation as a step of its own: what the door let in by its words is compared by its vector, and what follows is journaled.
//!
//! Found by looking: active learnings that have a vector of the current model and no mark of it. Any long-lived process does it, and so
//! does `ralph reconcile`; what another one did meanwhile is found done.

use crate::App;
use crate::error::{AppError, Result};
use crate::features::{find, must_be_active};
use crate::knowledge::journal::{next_id, record};
use crate::knowledge::remember::{fill_room, store};
use crate::pairs::{calibrate, dot};
use ralph_core::authority::Wish;
use ralph_core::feature::Feature;
use ralph_core::learning::{ConflictChoice, FeatureLearning, LearningState};
use ralph_core::limits;
use ralph_core::quality::{PairJudgement, PairVerdict, ReconcileRound, Reconciliation};
use ralph_core::time::Timestamp;
use ralph_core::{LearningId, TaskId};
use ralph_rag::admit;
use ralph_rag::calibrate::Calibration;
use ralph_rag::journal::Event;
use ralph_rag::reconcile::{self, CANDIDATES};
use ralph_rag::words::Words;
use sqlite_db::{BackupReason, Tx};
use std::collections::BTreeSet;
use text_embed::Embedder;

/// Learnings that one round compares: well below a second, so that others may write in between.
const ROUND: u32 = 32;

/// What one comparison led to.
struct Settled {
    verdict: PairVerdict,
    for_review: bool,
}

/// What the comparison of one learning needs.
struct Rules<'a> {
    model: &'a str,
    calibration: Calibration,
    default_cap: u32,
    now: Timestamp,
}

impl App {
    /// Compares a round of learnings by their vectors. `left` tells how many still wait. Does nothing when the settings turn it off.
    pub fn reconcile(&self) -> Result<ReconcileRound> {
        let settings = self.settings()?;
        let embedder = self.embedder()?;
        let model = embedder.id();
        let mut round = ReconcileRound::default();
        if !settings.reconcile {
            return Ok(round);
        }
        let waiting = self.db.read(|r| r.learnings_to_reconcile(model, ROUND))?;
        if waiting.is_empty() {
            return Ok(round);
        }
        let calibration = self.calibration(&embedder)?;
        if !self.db.read(|r| r.has_reconciled())? {
            self.db.writer()?.backup(&self.paths.db, BackupReason::Reconcile)?;
        }
        let rules = Rules { model, calibration, default_cap: settings.max_learnings, now: self.clock.now() };
        for id in waiting {
            // One commit each: a person's or an agent's write never waits for a whole round.
            if let Some(settled) = self.write(|tx| compare(tx, &id, &rules))? {
                let count = match settled.verdict {
                    PairVerdict::Observed => &mut round.observed,
                    PairVerdict::Merged => &mut round.merged,
                    PairVerdict::Conflict => &mut round.conflicts,
                    PairVerdict::Related => &mut round.related,
                    PairVerdict::Distinct => &mut round.distinct,
                };
                *count += 1;
                round.for_review += u32::from(settled.for_review);
            }
        }
        round.left = self.db.read(|r| r.count_to_reconcile(model))?;
        Ok(round)
    }

    /// Makes the vectors that are missing and compares by them until nothing waits. `progress` is told how many texts have none yet.
    pub fn reconcile_all(&self, progress: &dyn Fn(u32)) -> Result<ReconcileRound> {
        let mut all = ReconcileRound::default();
        loop {
            // A merged record is new, so its vector is made before it is compared.
            loop {
                match self.embed_passages()? {
                    0 => break,
                    left => progress(left),
                }
            }
            let round = self.reconcile()?;
            if round == ReconcileRound::default() {
                return Ok(all);
            }
            all += round;
        }
    }

    /// Takes back what followed from a comparison: what was superseded is active again, what was made retires, what was counted is not.
    /// The two are kept apart from now on.
    pub fn undo_reconciliation(&self, id: &str) -> Result<()> {
        self.curate(|| Wish::UndoReconciliation { id: id.into() })?;
        let now = self.clock.now();
        let default_cap = self.settings()?.max_learnings;
        self.write(|tx| {
            let found = tx.reconciliation(id)?.ok_or_else(|| AppError::not_found("automatic act", id))?;
            undo(tx, &found, default_cap, now)
        })
    }

    /// What a model's cosines mean: shipped, learnt before, or learnt now.
    fn calibration(&self, embedder: &Embedder) -> Result<Calibration> {
        if let Some(known) = Calibration::known(embedder.id()) {
            return Ok(known);
        }
        if let Some((slope, offset)) = self.db.read(|r| r.calibration(embedder.id()))? {
            return Ok(Calibration { slope, offset });
        }
        let found = calibrate(embedder)?;
        let now = self.clock.now();
        self.write(|tx| Ok(tx.set_calibration(embedder.id(), found.slope, found.offset, now)?))?;
        Ok(found)
    }
}

/// Compares one learning and does what follows. `None` when another process was faster.
fn compare(tx: &Tx<'_>, id: &str, rules: &Rules<'_>) -> Result<Option<Settled>> {
    let Some(newer) = tx.learning(id)?.filter(|l| l.state == LearningState::Active) else { return Ok(None) };
    if tx.reconciliation(id)?.is_some_and(|found| found.model == rules.model) {
        return Ok(None);
    }
    let feature = find(tx, &newer.feature)?;
    let decided = decisive(tx, &newer, feature.id, rules)?;
    let mut found = Reconciliation {
        learning: newer.id.clone(),
        model: rules.model.to_owned(),
        other: None,
        judgement: PairJudgement { verdict: PairVerdict::Distinct, cosine: 0.0, similarity: 0.0, hits: Vec::new() },
        made: None,
        counted: Vec::new(),
        at: rules.now,
    };
    let mut for_review = false;
    if let Some((older, judgement)) = decided {
        found.other = Some(older.id.clone());
        found.judgement = judgement;
        let pair = Pair { tx, feature: &feature, older: &older, newer: &newer, now: rules.now };
        for_review = pair.perform(&mut found)?;
        fill_room(tx, &feature, rules.default_cap, rules.now)?;
    }
    let verdict = found.judgement.verdict;
    tx.set_reconciliation(&found)?;
    record(tx, &feature.name, Event::Reconciled { reconciliation: Box::new(found) }, rules.now)?;
    Ok(Some(Settled { verdict, for_review }))
}

/// The known learning that decides, of those most like the newer one that came before it.
fn decisive(tx: &Tx<'_>, newer: &FeatureLearning, feature_id: u32, rules: &Rules<'_>) -> Result<Option<(FeatureLearning, PairJudgement)>> {
    let vectors = tx.learning_vectors(feature_id, rules.model)?;
    let Some(own) = vectors.iter().find(|v| v.id == newer.id) else { return Ok(None) };
    let apart = tx.kept_apart_from(&newer.id)?;
    let mut near: Vec<(f64, &LearningId)> = vectors
        .iter()
        .filter(|v| (v.created, &v.id) < (newer.created, &newer.id) && !apart.contains(&v.id))
        .map(|v| (dot(&v.vector, &own.vector), &v.id))
        .collect();
    near.sort_by(|(a, i), (b, j)| b.total_cmp(a).then_with(|| i.cmp(j)));
    near.truncate(CANDIDATES);
    let ids: Vec<LearningId> = near.iter().map(|(_, id)| (*id).clone()).collect();
    let mut known = tx.learnings_by_id(&ids)?;
    let words = Words::of(&newer.text);
    let judged =
        known.iter().zip(&near).map(|(older, (cosine, _))| reconcile::judge(&Words::of(&older.text), &words, *cosine, rules.calibration));
    let decided = reconcile::decisive(judged.enumerate().collect());
    Ok(decided.map(|(at, judgement)| (known.swap_remove(at), judgement)))
}

/// Two active learnings of one feature.
struct Pair<'a> {
    tx: &'a Tx<'a>,
    feature: &'a Feature,
    older: &'a FeatureLearning,
    newer: &'a FeatureLearning,
    now: Timestamp,
}

impl Pair<'_> {
    /// Does what the verdict asks for, and whether a person has to decide instead. Nothing protected gives way without a person.
    fn perform(&self, found: &mut Reconciliation) -> Result<bool> {
        let (older_yields, newer_yields) = (self.older.is_auto_prunable(), self.newer.is_auto_prunable());
        match found.judgement.verdict {
            PairVerdict::Observed if newer_yields => found.counted = self.observe(self.newer, self.older)?,
            PairVerdict::Observed if older_yields => found.counted = self.observe(self.older, self.newer)?,
            PairVerdict::Merged if older_yields && newer_yields => (found.made, found.counted) = self.merge()?,
            PairVerdict::Conflict if older_yields => {
                if self.tx.delete_conflict(&self.older.id, &self.newer.id)? {
                    let (older, newer) = (self.older.id.clone(), self.newer.id.clone());
                    self.record(Event::ConflictResolved { older, newer, choice: ConflictChoice::KeepNewer })?;
                }
                self.supersede(self.older, &self.newer.id)?;
            }
            PairVerdict::Related | PairVerdict::Distinct => {}
            PairVerdict::Observed | PairVerdict::Merged | PairVerdict::Conflict => {
                self.tx.insert_conflict(&self.older.id, &self.newer.id)?;
                self.record(Event::Conflict { older: self.older.id.clone(), newer: self.newer.id.clone() })?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn record(&self, event: Event) -> Result<()> {
        record(self.tx, &self.feature.name, event, self.now)
    }

    fn supersede(&self, old: &FeatureLearning, by: &str) -> Result<()> {
        self.tx.set_learning_state(&old.id, LearningState::Superseded, Some(by))?;
        self.record(Event::Superseded { learning: old.id.clone(), by: by.to_owned() })
    }

    /// `gone` was an observation of `kept`. Answers the iterations that were counted.
    fn observe(&self, gone: &FeatureLearning, kept: &FeatureLearning) -> Result<Vec<u32>> {
        self.supersede(gone, &kept.id)?;
        self.hand_on(gone, &kept.id)
    }

    /// Counts the iterations that observed `gone` for another one, those that it has not been counted for yet.
    fn hand_on(&self, gone: &FeatureLearning, to: &str) -> Result<Vec<u32>> {
        let mut counted = Vec::new();
        for iteration in self.tx.observers(&gone.id)? {
            if !self.tx.has_observed(to, iteration)? {
                self.tx.insert_observation(to, iteration)?;
                self.tx.count_hit(to)?;
                self.record(Event::Observed { learning: to.to_owned(), iteration: Some(iteration), counted: true })?;
                counted.push(iteration);
            }
        }
        Ok(counted)
    }

    /// One new record says both, which stay as superseded.
    fn merge(&self) -> Result<(Option<LearningId>, Vec<u32>)> {
        let (text, reason, tags) = reconcile::merged(self.older, self.newer, limits::LEARNING_TAGS);
        let same_task: Option<TaskId> = self.older.task_id.filter(|task| self.newer.task_id == Some(*task));
        let made = FeatureLearning {
            id: next_id(self.tx, self.now)?,
            text,
            reason,
            tags,
            task_id: same_task,
            created: self.now,
            last_used: None,
            hit_count: 1,
            superseded_by: None,
            conflicts_with: Vec::new(),
            ..self.older.clone()
        };
        self.supersede(self.older, &made.id)?;
        self.supersede(self.newer, &made.id)?;
        store(self.tx, self.feature, &made, None, &[], self.now)?;
        self.hand_on(self.older, &made.id)?;
        let counted = self.hand_on(self.newer, &made.id)?;
        Ok((Some(made.id), counted))
    }
}

fn undo(tx: &Tx<'_>, found: &Reconciliation, default_cap: u32, now: Timestamp) -> Result<()> {
    let not_undoable = || AppError::not_found("automatic act", &found.learning);
    let other = found.other.as_ref().ok_or_else(not_undoable)?;
    let both = tx.learnings_by_id(&[other.clone(), found.learning.clone()])?;
    let [older, newer] = both.as_slice() else { return Err(not_undoable()) };
    let heirs: BTreeSet<&LearningId> = [Some(&older.id), Some(&newer.id), found.made.as_ref()].into_iter().flatten().collect();
    let gave_way =
        |l: &&FeatureLearning| l.state == LearningState::Superseded && l.superseded_by.as_ref().is_some_and(|by| heirs.contains(by));
    let back: Vec<&FeatureLearning> = both.iter().filter(gave_way).collect();
    if back.is_empty() {
        return Err(not_undoable());
    }
    let feature = find(tx, &newer.feature)?;
    must_be_active(tx, &feature, "learnings")?;
    if let Some(made) = &found.made {
        tx.set_learning_state(made, LearningState::Retired, None)?;
        record(tx, &feature.name, Event::Retired { learning: made.clone() }, now)?;
    } else if let Some(keeper) = both.iter().find(|l| back.iter().all(|b| b.id != l.id)) {
        for iteration in &found.counted {
            if tx.withdraw_observation(&keeper.id, *iteration)? {
                record(tx, &feature.name, Event::Withdrawn { learning: keeper.id.clone(), iteration: *iteration }, now)?;
            }
        }
    }
    for learning in back {
        make_room(tx, &feature, &learning.id, default_cap, now)?;
        tx.set_learning_state(&learning.id, LearningState::Active, None)?;
        record(tx, &feature.name, Event::Restored { learning: learning.id.clone() }, now)?;
    }
    keep_apart(tx, &feature, &older.id, &newer.id, now)?;
    let judgement = PairJudgement { verdict: PairVerdict::Related, ..found.judgement.clone() };
    let kept = Reconciliation { judgement, made: None, counted: Vec::new(), at: now, ..found.clone() };
    tx.set_reconciliation(&kept)?;
    record(tx, &feature.name, Event::Reconciled { reconciliation: Box::new(kept) }, now)?;
    crate::knowledge::split::maybe_create_split_task(tx, &feature, default_cap, now)?;
    Ok(())
}

/// Keeps two learnings apart for good, because a person said so.
pub(crate) fn keep_apart(tx: &Tx<'_>, feature: &Feature, older: &str, newer: &str, now: Timestamp) -> Result<()> {
    tx.insert_apart(older, newer)?;
    record(tx, &feature.name, Event::KeptApart { older: older.to_owned(), newer: newer.to_owned() }, now)
}

/// Prunes what may be pruned so that `id` can come back, or says that there is no room.
pub(crate) fn make_room(tx: &Tx<'_>, feature: &Feature, id: &str, default_cap: u32, now: Timestamp) -> Result<()> {
    let known = tx.known_learnings(feature.id)?;
    let Some(pruned) = admit::room_for_one(&known, feature.max_learnings.unwrap_or(default_cap)) else {
        let saturation = tx.saturation_of(feature, default_cap)?;
        let parked = known.iter().find(|l| l.id == id).map(|l| l.id.clone()).unwrap_or_default();
        return Err(AppError::KnowledgeFull { parked, saturation, split_task: tx.active_split_task(feature.id)? });
    };
    for other in pruned {
        tx.set_learning_state(&other, LearningState::Pruned, None)?;
        record(tx, &feature.name, Event::Pruned { learning: other, for_learning: id.to_owned() }, now)?;
    }
    Ok(())
}
