//! The layers, one after the other.

use crate::bert::{Config, Reading};
use crate::int8::attention::{Attention, HEAD};
use crate::int8::linear::Linear;
use crate::int8::rows::{Norm, Quantized, TILE_ROWS, activate, add};
use crate::weights::{Rows, Weights};
use candle_core::Result;
use rayon::prelude::*;

/// The network. Immutable, so threads share it. The layers take 11 MB; the table of words stays in its file.
pub struct Bert {
    config: Config,
    words: Rows,
    /// Position and segment embeddings of each token; every text is one segment.
    places: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

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
    bytes: Quantized,
    parts: Vec<f32>,
    seen: Vec<f32>,
    wide: Vec<f32>,
    change: Vec<f32>,
    attention: Attention,
}

impl Bert {
    /// Reads the weights and makes bytes of them, about 30 ms.
    ///
    /// # Errors
    /// A missing tensor, or one of another shape, by its name.
    pub fn load(weights: &Weights, config: Config) -> Result<Bert> {
        let segments = weights.numbers("embeddings.token_type_embeddings.weight", &[2, config.hidden])?;
        let mut places = weights.numbers("embeddings.position_embeddings.weight", &[config.positions, config.hidden])?;
        for place in places.chunks_exact_mut(config.hidden) {
            place.iter_mut().zip(&segments).for_each(|(x, segment)| *x += segment);
        }
        Ok(Bert {
            words: weights.rows("embeddings.word_embeddings.weight", config.vocabulary, config.hidden)?,
            places,
            norm: norm(weights, "embeddings.LayerNorm", config)?,
            layers: (0..config.layers).into_par_iter().map(|number| Layer::load(weights, number, config)).collect::<Result<_>>()?,
            config,
        })
    }

    /// Bytes of the weights.
    pub fn bytes(&self) -> u64 {
        let layers = self.layers.iter().flat_map(|layer| [&layer.attend, &layer.attended, &layer.widen, &layer.narrow]);
        (size_of_val(self.places.as_slice()) + layers.map(Linear::bytes).sum::<usize>()) as u64
    }

    /// The tokens of each text, in one pass of one thread. `texts` are non-empty lists of token ids.
    ///
    /// # Errors
    /// If the file fails.
    pub fn read(&self, texts: &[&[u32]]) -> Result<Vec<Reading>> {
        let mut hidden = self.words.take(&texts.concat())?;
        let width = self.config.hidden;
        let mut rest = hidden.as_mut_slice();
        for text in texts {
            let (tokens, after) = rest.split_at_mut(text.len() * width);
            tokens.iter_mut().zip(&self.places).for_each(|(x, place)| *x += place);
            rest = after;
        }
        // SAFETY: there is a network of bytes only where they are supported.
        unsafe { self.forward(&mut hidden, texts) };
        let mut rest = hidden.as_slice();
        let reading = |text: &&[u32]| {
            let (tokens, after) = rest.split_at(text.len() * width);
            rest = after;
            tokens.to_vec()
        };
        Ok(texts.iter().map(reading).collect())
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn forward(&self, hidden: &mut [f32], texts: &[&[u32]]) {
        let mut stages = Stages::default();
        self.norm.apply(hidden);
        for layer in &self.layers {
            layer.forward(hidden, texts, self.config, &mut stages);
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

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn forward(&self, hidden: &mut [f32], texts: &[&[u32]], config: Config, stages: &mut Stages) {
        let width = config.hidden;
        let tokens = hidden.len() / width;
        let Stages { bytes, parts, seen, wide, change, attention } = stages;
        let whole = tokens.next_multiple_of(TILE_ROWS);
        parts.resize(whole * 3 * width, 0.0);
        seen.resize(tokens * width, 0.0);
        wide.resize(whole * config.intermediate, 0.0);
        change.resize(whole * width, 0.0);

        bytes.fill(hidden, width);
        self.attend.apply(bytes, parts);
        let mut begin = 0;
        for text in texts {
            let end = begin + text.len();
            attention.look(&parts[begin * 3 * width..end * 3 * width], width, &mut seen[begin * width..end * width]);
            begin = end;
        }
        bytes.fill(seen, width);
        self.attended.apply(bytes, change);
        add(hidden, change);
        self.attention_norm.apply(hidden);

        bytes.fill(hidden, width);
        self.widen.apply(bytes, wide);
        let used = &mut wide[..tokens * config.intermediate];
        activate(used);
        bytes.fill(used, config.intermediate);
        self.narrow.apply(bytes, change);
        add(hidden, change);
        self.output_norm.apply(hidden);
    }
}

fn norm(from: &Weights, name: &str, config: Config) -> Result<Norm> {
    let of = |part| from.numbers(&format!("{name}.{part}"), &[config.hidden]);
    Ok(Norm { weight: of("weight")?, bias: of("bias")?, epsilon: config.epsilon as f32 })
}
