//! The only entry point: texts in, vectors out, whatever the source.

use crate::endpoint::Client;
use crate::error::EmbedError;
use crate::fit::Fit;
use crate::late::{TokenVectors, Wanted};
use crate::minilm::MiniLm;
use crate::models;
use crate::role::Role;
use model_endpoint::{Endpoint, EndpointError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Texts embedded at once, between two progress reports.
const BATCH: usize = 256;

/// Source of the vectors.
#[derive(Clone, Debug, Default)]
pub enum Source {
    /// all-MiniLM-L6-v2 in this process.
    #[default]
    Bundled,
    /// A server chosen by the person.
    Endpoint(Endpoint),
}

/// Computes vectors from texts. Shared by threads; the weights are read once, for the first text.
pub struct Embedder {
    id: String,
    made_by: MadeBy,
}

enum MadeBy {
    Bundled { loaded: Mutex<Loaded> },
    Endpoint(Client),
}

/// The model in memory. Failure is not cached: a model that is installed later is found.
#[derive(Default)]
struct Loaded {
    model: Option<Arc<MiniLm>>,
    /// When a question was embedded last: whoever asks will ask again.
    asked: Option<Instant>,
}

/// The vector of a text, and those of its tokens if available.
pub type WithTokens = (Vec<f32>, Option<TokenVectors>);

impl Embedder {
    /// Cheap: reads nothing and contacts nobody.
    pub fn new(source: Source) -> Embedder {
        match source {
            Source::Bundled => Embedder { id: models::NAME.to_owned(), made_by: MadeBy::Bundled { loaded: Mutex::default() } },
            Source::Endpoint(endpoint) => Embedder { id: endpoint.id(), made_by: MadeBy::Endpoint(Client::new(endpoint)) },
        }
    }

    /// Id of the source of a vector; vectors of different ids must not be compared.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Vector dimension; for an endpoint `None` before its first response.
    pub fn dimension(&self) -> Option<usize> {
        match &self.made_by {
            MadeBy::Bundled { .. } => Some(models::DIMENSION),
            MadeBy::Endpoint(client) => client.dimension(),
        }
    }

    /// Whether [`Embedder::embed`] can be expected to work, without loading or contacting anything.
    ///
    /// # Errors
    /// The error `embed` would return: [`EmbedError::Missing`] or [`EmbedError::Named`] if bundled, else [`EmbedError::Endpoint`].
    pub fn available(&self) -> Result<(), EmbedError> {
        match &self.made_by {
            MadeBy::Bundled { .. } => models::find().map(|_| ()),
            MadeBy::Endpoint(client) => client.check(),
        }
    }

    /// Whether the model that a person named is there: one that is merely not installed is not an error here.
    ///
    /// # Errors
    /// [`EmbedError::Named`].
    pub fn is_as_named(&self) -> Result<(), EmbedError> {
        self.available().or_else(|fault| if fault.is_a_mistake() { Err(fault) } else { Ok(()) })
    }

    /// Embeds a word, and answers where that was done: the folder of the bundled model, or the address of an endpoint. Blocks as
    /// [`Embedder::embed`].
    ///
    /// # Errors
    /// As for [`Embedder::embed`].
    pub fn try_out(&self) -> Result<String, EmbedError> {
        self.embed(&["ralph"], Role::Document)?;
        match &self.made_by {
            MadeBy::Bundled { .. } => Ok(models::find()?.display().to_string()),
            MadeBy::Endpoint(client) => Ok(client.address().to_owned()),
        }
    }

    /// Bytes of weights that this process holds now: 0 before the first text, and for an endpoint.
    pub fn resident_bytes(&self) -> u64 {
        match &self.made_by {
            MadeBy::Bundled { loaded, .. } => {
                loaded.lock().unwrap_or_else(PoisonError::into_inner).model.as_ref().map_or(0, |model| model.bytes())
            }
            MadeBy::Endpoint(_) => 0,
        }
    }

    /// Lets go of the model, unless a question was embedded within `unasked`: a process that only waits need not hold some thirty
    /// megabytes. The next text reads it again, in about 0.1 s.
    pub fn rest(&self, unasked: Duration) {
        if let MadeBy::Bundled { loaded, .. } = &self.made_by {
            let mut loaded = loaded.lock().unwrap_or_else(PoisonError::into_inner);
            if loaded.asked.is_none_or(|asked| asked.elapsed() >= unasked) {
                *loaded = Loaded::default();
            }
        }
    }

    /// One vector of length 1 per text, in order. An empty text is allowed; of a long one only the beginning counts
    /// (256 tokens in the bundled model). Blocks: milliseconds for a short text, all cores for many, an endpoint's time for an endpoint.
    ///
    /// # Errors
    /// [`EmbedError`]; a failing text fails the whole call.
    pub fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        match &self.made_by {
            MadeBy::Bundled { loaded } => model(loaded, role)?.embed(texts),
            MadeBy::Endpoint(client) => client.embed(texts, role),
        }
    }

    /// The result of [`Embedder::embed`], and the vectors of those tokens that are `wanted` (a token that continues a word
    /// begins with `##`). An endpoint provides no token vectors: `None`.
    ///
    /// # Errors
    /// As for [`Embedder::embed`].
    pub fn embed_tokens(&self, texts: &[&str], role: Role, wanted: &Wanted<'_>) -> Result<Vec<WithTokens>, EmbedError> {
        match &self.made_by {
            _ if texts.is_empty() => Ok(Vec::new()),
            MadeBy::Bundled { loaded } => {
                let made = model(loaded, role)?.embed_tokens(texts, wanted)?;
                Ok(made.into_iter().map(|(vector, tokens)| (vector, Some(tokens))).collect())
            }
            MadeBy::Endpoint(client) => Ok(client.embed(texts, role)?.into_iter().map(|vector| (vector, None)).collect()),
        }
    }

    /// The projection that preserves most of the bundled model's token vectors on these texts, in the format of `projection.bin`.
    ///
    /// # Errors
    /// As for [`Embedder::embed`], and [`EmbedError::Endpoint`] for an endpoint, which provides no tokens.
    pub fn fit_projection(&self, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let MadeBy::Bundled { loaded } = &self.made_by else {
            return Err(EndpointError::Address { url: self.id.clone(), why: "only the bundled model gives the vectors of tokens" }.into());
        };
        let model = model(loaded, Role::Document)?;
        let mut fit = Fit::default();
        for text in texts {
            model.whole_tokens(text)?.iter().for_each(|token| fit.add(token));
        }
        Ok(fit.projection())
    }

    /// Whether [`Embedder::embed_tokens`] provides token vectors.
    pub fn gives_tokens(&self) -> bool {
        matches!(self.made_by, MadeBy::Bundled { .. })
    }

    /// The vectors of texts, each distinct text embedded once, as a document. `progress` receives the current step.
    ///
    /// # Errors
    /// [`EmbedError`]; a failing text fails the whole call.
    pub fn embed_distinct<'t>(&self, texts: &[&'t str], progress: &dyn Fn(&str)) -> Result<HashMap<&'t str, Vec<f32>>, EmbedError> {
        let mut distinct: Vec<&str> = texts.to_vec();
        // Texts of similar length together: a batch is as slow as its longest.
        distinct.sort_unstable_by_key(|text| (text.len(), *text));
        distinct.dedup();
        let mut vectors = HashMap::with_capacity(distinct.len());
        for (number, batch) in distinct.chunks(BATCH).enumerate() {
            progress(&format!("embedding {} of {} texts", number * BATCH, distinct.len()));
            vectors.extend(batch.iter().copied().zip(self.embed(batch, Role::Document)?));
        }
        Ok(vectors)
    }
}

/// Cosine of two vectors of length 1.
pub fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
}

fn model(loaded: &Mutex<Loaded>, role: Role) -> Result<Arc<MiniLm>, EmbedError> {
    let mut loaded = loaded.lock().unwrap_or_else(PoisonError::into_inner);
    if role == Role::Query {
        loaded.asked = Some(Instant::now());
    }
    if let Some(model) = &loaded.model {
        return Ok(Arc::clone(model));
    }
    let model = Arc::new(MiniLm::load(&models::find()?)?);
    loaded.model = Some(Arc::clone(&model));
    Ok(model)
}
