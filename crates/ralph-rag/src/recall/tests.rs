mod diverse;
mod first;
mod waiting;

use super::*;
use ralph_core::feedback::{Feedback, LearnedTerm, Validation};
use ralph_core::recall::{Channel, FactorName, MemoryKind, TextIndex, Tuning};
use ralph_core::time::Timestamp;

/// Passages `1..` of learnings, one feature, in one series if `series` is given.
fn passage(row: i64, series: Option<&str>, vector: Option<[f32; 3]>) -> Passage {
    Passage {
        row,
        memory: (MemoryKind::Learning, row),
        feature: Some(1),
        active: true,
        series: series.map(str::to_owned),
        created: row,
        names_a_file: false,
        protected: false,
        feedback: None,
        words: None,
        vector: vector.map(|v| {
            let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
            v.iter().map(|x| x / length).collect()
        }),
    }
}

fn open(_: MemoryKind, _: i64, _: Option<u32>, _: bool, _: i64) -> Scope {
    Scope { weight: 1.0, age_days: None, closeness: None }
}

fn order(index: &Index, found: ChannelHits, tuning: &Tuning) -> Vec<i64> {
    rank(index, &RankQuery { found, scope: &open, limit: 10, diverse: None, learned: None, late: None }, tuning)
        .0
        .into_iter()
        .map(|hit| hit.source)
        .collect()
}

fn words(index: &Index, hits: &[(i64, f64)]) -> ChannelHits {
    ChannelHits { lexical: Some(index.matches(hits.iter().copied())), ..ChannelHits::default() }
}

#[test]
fn nothing_known_or_nothing_asked_gives_nothing() {
    let tuning = Tuning::default();
    assert_eq!(order(&Index::default(), words(&Index::default(), &[(1, 2.0)]), &tuning), Vec::<i64>::new());
    let index = Index::build([passage(1, None, None)]);
    assert_eq!(order(&index, ChannelHits::default(), &tuning), Vec::<i64>::new());
    assert_eq!(order(&index, words(&index, &[(99, 2.0)]), &tuning), Vec::<i64>::new(), "a row that came after the index is passed over");
    assert_eq!(order(&index, words(&index, &[(1, f64::NAN)]), &tuning), Vec::<i64>::new());
}

