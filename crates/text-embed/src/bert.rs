//! The BERT encoder as all-MiniLM-L6-v2 uses it: six layers, 384 wide, mean over the tokens.
//!
//! Written as loops that the compiler vectorizes; on x86-64 also compiled for AVX2 and AVX-512, which run where the processor has them.
//! Weights are stored as bytes, so that a pass reads a quarter of what floats take; they become floats on their way into a product, and
//! everything else is floats.

use crate::attention::{Attention, HEAD};
use crate::gelu::activate;
use crate::linear::{Linear, Ready};
use crate::rows::{Norm, add};
use crate::weights::{Result, Rows, Weights};
use rayon::prelude::*;

/// Shape of the model, from its `config.json`.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Length of a vector.
    pub hidden: usize,
    /// Width of the feed-forward part.
    pub intermediate: usize,
    /// Number of layers.
    pub layers: usize,
    /// Number of attention heads.
    pub heads: usize,
    /// Size of the tokenizer's vocabulary.
    pub vocabulary: usize,
    /// Maximum tokens of a text.
    pub positions: usize,
    /// Prevents division by zero in normalization.
    pub epsilon: f32,
}

/// The network. Immutable, so threads share it. The layers take 11 MB; the table of words stays in its file.
pub struct Bert {
    config: Config,
    words: Rows,
    /// Position and segment embeddings of each token; every text is one segment.
    places: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

/// The vectors of a text's tokens, one after the other, not normalized.
pub type Reading = Vec<f32>;

struct Layer {
    /// Query, key and value as one product.
    attend: Linear,
    attended: Linear,
    attention_norm: Norm,
    widen: Linear,
    narrow: Linear,
    output_norm: Norm,
}

/// Rows of a pass at each stage.
#[derive(Default)]
struct Stages {
    parts: Vec<f32>,
    seen: Vec<f32>,
    wide: Vec<f32>,
    change: Vec<f32>,
    attention: Attention,
    ready: Ready,
}

impl Bert {
    /// Reads the weights and converts them to bytes.
    ///
    /// # Errors
    /// A missing tensor, or one of another shape, by its name.
    pub fn load(weights: &Weights, config: Config) -> Result<Bert> {
        let segments = weights.numbers("embeddings.token_type_embeddings.weight", &[2, config.hidden])?;
        let mut places = weights.numbers("embeddings.position_embeddings.weight", &[config.positions, config.hidden])?;
        for place in places.chunks_exact_mut(config.hidden) {
            add(place, &segments[..config.hidden]);
        }
        Ok(Bert {
            words: weights.rows("embeddings.word_embeddings.weight", config.vocabulary, config.hidden)?,
            places,
            norm: norm(weights, "embeddings.LayerNorm", config)?,
            layers: (0..config.layers).into_par_iter().map(|number| Layer::load(weights, number, config)).collect::<Result<_>>()?,
            config,
        })
    }

    /// Bytes of the weights that stay in memory.
    pub fn bytes(&self) -> u64 {
        let layers = self.layers.iter().flat_map(|layer| [&layer.attend, &layer.attended, &layer.widen, &layer.narrow]);
        (size_of_val(self.places.as_slice()) + layers.map(Linear::bytes).sum::<usize>()) as u64
    }

    /// The tokens of each text, in one pass of one thread. `texts` are non-empty lists of token ids. The result for a text is independent
    /// of the others.
    ///
    /// # Errors
    /// If the file fails.
    pub fn read(&self, texts: &[&[u32]]) -> Result<Vec<Reading>> {
        let mut hidden = self.words.take(&texts.concat())?;
        let width = self.config.hidden;
        let mut rest = hidden.as_mut_slice();
        for text in texts {
            let (tokens, after) = rest.split_at_mut(text.len() * width);
            add(tokens, &self.places);
            rest = after;
        }
        self.forward(&mut hidden, texts);
        let mut rest = hidden.as_slice();
        let reading = |text: &&[u32]| {
            let (tokens, after) = rest.split_at(text.len() * width);
            rest = after;
            tokens.to_vec()
        };
        Ok(texts.iter().map(reading).collect())
    }

    fn forward(&self, hidden: &mut [f32], texts: &[&[u32]]) {
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code, reason = "compiled for instructions that this processor was just asked for")]
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: it has them.
            return unsafe { self.forward_by_avx512(hidden, texts) };
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: it has them.
            return unsafe { self.forward_by_avx2(hidden, texts) };
        }
        self.forward_by::<{ cfg!(target_arch = "aarch64") }, 1>(hidden, texts);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn forward_by_avx512(&self, hidden: &mut [f32], texts: &[&[u32]]) {
        self.forward_by::<true, 2>(hidden, texts);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn forward_by_avx2(&self, hidden: &mut [f32], texts: &[&[u32]]) {
        self.forward_by::<true, 1>(hidden, texts);
    }

    #[inline(always)]
    fn forward_by<const FUSED: bool, const BLOCKS: usize>(&self, hidden: &mut [f32], texts: &[&[u32]]) {
        let mut stages = Stages::default();
        self.norm.apply(hidden);
        for layer in &self.layers {
            layer.forward::<FUSED, BLOCKS>(hidden, texts, self.config, &mut stages);
        }
    }
}

