//! Attention within one text, head by head.

use crate::linear::{Block, Columns, ROWS, multiply, side_by_side};
use crate::rows::{LANES, shares};

/// Numbers of a head.
pub const HEAD: usize = 32;

/// Buffers for the numbers of a head; reused from text to text. Scores have a row for each key token and a column for each
/// query token, so that they come out of one product in the layout that the next one needs.
#[derive(Default)]
pub struct Attention {
    /// The keys, token by token.
    keys: Vec<Block>,
    /// The values, number by number.
    values: Vec<Block>,
    /// The queries of [`LANES`] tokens, number by number.
    queries: Vec<Columns>,
    /// How much these look at each token.
    scores: Vec<Columns>,
    /// What they see, number by number.
    seen: Vec<Columns>,
}

impl Attention {
    /// What each token sees; `parts` are its queries, keys and values side by side, `into` has a third of their width.
    #[inline(always)]
    pub fn look<const FUSED: bool, const BLOCKS: usize>(&mut self, parts: &[f32], width: usize, into: &mut [f32]) {
        let step = 3 * width;
        let tokens = parts.len() / step;
        for head in (0..width).step_by(HEAD) {
            side_by_side(&parts[width + head..], step, HEAD, &mut self.keys);
            self.take_values(&parts[2 * width + head..], step, tokens);
            for first in (0..tokens).step_by(LANES) {
                self.take_queries(&parts[first * step + head..], step);
                products::<FUSED, BLOCKS>(&self.keys, &self.queries, &mut self.scores);
                let sums = shares::<FUSED>(&mut self.scores[..tokens]);
                products::<FUSED, BLOCKS>(&self.values, &self.scores[..tokens], &mut self.seen);
                for (lane, into) in into[first * width..].chunks_mut(width).take(LANES).enumerate() {
                    let share = 1.0 / sums[lane];
                    for (into, seen) in into[head..][..HEAD].iter_mut().zip(&self.seen) {
                        *into = seen[lane] * share;
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn take_values(&mut self, parts: &[f32], step: usize, tokens: usize) {
        self.values.resize(HEAD.div_ceil(ROWS) * tokens, [0.0; ROWS]);
        for (token, part) in parts.chunks(step).enumerate() {
            for (number, x) in part[..HEAD].iter().enumerate() {
                self.values[number / ROWS * tokens + token][number % ROWS] = *x;
            }
        }
    }

    /// Columns beyond the last token keep their old content, which nobody uses.
    #[inline(always)]
    fn take_queries(&mut self, parts: &[f32], step: usize) {
        self.queries.resize(HEAD, [0.0; LANES]);
        for (lane, part) in parts.chunks(step).take(LANES).enumerate() {
            for (query, x) in self.queries.iter_mut().zip(part) {
                query[lane] = *x;
            }
        }
    }
}

/// The products of all rows with some columns.
#[inline(always)]
fn products<const FUSED: bool, const BLOCKS: usize>(rows: &[Block], columns: &[Columns], into: &mut Vec<Columns>) {
    let inputs = columns.len();
    into.resize(rows.len() / inputs * ROWS, [0.0; LANES]);
    let mut blocks = rows.chunks_exact(BLOCKS * inputs);
    let mut into = into.chunks_exact_mut(ROWS);
    for rows in &mut blocks {
        let rows = std::array::from_fn(|block| &rows[block * inputs..][..inputs]);
        let sums = multiply::<FUSED, BLOCKS>(rows, columns, [[[0.0; LANES]; ROWS]; BLOCKS]);
        sums.iter().zip(&mut into).for_each(|(sums, into)| into.copy_from_slice(sums));
    }
    for rows in blocks.remainder().chunks_exact(inputs) {
        let sums = multiply::<FUSED, 1>([rows], columns, [[[0.0; LANES]; ROWS]]);
        sums.iter().zip(&mut into).for_each(|(sums, into)| into.copy_from_slice(sums));
    }
}
