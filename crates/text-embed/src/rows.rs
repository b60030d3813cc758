//! Rows of floats: normalized, turned into shares of 1. Loops that the compiler vectorizes with the instructions
//! of the function that they are inlined into.

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

/// Replaces scores by shares, for each column: `e^score`, scaled by any factor. Returns the sum of the shares of each column.
#[inline(always)]
pub fn shares<const FUSED: bool>(rows: &mut [[f32; LANES]]) -> [f32; LANES] {
    let mut most = [f32::NEG_INFINITY; LANES];
    for row in rows.iter() {
        for lane in 0..LANES {
            most[lane] = if row[lane] > most[lane] { row[lane] } else { most[lane] };
        }
    }
    let mut sums = [0.0; LANES];
    for row in rows {
        for lane in 0..LANES {
            row[lane] = exp::<FUSED>(row[lane] - most[lane]);
            sums[lane] += row[lane];
        }
    }
    sums
}

/// `x * y + sum`. `FUSED`: by one instruction, which the processor has; where it has none, `mul_add` is a function call.
#[inline(always)]
pub fn add_product<const FUSED: bool>(x: f32, y: f32, sum: f32) -> f32 {
    if FUSED { x.mul_add(y, sum) } else { x * y + sum }
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
fn exp<const FUSED: bool>(x: f32) -> f32 {
    /// Anything less has no normal float.
    const LEAST: f32 = -87.0;
    /// The natural logarithm of 2 in two parts, the first of so few digits that its products with whole numbers are exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let x = if x > LEAST { x } else { LEAST };
    let shifted = add_product::<FUSED>(x, std::f32::consts::LOG2_E, ROUND);
    let whole = shifted - ROUND;
    let rest = add_product::<FUSED>(whole, -LN_2[1], add_product::<FUSED>(whole, -LN_2[0], x));
    let power = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0]
        .into_iter()
        .fold(0.0_f32, |sum, factor| add_product::<FUSED>(sum, rest, factor));
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_exact_exponential() {
        for length in [1, 5, 16, 40] {
            let score = |row: usize, lane: usize| (((row * 37 + lane * 5) % 23) as f32).sin() * 40.0;
            let scores: Vec<[f32; LANES]> = (0..length).map(|row| std::array::from_fn(|lane| score(row, lane))).collect();
            let (mut fused, mut plain) = (scores.clone(), scores);
            let sums = [shares::<true>(&mut fused), shares::<false>(&mut plain)];
            for (sums, rows) in sums.iter().zip([&fused, &plain]) {
                for lane in 0..LANES {
                    let whole: f64 = (0..length).map(|row| f64::from(score(row, lane)).exp()).sum();
                    for (row, found) in rows.iter().enumerate() {
                        let exact = f64::from(score(row, lane)).exp() / whole;
                        assert!((exact - f64::from(found[lane] / sums[lane])).abs() < 1e-6, "{length} rows: {found:?}");
                    }
                }
            }
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
