//! The directions of token space that distinguish tokens best: its first principal axes, by subspace iteration.

use crate::late::TOKEN_NUMBERS;
use crate::models::DIMENSION as WIDTH;

/// Iterations; the axes converge long before.
const TURNS: usize = 40;

/// Sums over tokens.
pub struct Fit {
    /// Sum of each token's outer product with itself, each token scaled to length 1. Not centered: products are what is compared.
    products: Vec<f64>,
}

impl Default for Fit {
    fn default() -> Fit {
        Fit { products: vec![0.0; WIDTH * WIDTH] }
    }
}

impl Fit {
    /// Adds a token.
    pub fn add(&mut self, token: &[f32]) {
        let square: f64 = token.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().max(f64::MIN_POSITIVE);
        for (row, a) in self.products.chunks_exact_mut(WIDTH).zip(token) {
            row.iter_mut().zip(token).for_each(|(sum, b)| *sum += f64::from(*a) * f64::from(*b) / square);
        }
    }

    /// The axes, one below the other, orthonormal.
    pub fn projection(&self) -> Vec<f32> {
        // Any start that is not orthogonal to the result works; this one is deterministic.
        let mut axes: Vec<Vec<f64>> = (0..TOKEN_NUMBERS)
            .map(|axis| (0..WIDTH).map(|at| if at % TOKEN_NUMBERS == axis { 1.0 } else { 0.01 / (1 + at + axis) as f64 }).collect())
            .collect();
        for _ in 0..TURNS {
            for axis in &mut axes {
                *axis = self.products.chunks_exact(WIDTH).map(|row| dot(row, axis)).collect();
            }
            straighten(&mut axes);
        }
        axes.concat().into_iter().map(|x| x as f32).collect()
    }
}

/// Orthonormalizes the axes, in order (Gram-Schmidt).
fn straighten(axes: &mut [Vec<f64>]) {
    for at in 0..axes.len() {
        let (before, rest) = axes.split_at_mut(at);
        let axis = &mut rest[0];
        for _ in 0..2 {
            for other in &*before {
                let part = dot(other, axis);
                axis.iter_mut().zip(other).for_each(|(x, o)| *x -= part * o);
            }
        }
        let length = dot(axis, axis).sqrt().max(f64::MIN_POSITIVE);
        axis.iter_mut().for_each(|x| *x /= length);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
