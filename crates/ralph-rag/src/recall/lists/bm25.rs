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
    scores: Vec<f64>,
    /// How often the phrase at hand stands in each passage, by its weights.
    often: Vec<f32>,
    /// Passages that any phrase, and that this phrase was found in.
    found: Vec<u32>,
    now: Vec<u32>,
    /// Whether no passage is found anew.
    closed: bool,
    /// k1 · (1 − b), and k1 · b by the mean length, of each collection.
    norms: [(f64, f64); SHELVES],
}

impl<'l> Scores<'l> {
    pub fn new(lengths: &'l Lengths) -> Scores<'l> {
        let places = lengths.of.len();
        let norms = lengths.shelves.map(|shelf| {
            let mean = shelf.tokens as f64 / shelf.passages.max(1) as f64;
            (K1 * (1.0 - B), if mean > 0.0 { K1 * B / mean } else { 0.0 })
        });
        Scores { lengths, scores: vec![0.0; places], often: vec![0.0; places], found: Vec::new(), now: Vec::new(), closed: false, norms }
    }

    /// The phrase at hand stands so often, above 0, in a passage. May be told several times.
    #[inline]
    pub fn add(&mut self, place: u32, often: f32) {
        let known = &mut self.often[place as usize];
        if *known == 0.0 {
            self.now.push(place);
        }
        *known += often;
    }

    /// Ends a phrase: adds its score to every passage that it stands in.
    pub fn end_phrase(&mut self) {
        let mut hits = [0_u64; SHELVES];
        let of = &self.lengths.of;
        self.now.iter().filter_map(|place| of[*place as usize].shelf).for_each(|shelf| hits[usize::from(shelf)] += 1);
        let idf: [f64; SHELVES] = std::array::from_fn(|shelf| {
            let (all, with) = (self.lengths.shelves[shelf].passages as f64, hits[shelf] as f64);
            let idf = ((all - with + 0.5) / (with + 0.5)).ln();
            if idf > 0.0 { idf } else { LEAST_IDF }
        });
        for place in self.now.drain(..) {
            let at = place as usize;
            let often = f64::from(std::mem::take(&mut self.often[at]));
            let Some(shelf) = of[at].shelf.map(usize::from) else { continue };
            let (base, by_length) = self.norms[shelf];
            if self.scores[at] == 0.0 {
                if self.closed {
                    continue;
                }
                self.found.push(place);
            }
            self.scores[at] += idf[shelf] * (often * (K1 + 1.0)) / (often + base + by_length * f64::from(of[at].tokens));
        }
    }

    /// From now on phrases add to what was found, and find nothing else.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// What was found.
    pub fn all(self) -> Matches {
        let scores = self.scores;
        Matches::new(self.found.into_iter().map(|place| (place, scores[place as usize])))
    }
}
