//! all-MiniLM-L6-v2 in this process.

use crate::bert::{Bert, Config, Reading};
use crate::error::EmbedError;
use crate::late::{self, TokenVectors, Wanted};
use crate::models::{self, DIMENSION};
use crate::weights::Weights;
use rayon::prelude::*;
use std::path::Path;
use tokenizers::{Tokenizer, TruncationParams};

/// Maximum tokens of a text, including the begin and end tokens: what the model was trained for and sentence-transformers truncates at.
const TOKENS: usize = 256;

/// Bytes of a text that are tokenized. 256 tokens of prose are about 1 KB; the rest of a huge text need not be split to be cut off.
const BYTES: usize = 32 * 1024;

/// Tokens per pass through the network, which is the work of one core. Larger passes gain little and need memory: these need about 6 MB.
const PASS: usize = 256;

/// The shape of the model; its files are pinned, so it is known.
const SHAPE: Config =
    Config { hidden: DIMENSION, intermediate: 1536, layers: 6, heads: 12, vocabulary: 30_522, positions: 512, epsilon: 1e-12 };

/// The loaded model.
pub struct MiniLm {
    tokenizer: Tokenizer,
    network: Bert,
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
        // The file requests padding; none is needed here.
        tokenizer.with_padding(None);

        let path = folder.join(models::WEIGHTS);
        let network = Weights::open(&path).and_then(|weights| Bert::load(&weights, SHAPE)).map_err(broken(&path))?;
        Ok(MiniLm { tokenizer, network })
    }

    /// Bytes of the weights that stay in memory.
    pub fn bytes(&self) -> u64 {
        self.network.bytes()
    }

    /// One vector of length 1 per text, in order.
    ///
    /// # Errors
    /// [`EmbedError::Tokens`] and [`EmbedError::Weights`]; a failing text fails the whole call.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let tokens = self.all_tokens(texts)?;
        let slices: Vec<&[u32]> = tokens.iter().map(Vec::as_slice).collect();
        self.read(&slices, |_, read| mean(read))
    }

    /// The result of [`MiniLm::embed`], and the vectors of those tokens that are `wanted`.
    ///
    /// # Errors
    /// As for [`MiniLm::embed`].
    pub fn embed_tokens(&self, texts: &[&str], wanted: &Wanted<'_>) -> Result<Vec<(Vec<f32>, TokenVectors)>, EmbedError> {
        let tokens = self.all_tokens(texts)?;
        let slices: Vec<&[u32]> = tokens.iter().map(Vec::as_slice).collect();
        let says = |id: u32| self.tokenizer.id_to_token(id).is_some_and(|piece| wanted(&piece));
        self.read(&slices, |ids, read| {
            let kept = ids.iter().zip(read.chunks_exact(DIMENSION)).filter(|(id, _)| late::speaks(**id) && says(**id));
            (mean(read), TokenVectors::of(kept))
        })
    }

    /// All numbers of the tokens that are words or parts of words.
    ///
    /// # Errors
    /// As for [`MiniLm::embed`].
    pub fn whole_tokens(&self, text: &str) -> Result<Vec<Vec<f32>>, EmbedError> {
        let ids = self.tokens(text)?;
        let words = |ids: &[u32], read: &Reading| {
            let rows = ids.iter().zip(read.chunks_exact(DIMENSION));
            rows.filter(|(id, _)| late::speaks(**id)).map(|(_, row)| row.to_vec()).collect()
        };
        Ok(self.read(&[&ids], words)?.pop().unwrap_or_default())
    }

    /// The result of `made` for each text and the vectors of its tokens, in order.
    fn read<T: Send>(&self, texts: &[&[u32]], made: impl Fn(&[u32], &Reading) -> T + Sync) -> Result<Vec<T>, EmbedError> {
        let finished = |pass: &&[&[u32]]| {
            let read = self.network.read(pass)?;
            Ok(pass.iter().zip(&read).map(|(ids, read)| made(ids, read)).collect())
        };
        let found: Vec<Vec<T>> = match &passes(texts)[..] {
            // A question alone does not wait for threads to start.
            [pass] => vec![finished(pass)?],
            passes => passes.par_iter().map(finished).collect::<Result<_, EmbedError>>()?,
        };
        Ok(found.into_iter().flatten().collect())
    }

    fn all_tokens(&self, texts: &[&str]) -> Result<Vec<Vec<u32>>, EmbedError> {
        match texts {
            [text] => Ok(vec![self.tokens(text)?]),
            texts => texts.par_iter().map(|text| self.tokens(text)).collect(),
        }
    }

    fn tokens(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        let text = &text[..text.floor_char_boundary(BYTES)];
        Ok(self.tokenizer.encode_fast(text, true).map_err(EmbedError::Tokens)?.get_ids().to_vec())
    }
}

/// The mean of a text's tokens, scaled to length 1.
fn mean(read: &Reading) -> Vec<f32> {
    let mut sum = vec![0.0; DIMENSION];
    for row in read.chunks_exact(DIMENSION) {
        sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    // The mean and the sum have the same direction, so normalization makes the division superfluous.
    let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    sum.iter_mut().for_each(|x| *x /= length);
    sum
}

/// Splits texts into passes of at most [`PASS`] tokens, or of one text.
fn passes<'a, 't>(mut rest: &'a [&'t [u32]]) -> Vec<&'a [&'t [u32]]> {
    let mut passes = Vec::new();
    while !rest.is_empty() {
        let mut tokens = 0;
        let fit = rest.iter().take_while(|text| {
            tokens += text.len();
            tokens <= PASS
        });
        let (pass, after) = rest.split_at(fit.count().max(1));
        passes.push(pass);
        rest = after;
    }
    passes
}

fn broken<E: std::fmt::Display>(path: &Path) -> impl FnOnce(E) -> EmbedError {
    let path = path.to_owned();
    move |error| EmbedError::Broken { path, why: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{NAME, TOKENIZER, WEIGHTS};
    use std::fs;

    #[test]
    fn a_damaged_file_is_named() {
        let room = tempfile::tempdir().unwrap();
        let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(NAME);
        for (damaged, content) in [
            (TOKENIZER, "{}".as_bytes()),
            (WEIGHTS, b"\xff\xff\xff\xff\xff\xff\xff\xff"),
            (WEIGHTS, b""),
            (WEIGHTS, b"\x02\0\0\0\0\0\0\0{}"),
        ] {
            for file in [TOKENIZER, WEIGHTS] {
                let _ = fs::remove_file(room.path().join(file));
                if file == damaged {
                    fs::write(room.path().join(file), content).unwrap();
                } else {
                    fs::hard_link(installed.join(file), room.path().join(file))
                        .or_else(|_| fs::copy(installed.join(file), room.path().join(file)).map(|_| ()))
                        .unwrap();
                }
            }
            let error = MiniLm::load(room.path()).err().unwrap();
            assert!(matches!(error, EmbedError::Broken { .. }) && error.to_string().contains(damaged), "{damaged}: {error}");
        }
    }

    #[test]
    fn passes_hold_every_text_once_and_stay_small() {
        for lengths in [vec![], vec![2], vec![256; 20], vec![256, 200, 200, 9, 9, 2], vec![5000, 3], vec![3, 5000], vec![2; 3000]] {
            let texts: Vec<Vec<u32>> = lengths.iter().map(|&length| vec![0; length]).collect();
            let texts: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
            let passes = passes(&texts);
            assert_eq!(passes.concat(), texts);
            for pass in passes {
                assert!(pass.len() == 1 || pass.iter().map(|text| text.len()).sum::<usize>() <= PASS, "{pass:?}");
            }
        }
    }
}
