//! Passages that still wait for their vectors.

use super::*;

#[test]
fn a_passage_without_a_vector_yet_stands_where_its_words_put_it() {
    let near = (1..=20).map(|row| passage(row, None, Some([1.0, 0.01 * row as f32, 0.0])));
    let index = Index::build(near.chain([passage(21, None, None)]));
    let found = ChannelHits { vector: index.near(&[1.0, 0.2, 0.0]), ..words(&index, &[(21, 9.0), (3, 1.0)]) };
    let query = RankQuery { found, scope: &open, limit: 30, diverse: false, learned: None, late: None };
    let (hits, _) = rank(&index, &query, &Tuning::default());
    let place = hits.iter().position(|hit| hit.source == 21).expect("it is found");
    assert_eq!(hits[0].source, 21, "{place}");
    let channels: Vec<Channel> = hits[place].score.channels.iter().map(|c| c.channel).collect();
    assert_eq!(channels, [Channel::Lexical], "no reason that nobody knows");
}
