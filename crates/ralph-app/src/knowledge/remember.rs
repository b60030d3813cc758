//! Remember: the only way in for knowledge, `append_feature_learning`.
//!
//! clean → gate → similar learnings, by an index over words → the act. The comparison by vectors follows in a separate commit
//! ([`crate::knowledge::reconcile`]).

use super::candidate::{Cleaned, cleaned, near, near_by};
use super::projector::{Newcomer, perform, perform_for};
use super::rules::Rules;
use super::slice::Needs;
use super::staged::{missing, stage};
use crate::app::App;
use crate::error::{AppError, Result};
use crate::rows::{find_feature, must_have_a_name, spelled};
use ralph_core::LearningId;
use ralph_core::feature::FeatureState;
use ralph_core::learning::{
    FeatureLearning, LearningFilter, LearningPage, LearningRow, LearningSource, LearningState, NewLearning, Verdict,
};
use ralph_core::limits;
use ralph_core::noun::Noun;
use ralph_core::quality::GateMode;
use ralph_core::remember::RememberOutcome;
use ralph_rag::act::{Candidate, DoorOutcome, is_news};
use ralph_rag::clean::clean_said;
use ralph_rag::journal::GateMark;
use ralph_rag::words::Words;
use ralph_rag::{gate, keys};
use sqlite_db::{Read, Tx};

impl App {
    /// The only way to add a learning. A returned verdict is true when it is given; without room the error
    /// `knowledge_full` names the parked learning.
    pub fn append_feature_learning(&self, new: &NewLearning) -> Result<RememberOutcome> {
        let settings = self.kept_settings()?;
        let (rules, mode) = (self.rules_by(&settings.in_force), settings.in_force.gate);
        let outcome = self.write(|tx| {
            must_have_a_name(&find_feature(tx, &new.feature)?)?;
            match self.branch_of_actor(tx)? {
                Some(worktree) => stage(tx, new, &worktree, rules),
                None => remember(tx, new, mode, rules),
            }
        })?;
        if outcome.verdict == Verdict::Parked {
            let RememberOutcome { id: parked, saturation, split_task, .. } = outcome;
            return Err(AppError::KnowledgeFull { parked, saturation, split_task });
        }
        Ok(outcome)
    }

    /// Learnings of one feature or of all, in the given states (all when empty), oldest first.
    pub fn learnings(&self, feature: Option<&str>, states: &[LearningState]) -> Result<Vec<FeatureLearning>> {
        self.look_again();
        self.db.read(|r| {
            let name = spelled(r, feature)?;
            Ok(r.learnings(name.as_deref(), states)?)
        })
    }

    /// As [`App::learnings`], with the provenance of their words.
    pub fn learning_rows(&self, feature: Option<&str>, states: &[LearningState]) -> Result<Vec<LearningRow>> {
        let learnings = self.learnings(feature, states)?;
        self.with_origins(learnings)
    }

    /// At most `most` of the learnings that pass a filter, from row `from` on, and how many pass.
    pub fn learning_page(&self, filter: &LearningFilter, from: u32, most: u32) -> Result<LearningPage> {
        self.look_again();
        let (learnings, total) = self.db.read(|r| {
            let feature = spelled(r, filter.feature.as_deref())?;
            Ok::<_, AppError>(r.learning_page(&LearningFilter { feature, ..filter.clone() }, from, most)?)
        })?;
        Ok(LearningPage { rows: self.with_origins(learnings)?, total })
    }

    /// Categories of [`App::learnings`], by name.
    pub fn learning_categories(&self, feature: Option<&str>, states: &[LearningState]) -> Result<Vec<String>> {
        self.db.read(|r| {
            let name = spelled(r, feature)?;
            Ok(r.learning_categories(name.as_deref(), states)?)
        })
    }

    /// These learnings, in the given order; unknown ids are skipped.
    pub fn learning_rows_by_id(&self, ids: &[LearningId]) -> Result<Vec<LearningRow>> {
        let learnings = self.db.read(|r| r.learnings_by_id(ids))?;
        self.with_origins(learnings)
    }

    /// One learning, with the provenance of its words.
    pub fn learning_row(&self, id: &str) -> Result<LearningRow> {
        let learning = self.learning(id)?;
        self.with_origins(vec![learning])?.pop().ok_or_else(|| AppError::not_found(Noun::Learning, id))
    }

