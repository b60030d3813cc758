//! Limits on learned terms: few per selection, few per learning, and few teaching selections per agent.

use super::gate::gate;
use ralph_core::evaluation::Gate;
use ralph_core::feedback::{Feedback, LearnedTerm, SelectionSource, source_of};
use ralph_core::limits;
use ralph_core::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Terms evicted for `newcomers`: those learned longest ago.
pub fn evicted(known: &[LearnedTerm], newcomers: &[String]) -> Vec<String> {
    let mut others: Vec<&LearnedTerm> = known.iter().filter(|known| !newcomers.contains(&known.term)).collect();
    others.sort_by(|a, b| (a.learnt, &a.term).cmp(&(b.learnt, &b.term)));
    let excess = (others.len() + newcomers.len()).saturating_sub(limits::TERMS_PER_LEARNING);
    others.into_iter().take(excess).map(|other| other.term.clone()).collect()
}

/// Whether one more selection by this source may teach. A person is not limited; an agent may teach three times in eight hours, since it
/// can select a thousand times a minute.
pub fn may_teach<'f>(by: &str, all: impl IntoIterator<Item = &'f Feedback>, now: Timestamp) -> bool {
    if source_of(by) == SelectionSource::Person {
        return true;
    }
    let recent = |term: &&LearnedTerm| {
        source_of(&term.by) == source_of(by) && term.by == by && now.millis_since(term.learnt) < limits::PROMOTION_WINDOW_MILLIS
    };
    let terms = all.into_iter().flat_map(|feedback| &feedback.terms).filter(recent);
    let taught: BTreeSet<(&str, Timestamp)> = terms.map(|term| (term.query.as_str(), term.learnt)).collect();
    taught.len() < limits::PROMOTIONS as usize
}

/// Measured on the terms in force.
pub fn row<'f>(all: impl IntoIterator<Item = &'f Feedback>) -> Gate {
    let (mut of_learning, mut of_selection) = (0, 0);
    for feedback in all {
        let mut selections: BTreeMap<(&str, &str, Timestamp), usize> = BTreeMap::new();
        for term in &feedback.terms {
            *selections.entry((&term.by, &term.query, term.learnt)).or_default() += 1;
        }
        of_learning = of_learning.max(feedback.terms.len());
        of_selection = of_selection.max(selections.into_values().max().unwrap_or(0));
    }
    let open = of_selection <= limits::TERMS_PER_SELECTION && of_learning <= limits::TERMS_PER_LEARNING;
    let required = format!("{} terms or fewer for a selection, {} for a learning", limits::TERMS_PER_SELECTION, limits::TERMS_PER_LEARNING);
    gate("caps", required, format!("{of_selection} at most for a selection, {of_learning} for a learning"), open)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn term(term: &str, learnt: i64, by: &str) -> LearnedTerm {
        LearnedTerm { term: term.to_owned(), learnt: Timestamp(learnt), by: by.to_owned(), query: format!("Q{learnt}"), rank: 5 }
    }

    #[test]
    fn the_longest_known_makes_room_and_one_that_is_learnt_again_needs_none() {
        let known: Vec<LearnedTerm> = (0..8).map(|n| term(&format!("term{n}"), n, "person")).collect();
        assert_eq!(evicted(&known, &["new".to_owned()]), ["term0"]);
        assert_eq!(evicted(&known, &["term3".to_owned()]), Vec::<String>::new());
        assert_eq!(evicted(&known[..6], &["a".to_owned(), "b".to_owned(), "c".to_owned()]), ["term0"]);
    }

    #[test]
    fn an_agent_that_floods_teaches_three_times_and_a_person_is_not_bounded() {
        let flood: Vec<Feedback> =
            (0..3).map(|n| Feedback { terms: vec![term(&format!("term{n}"), 1_000 + n, "agent:7@R")], ..Feedback::default() }).collect();
        let now = Timestamp(2_000);
        assert!(!may_teach("agent:7@R", &flood, now) && may_teach("agent:8@R", &flood, now) && may_teach("person", &flood, now));
        assert!(may_teach("agent:7@R", &flood[..2], now));
        assert!(may_teach("agent:7@R", &flood, now.plus_millis(limits::PROMOTION_WINDOW_MILLIS + 2_000)), "the next day");
    }

    #[test]
    fn what_breaks_a_cap_closes_the_gate() {
        let of = |count: i64, at: i64| Feedback {
            terms: (0..count).map(|n| LearnedTerm { query: "Q".into(), ..term(&format!("t{n}"), at * n, "person") }).collect(),
            ..Feedback::default()
        };
        assert!(row(&[of(3, 0), of(8, 1)]).open && !row(&[of(4, 0)]).open && !row(&[of(9, 1)]).open);
    }
}
