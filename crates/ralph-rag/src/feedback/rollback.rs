//! Rollback of what was learned: all of it, what one kind of source taught, or what was learned since a time.

use super::gate::gate;
use ralph_core::evaluation::{Gate, SelectionRecord};
use ralph_core::feedback::{Feedback, LearnedTerm, SelectionSource, Validation, source_of};
use ralph_core::time::Timestamp;

/// What is rolled back; both `None` = everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RollbackScope {
    /// What this kind of source taught.
    pub source: Option<SelectionSource>,
    /// What was learned at this time or later.
    pub since: Option<Timestamp>,
}

impl RollbackScope {
    fn meets(self, by: &str, at: Timestamp) -> bool {
        self.source.is_none_or(|source| source == source_of(by)) && self.since.is_none_or(|since| at >= since)
    }

    /// Whether it includes a term.
    pub fn meets_term(self, term: &LearnedTerm) -> bool {
        self.meets(&term.by, term.learnt)
    }

    /// Whether it includes a selection.
    pub fn meets_selection(self, selection: &SelectionRecord) -> bool {
        self.meets(&selection.by, selection.at)
    }

    /// Whether it includes a validation.
    pub fn meets_validation(self, said: &Validation) -> bool {
        self.meets(&said.by, said.at)
    }
}

/// Measured by trying it: what a rollback of everything would leave, and how many have been rolled back before.
pub fn row<'f>(all: impl IntoIterator<Item = &'f Feedback>, taken_back: usize) -> Gate {
    let (mut in_force, mut left) = (0, 0);
    for feedback in all {
        in_force += feedback.terms.len();
        left += feedback.terms.iter().filter(|term| !RollbackScope::default().meets_term(term)).count();
    }
    let measured = format!("{left} of {in_force} would be left; {taken_back} were taken back so far");
    gate("rollback", "no term would be left", measured, left == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_or_by_source_or_by_time() {
        let term = |by: &str, at| LearnedTerm { term: "t".into(), learnt: Timestamp(at), by: by.into(), query: "Q".into(), rank: 4 };
        let of = |source, since| RollbackScope { source, since };
        for (reach, by, at, expected) in [
            (of(None, None), "person", 1, true),
            (of(Some(SelectionSource::Agent), None), "agent:3@R", 1, true),
            (of(Some(SelectionSource::Agent), None), "person", 1, false),
            (of(None, Some(Timestamp(5))), "person", 4, false),
            (of(Some(SelectionSource::Person), Some(Timestamp(5))), "person", 5, true),
        ] {
            assert_eq!(reach.meets_term(&term(by, at)), expected, "{reach:?} {by} {at}");
        }
        assert!(row(&[Feedback { terms: vec![term("person", 1)], ..Feedback::default() }], 0).open);
    }
}