#[test]
fn a_missing_channel_leaves_its_share_to_the_others() {
    let index = Index::build((1..=3).map(|row| passage(row, None, Some([1.0, row as f32, 0.0]))));
    let (hits, weights) = rank(
        &index,
        &RankQuery { found: words(&index, &[(2, 3.0), (3, 1.0)]), scope: &open, limit: 10, diverse: None, learned: None, late: None },
        &Tuning::default(),
    );
    assert_eq!(hits.iter().map(|h| h.source).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(weights.iter().map(|w| (w.channel, w.weight)).collect::<Vec<_>>(), [(Channel::Lexical, 1.0)]);
    assert!((hits[0].score.fused - 1.0).abs() < 1e-6);
}

#[test]
fn a_vector_that_stands_out_leads_and_one_that_does_not_yields_to_words() {
    let crowd = |best: [f32; 3]| {
        let mut passages: Vec<Passage> = (1..=200).map(|row| passage(row, None, Some([1.0, 0.02 * (row % 7) as f32, 0.3]))).collect();
        passages.push(passage(201, None, Some(best)));
        Index::build(passages)
    };
    let ask = |index: &Index, query: [f32; 3], names_alone: bool| {
        let found = ChannelHits { vector: index.near(&query), names_alone, ..words(index, &[(5, 9.0)]) };
        let (hits, weights) =
            rank(index, &RankQuery { found, scope: &open, limit: 1, diverse: None, learned: None, late: None }, &Tuning::default());
        (hits[0].source, weights.iter().find(|w| w.channel == Channel::Vector).map_or(0.0, |w| w.weight))
    };
    let (source, sure) = ask(&crowd([0.0, 1.0, 0.0]), [0.0, 1.0, 0.0], false);
    assert_eq!(source, 201);
    let (source, _) = ask(&crowd([0.0, 1.0, 0.0]), [0.0, 1.0, 0.0], true);
    assert_eq!(source, 5, "the passage with the name that was asked for");
    let (source, unsure) = ask(&crowd([1.0, 0.02, 0.3]), [0.9, 0.1, 0.3], false);
    assert_eq!(source, 5, "the passage with the words");
    assert!(sure > 0.9 && unsure < 0.5, "{sure} {unsure}");
}

#[test]
fn neighbours_add_a_share_the_one_before_more_than_the_one_after() {
    let index = Index::build((1..=5).map(|row| passage(row, Some("task:1"), None)).chain([passage(6, None, None)]));
    let tuning = Tuning::default();
    assert_eq!(order(&index, words(&index, &[(3, 4.0)]), &tuning), [3, 4, 2, 5, 1], "what follows the hit has it before itself");
    let alone = Tuning { neighbour_before: 0.0, neighbour_after: 0.0, ..tuning };
    assert_eq!(order(&index, words(&index, &[(3, 4.0)]), &alone), [3]);
}

#[test]
fn chunks_of_one_memory_are_one_hit_with_its_chunks_in_the_order_of_the_text() {
    let chunk = |row: i64, memory: i64| Passage { memory: (MemoryKind::Document, memory), ..passage(row, None, None) };
    let index = Index::build([chunk(1, 1), chunk(2, 1), chunk(3, 1), chunk(4, 2)]);
    let found = |tuning: &Tuning| {
        rank(
            &index,
            &RankQuery {
                found: words(&index, &[(3, 5.0), (1, 4.0), (4, 5.0)]),
                scope: &open,
                limit: 10,
                diverse: None,
                learned: None,
                late: None,
            },
            tuning,
        )
        .0
    };
    let hits = found(&Tuning { chunk_bonus: 0.3, ..Tuning::default() });
    assert_eq!(hits.iter().map(|h| (h.source, h.rows.clone())).collect::<Vec<_>>(), [(1, vec![1, 3]), (2, vec![4])]);
    assert_eq!(hits[0].score.chunks, 2);
    let bonus = 0.3 * (4.0 / 5.0) / 2f64.sqrt();
    assert!((hits[0].score.chunk_bonus - bonus).abs() < 1e-6, "{}", hits[0].score.chunk_bonus);
    let off = found(&Tuning::default());
    assert_eq!(off[1].score.total, off[0].score.total, "without the bonus the best chunks tie");
    assert_eq!(off[0].source, 2, "and the newer comes first");
}

#[test]
fn factors_are_bounded_and_told() {
    let mut passages: Vec<Passage> = (1..=3).map(|row| passage(row, None, None)).collect();
    passages[0].protected = true;
    passages[1].names_a_file = true;
    let index = Index::build(passages);
    let young = |_: MemoryKind, source: i64, _: Option<u32>, _: bool, _: i64| Scope {
        weight: if source == 3 { 0.5 } else { 1.0 },
        age_days: Some(if source == 2 { 0.0 } else { 1e9 }),
        closeness: None,
    };
    let found = words(&index, &[(1, 1.0), (2, 1.0), (3, 1.0)]);
    let (hits, _) =
        rank(&index, &RankQuery { found, scope: &young, limit: 10, diverse: None, learned: None, late: None }, &Tuning::default());
    let told: Vec<(i64, Vec<(FactorName, f64)>)> =
        hits.iter().map(|h| (h.source, h.score.factors.iter().map(|f| (f.name, (f.factor * 100.0).round() / 100.0)).collect())).collect();
    assert_eq!(
        told,
        [
            (2, vec![(FactorName::Recency, 1.5), (FactorName::NamesAFile, 1.1)]),
            (1, vec![(FactorName::Evidence, 1.1)]),
            (3, vec![(FactorName::Scope, 0.5)]),
        ]
    );
}

#[test]
fn vectors_of_another_dimension_or_with_holes_count_as_none() {
    let mut passages: Vec<Passage> = (1..=4).map(|row| passage(row, None, Some([1.0, 0.0, 0.0]))).collect();
    passages[0].vector = None;
    passages[2].vector = Some(vec![1.0; 7]);
    passages[3].vector = Some(vec![f32::NAN; 3]);
    let index = Index::build(passages);
    assert_eq!((index.passages(), index.with_vector()), (4, 1));
    let near = index.near(&[1.0, 0.0, 0.0]).and_then(|near| near.all().map(|all| all.iter().map(|c| c.round()).collect::<Vec<_>>()));
    let near = near.expect("one passage has a vector");
    assert!([0, 2, 3].iter().all(|at| near[*at].is_nan()) && near[1] == 1.0, "{near:?}");
    assert!(index.near(&[1.0]).is_none());
    assert!(Index::default().near(&[1.0]).is_none());
}

#[test]
fn a_file_that_the_question_names_speaks_for_what_names_it() {
    let index = Index::build((1..=2).map(|row| passage(row, None, None)));
    let tuning = Tuning::default();
    let by_words = || words(&index, &[(1, 1.0), (2, 0.95)]);
    assert_eq!(order(&index, by_words(), &tuning), [1, 2]);
    assert_eq!(order(&index, ChannelHits { path: Some(index.matches([(2, 3.0)])), ..by_words() }, &tuning), [2, 1]);
    assert_eq!(order(&index, ChannelHits { path: Some(index.matches([])), ..by_words() }, &tuning), [1, 2], "a file that nothing names");
}

#[test]
fn a_learned_term_leads_to_a_memory_that_no_other_channel_finds_and_a_refusal_lets_it_fall() {
    let day = 86_400_000;
    let term = LearnedTerm { term: "chargeback".into(), learnt: Timestamp(0), by: "person".into(), query: "Q".into(), rank: 5 };
    let refused = Validation { useful: false, at: Timestamp(0), by: "person".into(), replica: None, query: None };
    let with = |row, feedback: Feedback| Passage { feedback: Some(feedback), ..passage(row, None, None) };
    let taught = with(1, Feedback { terms: vec![term], ..Feedback::default() });
    let by_seven = (0..7).map(|n| Validation { query: Some(format!("Q{n}")), ..refused.clone() });
    let turned_down = with(2, Feedback { validations: by_seven.collect(), ..Feedback::default() });
    let index = Index::build([taught, turned_down, passage(3, None, None)]);
    let question = ["chargeback".to_owned(), "webhook".to_owned()];
    let ask = |learned: Option<LearnedTerms<'_>>| {
        let found = words(&index, &[(2, 5.0), (3, 4.0)]);
        rank(&index, &RankQuery { found, scope: &open, limit: 10, diverse: None, learned, late: None }, &Tuning::default()).0
    };
    let places = |hits: &[RankedMemory]| hits.iter().map(|hit| hit.source).collect::<Vec<_>>();
    assert_eq!(places(&ask(None)), [2, 3], "without feedback nothing is as it was learnt");
    let learned = |words, days: i64| Some(LearnedTerms { words, now: Timestamp(days * day) });
    let hits = ask(learned(&question, 0));
    assert_eq!(places(&hits), [3, 1, 2]);
    let score = &hits[1].score;
    assert_eq!(score.channels.iter().map(|c| c.channel).collect::<Vec<_>>(), [Channel::Learned]);
    assert!((score.total - 0.35).abs() < 1e-9, "0.7 times one of two words: {score:?}");
    assert!(hits[2].score.factors.iter().any(|f| f.name == FactorName::Feedback && (f.factor - 0.3).abs() < 1e-9));
    assert_eq!(places(&ask(learned(&[], 0))), [3, 2], "in the shadow what was said counts, and no term does");
    assert_eq!(places(&ask(learned(&question, 31))), [3, 2], "the term is dead");
    assert!(any_learned(&index, LearnedTerms { words: &question, now: Timestamp(0) }));
    assert_eq!(learned_terms(&index, (MemoryKind::Learning, 1), LearnedTerms { words: &question, now: Timestamp(0) }), ["chargeback"]);
}

