//! A product with weights of one byte.

use crate::int8::rows::{GROUP, LANES, Quantized, ROUND, TILE_ROWS, load};
use std::arch::x86_64::{
    __m512, __m512i, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_fmadd_ps, _mm512_load_si512, _mm512_mul_ps, _mm512_set1_epi32,
    _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512, _mm512_storeu_ps,
};

/// Vectors of columns that are computed at once: sums of six rows, the weights and one activation fill 29 of the 32 registers.
const TILE_VECTORS: usize = 4;
const TILE_COLUMNS: usize = TILE_VECTORS * LANES;

/// Inputs that one instruction multiplies and adds up.
const DEPTH: usize = 4;

/// Steps of a group, whose weights have a scale of their own.
const STEPS: usize = GROUP / DEPTH;

/// Largest byte of a weight; -128 is not used.
const LARGEST: f32 = 127.0;

/// The weights of [`LANES`] outputs for [`DEPTH`] inputs, output by output.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([i8; LANES * DEPTH]);

/// The weights of a tile's columns for a group of inputs.
#[derive(Clone)]
struct Group {
    steps: [[Line; TILE_VECTORS]; STEPS],
    /// Of each column: a byte's size, and the sum of its weights.
    scale: [[f32; LANES]; TILE_VECTORS],
    sums: [[f32; LANES]; TILE_VECTORS],
}

/// A linear layer.
pub struct Linear {
    outputs: usize,
    /// Groups of inputs.
    depth: usize,
    /// Those of the first tile of columns, then those of the next.
    groups: Vec<Group>,
    bias: Vec<f32>,
}

impl Linear {
    /// From rows of weights, one for each output.
    ///
    /// # Panics
    /// If the widths are no multiples of a tile's and a group's: they are those of one model.
    pub fn of(weights: &[f32], bias: Vec<f32>) -> Linear {
        let outputs = bias.len();
        let inputs = weights.len() / outputs;
        assert!(outputs.is_multiple_of(TILE_COLUMNS) && inputs.is_multiple_of(GROUP), "{outputs} × {inputs}");
        let depth = inputs / GROUP;
        let line = Line([0; LANES * DEPTH]);
        let none = [[0.0; LANES]; TILE_VECTORS];
        let mut groups = vec![Group { steps: [[line; TILE_VECTORS]; STEPS], scale: none, sums: none }; depth * outputs / TILE_COLUMNS];
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            let (tile, column) = (output / TILE_COLUMNS, output % TILE_COLUMNS);
            for (group, numbers) in groups[tile * depth..].iter_mut().zip(row.as_chunks::<GROUP>().0) {
                group.set(column / LANES, column % LANES, numbers);
            }
        }
        Linear { outputs, depth, groups, bias }
    }

    /// Bytes of the weights.
    pub fn bytes(&self) -> usize {
        size_of_val(self.groups.as_slice()) + size_of_val(self.bias.as_slice())
    }

    /// The outputs of each row, [`TILE_ROWS`] rows at a time.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub fn apply(&self, rows: &Quantized, into: &mut [f32]) {
        for (tile, groups) in self.groups.chunks_exact(self.depth).enumerate() {
            let columns = tile * TILE_COLUMNS..(tile + 1) * TILE_COLUMNS;
            let bias = &self.bias[columns.clone()];
            for (block, outputs) in into.chunks_exact_mut(TILE_ROWS * self.outputs).enumerate().take(rows.blocks()) {
                let found = tile_of(rows, block, groups);
                for (outputs, found) in outputs.chunks_exact_mut(self.outputs).zip(&found) {
                    store(found, bias, &mut outputs[columns.clone()]);
                }
            }
        }
    }
}

impl Group {
    /// Makes bytes of the weights of one column.
    fn set(&mut self, vector: usize, lane: usize, numbers: &[f32; GROUP]) {
        let largest = numbers.iter().fold(f32::MIN_POSITIVE, |most, x| most.max(x.abs()));
        let (size, per_size) = (largest / LARGEST, LARGEST / largest);
        let mut sum = 0_i32;
        for (step, numbers) in self.steps.iter_mut().zip(numbers.as_chunks::<DEPTH>().0) {
            for (byte, x) in step[vector].0[lane * DEPTH..].iter_mut().zip(numbers) {
                *byte = (x * per_size + ROUND).to_bits() as i8;
                sum += i32::from(*byte);
            }
        }
        self.scale[vector][lane] = size;
        self.sums[vector][lane] = sum as f32 * size;
    }
}

/// The products of a block of rows with a tile of weights: an activation stands for `low + size × byte`.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn tile_of(rows: &Quantized, block: usize, groups: &[Group]) -> [[__m512; TILE_VECTORS]; TILE_ROWS] {
    let bytes = rows.block(block);
    let mut totals = [[_mm512_setzero_ps(); TILE_VECTORS]; TILE_ROWS];
    for (number, group) in groups.iter().enumerate() {
        let sums = sums_of(&bytes, number, &group.steps);
        for row in 0..TILE_ROWS {
            let (low, size) = rows.scale(block * TILE_ROWS + row, number);
            let (low, size) = (_mm512_set1_ps(low), _mm512_set1_ps(size));
            for vector in 0..TILE_VECTORS {
                let product = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[row][vector]), load(&group.scale[vector]));
                let fixed = _mm512_fmadd_ps(load(&group.sums[vector]), low, totals[row][vector]);
                totals[row][vector] = _mm512_fmadd_ps(product, size, fixed);
            }
        }
    }
    totals
}

/// The sums of products of bytes within a group.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn sums_of(
    bytes: &[&[[[u8; DEPTH]; STEPS]]; TILE_ROWS],
    group: usize,
    steps: &[[Line; TILE_VECTORS]; STEPS],
) -> [[__m512i; TILE_VECTORS]; TILE_ROWS] {
    let mut rows = [&[[0; DEPTH]; STEPS]; TILE_ROWS];
    for row in 0..TILE_ROWS {
        rows[row] = &bytes[row][group];
    }
    let mut sums = [[_mm512_setzero_si512(); TILE_VECTORS]; TILE_ROWS];
    for (at, step) in steps.iter().enumerate() {
        for row in 0..TILE_ROWS {
            let activation = _mm512_set1_epi32(i32::from_le_bytes(rows[row][at]));
            for vector in 0..TILE_VECTORS {
                // SAFETY: a line has the size and the alignment of the vector.
                let weights = unsafe { _mm512_load_si512(step[vector].0.as_ptr().cast()) };
                sums[row][vector] = _mm512_dpbusd_epi32(sums[row][vector], activation, weights);
            }
        }
    }
    sums
}

/// Writes a row's columns, with what is added to each.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn store(found: &[__m512; TILE_VECTORS], bias: &[f32], into: &mut [f32]) {
    let one = _mm512_set1_ps(1.0);
    let parts = bias.as_chunks::<LANES>().0.iter().zip(into.as_chunks_mut::<LANES>().0);
    for (found, (bias, into)) in found.iter().zip(parts) {
        // SAFETY: the chunk holds as many numbers as the vector.
        unsafe { _mm512_storeu_ps(into.as_mut_ptr(), _mm512_fmadd_ps(*found, one, load(bias))) };
    }
}
