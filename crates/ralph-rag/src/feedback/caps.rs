//! Limits on learned terms: few per selection, few per learning, and few teaching selections per agent.

use super::gate::gate;
use ralph_core::evaluation::Gate;
use ralph_core::feedback::{Feedback, LearnedTerm, SelectionSource, Validation, is_of_one_iteration, source_of};
use ralph_core::limits;
use ralph_core::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Terms evicted for `newcomers`: agents' terms before a person's, and the oldest first.
pub fn evicted(known: &[LearnedTerm], newcomers: &[String]) -> Vec<String> {
    let mut others: Vec<&LearnedTerm> = known.iter().filter(|known| !newcomers.contains(&known.term)).collect();
    let by_person = |term: &LearnedTerm| source_of(&term.by) == SelectionSource::Person;
    others.sort_by(|a, b| (by_person(a), a.learnt, &a.term).cmp(&(by_person(b), b.learnt, &b.term)));
    let excess = (others.len() + newcomers.len()).saturating_sub(limits::TERMS_PER_LEARNING);
    others.into_iter().take(excess).map(|other| other.term.clone()).collect()
}

/// Why one more selection by this source must not teach, if so. A person is not limited. An agent may teach three times in eight hours,
/// since it can select a thousand times a minute; and all agents together a few times that, since the loop starts a new one every few
/// minutes.
pub fn teaches_no_more<'f>(by: &str, all: impl IntoIterator<Item = &'f Feedback>, now: Timestamp) -> Option<&'static str> {
    if source_of(by) == SelectionSource::Person {
        return None;
    }
    let recent = |term: &&LearnedTerm| source_of(&term.by) != SelectionSource::Person && is_counted(&term.by, term.learnt, by, now);
    let terms = all.into_iter().flat_map(|feedback| &feedback.terms).filter(recent);
    let taught: BTreeSet<(&str, &str, Timestamp)> = terms.map(|term| (term.by.as_str(), term.query.as_str(), term.learnt)).collect();
    if taught.iter().filter(|(other, ..)| *other == by).count() >= limits::PROMOTIONS as usize {
        Some("this agent has taught three times within eight hours")
    } else if taught.len() >= limits::AGENTS_TEACH {
        Some("agents have taught often enough within eight hours")
    } else {
        None
    }
}

/// The reason why one more statement by this source must not count, if any: an agent speaks about what it was told and what it found, which
/// is little; one that has something to say about everything says nothing.
pub fn says_too_much<'f>(by: &str, all: impl IntoIterator<Item = &'f Feedback>, now: Timestamp) -> Option<&'static str> {
    let own = |said: &&Validation| said.by == by && is_counted(&said.by, said.at, by, now);
    let said = || all.into_iter().flat_map(|feedback| &feedback.validations).filter(own).count();
    (source_of(by) == SelectionSource::Agent && said() >= limits::AGENT_STATEMENTS)
        .then_some("this agent has spoken of too many learnings within eight hours")
}

/// What was said within the window, on either side, or at any time by the same iteration's agent: a jump of the clock frees nobody.
fn is_counted(other: &str, at: Timestamp, by: &str, now: Timestamp) -> bool {
    now.distance_millis(at) < limits::PROMOTION_WINDOW_MILLIS || (other == by && is_of_one_iteration(by))
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
    fn what_agents_taught_makes_room_before_what_a_person_taught() {
        let mut known: Vec<LearnedTerm> = (0..8).map(|n| term(&format!("term{n}"), n, "person")).collect();
        known[6].by = "agent:3@R".to_owned();
        assert_eq!(evicted(&known, &["new".to_owned()]), ["term6"]);
        assert_eq!(evicted(&known, &["new".to_owned(), "newer".to_owned()]), ["term6", "term0"]);
    }

    #[test]
    fn an_agent_that_floods_teaches_three_times_and_a_person_is_not_bounded() {
        let flood: Vec<Feedback> =
            (0..3).map(|n| Feedback { terms: vec![term(&format!("term{n}"), 1_000 + n, "agent:7@R")], ..Feedback::default() }).collect();
        let now = Timestamp(2_000);
        let may = |by: &str, all: &[Feedback], now| teaches_no_more(by, all, now).is_none();
        assert!(!may("agent:7@R", &flood, now) && may("agent:8@R", &flood, now) && may("person", &flood, now));
        assert!(may("agent:7@R", &flood[..2], now));
        let next_day = now.plus_millis(limits::PROMOTION_WINDOW_MILLIS + 2_000);
        assert!(!may("agent:7@R", &flood, next_day), "an iteration's agent that says so has moved its clock");
        let of_a_client: Vec<Feedback> =
            (0..3).map(|n| Feedback { terms: vec![term(&format!("term{n}"), 1_000 + n, "agent")], ..Feedback::default() }).collect();
        assert!(!may("agent", &of_a_client, now) && may("agent", &of_a_client, next_day));
        assert!(!may("agent:7@R", &flood, Timestamp(0)), "a clock that went back frees nobody");
    }

    #[test]
    fn a_loop_that_starts_an_agent_every_few_minutes_is_one_flood() {
        let of = |agent: usize, n: i64| Feedback {
            terms: vec![term(&format!("t{agent}x{n}"), n, &format!("agent:{agent}@R"))],
            ..Feedback::default()
        };
        let flood: Vec<Feedback> = (0..limits::AGENTS_TEACH).map(|agent| of(agent, 1_000)).collect();
        assert!(teaches_no_more("agent:99@R", &flood, Timestamp(2_000)).is_some());
        assert!(teaches_no_more("agent:99@R", &flood[1..], Timestamp(2_000)).is_none());
        assert!(teaches_no_more("person", &flood, Timestamp(2_000)).is_none());
    }

    #[test]
    fn an_agent_that_speaks_of_everything_is_not_heard() {
        let said = |by: &str| Validation { useful: false, at: Timestamp(1_000), by: by.to_owned(), replica: None, query: None };
        let of = |by: &str, count| (0..count).map(|_| Feedback { validations: vec![said(by)], ..Feedback::default() }).collect::<Vec<_>>();
        let many = of("agent:7@R", limits::AGENT_STATEMENTS);
        let now = Timestamp(2_000);
        assert!(says_too_much("agent:7@R", &many, now).is_some() && says_too_much("agent:8@R", &many, now).is_none());
        assert!(says_too_much("agent:7@R", &many[1..], now).is_none());
        assert!(says_too_much("person", &of("person", 99), now).is_none());
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
