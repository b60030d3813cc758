//! Attention within one text, head by head.

use crate::linear::{Block, Columns, ROWS, multiply, side_by_side};
use crate::rows::{LANES, softmax};

/// Numbers of a head.
pub const HEAD: usize = 32;

/// Buffers for the numbers of a head and a token that are multiplied with each other; reused from text to text.
#[derive(Default)]
pub struct Attention {
    /// The keys of a head: those of the first [`LANES`] tokens number by number, then those of the next.
    keys: Vec<Columns>,
    /// The values of a head: the first [`LANES`] numbers of each token, then the next.
    values: Vec<Columns>,
    /// The scores of [`ROWS`] tokens.
    scores: Vec<f32>,
    /// What keys and values are multiplied by: the queries of these tokens, then their shares.
    block: Vec<Block>,
}

impl Attention {
    /// What each token sees; `parts` are its queries, keys and values side by side, `into` has a third of their width.
    #[inline(always)]
    pub fn look<const FUSED: bool>(&mut self, parts: &[f32], width: usize, into: &mut [f32]) {
        let tokens = parts.len() / (3 * width);
        let columns = tokens.next_multiple_of(LANES);
        // Beyond the last token there are leftover keys, whose scores are not used.
        self.keys.resize(columns / LANES * HEAD, [0.0; LANES]);
        self.values.resize(HEAD / LANES * tokens, [0.0; LANES]);
        self.scores.resize(ROWS * columns, 0.0);
        for head in (0..width).step_by(HEAD) {
            self.take(parts, width, head);
            for first in (0..tokens).step_by(ROWS) {
                let queries = &parts[first * 3 * width + head..parts.len().min((first + ROWS) * 3 * width)];
                side_by_side(queries, 3 * width, HEAD, &mut self.block);
                for (tile, keys) in self.keys.chunks_exact(HEAD).enumerate() {
                    let [found] = multiply::<FUSED, 1>([&self.block], keys, [[[0.0; LANES]; ROWS]]);
                    for (scores, found) in self.scores.chunks_exact_mut(columns).zip(&found) {
                        scores[tile * LANES..][..LANES].copy_from_slice(found);
                    }
                }
                for row in self.scores.chunks_exact_mut(columns) {
                    softmax(row, tokens);
                }
                side_by_side(&self.scores, columns, tokens, &mut self.block);
                for (tile, values) in self.values.chunks_exact(tokens).enumerate() {
                    let [seen] = multiply::<FUSED, 1>([&self.block], values, [[[0.0; LANES]; ROWS]]);
                    for (row, seen) in seen.iter().enumerate().take(tokens - first) {
                        into[(first + row) * width + head + tile * LANES..][..LANES].copy_from_slice(seen);
                    }
                }
            }
        }
    }

    /// Takes the keys and the values of a head.
    #[inline(always)]
    fn take(&mut self, parts: &[f32], width: usize, head: usize) {
        let tokens = parts.len() / (3 * width);
        for (token, part) in parts.chunks_exact(3 * width).enumerate() {
            let keys = &mut self.keys[token / LANES * HEAD..][..HEAD];
            for (key, x) in keys.iter_mut().zip(&part[width + head..]) {
                key[token % LANES] = *x;
            }
            let values = part[2 * width + head..][..HEAD].as_chunks::<LANES>().0;
            for (tile, value) in values.iter().enumerate() {
                self.values[tile * tokens + token] = *value;
            }
        }
    }
}
