//! All statistics of retrieval and of the effects of learnings: each figure from rows, with their number.

use crate::app::App;
use crate::error::Result;
use crate::evaluation::gates::Gates;
use ralph_core::evaluation::{EffectOrder, EvalInsights, Gate, LearningEffect, LearningEffects, ToldAttempt, Trial, TrialAnswer};
use ralph_core::feedback::{FeedbackMode, Importance, SelectionKind};
use ralph_core::settings::Settings;
use ralph_core::view::EffectFigure;
use ralph_core::{IterationId, LearningId, count};
use ralph_rag::evaluate::channels;
use ralph_rag::evaluate::effects::{behind, effects, order};
use ralph_rag::evaluate::retrieval::{by_week, retrieval};

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
            channels: channels::channels(&history.queries, &history.heard, &truth),
            noise_rate: ralph_rag::feedback::measured::noise_rate(&terms),
            retrieval: retrieval(&history.queries, &truth, &history.heard),
            weeks: by_week(&history.queries, &truth, &history.heard),
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
        let total = count(rows.len());
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
        Ok(self.db.read(|r| r.told_attempts())?)
    }
}

/// Weights not yet confirmed by a trial in this project. Those of selections and of importance are set, and no trial is about them.
fn provisional(settings: &Settings, trials: &[Trial]) -> Vec<String> {
    let tuning = settings.recall;
    let weights =
        [("chunk_bonus", tuning.chunk_bonus), ("learned", tuning.learned), ("path", tuning.path), ("dependency", tuning.dependency)];
    let decided = |name: &str| {
        let settled = |trial: &&Trial| trial.answer != TrialAnswer::Wait;
        // A trial that changes other weights too says nothing about this one.
        let of_it =
            |other: &str| other == name || other.strip_prefix(name).is_some_and(|rest| rest.starts_with('=') && !rest.contains(','));
        trials.iter().filter(settled).any(|trial| of_it(&trial.other))
    };
    let tried = weights.iter().filter(|(name, _)| !decided(name)).map(|(name, value)| format!("{name} {value}"));
    let selections = SelectionKind::ALL.iter().map(|kind| format!("selection_{kind} {}", kind.weight()));
    let importance = Importance::ALL.iter().filter(|of| **of != Importance::Normal).map(|of| format!("importance_{of} {}", of.factor()));
    tried.chain(selections).chain(importance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_decided_by_a_trial_of_it_alone() {
        let trial = |other: &str, answer| Trial {
            other: other.to_owned(),
            queries: 100,
            judged: 100,
            questions: 100,
            overlap: 1.0,
            tau: None,
            moved: 0.0,
            live_mrr: None,
            mrr_delta: None,
            interval: None,
            weeks_not_worse: 2,
            queries_needed: 0,
            answer,
        };
        let left = |other: &str, answer| provisional(&Settings::default(), &[trial(other, answer)]).len();
        let none = provisional(&Settings::default(), &[]).len();
        for (other, answer, decided) in [
            ("path=0", TrialAnswer::Promote, 1),
            ("path=0", TrialAnswer::Wait, 0),
            ("path=0,recency=0", TrialAnswer::Promote, 0),
            ("learned", TrialAnswer::Promote, 1),
        ] {
            assert_eq!(none - left(other, answer), decided, "{other} {answer:?}");
        }
        let named = provisional(&Settings::default(), &[]);
        for set in ["selection_opened 0.3", "selection_succeeded 0.1", "importance_important 1.05", "importance_critical 1.1"] {
            assert!(named.iter().any(|one| one == set), "{set}: {named:?}");
        }
    }
}
