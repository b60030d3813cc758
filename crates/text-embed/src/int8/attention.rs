//! Attention within one text, head by head, in floats.

use crate::int8::rows::{self, LANES, softmax};
use std::arch::x86_64::{__m512, _mm512_fmadd_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps};

/// Numbers of a head: two vectors.
pub const HEAD: usize = 32;

/// Rows, and vectors of columns, that are computed at once.
const ROWS: usize = 8;
const VECTORS: usize = HEAD / LANES;

/// What attention needs for one text; kept from text to text.
#[derive(Default)]
pub struct Attention {
    /// The keys of a head, number by number: [`HEAD`] rows.
    keys: Vec<f32>,
    /// The values of a head, token by token.
    values: Vec<f32>,
    /// The scores of [`ROWS`] tokens.
    scores: Vec<f32>,
}

impl Attention {
    /// What each token sees; `parts` are its queries, keys and values side by side, `into` has a third of their width.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub fn look(&mut self, parts: &[f32], width: usize, into: &mut [f32]) {
        let tokens = parts.len() / (3 * width);
        let columns = tokens.next_multiple_of(VECTORS * LANES);
        self.keys.resize(HEAD * columns, 0.0);
        self.values.resize(tokens * HEAD, 0.0);
        self.scores.resize(ROWS * columns, 0.0);
        for head in (0..width).step_by(HEAD) {
            for (token, part) in parts.chunks_exact(3 * width).enumerate() {
                for (at, key) in part[width + head..width + head + HEAD].iter().enumerate() {
                    self.keys[at * columns + token] = *key;
                }
                self.values[token * HEAD..(token + 1) * HEAD].copy_from_slice(&part[2 * width + head..2 * width + head + HEAD]);
            }
            for first in (0..tokens).step_by(ROWS) {
                // The last block is filled with its last token.
                let queries = std::array::from_fn(|row| {
                    let begin = (first + row).min(tokens - 1) * 3 * width + head;
                    &parts[begin..begin + HEAD]
                });
                self.score(queries, columns);
                self.scores.chunks_exact_mut(columns).for_each(|row| softmax(row, tokens));
                let seen = self.sums(columns, tokens);
                for (row, seen) in seen.iter().enumerate().take(tokens - first) {
                    let begin = (first + row) * width + head;
                    store(seen, &mut into[begin..begin + HEAD]);
                }
            }
        }
    }

    /// The products of some queries with all keys.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn score(&mut self, queries: [&[f32]; ROWS], columns: usize) {
        for column in (0..columns).step_by(VECTORS * LANES) {
            let mut sums = [[_mm512_setzero_ps(); VECTORS]; ROWS];
            for (at, keys) in self.keys.chunks_exact(columns).enumerate() {
                let keys = load(&keys[column..column + VECTORS * LANES]);
                for row in 0..ROWS {
                    let query = _mm512_set1_ps(queries[row][at]);
                    for vector in 0..VECTORS {
                        sums[row][vector] = _mm512_fmadd_ps(query, keys[vector], sums[row][vector]);
                    }
                }
            }
            for (row, sums) in sums.iter().enumerate() {
                let begin = row * columns + column;
                store(sums, &mut self.scores[begin..begin + VECTORS * LANES]);
            }
        }
    }

    /// The sums of all values, each by its share.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn sums(&self, columns: usize, tokens: usize) -> [[__m512; VECTORS]; ROWS] {
        let shares: [&[f32]; ROWS] = std::array::from_fn(|row| &self.scores[row * columns..row * columns + tokens]);
        let mut sums = [[_mm512_setzero_ps(); VECTORS]; ROWS];
        for (token, values) in self.values.chunks_exact(HEAD).enumerate().take(tokens) {
            let values = load(values);
            for row in 0..ROWS {
                let share = _mm512_set1_ps(shares[row][token]);
                for vector in 0..VECTORS {
                    sums[row][vector] = _mm512_fmadd_ps(share, values[vector], sums[row][vector]);
                }
            }
        }
        sums
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn load(numbers: &[f32]) -> [__m512; VECTORS] {
    let (parts, _) = numbers.as_chunks::<LANES>();
    let mut vectors = [_mm512_setzero_ps(); VECTORS];
    for (vector, part) in vectors.iter_mut().zip(parts) {
        *vector = rows::load(part);
    }
    vectors
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn store(vectors: &[__m512; VECTORS], into: &mut [f32]) {
    for (vector, part) in vectors.iter().zip(into.as_chunks_mut::<LANES>().0) {
        // SAFETY: the chunk holds as many numbers as the vector.
        unsafe { _mm512_storeu_ps(part.as_mut_ptr(), *vector) };
    }
}
