//! all-MiniLM-L6-v2 in this process.

use crate::bert::{Bert, Config, Reading};
use crate::error::EmbedError;
#[cfg(target_arch = "x86_64")]
use crate::int8;
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

/// Tokens per pass through the network. Larger passes gain little and need memory: 512 need about 12 MB.
const PASS: usize = 512;
/// The same for a pass of one core in bytes, which needs about 6 MB.
#[cfg(target_arch = "x86_64")]
const PASS_OF_BYTES: usize = 256;

/// The shape of the model; its files are pinned, so it is known.
const SHAPE: Config =
    Config { hidden: DIMENSION, intermediate: 1536, layers: 6, heads: 12, vocabulary: 30_522, positions: 512, epsilon: 1e-12 };

/// The loaded model.
pub struct MiniLm {
    tokenizer: Tokenizer,
    network: Network,
}

/// The network, by what the processor is good at.
enum Network {
    /// In floats: each pass uses all cores.
    Float(Bert),
    /// In bytes: each pass uses one core.
    #[cfg(target_arch = "x86_64")]
    Int8(int8::Bert),
}

impl Network {
    fn load(weights: Weights) -> candle_core::Result<Network> {
        #[cfg(target_arch = "x86_64")]
        if int8::is_supported() {
            return Ok(Network::Int8(int8::Bert::load(&weights, SHAPE)?));
        }
        Ok(Network::Float(Bert::load(weights, SHAPE)?))
    }

    /// What `made` makes of each text and the vectors of its tokens, in order.
    fn read<T: Send>(&self, texts: &[&[u32]], made: impl Fn(&[u32], &Reading) -> T + Sync) -> Result<Vec<T>, EmbedError> {
        let finished = |pass: &[&[u32]], read: Vec<Reading>| pass.iter().zip(&read).map(|(ids, read)| made(ids, read)).collect::<Vec<T>>();
        let found = match self {
            Network::Float(network) => passes(texts, PASS)
                .into_iter()
                .map(|pass| Ok(finished(pass, network.read(pass)?)))
                .collect::<Result<Vec<_>, EmbedError>>()?,
            #[cfg(target_arch = "x86_64")]
            Network::Int8(network) => match &passes(texts, PASS_OF_BYTES)[..] {
                // A question alone does not wait for threads to start.
                [pass] => vec![finished(pass, network.read(pass)?)],
                passes => passes.par_iter().map(|pass| Ok(finished(pass, network.read(pass)?))).collect::<Result<Vec<_>, EmbedError>>()?,
            },
        };
        Ok(found.into_iter().flatten().collect())
    }

    fn bytes(&self) -> u64 {
        match self {
            Network::Float(network) => network.bytes(),
            #[cfg(target_arch = "x86_64")]
            Network::Int8(network) => network.bytes(),
        }
    }
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
        let network = Weights::open(&path).and_then(Network::load).map_err(broken(&path))?;
        Ok(MiniLm { tokenizer, network })
    }

    /// Bytes of the weights that stay in memory.
    pub fn bytes(&self) -> u64 {
        self.network.bytes()
    }

    /// One vector of length 1 per text, in order.
    ///
    /// # Errors
    /// [`EmbedError::Tokens`] and [`EmbedError::Compute`]; a failing text fails the whole call.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let tokens = self.all_tokens(texts)?;
        let slices: Vec<&[u32]> = tokens.iter().map(Vec::as_slice).collect();
        self.network.read(&slices, |_, read| mean(read))
    }

    /// The result of [`MiniLm::embed`], and the vectors of those tokens that are `wanted`.
    ///
    /// # Errors
    /// As for [`MiniLm::embed`].
    pub fn embed_tokens(&self, texts: &[&str], wanted: &Wanted<'_>) -> Result<Vec<(Vec<f32>, TokenVectors)>, EmbedError> {
        let tokens = self.all_tokens(texts)?;
        let slices: Vec<&[u32]> = tokens.iter().map(Vec::as_slice).collect();
        let says = |id: u32| self.tokenizer.id_to_token(id).is_some_and(|piece| wanted(&piece));
        self.network.read(&slices, |ids, read| {
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
        Ok(self.network.read(&[&ids], words)?.pop().unwrap_or_default())
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

/// Splits texts into passes of at most `most` tokens, or of one text.
fn passes<'a, 't>(mut rest: &'a [&'t [u32]], most: usize) -> Vec<&'a [&'t [u32]]> {
    let mut passes = Vec::new();
    while !rest.is_empty() {
        let mut tokens = 0;
        let fit = rest.iter().take_while(|text| {
            tokens += text.len();
            tokens <= most
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

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn bytes_say_what_floats_say_and_a_text_the_same_beside_others() {
        if !int8::is_supported() {
            return;
        }
        let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(NAME);
        let of = |network| {
            let MiniLm { tokenizer, .. } = MiniLm::load(&installed).unwrap();
            MiniLm { tokenizer, network }
        };
        let weights = || Weights::open(&installed.join(WEIGHTS)).unwrap();
        let bytes = of(Network::Int8(int8::Bert::load(&weights(), SHAPE).unwrap()));
        let floats = of(Network::Float(Bert::load(weights(), SHAPE).unwrap()));
        let prose = include_str!("minilm.rs");
        let mut texts = vec!["", "a", "pnpm", "\u{10ffff} é 日本語", "0 1 2 3 4 5 6 7 8 9", "Refunds are settled at midnight"];
        texts.extend(prose.lines().filter(|line| line.len() > 40).take(40));
        texts.extend([100, 700, 4_000].map(|end| &prose[..end]));
        let together = bytes.embed(&texts).unwrap();
        for ((text, vector), exact) in texts.iter().zip(&together).zip(floats.embed(&texts).unwrap()) {
            let cosine: f32 = vector.iter().zip(&exact).map(|(a, b)| a * b).sum();
            // Without any word there is little to err about, and little to find.
            assert!(cosine > if text.is_empty() { 0.998 } else { 0.999 }, "{cosine} for {text:.40}");
            assert_eq!(bytes.embed(&[text]).unwrap()[0], *vector, "alone, {text:.40}");
        }
    }

    #[test]
    fn passes_hold_every_text_once_and_stay_small() {
        for lengths in [vec![], vec![2], vec![256; 20], vec![256, 200, 200, 9, 9, 2], vec![5000, 3], vec![3, 5000], vec![2; 3000]] {
            let texts: Vec<Vec<u32>> = lengths.iter().map(|&length| vec![0; length]).collect();
            let texts: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
            let passes = passes(&texts, PASS);
            assert_eq!(passes.concat(), texts);
            for pass in passes {
                assert!(pass.len() == 1 || pass.iter().map(|text| text.len()).sum::<usize>() <= PASS, "{pass:?}");
            }
        }
    }
}
