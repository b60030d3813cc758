//! The BERT encoder as all-MiniLM-L6-v2 uses it: six layers, 384 wide, mean over the tokens.

use crate::gelu::Gelu;
use candle_core::{D, Device, IndexOp, Result, Tensor};
use candle_nn::{LayerNorm, Linear, Module, VarBuilder};

/// Shape of the model, from its `config.json`.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Length of a vector.
    pub hidden: usize,
    /// Width inside the feed-forward part.
    pub intermediate: usize,
    /// Layers, one after another.
    pub layers: usize,
    /// Parts that look at a text side by side.
    pub heads: usize,
    /// Tokens that the tokenizer knows.
    pub vocabulary: usize,
    /// Longest text in tokens.
    pub positions: usize,
    /// Keeps the normalisation from dividing by zero.
    pub epsilon: f64,
}

/// The network. Immutable, so threads share it.
pub struct Bert {
    words: Tensor,
    /// Position and segment of each token; every text is one segment.
    places: Tensor,
    norm: LayerNorm,
    layers: Vec<Layer>,
    hidden: usize,
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

impl Bert {
    /// Takes the weights out of `from`.
    ///
    /// # Errors
    /// A missing tensor, or one of another shape, by its name.
    pub fn load(from: &VarBuilder, config: Config) -> Result<Bert> {
        let embeddings = from.pp("embeddings");
        let segments = embeddings.get((2, config.hidden), "token_type_embeddings.weight")?;
        let positions = embeddings.get((config.positions, config.hidden), "position_embeddings.weight")?;
        let layers = (0..config.layers).map(|at| Layer::load(&from.pp(format!("encoder.layer.{at}")), config));
        Ok(Bert {
            words: embeddings.get((config.vocabulary, config.hidden), "word_embeddings.weight")?,
            places: positions.broadcast_add(&segments.i(0)?)?,
            norm: normalise(&embeddings.pp("LayerNorm"), config)?,
            layers: layers.collect::<Result<_>>()?,
            hidden: config.hidden,
        })
    }

    /// One vector per text: the mean over its tokens, scaled to length 1. `texts` are token ids, none of them empty; shorter ones
    /// are filled up and what was filled in is masked, so a text's vector does not depend on its neighbours.
    ///
    /// # Errors
    /// When memory or a shape fails.
    pub fn embed(&self, texts: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        let longest = texts.iter().map(|ids| ids.len()).max().unwrap_or(0);
        let shape = (texts.len(), longest);
        let mut ids = Vec::with_capacity(shape.0 * shape.1);
        let mut counts = Vec::with_capacity(shape.0 * shape.1);
        for text in texts {
            ids.extend(text.iter().copied().chain(std::iter::repeat(0)).take(longest));
            counts.extend((0..longest).map(|at| if at < text.len() { 1.0_f32 } else { 0.0 }));
        }
        let filled = texts.iter().any(|text| text.len() < longest);
        let counts = Tensor::from_vec(counts, (shape.0, 1, shape.1), &Device::Cpu)?;
        // Added to the scores before the softmax: nothing where a token stands, far below where none does.
        let mask = if filled { Some(((&counts - 1.0)? * f64::from(f32::MAX))?.unsqueeze(1)?) } else { None };

        let mut hidden = self.words.embedding(&Tensor::from_vec(ids, shape.0 * shape.1, &Device::Cpu)?)?;
        let places = self.places.narrow(0, 0, longest)?;
        hidden = hidden.reshape((shape.0, shape.1, self.hidden))?.broadcast_add(&places)?.reshape((shape.0 * shape.1, self.hidden))?;
        hidden = self.norm.forward(&hidden)?;
        for layer in &self.layers {
            hidden = layer.forward(&hidden, shape, mask.as_ref())?;
        }
        let sums = counts.matmul(&hidden.reshape((shape.0, shape.1, self.hidden))?)?.squeeze(1)?;
        // The mean and the sum have the same direction, so scaling to length 1 makes dividing by the count superfluous.
        let lengths = sums.sqr()?.sum_keepdim(D::Minus1)?.sqrt()?;
        sums.broadcast_div(&lengths)?.to_vec2()
    }
}

impl Layer {
    fn load(from: &VarBuilder, config: Config) -> Result<Layer> {
        let Config { hidden, intermediate, .. } = config;
        let linear = |name: &str, input, output| -> Result<(Tensor, Tensor)> {
            let at = from.pp(name);
            Ok((at.get((output, input), "weight")?, at.get(output, "bias")?))
        };
        let whole = |(weight, bias)| Linear::new(weight, Some(bias));
        // The scores' divisor is folded into the weights of the query.
        let scale = 1.0 / (f64::from(u32::try_from(hidden / config.heads).unwrap_or(u32::MAX))).sqrt();
        let (query, query_bias) = linear("attention.self.query", hidden, hidden)?;
        let (key, key_bias) = linear("attention.self.key", hidden, hidden)?;
        let (value, value_bias) = linear("attention.self.value", hidden, hidden)?;
        let weight = Tensor::cat(&[&(query * scale)?, &key, &value], 0)?;
        let bias = Tensor::cat(&[&(query_bias * scale)?, &key_bias, &value_bias], 0)?;
        Ok(Layer {
            attend: Linear::new(weight, Some(bias)),
            attended: whole(linear("attention.output.dense", hidden, hidden)?),
            attention_norm: normalise(&from.pp("attention.output.LayerNorm"), config)?,
            widen: whole(linear("intermediate.dense", hidden, intermediate)?),
            narrow: whole(linear("output.dense", intermediate, hidden)?),
            output_norm: normalise(&from.pp("output.LayerNorm"), config)?,
            heads: config.heads,
        })
    }

    /// `hidden` is (texts × tokens, width); `mask` is (texts, 1, 1, tokens).
    fn forward(&self, hidden: &Tensor, (texts, tokens): (usize, usize), mask: Option<&Tensor>) -> Result<Tensor> {
        let width = hidden.dim(1)?;
        let parts = self.attend.forward(hidden)?.reshape((texts, tokens, 3, self.heads, width / self.heads))?;
        let parts = parts.permute((2, 0, 3, 1, 4))?.contiguous()?;
        let scores = parts.i(0)?.matmul(&parts.i(1)?.t()?)?;
        let scores = match mask {
            Some(mask) => scores.broadcast_add(mask)?,
            None => scores,
        };
        let seen = candle_nn::ops::softmax_last_dim(&scores)?.matmul(&parts.i(2)?)?;
        let seen = seen.transpose(1, 2)?.reshape((texts * tokens, width))?;
        let hidden = self.attention_norm.forward(&(self.attended.forward(&seen)? + hidden)?)?;
        let wide = self.widen.forward(&hidden)?;
        wide.inplace_op1(&Gelu)?;
        self.output_norm.forward(&(self.narrow.forward(&wide)? + hidden)?)
    }
}

fn normalise(from: &VarBuilder, config: Config) -> Result<LayerNorm> {
    Ok(LayerNorm::new(from.get(config.hidden, "weight")?, from.get(config.hidden, "bias")?, config.epsilon))
}
