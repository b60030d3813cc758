//! Ranking with learned terms against ranking without: in shadow mode by both rankings of each question, and once the terms count, by the
//! share of questions drawn to go without them.

use super::orders::{kendall_tau, moved, mrr, overlap};
use super::retrieval::{Truth, by_words, mean, order, retrieval};
use super::trial::{ROUNDS, SALT, answer, weeks_not_worse};
use ralph_core::evaluation::{Arm, ArmsTrial, QueryRecord, SelectionRecord, ShadowRecord};
use ralph_core::limits;
use ralph_core::stats::{Interval, SplitMix64, resampled_interval, resampled_mean};
use ralph_core::time::Timestamp;

/// Name of the alternative with learned terms.
pub const LEARNED: &str = "learned";

/// Both rankings of the questions for which a learned term matched, as they were recorded with the question: what a question teaches helps
/// only later questions. The ranking without terms is the live one.
pub fn of_learned(queries: &[QueryRecord], truth: &Truth) -> Vec<ShadowRecord> {
    let compare = |query: &QueryRecord| {
        if query.results.iter().all(|result| result.other_rank.is_none()) {
            return None;
        }
        let (returned, other) = (order(query), other_order(query));
        let (plain, learned) = if query.arm == Arm::Plain { (returned, other) } else { (other, returned) };
        let relevant = truth.on(&query.id);
        let of = |order: &[&str]| relevant.map(|relevant| mrr(order, |memory| relevant.contains(*memory)));
        Some(ShadowRecord {
            query: query.id.clone(),
            at: query.at,
            live: query.configuration.clone(),
            other: LEARNED.to_owned(),
            overlap: overlap(&plain, &learned),
            tau: kendall_tau(&plain, &learned),
            moved: moved(&plain, &learned),
            live_mrr: of(&plain),
            other_mrr: of(&learned),
        })
    };
    queries.iter().filter_map(compare).collect()
}

/// The memories of the ranking that was not returned, in order.
fn other_order(query: &QueryRecord) -> Vec<&str> {
    let mut placed: Vec<(u32, &str)> = query.results.iter().filter_map(|r| Some((r.other_rank?, r.memory.as_str()))).collect();
    placed.sort_unstable();
    placed.into_iter().map(|(_, memory)| memory).collect()
}

/// Results of the draw: questions whose ranking was drawn and for which a learned term matched, so that the draw made a difference.
pub fn arms(queries: &[QueryRecord], truth: &Truth, selections: &[SelectionRecord]) -> ArmsTrial {
    let is_drawn = |query: &&QueryRecord| query.drawn && query.results.iter().any(|result| result.other_rank.is_some());
    let drawn: Vec<&QueryRecord> = queries.iter().filter(is_drawn).collect();
    let side = |arm: Arm| retrieval(drawn.iter().copied().filter(|query| query.arm == arm), truth, selections);
    let (learned, plain) = (side(Arm::Learned), side(Arm::Plain));
    let value = |query: &QueryRecord| {
        let relevant = truth.on(&query.id)?;
        Some(mrr(&order(query), |memory| relevant.contains(*memory)))
    };
    let of = |query: &&QueryRecord, arm: Arm| value(query).filter(|_| query.arm == arm);
    let times: Vec<Timestamp> = drawn.iter().map(|query| query.at).collect();
    let values: Vec<(Option<f64>, Option<f64>)> = drawn.iter().map(|query| (of(query, Arm::Plain), of(query, Arm::Learned))).collect();
    let on = |arm: Arm| by_words(drawn.iter().filter_map(|query| Some((query.text.as_str(), of(query, arm)?))));
    let (without, with) = (on(Arm::Plain), on(Arm::Learned));
    let interval = difference(&with, &without);
    let weeks_not_worse = weeks_not_worse(&times, &values);
    let fewer = u32::try_from(with.len().min(without.len())).unwrap_or(u32::MAX);
    let queries_needed = limits::TRIAL_QUERIES.saturating_sub(fewer);
    ArmsTrial {
        mrr_delta: mean(&with).zip(mean(&without)).map(|(with, without)| with - without),
        answer: answer(queries_needed, interval, plain.mrr_5, weeks_not_worse),
        interval,
        weeks_not_worse,
        queries_needed,
        learned,
        plain,
    }
}

