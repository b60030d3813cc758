//! From channels to a ranking of memories.

use super::fusion::{ChannelHits, ChannelScores, FusedScores, fuse};
use super::index::{Index, Memory};
use super::late::Late;
use super::mpab::aggregate;
use super::scope::{Scope, ScopeOf};
use crate::feedback::promotion;
use crate::feedback::score::matched;
use ralph_core::recall::{Channel, ChannelScore, ChannelWeight, FactorName, MemoryKind, ScoreBreakdown, ScoreFactor, Tuning};
use ralph_core::time::Timestamp;
use simsimd::SpatialSimilarity as _;

/// A memory's score is made of chunks among the best of all; a long text has many that merely share a word.
const POOL: usize = 200;
/// Higher hits that a hit is compared with for diversity.
const COMPARED: usize = 50;

/// Facts that keep their ranks: a project states hundreds of the same form, such as its dependencies, and three answer a question.
const FACTS_IN_PLACE: usize = 3;
/// Factor on the score of further facts: enough to rank above what merely shares a word with the question, see `docs/measurements.md`.
const FACTS_FACTOR: f64 = 0.25;

/// A query.
pub struct RankQuery<'a> {
    /// The hits of the channels.
    pub found: ChannelHits,
    /// Late interaction with the top passages of the channels; `None` = not used.
    pub late: Option<&'a Late<'a>>,
    /// Relation of each memory to the question.
    pub scope: &'a ScopeOf<'a>,
    /// Maximum number of hits.
    pub limit: usize,
    /// Whether near duplicates of higher hits are demoted.
    pub diverse: bool,
    /// Learned terms and their weight; `None` = not used.
    pub learned: Option<LearnedTerms<'a>>,
}

/// Learned terms in the context of a question.
#[derive(Debug, Clone, Copy)]
pub struct LearnedTerms<'a> {
    /// The question's words, for comparison with learned terms; empty = no term counts.
    pub words: &'a [String],
    /// The current time: terms and validations decay.
    pub now: Timestamp,
}

impl LearnedTerms<'_> {
    /// Contribution of learned terms to a memory, over all the question's words.
    fn share(self, memory: &Memory) -> f64 {
        memory.feedback.as_ref().map_or(0.0, |feedback| matched(feedback, self.words, self.now).0)
    }
}

/// Whether any memory in the index has learned terms among the question's words, which could change the ranking.
pub fn any_learned(index: &Index, learned: LearnedTerms<'_>) -> bool {
    index.memories.iter().any(|memory| learned.share(memory) > 0.0)
}

/// Learned terms of a memory among the question's words.
pub fn learned_terms(index: &Index, (kind, source): (MemoryKind, i64), learned: LearnedTerms<'_>) -> Vec<String> {
    let of = index.memories.iter().find(|memory| memory.id == (kind, source)).and_then(|memory| memory.feedback.as_ref());
    of.map(|feedback| matched(feedback, learned.words, learned.now).1.into_iter().map(str::to_owned).collect()).unwrap_or_default()
}

/// A ranked memory.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedMemory {
    /// Its kind.
    pub kind: MemoryKind,
    /// Its number in the store.
    pub source: i64,
    /// Rows of its matching chunks, in text order.
    pub rows: Vec<i64>,
    /// Its score, broken down.
    pub score: ScoreBreakdown,
}

