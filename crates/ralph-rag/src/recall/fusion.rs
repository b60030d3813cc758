//! Query-dependent fusion: the weight of each channel follows its confidence on this query.
//!
//! Fixed weights lose to the best channel on some collection (reciprocal rank fusion with equal weights on three of four, see
//! `docs/decisions/006-recall.md`), because the better channel differs from query to query. Each channel's scores are put on a scale of 0
//! to 1 by its own maximum; the share of the vector channel then rises with how far its best cosine is above chance, and falls where word
//! scores fall steeply.

use super::index::Index;
use super::late::{Late, RERANKED};
use super::scope::ScopeOf;
use ralph_core::recall::{Channel, Tuning};

/// The hits of each channel; `None` = the channel is missing.
#[derive(Debug, Clone, Default)]
pub struct ChannelHits {
    /// Rows and BM25 (higher is better) by words.
    pub lexical: Option<Vec<(i64, f64)>>,
    /// By trigrams.
    pub trigram: Option<Vec<(i64, f64)>>,
    /// By terms.
    pub trigger: Option<Vec<(i64, f64)>>,
    /// By the files that the question names; `None` if it names none.
    pub path: Option<Vec<(i64, f64)>>,
    /// Cosines of all passages, in the index's order.
    pub vector: Option<Vec<f32>>,
}

/// One channel's scores over all passages.
#[derive(Debug, Clone)]
pub(super) struct ChannelScores {
    pub channel: Channel,
    pub weight: f64,
    pub confidence: f64,
    /// The channel's own scores; 0 for no match.
    pub raw: Vec<f32>,
    /// The scores scaled to 0..=1.
    pub relative: Vec<f32>,
}

/// All channels with their weights, over all passages.
#[derive(Debug, Clone)]
pub struct FusedScores {
    pub(super) channels: Vec<ChannelScores>,
    /// Sum of weight × relative score, per passage.
    pub(super) scores: Vec<f32>,
}

/// Fuses the channels over the passages that `allowed` lets through.
pub(super) fn fuse(index: &Index, found: ChannelHits, late: Option<&Late<'_>>, allowed: &[bool], tuning: &Tuning) -> FusedScores {
    let text = |channel: Channel, hits: Option<Vec<(i64, f64)>>| hits.map(|hits| text_channel(index, channel, hits, allowed));
    let mut channels: Vec<ChannelScores> = [
        text(Channel::Lexical, found.lexical),
        text(Channel::Trigram, found.trigram),
        text(Channel::Trigger, found.trigger),
        text(Channel::Path, found.path),
        found.vector.map(|cosines| vector_channel(cosines, allowed)),
    ]
    .into_iter()
    .flatten()
    .collect();
    weigh(&mut channels, tuning);
    let scores = sum(&channels, index.len());
    let Some(tokens) = late.and_then(|late| token_channel(index, &channels, &scores, late, tuning)) else {
        return FusedScores { channels, scores };
    };
    for channel in &mut channels {
        channel.weight *= 1.0 - taken(channel.channel, tuning);
    }
    channels.push(tokens);
    let scores = sum(&channels, index.len());
    FusedScores { channels, scores }
}

fn sum(channels: &[ChannelScores], passages: usize) -> Vec<f32> {
    let mut scores = vec![0.0; passages];
    for channel in channels {
        for (score, relative) in scores.iter_mut().zip(&channel.relative) {
            *score += channel.weight as f32 * relative;
        }
    }
    scores
}

/// The fraction that late interaction takes of a channel's share.
fn taken(channel: Channel, tuning: &Tuning) -> f64 {
    let share = tuning.tokens.clamp(0.0, 1.0);
    // The vectors cover the same meaning as the tokens, words and fragments do not.
    if channel == Channel::Vector { share / 2.0 } else { share }
}

/// Late interaction over the passages ranked first by the other channels; `None` if none of them has token vectors.
fn token_channel(index: &Index, channels: &[ChannelScores], fused: &[f32], late: &Late<'_>, tuning: &Tuning) -> Option<ChannelScores> {
    let weight: f64 = channels.iter().map(|c| c.weight * taken(c.channel, tuning)).sum();
    let mut first: Vec<usize> = (0..fused.len()).filter(|at| fused[*at] > 0.0).collect();
    if weight <= 0.0 || first.is_empty() {
        return None;
    }
    let better = |a: &usize, b: &usize| fused[*b].total_cmp(&fused[*a]).then(a.cmp(b));
    if first.len() > RERANKED {
        first.select_nth_unstable_by(RERANKED - 1, better);
        first.truncate(RERANKED);
    }
    let rows: Vec<i64> = first.iter().map(|at| index.row(*at)).collect();
    let found: Vec<Option<f64>> = late(&rows);
    let known = || found.iter().flatten().copied();
    let (best, least) = (known().fold(f64::NEG_INFINITY, f64::max), known().fold(f64::INFINITY, f64::min));
    if !best.is_finite() {
        return None;
    }
    let top = first.iter().map(|at| fused[*at]).fold(f32::MIN_POSITIVE, f32::max);
    let mut raw = vec![0.0; index.len()];
    let mut relative = vec![0.0; index.len()];
    for (at, score) in first.iter().zip(&found) {
        // A text without token vectors yet keeps its rank from the others.
        relative[*at] = score.map_or(fused[*at] / top, |score| if best > least { ((score - least) / (best - least)) as f32 } else { 1.0 });
        raw[*at] = score.map_or(0.0, |score| score as f32);
    }
    let confidence = fall(&first.iter().map(|at| relative[*at]).collect::<Vec<_>>());
    Some(ChannelScores { channel: Channel::Tokens, weight, confidence, raw, relative })
}

