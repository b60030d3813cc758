//! The vectors of all passages, a byte per number: a quarter of the size of floats, so a scan reads a quarter.
//!
//! Up to [`SCANNED`] passages every cosine is computed. Beyond that, the [signs](super::signs) of a vector's numbers show which passages
//! are near enough to be computed; its recall@10 is in `docs/decisions/017-index.md`.

use super::bytes::{Reader, Writer};
use super::matches::best;
use super::signs::{nearest, signs_of};
use simsimd::SpatialSimilarity as _;

/// Passages up to which all cosines are computed: four milliseconds on a slow machine. A scan of signs takes a twentieth.
const SCANNED: usize = 50_000;
/// Minimum number of passages, the nearest by signs, whose cosines are computed beyond that. See the decision for what the ten nearest
/// need.
const NEAR: usize = 2_048;
/// Passages that are sampled for the mean and deviation of the cosines.
const SAMPLE: usize = 4_096;
/// The same if each of them has to be computed for that, from all over memory.
const COMPUTED_SAMPLE: usize = 2_048;
/// The largest number of a vector becomes this.
const STEPS: f32 = 127.0;

/// Vectors by the places of passages.
#[derive(Debug, Clone, Default)]
pub(super) struct Vectors {
    dimension: usize,
    /// Row-major; zeros where a passage has no vector.
    numbers: Vec<i8>,
    /// The size of a step of each vector; 0 where a passage has none.
    steps: Vec<f32>,
    /// A bit for each number of each vector: whether it is above 0.
    signs: Vec<u8>,
}

/// A question's vector, and the cosines that were computed for it.
#[derive(Debug, Clone, Default)]
pub struct Near {
    numbers: Vec<i8>,
    worth: f32,
    /// Cosines of all passages, in the index's order, NaN for one without a vector; `None` where there are too many for that.
    all: Option<Vec<f32>>,
    /// Where not all were computed: the nearest places by signs, in no order, and their cosines.
    nearest: Vec<(u32, f32)>,
    /// One place in this many.
    step: usize,
    /// Those places and their cosines, from which all can be estimated.
    sample: Vec<(u32, f32)>,
}

impl Near {
    /// Cosines of all passages, in the index's order, NaN for one without a vector; `None` where there are too many for that.
    pub fn all(&self) -> Option<&[f32]> {
        self.all.as_deref()
    }

    /// One place in this many, the first of the pair, with its cosine.
    pub(super) fn sample(&self) -> (usize, impl Iterator<Item = (u32, f32)>) {
        (self.step, self.sample.iter().copied())
    }

    /// The `wanted` nearest places and some more, with their cosines, in no order: of all, or those that are near by their signs.
    pub(super) fn nearest(&self, wanted: usize) -> Vec<(u32, f32)> {
        match &self.all {
            Some(all) => best(|| (0..).zip(all.iter().copied()), all.len(), wanted),
            None => self.nearest.clone(),
        }
    }
}

impl Vectors {
    /// Adds the vector of the next passage. The first one says how long they are; another length counts as none.
    pub fn push(&mut self, vector: Option<&[f32]>) {
        self.steps.push(0.0);
        self.numbers.resize(self.steps.len() * self.dimension, 0);
        self.signs.resize(self.steps.len() * self.dimension.div_ceil(8), 0);
        self.set(self.steps.len() - 1, vector);
    }

    /// The vector of a passage as it is now.
    pub fn set(&mut self, at: usize, vector: Option<&[f32]>) {
        let vector = vector.filter(|v| !v.is_empty() && v.iter().all(|x| x.is_finite()));
        if let (0, Some(vector)) = (self.dimension, vector) {
            self.dimension = vector.len();
            self.numbers.resize(self.steps.len() * self.dimension, 0);
            self.signs.resize(self.steps.len() * self.dimension.div_ceil(8), 0);
        }
        let (numbers, width) = (&mut self.numbers[at * self.dimension..][..self.dimension], self.dimension.div_ceil(8));
        let signs = &mut self.signs[at * width..][..width];
        match vector.filter(|v| v.len() == self.dimension) {
            Some(vector) => {
                self.steps[at] = small(vector, numbers);
                signs.copy_from_slice(&signs_of(vector));
            }
            None => {
                self.steps[at] = 0.0;
                numbers.fill(0);
                signs.fill(0);
            }
        }
    }

    /// Writes them into a snapshot.
    pub fn write(&self, bytes: &mut Writer) {
        bytes.count(self.dimension);
        bytes.bytes(self.numbers.iter().map(|number| number.cast_unsigned()));
        bytes.bytes(self.steps.iter().flat_map(|step| step.to_le_bytes()));
        bytes.bytes(self.signs.iter().copied());
    }

    /// The vectors of this many passages from a snapshot; `None` if it is incomplete.
    pub fn read(bytes: &mut Reader<'_>, passages: usize) -> Option<Vectors> {
        let dimension = bytes.count()?;
        let numbers = bytes.take(passages.checked_mul(dimension)?)?.iter().map(|byte| byte.cast_signed()).collect();
        let steps = bytes.take(passages.checked_mul(4)?)?.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let signs = bytes.take(passages.checked_mul(dimension.div_ceil(8))?)?.to_vec();
        Some(Vectors { dimension, numbers, steps, signs })
    }

