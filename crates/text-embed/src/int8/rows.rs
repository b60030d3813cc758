//! Rows of floats, a token each: to bytes, normalized, activated. Written so that the compiler makes vectors of them.

use crate::gelu::gelu;
use std::arch::x86_64::{
    __m512, _mm512_loadu_ps, _mm512_max_ps, _mm512_min_ps, _mm512_reduce_max_ps, _mm512_reduce_min_ps, _mm512_set1_ps,
};

/// Floats of a vector.
pub const LANES: usize = 16;

/// Rows of a product that are computed at once.
pub const TILE_ROWS: usize = 6;

/// Largest byte of an activation.
const STEPS: f32 = 255.0;

/// Adding this leaves a float's nearest integer in its lowest bits.
pub const ROUND: f32 = 12_582_912.0;

/// Numbers of a row that share a scale: a single large one costs its neighbours their accuracy, not the whole row.
pub const GROUP: usize = 64;

/// Bytes in the order in which they are multiplied, a group of them.
type Bytes = [[u8; 4]; GROUP / 4];

/// Activations of one byte, each group with a scale of its own.
#[derive(Default)]
pub struct Quantized {
    bytes: Vec<Bytes>,
    /// Groups of a row.
    width: usize,
    /// Of each group: what the byte 0 stands for, and a byte's size.
    scales: Vec<(f32, f32)>,
}

impl Quantized {
    /// Rows of `width` numbers, filled up to whole tiles.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub fn fill(&mut self, rows: &[f32], width: usize) {
        self.width = width / GROUP;
        let groups = (rows.len() / width).next_multiple_of(TILE_ROWS) * self.width;
        self.scales.clear();
        self.bytes.resize(groups, [[0; 4]; GROUP / 4]);
        for (numbers, bytes) in rows.as_chunks::<GROUP>().0.iter().zip(&mut self.bytes) {
            let (low, high) = bounds(numbers);
            let size = ((high - low) / STEPS).max(f32::MIN_POSITIVE);
            let steps = 1.0 / size;
            for (byte, x) in bytes.as_flattened_mut().iter_mut().zip(numbers) {
                let steps = (x - low) * steps;
                let steps = if steps < STEPS { steps } else { STEPS };
                *byte = (steps + ROUND).to_bits() as u8;
            }
            self.scales.push((low, size));
        }
        self.scales.resize(groups, (0.0, 0.0));
    }

    /// Blocks of rows.
    pub fn blocks(&self) -> usize {
        self.scales.len() / self.width / TILE_ROWS
    }

    /// The rows of a block.
    pub fn block(&self, block: usize) -> [&[Bytes]; TILE_ROWS] {
        let rows = &self.bytes[block * TILE_ROWS * self.width..(block + 1) * TILE_ROWS * self.width];
        std::array::from_fn(|row| &rows[row * self.width..(row + 1) * self.width])
    }

    /// What the byte 0 of a row's group stands for, and a byte's size.
    pub fn scale(&self, row: usize, group: usize) -> (f32, f32) {
        self.scales[row * self.width + group]
    }
}

/// A vector of numbers.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn load(numbers: &[f32; LANES]) -> __m512 {
    // SAFETY: it has as many numbers as the vector.
    unsafe { _mm512_loadu_ps(numbers.as_ptr()) }
}

/// The least and the greatest of some numbers, a multiple of [`LANES`].
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn bounds(numbers: &[f32]) -> (f32, f32) {
    let (mut low, mut high) = (_mm512_set1_ps(f32::INFINITY), _mm512_set1_ps(f32::NEG_INFINITY));
    for part in numbers.as_chunks::<LANES>().0 {
        low = _mm512_min_ps(low, load(part));
        high = _mm512_max_ps(high, load(part));
    }
    (_mm512_reduce_min_ps(low), _mm512_reduce_max_ps(high))
}

/// The sum of some numbers, a multiple of [`LANES`], each changed by `of`.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn sum(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0; LANES];
    for part in numbers.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            sums[lane] += of(part[lane]);
        }
    }
    sums.iter().sum()
}

/// Factors and offsets of a layer norm.
pub struct Norm {
    /// Of each column.
    pub weight: Vec<f32>,
    /// Of each column.
    pub bias: Vec<f32>,
    /// Prevents division by zero.
    pub epsilon: f32,
}

impl Norm {
    /// Normalizes each row in place.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub fn apply(&self, rows: &mut [f32]) {
        let width = self.weight.len();
        let share = 1.0 / width as f32;
        for row in rows.chunks_exact_mut(width) {
            let mean = sum(row, |x| x) * share;
            let spread = sum(row, |x| (x - mean) * (x - mean)) * share;
            let factor = 1.0 / (spread + self.epsilon).sqrt();
            for ((x, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
                *x = ((*x - mean) * factor).mul_add(*weight, *bias);
            }
        }
    }
}

/// Adds numbers to others.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn add(numbers: &mut [f32], others: &[f32]) {
    numbers.iter_mut().zip(others).for_each(|(x, other)| *x += other);
}

/// The activation, in place.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn activate(numbers: &mut [f32]) {
    numbers.iter_mut().for_each(|x| *x = gelu(*x));
}

/// Shares of a row that add up to 1, from scores: `e^score`, scaled. What is beyond `length` becomes 0.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn softmax(row: &mut [f32], length: usize) {
    row[length..].fill(f32::NEG_INFINITY);
    let (_, most) = bounds(row);
    row.iter_mut().for_each(|x| *x = exp(*x - most));
    row[length..].fill(0.0);
    let factor = 1.0 / sum(row, |x| x);
    row.iter_mut().for_each(|x| *x *= factor);
}

/// `e^x` for x ≤ 0, accurate to 2e-7: 2 to the nearest integer times a polynomial (Taylor) of the rest, which is at most 0.35.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn exp(x: f32) -> f32 {
    /// Less has no normal float.
    const LEAST: f32 = -87.0;
    let x = if x > LEAST { x } else { LEAST };
    let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUND);
    let rest = (shifted - ROUND).mul_add(-std::f32::consts::LN_2, x);
    let power = (1.0_f32 / 720.0).mul_add(rest, 1.0 / 120.0).mul_add(rest, 1.0 / 24.0).mul_add(rest, 1.0 / 6.0);
    let power = power.mul_add(rest, 0.5).mul_add(rest, 1.0).mul_add(rest, 1.0);
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::int8::is_supported;

    #[test]
    fn shares_are_those_of_the_exact_exponential() {
        if !is_supported() {
            return;
        }
        for length in [1, 5, 16, 17, 40] {
            let mut row: Vec<f32> = (0..48).map(|at| ((at * 37 % 23) as f32).sin() * 40.0).collect();
            let exact: Vec<f64> = row[..length].iter().map(|x| f64::from(*x).exp()).collect();
            let whole: f64 = exact.iter().sum();
            // SAFETY: just asked.
            unsafe { softmax(&mut row, length) };
            assert!(exact.iter().zip(&row).all(|(exact, x)| (exact / whole - f64::from(*x)).abs() < 1e-6), "{row:?}");
            assert!(row[length..].iter().all(|x| *x == 0.0));
        }
    }
}