fn text_channel(index: &Index, channel: Channel, hits: Vec<(i64, f64)>, allowed: &[bool]) -> ChannelScores {
    let mut raw = vec![0.0f32; index.len()];
    for (row, score) in hits {
        if let Some(at) = index.position(row).filter(|at| allowed[*at]) {
            raw[at] = if score.is_finite() { score as f32 } else { 0.0 };
        }
    }
    let best = raw.iter().copied().fold(0.0, f32::max);
    let relative: Vec<f32> = raw.iter().map(|score| if best > 0.0 { (score / best).max(0.0) } else { 0.0 }).collect();
    ChannelScores { channel, weight: 0.0, confidence: fall(&relative), raw, relative }
}

/// How steeply the relative scores fall from the first to the tenth: 0 = all equal, 1 = only few match.
fn fall(relative: &[f32]) -> f64 {
    const TENTH: usize = 9;
    let mut scores = relative.to_vec();
    if scores.is_empty() {
        return 0.0;
    }
    let at = TENTH.min(scores.len() - 1);
    let (_, tenth, _) = scores.select_nth_unstable_by(at, |a, b| b.total_cmp(a));
    f64::from(1.0 - *tenth)
}

fn vector_channel(cosines: Vec<f32>, allowed: &[bool]) -> ChannelScores {
    let seen = || cosines.iter().zip(allowed).filter(|(c, allowed)| **allowed && c.is_finite()).map(|(c, _)| f64::from(*c));
    let count = seen().count().max(1) as f64;
    let mean = seen().sum::<f64>() / count;
    let deviation = (seen().map(|c| (c - mean).powi(2)).sum::<f64>() / count).sqrt();
    let best = seen().fold(f64::NEG_INFINITY, f64::max).max(mean);
    let span = best - mean + 1e-9;
    let scale = |(cosine, allowed): (&f32, &bool)| {
        if *allowed && cosine.is_finite() { ((f64::from(*cosine) - mean) / span).max(0.0) as f32 } else { 0.0 }
    };
    let relative = cosines.iter().zip(allowed).map(scale).collect();
    // The maximum of n normal draws is about sqrt(2 ln n) deviations above their mean.
    let chance = (2.0 * count.max(3.0).ln()).sqrt();
    let confidence = (best - mean) / (deviation + 1e-9) / chance;
    ChannelScores { channel: Channel::Vector, weight: 0.0, confidence, raw: cosines, relative }
}

/// Assigns every channel its share; shares sum to 1. A missing channel leaves its share to the others.
fn weigh(channels: &mut [ChannelScores], tuning: &Tuning) {
    /// A fall that is neither steep nor flat.
    const USUAL_FALL: f64 = 0.45;
    let confidence = |of: Channel| channels.iter().find(|c| c.channel == of).map(|c| c.confidence);
    let has_text = channels.iter().any(|c| c.channel != Channel::Vector && c.relative.iter().any(|s| *s > 0.0));
    let vector = match confidence(Channel::Vector) {
        None => 0.0,
        Some(_) if !has_text => 1.0,
        Some(sure) => {
            let text = confidence(Channel::Lexical).map_or(0.0, |fall| fall - USUAL_FALL);
            let x = tuning.vector_steepness * (sure - tuning.vector_middle) - tuning.text_steepness * text;
            tuning.vector_min + (tuning.vector_max - tuning.vector_min) / (1.0 + (-x).exp())
        }
    };
    let share = |of: Channel| match of {
        // The path channel's share is taken from all others: most questions name no file, and nothing changes for them.
        Channel::Path => tuning.path / (1.0 - tuning.path).max(1e-9),
        Channel::Lexical => (1.0 - tuning.trigram - tuning.trigger).max(0.0),
        Channel::Trigram => tuning.trigram,
        Channel::Trigger => tuning.trigger,
        Channel::Vector | Channel::Neighbours | Channel::Learned | Channel::Tokens | Channel::Story => 0.0,
    };
    let text_sum: f64 = channels.iter().map(|c| share(c.channel)).sum();
    for channel in channels.iter_mut() {
        channel.weight =
            if channel.channel == Channel::Vector { vector } else { (1.0 - vector) * share(channel.channel) / text_sum.max(1e-9) };
    }
}

/// The ranking of one channel alone, with its score and the memory's number, for measurements: at most `limit`.
pub fn channel_order(index: &Index, found: &ChannelHits, channel: Channel, scope: &ScopeOf<'_>, limit: usize) -> Vec<(f64, i64)> {
    let text = |hits: &Option<Vec<(i64, f64)>>| -> Vec<(usize, f64)> {
        hits.iter().flatten().filter_map(|(row, score)| Some((index.position(*row)?, *score))).collect()
    };
    let scores: Vec<(usize, f64)> = match channel {
        Channel::Lexical => text(&found.lexical),
        Channel::Trigram => text(&found.trigram),
        Channel::Trigger => text(&found.trigger),
        Channel::Path => text(&found.path),
        Channel::Vector => found.vector.iter().flatten().map(|c| f64::from(*c)).enumerate().collect(),
        Channel::Neighbours | Channel::Learned | Channel::Tokens | Channel::Story => Vec::new(),
    };
    let mut best: std::collections::HashMap<usize, f64> = std::collections::HashMap::new();
    for (at, score) in scores {
        let memory = index.memory_of(at);
        let m = &index.memories[memory];
        if scope(m.id.0, m.id.1, m.feature, m.active, m.created).weight > 0.0 {
            let entry = best.entry(memory).or_insert(f64::NEG_INFINITY);
            *entry = entry.max(score);
        }
    }
    let mut order: Vec<(f64, usize)> = best.into_iter().map(|(memory, score)| (score, memory)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.into_iter().take(limit).map(|(score, memory)| (score, index.memories[memory].id.1)).collect()
}
