//! A server chosen by the person: Ollama, or any with OpenAI's embeddings API.

mod answer;
#[cfg(test)]
mod tests;

use crate::error::EmbedError;
use crate::error::Wrong;
use crate::role::Role;
use model_endpoint::{Bounds, Endpoint, Purpose};
use std::sync::OnceLock;
use std::time::Duration;

/// Texts per request. More gain nothing, and a failed request is retried as a whole.
const TEXTS: usize = 64;

/// Maximum bytes of a text. A token has at least one byte, so this stays within OpenAI's limit of 8,192 tokens.
const BYTES: usize = 8 * 1024;

/// 64 vectors of 4,096 numbers take about 6 MB as JSON; Ollama reads a large model from disk at the first request.
const BOUNDS: Bounds = Bounds { answer: 32 * 1024 * 1024, request: Duration::from_secs(120) };

/// Replaces a blank text, because servers reject empty ones.
const BLANK: &str = ".";

/// A client of one endpoint.
pub struct Client {
    client: model_endpoint::Client,
    /// Vector dimension, from the first response; a server that changes it has changed the model.
    dimension: OnceLock<usize>,
}

impl Client {
    /// Sends nothing yet.
    pub fn new(endpoint: Endpoint) -> Client {
        Client { client: model_endpoint::Client::new(endpoint, Purpose::Vectors, BOUNDS), dimension: OnceLock::new() }
    }

    /// Vector dimension, once known.
    pub fn dimension(&self) -> Option<usize> {
        self.dimension.get().copied()
    }

    /// The server's address, as the person named it.
    pub fn address(&self) -> &str {
        &self.client.endpoint().url
    }

    /// Whether address and key are usable; the server is not contacted.
    ///
    /// # Errors
    /// [`EmbedError::Endpoint`].
    pub fn check(&self) -> Result<(), EmbedError> {
        Ok(self.client.check()?)
    }

    /// One vector of length 1 per text, in order.
    ///
    /// # Errors
    /// [`EmbedError::Endpoint`] and [`EmbedError::Answer`].
    pub fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<Vec<f32>>, EmbedError> {
        let Endpoint { model, api, .. } = self.client.endpoint();
        let mut vectors = Vec::with_capacity(texts.len());
        for part in texts.chunks(TEXTS) {
            let input: Vec<String> = part.iter().map(|text| prepared(model, role, text)).collect();
            let answered = self.client.post(&serde_json::json!({ "model": model, "input": input }))?;
            let wrong = |why| EmbedError::Answer { url: answered.url.clone(), why };
            let part = answer::vectors(*api, &answered.body, input.len()).map_err(wrong)?;
            for vector in &part {
                let known = *self.dimension.get_or_init(|| vector.len());
                if vector.len() != known {
                    return Err(wrong(Wrong::Dimension { known, found: vector.len() }));
                }
            }
            vectors.extend(part);
        }
        Ok(vectors)
    }
}

/// The text in the model's format. Nomic models were trained with a prefix for the role.
fn prepared(model: &str, role: Role, text: &str) -> String {
    let prefix = match role {
        _ if !model.starts_with("nomic-embed-text") => "",
        Role::Query => "search_query: ",
        Role::Document => "search_document: ",
    };
    let text = &text[..text.floor_char_boundary(BYTES)];
    let text = if text.trim().is_empty() { BLANK } else { text };
    format!("{prefix}{text}")
}
