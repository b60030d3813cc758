//! Intervals by bootstrap over questions (Efron 1979): how far a mean may be chance.

use serde::Serialize;

/// Samples that are drawn.
const SAMPLES: usize = 1_000;
/// Half of what is outside of the interval.
const TAIL: f64 = 0.025;

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
    let mean = |sum: f64| sum / of.len().max(1) as f64;
    if of.is_empty() {
        return MeanInterval { mean: 0.0, low: 0.0, high: 0.0 };
    }
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut draw = || {
        // xorshift64* (Vigna 2016).
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        ((state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize) % of.len()
    };
    let mut means: Vec<f64> = (0..SAMPLES).map(|_| mean((0..of.len()).map(|_| of[draw()]).sum())).collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((SAMPLES - 1) as f64 * share).round() as usize];
    MeanInterval { mean: mean(of.iter().sum()), low: at(TAIL), high: at(1.0 - TAIL) }
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
