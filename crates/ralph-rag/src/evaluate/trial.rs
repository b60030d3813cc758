//! A trial of an alternative alongside the configuration in force: promote, wait, or roll back.

use super::retrieval::{mean, week_of};
use ralph_core::evaluation::{Arm, ShadowRecord, Trial, TrialAnswer};
use ralph_core::limits;
use ralph_core::stats::{Interval, SplitMix64, resampled_interval, resampled_mean};
use std::collections::BTreeMap;

/// Salt of this draw, separate so that it is independent of the hold-out draw.
const SALT: u64 = 0x5452_4941_4c31;
/// Rounds of the bootstrap.
const ROUNDS: usize = 1_000;

/// Which ranking a question gets, once learned terms count: most with them, a drawn share without, so that their effect stays measurable.
/// Deterministic by key. `stratum` is what the draw must be independent of, such as the task's attempt: the share is drawn separately
/// within each. Attempts held out from learnings don't take part.
pub fn arm(stratum: u64, key: &str) -> Arm {
    let mut hash = SplitMix64(SALT ^ SplitMix64(stratum).next_u64());
    for byte in key.bytes() {
        hash = SplitMix64(hash.next_u64() ^ u64::from(byte));
    }
    if hash.next_u64() % 100 < u64::from(limits::TRIAL_HOLD_OUT) { Arm::Plain } else { Arm::Learned }
}

/// Results of the comparisons with each alternative, by name.
pub fn trials(comparisons: &[ShadowRecord]) -> Vec<Trial> {
    let mut by_other: BTreeMap<&str, Vec<&ShadowRecord>> = BTreeMap::new();
    for comparison in comparisons {
        by_other.entry(&comparison.other).or_default().push(comparison);
    }
    by_other.into_iter().map(|(other, of)| trial(other, &of)).collect()
}

fn trial(other: &str, of: &[&ShadowRecord]) -> Trial {
    let judged: Vec<(i64, f64, f64)> = of.iter().filter_map(|c| Some((week_of(c.at), c.live_mrr?, c.other_mrr?))).collect();
    let deltas: Vec<f64> = judged.iter().map(|(_, live, other)| other - live).collect();
    let interval = bootstrap_mean(&deltas);
    let live = mean(&judged.iter().map(|(_, live, _)| *live).collect::<Vec<_>>()).unwrap_or(0.0);
    let tolerance = -limits::TRIAL_TOLERANCE * live;
    let weeks_not_worse = weeks_not_worse(&judged);
    let count = u32::try_from(judged.len()).unwrap_or(u32::MAX);
    let queries_needed = limits::TRIAL_QUERIES.saturating_sub(count);
    let worse = interval.is_some_and(|interval| interval.high < tolerance);
    let answer = if queries_needed > 0 {
        TrialAnswer::Wait
    } else if worse {
        TrialAnswer::RollBack
    } else if weeks_not_worse >= limits::TRIAL_WEEKS {
        TrialAnswer::Promote
    } else {
        TrialAnswer::Wait
    };
    let taus: Vec<f64> = of.iter().filter_map(|comparison| comparison.tau).collect();
    Trial {
        other: other.to_owned(),
        queries: u32::try_from(of.len()).unwrap_or(u32::MAX),
        judged: count,
        overlap: mean(&of.iter().map(|comparison| comparison.overlap).collect::<Vec<_>>()).unwrap_or(0.0),
        tau: mean(&taus),
        mrr_delta: mean(&deltas),
        interval,
        weeks_not_worse,
        queries_needed,
        answer,
    }
}

/// Consecutive weeks, up to the last, in which the alternative's mean was not below the live one's by more than the tolerance.
fn weeks_not_worse(judged: &[(i64, f64, f64)]) -> u32 {
    let mut weeks: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
    for (week, live, other) in judged {
        let sums = weeks.entry(*week).or_default();
        *sums = (sums.0 + live, sums.1 + other);
    }
    let fine = weeks.values().rev().take_while(|(live, other)| *other >= live * (1.0 - limits::TRIAL_TOLERANCE)).count();
    u32::try_from(fine).unwrap_or(u32::MAX)
}

/// The 95 % interval of a mean by resampling; `None` for no values.
pub fn bootstrap_mean(values: &[f64]) -> Option<Interval> {
    let mut chance = SplitMix64(SALT);
    (!values.is_empty()).then(|| resampled_interval(ROUNDS, || resampled_mean(values, &mut chance)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::stats::hold_out;
    use ralph_core::time::Timestamp;

    fn compared(week: i64, n: usize, live: f64, other: f64) -> ShadowRecord {
        ShadowRecord {
            query: format!("Q{week}-{n}"),
            at: Timestamp(week * 7 * 86_400_000),
            live: "live".into(),
            other: "other".into(),
            overlap: 0.8,
            tau: Some(0.5),
            moved: 1.0,
            live_mrr: Some(live),
            other_mrr: Some(other),
        }
    }

    fn weeks(of: &[(f64, f64)]) -> Trial {
        let comparisons: Vec<ShadowRecord> =
            of.iter().enumerate().flat_map(|(week, (a, b))| (0..20).map(move |n| compared(week as i64, n, *a, *b))).collect();
        trials(&comparisons).remove(0)
    }

    #[test]
    fn two_weeks_in_a_row_promote_and_a_measured_loss_rolls_back() {
        for (of, answer, weeks_fine) in [
            (vec![(0.5, 0.6), (0.5, 0.6)], TrialAnswer::Promote, 2),
            (vec![(0.5, 0.495), (0.5, 0.5)], TrialAnswer::Promote, 2),
            (vec![(0.5, 0.6), (0.5, 0.4), (0.5, 0.6)], TrialAnswer::Wait, 1),
            (vec![(0.5, 0.6)], TrialAnswer::Wait, 1),
            (vec![(0.5, 0.3), (0.5, 0.3)], TrialAnswer::RollBack, 0),
        ] {
            let trial = weeks(&of);
            assert_eq!((trial.answer, trial.weeks_not_worse), (answer, weeks_fine), "{of:?}: {trial:?}");
        }
        let few = trials(&[compared(0, 1, 0.5, 0.1)]).remove(0);
        assert_eq!((few.answer, few.queries_needed), (TrialAnswer::Wait, 29));
        assert_eq!(trials(&[]), vec![]);
    }

    #[test]
    fn a_fifth_is_held_out_in_every_stratum_and_apart_from_the_hold_out_of_learnings() {
        let share = |keys: &mut dyn Iterator<Item = (u64, String)>| {
            let arms: Vec<bool> = keys.map(|(stratum, key)| arm(stratum, &key) == Arm::Plain).collect();
            arms.iter().filter(|plain| **plain).count() as f64 / arms.len() as f64
        };
        for stratum in 0..4 {
            let found = share(&mut (0..2_000).map(|n| (stratum, format!("task {n}"))));
            assert!((0.17..0.23).contains(&found), "{stratum}: {found}");
        }
        // Among held-out attempts and among the others, the second draw takes the same share.
        for held in [true, false] {
            let keys = (0..4_000_u32).filter(|task| hold_out(*task, 1, 50, SALT) == held);
            let found = share(&mut keys.map(|task| (1, format!("task {task}"))));
            assert!((0.17..0.23).contains(&found), "{held}: {found}");
        }
        assert_eq!(arm(3, "the same"), arm(3, "the same"));
    }
}
