//! The vectors of a text's own tokens, for late interaction (Khattab & Zaharia 2020): the bundled model makes them anyway on its way to
//! the vector of the whole text.
//!
//! Of their 384 dimensions 128 are kept, the ones in which tokens of technical prose differ most (`projection.bin`, made by
//! `cargo run --release -p text-embed --example projection`), and each number takes one byte.

use std::sync::OnceLock;

/// Numbers of a token's vector, a byte each.
pub const TOKEN_NUMBERS: usize = 128;

/// Numbers that the model gives.
const WIDTH: usize = crate::models::DIMENSION;

/// Rows of the projection, [`TOKEN_NUMBERS`] × [`WIDTH`], f32 little-endian, orthonormal.
const PROJECTION: &[u8] = include_bytes!("projection.bin");

/// A number of length 1 becomes this many steps.
const STEPS: f32 = 127.0;

/// First number of a word in the vocabulary: below are marks, single characters and signs. Words follow by falling frequency.
const FIRST_WORD: u32 = 1_996;

/// Whether a piece of a word is wanted.
pub type Wanted<'a> = dyn Fn(&str) -> bool + 'a;

/// The vectors of a text's tokens, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenVectors {
    /// How rare each token is in English, above 0: the logarithm of its place in the vocabulary, which is ordered by frequency.
    pub rarity: Vec<f32>,
    /// [`TOKEN_NUMBERS`] bytes for each token, one token after the other; each vector has the length 127.
    pub numbers: Vec<i8>,
}

impl TokenVectors {
    /// From tokens and the numbers that the model gives.
    pub(crate) fn of<'a>(tokens: impl Iterator<Item = (&'a u32, Vec<f32>)>) -> TokenVectors {
        let mut made = TokenVectors::default();
        for (id, numbers) in tokens {
            made.rarity.push(((*id - FIRST_WORD + 2) as f32).ln());
            made.numbers.extend(small(&numbers));
        }
        made
    }
}

/// Whether a token is a word or a part of one.
pub(crate) fn speaks(id: u32) -> bool {
    id >= FIRST_WORD
}

/// Projects a vector and makes bytes of it.
fn small(numbers: &[f32]) -> impl Iterator<Item = i8> {
    let projected: Vec<f32> = projection().chunks_exact(WIDTH).map(|row| row.iter().zip(numbers).map(|(a, b)| a * b).sum()).collect();
    let length = projected.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    projected.into_iter().map(move |x| (x / length * STEPS).round() as i8)
}

fn projection() -> &'static [f32] {
    static READ: OnceLock<Vec<f32>> = OnceLock::new();
    READ.get_or_init(|| PROJECTION.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_projection_keeps_lengths_and_angles_of_what_it_keeps() {
        let rows: Vec<&[f32]> = projection().chunks_exact(WIDTH).collect();
        assert_eq!(rows.len(), TOKEN_NUMBERS);
        for (at, a) in rows.iter().enumerate() {
            for (other, b) in rows.iter().enumerate() {
                let dot: f32 = a.iter().zip(*b).map(|(x, y)| x * y).sum();
                assert!((dot - if at == other { 1.0 } else { 0.0 }).abs() < 1e-3, "{at} {other}: {dot}");
            }
        }
    }
}