/// Ranks memories, best first, ties by newest. Also returns the weight of each channel.
pub fn rank(index: &Index, asked: RankQuery<'_>, tuning: &Tuning) -> (Vec<RankedMemory>, Vec<ChannelWeight>) {
    let gone = Scope { weight: 0.0, age_days: None, closeness: None };
    let of = |m: &Memory| if m.passages.is_empty() { gone } else { (asked.scope)(m.id.0, m.id.1, m.feature, m.active, m.created) };
    let scopes: Vec<Scope> = index.memories.iter().map(of).collect();
    let allowed: Vec<bool> = (0..index.len()).map(|at| scopes[index.memory_of(at)].weight > 0.0).collect();
    let fused = fuse(index, asked.found, asked.late, &allowed, tuning);
    let pool = pool_line(&fused.scores);
    let base: Vec<f64> = index.memories.iter().map(|m| join_chunks(m, &fused, pool, tuning.chunk_bonus)).collect();
    let neighbours: Vec<f64> =
        (0..base.len()).map(|m| if scopes[m].weight > 0.0 { neighbours(index, &base, &scopes, m, tuning) } else { 0.0 }).collect();
    // Added to scores after joining chunks: a learned term leads to a memory, not to one of its chunks.
    let taught = |m: usize| asked.learned.map_or(0.0, |learned| tuning.learned * learned.share(&index.memories[m]));
    // Only for memories that the question finds: similarity of tasks does not make everything learned there an answer.
    let story = |m: usize| {
        let closeness = scopes[m].closeness.filter(|c| c.is_finite() && base[m] > 0.0).unwrap_or(0.0);
        tuning.provenance * closeness.clamp(0.0, 1.0)
    };
    let now = asked.learned.map(|learned| learned.now);
    let mut order: Vec<(f64, usize)> = (0..base.len())
        .filter(|m| scopes[*m].weight > 0.0)
        .map(|m| (product((base[m], neighbours[m] + taught(m) + story(m)), &factors(&index.memories[m], scopes[m], tuning, now)), m))
        .filter(|(total, _)| *total > 0.0)
        .collect();
    let line = if asked.diverse { facts_line(index, &order) } else { 0.0 };
    for (total, m) in &mut order {
        if *total < line && index.memories[*m].id.0 == MemoryKind::Fact {
            *total *= FACTS_FACTOR;
        }
    }
    let newer_first = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then_with(|| b.1.cmp(&a.1));
    let keep = asked.limit.saturating_add(if asked.diverse { COMPARED } else { 0 });
    if order.len() > keep && keep > 0 {
        order.select_nth_unstable_by(keep - 1, newer_first);
        order.truncate(keep);
    }
    order.sort_by(newer_first);
    let explained = |(total, m): (f64, usize)| {
        let factors = factors(&index.memories[m], scopes[m], tuning, now);
        let mut ranked = explain(index, &fused, m, base[m], (neighbours[m], taught(m) + story(m)), &factors, pool);
        if ranked.kind == MemoryKind::Fact && total < ranked.score.total / 2.0 {
            ranked.score.total = total;
            ranked.score.factors.push(ScoreFactor { name: FactorName::Diversity, factor: FACTS_FACTOR });
        }
        let place = |part: &dyn Fn(usize) -> f64| {
            1 + (0..base.len()).filter(|other| scopes[*other].weight > 0.0 && part(*other) > part(m)).count() as u32
        };
        let mut add = |channel, part: &dyn Fn(usize) -> f64, weight: f64| {
            if part(m) > 0.0 {
                ranked.score.channels.push(ChannelScore { channel, rank: place(part), raw: part(m) / weight, contribution: part(m) });
            }
        };
        add(Channel::Learned, &taught, tuning.learned);
        add(Channel::Story, &story, tuning.provenance);
        ranked
    };
    let mut hits: Vec<RankedMemory> = order.into_iter().map(explained).collect();
    if asked.diverse {
        step_back(index, &mut hits, tuning);
    }
    hits.truncate(asked.limit);
    (hits, weights(&fused))
}

/// The score below which facts are demoted; 0 if there are few.
fn facts_line(index: &Index, order: &[(f64, usize)]) -> f64 {
    let mut facts: Vec<f64> = order.iter().filter(|(_, m)| index.memories[*m].id.0 == MemoryKind::Fact).map(|(total, _)| *total).collect();
    if facts.len() <= FACTS_IN_PLACE {
        return 0.0;
    }
    let (_, line, _) = facts.select_nth_unstable_by(FACTS_IN_PLACE - 1, |a, b| b.total_cmp(a));
    *line
}

/// The minimum score of the best [`POOL`] passages.
fn pool_line(scores: &[f32]) -> f32 {
    if scores.len() <= POOL {
        return f32::MIN_POSITIVE;
    }
    let mut sorted = scores.to_vec();
    let (_, line, _) = sorted.select_nth_unstable_by(POOL - 1, |a, b| b.total_cmp(a));
    line.max(f32::MIN_POSITIVE)
}

fn join_chunks(memory: &Memory, fused: &FusedScores, pool: f32, bonus: f64) -> f64 {
    if let [only] = memory.passages[..] {
        return f64::from(fused.scores[only as usize]);
    }
    let scores = memory.passages.iter().map(|at| fused.scores[*at as usize]);
    let pooled: Vec<f64> = scores.clone().filter(|s| *s >= pool).map(f64::from).collect();
    if pooled.is_empty() { f64::from(scores.fold(0.0, f32::max)) } else { aggregate(&pooled, bonus) }
}

/// Contribution of adjacent memories: each a share of its score, the next ones half of that.
fn neighbours(index: &Index, base: &[f64], scopes: &[Scope], memory: usize, tuning: &Tuning) -> f64 {
    let walk = |step: &dyn Fn(&Memory) -> Option<u32>, share: f64| {
        let allowed = |m: &usize| scopes[*m].weight > 0.0;
        let next = |m: usize| step(&index.memories[m]).map(|n| n as usize).filter(allowed);
        let Some(first) = next(memory) else { return 0.0 };
        share * (base[first] + next(first).map_or(0.0, |second| 0.5 * base[second]))
    };
    walk(&|m| m.before, tuning.neighbour_before) + walk(&|m| m.after, tuning.neighbour_after)
}

