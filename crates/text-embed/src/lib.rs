//! Text to vector: all-MiniLM-L6-v2 in this process, or an endpoint chosen by the person.
//!
//! Creating an [`Embedder`] is cheap; the weights are read for the first text. Vectors have length 1, so that their dot product is
//! the cosine. The network is used only for a chosen endpoint.
//!
//! **Never here:** SQL, Tauri, what the texts mean, thresholds on similarity.

mod attention;
mod bert;
mod embedder;
mod endpoint;
mod error;
mod fit;
mod gelu;
mod late;
mod linear;
mod minilm;
mod models;
mod role;
mod rows;
#[cfg(test)]
mod tests;
mod weights;

pub use embedder::{Embedder, Source, WithTokens, dot};
pub use error::{EmbedError, Wrong};
pub use late::{TOKEN_NUMBERS, TokenVectors};
pub use model_endpoint::{Api, Endpoint, Secret};
pub use role::Role;
