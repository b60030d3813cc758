//! Learned terms count only while measurements allow it: the share of terms whose results nobody selects.

use super::gate::gate;
use super::lifetime::strength;
use crate::evaluate::retrieval::standing;
use ralph_core::evaluation::{Gate, LearnedTermRow, QueryRecord, SelectionRecord};
use ralph_core::feedback::{LearnedTerm, SelectionSource, source_of};
use ralph_core::limits;
use ralph_core::text::reached;
use ralph_core::time::Timestamp;
use ralph_core::{LearningId, count};
use std::collections::{BTreeMap, BTreeSet};

/// Ranks within which a result counts as added.
const FIRST: u32 = 10;

/// Effect of each term in force. It *added* its learning to a question if the learning is in the top ten with learned terms but not
/// without. It is *confirmed* by a selection of the learning for a question with the term, other than the one that taught it, once for each
/// question; a success of the loop does not confirm it, nor does anything that the agent that taught it says. It is *noise* if it added and
/// was never confirmed.
pub fn rows(
    in_force: &[(LearningId, LearnedTerm)],
    queries: &[QueryRecord],
    selections: &[SelectionRecord],
    now: Timestamp,
) -> Vec<LearnedTermRow> {
    let mut added: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for result in queries.iter().flat_map(|query| query.results.iter().map(move |result| (query, result))).filter_map(is_added) {
        for term in &result.terms {
            *added.entry((&result.memory, term)).or_default() += 1;
        }
    }
    let chosen = chosen_by_term(queries, selections);
    let row = |(learning, term): &(LearningId, LearnedTerm)| {
        let key = (learning.as_str(), term.term.as_str());
        let added = added.get(&key).copied().unwrap_or(0);
        let confirmed = count(confirming(term, chosen.get(&key)).len());
        LearnedTermRow {
            learning: learning.clone(),
            strength: strength(term, now),
            added,
            confirmed,
            noise: added > 0 && confirmed == 0,
            term: term.clone(),
        }
    };
    in_force.iter().map(row).collect()
}

/// The questions that confirm a term of a learning, by their ids.
pub fn confirmations<'q>(
    learning: &str,
    term: &LearnedTerm,
    queries: &'q [QueryRecord],
    selections: &'q [SelectionRecord],
) -> BTreeSet<&'q str> {
    let chosen = chosen_by_term(queries, selections);
    confirming(term, chosen.iter().find(|((of, word), _)| *of == learning && *word == term.term).map(|(_, chosen)| chosen))
}

/// Selections by learning and term, each as its question and who made it.
fn chosen_by_term<'q>(
    queries: &'q [QueryRecord],
    selections: &'q [SelectionRecord],
) -> BTreeMap<(&'q str, &'q str), BTreeSet<(&'q str, &'q str)>> {
    let by_id: BTreeMap<&str, &QueryRecord> = queries.iter().map(|query| (query.id.as_str(), query)).collect();
    let mut chosen: BTreeMap<(&str, &str), BTreeSet<(&str, &str)>> = BTreeMap::new();
    for selection in standing(selections) {
        let Some(query) = selection.query.as_deref().and_then(|id| by_id.get(id)) else { continue };
        let result = query.results.iter().find(|result| result.memory == selection.memory);
        for term in result.into_iter().flat_map(|result| &result.terms) {
            chosen.entry((&selection.memory, term)).or_default().insert((&query.id, &selection.by));
        }
    }
    chosen
}

/// The questions of these selections that confirm a term: a selection that taught it again does not, and no agent confirms itself.
fn confirming<'q>(term: &LearnedTerm, chosen: Option<&BTreeSet<(&'q str, &'q str)>>) -> BTreeSet<&'q str> {
    let own = |by: &str| by == term.by && source_of(by) == SelectionSource::Agent;
    let by_others = chosen.into_iter().flatten().filter(|(query, by)| *query != term.query && !own(by));
    by_others.map(|(query, _)| *query).collect()
}

/// A result that learned terms bring into the top ten, or would.
fn is_added<'q>(
    (query, result): (&QueryRecord, &'q ralph_core::evaluation::ResultRecord),
) -> Option<&'q ralph_core::evaluation::ResultRecord> {
    use ralph_core::evaluation::Arm;
    let (with, without) = match query.arm {
        Arm::Plain => (result.other_rank, result.rank),
        Arm::Learned => (result.rank, result.other_rank),
    };
    let among_first = |rank: Option<u32>| rank.is_some_and(|rank| rank <= FIRST);
    (!result.terms.is_empty() && among_first(with) && !among_first(without)).then_some(result)
}

/// Share of noise among the terms.
pub fn noise_rate(rows: &[LearnedTermRow]) -> Option<f64> {
    let noise = rows.iter().filter(|row| row.noise).count();
    #[allow(clippy::cast_precision_loss, reason = "a few thousand terms at most")]
    let rate = || noise as f64 / rows.len() as f64;
    (!rows.is_empty()).then(rate)
}