    fn with_origins(&self, mut learnings: Vec<FeatureLearning>) -> Result<Vec<LearningRow>> {
        self.with_places_of_today(&mut learnings)?;
        let mut outside = self.db.read(|r| r.outside_learnings())?;
        let row = |learning: FeatureLearning| {
            let brought = outside.remove(&learning.id);
            LearningRow { learning, outside: brought.is_some(), outside_replica: brought.flatten() }
        };
        Ok(learnings.into_iter().map(row).collect())
    }

    /// One learning.
    pub fn learning(&self, id: &str) -> Result<FeatureLearning> {
        self.db.read(|r| match r.learning(id)? {
            Some(learning) => Ok(learning),
            None => Err(missing(r, id)?),
        })
    }
}

/// Remembering, inside a transaction.
pub(crate) fn remember(tx: &Tx<'_>, new: &NewLearning, mode: GateMode, rules: Rules) -> Result<RememberOutcome> {
    let feature = find_feature(tx, &new.feature)?;
    let Cleaned { learning, redacted, cut } = cleaned(tx, new, &feature, rules)?;
    let words = Words::of(&learning.text);
    let report = gate::inspect_words(&learning.text, &words, learning.reason.as_deref(), &learning.tags);
    // A person's own words are never rejected.
    let refused = !report.passed && learning.source != LearningSource::Human && enforces(tx, mode, rules)?;
    let gate = GateMark { passed: report.passed, density: report.density, refused };
    let near = near_by(tx, &feature, &keys::wanted_by(&words))?;
    let needs = Needs::newcomer(&feature.name, near.clone()).and_put_away();
    let candidate = Candidate { learning, words, gate };
    let newcomer = Newcomer { candidate: &candidate, report: &report };
    let done: DoorOutcome = perform_for(tx, rules, &needs, Some(newcomer), |draft| draft.remember(&candidate, &near))?;
    Ok(RememberOutcome {
        reconcile_pending: matches!(done.verdict, Verdict::Added | Verdict::Conflict),
        verdict: done.verdict,
        id: done.id,
        pruned: done.pruned,
        conflicts_with: done.conflicts_with,
        put_away: done.put_away,
        redacted,
        cut,
        saturation: tx.saturation_of(&feature, rules.default_cap)?,
        split_task: tx.active_split_task(feature.id)?,
        gate: report,
    })
}

/// The same for a lesson of an iteration: it goes to its task's feature. If there is none, it is parked, and needs a person.
pub(crate) fn remember_from_task(tx: &Tx<'_>, new: &NewLearning, mode: GateMode, rules: Rules) -> Result<RememberOutcome> {
    let home = new.task_id.map(|task| tx.task(task)).transpose()?.flatten().map_or_else(|| new.feature.clone(), |task| task.feature);
    let feature = find_feature(tx, &home)?;
    if feature.state == FeatureState::Active {
        return remember(tx, &NewLearning { feature: home, ..new.clone() }, mode, rules);
    }
    let Cleaned { learning, redacted, cut } = cleaned(tx, new, &feature, rules)?;
    let report = gate::inspect(&learning.text, learning.reason.as_deref(), &learning.tags);
    let gate = GateMark { passed: report.passed, density: report.density, refused: false };
    let candidate = Candidate::new(learning, gate);
    let near = near(tx, &feature, &candidate.learning.text)?;
    let needs = Needs::newcomer(&feature.name, near.clone()).and_put_away();
    let done = perform(tx, rules, &needs, |draft| draft.keep_homeless(&candidate, &near))?;
    Ok(RememberOutcome {
        verdict: done.verdict,
        id: done.id,
        pruned: Vec::new(),
        conflicts_with: Vec::new(),
        put_away: done.put_away,
        redacted,
        cut,
        saturation: tx.saturation_of(&feature, rules.default_cap)?,
        split_task: None,
        gate: report,
        reconcile_pending: false,
    })
}

/// Whether a text would be added, rather than counted as an observation or left away as put away.
pub(crate) fn would_add(r: &Read<'_>, feature: &str, text: &str) -> Result<bool> {
    let text = clean_said(text, limits::LEARNING_TEXT_CHARS).text;
    let near = near(r, &find_feature(r, feature)?, &text)?;
    Ok(!text.trim().is_empty() && is_news(&text, &r.learnings_by_id(&near)?, &r.lost_words()?))
}

/// Whether the gate rejects now: it is configured to, and two weeks of verdicts are recorded.
fn enforces(tx: &Tx<'_>, mode: GateMode, rules: Rules) -> Result<bool> {
    let ripe = |since| rules.now.millis_since(since) >= limits::GATE_WARN_MILLIS;
    Ok(mode == GateMode::Enforce && tx.gate_since()?.is_some_and(ripe))
}
