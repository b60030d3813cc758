//! Lifetime of a term: thirty days, with decaying strength, unless it is confirmed.

use super::gate::gate;
use ralph_core::evaluation::Gate;
use ralph_core::feedback::LearnedTerm;
use ralph_core::limits;
use ralph_core::time::Timestamp;

/// Strength of a term: 1 when learned, decaying linearly to 0 at the end of its lifetime. A term dated in the future, by a jump of the
/// clock or in a line from elsewhere, waits for its date: no jump makes a learning old enough to be taught, and no date keeps a term alive
/// beyond its time.
pub fn strength(term: &LearnedTerm, now: Timestamp) -> f64 {
    if term.learnt > now {
        return 0.0;
    }
    #[allow(clippy::cast_precision_loss, reason = "a share of a month")]
    let age = now.millis_since(term.learnt) as f64 / limits::TERM_LIFE_MILLIS as f64;
    (1.0 - age).max(0.0)
}

/// Measured on the oldest term in force.
pub fn row<'t>(in_force: impl IntoIterator<Item = &'t LearnedTerm>, now: Timestamp) -> Gate {
    let days = |millis: u64| millis / 86_400_000;
    let living = in_force.into_iter().filter(|term| strength(term, now) > 0.0);
    let oldest = living.map(|term| now.millis_since(term.learnt)).max().unwrap_or(0);
    let required = format!("none in force after {} days", days(limits::TERM_LIFE_MILLIS));
    gate("lifetime", required, format!("the oldest in force has {} days", days(oldest)), oldest <= limits::TERM_LIFE_MILLIS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_fades_and_is_gone_after_thirty_days() {
        let day = 86_400_000;
        let term = LearnedTerm { term: "t".into(), learnt: Timestamp(100 * day), by: "person".into(), query: "Q".into(), rank: 4 };
        for (at, expected) in [(100, 1.0), (115, 0.5), (130, 0.0), (400, 0.0), (99, 0.0), (50, 0.0)] {
            assert!((strength(&term, Timestamp(at * day)) - expected).abs() < 1e-9, "day {at}");
        }
        assert!(row([&term], Timestamp(120 * day)).open && row([&term], Timestamp(900 * day)).open, "what is dead is not in force");
    }
}
