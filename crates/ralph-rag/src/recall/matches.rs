//! What a text channel finds, on its way from the lists to the order.

/// Steps of a scale from 0 to the best score, by which the first are told from the rest without ordering all.
const STEPS: usize = 4_096;

/// How well passages match (BM25: higher is better), by their places in the index that was asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches {
    /// By place, up to the last one found at least; 0 = does not match.
    scores: Vec<f32>,
    /// Places that match, in no order.
    found: Vec<u32>,
}

impl Matches {
    /// Of dense scores, and the places where they are above 0.
    pub(super) fn of(scores: Vec<f32>, found: Vec<u32>) -> Matches {
        Matches { scores, found }
    }

    /// Of places, each with its score. One that is no number above 0 counts as none.
    pub(super) fn new(hits: impl Iterator<Item = (u32, f64)>) -> Matches {
        let mut matches = Matches::default();
        for (place, score) in hits.filter(|(_, score)| score.is_finite() && *score > 0.0) {
            let at = place as usize;
            if matches.scores.len() <= at {
                matches.scores.resize(at + 1, 0.0);
            }
            if std::mem::replace(&mut matches.scores[at], score as f32) == 0.0 {
                matches.found.push(place);
            }
        }
        matches
    }

    /// The score of a passage; 0 where it does not match.
    #[inline]
    pub(super) fn score(&self, place: usize) -> f32 {
        self.scores.get(place).copied().unwrap_or(0.0)
    }

    /// What matches, in no order.
    pub(super) fn hits(&self) -> impl Iterator<Item = (u32, f32)> {
        self.found.iter().map(|place| (*place, self.scores[*place as usize]))
    }

    /// How many match.
    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    /// The best `wanted` and some more, in no order: all that stand on their step of the scale or above.
    pub(super) fn best(&self, wanted: usize) -> Vec<(u32, f32)> {
        if self.len() <= wanted {
            return self.hits().collect();
        }
        let best = self.hits().fold(0.0_f32, |best, (_, score)| best.max(score));
        let step = |score: f32| ((score / best * STEPS as f32) as usize).min(STEPS);
        let mut at_step = [0_u32; STEPS + 1];
        self.hits().for_each(|(_, score)| at_step[step(score)] += 1);
        let (mut line, mut above) = (STEPS, at_step[STEPS] as usize);
        while above < wanted && line > 0 {
            line -= 1;
            above += at_step[line] as usize;
        }
        self.hits().filter(|(_, score)| step(*score) >= line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::stats::SplitMix64;

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
            assert!(best.len() < wanted + 40, "{} of {wanted}", best.len());
        }
        assert_eq!(matches.best(10_000).len(), matches.len());
        assert_eq!(Matches::new([(3, f64::NAN), (4, f64::INFINITY), (5, -1.0)].into_iter()), Matches::default());
    }
}