fn factors(memory: &Memory, scope: Scope, tuning: &Tuning, now: Option<Timestamp>) -> [ScoreFactor; 5] {
    let recency = scope.age_days.map_or(0.0, |age| tuning.recency * (-age.max(0.0) / tuning.recency_days.max(1e-9)).exp());
    let factor = |name, factor| ScoreFactor { name, factor };
    [
        factor(FactorName::Scope, scope.weight),
        factor(FactorName::Evidence, if memory.protected { 1.0 + tuning.evidence } else { 1.0 }),
        factor(FactorName::Recency, 1.0 + recency),
        factor(FactorName::NamesAFile, if memory.names_a_file { 1.0 + tuning.names_a_file } else { 1.0 }),
        factor(FactorName::Feedback, memory.feedback.as_ref().zip(now).map_or(1.0, |(feedback, now)| promotion::factor(feedback, now))),
    ]
}

fn product((fused, neighbours): (f64, f64), factors: &[ScoreFactor]) -> f64 {
    factors.iter().fold(fused + neighbours, |score, f| score * f.factor)
}

/// Records the score breakdown of a memory.
fn explain(
    index: &Index,
    fused: &FusedScores,
    memory: usize,
    base: f64,
    (neighbours, taught): (f64, f64),
    factors: &[ScoreFactor],
    pool: f32,
) -> RankedMemory {
    let entry = &index.memories[memory];
    let score_of = |at: &u32| fused.scores[*at as usize];
    let best =
        entry.passages.iter().copied().max_by(|a, b| score_of(a).total_cmp(&score_of(b)).then(b.cmp(a))).unwrap_or_default() as usize;
    let mut matched: Vec<u32> = entry.passages.iter().copied().filter(|at| score_of(at) >= pool).collect();
    if matched.is_empty() {
        matched.push(best as u32);
    }
    let channels = fused.channels.iter().filter(|c| c.relative[best] > 0.0).map(|c| ChannelScore {
        channel: c.channel,
        rank: 1 + c.relative.iter().filter(|score| **score > c.relative[best]).count() as u32,
        raw: f64::from(c.raw[best]),
        contribution: c.weight * f64::from(c.relative[best]),
    });
    let score = ScoreBreakdown {
        total: product((base, neighbours + taught), factors),
        channels: channels.collect(),
        fused: f64::from(fused.scores[best]),
        neighbours,
        chunks: matched.len() as u32,
        chunk_bonus: base - f64::from(fused.scores[best]),
        factors: factors.iter().filter(|f| f.factor != 1.0).cloned().collect(),
    };
    let rows = matched.iter().map(|at| index.row(*at as usize)).collect();
    RankedMemory { kind: entry.id.0, source: entry.id.1, rows, score }
}

/// Demotes near duplicates of higher hits, as maximal marginal relevance does (Carbonell & Goldstein 1998), but
/// only above the near-duplicate threshold: memories merely on the same subject are wanted.
fn step_back(index: &Index, hits: &mut Vec<RankedMemory>, tuning: &Tuning) {
    let vector = |hit: &RankedMemory| hit.rows.first().and_then(|row| index.position(*row)).and_then(|at| index.vector(at));
    let mut kept: Vec<RankedMemory> = Vec::with_capacity(hits.len());
    let mut back: Vec<RankedMemory> = Vec::new();
    for mut hit in hits.drain(..) {
        let same = |other: &&RankedMemory| match (vector(&hit), vector(other)) {
            (Some(a), Some(b)) => f32::dot(a, b).is_some_and(|cosine| cosine >= tuning.near_duplicate),
            _ => false,
        };
        if kept.iter().take(COMPARED).any(|other| same(&other)) {
            hit.score.total *= tuning.near_duplicate_factor;
            hit.score.factors.push(ScoreFactor { name: FactorName::Diversity, factor: tuning.near_duplicate_factor });
            back.push(hit);
        } else {
            kept.push(hit);
        }
    }
    kept.append(&mut back);
    kept.sort_by(|a, b| b.score.total.total_cmp(&a.score.total));
    *hits = kept;
}

fn weights(fused: &FusedScores) -> Vec<ChannelWeight> {
    let weight = |c: &ChannelScores| ChannelWeight { channel: c.channel, weight: c.weight, confidence: c.confidence };
    let mut weights: Vec<ChannelWeight> = fused.channels.iter().map(weight).collect();
    weights.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(Channel::cmp(&a.channel, &b.channel)));
    weights
}