/// Measured on questions and selections.
pub fn row(rows: &[LearnedTermRow]) -> Gate {
    let required = format!("less than {:.0} % of the learned terms are noise", limits::TERM_NOISE * 100.0);
    let noise = rows.iter().filter(|row| row.noise).count();
    match noise_rate(rows) {
        None => gate("measurements", required, "no learned term is in force", false),
        Some(rate) => {
            gate("measurements", required, format!("{} % ({noise} of {})", reached(rate * 100.0, 1), rows.len()), rate < limits::TERM_NOISE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::evaluation::{Arm, ResultRecord};
    use ralph_core::feedback::SelectionKind;
    use ralph_core::recall::{MemoryKind, RecallOrigin};

    fn query(id: &str, arm: Arm, rank: Option<u32>, other_rank: Option<u32>) -> QueryRecord {
        let result = ResultRecord {
            kind: MemoryKind::Learning,
            memory: "L1".into(),
            rank,
            other_rank,
            score: 1.0,
            channels: Vec::new(),
            terms: vec!["stripe".into()],
            shown: true,
        };
        QueryRecord {
            id: id.into(),
            at: Timestamp(1),
            origin: RecallOrigin::Cli,
            text: "stripe".into(),
            feature: None,
            iteration: None,
            configuration: "c".into(),
            arm,
            drawn: false,
            micros: 1,
            results: vec![result],
        }
    }

    fn selection(query: &str, kind: SelectionKind) -> SelectionRecord {
        SelectionRecord {
            id: "S".into(),
            at: Timestamp(2),
            query: Some(query.into()),
            memory: "L1".into(),
            kind,
            weight: kind.weight(),
            by: "person".into(),
            rank: Some(4),
            channels: Vec::new(),
            counted: true,
        }
    }

    #[test]
    fn a_term_that_brings_what_nobody_selects_is_noise() {
        let term = LearnedTerm { term: "stripe".into(), learnt: Timestamp(0), by: "person".into(), query: "Q0".into(), rank: 5 };
        let of = |queries: &[QueryRecord], selections: &[SelectionRecord]| {
            let rows = rows(&[("L1".into(), term.clone())], queries, selections, Timestamp(1));
            (rows[0].added, rows[0].confirmed, rows[0].noise)
        };
        assert_eq!(of(&[], &[]), (0, 0, false), "what never matched is not noise");
        let shadow = query("Q1", Arm::Plain, None, Some(4));
        assert_eq!(of(std::slice::from_ref(&shadow), &[]), (1, 0, true));
        assert_eq!(of(&[query("Q2", Arm::Plain, Some(9), Some(1))], &[]), (0, 0, false), "it was there without");
        assert_eq!(of(&[query("Q0", Arm::Plain, None, Some(4))], &[selection("Q0", SelectionKind::Useful)]), (1, 0, true), "it taught it");
        assert_eq!(of(&[query("Q3", Arm::Learned, Some(2), Some(30))], &[]), (1, 0, true));
        assert_eq!(of(std::slice::from_ref(&shadow), &[selection("Q1", SelectionKind::Opened)]), (1, 1, false));
        assert_eq!(of(std::slice::from_ref(&shadow), &[selection("Q1", SelectionKind::NotUseful)]), (1, 0, true));
        assert_eq!(of(std::slice::from_ref(&shadow), &[selection("Q1", SelectionKind::Succeeded)]), (1, 0, true), "many causes");
        let twice = [selection("Q1", SelectionKind::Useful), selection("Q1", SelectionKind::Opened)];
        assert_eq!(of(std::slice::from_ref(&shadow), &twice), (1, 1, false), "one question, one confirmation");
        assert_eq!(confirmations("L1", &term, std::slice::from_ref(&shadow), &twice), BTreeSet::from(["Q1"]));
        assert_eq!(confirmations("L2", &term, std::slice::from_ref(&shadow), &twice), BTreeSet::new());
        let taken_back = [selection("Q1", SelectionKind::Useful), selection("Q1", SelectionKind::NotUseful)];
        assert_eq!(of(std::slice::from_ref(&shadow), &taken_back), (1, 0, true), "what was taken back confirms nothing");
        let refused = SelectionRecord { by: "agent:4@R".into(), counted: false, ..selection("Q1", SelectionKind::Useful) };
        assert_eq!(of(std::slice::from_ref(&shadow), &[refused]), (1, 0, true), "an agent that says too much is not heard");
        let by_agent = LearnedTerm { by: "agent:3@R".into(), ..term.clone() };
        let said = SelectionRecord { by: "agent:3@R".into(), ..selection("Q1", SelectionKind::Useful) };
        let own = rows(&[("L1".into(), by_agent)], std::slice::from_ref(&shadow), &[said], Timestamp(1));
        assert!(own[0].confirmed == 0 && own[0].noise, "no agent confirms what it taught: {own:?}");
    }

    #[test]
    fn five_percent_of_noise_close_the_gate() {
        let row_of = |noise| LearnedTermRow {
            learning: "L".into(),
            term: LearnedTerm { term: "t".into(), learnt: Timestamp(0), by: "person".into(), query: "Q".into(), rank: 4 },
            strength: 1.0,
            added: 1,
            confirmed: 0,
            noise,
        };
        let rows = |noise: usize, all: usize| (0..all).map(|n| row_of(n < noise)).collect::<Vec<_>>();
        assert!(row(&rows(1, 21)).open && !row(&rows(1, 20)).open && !row(&[]).open);
    }
}
