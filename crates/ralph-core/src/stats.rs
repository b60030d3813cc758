//! Statistics of measured numbers: intervals, comparisons, and when there is too little data for either.
//!
//! Randomness is an argument: [`SplitMix64`] is a seeded generator, and the same seed gives the same interval.

mod strata;

pub use strata::Strata;

use crate::{TaskId, count};
use serde::{Deserialize, Serialize};

/// Minimum observations on each side of a comparison before a number is shown.
///
/// With 20 on each side, the 95 % interval of a difference of two proportions is up to 60 points wide: just enough to detect
/// a halving. With fewer, every plausible effect of a memory is within the noise.
pub const COMPARISON_MINIMUM: u32 = 20;
/// Rounds of a bootstrap: the 2.5th percentile is then based on 50 values.
const BOOTSTRAP_ROUNDS: usize = 2_000;
/// The normal deviate of a two-sided 95 % interval.
const Z95: f64 = 1.959_963_984_540_054;

/// Successes among trials.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Proportion {
    /// Number of successes.
    pub successes: u32,
    /// Number of trials.
    pub trials: u32,
}

impl Proportion {
    /// Success rate in 0..=1; 0 without trials.
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

/// A comparison of two sides, or why there is none yet.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Comparison {
    /// Too few observations.
    NotEnough {
        /// Observations of the smaller side.
        have: u32,
        /// Observations needed on each side.
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
        /// The difference's 95 % interval; there is an effect if it excludes 0.
        interval: Interval,
    },
}

impl Comparison {
    /// Compares two success rates, each as if both sides had all strata alike.
    pub fn of_rates(strata: &Strata<Proportion>) -> Comparison {
        let have = strata.comparable(|side| side.trials);
        if have < COMPARISON_MINIMUM {
            return Comparison::NotEnough { have, need: COMPARISON_MINIMUM };
        }
        let weighed = strata.weighed(|side| side.trials);
        let [a, b] = [0, 1].map(|side: usize| weighed.iter().map(|(weight, sides)| weight * sides[side].rate()).sum::<f64>());
        Comparison::Measured { first: a, second: b, difference: a - b, interval: newcombe_within(&weighed, Z95) }
    }

    /// Compares two means, such as dollars or turns, as [`Comparison::of_rates`] does; NaN values are ignored.
    pub fn of_means(strata: &Strata<Vec<f64>>, chance: &mut SplitMix64) -> Comparison {
        let finite = strata.map(|values| values.iter().copied().filter(|value| value.is_finite()).collect::<Vec<f64>>());
        let size = |values: &Vec<f64>| count(values.len());
        let have = finite.comparable(size);
        if have < COMPARISON_MINIMUM {
            return Comparison::NotEnough { have, need: COMPARISON_MINIMUM };
        }
        let weighed = finite.weighed(size);
        let [a, b] = [0, 1].map(|side: usize| weighed.iter().map(|(weight, sides)| weight * mean(&sides[side])).sum::<f64>());
        let mut resampled = |[first, second]: &[Vec<f64>; 2]| resampled_mean(first, chance) - resampled_mean(second, chance);
        let interval = resampled_interval(BOOTSTRAP_ROUNDS, || weighed.iter().map(|(weight, sides)| weight * resampled(sides)).sum());
        Comparison::Measured { first: a, second: b, difference: a - b, interval }
    }

    /// Whether an effect was measured: the interval excludes 0.
    pub fn shows_an_effect(&self) -> bool {
        matches!(self, Comparison::Measured { interval, .. } if interval.low > 0.0 || interval.high < 0.0)
    }
}

impl std::fmt::Display for Comparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Comparison::NotEnough { have, need } => write!(f, "not enough yet ({have} of {need})"),
            Comparison::Measured { first, second, difference, interval } => {
                let Interval { low, high } = interval;
                // A difference of a tenth of a cent is not 0.
                let is_hidden = |number: &f64| *number != 0.0 && number.abs() < 0.005;
                let digits = if [*first, *second, *difference, *low, *high].iter().any(is_hidden) { 4 } else { 2 };
                write!(f, "{first:.digits$} against {second:.digits$}: {difference:+.digits$} ({low:+.digits$} to {high:+.digits$})")
            }
        }
    }
}

