//! Passages that have no vectors yet.

use super::*;

#[test]
fn a_passage_without_a_vector_yet_stands_where_its_words_put_it() {
    let alike = |row: i64| [1.0, 0.01 * row as f32, 0.0];
    // Mostly about other things, like the memories of a real project; one is near.
    let mixed = |row: i64| if row == 5 { [0.7, 0.0, 0.7] } else { [0.1 + 0.002 * row as f32, 0.0, 1.0] };
    for near in [&alike as &dyn Fn(i64) -> [f32; 3], &mixed] {
        let index = Index::build((1..=20).map(|row| passage(row, None, Some(near(row)))).chain([passage(21, None, None)]));
        let found = ChannelHits { vector: index.near(&[1.0, 0.2, 0.0]), ..words(&index, &[(21, 9.0), (3, 1.0)]) };
        let query = RankQuery { found, scope: &open, limit: 30, diverse: None, learned: None, late: None };
        let (hits, _) = rank(&index, &query, &Tuning::default());
        assert_eq!(hits[0].source, 21, "{:?}", hits.iter().map(|hit| hit.source).collect::<Vec<_>>());
        let channels: Vec<Channel> = hits[0].score.channels.iter().map(|c| c.channel).collect();
        assert_eq!(channels, [Channel::Lexical], "no reason that nobody knows");
    }
}
