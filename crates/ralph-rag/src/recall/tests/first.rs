//! The first hits are the same however many are asked for.

use super::*;

#[test]
fn fewer_hits_are_the_first_of_more_also_where_many_say_the_same() {
    // Five directions, so that most of the forty repeat one above them, and scores that lie close or far.
    let direction = |row: i64| [(row % 5) as f32, 1.0 + (row % 3) as f32 * 0.001, (row * 7 % 5) as f32];
    let episode = |row: i64| Passage { memory: (MemoryKind::Episode, row), ..passage(row, None, Some(direction(row))) };
    let index = Index::build((1..=40).map(episode));
    for step in [0.01, 0.1, 0.22] {
        let scores: Vec<(i64, f64)> = (1..=40).map(|row| (row, 9.0 - step * row as f64)).collect();
        let first = |limit: usize| {
            let asked =
                RankQuery { found: words(&index, &scores), scope: &open, limit, diverse: Some(&|_| None), learned: None, late: None };
            rank(&index, &asked, &Tuning::default()).0.into_iter().map(|hit| hit.source).collect::<Vec<_>>()
        };
        let all = first(40);
        assert!(all.windows(2).any(|two| two[0] > two[1]), "some step back: {all:?}");
        for limit in 1..40 {
            assert_eq!(first(limit), all[..limit], "{limit} at {step}");
        }
    }
}