/// Whether the first success rate is lower than the second, if this is asked after every trial, about `pairs` pairs of rates at once: all
/// these looks together raise a false alarm with a probability of at most 2.5 %.
///
/// A plain interval is valid for one look. This one is wider by as much as Robbins' normal mixture (1970) requires, tuned to the minimum of
/// a comparison, with the share of each pair by Bonferroni.
pub fn is_lower_at_every_look(strata: &Strata<Proportion>, pairs: u32) -> bool {
    let trials = |side: &Proportion| side.trials;
    // The information in a difference of means, relative to the first look: with many small strata it is less than their sum suggests.
    let grown = 2.0 * strata.information(trials) / f64::from(COMPARISON_MINIMUM);
    if strata.comparable(trials) < COMPARISON_MINIMUM || grown < 1.0 {
        return false;
    }
    let z2 = (1.0 + 1.0 / grown) * (grown.ln_1p() + 2.0 * (20.0 * f64::from(pairs.max(1))).ln());
    newcombe_within(&strata.weighed(trials), z2.sqrt()).high < 0.0
}

/// Wilson's 95 % score interval of a proportion, within 0..=1; the full range without trials.
pub fn wilson(of: Proportion) -> Interval {
    wilson_at(of, Z95)
}

fn wilson_at(of: Proportion, z: f64) -> Interval {
    if of.trials == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (n, p, z2) = (f64::from(of.trials), of.rate(), z * z);
    let centre = p + z2 / (2.0 * n);
    let spread = z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    Interval { low: ((centre - spread) / scale).clamp(0.0, 1.0), high: ((centre + spread) / scale).clamp(0.0, 1.0) }
}

/// Newcombe's hybrid score interval of the difference of two proportions, first minus second.
fn newcombe_at(first: Proportion, second: Proportion, z: f64) -> Interval {
    let (a, b) = (first.rate(), second.rate());
    let (wa, wb) = (wilson_at(first, z), wilson_at(second, z));
    let below = ((a - wa.low).powi(2) + (wb.high - b).powi(2)).sqrt();
    let above = ((wa.high - a).powi(2) + (b - wb.low).powi(2)).sqrt();
    Interval { low: (a - b - below).max(-1.0), high: (a - b + above).min(1.0) }
}

/// The interval of a weighted sum of differences, from the one of each (Zou and Donner 2008).
fn newcombe_within(weighed: &[(f64, &[Proportion; 2])], z: f64) -> Interval {
    let (mut difference, mut below, mut above) = (0.0, 0.0, 0.0);
    for (weight, [first, second]) in weighed {
        let (own, of_it) = (first.rate() - second.rate(), newcombe_at(*first, *second, z));
        difference += weight * own;
        below += (weight * (own - of_it.low)).powi(2);
        above += (weight * (of_it.high - own)).powi(2);
    }
    Interval { low: (difference - below.sqrt()).max(-1.0), high: (difference + above.sqrt()).min(1.0) }
}

/// The 95 % percentile interval of a statistic that is computed from a new resample in each round (Efron 1979).
///
/// # Panics
/// Without a single round.
pub fn resampled_interval(rounds: usize, mut statistic: impl FnMut() -> f64) -> Interval {
    let mut values: Vec<f64> = (0..rounds).map(|_| statistic()).collect();
    values.sort_by(f64::total_cmp);
    let tail = rounds / 40;
    Interval { low: values[tail], high: values[rounds - 1 - tail] }
}

