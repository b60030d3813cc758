//! The BERT encoder as all-MiniLM-L6-v2 uses it: six layers, 384 wide, mean over the tokens.

use crate::gelu::Gelu;
use crate::weights::{Rows, Weights};
use candle_core::{Device, IndexOp, Result, Tensor};
use candle_nn::{LayerNorm, Linear, Module};

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
    pub epsilon: f64,
}

/// The network. Immutable, so threads share it. Its large tables stay in their file, and a layer is read each time it is needed: that
/// takes two milliseconds from the system's cache, and embedding does not increase the size of the process.
pub struct Bert {
    weights: Weights,
    config: Config,
    words: Rows,
    /// Position and segment embeddings of each token; every text is one segment.
    places: Tensor,
    norm: LayerNorm,
}

/// The vectors of a text's tokens, one after the other, not normalized.
pub type Reading = Vec<f32>;

/// Start and length of each text of a pass, in tokens.
type Spans = Vec<(usize, usize)>;

impl Bert {
    /// Reads the weights from `weights`; each tensor is accessed once.
    ///
    /// # Errors
    /// A missing tensor, or one of another shape, by its name.
    pub fn load(weights: Weights, config: Config) -> Result<Bert> {
        let segments = weights.tensor("embeddings.token_type_embeddings.weight", &[2, config.hidden])?;
        let positions = weights.tensor("embeddings.position_embeddings.weight", &[config.positions, config.hidden])?;
        for number in 0..config.layers {
            Layer::load(&weights, number, config)?;
        }
        Ok(Bert {
            words: weights.rows("embeddings.word_embeddings.weight", config.vocabulary, config.hidden)?,
            places: positions.broadcast_add(&segments.i(0)?)?,
            norm: normalise(&weights, "embeddings.LayerNorm", config)?,
            config,
            weights,
        })
    }

    /// Bytes of the weights that stay in memory.
    pub fn bytes(&self) -> u64 {
        (self.places.elem_count() * size_of::<f32>()) as u64
    }

    /// The tokens of each text, in one pass of all cores. `texts` are non-empty lists of token ids. What is read of a text is independent
    /// of the others.
    ///
    /// # Errors
    /// If memory, a shape or the file fails.
    pub fn read(&self, texts: &[&[u32]]) -> Result<Vec<Reading>> {
        let begins = texts.iter().scan(0, |end, text| Some(std::mem::replace(end, *end + text.len())));
        let spans: Spans = begins.zip(texts.iter().map(|text| text.len())).collect();
        let places = spans.iter().map(|&(_, length)| self.places.narrow(0, 0, length)).collect::<Result<Vec<_>>>()?;
        let ids = texts.concat();
        let words = Tensor::from_vec(self.words.take(&ids)?, (ids.len(), self.config.hidden), &Device::Cpu)?;
        let mut hidden = self.norm.forward(&(words + Tensor::cat(&places, 0)?)?)?;
        for number in 0..self.config.layers {
            hidden = Layer::load(&self.weights, number, self.config)?.forward(&hidden, &spans)?;
        }
        spans.iter().map(|&(begin, length)| hidden.narrow(0, begin, length)?.flatten_all()?.to_vec1()).collect()
    }
}

struct Layer {
    /// Query, key and value as one product.
    attend: Linear,
    attended: Linear,
    attention_norm: LayerNorm,
    widen: Linear,
    narrow: Linear,
    output_norm: LayerNorm,
    heads: usize,
}

impl Layer {
    fn load(from: &Weights, number: usize, config: Config) -> Result<Layer> {
        let Config { hidden, intermediate, .. } = config;
        let named = |name: &str| format!("encoder.layer.{number}.{name}");
        let linear = |name: &str, input, output| -> Result<(Tensor, Tensor)> {
            Ok((
                from.tensor(&named(&format!("{name}.weight")), &[output, input])?,
                from.tensor(&named(&format!("{name}.bias")), &[output])?,
            ))
        };
        let whole = |(weight, bias)| Linear::new(weight, Some(bias));
        // The divisor of the scores is folded into the weights of the query.
        let scale = 1.0 / (f64::from(u32::try_from(hidden / config.heads).unwrap_or(u32::MAX))).sqrt();
        let (query, query_bias) = linear("attention.self.query", hidden, hidden)?;
        let (key, key_bias) = linear("attention.self.key", hidden, hidden)?;
        let (value, value_bias) = linear("attention.self.value", hidden, hidden)?;
        let weight = Tensor::cat(&[&(query * scale)?, &key, &value], 0)?;
        let bias = Tensor::cat(&[&(query_bias * scale)?, &key_bias, &value_bias], 0)?;
        Ok(Layer {
            attend: Linear::new(weight, Some(bias)),
            attended: whole(linear("attention.output.dense", hidden, hidden)?),
            attention_norm: normalise(from, &named("attention.output.LayerNorm"), config)?,
            widen: whole(linear("intermediate.dense", hidden, intermediate)?),
            narrow: whole(linear("output.dense", intermediate, hidden)?),
            output_norm: normalise(from, &named("output.LayerNorm"), config)?,
            heads: config.heads,
        })
    }

    /// `hidden` is (tokens of all texts, width).
    fn forward(&self, hidden: &Tensor, spans: &Spans) -> Result<Tensor> {
        let parts = self.attend.forward(hidden)?;
        let seen = spans.iter().map(|&(begin, length)| self.look(&parts.narrow(0, begin, length)?)).collect::<Result<Vec<_>>>()?;
        drop(parts);
        let seen = Tensor::cat(&seen, 0)?;
        let hidden = self.attention_norm.forward(&(self.attended.forward(&seen)? + hidden)?)?;
        let wide = self.widen.forward(&hidden)?;
        wide.inplace_op1(&Gelu)?;
        self.output_norm.forward(&(self.narrow.forward(&wide)? + hidden)?)
    }

    /// Attention within one text; `parts` are its queries, keys and values side by side.
    fn look(&self, parts: &Tensor) -> Result<Tensor> {
        let (tokens, width) = (parts.dim(0)?, parts.dim(1)? / 3);
        let parts = parts.reshape((tokens, 3, self.heads, width / self.heads))?.permute((1, 2, 0, 3))?.contiguous()?;
        let scores = parts.i(0)?.matmul(&parts.i(1)?.t()?)?;
        let seen = candle_nn::ops::softmax_last_dim(&scores)?.matmul(&parts.i(2)?)?;
        seen.transpose(0, 1)?.reshape((tokens, width))
    }
}

fn normalise(from: &Weights, name: &str, config: Config) -> Result<LayerNorm> {
    let of = |part| from.tensor(&format!("{name}.{part}"), &[config.hidden]);
    Ok(LayerNorm::new(of("weight")?, of("bias")?, config.epsilon))
}
