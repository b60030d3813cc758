//! What a text channel finds, on its way from the lists to the ranking.

/// Places covered by one mark that says whether any of them may match: with few matches the others need not be looked at.
const BLOCK: usize = 64;
/// Size of the sample of hits that gives a rough threshold for the first ones.
const SAMPLE: usize = 4_096;

/// How well passages match (BM25: higher is better), by their places in the index that was asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches {
    /// By place, at least up to the last one found; 0 = does not match.
    scores: Vec<f32>,
    /// By block of places: whether any of them may match.
    marks: Vec<bool>,
}

impl Matches {
    /// No match among this many places.
    pub(super) fn none(places: usize) -> Matches {
        Matches { scores: vec![0.0; places], marks: vec![false; places.div_ceil(BLOCK)] }
    }

    /// From places, each with its score. A score that is not a number above 0 counts as no match.
    pub(super) fn new(hits: impl Iterator<Item = (u32, f64)>) -> Matches {
        let mut matches = Matches::default();
        for (place, score) in hits.filter(|(_, score)| score.is_finite() && *score > 0.0) {
            let places = place as usize + 1;
            if matches.scores.len() < places {
                matches.scores.resize(places, 0.0);
                matches.marks.resize(places.div_ceil(BLOCK), false);
            }
            matches.scores[place as usize] = 0.0;
            matches.add(place as usize, score as f32);
        }
        matches
    }

    /// Adds to the score of a passage.
    #[inline(always)]
    pub(super) fn add(&mut self, place: usize, score: f32) {
        self.scores[place] += score;
        self.marks[place / BLOCK] = true;
    }

    /// The score of a passage; 0 where it does not match.
    #[inline]
    pub(super) fn score(&self, place: usize) -> f32 {
        self.scores.get(place).copied().unwrap_or(0.0)
    }

    /// What matches, by place.
    pub(super) fn hits(&self) -> impl Iterator<Item = (u32, f32)> {
        self.blocks().flat_map(|(first, block)| (first..).zip(block.iter().copied()).filter(|(_, score)| *score > 0.0))
    }

    /// Blocks in which any may match, each with its first place.
    fn blocks(&self) -> impl Iterator<Item = (u32, &[f32])> {
        let blocks = (0..).step_by(BLOCK).zip(self.scores.chunks(BLOCK));
        blocks.zip(&self.marks).filter(|(_, marked)| **marked).map(|(block, _)| block)
    }

    /// How many match.
    pub(super) fn len(&self) -> usize {
        self.blocks().map(|(_, block)| block.iter().filter(|score| **score > 0.0).count()).sum()
    }

    /// The best `wanted` and some more, by place; all if a sample misjudges the line, or most are alike.
    pub(super) fn best(&self, wanted: usize) -> Vec<(u32, f32)> {
        best(|| self.hits(), self.len(), wanted)
    }
}

/// The best `wanted` of `len` hits and some more, by place; all if a sample misjudges the line, or most are alike.
pub(super) fn best<H: Iterator<Item = (u32, f32)>>(hits: impl Fn() -> H, len: usize, wanted: usize) -> Vec<(u32, f32)> {
    let step = len.div_ceil(SAMPLE).max(1);
    // The number of sampled hits above the line, plus enough to make a misjudgement rare: four deviations.
    let expected = wanted as f64 / step as f64;
    let above = (expected + 4.0 * expected.sqrt()).ceil() as usize;
    // Iterated internally, here and below: an external iterator would have to find its place again for each hit.
    let (mut sample, mut pass) = (Vec::with_capacity(SAMPLE), 0);
    hits().for_each(|(_, score)| {
        if pass == 0 {
            sample.push(score);
            pass = step;
        }
        pass -= 1;
    });
    if step == 1 || above >= sample.len() {
        return hits().collect();
    }
    let (_, line, _) = sample.select_nth_unstable_by(above, |a, b| b.total_cmp(a));
    let mut best = Vec::with_capacity(2 * wanted);
    hits().filter(|(_, score)| *score > *line).for_each(|hit| best.push(hit));
    if best.len() < wanted { hits().collect() } else { best }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::stats::SplitMix64;

    #[test]
    fn a_sample_that_has_all_of_the_best_misses_none_of_the_others() {
        // One hit in two is in the sample.
        let score = |place: u32| if place.is_multiple_of(2) && place < 1_000 { 9.0 } else { 1.0 + f64::from(place) / 10_000.0 };
        let matches = Matches::new((0..5_000).map(|place| (place, score(place))));
        let best = matches.best(600);
        assert_eq!(best.iter().filter(|(_, score)| *score == 9.0).count(), 500);
        assert!(best.iter().filter(|(place, _)| *place >= 4_900).count() == 100);
    }

    #[test]
    fn the_best_of_many_are_those_that_an_order_puts_first() {
        let mut chance = SplitMix64(3);
        let hits: Vec<(u32, f64)> = (0..5_000).map(|place| (place * 2, chance.index(900) as f64 / 70.0)).collect();
        let matches = Matches::new(hits.iter().copied());
        assert_eq!(
            (matches.len(), matches.score(1), matches.score(20_000)),
            (hits.iter().filter(|(_, score)| *score > 0.0).count(), 0.0, 0.0)
        );
        let mut scores: Vec<f32> = matches.hits().map(|(_, score)| score).collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        for wanted in [1, 10, 500, 4_900] {
            let mut best: Vec<f32> = matches.best(wanted).into_iter().map(|(_, score)| score).collect();
            best.sort_by(|a, b| b.total_cmp(a));
            assert_eq!(best[..wanted], scores[..wanted]);
            assert!(best.len() < 2 * wanted + 40, "{} of {wanted}", best.len());
        }
        assert_eq!(matches.best(10_000).len(), matches.len());
        assert_eq!(Matches::new([(3, f64::NAN), (4, f64::INFINITY), (5, -1.0)].into_iter()), Matches::default());
    }
}
