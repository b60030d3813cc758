//! Which hits are moved down because another one says nearly the same.

use super::*;
use crate::recall::rank::WordsOf;
use crate::words::Words;

#[test]
fn what_says_nearly_the_same_steps_back_behind_what_says_something_else() {
    let found = |kind: MemoryKind, feature: u32, second_says: Option<&str>| {
        let says = |row: i64| Some(Words::of(if row == 1 { "Retry a refund at once" } else { second_says? }));
        let second = Passage { memory: (kind, 2), feature: Some(feature), ..passage(2, None, Some([1.0, 0.01, 0.0])) };
        let index = Index::build([passage(1, None, Some([1.0, 0.0, 0.0])), second, passage(3, None, Some([0.0, 1.0, 0.0]))]);
        let found = words(&index, &[(1, 3.0), (2, 2.9), (3, 2.0)]);
        let diverse: Option<&WordsOf<'_>> = if second_says.is_some() { Some(&says) } else { None };
        let (hits, _) = rank(&index, &RankQuery { found, scope: &open, limit: 10, diverse, learned: None, late: None }, &Tuning::default());
        hits.into_iter().map(|h| h.source).collect::<Vec<_>>()
    };
    let (same, opposite) = (Some("retry refunds at once"), Some("Never retry a refund at once"));
    assert_eq!(found(MemoryKind::Episode, 1, None), [1, 2, 3]);
    assert_eq!(found(MemoryKind::Episode, 1, opposite), [1, 3, 2]);
    assert_eq!(found(MemoryKind::Learning, 2, same), [1, 3, 2], "another feature may have learnt the same");
    assert_eq!(found(MemoryKind::Learning, 2, opposite), [1, 2, 3], "a contradiction is shown beside what it contradicts");
    assert_eq!(found(MemoryKind::Learning, 1, same), [1, 2, 3], "one feature's learnings say the opposite, or the same of another thing");
}

#[test]
fn of_many_facts_of_one_form_three_keep_their_places() {
    let fact = |row: i64| Passage { memory: (MemoryKind::Fact, row), ..passage(row, None, None) };
    let index = Index::build((1..=100).map(fact).chain([passage(101, None, None), passage(102, None, None)]));
    let found: Vec<(i64, f64)> = (1..=100).map(|row| (row, 9.0 - 0.01 * row as f64)).chain([(101, 7.0), (102, 6.0)]).collect();
    let (hits, _) = rank(
        &index,
        &RankQuery { found: words(&index, &found), scope: &open, limit: 7, diverse: Some(&|_| None), learned: None, late: None },
        &Tuning::default(),
    );
    assert_eq!(hits.iter().map(|hit| hit.source).collect::<Vec<_>>(), [1, 2, 3, 101, 102, 4, 5]);
    assert!(hits[5].score.factors.iter().any(|f| f.name == FactorName::Diversity), "{:?}", hits[5].score);
}
