//! Every learned term has a journal line that records who taught it, when, and for which question.

use super::gate::gate;
use ralph_core::LearningId;
use ralph_core::evaluation::Gate;
use std::collections::BTreeSet;

/// Measured by comparing the terms in force (learning and term) with the journals.
pub fn row(in_force: &BTreeSet<(LearningId, String)>, told: &BTreeSet<(LearningId, String)>) -> Gate {
    let without = in_force.difference(told).count();
    let measured = format!("{} of {} terms have one", in_force.len() - without, in_force.len());
    gate("audit_log", "a journal line for every term", measured, without == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_that_no_line_tells_of_closes_the_gate() {
        let of = |terms: &[&str]| terms.iter().map(|term| ("L1".to_owned(), (*term).to_owned())).collect::<BTreeSet<_>>();
        assert!(row(&of(&["a"]), &of(&["a", "b"])).open && !row(&of(&["a", "c"]), &of(&["a", "b"])).open);
    }
}