/// The 95 % interval of the difference of two means by resampling both; `None` where one has no values.
fn difference(first: &[f64], second: &[f64]) -> Option<Interval> {
    let mut chance = SplitMix64(SALT);
    let known = !first.is_empty() && !second.is_empty();
    known.then(|| resampled_interval(ROUNDS, || resampled_mean(first, &mut chance) - resampled_mean(second, &mut chance)))
}

#[cfg(test)]
mod tests {
    use super::super::retrieval::testing::{query, selection};
    use super::*;
    use ralph_core::evaluation::TrialAnswer;

    const DAY: i64 = 86_400_000;

    /// A question answered by `a`, which learned terms put from the second place to the first.
    fn asked(id: &str, at: i64, arm: Arm, drawn: bool) -> QueryRecord {
        let answers: [(&str, &[_]); 2] = if arm == Arm::Plain { [("b", &[]), ("a", &[])] } else { [("a", &[]), ("b", &[])] };
        let mut asked = query(id, at, &answers);
        (asked.arm, asked.drawn, asked.text) = (arm, drawn, format!("what about {id}"));
        for result in &mut asked.results {
            result.other_rank = result.rank.map(|rank| 3 - rank);
        }
        asked
    }

    #[test]
    fn in_the_shadow_both_orders_of_each_question_are_compared_whichever_was_returned() {
        let untouched = query("Q3", 0, &[("a", &[])]);
        let queries = [asked("Q1", 0, Arm::Plain, false), asked("Q2", 0, Arm::Learned, true), untouched];
        let truth = Truth::of(&[selection("Q1", "a", 2), selection("Q2", "a", 1)], &[], false);
        let found = of_learned(&queries, &truth);
        let values: Vec<_> = found.iter().map(|c| (c.query.as_str(), c.live_mrr, c.other_mrr, c.tau)).collect();
        assert_eq!(values, [("Q1", Some(0.5), Some(1.0), Some(-1.0)), ("Q2", Some(0.5), Some(1.0), Some(-1.0))]);
        assert_eq!(of_learned(&queries, &Truth::default())[0].other_mrr, None);
    }

    #[test]
    fn once_they_count_the_drawn_share_without_them_is_what_they_are_held_against() {
        let arm = |n: i64| if n % 5 == 0 { Arm::Plain } else { Arm::Learned };
        let mut queries: Vec<QueryRecord> = (0..200).map(|n| asked(&format!("Q{n}"), n * DAY / 10, arm(n), true)).collect();
        // Questions asked while nothing was drawn are not a control group.
        queries.extend((0..50).map(|n| asked(&format!("before{n}"), 0, Arm::Plain, false)));
        let selections: Vec<SelectionRecord> = queries.iter().map(|query| selection(&query.id, "a", 1)).collect();
        let truth = Truth::of(&selections, &[], false);
        let found = arms(&queries, &truth, &selections);
        assert_eq!((found.learned.judged, found.plain.judged, found.mrr_delta), (160, 40, Some(0.5)));
        assert_eq!((found.answer, found.weeks_not_worse, found.queries_needed), (TrialAnswer::Promote, 2, 0));
        assert!(found.interval.is_some_and(|interval| interval.low > 0.0));
        queries.iter_mut().for_each(|query| query.text = "the same".to_owned());
        let one = arms(&queries, &truth, &selections);
        assert_eq!((one.answer, one.queries_needed), (TrialAnswer::Wait, limits::TRIAL_QUERIES - 1), "one question is not evidence");
        let nothing = arms(&[], &truth, &[]);
        assert_eq!((nothing.answer, nothing.queries_needed, nothing.mrr_delta), (TrialAnswer::Wait, limits::TRIAL_QUERIES, None));
    }
}
