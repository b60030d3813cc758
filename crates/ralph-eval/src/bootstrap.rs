//! Intervals by bootstrap over questions (Efron 1979): how much of a mean may be chance.

use ralph_core::stats::{SplitMix64, resampled_interval, resampled_mean};
use serde::Serialize;

/// Samples that are drawn.
const SAMPLES: usize = 1_000;
/// Of the draws.
const SEED: u64 = 1;

/// A mean with its interval of 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanInterval {
    /// The mean.
    pub mean: f64,
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// The mean of some values, and its interval. Drawn from a fixed seed: the same values give the same interval.
pub fn mean_interval(of: &[f64]) -> MeanInterval {
    if of.is_empty() {
        return MeanInterval { mean: 0.0, low: 0.0, high: 0.0 };
    }
    let mut chance = SplitMix64(SEED);
    let interval = resampled_interval(SAMPLES, || resampled_mean(of, &mut chance));
    MeanInterval { mean: of.iter().sum::<f64>() / of.len() as f64, low: interval.low, high: interval.high }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_holds_the_mean_shrinks_with_more_and_is_the_same_again() {
        let few: Vec<f64> = (0..20).map(|n| f64::from(n % 2)).collect();
        let many: Vec<f64> = (0..2_000).map(|n| f64::from(n % 2)).collect();
        let (a, b) = (mean_interval(&few), mean_interval(&many));
        assert!(a.low < 0.35 && a.high > 0.65 && (a.mean - 0.5).abs() < 1e-12, "{a:?}");
        assert!((0.47..0.5).contains(&b.low) && (0.5..0.53).contains(&b.high), "{b:?}");
        assert_eq!(a, mean_interval(&few));
        assert_eq!(mean_interval(&[0.25; 5]), MeanInterval { mean: 0.25, low: 0.25, high: 0.25 });
        assert_eq!(mean_interval(&[]).mean, 0.0);
    }
}
