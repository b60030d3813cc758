//! The one door: texts in, vectors out, whatever makes them.

use crate::error::EmbedError;
use crate::minilm::{self, MiniLm};
use crate::models;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// What a text is for. Some models want to be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It is looked up.
    Query,
    /// It is found.
    Document,
}

/// What makes the vectors.
#[derive(Clone, Debug, Default)]
pub enum Source {
    /// all-MiniLM-L6-v2 in this process.
    #[default]
    Bundled,
}

/// Makes vectors from texts. Threads share one; the weights are read once, at the first text.
pub struct Embedder {
    source: Source,
    models: Option<PathBuf>,
    id: String,
    // Failure is not kept: a model that is installed later is found.
    loaded: Mutex<Option<Arc<MiniLm>>>,
}

impl Embedder {
    /// Costs nothing: nothing is read and nothing is asked.
    pub fn new(source: Source) -> Embedder {
        Embedder { source, models: None, id: models::NAME.to_owned(), loaded: Mutex::new(None) }
    }

    /// Looks for the bundled model below `folder` too, as a shell knows it that keeps its resources in a place of its own.
    #[must_use]
    pub fn with_models(mut self, folder: impl Into<PathBuf>) -> Embedder {
        self.models = Some(folder.into());
        self
    }

    /// Names what made a vector; vectors of different ids must not be compared.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Length of a vector, when it is known before the first one.
    pub fn dimension(&self) -> Option<usize> {
        match self.source {
            Source::Bundled => Some(minilm::DIMENSION),
        }
    }

    /// Whether [`Embedder::embed`] can be expected to work, without loading or asking anything.
    ///
    /// # Errors
    /// What `embed` would answer: [`EmbedError::Missing`] for the bundled model.
    pub fn available(&self) -> Result<(), EmbedError> {
        match self.source {
            Source::Bundled => models::find(self.models.as_deref()).map(|_| ()),
        }
    }

    /// Bytes of weights that are in memory now; 0 before the first text.
    pub fn resident_bytes(&self) -> u64 {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(0, |model| model.bytes())
    }

    /// One vector of length 1 per text, in the order of the texts. A text beyond 256 tokens counts with its beginning; an empty one
    /// is allowed. Blocks: milliseconds for one short text, and all cores for many.
    ///
    /// # Errors
    /// [`EmbedError`]; one text that fails fails the call.
    pub fn embed(&self, texts: &[&str], _role: Role) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        match self.source {
            Source::Bundled => self.model()?.embed(texts),
        }
    }

    fn model(&self) -> Result<Arc<MiniLm>, EmbedError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = loaded.as_ref() {
            return Ok(Arc::clone(model));
        }
        let model = Arc::new(MiniLm::load(&models::find(self.models.as_deref())?)?);
        *loaded = Some(Arc::clone(&model));
        Ok(model)
    }
}
