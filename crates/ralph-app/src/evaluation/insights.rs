//! All statistics of retrieval and of the effects of learnings: each figure from rows, with their number.

use crate::app::App;
use crate::error::Result;
use crate::evaluation::gates::Gates;
use ralph_core::evaluation::{EffectOrder, EvalInsights, Gate, LearningEffect, LearningEffects, Trial, TrialAnswer};
use ralph_core::feedback::FeedbackMode;
use ralph_core::view::{EffectFigure, Settings};
use ralph_core::{IterationId, LearningId};
use ralph_rag::evaluate::channels;
use ralph_rag::evaluate::effects::{ToldAttempt, behind, effects, order};
use ralph_rag::evaluate::retrieval::{by_week, retrieval};
use sqlite_db::table::AttemptRow;

impl App {
    /// Everything known about retrieval.
    pub fn eval_insights(&self) -> Result<EvalInsights> {
        let settings = self.settings()?;
        let history = self.recorded()?;
        let Gates { gates, cycles, terms, trials, arms } = self.gates(&settings, &history)?;
        let agreement = history.agreement();
        let truth = history.truth();
        let open = gates.iter().all(|gate| gate.open);
        self.store_look(&settings, open);
        Ok(EvalInsights {
            mode: settings.feedback,
            terms_count: settings.feedback == FeedbackMode::On && open,
            channels: channels::channels(&history.queries, &history.selections, &truth),
            noise_rate: ralph_rag::feedback::measured::noise_rate(&terms),
            retrieval: retrieval(&history.queries, &truth, &history.selections),
            weeks: by_week(&history.queries, &truth, &history.selections),
            provisional: provisional(&settings, &trials),
            learned_terms: terms,
            recorded: history.counts,
            gates,
            cycles,
            trials,
            arms,
            agreement,
        })
    }

    /// The gates alone.
    pub fn eval_gates(&self) -> Result<Vec<Gate>> {
        let settings = self.settings()?;
        let gates = self.gates(&settings, &self.recorded()?)?.gates;
        self.store_look(&settings, gates.iter().all(|gate| gate.open));
        Ok(gates)
    }

    /// The first `limit` learnings in an order of their effects.
    pub fn learning_effects(&self, by: EffectOrder, limit: usize) -> Result<LearningEffects> {
        let mut rows = self.effects()?;
        let total = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        order(&mut rows, by);
        rows.truncate(limit);
        Ok(LearningEffects { rows, total })
    }

    /// Effect of each learning on the attempts that were shown it, most shown first.
    pub fn effects(&self) -> Result<Vec<LearningEffect>> {
        let attempts = self.told_attempts()?;
        let mut ids: Vec<LearningId> = attempts.iter().flat_map(|attempt| attempt.learnings.iter().cloned()).collect();
        ids.sort();
        ids.dedup();
        let texts = self.db.read(|r| r.learnings_by_id(&ids))?.into_iter().map(|learning| (learning.id, learning.text)).collect();
        Ok(effects(&attempts, &texts))
    }

    /// Effect of one learning.
    pub(crate) fn effect_of(&self, learning: &LearningId) -> Result<Option<LearningEffect>> {
        let mut attempts = self.told_attempts()?;
        attempts.retain(|attempt| attempt.learnings.contains(learning));
        attempts.iter_mut().for_each(|attempt| attempt.learnings = vec![learning.clone()]);
        let texts = self.db.read(|r| r.learnings_by_id(std::slice::from_ref(learning)))?;
        Ok(effects(&attempts, &texts.into_iter().map(|learning| (learning.id, learning.text)).collect()).pop())
    }

    /// The iterations that a figure in the effect of a learning counts.
    pub(crate) fn attempts_behind(&self, learning: &str, figure: EffectFigure) -> Result<Vec<IterationId>> {
        let learning = self.learning(learning)?;
        Ok(behind(&self.told_attempts()?, &learning.id, &learning.text, figure))
    }

    /// Attempts for which there were learnings.
    pub(crate) fn told_attempts(&self) -> Result<Vec<ToldAttempt>> {
        let attempt = |row: AttemptRow| ToldAttempt {
            iteration: row.iteration,
            held_out: row.held_out,
            compared: row.compared,
            done: row.done,
            learnings: row.learnings,
            failure: row.failure,
        };
        Ok(self.db.read(|r| r.told_attempts())?.into_iter().map(attempt).collect())
    }
}

/// Weights not yet confirmed by a trial in this project.
fn provisional(settings: &Settings, trials: &[Trial]) -> Vec<String> {
    let tuning = settings.recall;
    let weights =
        [("chunk_bonus", tuning.chunk_bonus), ("learned", tuning.learned), ("path", tuning.path), ("dependency", tuning.dependency)];
    let decided = |name: &str| {
        let settled = |trial: &&Trial| trial.answer != TrialAnswer::Wait;
        trials.iter().filter(settled).any(|trial| trial.other == name || trial.other.starts_with(&format!("{name}=")))
    };
    weights.iter().filter(|(name, _)| !decided(name)).map(|(name, value)| format!("{name} {value}")).collect()
}