#[test]
fn an_index_that_is_changed_answers_as_one_that_is_built_anew() {
    // A series of eight, then typical changes: vectors arrive, memories are removed, change their state, and new ones are added.
    let vector = |n: i64| Some([1.0, n as f32 / 10.0, 0.2]);
    let mut now: std::collections::BTreeMap<i64, Passage> = (1..=8).map(|n| (n, passage(n, Some("s"), None))).collect();
    let mut index = Index::build(now.values().cloned());
    let turned_off = |n: i64| Passage { active: false, ..passage(n, Some("s"), vector(n)) };
    let steps: [(i64, Option<Passage>); 12] = [
        (3, Some(passage(3, Some("s"), vector(3)))),
        (8, None),
        (9, Some(passage(9, Some("s"), vector(9)))),
        (1, Some(passage(1, Some("s"), vector(1)))),
        (4, None),
        (5, Some(turned_off(5))),
        (10, Some(Passage { memory: (MemoryKind::Document, 1), ..passage(10, None, vector(10)) })),
        (11, Some(Passage { memory: (MemoryKind::Document, 1), ..passage(11, None, None) })),
        (10, None),
        (1, None),
        (12, Some(passage(12, Some("s"), vector(12)))),
        (77, None),
    ];
    for (row, passage) in steps {
        match &passage {
            Some(passage) => drop(now.insert(row, passage.clone())),
            None => drop(now.remove(&row)),
        }
        // When a quarter are gaps, it requests a rebuild.
        if !index.change(vec![(row, passage)]) {
            index = Index::build(now.values().cloned());
        }
        index = Index::from_bytes(&index.to_bytes()).expect("its own bytes");
        let built = Index::build(now.values().cloned());
        assert_eq!((index.passages(), index.with_vector()), (built.passages(), built.with_vector()));
        let asked = |index: &Index| {
            let vector = index.near(&[0.6, 0.8, 0.0]);
            let found = ChannelHits { vector, ..words(index, &[(2, 3.0), (5, 2.0), (7, 1.0), (9, 1.5)]) };
            let (hits, _) =
                rank(index, &RankQuery { found, late: None, scope: &open, limit: 20, diverse: None, learned: None }, &Tuning::default());
            hits.into_iter().map(|hit| (hit.source, hit.rows, (hit.score.neighbours * 1e4).round())).collect::<Vec<_>>()
        };
        assert_eq!(asked(&index), asked(&built), "after row {row}");
    }
}