/// The mean of a resample: as many values as there are, drawn with replacement.
pub fn resampled_mean(values: &[f64], chance: &mut SplitMix64) -> f64 {
    let sum: f64 = values.iter().map(|_| values[chance.index(values.len())]).sum();
    sum / values.len() as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Whether an attempt is held out from memory: it gets no learnings, as a control group for those that do.
///
/// Deterministic for a task, attempt and salt; over many of them `share_percent` of 100 are held out; 100 and more hold out all.
pub fn hold_out(task: TaskId, attempt: u32, share_percent: u32, salt: u64) -> bool {
    let mut chance = SplitMix64(salt);
    let salted = chance.next_u64();
    let mut chance = SplitMix64(salted ^ (u64::from(task) << 32 | u64::from(attempt)));
    chance.next_u64() % 100 < u64::from(share_percent)
}

/// SplitMix64: a small seeded generator, for reproducible randomness. Not for secrets.
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

    /// An index into a list of `length` entries; 0 for an empty one.
    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.next_u64() % (length.max(1) as u64)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(successes: u32, trials: u32) -> Proportion {
        Proportion { successes, trials }
    }

    fn means(first: &[f64], second: &[f64], seed: u64) -> Comparison {
        Comparison::of_means(&Strata::one(first.to_vec(), second.to_vec()), &mut SplitMix64(seed))
    }

    /// The percentage of 400 histories in which a look after any of the attempts reported harm; success rates are in percent, told and
    /// withheld.
    fn alarms(rates: (u64, u64), hold_out: u64, attempts: u32, pairs: u32) -> u32 {
        let mut chance = SplitMix64(7);
        let mut told_of_harm = |_: &u32| {
            let mut strata = Strata::default();
            (0..attempts).any(|_| {
                let held_out = chance.next_u64() % 100 < hold_out;
                let rate = if held_out { rates.1 } else { rates.0 };
                strata.count(0, held_out, chance.next_u64() % 100 < rate);
                is_lower_at_every_look(&strata, pairs)
            })
        };
        (0..400).filter(|history| told_of_harm(history)).count() as u32 / 4
    }

    #[test]
    fn chance_is_no_harm_however_often_one_looks_and_real_harm_is_found() {
        for hold_out in [10, 20, 50] {
            let found = alarms((70, 70), hold_out, 500, 1);
            assert!(found <= 2, "{hold_out}: {found} % false alarms");
        }
        for (hold_out, attempts, pairs) in [(50, 200, 1), (20, 300, 1), (10, 600, 1), (20, 500, 20)] {
            let found = alarms((40, 70), hold_out, attempts, pairs);
            assert!(found >= 85, "{hold_out} {attempts} {pairs}: {found} % found");
        }
        let lower = |first, second, pairs| is_lower_at_every_look(&Strata::one(first, second), pairs);
        assert!(!lower(of(0, 19), of(99, 99), 1) && lower(of(0, 20), of(20, 20), 20));
    }

    fn close(interval: Interval, low: f64, high: f64) -> bool {
        (interval.low - low).abs() < 5e-4 && (interval.high - high).abs() < 5e-4
    }

    #[test]
    fn wilsons_interval_is_the_published_one() {
        // Newcombe 1998, table I, method 3.
        for (successes, trials, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let interval = wilson(of(successes, trials));
            assert!(close(interval, low, high), "{successes} of {trials}: {interval:?}");
        }
        assert_eq!(wilson(of(0, 0)), Interval { low: 0.0, high: 1.0 });
        assert_eq!(wilson(of(9, 3)), wilson(of(3, 3)));
    }

    #[test]
    fn newcombes_interval_is_the_published_one() {
        // Newcombe 1998 (differences), table II, method 10.
        for (first, second, low, high) in [
            (of(56, 70), of(48, 80), 0.0524, 0.3339),
            (of(9, 10), of(3, 10), 0.1705, 0.8090),
            (of(0, 10), of(0, 20), -0.1611, 0.2775),
            (of(10, 10), of(0, 10), 0.6075, 1.0),
        ] {
            let interval = newcombe_at(first, second, Z95);
            assert!(close(interval, low, high), "{first:?} {second:?}: {interval:?}");
        }
    }

    #[test]
    fn too_few_observations_give_no_number() {
        let few = Comparison::of_rates(&Strata::one(of(12, 12), of(0, 400)));
        assert_eq!(few.to_string(), "not enough yet (12 of 20)");
        assert!(!few.shows_an_effect());
        let numbers = [1.0; 40];
        let mut holes = numbers;
        holes[..25].fill(f64::NAN);
        assert_eq!(means(&numbers, &holes, 1), Comparison::NotEnough { have: 15, need: 20 });
        assert_eq!(means(&[], &[], 1), Comparison::NotEnough { have: 0, need: 20 });
    }

    #[test]
    fn enough_observations_give_a_difference_with_its_interval() {
        let rates = Comparison::of_rates(&Strata::one(of(16, 20), of(6, 20)));
        assert_eq!(rates.to_string(), "0.80 against 0.30: +0.50 (+0.19 to +0.70)");
        assert!(rates.shows_an_effect());
        assert!(!Comparison::of_rates(&Strata::one(of(11, 20), of(9, 20))).shows_an_effect());
        let cheap: Vec<f64> = (0..40).map(|i| 1.0 + f64::from(i % 5) / 10.0).collect();
        let dear: Vec<f64> = cheap.iter().map(|cost| cost + 1.0).collect();
        let Comparison::Measured { difference, interval, .. } = means(&cheap, &dear, 7) else { panic!("measured") };
        assert!((difference + 1.0).abs() < 1e-9 && interval.low < -1.0 && interval.high > -1.0 && interval.high < -0.9, "{interval:?}");
        assert_eq!(means(&[0.004; 20], &[0.003; 20], 7).to_string(), "0.0040 against 0.0030: +0.0010 (+0.0010 to +0.0010)");
    }

    #[test]
    fn a_bootstrap_covers_the_truth_about_as_often_as_it_says() {
        let mut chance = SplitMix64(3);
        let mut draw = |count: usize| (0..count).map(|_| (chance.next_u64() % 1_000) as f64).collect::<Vec<f64>>();
        let samples: Vec<(Vec<f64>, Vec<f64>)> = (0..100).map(|_| (draw(30), draw(30))).collect();
        let covers = |(i, (a, b)): (u64, &(Vec<f64>, Vec<f64>))| matches!(means(a, b, i), Comparison::Measured { interval, .. } if interval.low <= 0.0 && interval.high >= 0.0);
        let covered = (0..).zip(&samples).filter(|sample| covers((sample.0, sample.1))).count();
        assert!((88..=100).contains(&covered), "{covered} of 100");
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let values: Vec<f64> = (0..30).map(f64::from).collect();
        let run = |seed| means(&values, &values[..20], seed);
        assert_eq!(run(5), run(5));
        assert_ne!(run(5), run(6));
    }

    #[test]
    fn a_hold_out_takes_its_share_and_always_the_same() {
        for share in [0, 10, 25, 50, 90, 100, 200] {
            let held = (1..=100).flat_map(|task| (1..=100).map(move |attempt| (task, attempt)));
            let held = held.filter(|(task, attempt)| hold_out(*task, *attempt, share, 42)).count();
            let wanted = usize::try_from(share.min(100)).unwrap() * 100;
            assert!(held.abs_diff(wanted) < 200, "{share} %: {held} of 10000");
        }
        let row = |salt| (1..=64).map(|task| hold_out(task, 1, 50, salt)).collect::<Vec<bool>>();
        assert_eq!(row(1), row(1));
        assert_ne!(row(1), row(2));
        // Attempts at one task are not all held out together.
        let attempts: Vec<bool> = (1..=20).map(|attempt| hold_out(7, attempt, 50, 1)).collect();
        assert!(attempts.contains(&true) && attempts.contains(&false));
    }

    proptest! {
        #[test]
        fn intervals_hold_their_estimate(a in 0_u32..2_000, n in 0_u32..2_000, b in 0_u32..2_000, m in 0_u32..2_000) {
            let (first, second) = (of(a, n), of(b, m));
            let own = wilson(first);
            prop_assert!(0.0 <= own.low && own.low <= first.rate() + 1e-9 && first.rate() <= own.high + 1e-9 && own.high <= 1.0);
            let both = newcombe_at(first, second, Z95);
            let difference = first.rate() - second.rate();
            prop_assert!(-1.0 <= both.low && both.low <= difference + 1e-9 && difference <= both.high + 1e-9 && both.high <= 1.0);
        }
    }
}
