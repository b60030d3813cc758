//! From channels to a ranking of memories.

use super::candidates::Scopes;
use super::fusion::{ChannelHits, ChannelScores, FusedScores, fuse};
use super::index::{Index, Memory};
use super::late::LateInteraction;
use super::mpab::aggregate;
use super::scope::{Scope, ScopeOf};
use crate::feedback::promotion;
use crate::feedback::score::matched;
use crate::guard;
use crate::words::Words;
use ralph_core::recall::{Channel, ChannelScore, ChannelWeight, FactorName, MemoryKind, ScoreBreakdown, ScoreFactor, Tuning};
use ralph_core::time::Timestamp;
use std::cell::OnceCell;

/// A memory's score comes only from chunks among the best of all; a long text has many that merely share a word.
const POOL: usize = 200;
/// Higher hits that a hit is compared with for diversity.
const COMPARED: usize = 50;

/// Facts that keep their ranks: a project states hundreds of the same form, such as its dependencies, and three answer a question.
const FACTS_IN_PLACE: usize = 3;
/// Factor on the score of further facts: enough to rank above what merely shares a word with the question, see `docs/measurements.md`.
const FACTS_FACTOR: f64 = 0.25;

/// The words of a learning by its number in the store; `None` = there is none.
pub type WordsOf<'a> = dyn Fn(i64) -> Option<Words> + 'a;

/// A query.
pub struct RankQuery<'a> {
    /// The hits of the channels.
    pub found: ChannelHits,
    /// Late interaction with the passages that the channels put first; `None` = it has no part.
    pub late: Option<LateInteraction<'a>>,
    /// How each memory relates to the question.
    pub scope: &'a ScopeOf<'a>,
    /// Maximum number of hits.
    pub limit: usize,
    /// The words of learnings, if near duplicates of higher hits are to be demoted.
    pub diverse: Option<&'a WordsOf<'a>>,
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
    index.told_of().any(|memory| learned.share(&index.memories[memory]) > 0.0)
}

