//! Products of rows with a matrix, in floats; the weights of a layer are kept as bytes.

use crate::rows::{LANES, ROUND, add_product};

/// Rows of a block, which are multiplied at once: their sums, some columns and a number of a row fill 15 vectors of eight floats, and
/// processors have 16. With 32 vectors of sixteen floats there is room for the sums of two blocks and more.
pub const ROWS: usize = 6;

/// The columns that are multiplied at once, for one input.
pub type Columns = [f32; LANES];

/// Inputs whose weights for an output have a scale of their own: a single large one costs its neighbours their accuracy, not the whole
/// output.
const GROUP: usize = 64;

/// Largest byte of a weight; -128 is not used.
const LARGEST: f32 = 127.0;

/// The numbers of some rows for one input.
pub type Block = [f32; ROWS];

/// Sums of the products of some blocks of rows with some columns, input by input, starting from `sums`. `FUSED`: the processor multiplies
/// and adds in one instruction. `BLOCKS`: as many as it has registers for.
#[inline(always)]
pub fn multiply<const FUSED: bool, const BLOCKS: usize>(
    rows: [&[Block]; BLOCKS],
    columns: &[Columns],
    sums: [[Columns; ROWS]; BLOCKS],
) -> [[Columns; ROWS]; BLOCKS] {
    multiply_by::<FUSED, BLOCKS, _>(rows, columns, |columns| *columns, sums)
}

/// The same with columns that become floats on their way.
#[inline(always)]
fn multiply_by<const FUSED: bool, const BLOCKS: usize, C>(
    rows: [&[Block]; BLOCKS],
    columns: &[C],
    floats: impl Fn(&C) -> Columns,
    mut sums: [[Columns; ROWS]; BLOCKS],
) -> [[Columns; ROWS]; BLOCKS] {
    let rows = rows.map(|rows| &rows[..columns.len()]);
    for (input, columns) in columns.iter().enumerate() {
        // Taken first, so that they stay in registers.
        let columns = floats(columns);
        for (rows, sums) in rows.iter().zip(&mut sums) {
            let rows = rows[input];
            for row in 0..ROWS {
                for lane in 0..LANES {
                    sums[row][lane] = add_product::<FUSED>(rows[row], columns[lane], sums[row][lane]);
                }
            }
        }
    }
    sums
}

/// Puts rows side by side, block by block: the first `width` numbers of each `step`. Rows missing from the last block may hold anything.
#[inline(always)]
pub fn side_by_side(rows: &[f32], step: usize, width: usize, into: &mut Vec<Block>) {
    into.resize(rows.len().div_ceil(step).div_ceil(ROWS) * width, [0.0; ROWS]);
    for (row, numbers) in rows.chunks(step).enumerate() {
        for (block, x) in into[row / ROWS * width..][..width].iter_mut().zip(&numbers[..width]) {
            block[row % ROWS] = *x;
        }
    }
}

/// Buffers in which rows and weights are prepared for a product; reused from layer to layer.
#[derive(Default)]
pub struct Ready {
    rows: Vec<Block>,
    weights: Vec<Columns>,
}

/// A linear layer.
pub struct Linear {
    inputs: usize,
    outputs: usize,
    /// Those of the first [`LANES`] outputs for each input, then those of the next.
    weights: Vec<[i8; LANES]>,
    /// What a byte is worth, in the same order, for each [`GROUP`] inputs.
    scales: Vec<Columns>,
    bias: Vec<f32>,
}

