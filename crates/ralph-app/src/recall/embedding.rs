//! The embedding model, and computing missing vectors. Missing ones are found from state, so any process may compute them.

use crate::app::App;
use crate::cache::keep;
use crate::error::Result;
use crate::keys::key_for;
use crate::recall::texts::made_of;
use ralph_core::recall::{EmbeddingSource, IndexState};
use ralph_core::settings::Settings;
use std::sync::Arc;
use text_embed::{Api, Embedder, Endpoint, Source};

/// Holds the key of an endpoint that requires one, if the keyring has none: a key must not be in a file that is committed.
const KEY_VARIABLE: &str = "RALPH_EMBEDDING_KEY";
/// Why nothing is sent to an endpoint.
pub(crate) const WAITS: &str = "the address in embedding_url waits for your yes: `ralph trust` shows it";
/// Passages embedded per commit: a second's work, so that little is lost and progress is visible.
const BATCH: u32 = 64;

impl App {
    /// The configured embedder; cached until the settings change, since it keeps its weights.
    pub(crate) fn embedder(&self) -> Result<Arc<Embedder>> {
        self.embedder_of(&self.settings()?)
    }

    /// The same for the settings of a run.
    pub(crate) fn embedder_of(&self, settings: &Settings) -> Result<Arc<Embedder>> {
        let wanted = (settings.embedding, settings.embedding_model.clone(), settings.embedding_url.clone());
        keep(&self.embedder, wanted, |_| Ok(Embedder::new(source(settings))))
    }

    /// Whether the configured endpoint awaits agreement: until then nothing is sent to it, and search falls back to words.
    pub(crate) fn embedding_waits(&self) -> Result<bool> {
        let settings = self.kept_settings()?;
        Ok(settings.written.embedding != settings.in_force.embedding)
    }

    /// Progress of the index.
    pub fn index_state(&self) -> Result<IndexState> {
        let embedder = self.embedder()?;
        let (passages, embedded) = self.db.read(|r| r.vector_counts(embedder.id()))?;
        Ok(IndexState {
            model: embedder.id().to_owned(),
            fault: if self.embedding_waits()? { Some(WAITS.to_owned()) } else { embedder.available().err().map(|e| e.to_string()) },
            dimension: embedder.dimension().map(|d| d as u32),
            passages,
            embedded,
            vector_mib: mib(self.index_bytes() as u64),
            model_mib: mib(embedder.resident_bytes()),
        })
    }

    /// Computes vectors for one batch of passages without one of the current model. Returns the number of passages left without one, which
    /// is 0 while there may be more work that search can do without; `None` = done.
    pub fn embed_passages(&self) -> Result<Option<u32>> {
        if self.embedding_waits()? {
            return Ok(None);
        }
        let embedder = self.embedder()?;
        self.outdate_vectors_of_another_dimension(&embedder)?;
        let pending = self.db.read(|r| r.passages_without_vector(embedder.id(), BATCH))?;
        if pending.is_empty() {
            return Ok(self.embed_the_rest(&embedder)?.then_some(0));
        }
        self.embed(&embedder, &pending)?;
        Ok(Some(self.db.read(|r| r.vectors_missing(embedder.id()))?))
    }

    /// A server may have put another model behind the same name: its vectors can't be compared with those it made before.
    fn outdate_vectors_of_another_dimension(&self, embedder: &Embedder) -> Result<()> {
        let Some(stored) = self.db.read(|r| r.vector_dimension(embedder.id()))? else { return Ok(()) };
        if embedder.dimension().is_some_and(|dimension| dimension != stored as usize) {
            self.write(|tx| Ok(tx.outdate_vectors(embedder.id())?))?;
        }
        Ok(())
    }

    /// Computes one batch of what search can do without: token vectors, for projects older than these,
    /// and vectors of the tasks in which something was learned. Returns whether there may be more.
    fn embed_the_rest(&self, embedder: &Embedder) -> Result<bool> {
        let stories = self.db.read(|r| r.stories_without_vector(embedder.id(), BATCH))?;
        let texts: Vec<&str> = stories.iter().map(|(_, text)| text.as_str()).collect();
        let made = made_of(&self.db, embedder, &texts, false)?;
        if !made.is_empty() {
            self.write(|tx| {
                let mut all = stories.iter().zip(&made);
                Ok(all.try_for_each(|((task, _), (_, made))| tx.set_story_vector(*task, embedder.id(), &made.vector))?)
            })?;
        }
        if !embedder.gives_tokens() {
            return Ok(!stories.is_empty());
        }
        let pending = self.db.read(|r| r.passages_without_tokens(embedder.id(), BATCH))?;
        self.embed(embedder, &pending)?;
        Ok(!pending.is_empty() || !stories.is_empty())
    }

    fn embed(&self, embedder: &Embedder, pending: &[(i64, String)]) -> Result<()> {
        let texts: Vec<&str> = pending.iter().map(|(_, text)| text.as_str()).collect();
        let made = made_of(&self.db, embedder, &texts, true)?;
        if made.is_empty() {
            return Ok(());
        }
        self.write(|tx| {
            for ((row, _), (hash, made)) in pending.iter().zip(&made) {
                tx.set_text_vector(*row, embedder.id(), hash, made)?;
            }
            Ok(tx.forget_text_vectors()?)
        })
    }
}

fn source(settings: &Settings) -> Source {
    let endpoint = |api| {
        Source::Endpoint(Endpoint {
            url: settings.embedding_url.clone(),
            model: settings.embedding_model.clone(),
            api,
            key: key_for(&settings.embedding_url, KEY_VARIABLE),
        })
    };
    match settings.embedding {
        EmbeddingSource::Bundled => Source::Bundled,
        EmbeddingSource::Ollama => endpoint(Api::Ollama),
        EmbeddingSource::Openai => endpoint(Api::OpenAi),
    }
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
