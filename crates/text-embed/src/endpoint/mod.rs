//! A server that the person chose: Ollama, or anything that speaks OpenAI's API for embeddings.

mod address;
mod answer;
#[cfg(test)]
mod tests;

use crate::error::EmbedError;
use crate::error::Wrong;
use crate::role::Role;
use std::sync::OnceLock;
use std::time::Duration;
use ureq::http::HeaderValue;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Proxy};

/// Texts in one request. More gain nothing, and a request that fails is asked again as a whole.
const TEXTS: usize = 64;

/// Bytes of a text that are sent. A token has at least one byte, so this stays within the 8,192 tokens that OpenAI refuses to exceed.
const BYTES: usize = 8 * 1024;

/// Bytes of an answer that are read: 64 vectors of 4,096 numbers take about 6 MB as JSON.
const ANSWER: u64 = 32 * 1024 * 1024;

/// Bytes of a refusal that are read, to tell its reason.
const REFUSAL: u64 = 4 * 1024;

/// A server that does not take a connection in this time is taken for absent.
const CONNECT: Duration = Duration::from_secs(5);

/// Longest time for one request: Ollama reads a large model from disk at the first one.
const REQUEST: Duration = Duration::from_secs(120);

/// What a blank text is sent as, because servers refuse empty ones.
const BLANK: &str = ".";

/// How the server wants to be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Api {
    /// `POST /api/embed`.
    Ollama,
    /// `POST /v1/embeddings`, as OpenAI, vLLM, llama.cpp, LM Studio and others have it.
    OpenAi,
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
    /// Names what makes the vectors, such as `ollama:nomic-embed-text`.
    pub fn id(&self) -> String {
        let api = match self.api {
            Api::Ollama => "ollama",
            Api::OpenAi => "openai",
        };
        format!("{api}:{}", self.model)
    }
}

/// Asks one endpoint.
pub struct Client {
    endpoint: Endpoint,
    agent: OnceLock<Agent>,
    /// Length of the vectors, from the first answer; a server that changes it has changed the model.
    dimension: OnceLock<usize>,
}

impl Client {
    /// Asks nothing yet.
    pub fn new(endpoint: Endpoint) -> Client {
        Client { endpoint, agent: OnceLock::new(), dimension: OnceLock::new() }
    }

    /// Length of the vectors, once one was made.
    pub fn dimension(&self) -> Option<usize> {
        self.dimension.get().copied()
    }

    /// Whether address and key can be used at all; the server is not asked.
    ///
    /// # Errors
    /// [`EmbedError::Address`].
    pub fn check(&self) -> Result<(), EmbedError> {
        address::target(&self.endpoint)?;
        self.bearer().map(|_| ())
    }

    /// One vector of length 1 per text, in the order of the texts.
    ///
    /// # Errors
    /// [`EmbedError::Address`], [`EmbedError::Unreachable`], [`EmbedError::UnknownModel`], [`EmbedError::Refused`] and
    /// [`EmbedError::Answer`].
    pub fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<Vec<f32>>, EmbedError> {
        let target = address::target(&self.endpoint)?;
        let mut vectors = Vec::with_capacity(texts.len());
        for part in texts.chunks(TEXTS) {
            let input: Vec<String> = part.iter().map(|text| prepared(&self.endpoint.model, role, text)).collect();
            let said = self.ask(&target, &input)?;
            let wrong = |why| EmbedError::Answer { url: target.url.clone(), why };
            let part = answer::vectors(self.endpoint.api, &said, input.len()).map_err(wrong)?;
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

    /// Sends one request and returns the body of its answer.
    fn ask(&self, target: &address::Target, input: &[String]) -> Result<Vec<u8>, EmbedError> {
        let url = &target.url;
        let unreachable = |why: ureq::Error| EmbedError::Unreachable { url: url.clone(), why: why.to_string() };
        let body = serde_json::json!({ "model": self.endpoint.model, "input": input }).to_string();
        let mut request = self.agent.get_or_init(|| agent(target.local)).post(url.as_str()).header("Content-Type", "application/json");
        if let Some(bearer) = self.bearer()? {
            request = request.header("Authorization", bearer);
        }
        let mut response = request.send(body).map_err(unreachable)?;
        let status = response.status().as_u16();
        if status == 200 {
            return response.body_mut().with_config().limit(ANSWER).read_to_vec().map_err(unreachable);
        }
        let said = response.body_mut().with_config().limit(REFUSAL).lossy_utf8(true).read_to_string().unwrap_or_default();
        let (url, said) = (url.clone(), answer::reason(&said));
        Err(match (status, self.endpoint.api) {
            (404, Api::Ollama) => EmbedError::UnknownModel {
                way_out: format!("`ollama pull {}` gets it", self.endpoint.model),
                model: self.endpoint.model.clone(),
                url,
                said,
            },
            (404, Api::OpenAi) => {
                let way_out = "choose a model that the server lists".to_owned();
                EmbedError::UnknownModel { way_out, model: self.endpoint.model.clone(), url, said }
            }
            _ => EmbedError::Refused { url, status, said },
        })
    }

    fn bearer(&self) -> Result<Option<HeaderValue>, EmbedError> {
        let Some(Secret(key)) = self.endpoint.key.as_ref().filter(|key| !key.0.is_empty()) else { return Ok(None) };
        match HeaderValue::from_str(&format!("Bearer {key}")) {
            Ok(mut value) => {
                value.set_sensitive(true);
                Ok(Some(value))
            }
            Err(_) => Err(EmbedError::Address { url: self.endpoint.url.clone(), why: "its key holds a character that no key may hold" }),
        }
    }
}

fn agent(local: bool) -> Agent {
    // The system's certificates, because a company's own server may have its own authority.
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    Agent::config_builder()
        .http_status_as_error(false)
        // A redirection could carry texts and key to another host.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_connect(Some(CONNECT))
        .timeout_global(Some(REQUEST))
        .tls_config(tls)
        .proxy(if local { None } else { Proxy::try_from_env() })
        .build()
        .into()
}

/// The text as the model wants it. Models of nomic were trained with a word for the role in front.
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