/// Learned terms of a memory among the question's words.
pub fn learned_terms(index: &Index, (kind, source): (MemoryKind, i64), learned: LearnedTerms<'_>) -> Vec<String> {
    let of = index.place_of((kind, source)).and_then(|place| index.memories[place].feedback.as_ref());
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

/// The memories of the candidates, in the order of the index, with the joined scores of their chunks.
struct Joined {
    memories: Vec<u32>,
    /// By memory; 0 where none of its passages is a candidate.
    base: Vec<f64>,
}

impl Joined {
    fn of(index: &Index, fused: &FusedScores, pool: f32, tuning: &Tuning) -> Joined {
        let mut memories: Vec<u32> = fused.candidates.positions().iter().map(|at| index.memory_of(*at as usize) as u32).collect();
        memories.sort_unstable();
        memories.dedup();
        let mut base = vec![0.0; index.memories.len()];
        for m in memories.iter().map(|m| *m as usize) {
            base[m] = join_chunks(&index.memories[m], fused, pool, tuning.chunk_bonus);
        }
        Joined { memories, base }
    }

    fn memories(&self) -> impl Iterator<Item = usize> {
        self.memories.iter().map(|m| *m as usize)
    }

    /// The joined score of a memory's chunks; 0 if none is a candidate.
    fn base(&self, memory: usize) -> f64 {
        self.base[memory]
    }
}

/// A memory at its place in the order.
struct Placed {
    /// Its score, by which it is ordered.
    total: f64,
    memory: usize,
    /// The factor by which others have demoted it; it is part of the total.
    put_back: f64,
}

impl Placed {
    fn put_back(&mut self, factor: f64) {
        self.total *= factor;
        self.put_back *= factor;
    }
}

/// Orders memories, best first; among equals the newer. Also returns the weight of each channel.
pub fn rank(index: &Index, asked: &RankQuery<'_>, tuning: &Tuning) -> (Vec<RankedMemory>, Vec<ChannelWeight>) {
    let scopes = Scopes::new(index, asked.scope);
    let fused = fuse(index, &asked.found, asked.late, &scopes, tuning);
    let pool = pool_line(&fused.scores);
    let joined = Joined::of(index, &fused, pool, tuning);
    // Applied after chunks are joined: a learned term leads to a memory, not to one of its chunks.
    let taught = |m: usize| asked.learned.map_or(0.0, |learned| tuning.learned * learned.share(&index.memories[m]));
    // Only for memories that the question finds: similarity of tasks does not make everything learned there an answer.
    let story = |m: usize| {
        let closeness = scopes.get(m).closeness.filter(|c| c.is_finite() && joined.base(m) > 0.0).unwrap_or(0.0);
        tuning.provenance * closeness.clamp(0.0, 1.0)
    };
    let now = asked.learned.map(|learned| learned.now);
    let score = |m: usize| joined.base(m) + neighbours(index, &joined, &scopes, m, tuning) + taught(m) + story(m);
    let mut order: Vec<Placed> = joined
        .memories()
        .map(|m| (score(m), m))
        .filter(|(score, _)| *score > 0.0)
        .map(|(score, m)| (product(score, &factors(&index.memories[m], scopes.get(m), tuning, now)), m))
        .filter(|(total, _)| *total > 0.0)
        .map(|(total, memory)| Placed { total, memory, put_back: 1.0 })
        .collect();
    let is_fact = |placed: &Placed| index.memories[placed.memory].id.0 == MemoryKind::Fact;
    let line = if asked.diverse.is_some() { facts_line(order.iter().filter(|placed| is_fact(placed))) } else { 0.0 };
    order.iter_mut().filter(|placed| placed.total < line && is_fact(placed)).for_each(|fact| fact.put_back(FACTS_FACTOR));
    let newer_first = |a: &Placed, b: &Placed| b.total.total_cmp(&a.total).then_with(|| b.memory.cmp(&a.memory));
    let keep = asked.limit.saturating_add(if asked.diverse.is_some() { COMPARED } else { 0 });
    if order.len() > keep && keep > 0 {
        order.select_nth_unstable_by(keep - 1, newer_first);
        order.truncate(keep);
    }
    order.sort_by(newer_first);
    if let Some(words) = asked.diverse {
        order = step_back(index, order, asked.limit, |m| shown(index, &fused, m, pool).0[0] as usize, words, tuning);
    }
    order.truncate(asked.limit);
    let explained = |Placed { memory: m, put_back, .. }: Placed| {
        let factors = factors(&index.memories[m], scopes.get(m), tuning, now);
        let added = (neighbours(index, &joined, &scopes, m, tuning), taught(m) + story(m));
        let mut ranked = explain(index, &fused, m, joined.base(m), added, &factors, pool);
        if put_back != 1.0 {
            ranked.score.total *= put_back;
            ranked.score.factors.push(ScoreFactor { name: FactorName::Diversity, factor: put_back });
        }
        let place = |part: &dyn Fn(usize) -> f64| 1 + joined.memories().filter(|other| part(*other) > part(m)).count() as u32;
        let mut add = |channel, part: &dyn Fn(usize) -> f64, weight: f64| {
            if part(m) > 0.0 {
                ranked.score.channels.push(ChannelScore { channel, rank: place(part), raw: part(m) / weight, contribution: part(m) });
            }
        };
        add(Channel::Learned, &taught, tuning.learned);
        add(Channel::Story, &story, tuning.provenance);
        ranked
    };
    (order.into_iter().map(explained).collect(), weights(&fused))
}

/// The score below which facts are demoted; 0 if there are few.
fn facts_line<'p>(facts: impl Iterator<Item = &'p Placed>) -> f64 {
    let mut facts: Vec<f64> = facts.map(|fact| fact.total).collect();
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
        return f64::from(fused.score(only));
    }
    let scores = memory.passages.iter().map(|at| fused.score(*at));
    let pooled: Vec<f64> = scores.clone().filter(|s| *s >= pool).map(f64::from).collect();
    if pooled.is_empty() { f64::from(scores.fold(0.0, f32::max)) } else { aggregate(&pooled, bonus) }
}

