//! BM25 as SQLite's full-text tables compute it, phrase by phrase over all passages.

use super::super::matches::Matches;
use super::{Lengths, SHELVES};

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// For a phrase that occurs in more than half of the passages.
const LEAST_IDF: f64 = 1e-6;

/// Passages with any of the phrases, with a bonus for the `subject`; `tell` reports where a phrase occurs.
pub(super) fn matches(lengths: &Lengths, phrases: &[String], subject: &[String], tell: impl Fn(&str, &mut Scores<'_>)) -> Matches {
    let mut scores = Scores::new(lengths);
    for phrase in phrases {
        scores.times = if subject.contains(phrase) { 2.0 } else { 1.0 };
        tell(phrase, &mut scores);
    }
    // A long question has more phrases than are asked for: those of its subject that are not among them find nothing, but add to what was
    // found.
    (scores.times, scores.closed) = (1.0, true);
    subject.iter().filter(|phrase| !phrases.contains(phrase)).for_each(|phrase| tell(phrase, &mut scores));
    scores.matches
}

/// Scores of passages, summed over phrases.
pub(super) struct Scores<'l> {
    lengths: &'l Lengths,
    matches: Matches,
    /// How often the current phrase occurs in each passage, while that is summed.
    often: Vec<f32>,
    /// k1 · (1 − b), and k1 · b by the mean length, of each collection.
    norms: [(f32, f32); SHELVES],
    /// How often the current phrase counts.
    times: f32,
    /// Whether no new passage is found.
    closed: bool,
}

impl<'l> Scores<'l> {
    fn new(lengths: &'l Lengths) -> Scores<'l> {
        let norms = lengths.shelves.map(|shelf| {
            let mean = shelf.tokens as f64 / shelf.passages.max(1) as f64;
            ((K1 * (1.0 - B)) as f32, if mean > 0.0 { (K1 * B / mean) as f32 } else { 0.0 })
        });
        Scores { lengths, matches: Matches::none(lengths.of.len()), often: Vec::new(), norms, times: 1.0, closed: false }
    }

    /// The passages in which the current phrase occurs, each once with its count (0 = not at all), and no others have it. Adds its score to
    /// each.
    pub fn stands_in(&mut self, places: impl Iterator<Item = (u32, f32)> + Clone) {
        let lengths = self.lengths;
        let places = places.filter(|(_, often)| *often > 0.0);
        if let Some(shelf) = lengths.only_shelf() {
            let idf = self.idf(shelf, places.clone().count());
            return places.for_each(|(place, often)| self.put(place, often, shelf, idf));
        }
        let shelf_of = |place: u32| lengths.of[place as usize].shelf.map(usize::from);
        let mut hits = [0; SHELVES];
        places.clone().filter_map(|(place, _)| shelf_of(place)).for_each(|shelf| hits[shelf] += 1);
        let idf: [f32; SHELVES] = std::array::from_fn(|shelf| self.idf(shelf, hits[shelf]));
        places.for_each(|(place, often)| {
            if let Some(shelf) = shelf_of(place) {
                self.put(place, often, shelf, idf[shelf]);
            }
        });
    }

    /// The weight of the current phrase in a collection where this many passages have it.
    fn idf(&self, shelf: usize, with: usize) -> f32 {
        let (all, with) = (self.lengths.shelves[shelf].passages as f64, with as f64);
        let idf = ((all - with + 0.5) / (with + 0.5)).ln();
        self.times * (if idf > 0.0 { idf } else { LEAST_IDF }) as f32
    }

    #[inline(always)]
    fn put(&mut self, place: u32, often: f32, shelf: usize, idf: f32) {
        let (base, by_length) = self.norms[shelf];
        if self.closed && self.matches.score(place as usize) == 0.0 {
            return;
        }
        let score = idf * (often * (K1 as f32 + 1.0)) / (often + base + by_length * self.lengths.of[place as usize].tokens as f32);
        self.matches.add(place, score);
    }

    /// The same where a passage may be listed several times.
    pub fn stands_in_all(&mut self, places: impl Iterator<Item = (u32, f32)>) {
        self.often.resize(self.lengths.of.len(), 0.0);
        let mut told = Vec::new();
        for (place, often) in places {
            let sum = &mut self.often[place as usize];
            if *sum == 0.0 {
                told.push(place);
            }
            *sum += often;
        }
        let sums: Vec<(u32, f32)> = told.into_iter().map(|place| (place, std::mem::take(&mut self.often[place as usize]))).collect();
        self.stands_in(sums.iter().copied());
    }
}
