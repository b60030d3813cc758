//! Attribution: the contribution of each channel, what it alone found, and the results without it.

use super::orders::{FIRST, mrr};
use super::retrieval::{Truth, chosen, mean};
use ralph_core::evaluation::{ChannelShare, QueryRecord, ResultRecord, SelectionRecord};
use ralph_core::recall::Channel;
use std::collections::BTreeMap;

/// Each channel's share of the top ten of recorded answers. The exclusive contribution rate is the number of results found only by the
/// channel, over all results; one that only places what others found has none, see [`Channel::finds`].
pub fn channels(queries: &[QueryRecord], selections: &[SelectionRecord], truth: &Truth) -> BTreeMap<Channel, ChannelShare> {
    let mut shares: BTreeMap<Channel, ChannelShare> = BTreeMap::new();
    let mut results = 0_u32;
    for result in queries.iter().flat_map(|query| &query.results).filter(|result| result.rank.is_some_and(|rank| rank as usize <= FIRST)) {
        results += 1;
        for score in &result.channels {
            let share = shares.entry(score.channel).or_default();
            share.found += 1;
            share.exclusive += u32::from(result.is_found_only_by(score.channel));
        }
    }
    for channel in chosen(selections).into_iter().flat_map(|selection| &selection.channels) {
        shares.entry(*channel).or_default().selected += 1;
    }
    for (channel, share) in &mut shares {
        share.exclusive_rate = if results == 0 { 0.0 } else { f64::from(share.exclusive) / f64::from(results) };
        let judged = queries.iter().filter_map(|query| Some((query, truth.on(&query.id)?)));
        let without: Vec<f64> =
            judged.map(|(query, relevant)| mrr(&without(query, *channel), |memory| relevant.contains(*memory))).collect();
        share.mrr_5_without = mean(&without);
    }
    shares
}

/// The ranking of a recorded answer without one channel: each score loses the channel's contribution. Results that no other channel found
/// are removed. An ablation over recorded results: what was ranked below them can't move up.
fn without(query: &QueryRecord, channel: Channel) -> Vec<&str> {
    let left = |result: &ResultRecord| {
        let (of_all, of_channel) = result.channels.iter().fold((0.0, 0.0), |(all, own), score| {
            (all + score.contribution, own + if score.channel == channel { score.contribution } else { 0.0 })
        });
        if of_all > 0.0 { result.score * (1.0 - of_channel / of_all) } else { result.score }
    };
    let mut order: Vec<(f64, &str)> = query
        .results
        .iter()
        .filter(|r| r.rank.is_some() && !r.is_found_only_by(channel))
        .map(|r| (left(r), r.memory.as_str()))
        .filter(|(score, _)| *score > 1e-12)
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    order.into_iter().map(|(_, memory)| memory).collect()
}

#[cfg(test)]
mod tests {
    use super::super::retrieval::testing::{query, selection};
    use super::*;

    #[test]
    fn what_a_channel_alone_found_and_what_would_be_without_it() {
        let queries = [query(
            "Q1",
            0,
            &[
                ("a", &[(Channel::Lexical, 0.6), (Channel::Vector, 0.3)]),
                ("b", &[(Channel::Vector, 0.5)]),
                ("c", &[(Channel::Lexical, 0.2)]),
                ("d", &[(Channel::Vector, 0.1)]),
            ],
        )];
        let mut chosen = selection("Q1", "b", 2);
        chosen.channels = vec![Channel::Vector];
        let selections = [chosen];
        let shares = channels(&queries, &selections, &Truth::of(&selections, &[], false));
        let (words, vectors) = (&shares[&Channel::Lexical], &shares[&Channel::Vector]);
        assert_eq!((words.found, words.exclusive, words.selected), (2, 1, 0));
        assert_eq!((vectors.found, vectors.exclusive, vectors.selected), (3, 2, 1));
        assert!((vectors.exclusive_rate - 0.5).abs() < 1e-9);
        assert_eq!(words.mrr_5_without, Some(1.0), "without words the chosen one comes first");
        assert_eq!(vectors.mrr_5_without, Some(0.0), "without vectors it is not found");
        assert!(channels(&[], &[], &Truth::default()).is_empty());
    }

    #[test]
    fn what_only_places_results_has_found_none_of_them() {
        let placed = &[(Channel::Vector, 0.3), (Channel::Tokens, 0.6), (Channel::Story, 0.1)][..];
        let queries = [query("Q1", 0, &[("a", placed), ("b", &[(Channel::Lexical, 0.4), (Channel::Tokens, 0.1)])])];
        let selections = [selection("Q1", "a", 1)];
        let shares = channels(&queries, &selections, &Truth::of(&selections, &[], false));
        let (vectors, tokens) = (&shares[&Channel::Vector], &shares[&Channel::Tokens]);
        assert_eq!((vectors.exclusive, shares[&Channel::Lexical].exclusive, tokens.found, tokens.exclusive), (1, 1, 2, 0));
        assert_eq!((vectors.mrr_5_without, tokens.mrr_5_without), (Some(0.0), Some(0.5)), "nothing else led to it");
    }
}
