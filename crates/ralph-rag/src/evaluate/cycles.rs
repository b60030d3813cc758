//! Evaluation cycles: a hundred questions *and* fourteen days of recorded time each.

use crate::feedback::gate::gate;
use crate::recorded;
use ralph_core::count;
use ralph_core::evaluation::{Cycle, Gate};
use ralph_core::limits;
use ralph_core::time::Timestamp;

/// The cycles formed by the times of questions, in the order they were recorded; the last may be incomplete.
pub fn cycles(times: &[Timestamp]) -> Vec<Cycle> {
    let run = recorded::elapsed(times);
    let mut found: Vec<Cycle> = Vec::new();
    let mut of = Unfinished::default();
    for (at, millis) in &run {
        of.add(times[*at], *millis);
        if of.is_complete() {
            found.extend(std::mem::take(&mut of).cycle(found.len()));
        }
    }
    found.extend(of.cycle(found.len()));
    found
}

/// The questions of one cycle so far.
#[derive(Default)]
struct Unfinished {
    queries: u32,
    /// The times of the first and of the last one, each with its position in recorded time.
    bounds: Option<((Timestamp, i64), (Timestamp, i64))>,
}

impl Unfinished {
    fn add(&mut self, at: Timestamp, millis: i64) {
        self.queries += 1;
        self.bounds = Some((self.bounds.map_or((at, millis), |(first, _)| first), (at, millis)));
    }

    fn days(&self) -> f64 {
        self.bounds.map_or(0.0, |((_, first), (_, last))| recorded::in_days(last - first))
    }

    fn is_complete(&self) -> bool {
        self.queries >= limits::CYCLE_QUERIES && self.days() >= f64::from(limits::CYCLE_DAYS)
    }

    /// The cycle, after this many others; `None` without questions.
    fn cycle(self, others: usize) -> Option<Cycle> {
        let ((from, _), (to, _)) = self.bounds?;
        Some(Cycle {
            number: count(others + 1),
            queries: self.queries,
            queries_required: limits::CYCLE_QUERIES,
            days: self.days(),
            days_required: limits::CYCLE_DAYS,
            from,
            to,
            complete: self.is_complete(),
        })
    }
}

/// Measured on the cycles; what is missing is stated in words.
pub fn row(cycles: &[Cycle]) -> Gate {
    let complete = count(cycles.iter().filter(|cycle| cycle.complete).count());
    let going_on = cycles.iter().find(|cycle| !cycle.complete);
    let (queries, days) = going_on.map_or((0, 0.0), |cycle| (cycle.queries, cycle.days.floor()));
    let going_on = if complete >= limits::CYCLES {
        String::new()
    } else {
        format!("; {queries} of {} queries, {days:.0} of {} days of the next", limits::CYCLE_QUERIES, limits::CYCLE_DAYS)
    };
    let required = format!("{} cycles of {} queries and {} days each", limits::CYCLES, limits::CYCLE_QUERIES, limits::CYCLE_DAYS);
    gate("eval_cycles", required, format!("{complete} of {}{going_on}", limits::CYCLES), complete >= limits::CYCLES)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    fn questions(a_day: i64, days: i64) -> Vec<Timestamp> {
        (0..days).flat_map(|day| (0..a_day).map(move |n| Timestamp((20_000 + day) * DAY + n * 1_000))).collect()
    }

    #[test]
    fn a_cycle_takes_a_hundred_questions_and_fourteen_days() {
        let complete = |times: &[Timestamp]| cycles(times).iter().filter(|cycle| cycle.complete).count();
        assert_eq!(complete(&questions(200, 10)), 0, "many questions in a few days");
        assert_eq!(complete(&questions(4, 20)), 0, "few questions in many days");
        assert_eq!(complete(&questions(7, 20)), 1);
        assert_eq!(complete(&questions(10, 30)), 2);
        assert_eq!(cycles(&[]), vec![]);
    }

    #[test]
    fn twenty_thousand_questions_in_a_few_days_are_counted_at_once() {
        // Looking at all questions of a cycle again for each of them took a minute.
        assert_eq!(cycles(&questions(2_000, 10)).len(), 1);
        let found = cycles(&questions(700, 29));
        assert_eq!(
            found.iter().map(|cycle| (cycle.queries, cycle.complete)).collect::<Vec<_>>(),
            [(9_801, true), (9_801, true), (698, false)]
        );
    }

    #[test]
    fn the_gate_says_what_is_missing() {
        let mut times = questions(7, 9);
        times.truncate(61);
        let gate = row(&cycles(&times));
        assert!(!gate.open);
        assert_eq!(gate.measured, "0 of 2; 61 of 100 queries, 8 of 14 days of the next");
        assert_eq!(row(&[]).measured, "0 of 2; 0 of 100 queries, 0 of 14 days of the next");
        let enough = row(&cycles(&questions(10, 31)));
        assert!(enough.open && enough.measured == "2 of 2", "{enough:?}");
    }

    #[test]
    fn a_restart_and_a_clock_that_jumps_shorten_no_cycle() {
        let mut times = questions(10, 10);
        times.extend((0..60).map(|n| Timestamp((20_000 + 400) * DAY + n)));
        times.extend((0..10).map(|n| Timestamp((20_000 + 10) * DAY + n)));
        let found = cycles(&times);
        assert!(found.iter().all(|cycle| !cycle.complete), "{found:?}");
    }
}
