//! The only HTTP: a model server that the person chose, Ollama or anything that speaks OpenAI's API, asked for vectors or for an answer.
//!
//! http only on this machine, https elsewhere; no redirection is followed, since it could carry texts and key to another host; an answer has
//! a bound and a request a time.
//!
//! **Never here:** SQL, Tauri, what is asked and what an answer means.

mod address;
mod chat;
mod client;
mod error;

pub use chat::{Chat, Reply};
pub use client::{Bounds, Client, Response};
pub use error::EndpointError;

/// How the server wants to be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Api {
    /// Ollama's own.
    Ollama,
    /// As OpenAI, vLLM, llama.cpp, LM Studio and others have it.
    OpenAi,
}

/// What a server is asked for.
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
    /// Takes the key as the person gave it; blanks around it are dropped.
    pub fn new(key: impl AsRef<str>) -> Secret {
        Secret(key.as_ref().trim().to_owned())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Secret(…)")
    }
}

/// Where to ask for which model.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Address of the server, such as `http://localhost:11434`; with or without the path of the API.
    pub url: String,
    /// The model as the server names it.
    pub model: String,
    /// How to ask.
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