#[test]
fn a_small_scope_in_a_large_store_answers_as_a_store_of_its_own() {
    let vector = |row: i64| Some([1.0, (row * 37 % 101) as f32 / 50.0, (row * 53 % 97) as f32 / 50.0]);
    let own = |row: i64| Passage { feature: Some(2), ..passage(row, Some("own"), vector(row)) };
    let is_own = |row: i64| row % 50 == 0;
    // What is out of scope matches better and lies nearer.
    let other = |row: i64| passage(row, None, Some([0.6, 0.8, 0.001 * (row % 9) as f32]));
    let large = Index::build((1..=6_000).map(|row| if is_own(row) { own(row) } else { other(row) }));
    let alone = Index::build((1..=6_000).filter(|row| is_own(*row)).map(own));
    let scope = |_: MemoryKind, _: i64, feature: Option<u32>, _: bool, _: i64| Scope {
        weight: f64::from(feature == Some(2)),
        ..open(MemoryKind::Learning, 0, None, true, 0)
    };
    let asked = |index: &Index| {
        let matching = (1..=6_000).filter(|row| row % 4 < 3).map(|row| (row, if is_own(row) { 1.0 + (row % 11) as f64 } else { 90.0 }));
        let found = ChannelHits { vector: index.near(&[0.6, 0.8, 0.0]), ..words(index, &matching.collect::<Vec<_>>()) };
        let asked = RankQuery { found, scope: &scope, limit: 30, diverse: Some(&|_| None), learned: None, late: None };
        let (hits, weights) = rank(index, &asked, &Tuning::default());
        (hits.into_iter().map(|hit| (hit.source, (hit.score.total * 1e9).round())).collect::<Vec<_>>(), weights)
    };
    assert_eq!(asked(&large), asked(&alone));
    assert_eq!(asked(&large).0.len(), 30);
}

#[test]
fn an_index_is_built_anew_when_a_row_comes_back_as_something_else() {
    let mut index = Index::build([passage(1, None, None), passage(2, None, None)]);
    assert!(!index.change(vec![(1, Some(Passage { memory: (MemoryKind::Fact, 9), ..passage(1, None, None) }))]));
    let mut index = Index::build([passage(2, None, None), passage(5, None, None)]);
    assert!(!index.change(vec![(3, Some(passage(3, None, None)))]));
}

type Near<'a> = dyn Fn(&[i64]) -> Vec<Option<Nearness>> + 'a;