impl Layer {
    fn load(from: &Weights, number: usize, config: Config) -> Result<Layer> {
        let Config { hidden, intermediate, .. } = config;
        assert_eq!(hidden, HEAD * config.heads, "the width of a head");
        let named = |name: &str| format!("encoder.layer.{number}.{name}");
        let read = |name: &str, input, output| -> Result<(Vec<f32>, Vec<f32>)> {
            Ok((
                from.numbers(&named(&format!("{name}.weight")), &[output, input])?,
                from.numbers(&named(&format!("{name}.bias")), &[output])?,
            ))
        };
        let linear = |name, input, output| read(name, input, output).map(|(weights, bias)| Linear::of(&weights, bias));
        let (mut weights, mut bias) = read("attention.self.query", hidden, hidden)?;
        // The divisor of the scores is folded into the weights of the query.
        let scale = 1.0 / (HEAD as f32).sqrt();
        weights.iter_mut().chain(&mut bias).for_each(|x| *x *= scale);
        for name in ["attention.self.key", "attention.self.value"] {
            let more = read(name, hidden, hidden)?;
            weights.extend(more.0);
            bias.extend(more.1);
        }
        Ok(Layer {
            attend: Linear::of(&weights, bias),
            attended: linear("attention.output.dense", hidden, hidden)?,
            attention_norm: norm(from, &named("attention.output.LayerNorm"), config)?,
            widen: linear("intermediate.dense", hidden, intermediate)?,
            narrow: linear("output.dense", intermediate, hidden)?,
            output_norm: norm(from, &named("output.LayerNorm"), config)?,
        })
    }

    #[inline(always)]
    fn forward<const FUSED: bool, const BLOCKS: usize>(&self, hidden: &mut [f32], texts: &[&[u32]], config: Config, stages: &mut Stages) {
        let width = config.hidden;
        let tokens = hidden.len() / width;
        let Stages { parts, seen, wide, change, attention, ready } = stages;
        parts.resize(tokens * 3 * width, 0.0);
        seen.resize(tokens * width, 0.0);
        wide.resize(tokens * config.intermediate, 0.0);
        change.resize(tokens * width, 0.0);

        self.attend.apply::<FUSED, BLOCKS>(hidden, ready, parts);
        let mut begin = 0;
        for text in texts {
            let end = begin + text.len();
            attention.look::<FUSED, BLOCKS>(&parts[begin * 3 * width..end * 3 * width], width, &mut seen[begin * width..end * width]);
            begin = end;
        }
        self.attended.apply::<FUSED, BLOCKS>(seen, ready, change);
        add(hidden, change);
        self.attention_norm.apply(hidden);

        self.widen.apply::<FUSED, BLOCKS>(hidden, ready, wide);
        activate::<FUSED>(wide);
        self.narrow.apply::<FUSED, BLOCKS>(wide, ready, change);
        add(hidden, change);
        self.output_norm.apply(hidden);
    }
}

fn norm(from: &Weights, name: &str, config: Config) -> Result<Norm> {
    let of = |part| from.numbers(&format!("{name}.{part}"), &[config.hidden]);
    Ok(Norm { weight: of("weight")?, bias: of("bias")?, epsilon: config.epsilon })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_processor_reads_the_same() {
        let layer = |inputs: usize, outputs: usize, seed: usize| {
            let weights: Vec<f32> = (0..inputs * outputs).map(|at| ((at * 7919 + seed) % 1000) as f32 / 1000.0 - 0.5).collect();
            Linear::of(&weights, vec![0.1; outputs])
        };
        let norm = || Norm { weight: vec![1.0; 64], bias: vec![0.1; 64], epsilon: 1e-12 };
        let network = Layer {
            attend: layer(64, 192, 1),
            attended: layer(64, 64, 2),
            attention_norm: norm(),
            widen: layer(64, 128, 3),
            narrow: layer(128, 64, 4),
            output_norm: norm(),
        };
        let config = Config { hidden: 64, intermediate: 128, layers: 1, heads: 2, vocabulary: 1, positions: 64, epsilon: 1e-12 };
        let texts = [&[0; 1][..], &[0; 40], &[0; 7]];
        let read: Vec<f32> = (0..48 * 64).map(|at| (at * 31 % 101) as f32 / 50.0 - 1.0).collect();
        let (mut paired, mut plain) = (read.clone(), read);
        network.forward::<true, 2>(&mut paired, &texts, config, &mut Stages::default());
        network.forward::<false, 1>(&mut plain, &texts, config, &mut Stages::default());
        assert!(paired.iter().zip(&plain).all(|(a, b)| a.is_finite() && (a - b).abs() < 1e-3));
    }
}
