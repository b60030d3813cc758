//! Learned terms are evaluated on every question before they affect any ranking: for a week of recorded time.

use super::gate::gate;
use crate::recorded;
use ralph_core::evaluation::Gate;
use ralph_core::limits;
use ralph_core::text::reached;
use ralph_core::time::Timestamp;

/// Measured on the times of questions, in the order they were recorded: from the first that taught a term or for which one matched
/// (`first_question`, its index), and never before the time at which the first was learned (`first_learnt`). What another clone learned has
/// been in shadow mode here only since it arrived.
pub fn row(times: &[Timestamp], first_learnt: Option<Timestamp>, first_question: Option<usize>, days_asked: u32) -> Gate {
    let days_asked = days_asked.max(limits::TERM_SHADOW_DAYS);
    // A wrong clock at the time of the first term makes the trial longer, never shorter: if it was ahead, what is before that time does not
    // count; if behind, what was recorded before its question does not.
    let after = first_question.map_or(&[][..], |first| &times[first.min(times.len())..]);
    let since: Vec<Timestamp> = first_learnt.map(|first| after.iter().copied().filter(|at| *at >= first).collect()).unwrap_or_default();
    let days = recorded::days(&since);
    let measured = match first_learnt {
        None => "nothing was learnt yet".to_owned(),
        Some(first) => format!("{} of {days_asked} days since {first}", reached(days, 1)),
    };
    gate(
        "shadow",
        format!("{days_asked} days of recorded time in the shadow"),
        measured,
        first_learnt.is_some() && days >= f64::from(days_asked),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trial_takes_a_week_of_recorded_time() {
        let day = 86_400_000;
        let times = |days: &[i64]| days.iter().map(|d| Timestamp(d * day)).collect::<Vec<_>>();
        let week = times(&[10, 11, 12, 13, 14, 15, 16, 17]);
        let first = Some(Timestamp(10 * day));
        let begin = Some(0);
        assert!(row(&week, first, begin, 7).open && !row(&week, first, begin, 8).open && !row(&week, None, begin, 7).open);
        assert!(!row(&week, Some(Timestamp(11 * day)), begin, 7).open, "what was before it counts for nothing");
        assert!(!row(&times(&[10, 40]), first, begin, 7).open, "a jump of the clock is not a week");
        assert!(!row(&week[..7], first, begin, 0).open, "a setting may lengthen it, never shorten it");
        let nearly = [&week[..7], &[Timestamp(17 * day - 1_000_000)]].concat();
        let gate = row(&nearly, first, begin, 7);
        assert!(!gate.open && gate.measured.starts_with("6.9 of 7 days"), "{}", gate.measured);
        assert!(!row(&week, Some(Timestamp(0)), None, 7).open, "terms of another clone, which matched no question here");
        assert!(!row(&week, Some(Timestamp(0)), Some(6), 7).open, "a clock that was behind does not lead back before its own question");
    }
}
