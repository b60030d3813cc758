//! Which passages are compared: all of a few thousand; of more, those that a channel ranks among its first.

use super::index::Index;
use super::matches::Matches;
use super::scope::{Scope, ScopeOf};
use super::vectors::Near;
use std::cell::RefCell;

/// Passages up to which all are compared: fewer are not worth choosing from.
const ALL: usize = 4_096;
/// Passages that each text channel, and the vectors, contribute beyond that. A passage ranked after all of them is after every hit.
const FORWARD: usize = 500;
/// How many of these have their neighbours compared, too: they lend each other a share of their scores.
const WITH_NEIGHBOURS: usize = 200;
/// Sampled passages below which all are looked at, for a scope that admits few.
const SAMPLED_AT_LEAST: usize = 512;

/// How memories relate to a question, each determined once.
pub(super) struct Scopes<'a> {
    index: &'a Index,
    of: &'a ScopeOf<'a>,
    /// By memory: the place of its scope among the known ones, plus one.
    places: RefCell<Vec<u32>>,
    known: RefCell<Vec<Scope>>,
}

impl<'a> Scopes<'a> {
    pub fn new(index: &'a Index, of: &'a ScopeOf<'a>) -> Scopes<'a> {
        Scopes { index, of, places: RefCell::new(vec![0; index.memories.len()]), known: RefCell::default() }
    }

    /// How a memory relates to the question.
    pub fn get(&self, memory: usize) -> Scope {
        let (place, known) = (&mut self.places.borrow_mut()[memory], &mut *self.known.borrow_mut());
        if *place == 0 {
            let m = &self.index.memories[memory];
            known.push(if m.passages.is_empty() {
                Scope { weight: 0.0, age_days: None, closeness: None }
            } else {
                (self.of)(m.id.0, m.id.1, m.feature, m.active, m.created)
            });
            *place = known.len() as u32;
        }
        known[*place as usize - 1]
    }

    /// Whether the memory of a passage is within scope.
    pub fn allows(&self, position: usize) -> bool {
        self.get(self.index.memory_of(position)).weight > 0.0
    }
}

/// What a text channel found.
pub(super) struct TextHits<'q> {
    pub matches: &'q Matches,
    /// The first ones within scope, in no order; all of them where all passages are compared.
    pub first: Vec<(u32, f32)>,
}

impl<'q> TextHits<'q> {
    pub fn of(scopes: &Scopes<'_>, found: &'q Matches) -> TextHits<'q> {
        let wanted = wanted(scopes.index);
        let mut hits = first(found.best(wanted), wanted, scopes);
        if found.len() > wanted && hits.len() < wanted / 2 {
            hits = first(found.hits().collect(), wanted, scopes);
        }
        TextHits { matches: found, first: hits }
    }
}

/// The distribution of the cosines, and what is nearest.
pub(super) struct VectorHits<'q> {
    pub near: &'q Near,
    pub mean: f64,
    pub deviation: f64,
    /// Approximate number of passages within scope.
    pub count: f64,
    /// The nearest ones within scope, in no order.
    pub first: Vec<(u32, f32)>,
}

impl<'q> VectorHits<'q> {
    pub fn of(scopes: &Scopes<'_>, near: &'q Near) -> VectorHits<'q> {
        let index = scopes.index;
        let every = || (0..index.len() as u32).map(|at| (at, index.cosine(near, at as usize)));
        let (mut step, sample) = near.sample();
        let mut seen = cosines_within(sample, scopes);
        if step > 1 && seen.len() < SAMPLED_AT_LEAST {
            (step, seen) = (1, cosines_within(every(), scopes));
        }
        let count = seen.len().max(1) as f64;
        let mean = seen.iter().sum::<f64>() / count;
        let deviation = (seen.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / count).sqrt();
        let wanted = wanted(index);
        let mut nearest = first(near.nearest(wanted), wanted, scopes);
        if near.all().is_none() && nearest.len() < wanted / 2 {
            nearest = first(every().collect(), wanted, scopes);
        }
        VectorHits { near, mean, deviation, count: count * step as f64, first: nearest }
    }
}

fn cosines_within(places: impl Iterator<Item = (u32, f32)>, scopes: &Scopes<'_>) -> Vec<f64> {
    places.filter(|(at, cosine)| cosine.is_finite() && scopes.allows(*at as usize)).map(|(_, cosine)| f64::from(cosine)).collect()
}

/// How many a channel contributes.
fn wanted(index: &Index) -> usize {
    if index.len() <= ALL { usize::MAX } else { FORWARD }
}

/// The first of a channel's finds that are within scope, in no order.
fn first(mut found: Vec<(u32, f32)>, wanted: usize, scopes: &Scopes<'_>) -> Vec<(u32, f32)> {
    found.retain(|(_, score)| score.is_finite());
    let better = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1);
    let within = |hits: &[(u32, f32)]| hits.iter().copied().filter(|(at, _)| scopes.allows(*at as usize)).collect::<Vec<_>>();
    if found.len() <= wanted {
        return within(&found);
    }
    found.select_nth_unstable_by(wanted - 1, better);
    let mut kept = within(&found[..wanted]);
    if kept.len() < wanted / 2 {
        // A scope that leaves most out.
        kept.extend(within(&found[wanted..]));
        if kept.len() > wanted {
            kept.select_nth_unstable_by(wanted - 1, better);
            kept.truncate(wanted);
        }
    }
    kept
}

/// The passages that are compared, all within scope, in ascending order of positions.
pub(super) struct Candidates {
    positions: Vec<u32>,
    /// By position: the number among the candidates, plus one.
    numbers: Vec<u32>,
}

impl Candidates {
    pub fn of<'h>(scopes: &Scopes<'_>, channels: impl Iterator<Item = &'h [(u32, f32)]>) -> Candidates {
        let index = scopes.index;
        let mut numbers = vec![0_u32; index.len()];
        let mut positions = Vec::new();
        let mut take = |at: u32| {
            if numbers[at as usize] == 0 && scopes.allows(at as usize) {
                numbers[at as usize] = 1;
                positions.push(at);
            }
        };
        if index.len() <= ALL {
            (0..index.len() as u32).for_each(&mut take);
        } else {
            for hits in channels {
                hits.iter().for_each(|(at, _)| take(*at));
                let mut hits = hits.to_vec();
                if hits.len() > WITH_NEIGHBOURS {
                    hits.select_nth_unstable_by(WITH_NEIGHBOURS - 1, |a, b| b.1.total_cmp(&a.1));
                    hits.truncate(WITH_NEIGHBOURS);
                }
                hits.iter().flat_map(|(at, _)| index.beside(index.memory_of(*at as usize))).for_each(&mut take);
            }
            // Memories that learned terms lead to need not be found by anything else.
            index.told_of().flat_map(|memory| index.memories[memory].passages.iter().copied()).for_each(&mut take);
            positions.sort_unstable();
        }
        positions.iter().zip(1..).for_each(|(at, number)| numbers[*at as usize] = number);
        Candidates { positions, numbers }
    }

    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Position of a candidate.
    pub fn position(&self, number: usize) -> usize {
        self.positions[number] as usize
    }

    /// Positions in ascending order.
    pub fn positions(&self) -> &[u32] {
        &self.positions
    }

    /// Number of the passage at a position, if it is compared.
    #[inline]
    pub fn number(&self, position: u32) -> Option<usize> {
        (self.numbers[position as usize] as usize).checked_sub(1)
    }
}
