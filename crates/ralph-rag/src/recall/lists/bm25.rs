//! BM25 as SQLite's full-text tables compute it, phrase by phrase over all passages.

use super::super::matches::Matches;
use super::{Lengths, SHELVES};

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Of a phrase that stands in more than half of the passages.
const LEAST_IDF: f64 = 1e-6;

/// Scores of passages, summed over phrases.
pub(super) struct Scores<'l> {
    lengths: &'l Lengths,
    scores: Vec<f32>,
    /// Passages that any phrase was found in.
    found: Vec<u32>,
    /// Passages that the phrase at hand stands in, each once, and how often by its weights.
    now: Vec<(u32, f32)>,
    /// How often the phrase at hand stands in each passage, where it may be told several times.
    often: Vec<f32>,
    /// k1 · (1 − b), and k1 · b by the mean length, of each collection.
    norms: [(f32, f32); SHELVES],
    /// Whether no passage is found anew.
    closed: bool,
}

impl<'l> Scores<'l> {
    pub fn new(lengths: &'l Lengths) -> Scores<'l> {
        let norms = lengths.shelves.map(|shelf| {
            let mean = shelf.tokens as f64 / shelf.passages.max(1) as f64;
            ((K1 * (1.0 - B)) as f32, if mean > 0.0 { (K1 * B / mean) as f32 } else { 0.0 })
        });
        let scores = vec![0.0; lengths.of.len()];
        Scores { lengths, scores, found: Vec::new(), now: Vec::new(), often: Vec::new(), norms, closed: false }
    }

    /// The phrase at hand stands so often, above 0, in a passage that was not told of it yet.
    #[inline]
    pub fn add_once(&mut self, place: u32, often: f32) {
        self.now.push((place, often));
    }

    /// The phrase at hand stands so often, above 0, in a passage. May be told several times, and is not told by [`Scores::add_once`] then.
    pub fn add(&mut self, place: u32, often: f32) {
        self.often.resize(self.scores.len(), 0.0);
        let known = &mut self.often[place as usize];
        if *known == 0.0 {
            self.now.push((place, 0.0));
        }
        *known += often;
    }

    /// Ends a phrase: adds its score to every passage that it stands in.
    pub fn end_phrase(&mut self) {
        let of = &self.lengths.of;
        let only = self.lengths.only_shelf();
        let mut hits = [0_u64; SHELVES];
        match only {
            Some(shelf) => hits[shelf] = self.now.len() as u64,
            None => self.now.iter().filter_map(|(place, _)| of[*place as usize].shelf).for_each(|shelf| hits[usize::from(shelf)] += 1),
        }
        let idf: [f32; SHELVES] = std::array::from_fn(|shelf| {
            let (all, with) = (self.lengths.shelves[shelf].passages as f64, hits[shelf] as f64);
            let idf = ((all - with + 0.5) / (with + 0.5)).ln();
            (if idf > 0.0 { idf } else { LEAST_IDF }) as f32
        });
        for (place, once) in self.now.drain(..) {
            let at = place as usize;
            let often = once + self.often.get_mut(at).map_or(0.0, std::mem::take);
            let Some(shelf) = only.or_else(|| of[at].shelf.map(usize::from)) else { continue };
            let (base, by_length) = self.norms[shelf];
            let score = &mut self.scores[at];
            if *score == 0.0 {
                if self.closed {
                    continue;
                }
                self.found.push(place);
            }
            *score += idf[shelf] * (often * (K1 as f32 + 1.0)) / (often + base + by_length * of[at].tokens as f32);
        }
    }

    /// From now on phrases add to what was found, and find nothing else.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// What was found.
    pub fn all(self) -> Matches {
        Matches::of(self.scores, self.found)
    }
}