impl Linear {
    /// From rows of weights, one for each output.
    ///
    /// # Panics
    /// If there are no whole groups of inputs, or no whole vectors of outputs: the widths are those of one model.
    pub fn of(weights: &[f32], bias: Vec<f32>) -> Linear {
        let outputs = bias.len();
        let inputs = weights.len() / outputs;
        assert!(outputs.is_multiple_of(LANES) && inputs.is_multiple_of(GROUP), "{outputs} × {inputs}");
        let mut made = vec![[0; LANES]; inputs * outputs / LANES];
        let mut scales = vec![[0.0; LANES]; inputs / GROUP * outputs / LANES];
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            let (tile, lane) = (output / LANES, output % LANES);
            for (group, numbers) in row.chunks_exact(GROUP).enumerate() {
                let largest = numbers.iter().fold(f32::MIN_POSITIVE, |most, x| most.max(x.abs()));
                scales[tile * inputs / GROUP + group][lane] = largest / LARGEST;
                for (byte, x) in made[tile * inputs + group * GROUP..].iter_mut().zip(numbers) {
                    byte[lane] = (x * (LARGEST / largest) + ROUND).to_bits() as i8;
                }
            }
        }
        Linear { inputs, outputs, weights: made, scales, bias }
    }

    /// Bytes of the weights.
    pub fn bytes(&self) -> usize {
        size_of_val(self.weights.as_slice()) + size_of_val(self.scales.as_slice()) + size_of_val(self.bias.as_slice())
    }

    /// The outputs of each row.
    #[inline(always)]
    pub fn apply<const FUSED: bool, const BLOCKS: usize>(&self, rows: &[f32], ready: &mut Ready, into: &mut [f32]) {
        side_by_side(rows, self.inputs, self.inputs, &mut ready.rows);
        // A question's few rows.
        match ready.rows.len() / self.inputs {
            1 if BLOCKS > 1 => self.apply_at_once::<FUSED, 1>(&ready.rows, into),
            2 if BLOCKS > 1 => self.apply_at_once::<FUSED, 2>(&ready.rows, into),
            3 if BLOCKS > 1 => self.apply_at_once::<FUSED, 3>(&ready.rows, into),
            _ => self.apply_in_turns::<FUSED, BLOCKS>(ready, into),
        }
    }

    /// For blocks that the processor has registers for: each weight is needed once, and is converted to a float on the way. Sums are made
    /// in the same order as for more blocks, so that a text has the same vector alone and among others.
    #[inline(always)]
    fn apply_at_once<const FUSED: bool, const BLOCKS: usize>(&self, rows: &[Block], into: &mut [f32]) {
        for (tile, (weights, scales, bias)) in self.tiles().enumerate() {
            let mut sums = [[*bias; ROWS]; BLOCKS];
            for (group, (weights, scale)) in weights.chunks_exact(GROUP).zip(scales).enumerate() {
                let rows = std::array::from_fn(|block| &rows[block * self.inputs + group * GROUP..][..GROUP]);
                sums = multiply_by::<FUSED, BLOCKS, _>(rows, weights, |weights| widen(weights, scale), sums);
            }
            self.put(tile, &sums, &mut into.chunks_exact_mut(self.outputs));
        }
    }

    /// For any number of blocks: the weights of a tile become floats once for all of them.
    #[inline(always)]
    fn apply_in_turns<const FUSED: bool, const BLOCKS: usize>(&self, ready: &mut Ready, into: &mut [f32]) {
        ready.weights.resize(self.inputs, [0.0; LANES]);
        for (tile, (weights, scales, bias)) in self.tiles().enumerate() {
            for ((weights, scale), into) in weights.chunks_exact(GROUP).zip(scales).zip(ready.weights.chunks_exact_mut(GROUP)) {
                // A copy, which the compiler knows to stay as it is while others are written.
                let scale = *scale;
                for (weights, into) in weights.iter().zip(into) {
                    *into = widen(weights, &scale);
                }
            }
            let mut rest = into.chunks_exact_mut(self.outputs);
            let mut blocks = ready.rows.chunks_exact(BLOCKS * self.inputs);
            for rows in &mut blocks {
                let rows = std::array::from_fn(|block| &rows[block * self.inputs..][..self.inputs]);
                self.put(tile, &multiply::<FUSED, BLOCKS>(rows, &ready.weights, [[*bias; ROWS]; BLOCKS]), &mut rest);
            }
            for rows in blocks.remainder().chunks_exact(self.inputs) {
                self.put(tile, &multiply::<FUSED, 1>([rows], &ready.weights, [[*bias; ROWS]]), &mut rest);
            }
        }
    }

    /// The weights of [`LANES`] outputs each, with their scales and their bias.
    #[inline(always)]
    fn tiles(&self) -> impl Iterator<Item = (&[[i8; LANES]], &[Columns], &Columns)> {
        let scaled = self.weights.chunks_exact(self.inputs).zip(self.scales.chunks_exact(self.inputs / GROUP));
        scaled.zip(self.bias.as_chunks().0).map(|((weights, scales), bias)| (weights, scales, bias))
    }

    /// Puts what came out for the outputs of a tile where it belongs in the next rows.
    #[inline(always)]
    fn put<'a>(&self, tile: usize, sums: &[[Columns; ROWS]], rows: &mut impl Iterator<Item = &'a mut [f32]>) {
        for (sums, outputs) in sums.iter().flatten().zip(rows) {
            outputs[tile * LANES..][..LANES].copy_from_slice(sums);
        }
    }
}

/// The weights of some outputs as floats.
#[inline(always)]
fn widen(weights: &[i8; LANES], scale: &Columns) -> Columns {
    let mut wide = [0.0; LANES];
    for lane in 0..LANES {
        wide[lane] = f32::from(weights[lane]) * scale[lane];
    }
    wide
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_multiplies_every_row_by_weights_that_are_exact_to_half_a_byte() {
        let (inputs, outputs) = (128, 48);
        let weights: Vec<f32> = (0..inputs * outputs).map(|at| ((at * 7919 % 1000) as f32 - 500.0) / 1000.0).collect();
        let bias: Vec<f32> = (0..outputs).map(|at| at as f32).collect();
        let layer = Linear::of(&weights, bias.clone());
        for tokens in [1, 5, 6, 7, 12, 13, 19] {
            let rows: Vec<f32> = (0..tokens * inputs).map(|at| ((at * 31 % 17) as f32 - 8.0) / 8.0).collect();
            let [mut paired, mut fused, mut plain] = [(); 3].map(|()| vec![0.0; tokens * outputs]);
            layer.apply::<true, 2>(&rows, &mut Ready::default(), &mut paired);
            layer.apply::<true, 1>(&rows, &mut Ready::default(), &mut fused);
            layer.apply::<false, 1>(&rows, &mut Ready::default(), &mut plain);
            assert_eq!(paired, fused, "{tokens} rows: the same at once and in turns");
            for (token, row) in rows.chunks_exact(inputs).enumerate() {
                let size: f32 = row.iter().map(|x| x.abs()).sum();
                for (output, weights) in weights.chunks_exact(inputs).enumerate() {
                    let exact = row.iter().zip(weights).map(|(x, weight)| x * weight).sum::<f32>() + bias[output];
                    for found in [&paired, &fused, &plain].map(|found| found[token * outputs + output]) {
                        assert!((found - exact).abs() < size * 0.5 / LARGEST * 0.51 + 1e-4, "{found} is not {exact}, {tokens} rows");
                    }
                }
            }
        }
    }
}
