//! all-MiniLM-L6-v2 in this process.

use crate::bert::{Bert, Config};
use crate::error::EmbedError;
use crate::models;
use candle_core::{DType, Device};
use candle_nn::VarBuilder;
use rayon::prelude::*;
use std::path::Path;
use tokenizers::{Tokenizer, TruncationParams};

/// Longest text in tokens, the marks of its begin and end included: what the model was trained for and sentence-transformers cuts at.
const TOKENS: usize = 256;

/// Bytes of a text that are looked at. 256 tokens of prose are about 1 KB; the rest of a huge text need not be split to be cut off.
const BYTES: usize = 32 * 1024;

/// Tokens in one pass through the network. Larger passes gain nothing and take memory: 2,048 need about 80 MB.
const PASS: usize = 2048;

/// Length of a vector.
pub const DIMENSION: usize = 384;

/// The shape of the model; its files are pinned, so it is known.
const SHAPE: Config =
    Config { hidden: DIMENSION, intermediate: 1536, layers: 6, heads: 12, vocabulary: 30_522, positions: 512, epsilon: 1e-12 };

/// The loaded model.
pub struct MiniLm {
    tokenizer: Tokenizer,
    network: Bert,
    bytes: u64,
}

impl MiniLm {
    /// Reads tokenizer and weights from `folder`, about 0.1 s.
    ///
    /// # Errors
    /// [`EmbedError::Broken`] names the file.
    pub fn load(folder: &Path) -> Result<MiniLm, EmbedError> {
        let path = folder.join(models::TOKENIZER);
        let mut tokenizer = Tokenizer::from_file(&path).map_err(broken(&path))?;
        let cut = TruncationParams { max_length: TOKENS, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(cut)).map_err(broken(&path))?;
        // The file asks for a fixed length; passes are filled up to their own longest text.
        tokenizer.with_padding(None);

        let path = folder.join(models::WEIGHTS);
        let file = std::fs::read(&path).map_err(broken(&path))?;
        let bytes = file.len() as u64;
        let weights = VarBuilder::from_slice_safetensors(&file, DType::F32, &Device::Cpu).map_err(broken(&path))?;
        let network = Bert::load(&weights, SHAPE).map_err(broken(&path))?;
        Ok(MiniLm { tokenizer, network, bytes })
    }

    /// Bytes of the weights in memory.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// One vector of length 1 per text, in the order of the texts.
    ///
    /// # Errors
    /// [`EmbedError::Tokens`] and [`EmbedError::Compute`]; one text that fails fails the call.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let tokens = texts.par_iter().map(|text| self.tokens(text)).collect::<Result<Vec<_>, _>>()?;
        // Texts of like length share a pass, so that little is filled up; long ones first, so that no thread ends late.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(tokens[at].len()));
        let passes = passes(&order, |at| tokens[at].len());
        let vectors = passes
            .par_iter()
            .with_max_len(1)
            .map(|pass| self.network.embed(&pass.iter().map(|&at| tokens[at].as_slice()).collect::<Vec<_>>()))
            .collect::<Result<Vec<_>, _>>()?;
        let mut placed = vec![Vec::new(); texts.len()];
        for (at, vector) in order.into_iter().zip(vectors.into_iter().flatten()) {
            placed[at] = vector;
        }
        Ok(placed)
    }

    fn tokens(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        let text = &text[..text.floor_char_boundary(BYTES)];
        Ok(self.tokenizer.encode_fast(text, true).map_err(EmbedError::Tokens)?.get_ids().to_vec())
    }
}

/// Cuts `order`, longest text first, into passes of at most [`PASS`] tokens; a pass is as wide as its first text.
fn passes(order: &[usize], length: impl Fn(usize) -> usize) -> Vec<&[usize]> {
    let mut passes = Vec::new();
    let mut rest = order;
    while let Some(&first) = rest.first() {
        let (pass, after) = rest.split_at((PASS / length(first).max(1)).clamp(1, rest.len()));
        passes.push(pass);
        rest = after;
    }
    passes
}

fn broken<E: std::fmt::Display>(path: &Path) -> impl FnOnce(E) -> EmbedError {
    let path = path.to_owned();
    move |error| EmbedError::Broken { path, why: error.to_string() }
}
