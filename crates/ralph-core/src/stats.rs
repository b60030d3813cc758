//! What may be said about measured numbers: intervals, comparisons, and when it is too early for either.
//!
//! Chance is an argument: [`SplitMix64`] is a seeded generator, and the same seed gives the same interval.

use crate::TaskId;
use serde::{Deserialize, Serialize};

/// Observations that each side of a comparison must have before a number is told.
///
/// With 20 on each side the 95 % interval of a difference of two proportions is up to 60 points wide: just enough to see that something
/// halves. With fewer, every effect that a memory could have is within the noise.
pub const COMPARISON_MINIMUM: u32 = 20;
/// Rounds of a bootstrap: the 2.5th percentile then rests on 50 values.
const BOOTSTRAP_ROUNDS: usize = 2_000;
/// The normal deviate of a two-sided 95 % interval.
const Z95: f64 = 1.959_963_984_540_054;

/// Successes among trials.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Proportion {
    /// How many succeeded.
    pub successes: u32,
    /// Of how many.
    pub trials: u32,
}

impl Proportion {
    /// The share that succeeded, in 0..=1; 0 without trials.
    pub fn rate(self) -> f64 {
        if self.trials == 0 { 0.0 } else { f64::from(self.successes.min(self.trials)) / f64::from(self.trials) }
    }
}

/// A 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// Two sides compared, or why they can't be yet.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Comparison {
    /// Too few observations for any number.
    NotEnough {
        /// Observations of the side that has fewer.
        have: u32,
        /// Observations that each side needs.
        need: u32,
    },
    /// Measured.
    Measured {
        /// The first side's value: a rate in 0..=1, or a mean.
        first: f64,
        /// The second side's value.
        second: f64,
        /// First minus second.
        difference: f64,
        /// The difference's 95 % interval; there is an effect where it does not hold 0.
        interval: Interval,
    },
}

impl Comparison {
    /// Compares two success rates.
    pub fn of_rates(first: Proportion, second: Proportion) -> Comparison {
        let have = first.trials.min(second.trials);
        if have < COMPARISON_MINIMUM {
            return Comparison::NotEnough { have, need: COMPARISON_MINIMUM };
        }
        let (a, b) = (first.rate(), second.rate());
        Comparison::Measured { first: a, second: b, difference: a - b, interval: newcombe(first, second) }
    }

    /// Compares two means, such as dollars or turns; values that are no numbers are left out.
    pub fn of_means(first: &[f64], second: &[f64], chance: &mut SplitMix64) -> Comparison {
        let finite = |values: &[f64]| values.iter().copied().filter(|value| value.is_finite()).collect::<Vec<f64>>();
        let (first, second) = (finite(first), finite(second));
        let have = u32::try_from(first.len().min(second.len())).unwrap_or(u32::MAX);
        if have < COMPARISON_MINIMUM {
            return Comparison::NotEnough { have, need: COMPARISON_MINIMUM };
        }
        let (a, b) = (mean(&first), mean(&second));
        let interval = bootstrap(&first, &second, chance).unwrap_or(Interval { low: a - b, high: a - b });
        Comparison::Measured { first: a, second: b, difference: a - b, interval }
    }

    /// Whether an effect was measured: the interval does not hold 0.
    pub fn shows_an_effect(&self) -> bool {
        matches!(self, Comparison::Measured { interval, .. } if interval.low > 0.0 || interval.high < 0.0)
    }
}

impl std::fmt::Display for Comparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Comparison::NotEnough { have, need } => write!(f, "not enough yet ({have} of {need})"),
            Comparison::Measured { first, second, difference, interval } => {
                write!(f, "{first:.2} against {second:.2}: {difference:+.2} ({:+.2} to {:+.2})", interval.low, interval.high)
            }
        }
    }
}

/// Wilson's 95 % score interval of a proportion, within 0..=1; everything is possible without trials.
pub fn wilson(of: Proportion) -> Interval {
    if of.trials == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (n, p, z2) = (f64::from(of.trials), of.rate(), Z95 * Z95);
    let centre = p + z2 / (2.0 * n);
    let spread = Z95 * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    Interval { low: ((centre - spread) / scale).clamp(0.0, 1.0), high: ((centre + spread) / scale).clamp(0.0, 1.0) }
}

/// Newcombe's hybrid score 95 % interval of the difference of two proportions, first minus second.
pub fn newcombe(first: Proportion, second: Proportion) -> Interval {
    let (a, b) = (first.rate(), second.rate());
    let (wa, wb) = (wilson(first), wilson(second));
    let below = ((a - wa.low).powi(2) + (wb.high - b).powi(2)).sqrt();
    let above = ((wa.high - a).powi(2) + (b - wb.low).powi(2)).sqrt();
    Interval { low: (a - b - below).max(-1.0), high: (a - b + above).min(1.0) }
}

/// The 95 % percentile interval of the difference of two means, first minus second, by resampling; `None` when a side is empty or holds
/// something that is no number.
pub fn bootstrap(first: &[f64], second: &[f64], chance: &mut SplitMix64) -> Option<Interval> {
    if first.is_empty() || second.is_empty() || !first.iter().chain(second).all(|value| value.is_finite()) {
        return None;
    }
    let mut differences: Vec<f64> = (0..BOOTSTRAP_ROUNDS).map(|_| resampled_mean(first, chance) - resampled_mean(second, chance)).collect();
    differences.sort_by(f64::total_cmp);
    let tail = BOOTSTRAP_ROUNDS / 40;
    Some(Interval { low: differences[tail], high: differences[BOOTSTRAP_ROUNDS - 1 - tail] })
}

fn resampled_mean(values: &[f64], chance: &mut SplitMix64) -> f64 {
    let sum: f64 = values.iter().map(|_| values[chance.index(values.len())]).sum();
    sum / values.len() as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Whether an attempt is held out of memory: it gets no learnings, so that those that get them have something to be compared with.
///
/// The same task, attempt and salt always answer the same, and over many of them `share_percent` of 100 are held out; 100 and more hold all.
pub fn hold_out(task: TaskId, attempt: u32, share_percent: u32, salt: u64) -> bool {
    let mut chance = SplitMix64(salt);
    let salted = chance.next_u64();
    let mut chance = SplitMix64(salted ^ (u64::from(task) << 32 | u64::from(attempt)));
    chance.next_u64() % 100 < u64::from(share_percent)
}

/// SplitMix64: a small generator with a seed, for what must come out the same each time. Not for secrets.
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A place in a list of `length` entries; 0 in an empty one.
    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.next_u64() % (length.max(1) as u64)).unwrap_or(0)
    }
}
