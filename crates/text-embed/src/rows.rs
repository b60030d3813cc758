//! Rows of floats, a token each: normalized, activated, turned into shares of 1. Loops that the compiler vectorizes with the instructions
//! of the function that they are inlined into.

use crate::gelu::gelu;

/// Numbers that are computed side by side.
pub const LANES: usize = 16;

/// Adding this leaves a float's nearest integer in its lowest bits.
pub const ROUND: f32 = 12_582_912.0;

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
    #[inline(always)]
    pub fn apply(&self, rows: &mut [f32]) {
        let width = self.weight.len();
        let share = 1.0 / width as f32;
        for row in rows.chunks_exact_mut(width) {
            let mean = sum(row, |x| x) * share;
            let spread = sum(row, |x| (x - mean) * (x - mean)) * share;
            let factor = 1.0 / (spread + self.epsilon).sqrt();
            for ((x, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
                *x = (*x - mean) * factor * weight + bias;
            }
        }
    }
}

/// Adds numbers to others.
#[inline(always)]
pub fn add(numbers: &mut [f32], others: &[f32]) {
    for (x, other) in numbers.iter_mut().zip(others) {
        *x += other;
    }
}

/// The activation, in place.
#[inline(always)]
pub fn activate(numbers: &mut [f32]) {
    for x in numbers {
        *x = gelu(*x);
    }
}

/// Shares of a row that add up to 1, from scores: `e^score`, scaled. What is beyond `length` becomes 0; the row is a multiple of [`LANES`].
#[inline(always)]
pub fn softmax(row: &mut [f32], length: usize) {
    row[length..].fill(f32::NEG_INFINITY);
    let mut most = [f32::NEG_INFINITY; LANES];
    for part in row.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            most[lane] = if part[lane] > most[lane] { part[lane] } else { most[lane] };
        }
    }
    let most = most.into_iter().fold(f32::NEG_INFINITY, f32::max);
    for x in row.iter_mut() {
        *x = exp(*x - most);
    }
    row[length..].fill(0.0);
    let factor = 1.0 / sum(row, |x| x);
    for x in row {
        *x *= factor;
    }
}

/// The sum of some numbers, a multiple of [`LANES`], each changed by `of`.
#[inline(always)]
fn sum(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0; LANES];
    for part in numbers.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            sums[lane] += of(part[lane]);
        }
    }
    sums.iter().sum()
}

/// `e^x` for x ≤ 0, accurate to 3e-7: 2 to the nearest integer times a polynomial (Taylor) of the rest, which is at most 0.35.
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// Anything less has no normal float.
    const LEAST: f32 = -87.0;
    /// The natural logarithm of 2 in two parts, the first of so few digits that its products with whole numbers are exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let x = if x > LEAST { x } else { LEAST };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let rest = x - whole * LN_2[0] - whole * LN_2[1];
    let power = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0].iter().fold(0.0_f32, |sum, factor| sum * rest + factor);
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_exact_exponential() {
        for length in [1, 5, 16, 17, 40] {
            let mut row: Vec<f32> = (0..48).map(|at| ((at * 37 % 23) as f32).sin() * 40.0).collect();
            let exact: Vec<f64> = row[..length].iter().map(|x| f64::from(*x).exp()).collect();
            let whole: f64 = exact.iter().sum();
            softmax(&mut row, length);
            assert!(exact.iter().zip(&row).all(|(exact, x)| (exact / whole - f64::from(*x)).abs() < 1e-6), "{row:?}");
            assert!(row[length..].iter().all(|x| *x == 0.0));
        }
    }

    #[test]
    fn a_normalized_row_has_the_mean_and_the_spread_of_its_norm() {
        let norm = Norm { weight: vec![2.0; 32], bias: vec![1.0; 32], epsilon: 1e-12 };
        let mut rows: Vec<f32> = (0..64).map(|at| (at * at % 19) as f32).collect();
        norm.apply(&mut rows);
        for row in rows.chunks_exact(32) {
            let mean = row.iter().sum::<f32>() / 32.0;
            let spread = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 32.0;
            assert!((mean - 1.0).abs() < 1e-5 && (spread - 4.0).abs() < 1e-4, "{mean} {spread}");
        }
    }
}
