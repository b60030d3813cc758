//! Results in the top three were found well enough; and without a known rank nothing is learned.

use super::gate::gate;
use ralph_core::evaluation::Gate;
use ralph_core::feedback::LearnedTerm;
use ralph_core::limits;

/// Whether a selection at this rank teaches.
pub fn teaches(rank: Option<u32>) -> bool {
    rank.is_some_and(|rank| rank > limits::TERM_TOP_RANKS)
}

/// Measured on terms in force: every term names its question and its rank.
pub fn row<'t>(in_force: impl IntoIterator<Item = &'t LearnedTerm>) -> Gate {
    let (mut all, mut wrong) = (0, 0);
    for term in in_force {
        all += 1;
        wrong += u32::from(!teaches(Some(term.rank)) || term.query.is_empty());
    }
    let required = format!("every term names a question and a place beyond the first {}", limits::TERM_TOP_RANKS);
    gate("provenance", required, format!("{} of {all} terms do", all - wrong), wrong == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_found_late_and_known_to_be_teaches() {
        assert_eq!([None, Some(1), Some(3), Some(4)].map(teaches), [false, false, false, true]);
        let term = |rank| LearnedTerm { term: "t".into(), learnt: Default::default(), by: "person".into(), query: "Q".into(), rank };
        assert!(row([&term(4)]).open && !row([&term(2)]).open && row([]).open);
    }
}
