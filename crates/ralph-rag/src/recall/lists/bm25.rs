//! BM25 as SQLite's full-text tables compute it, phrase by phrase over all passages.

use super::super::matches::Matches;
use super::{Lengths, SHELVES};

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Passages whose scores are computed together.
const TOGETHER: usize = 64;
/// A list is merged with others that have at most one entry for so many of its own: these are sorted.
const FEW: usize = 8;
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
        Scores { lengths, matches: Matches::none(lengths.tokens.len()), often: Vec::new(), norms, times: 1.0, closed: false }
    }

    /// The passages in which the current phrase occurs, each once with its count (0 = not at all), and no others have it. Adds its score to
    /// each.
    pub fn stands_in(&mut self, places: impl Iterator<Item = (u32, f32)> + Clone) {
        let lengths = self.lengths;
        let places = places.filter(|(_, often)| *often > 0.0);
        if let Some(shelf) = lengths.only_shelf() {
            let idf = self.idf(shelf, places.clone().count());
            return self.put_all(places, shelf, idf);
        }
        let shelf_of = |place: u32| lengths.shelf[place as usize].map(usize::from);
        let mut hits = [0; SHELVES];
        places.clone().filter_map(|(place, _)| shelf_of(place)).for_each(|shelf| hits[shelf] += 1);
        for (shelf, hits) in hits.into_iter().enumerate().filter(|(_, hits)| *hits > 0) {
            let idf = self.idf(shelf, hits);
            self.put_all(places.clone().filter(|(place, _)| shelf_of(*place) == Some(shelf)), shelf, idf);
        }
    }

    /// The weight of the current phrase in a collection where this many passages have it.
    fn idf(&self, shelf: usize, with: usize) -> f32 {
        let (all, with) = (self.lengths.shelves[shelf].passages as f64, with as f64);
        let idf = ((all - with + 0.5) / (with + 0.5)).ln();
        self.times * (if idf > 0.0 { idf } else { LEAST_IDF }) as f32
    }

    /// Adds the phrase's score to passages of one collection, some at a time: the processor divides several at once.
    fn put_all(&mut self, mut places: impl Iterator<Item = (u32, f32)>, shelf: usize, idf: f32) {
        let (base, by_length) = self.norms[shelf];
        let (mut at, mut often, mut tokens, mut scores) = ([0; TOGETHER], [0.0; TOGETHER], [0_u32; TOGETHER], [0.0; TOGETHER]);
        loop {
            let mut filled = 0;
            for (((at, often), tokens), (place, count)) in at.iter_mut().zip(&mut often).zip(&mut tokens).zip(places.by_ref()) {
                (*at, *often, *tokens) = (place as usize, count, self.lengths.tokens[place as usize]);
                filled += 1;
            }
            for ((score, often), tokens) in scores.iter_mut().zip(&often).zip(&tokens) {
                *score = idf * (often * (K1 as f32 + 1.0)) / (often + base + by_length * *tokens as f32);
            }
            for (place, score) in at.iter().zip(&scores).take(filled) {
                if !self.closed || self.matches.score(*place) != 0.0 {
                    self.matches.add(*place, *score);
                }
            }
            if filled < TOGETHER {
                return;
            }
        }
    }

    /// The same where a passage may be listed several times: in the `longest` list once, in ascending order, and anyhow in the `others`.
    pub fn stands_in_all(
        &mut self,
        longest: impl ExactSizeIterator<Item = (u32, f32)>,
        others: impl Iterator<Item = (u32, f32)>,
        of_others: usize,
    ) {
        if of_others <= longest.len() / FEW {
            return self.stands_in(merged(longest, others.collect()).iter().copied());
        }
        self.often.resize(self.lengths.tokens.len(), 0.0);
        let mut told = Vec::new();
        for (place, often) in longest.chain(others) {
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

/// Two lists as one, in ascending order; the counts of a passage that both have, or the second one several times, are summed.
fn merged(longest: impl ExactSizeIterator<Item = (u32, f32)>, mut others: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    others.sort_unstable_by_key(|(place, _)| *place);
    let mut all: Vec<(u32, f32)> = Vec::with_capacity(longest.len() + others.len());
    let mut others = others.into_iter().peekable();
    let add = |all: &mut Vec<(u32, f32)>, (place, often): (u32, f32)| match all.last_mut().filter(|last| last.0 == place) {
        Some(last) => last.1 += often,
        None => all.push((place, often)),
    };
    for (place, often) in longest {
        while let Some(other) = others.next_if(|other| other.0 < place) {
            add(&mut all, other);
        }
        add(&mut all, (place, often));
    }
    others.for_each(|other| add(&mut all, other));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::stats::SplitMix64;
    use std::collections::BTreeMap;

    /// Lists of each phrase: of one several may hold the same passage.
    type Lists = BTreeMap<String, Vec<Vec<(u32, f32)>>>;

    /// The formula, a passage at a time over all of them.
    fn one_by_one(lengths: &Lengths, lists: &Lists, phrases: &[String], subject: &[String]) -> Vec<f32> {
        let mut scores = vec![0.0_f32; lengths.tokens.len()];
        let asked = phrases.iter().map(|phrase| (phrase, if subject.contains(phrase) { 2.0 } else { 1.0 }, false));
        let more = subject.iter().filter(|phrase| !phrases.contains(phrase)).map(|phrase| (phrase, 1.0, true));
        for (phrase, times, closed) in asked.chain(more) {
            let often = |place: usize| lists[phrase].iter().flatten().filter(|(at, _)| *at as usize == place).map(|(_, often)| often).sum();
            let often: Vec<f32> = (0..scores.len()).map(often).collect();
            for (place, score) in scores.iter_mut().enumerate().filter(|(place, _)| often[*place] > 0.0) {
                let Some(number) = lengths.shelf[place] else { continue };
                let shelf = lengths.shelves[usize::from(number)];
                let with = (0..often.len()).filter(|at| often[*at] > 0.0 && lengths.shelf[*at] == Some(number)).count() as f64;
                let idf = ((shelf.passages as f64 - with + 0.5) / (with + 0.5)).ln();
                let idf = times * (if idf > 0.0 { idf } else { LEAST_IDF }) as f32;
                let mean = shelf.tokens as f64 / shelf.passages as f64;
                let (base, by_length) = ((K1 * (1.0 - B)) as f32, (K1 * B / mean) as f32);
                if !closed || *score != 0.0 {
                    *score += idf * (often[place] * (K1 as f32 + 1.0)) / (often[place] + base + by_length * lengths.tokens[place] as f32);
                }
            }
        }
        scores
    }

    #[test]
    fn some_at_a_time_or_merged_every_passage_has_the_score_of_the_formula() {
        let mut chance = SplitMix64(17);
        for (round, places) in [1, 63, 64, 65, 128, 700].into_iter().cycle().take(36).enumerate() {
            let mut lengths = Lengths::default();
            for _ in 0..places {
                let shelf = if round % 3 == 0 { Some(0) } else { [Some(0), Some(1), None][chance.index(3)] };
                lengths.push(shelf, 1 + chance.index(40) as u32);
            }
            if round % 3 == 2 {
                (0..places).step_by(7).for_each(|at| lengths.remove(at));
            }
            let list = |chance: &mut SplitMix64, one_in: usize| {
                let held = (0..places as u32).filter(|_| chance.index(one_in) == 0).collect::<Vec<u32>>();
                held.into_iter().map(|place| (place, chance.index(4) as f32)).collect::<Vec<_>>()
            };
            let names: Vec<String> = (0..6).map(|number| format!("phrase {number}")).collect();
            let of_phrase = |number: usize, chance: &mut SplitMix64| match number {
                0..3 => vec![list(chance, 1 + number)],
                // One common and many rare ones; all alike; none.
                3 => vec![list(chance, 2), list(chance, 40), list(chance, 90), list(chance, 90)],
                4 => vec![list(chance, 3), list(chance, 3), list(chance, 3)],
                _ => vec![Vec::new()],
            };
            let lists: Lists = names.iter().enumerate().map(|(at, name)| (name.clone(), of_phrase(at, &mut chance))).collect();
            let (phrases, subject) = (&names[1..], &[names[0].clone(), names[3].clone()]);
            let found = matches(&lengths, phrases, subject, |phrase, scores| match &lists[phrase][..] {
                [only] => scores.stands_in(only.iter().copied()),
                [longest, others @ ..] => {
                    let of_others = others.iter().map(Vec::len).sum();
                    scores.stands_in_all(longest.iter().copied(), others.iter().flatten().copied(), of_others);
                }
                [] => {}
            });
            let expected = one_by_one(&lengths, &lists, phrases, subject);
            for (place, expected) in expected.iter().enumerate() {
                assert_eq!(found.score(place).to_bits(), expected.to_bits(), "{round}, {places}, {place}");
            }
            assert_eq!(found.len(), expected.iter().filter(|score| **score > 0.0).count(), "{round}");
        }
    }
}