#[test]
fn late_interaction_moves_what_is_among_the_first_and_leaves_its_share_where_there_is_none() {
    let index = Index::build((1..=3).map(|row| passage(row, None, None)));
    let of = |near: f64| Nearness { near, each: vec![near; 2] };
    let asked = |near: &Near<'_>, tuning: &Tuning| {
        rank(
            &index,
            &RankQuery {
                found: words(&index, &[(1, 3.0), (2, 2.8)]),
                late: Some(LateInteraction { near, tokens: 2 }),
                scope: &open,
                limit: 10,
                diverse: None,
                learned: None,
            },
            tuning,
        )
    };
    let second = |rows: &[i64]| rows.iter().map(|row| Some(of(if *row == 2 { 0.9 } else { 0.2 }))).collect::<Vec<_>>();
    let (hits, weights) = asked(&second, &Tuning::default());
    assert_eq!(hits.iter().map(|hit| hit.source).collect::<Vec<_>>(), [2, 1], "row 3 is not found by it alone");
    assert!(hits[0].score.channels.iter().any(|c| c.channel == Channel::Tokens && c.rank == 1 && c.raw > 0.8), "{:?}", hits[0].score);
    assert!((weights.iter().map(|w| w.weight).sum::<f64>() - 1.0).abs() < 1e-9, "{weights:?}");
    let none = |rows: &[i64]| vec![None; rows.len()];
    let off = Tuning { tokens: 0.0, ..Tuning::default() };
    for (near, tuning) in [(&none as &Near<'_>, &Tuning::default()), (&second as &Near<'_>, &off)] {
        let (hits, weights) = asked(near, tuning);
        assert_eq!(hits.iter().map(|hit| hit.source).collect::<Vec<_>>(), [1, 2]);
        assert!(weights.iter().all(|w| w.channel != Channel::Tokens), "{weights:?}");
    }
    let likeness = |near: &Near<'_>| asked(near, &Tuning::default()).0.into_iter().map(|hit| hit.score.likeness).collect::<Vec<_>>();
    assert!(likeness(&second)[0].is_some_and(|near| (near - 0.9).abs() < 1e-6), "what is absolute of it");
    assert_eq!(likeness(&none), [None, None]);
    // The one of two texts without tokens keeps the place that the others gave it.
    let half = |rows: &[i64]| rows.iter().map(|row| (*row == 2).then(|| of(0.9))).collect::<Vec<_>>();
    assert_eq!(asked(&half, &Tuning::default()).0[0].source, 1);
}

#[test]
fn what_was_learnt_in_a_task_like_the_one_that_asks_comes_first_among_equals() {
    let index = Index::build((1..=3).map(|row| passage(row, None, None)));
    let close = |_: MemoryKind, source: i64, _: Option<u32>, _: bool, _: i64| Scope {
        weight: 1.0,
        age_days: None,
        closeness: Some(if source == 1 { 0.9 } else { f64::NAN }),
    };
    let asked = |tuning: &Tuning| {
        let query =
            RankQuery { found: words(&index, &[(1, 3.0), (2, 3.0)]), late: None, scope: &close, limit: 10, diverse: None, learned: None };
        rank(&index, &query, tuning).0
    };
    let hits = asked(&Tuning::default());
    assert_eq!(hits.iter().map(|hit| hit.source).collect::<Vec<_>>(), [1, 2], "what nothing finds is not found by its task either");
    assert!(hits[0].score.channels.iter().any(|c| c.channel == Channel::Story && (c.raw - 0.9).abs() < 1e-9));
    assert_eq!(asked(&Tuning { provenance: 0.0, ..Tuning::default() })[0].source, 2, "of equals the newer");
}

#[test]
fn bytes_that_are_not_whole_are_no_index() {
    let mut index = Index::build((1..=3).map(|row| passage(row, Some("s"), Some([1.0, row as f32, 0.0]))));
    let mut lists = index.lists();
    lists.add(1, "refunds of src/refund_table.rs", "refund table");
    lists.add(3, "retried refunds", "");
    lists.end();
    let bytes = index.to_bytes();
    assert_eq!(Index::from_bytes(&bytes).map(|index| (index.passages(), index.with_vector())), Some((3, 3)));
    for length in 0..bytes.len() {
        assert!(Index::from_bytes(&bytes[..length]).is_none(), "{length} of {}", bytes.len());
    }
    assert!(Index::from_bytes(&[bytes.as_slice(), b"x"].concat()).is_none());
    // What a damaged file says may be wrong; what counts is that it leads nowhere.
    for at in 0..bytes.len() {
        for damage in [0x01, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= damage;
            let Some(index) = Index::from_bytes(&bytes) else { continue };
            for (which, phrase) in [(TextIndex::Words, "retried refunds"), (TextIndex::Words, "refund"), (TextIndex::Trigrams, "refund")] {
                let _ = index.search(which, &[phrase.to_owned()], &[]);
            }
            let found = ChannelHits { vector: index.near(&[0.6, 0.8, 0.0]), ..words(&index, &[(1, 3.0), (3, 2.0)]) };
            rank(
                &index,
                &RankQuery { found, late: None, scope: &open, limit: 20, diverse: Some(&|_| None), learned: None },
                &Tuning::default(),
            );
        }
    }
}
