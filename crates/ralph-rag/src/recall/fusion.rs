//! Query-dependent fusion: the weight of each channel follows its confidence on this query.
//!
//! Fixed weights lose to the best channel on some collection (reciprocal rank fusion with equal weights on three of four, see
//! `docs/decisions/006-recall.md`), because the better channel differs from query to query. Each channel's scores are put on a scale of 0
//! to 1 by its own maximum; the share of the vector channel then rises with how far its best cosine is above chance, and falls where word
//! scores fall steeply.

use super::candidates::{Candidates, Scopes, TextHits, VectorHits};
use super::index::Index;
use super::late::{LateInteraction, Nearness, RERANKED, beside_each_other};
use super::matches::Matches;
use super::scope::ScopeOf;
use super::vectors::Near;
use ralph_core::recall::{Channel, Tuning};

/// The hits of each channel; `None` = the channel is missing.
#[derive(Debug, Clone, Default)]
pub struct ChannelHits {
    /// By words.
    pub lexical: Option<Matches>,
    /// By trigrams.
    pub trigram: Option<Matches>,
    /// By terms.
    pub trigger: Option<Matches>,
    /// By the files that the question names; `None` if it names none.
    pub path: Option<Matches>,
    /// What the vectors found.
    pub vector: Option<Near>,
    /// Whether the question asks only for names, or in letters that the model merely spells.
    pub names_alone: bool,
}

/// One channel's scores over the candidates.
#[derive(Clone)]
pub(super) struct ChannelScores {
    pub channel: Channel,
    pub weight: f64,
    pub confidence: f64,
    /// The channel's own scores; 0 where it found nothing, NaN where it could not look.
    pub raw: Vec<f32>,
    /// The scores scaled to 0..=1.
    pub relative: Vec<f32>,
}

/// All channels, weighed, over the candidates.
pub(super) struct FusedScores {
    pub candidates: Candidates,
    pub channels: Vec<ChannelScores>,
    /// Sum of weight × relative score, per candidate.
    pub scores: Vec<f32>,
}

impl FusedScores {
    /// The number of the passage at a position, if it is a candidate, and its score; 0 for another.
    pub fn score(&self, position: u32) -> f32 {
        self.candidates.number(position).map_or(0.0, |number| self.scores[number])
    }
}

/// Fuses the channels over the passages within scope.
pub(super) fn fuse(
    index: &Index,
    found: &ChannelHits,
    late: Option<LateInteraction<'_>>,
    scopes: &Scopes<'_>,
    tuning: &Tuning,
) -> FusedScores {
    // A model that has never met a name takes it for the sum of its syllables.
    let tuning = &Tuning { vector_max: if found.names_alone { tuning.vector_min } else { tuning.vector_max }, ..*tuning };
    let text: Vec<(Channel, TextHits<'_>)> = [
        (Channel::Lexical, &found.lexical),
        (Channel::Trigram, &found.trigram),
        (Channel::Trigger, &found.trigger),
        (Channel::Path, &found.path),
    ]
    .into_iter()
    .filter_map(|(channel, hits)| Some((channel, TextHits::of(scopes, hits.as_ref()?))))
    .collect();
    let vector = found.vector.as_ref().map(|near| VectorHits::of(scopes, near));
    let first = text.iter().map(|(_, hits)| hits.first.as_slice()).chain(vector.iter().map(|hits| hits.first.as_slice()));
    let candidates = Candidates::of(scopes, first);
    let text = text.iter().map(|(channel, hits)| text_channel(index, *channel, hits, &candidates));
    let vector = vector.iter().map(|hits| vector_channel(index, hits, &candidates));
    let mut channels: Vec<ChannelScores> = text.chain(vector).collect();
    weigh(&mut channels, tuning);
    stand_in(&mut channels, candidates.len());
    let scores = sum(&channels, candidates.len());
    let vectors: f64 = channels.iter().filter(|c| c.channel == Channel::Vector).map(|c| c.weight).sum();
    let share = late.map_or(0.0, |late| late.share(tuning.tokens, vectors, tuning.vector_max));
    let Some(tokens) = late.and_then(|late| token_channel(index, &candidates, &channels, &scores, late, share)) else {
        return FusedScores { candidates, channels, scores };
    };
    for channel in &mut channels {
        channel.weight *= 1.0 - taken(channel.channel, share);
    }
    channels.push(tokens);
    let scores = sum(&channels, candidates.len());
    FusedScores { candidates, channels, scores }
}

