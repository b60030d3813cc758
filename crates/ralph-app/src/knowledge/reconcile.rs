//! Reconciliation as a separate step: learnings added by their words are compared by vector, and the consequences are journaled.
//!
//! Found from state: active learnings with a vector of the current model and no comparison by it, then pairs that clones learnt at the same
//! time ([`beside`]). Any long-lived process does it, and so does `ralph reconcile`; what another process has done is not done again.

mod beside;

pub(crate) use beside::JudgedBeside;

use crate::app::App;
use crate::error::Result;
use crate::knowledge::projector::perform;
use crate::knowledge::rules::Rules;
use crate::knowledge::slice::Needs;
use crate::rows::find_feature;
use beside::Shared;
use ralph_core::LearningId;
use ralph_core::authority::Wish;
use ralph_core::learning::{FeatureLearning, LearningState};
use ralph_core::quality::{PairJudgement, PairVerdict, ReconcileRound};
use ralph_rag::act::ComparisonOutcome;
use ralph_rag::calibrate::Calibration;
use ralph_rag::reconcile::{self, CANDIDATES};
use ralph_rag::words::Words;
use sqlite_db::table::LearningVector;
use sqlite_db::{BackupReason, Tx};
use text_embed::dot;

/// Learnings compared per round: well below a second, so that others may write in between.
const ROUND: u32 = 32;

/// Input to the comparison of one learning.
struct Comparison<'a> {
    model: &'a str,
    calibration: Calibration,
    rules: Rules,
}

impl App {
    /// Compares a round of learnings by their vectors. `left` is the number still pending. Does nothing if disabled in the settings.
    pub fn reconcile(&self) -> Result<ReconcileRound> {
        let settings = self.settings()?;
        let embedder = self.embedder()?;
        let model = embedder.id();
        let mut round = ReconcileRound::default();
        if !settings.reconcile {
            return Ok(round);
        }
        let waiting = self.db.read(|r| r.learnings_to_reconcile(model, ROUND))?;
        let episodes = settings.automatic_learning.episode_deduplication && !self.db.read(|r| r.episodes_to_compare(model, 1))?.is_empty();
        let shared = self.db.read(Shared::read)?;
        if waiting.is_empty() && !episodes && shared.features.is_empty() {
            return Ok(round);
        }
        let calibration = self.calibration(&embedder)?;
        if !waiting.is_empty() || episodes {
            self.copy_before_the_first()?;
        }
        if episodes {
            (round.episodes_replaced, round.episodes) = self.reconcile_episodes(model, calibration, self.knowledge_rules()?)?;
        }
        let by = Comparison { model, calibration, rules: self.knowledge_rules()? };
        for id in waiting {
            // One commit each: other writes never wait for a whole round.
            if let Some(compared) = self.write(|tx| compare(tx, &id, &by))? {
                count(&mut round, compared);
            }
        }
        round.left = self.db.read(|r| r.count_to_reconcile(model))?;
        // Only after each clone has compared its own: of three that say the same, two may be its own.
        if round.left == 0 {
            shared.features.iter().try_for_each(|feature| self.compare_beside(feature, &shared, &by, &mut round))?;
        }
        Ok(round)
    }

    /// Copies the database before anything was ever compared in it.
    fn copy_before_the_first(&self) -> Result<()> {
        if !self.db.read(|r| r.has_reconciled())? {
            self.db.writer()?.backup(&self.paths.db, BackupReason::Reconcile)?;
        }
        Ok(())
    }

    /// Scans code and documents, computes missing vectors and compares by them until nothing is pending. `progress` receives the number of
    /// texts without one.
    pub fn reconcile_all(&self, progress: &dyn Fn(u32)) -> Result<ReconcileRound> {
        // If nothing is left to embed, nobody would miss the model, and a wrong name would be noticed late.
        let embedder = self.embedder()?;
        embedder.is_as_named()?;
        if embedder.dimension().is_none() && !self.embedding_waits()? && self.db.read(|r| r.has_vectors(embedder.id()))? {
            // Only an answer shows whether the server still makes the same vectors; without one they stay.
            drop(embedder.try_out());
        }
        self.learn_from_code_or_warn();
        self.look_at_documents()?;
        self.settle_detections()?;
        self.withdraw_dead_ends_or_warn();
        self.promote_held_back_or_warn();
        let mut all = ReconcileRound::default();
        loop {
            // A merged record is new, so its vector is computed before it is compared.
            while let Some(left) = self.embed_passages()? {
                if left > 0 {
                    progress(left);
                }
            }
            let round = self.reconcile()?;
            if round == ReconcileRound::default() {
                self.keep_audit_day_or_warn();
                return Ok(all);
            }
            all += round;
        }
    }

