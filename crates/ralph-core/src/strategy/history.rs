//! Results of each model in a project's history.

use super::{ModelRecord, StrategyInput};
use crate::stats::{Proportion, wilson};
use crate::text::reached;

/// One model at the task's difficulty.
pub(super) struct ModelRate {
    /// Index in the table of models.
    pub(super) place: usize,
    pub(super) attempts: u32,
    pub(super) successes: u32,
    /// Lower bound of the success rate, 0..=100.
    pub(super) lower_percent: f64,
    /// Dollars, of the attempts whose cost is known; `None` when there is none.
    pub(super) cost_per_attempt: Option<f64>,
}

/// Sums a model's records at the task's difficulty, or over all difficulties while the task's is unknown.
pub(super) fn measured(input: &StrategyInput<'_>, place: usize) -> ModelRate {
    let fits = |record: &&ModelRecord| {
        record.model.eq_ignore_ascii_case(&input.models[place]) && (input.difficulty.is_none() || record.difficulty == input.difficulty)
    };
    let (mut attempts, mut successes, mut priced, mut cost) = (0_u32, 0_u32, 0_u32, 0.0);
    for record in input.history.iter().filter(fits) {
        attempts = attempts.saturating_add(record.attempts);
        successes = successes.saturating_add(record.successes.min(record.attempts));
        if let Some(usd) = record.cost_usd.filter(|usd| usd.is_finite() && *usd >= 0.0) {
            priced = priced.saturating_add(record.priced);
            cost += usd;
        }
    }
    ModelRate {
        place,
        attempts,
        successes,
        lower_percent: if attempts == 0 { 0.0 } else { 100.0 * wilson(Proportion { successes, trials: attempts }).low },
        cost_per_attempt: (priced > 0).then(|| cost / f64::from(priced)),
    }
}

/// The cheapest of some models by cost per attempt; by their order if one of the costs is unknown.
pub(super) fn cheapest<'a>(models: &[&'a ModelRate]) -> Option<&'a ModelRate> {
    let costs: Option<Vec<f64>> = models.iter().map(|model| model.cost_per_attempt).collect();
    match costs {
        Some(_) => models.iter().min_by(|a, b| price(a).total_cmp(&price(b)).then(a.place.cmp(&b.place))).copied(),
        None => models.iter().min_by_key(|model| model.place).copied(),
    }
}

fn price(model: &ModelRate) -> f64 {
    model.cost_per_attempt.unwrap_or(f64::INFINITY)
}

/// A percentage for display beside the required one.
pub(super) fn percent(value: f64) -> String {
    format!("{} %", reached(value, 0))
}