/// A passage without a vector is ranked among the vectors as the other channels rank it.
fn stand_in(channels: &mut [ChannelScores], passages: usize) {
    let Some(at) = channels.iter().position(|c| c.channel == Channel::Vector && c.raw.iter().any(|raw| raw.is_nan())) else { return };
    let mut others = channels.to_vec();
    let mut vector = others.remove(at);
    let scores = sum(&others, passages);
    let top = scores.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    for ((relative, raw), score) in vector.relative.iter_mut().zip(&vector.raw).zip(&scores) {
        if raw.is_nan() {
            *relative = score / top;
        }
    }
    channels[at] = vector;
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

/// The part of a channel's share that late interaction takes.
fn taken(channel: Channel, share: f64) -> f64 {
    // Vectors know about meaning what tokens know; words and fragments do not.
    if channel == Channel::Vector { share / 2.0 } else { share }
}

/// Late interaction over the passages that the other channels put first; `None` where none of them has vectors of its tokens.
fn token_channel(
    index: &Index,
    candidates: &Candidates,
    channels: &[ChannelScores],
    fused: &[f32],
    late: LateInteraction<'_>,
    share: f64,
) -> Option<ChannelScores> {
    let weight: f64 = channels.iter().map(|c| c.weight * taken(c.channel, share)).sum();
    let mut first: Vec<usize> = (0..fused.len()).filter(|at| fused[*at] > 0.0).collect();
    if weight <= 0.0 || first.is_empty() {
        return None;
    }
    let better = |a: &usize, b: &usize| fused[*b].total_cmp(&fused[*a]).then(a.cmp(b));
    if first.len() > RERANKED {
        first.select_nth_unstable_by(RERANKED - 1, better);
        first.truncate(RERANKED);
    }
    let rows: Vec<i64> = first.iter().map(|at| index.row(candidates.position(*at))).collect();
    let alone: Vec<Option<Nearness>> = (late.near)(&rows);
    let found = beside_each_other(&alone);
    let mut known: Vec<f64> = found.iter().flatten().copied().collect();
    known.sort_by(f64::total_cmp);
    // Half of what the others rank first is there by chance: being no nearer than that means nothing.
    let (best, usual) = (*known.last()?, known[(known.len() - 1) / 2]);
    let top = first.iter().map(|at| fused[*at]).fold(f32::MIN_POSITIVE, f32::max);
    let mut raw = vec![0.0; candidates.len()];
    let mut relative = vec![0.0; candidates.len()];
    // A single one has nothing to be compared with.
    let beside = known.len() > 1 || first.len() == 1;
    for ((at, score), alone) in first.iter().zip(&found).zip(&alone) {
        // A text whose tokens have no vectors yet is ranked as the others rank it.
        relative[*at] = score
            .filter(|_| beside)
            .map_or(fused[*at] / top, |score| if best > usual { ((score - usual) / (best - usual)).max(0.0) as f32 } else { 1.0 });
        raw[*at] = alone.as_ref().map_or(f32::NAN, |alone| alone.near as f32);
    }
    let confidence = fall(first.iter().map(|at| relative[*at]).collect(), first.len());
    Some(ChannelScores { channel: Channel::Tokens, weight, confidence, raw, relative })
}

fn text_channel(index: &Index, channel: Channel, found: &TextHits<'_>, candidates: &Candidates) -> ChannelScores {
    let best = found.first.iter().fold(0.0, |best: f32, (_, score)| best.max(*score));
    let share = |score: f32| if best > 0.0 { (score / best).max(0.0) } else { 0.0 };
    let raw: Vec<f32> = candidates.positions().iter().map(|at| found.matches.score(*at as usize)).collect();
    let relative = raw.iter().map(|score| share(*score)).collect();
    let confidence = fall(found.first.iter().map(|(_, score)| share(*score)).collect(), index.len());
    ChannelScores { channel, weight: 0.0, confidence, raw, relative }
}

/// How steeply the relative scores of `among` passages fall from the first to the tenth: 0 = all alike, 1 = only few match. What is not
/// listed was not found.
fn fall(mut scores: Vec<f32>, among: usize) -> f64 {
    const TENTH: usize = 9;
    let at = TENTH.min(among.saturating_sub(1));
    if among == 0 {
        return 0.0;
    }
    if scores.len() <= at {
        return 1.0;
    }
    let (_, tenth, _) = scores.select_nth_unstable_by(at, |a, b| b.total_cmp(a));
    f64::from(1.0 - *tenth)
}

fn vector_channel(index: &Index, found: &VectorHits<'_>, candidates: &Candidates) -> ChannelScores {
    let mean = found.mean;
    let best = found.first.iter().fold(f64::NEG_INFINITY, |best, (_, cosine)| best.max(f64::from(*cosine))).max(mean);
    let span = best - mean + 1e-9;
    let raw: Vec<f32> = candidates.positions().iter().map(|at| index.cosine(found.near, *at as usize)).collect();
    let scale = |cosine: f64| if cosine.is_finite() && cosine > mean { ((cosine - mean) / span) as f32 } else { 0.0 };
    let relative = raw.iter().map(|cosine| scale(f64::from(*cosine))).collect();
    // The best of n normal draws stands about sqrt(2 ln n) deviations above their mean.
    let chance = (2.0 * found.count.max(3.0).ln()).sqrt();
    let confidence = (best - mean) / (found.deviation + 1e-9) / chance;
    ChannelScores { channel: Channel::Vector, weight: 0.0, confidence, raw, relative }
}

/// Assigns every channel its share; shares sum to 1. A missing channel leaves its share to the others.
fn weigh(channels: &mut [ChannelScores], tuning: &Tuning) {
    /// A decline that is neither steep nor flat.
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
    let text = |found: &Option<Matches>| -> Vec<(usize, f64)> {
        found.iter().flat_map(Matches::hits).map(|(at, score)| (at as usize, f64::from(score))).collect()
    };
    let scores: Vec<(usize, f64)> = match channel {
        Channel::Lexical => text(&found.lexical),
        Channel::Trigram => text(&found.trigram),
        Channel::Trigger => text(&found.trigger),
        Channel::Path => text(&found.path),
        Channel::Vector => {
            let cosines = |near| (0..index.len()).map(move |at| (at, f64::from(index.cosine(near, at))));
            found.vector.iter().flat_map(cosines).filter(|(_, cosine)| cosine.is_finite()).collect()
        }
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