    /// Whether a passage has a vector.
    pub fn has(&self, at: usize) -> bool {
        self.steps[at] != 0.0
    }

    /// Passages that have one.
    pub fn count(&self) -> usize {
        self.steps.iter().filter(|step| **step != 0.0).count()
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        self.numbers.len() + self.signs.len() + self.steps.len() * size_of::<f32>()
    }

    /// Cosine of two passages; `None` where one has no vector.
    pub fn between(&self, a: usize, b: usize) -> Option<f64> {
        let dot = i8::dot(self.row(a), self.row(b))?;
        (self.has(a) && self.has(b)).then_some(dot * f64::from(self.steps[a]) * f64::from(self.steps[b]))
    }

    /// Cosine of a passage with a question; NaN without a vector, since nobody knows how near it is.
    pub fn cosine(&self, near: &Near, at: usize) -> f32 {
        match &near.all {
            Some(all) => all[at],
            None => self.compute(near, at),
        }
    }

    fn compute(&self, near: &Near, at: usize) -> f32 {
        let dot = i8::dot(self.row(at), &near.numbers).filter(|_| self.has(at));
        dot.map_or(f32::NAN, |dot| dot as f32 * self.steps[at] * near.worth)
    }

    fn row(&self, at: usize) -> &[i8] {
        &self.numbers[at * self.dimension..][..self.dimension]
    }

    /// The passages that are near a question; `None` without vectors or for another dimension.
    pub fn near(&self, question: &[f32]) -> Option<Near> {
        if self.dimension == 0 || question.len() != self.dimension {
            return None;
        }
        let mut near = Near { numbers: vec![0; self.dimension], ..Near::default() };
        near.worth = small(question, &mut near.numbers);
        let count = self.steps.len();
        if count <= SCANNED {
            near.all = Some((0..count).map(|at| self.compute(&near, at)).collect());
        } else {
            let nearest = nearest(&self.signs, &signs_of(question), NEAR);
            near.nearest = nearest.into_iter().map(|at| (at, self.compute(&near, at as usize))).collect();
        }
        near.step = count.div_ceil(if near.all.is_some() { SAMPLE } else { COMPUTED_SAMPLE }).max(1);
        near.sample = (0..count).step_by(near.step).map(|at| (at as u32, self.cosine(&near, at))).collect();
        Some(near)
    }
}

/// Converts a vector to bytes, and returns the size of a step.
fn small(vector: &[f32], into: &mut [i8]) -> f32 {
    let most = vector.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    if most == 0.0 || !most.is_finite() {
        into.fill(0);
        return 0.0;
    }
    into.iter_mut().zip(vector).for_each(|(small, x)| *small = (x / most * STEPS).round() as i8);
    most / STEPS
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::stats::SplitMix64;

    fn random(chance: &mut SplitMix64, around: Option<&[f32]>) -> Vec<f32> {
        let mut vector: Vec<f32> = (0..384).map(|_| (chance.next_u64() >> 40) as f32 / (1_u64 << 24) as f32 - 0.5).collect();
        if let Some(around) = around {
            vector.iter_mut().zip(around).for_each(|(x, a)| *x += 8.0 * a);
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter().map(|x| x / length).collect()
    }

    #[test]
    fn cosines_of_bytes_are_those_of_floats_to_the_third_digit() {
        let mut chance = SplitMix64(7);
        let floats: Vec<Vec<f32>> = (0..300).map(|_| random(&mut chance, None)).collect();
        let mut vectors = Vectors::default();
        floats.iter().for_each(|vector| vectors.push(Some(vector)));
        let asked = random(&mut chance, Some(&floats[5]));
        let near = vectors.near(&asked).unwrap();
        for (at, vector) in floats.iter().enumerate() {
            let exact: f32 = vector.iter().zip(&asked).map(|(a, b)| a * b).sum();
            assert!((vectors.cosine(&near, at) - exact).abs() < 2e-3, "{at}");
        }
        assert!((vectors.between(1, 1).unwrap() - 1.0).abs() < 2e-3);
    }

    #[test]
    fn of_many_the_nearest_are_found_by_their_signs() {
        let mut chance = SplitMix64(11);
        let mut vectors = Vectors::default();
        let middles: Vec<Vec<f32>> = (0..50).map(|_| random(&mut chance, None)).collect();
        for number in 0..SCANNED + 1_000 {
            vectors.push(Some(&random(&mut chance, Some(&middles[number % middles.len()]))));
        }
        let (mut found, mut asked) = (0, 0);
        for middle in middles.iter().take(10) {
            let near = vectors.near(&random(&mut chance, Some(middle))).unwrap();
            assert!(near.all().is_none() && near.nearest.len() >= NEAR);
            let mut all: Vec<(f32, u32)> = (0..vectors.steps.len()).map(|at| (vectors.compute(&near, at), at as u32)).collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0));
            found += all[..10].iter().filter(|(_, at)| near.nearest.iter().any(|(near, _)| near == at)).count();
            asked += 10;
        }
        assert!(found * 100 >= asked * 98, "{found} of {asked}");
    }
}