    /// Undoes what followed from a comparison, named by either of the two learnings: superseded ones are active again, the new record
    /// retires, transferred observations are removed. The two are kept apart from now on.
    pub fn undo_reconciliation(&self, id: &str) -> Result<()> {
        self.curate(|| Wish::UndoReconciliation { id: id.into() })?;
        self.act_with_compared(id, |draft| draft.undo_reconciliation(id))
    }
}

fn count(round: &mut ReconcileRound, compared: ComparisonOutcome) {
    let count = match compared.verdict {
        PairVerdict::Observed => &mut round.observed,
        PairVerdict::Merged => &mut round.merged,
        PairVerdict::Conflict => &mut round.conflicts,
        PairVerdict::Related => &mut round.related,
        PairVerdict::Distinct => &mut round.distinct,
    };
    *count += 1;
    round.for_review += u32::from(compared.for_review);
}

/// Compares one learning and applies the result. `None` if another process was faster.
fn compare(tx: &Tx<'_>, id: &str, by: &Comparison<'_>) -> Result<Option<ComparisonOutcome>> {
    let Some(newer) = tx.learning(id)?.filter(|l| l.state == LearningState::Active) else { return Ok(None) };
    if tx.reconciliation(id)?.is_some_and(|found| found.model == by.model) {
        return Ok(None);
    }
    let feature = find_feature(tx, &newer.feature)?;
    let decided = decisive(tx, &newer, feature.id, by)?.map(|(older, judgement)| (older.id, judgement));
    let older = decided.as_ref().map(|(older, _)| older.clone());
    let needs = Needs::learnings([id].into_iter().chain(older.as_deref()));
    perform(tx, by.rules, &needs, |draft| draft.reconcile(id, by.model, decided)).map(Some)
}

/// The known learning that decides, among those most similar to this one: earlier ones, and later ones that will not be compared with it in
/// their turn, since they were here before it came or returned.
fn decisive(
    tx: &Tx<'_>,
    learning: &FeatureLearning,
    feature_id: u32,
    by: &Comparison<'_>,
) -> Result<Option<(FeatureLearning, PairJudgement)>> {
    let vectors = tx.learning_vectors(feature_id, by.model)?;
    let Some(own) = vectors.iter().find(|v| v.id == learning.id) else { return Ok(None) };
    let apart = tx.kept_apart_from(&learning.id)?;
    // A person is asked about these already.
    let asked = |v: &LearningVector| learning.conflicts_with.contains(&v.id);
    let counts = |v: &LearningVector| (v.created, &v.id) < learning.age() || v.id != learning.id && v.compared && !asked(v);
    let mut near: Vec<(f64, &LearningId)> =
        vectors.iter().filter(|v| counts(v) && !apart.contains(&v.id)).map(|v| (dot(&v.vector, &own.vector), &v.id)).collect();
    near.sort_by(|(a, i), (b, j)| b.total_cmp(a).then_with(|| i.cmp(j)));
    near.truncate(CANDIDATES);
    let ids: Vec<LearningId> = near.iter().map(|(_, id)| (*id).clone()).collect();
    let mut known = tx.learnings_by_id(&ids)?;
    let words = Words::of(&learning.text);
    let judged = known.iter().zip(&near).map(|(known, (cosine, _))| {
        let other = Words::of(&known.text);
        let (older, newer) = if known.age() < learning.age() { (&other, &words) } else { (&words, &other) };
        reconcile::judge_pair(older, newer, *cosine, by.calibration)
    });
    let decided = reconcile::decisive(judged.enumerate().collect());
    Ok(decided.map(|(at, judgement)| (known.swap_remove(at), judgement)))
}
