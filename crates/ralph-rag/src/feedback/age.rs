//! Learnings younger than three days learn nothing: what was written today is selected today, whatever it says.

use super::gate::gate;
use ralph_core::evaluation::Gate;
use ralph_core::limits;
use ralph_core::time::Timestamp;

/// Whether a learning is old enough to learn terms. `written` = when, by [`crate::recorded::written`].
pub fn is_old_enough(written: Timestamp, now: Timestamp) -> bool {
    now.millis_since(written) >= limits::TERM_LEARNING_AGE_MILLIS
}

/// Measured on terms in force: for each, when its learning was written, and when the term was learned.
pub fn row(in_force: impl IntoIterator<Item = (Timestamp, Timestamp)>) -> Gate {
    let hours = |millis: u64| millis / 3_600_000;
    let youngest = in_force.into_iter().map(|(written, learnt)| learnt.millis_since(written)).min();
    let measured = youngest.map_or_else(|| "nothing was learnt yet".to_owned(), |age| format!("the youngest had {} hours", hours(age)));
    let required = format!("learnings of {} hours or more", hours(limits::TERM_LEARNING_AGE_MILLIS));
    gate("learning_age", required, measured, youngest.is_none_or(|age| age >= limits::TERM_LEARNING_AGE_MILLIS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seventy_two_hours_are_needed_and_a_clock_that_went_back_gives_none() {
        let hour = 3_600_000;
        let created = Timestamp(1_000 * hour);
        assert_eq!([1_071, 1_072, 500].map(|now| is_old_enough(created, Timestamp(now * hour))), [false, true, false]);
        assert!(row([(created, Timestamp(1_072 * hour))]).open && !row([(created, Timestamp(1_010 * hour))]).open && row([]).open);
    }
}
