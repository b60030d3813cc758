//! Text to vector: all-MiniLM-L6-v2 in this process, or an endpoint of the person's own.
//!
//! Making an [`Embedder`] costs nothing; the weights are read at the first text. Vectors have length 1, so that their dot product is
//! the cosine. Nothing is fetched from the network except by a chosen endpoint.
//!
//! **Never here:** SQL, Tauri, what the texts mean, thresholds on similarity.

mod bert;
mod embedder;
mod endpoint;
mod error;
mod fit;
mod gelu;
mod late;
mod minilm;
mod models;
mod role;
#[cfg(test)]
mod tests;
mod weights;

pub use embedder::{Embedder, Source, WithTokens, dot};
pub use error::{EmbedError, Wrong};
pub use late::{TOKEN_NUMBERS, TokenVectors};
pub use model_endpoint::{Api, Endpoint, Secret};
pub use role::Role;
