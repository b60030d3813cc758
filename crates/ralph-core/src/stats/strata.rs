//! Observations of two sides, grouped by the probability with which they were assigned to a side.

use super::Proportion;
use std::collections::BTreeMap;

/// Observations of two sides, grouped by the probability with which they were assigned to a side.
///
/// If that probability differed, everything else may differ too: if few of the easy tasks and most of the hard ones were held out, the
/// sides differ by their tasks. Only observations assigned with the same probability are comparable, so the sides are compared within each
/// stratum.
#[derive(Debug, Clone, PartialEq)]
pub struct Strata<T>(BTreeMap<u32, [T; 2]>);

impl<T> Default for Strata<T> {
    fn default() -> Strata<T> {
        Strata(BTreeMap::new())
    }
}

impl<T> Strata<T> {
    /// Two sides whose observations were assigned with one probability.
    pub fn one(first: T, second: T) -> Strata<T> {
        Strata(BTreeMap::from([(0, [first, second])]))
    }

    /// The same strata, with each side transformed.
    pub(super) fn map<U>(&self, of: impl Fn(&T) -> U) -> Strata<U> {
        Strata(self.0.iter().map(|(chance, sides)| (*chance, sides.each_ref().map(&of))).collect())
    }

    /// The strata with observations on both sides, each with its Mantel-Haenszel weight: how much it says about a difference. Weights, if
    /// there are any, sum to 1.
    pub(super) fn weighed(&self, size: impl Fn(&T) -> u32) -> Vec<(f64, &[T; 2])> {
        let of = |[first, second]: &[T; 2]| information(size(first), size(second));
        let sum: f64 = self.0.values().map(of).sum();
        self.0.values().filter(|sides| of(sides) > 0.0).map(|sides| (of(sides) / sum, sides)).collect()
    }

    /// The sum of what all strata say about a difference.
    pub(super) fn information(&self, size: impl Fn(&T) -> u32) -> f64 {
        self.0.values().map(|[first, second]| information(size(first), size(second))).sum()
    }

    /// Comparable observations of the smaller side.
    pub fn comparable(&self, size: impl Fn(&T) -> u32) -> u32 {
        let both = self.weighed(&size);
        let [first, second] = [0, 1].map(|side: usize| both.iter().map(|(_, sides)| size(&sides[side])).fold(0, u32::saturating_add));
        first.min(second)
    }
}

impl<T: Default> Strata<T> {
    /// A side of the stratum that was assigned with this probability, in percent.
    pub fn side(&mut self, chance: u32, second: bool) -> &mut T {
        &mut self.0.entry(chance).or_default()[usize::from(second)]
    }
}

impl Strata<Proportion> {
    /// Counts an observation.
    pub fn count(&mut self, chance: u32, second: bool, success: bool) {
        let side = self.side(chance, second);
        *side = Proportion { trials: side.trials + 1, successes: side.successes + u32::from(success) };
    }

    /// All observations of the second side.
    pub fn second(&self) -> Proportion {
        self.0.values().fold(Proportion::default(), |sum, [_, second]| Proportion {
            successes: sum.successes + second.successes,
            trials: sum.trials + second.trials,
        })
    }
}

/// The inverse of the variance of a difference of two means, apart from the variance of an observation.
fn information(first: u32, second: u32) -> f64 {
    let (a, b) = (f64::from(first), f64::from(second));
    if first.min(second) == 0 { 0.0 } else { a * b / (a + b) }
}

#[cfg(test)]
mod tests {
    use super::super::{Comparison, SplitMix64, is_lower_at_every_look};
    use super::*;

    /// A run with a hold-out in percent in which each task has the same result, whether told or not.
    fn run(strata: &mut Strata<Proportion>, hold_out: u32, attempts: u32, success: bool) {
        for attempt in 0..attempts {
            strata.count(hold_out, attempt * 100 < hold_out * attempts, success);
        }
    }

    #[test]
    fn easy_tasks_mostly_held_out_and_hard_ones_mostly_told_show_no_effect() {
        let mut strata = Strata::default();
        run(&mut strata, 90, 50, true);
        run(&mut strata, 10, 50, false);
        let Comparison::Measured { first, second, difference, interval } = Comparison::of_rates(&strata) else { panic!("measured") };
        assert!((first - 0.5).abs() < 1e-9 && (second - 0.5).abs() < 1e-9 && difference.abs() < 1e-9, "{first} {second}");
        assert!(interval.low < 0.0 && interval.high > 0.0 && !is_lower_at_every_look(&strata, 1), "{interval:?}");
        let mut costs = Strata::<Vec<f64>>::default();
        for (hold_out, cost) in [(90, 1.0), (10, 3.0)] {
            for attempt in 0..50 {
                costs.side(hold_out, attempt * 2 < hold_out).push(cost + f64::from(attempt % 5) / 10.0);
            }
        }
        let costs = Comparison::of_means(&costs, &mut SplitMix64(1));
        assert!(matches!(costs, Comparison::Measured { difference, .. } if difference.abs() < 0.2) && !costs.shows_an_effect(), "{costs}");
    }

    #[test]
    fn what_was_not_divided_is_compared_with_nothing() {
        let mut strata = Strata::default();
        run(&mut strata, 100, 500, true);
        run(&mut strata, 0, 500, false);
        assert_eq!(Comparison::of_rates(&strata), Comparison::NotEnough { have: 0, need: 20 });
        run(&mut strata, 50, 60, true);
        assert_eq!((strata.comparable(|side| side.trials), strata.second().trials), (30, 530));
    }

    #[test]
    fn an_effect_within_every_stratum_is_found() {
        let mut strata = Strata::default();
        for (hold_out, told, withheld) in [(20, (12, 80), (14, 20)), (50, (10, 40), (30, 40))] {
            let side = |(successes, trials)| Proportion { successes, trials };
            (*strata.side(hold_out, false), *strata.side(hold_out, true)) = (side(told), side(withheld));
        }
        assert!(Comparison::of_rates(&strata).shows_an_effect() && is_lower_at_every_look(&strata, 1));
    }

    #[test]
    fn chance_in_runs_with_different_hold_outs_is_no_harm() {
        let mut chance = SplitMix64(7);
        let mut told_of_harm = |_: &u32| {
            let mut strata = Strata::default();
            (0..500).any(|attempt| {
                let (hold_out, rate) = if attempt / 50 % 2 == 0 { (80, 90) } else { (10, 30) };
                let held_out = chance.next_u64() % 100 < u64::from(hold_out);
                strata.count(hold_out, held_out, chance.next_u64() % 100 < rate);
                is_lower_at_every_look(&strata, 1)
            })
        };
        let alarms = (0..400).filter(|history| told_of_harm(history)).count();
        // 2.5 % of 400 are 10; in as many draws there are more than 16 once in a hundred times.
        assert!(alarms <= 16, "{alarms} of 400");
    }
}