/// What neighbouring memories add: each a share of its score, those two places away half of that.
fn neighbours(index: &Index, joined: &Joined, scopes: &Scopes<'_>, memory: usize, tuning: &Tuning) -> f64 {
    let walk = |step: &dyn Fn(&Memory) -> Option<u32>, share: f64| {
        let allowed = |m: &usize| scopes.get(*m).weight > 0.0;
        let next = |m: usize| step(&index.memories[m]).map(|n| n as usize).filter(allowed);
        let Some(first) = next(memory) else { return 0.0 };
        share * (joined.base(first) + next(first).map_or(0.0, |second| 0.5 * joined.base(second)))
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

fn product(score: f64, factors: &[ScoreFactor]) -> f64 {
    factors.iter().fold(score, |score, f| score * f.factor)
}

/// The passages with which a memory is shown, in the order of its text: those among the best of all, else its best one. Also that best one.
fn shown(index: &Index, fused: &FusedScores, memory: usize, pool: f32) -> (Vec<u32>, u32) {
    let passages = &index.memories[memory].passages;
    let score_of = |at: &u32| fused.score(*at);
    let best = passages.iter().copied().max_by(|a, b| score_of(a).total_cmp(&score_of(b)).then(b.cmp(a))).unwrap_or_default();
    let mut matched: Vec<u32> = passages.iter().copied().filter(|at| score_of(at) >= pool).collect();
    if matched.is_empty() {
        matched.push(best);
    }
    (matched, best)
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
    let (matched, best) = shown(index, fused, memory, pool);
    let fused_best = f64::from(fused.score(best));
    let best = fused.candidates.number(best);
    let channels =
        fused.channels.iter().filter_map(|c| Some((c, best.filter(|best| c.relative[*best] > 0.0 && c.raw[*best].is_finite())?))).map(
            |(c, best)| ChannelScore {
                channel: c.channel,
                rank: 1 + c.relative.iter().filter(|score| **score > c.relative[best]).count() as u32,
                raw: f64::from(c.raw[best]),
                contribution: c.weight * f64::from(c.relative[best]),
            },
        );
    let score = ScoreBreakdown {
        total: product(base + (neighbours + taught), factors),
        channels: channels.collect(),
        fused: fused_best,
        neighbours,
        chunks: matched.len() as u32,
        chunk_bonus: base - fused_best,
        factors: factors.iter().filter(|f| f.factor != 1.0).cloned().collect(),
        likeness: best.and_then(|best| likeness(fused, best)),
    };
    let rows = matched.iter().map(|at| index.row(*at as usize)).collect();
    RankedMemory { kind: entry.id.0, source: entry.id.1, rows, score }
}

/// A passage's absolute scores: the cosine, and how near the words are; `None` where the words could not be compared.
fn likeness(fused: &FusedScores, at: usize) -> Option<f64> {
    let raw = |channel| fused.channels.iter().find(|c| c.channel == channel).map(|c| f64::from(c.raw[at]));
    let words = raw(Channel::Tokens).filter(|words| words.is_finite())?;
    Some(words + raw(Channel::Vector).filter(|cosine| cosine.is_finite()).unwrap_or(0.0))
}

/// Demotes hits that say nearly the same as one above them, as maximal marginal relevance does (Carbonell & Goldstein 1998), but only
/// near-duplicates: hits that are merely about the same subject are wanted, and so is a contradiction, whose vector is as near. Once
/// `limit` are kept, none below them can get among the first `limit`.
fn step_back(
    index: &Index,
    order: Vec<Placed>,
    limit: usize,
    place: impl Fn(usize) -> usize,
    words: &WordsOf<'_>,
    tuning: &Tuning,
) -> Vec<Placed> {
    let (mut kept, mut compared, mut back) = (Vec::new(), Vec::<Compared<'_>>::new(), Vec::new());
    for mut hit in order {
        if kept.len() >= limit {
            break;
        }
        let here = Compared { at: place(hit.memory), memory: &index.memories[hit.memory], words: OnceCell::new() };
        let same = |other: &Compared<'_>| {
            index.likeness(here.at, other.at).is_some_and(|cosine| cosine >= tuning.near_duplicate) && !here.is_told_apart(other, words)
        };
        if compared.iter().take(COMPARED).any(same) {
            hit.put_back(tuning.near_duplicate_factor);
            back.push(hit);
        } else {
            kept.push(hit);
            compared.push(here);
        }
    }
    kept.append(&mut back);
    kept.sort_by(|a: &Placed, b| b.total.total_cmp(&a.total));
    kept
}

/// A hit that others are compared with.
struct Compared<'i> {
    /// The place of its best passage.
    at: usize,
    memory: &'i Memory,
    /// Its words, read once they are needed.
    words: OnceCell<Option<Words>>,
}

impl Compared<'_> {
    fn said(&self, words: &WordsOf<'_>) -> Option<&Words> {
        self.words.get_or_init(|| words(self.memory.id.1)).as_ref()
    }

    /// Whether both are learnings, and their words keep them apart: those of one feature were compared when they were remembered.
    fn is_told_apart(&self, other: &Compared<'_>, words: &WordsOf<'_>) -> bool {
        // Most texts of the same form name different things, and finding that out costs little.
        let apart = |(a, b): (&Words, &Words)| a.names_more(b) && b.names_more(a) || !guard::hits(a, b).is_empty();
        let differ = || self.said(words).zip(other.said(words)).is_some_and(apart);
        let are_learnings = [self, other].iter().all(|of| of.memory.id.0 == MemoryKind::Learning);
        are_learnings && (self.memory.feature == other.memory.feature || differ())
    }
}

fn weights(fused: &FusedScores) -> Vec<ChannelWeight> {
    let weight = |c: &ChannelScores| ChannelWeight { channel: c.channel, weight: c.weight, confidence: c.confidence };
    let mut weights: Vec<ChannelWeight> = fused.channels.iter().map(weight).collect();
    weights.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(Channel::cmp(&a.channel, &b.channel)));
    weights
}
