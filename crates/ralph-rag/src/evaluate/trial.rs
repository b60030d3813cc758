//! A trial of an alternative alongside the configuration in force: promote, wait, or roll back.

use super::retrieval::{by_words, mean};
use crate::recorded;
use ralph_core::count;
use ralph_core::evaluation::{Arm, ShadowRecord, Trial, TrialAnswer};
use ralph_core::limits;
use ralph_core::stats::{Interval, SplitMix64, resampled_interval, resampled_mean};
use ralph_core::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Salt of this draw, separate so that it is independent of the hold-out draw.
pub(super) const SALT: u64 = 0x5452_4941_4c31;
/// Rounds of the bootstrap.
pub(super) const ROUNDS: usize = 1_000;

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

/// Results of the comparisons with each alternative, by name. The comparisons are in the order in which their questions were recorded, and
/// `words` has the text of each question by its id.
pub fn trials(comparisons: &[ShadowRecord], words: &BTreeMap<&str, &str>) -> Vec<Trial> {
    let mut by_other: BTreeMap<&str, Vec<&ShadowRecord>> = BTreeMap::new();
    for comparison in comparisons {
        by_other.entry(&comparison.other).or_default().push(comparison);
    }
    by_other.into_iter().map(|(other, of)| trial(other, &of, words)).collect()
}

fn trial(other: &str, of: &[&ShadowRecord], words: &BTreeMap<&str, &str>) -> Trial {
    let words_of = |comparison: &ShadowRecord| words.get(comparison.query.as_str()).copied();
    let judged: Vec<(&str, f64, f64)> =
        of.iter().filter_map(|c| Some((words_of(c).unwrap_or(&c.query), c.live_mrr?, c.other_mrr?))).collect();
    let deltas = by_words(judged.iter().map(|(words, live, other)| (*words, other - live)));
    let interval = bootstrap_mean(&deltas);
    let live_mrr = mean(&by_words(judged.iter().map(|(words, live, _)| (*words, *live))));
    let times: Vec<Timestamp> = of.iter().map(|comparison| comparison.at).collect();
    let judgement = |comparison: &&ShadowRecord| (comparison.live_mrr, comparison.other_mrr);
    let weeks_not_worse = weeks_not_worse(&times, &of.iter().map(judgement).collect::<Vec<_>>());
    // If both give the same order, nothing was compared: such questions count for the means, but decide nothing.
    let differs = |c: &&&ShadowRecord| c.overlap < 1.0 || c.moved > 0.0 || c.tau.is_some_and(|tau| tau < 1.0);
    let telling = of.iter().filter(differs).filter(|c| c.live_mrr.is_some() && c.other_mrr.is_some());
    let telling: BTreeSet<&str> = telling.map(|c| words_of(c).unwrap_or(&c.query)).collect();
    let queries_needed = limits::TRIAL_QUERIES.saturating_sub(count(telling.len()));
    let taus: Vec<f64> = of.iter().filter_map(|comparison| comparison.tau).collect();
    let mean_of = |value: fn(&ShadowRecord) -> f64| mean(&of.iter().map(|c| value(c)).collect::<Vec<_>>()).unwrap_or(0.0);
    Trial {
        other: other.to_owned(),
        queries: count(of.len()),
        judged: count(judged.len()),
        questions: count(deltas.len()),
        overlap: mean_of(|comparison| comparison.overlap),
        tau: mean(&taus),
        moved: mean_of(|comparison| comparison.moved),
        live_mrr,
        mrr_delta: mean(&deltas),
        interval,
        weeks_not_worse,
        queries_needed,
        answer: answer(queries_needed, interval, live_mrr, weeks_not_worse),
    }
}

/// The decision: a measured loss rolls back, two weeks in a row without one promote.
pub(super) fn answer(queries_needed: u32, interval: Option<Interval>, baseline: Option<f64>, weeks_not_worse: u32) -> TrialAnswer {
    let tolerance = -limits::TRIAL_TOLERANCE * baseline.unwrap_or(0.0);
    if queries_needed > 0 {
        TrialAnswer::Wait
    } else if interval.is_some_and(|interval| interval.high < tolerance) {
        TrialAnswer::RollBack
    } else if weeks_not_worse >= limits::TRIAL_WEEKS {
        TrialAnswer::Promote
    } else {
        TrialAnswer::Wait
    }
}

