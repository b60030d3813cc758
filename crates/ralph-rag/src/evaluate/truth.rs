//! Ground truth of relevance: the agreement of a judge with a person, and which pair deserves a person's label.

use ralph_core::evaluation::{Agreement, Label, LabelSource, QueryRecord};
use ralph_core::limits;
use ralph_core::recall::MemoryKind;
use std::collections::{BTreeMap, BTreeSet};

/// A question and a memory, by their ids.
pub type Pair = (String, String);

/// The labels of one source, by pair.
pub fn said_by(labels: &[Label], by: LabelSource) -> BTreeMap<Pair, bool> {
    labels.iter().filter(|label| label.by == by).map(|label| ((label.query.clone(), label.memory.clone()), label.relevant)).collect()
}

/// The agreement of the judge with the person on pairs labeled by both. The judge counts if there are enough pairs and enough agreement.
pub fn agreement(person: &BTreeMap<Pair, bool>, judge: &BTreeMap<Pair, bool>) -> Agreement {
    let both: Vec<(bool, bool)> = person.iter().filter_map(|(pair, said)| Some((*said, *judge.get(pair)?))).collect();
    let pairs = u32::try_from(both.len()).unwrap_or(u32::MAX);
    let share = |of: &dyn Fn(&(bool, bool)) -> bool| {
        f64::from(u32::try_from(both.iter().filter(|b| of(b)).count()).unwrap_or(0)) / f64::from(pairs.max(1))
    };
    let agreement = share(&|(a, b)| a == b);
    let (yes_a, yes_b) = (share(&|(a, _)| *a), share(&|(_, b)| *b));
    let by_chance = yes_a * yes_b + (1.0 - yes_a) * (1.0 - yes_b);
    let kappa = (pairs > 0 && by_chance < 1.0 - 1e-9).then(|| (agreement - by_chance) / (1.0 - by_chance));
    Agreement {
        pairs,
        pairs_required: limits::JUDGE_PAIRS,
        agreement: (pairs > 0).then_some(agreement),
        kappa,
        counts: pairs >= limits::JUDGE_PAIRS && agreement >= limits::JUDGE_AGREEMENT,
    }
}

/// Pairs of a question and a learning in recorded answers that a source has not labeled yet: those labeled by the other source first, at
/// whatever rank, then those among the first five by rank, newest questions first. The same words and memory form one pair, however often
/// they were asked: labels of repetitions would say the same.
pub fn to_label(queries: &[QueryRecord], done: &BTreeMap<Pair, bool>, first: &BTreeMap<Pair, bool>, limit: usize) -> Vec<Pair> {
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut pairs: Vec<(bool, u32, usize, Pair)> = Vec::new();
    for (age, query) in queries.iter().rev().enumerate() {
        for result in query.results.iter().filter(|result| result.kind == MemoryKind::Learning) {
            let pair = (query.id.clone(), result.memory.clone());
            if done.contains_key(&pair) {
                seen.insert((&query.text, &result.memory));
            } else {
                let (rank, is_first) = (result.rank.unwrap_or(u32::MAX), first.contains_key(&pair));
                if is_first || rank <= 5 {
                    pairs.push((!is_first, rank, age, pair));
                }
            }
        }
    }
    pairs.sort();
    let text = |age: usize| queries[queries.len() - 1 - age].text.as_str();
    let mut wanted = Vec::new();
    for (_, _, age, pair) in &pairs {
        if wanted.len() < limit && seen.insert((text(*age), &pair.1)) {
            wanted.push(pair.clone());
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::super::retrieval::testing::query;
    use super::*;

    fn labels(of: &[(bool, bool, usize)]) -> (BTreeMap<Pair, bool>, BTreeMap<Pair, bool>) {
        let (mut person, mut judge, mut next) = (BTreeMap::new(), BTreeMap::new(), 0);
        for (a, b, count) in of {
            for _ in 0..*count {
                next += 1;
                person.insert((format!("Q{next}"), "L".to_owned()), *a);
                judge.insert((format!("Q{next}"), "L".to_owned()), *b);
            }
        }
        (person, judge)
    }

    #[test]
    fn what_is_asked_again_is_labelled_once_and_first_where_the_judge_did() {
        let asked: Vec<QueryRecord> = ["Q1", "Q2", "Q3"].map(|id| query(id, 0, &[("a", &[]), ("b", &[])])).into();
        let pair = |query: &str, memory: &str| (query.to_owned(), memory.to_owned());
        let none = BTreeMap::new();
        assert_eq!(to_label(&asked, &none, &none, 9), [pair("Q3", "a"), pair("Q3", "b")]);
        let judged = BTreeMap::from([(pair("Q1", "a"), true)]);
        assert_eq!(to_label(&asked, &none, &judged, 9), [pair("Q1", "a"), pair("Q3", "b")], "else the two could not be compared");
        assert_eq!(to_label(&asked, &judged, &none, 9), [pair("Q3", "b")], "it was labelled when it was asked before");
        let long = query("Q5", 0, &["a", "b", "c", "d", "e", "f"].map(|id| (id, &[] as &[_])));
        let sixth = BTreeMap::from([(pair("Q5", "f"), true)]);
        let wanted = |first| to_label(std::slice::from_ref(&long), &none, first, 9);
        assert_eq!((wanted(&none).len(), wanted(&sixth).len()), (5, 6), "what the other labelled further down is compared as well");
        let mut other = query("Q4", 0, &[("c", &[]), ("a", &[])]);
        other.results[0].kind = MemoryKind::Episode;
        assert_eq!(to_label(&[other], &none, &none, 1), [pair("Q4", "a")], "what nobody can label takes no place of what one can");
    }

    #[test]
    fn kappa_is_the_published_one_and_a_judge_counts_only_on_fifty_pairs() {
        // The usual example of Cohen 1960: 20, 5, 10, 15 of 50.
        let (person, judge) = labels(&[(true, true, 20), (true, false, 5), (false, true, 10), (false, false, 15)]);
        let found = agreement(&person, &judge);
        assert!((found.agreement.expect("pairs") - 0.7).abs() < 1e-9 && (found.kappa.expect("kappa") - 0.4).abs() < 1e-9);
        assert!(!found.counts);
        let (person, judge) = labels(&[(true, true, 25), (false, false, 20), (true, false, 5)]);
        assert!(agreement(&person, &judge).counts);
        let (person, judge) = labels(&[(true, true, 25), (false, false, 24)]);
        assert!(!agreement(&person, &judge).counts, "forty-nine are too few");
        let nothing = agreement(&BTreeMap::new(), &BTreeMap::new());
        assert_eq!((nothing.pairs, nothing.pairs_required, nothing.agreement), (0, 50, None));
        let (person, judge) = labels(&[(true, true, 60)]);
        assert_eq!(agreement(&person, &judge).kappa, None, "where all is alike, chance explains it");
    }
}
