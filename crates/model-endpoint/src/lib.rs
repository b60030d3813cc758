//! The only HTTP client: for a model server chosen by the person, Ollama or any with OpenAI's API, used for vectors or for answers.
//!
//! http only on this machine, https elsewhere; redirects are not followed, since they could send texts and key to another host; responses
//! are limited in size and requests in time.
//!
//! **Never here:** SQL, Tauri, the content of requests and the meaning of responses.

mod address;
mod chat;
mod client;
mod error;

pub use address::server;
pub use chat::{Chat, Reply};
pub use client::{Bounds, Client, Response};
pub use error::EndpointError;

/// API of the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Api {
    /// Ollama's.
    Ollama,
    /// OpenAI's, also offered by vLLM, llama.cpp, LM Studio and others.
    OpenAi,
}

/// Purpose of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Vectors: `POST /api/embed` or `POST /v1/embeddings`.
    Vectors,
    /// An answer: `POST /api/chat` or `POST /v1/chat/completions`.
    Chat,
}

/// A key for the server. It is never shown, not even by `Debug`.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Stores the key, trimmed.
    pub fn new(key: impl AsRef<str>) -> Secret {
        Secret(key.as_ref().trim().to_owned())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Secret(…)")
    }
}

/// A server and a model.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Address of the server, such as `http://localhost:11434`; with or without the path of the API.
    pub url: String,
    /// The model's name on the server.
    pub model: String,
    /// Its API.
    pub api: Api,
    /// Sent as a bearer token.
    pub key: Option<Secret>,
}

impl Endpoint {
    /// Names the model, such as `ollama:nomic-embed-text`.
    pub fn id(&self) -> String {
        let api = match self.api {
            Api::Ollama => "ollama",
            Api::OpenAi => "openai",
        };
        format!("{api}:{}", self.model)
    }
}