/// Consecutive whole weeks of recorded time, up to the last, in which the second mean was not below the first by more than the tolerance. A
/// week in which either is unknown ends the series: it proves nothing. Neither a gap nor a jump of the clock makes a week.
pub(super) fn weeks_not_worse(times: &[Timestamp], values: &[(Option<f64>, Option<f64>)]) -> u32 {
    let places = recorded::places(times);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "weeks of a history, never negative")]
    let week = |place: f64| (place / 7.0).floor() as usize;
    let whole = places.iter().flatten().last().map_or(0, |place| week(*place));
    let mut weeks: Vec<(Vec<f64>, Vec<f64>)> = vec![Default::default(); whole];
    for (place, (first, second)) in places.iter().zip(values) {
        if let Some(week) = place.and_then(|place| weeks.get_mut(week(place))) {
            week.0.extend(first);
            week.1.extend(second);
        }
    }
    let is_fine = |(first, second): &&(Vec<f64>, Vec<f64>)| {
        mean(first).zip(mean(second)).is_some_and(|(first, second)| second >= first * (1.0 - limits::TRIAL_TOLERANCE))
    };
    count(weeks.iter().rev().take_while(is_fine).count())
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

    const DAY: i64 = 86_400_000;

    fn compared(day: i64, n: i64, live: f64, other: f64) -> ShadowRecord {
        ShadowRecord {
            query: format!("Q{day}-{n}"),
            at: Timestamp(day * DAY + n),
            live: "live".into(),
            other: "other".into(),
            overlap: 0.8,
            tau: Some(0.5),
            moved: 1.0,
            live_mrr: Some(live),
            other_mrr: Some(other),
        }
    }

    /// Three questions a day, in whole weeks with the given means.
    fn weeks(of: &[(f64, f64)]) -> Trial {
        let day = |day: usize| of.get(day / 7).or(of.last()).copied().unwrap_or_default();
        let days = 0..=of.len() * 7;
        let comparisons: Vec<ShadowRecord> =
            days.flat_map(|d| (0..3).map(move |n| (d, n))).map(|(d, n)| compared(d as i64, n, day(d).0, day(d).1)).collect();
        trials(&comparisons, &BTreeMap::new()).remove(0)
    }

    #[test]
    fn two_weeks_in_a_row_promote_and_a_measured_loss_rolls_back() {
        for (of, answer, weeks_fine) in [
            (vec![(0.5, 0.6), (0.5, 0.6)], TrialAnswer::Promote, 2),
            (vec![(0.5, 0.495), (0.5, 0.5)], TrialAnswer::Promote, 2),
            (vec![(0.5, 0.6), (0.5, 0.4), (0.5, 0.6)], TrialAnswer::Wait, 1),
            (vec![(0.5, 0.6), (0.5, 0.6), (0.5, 0.48)], TrialAnswer::Wait, 0),
            (vec![(0.5, 0.6)], TrialAnswer::Wait, 1),
            (vec![(0.5, 0.3), (0.5, 0.3)], TrialAnswer::RollBack, 0),
        ] {
            let trial = weeks(&of);
            assert_eq!((trial.answer, trial.weeks_not_worse), (answer, weeks_fine), "{of:?}: {trial:?}");
            assert_eq!(trial.live_mrr, Some(0.5));
        }
        let few = trials(&[compared(0, 1, 0.5, 0.1)], &BTreeMap::new()).remove(0);
        assert_eq!((few.answer, few.queries_needed), (TrialAnswer::Wait, 29));
        assert_eq!(trials(&[], &BTreeMap::new()), vec![]);
    }

    #[test]
    fn one_question_asked_a_hundred_times_is_one_question() {
        let of: Vec<ShadowRecord> = (0..=14).flat_map(|day| (0..7).map(move |n| compared(day, n, 0.5, 0.2))).collect();
        let words = of.iter().map(|c| (c.query.as_str(), "how large may the queue be")).collect();
        let trial = trials(&of, &words).remove(0);
        assert_eq!((trial.judged, trial.queries_needed, trial.answer), (105, 29, TrialAnswer::Wait));
        assert_eq!(trials(&of, &BTreeMap::new()).remove(0).answer, TrialAnswer::RollBack, "as many questions are evidence");
    }

    #[test]
    fn an_alternative_that_orders_no_question_otherwise_was_not_tried() {
        let same = |day: i64, n| ShadowRecord { overlap: 1.0, tau: Some(1.0), moved: 0.0, ..compared(day, n, 0.5, 0.5) };
        let mut of: Vec<ShadowRecord> = (0..=14).flat_map(|day| (0..5).map(move |n| same(day, n))).collect();
        let trial = |of: &[ShadowRecord]| trials(of, &BTreeMap::new()).remove(0);
        assert_eq!((trial(&of).questions, trial(&of).queries_needed, trial(&of).answer), (75, 30, TrialAnswer::Wait));
        of.iter_mut().take(30).for_each(|c| c.tau = Some(0.9));
        assert_eq!((trial(&of).queries_needed, trial(&of).answer), (0, TrialAnswer::Promote));
    }

    #[test]
    fn a_jump_of_the_clock_and_weeks_of_silence_are_no_weeks() {
        let at = |days: &[i64]| {
            let of: Vec<ShadowRecord> = days.iter().flat_map(|day| (0..20).map(move |n| compared(*day, n, 0.5, 0.6))).collect();
            trials(&of, &BTreeMap::new()).remove(0)
        };
        for days in [&[0_i64, 8][..], &[0, 8, 16, 400], &[0, 8, 1, 16, 2]] {
            assert_eq!((at(days).weeks_not_worse, at(days).answer), (0, TrialAnswer::Wait), "{days:?}");
        }
        let half_known: Vec<ShadowRecord> = (0..=14).map(|day| ShadowRecord { live_mrr: None, ..compared(day, 0, 0.5, 0.6) }).collect();
        assert_eq!(trials(&half_known, &BTreeMap::new())[0].weeks_not_worse, 0, "what nobody judged is not known to be no worse");
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
