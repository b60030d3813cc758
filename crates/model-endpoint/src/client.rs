//! One request and the body of its response.

use crate::address;
use crate::error::EndpointError;
use crate::{Api, Endpoint, Purpose, Secret};
use serde_json::Value;
use std::sync::OnceLock;
use std::time::Duration;
use ureq::http::HeaderValue;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Proxy};

/// Bytes read of an error response, for its reason.
const REFUSAL: u64 = 4 * 1024;

/// Connection timeout, after which a server counts as absent.
const CONNECT: Duration = Duration::from_secs(5);

/// Limits of a request.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Maximum bytes of a response; a longer one is an error.
    pub answer: u64,
    /// Timeout of one request, from the connection to the last byte.
    pub request: Duration,
}

/// The body of a response, with its address.
#[derive(Debug)]
pub struct Response {
    /// The address of the request.
    pub url: String,
    /// The body.
    pub body: Vec<u8>,
}

/// A client of one endpoint.
pub struct Client {
    endpoint: Endpoint,
    purpose: Purpose,
    bounds: Bounds,
    agent: OnceLock<Agent>,
}

impl Client {
    /// Sends nothing yet.
    pub fn new(endpoint: Endpoint, purpose: Purpose, bounds: Bounds) -> Client {
        Client { endpoint, purpose, bounds, agent: OnceLock::new() }
    }

    /// The endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Whether address and key are usable; the server is not contacted.
    ///
    /// # Errors
    /// [`EndpointError::Address`].
    pub fn check(&self) -> Result<(), EndpointError> {
        address::target(&self.endpoint, self.purpose)?;
        self.bearer().map(|_| ())
    }

    /// Sends one request and returns the body of its response.
    ///
    /// # Errors
    /// [`EndpointError::Address`], [`EndpointError::Unreachable`], [`EndpointError::UnknownModel`] and [`EndpointError::Refused`].
    pub fn post(&self, body: &Value) -> Result<Response, EndpointError> {
        let target = address::target(&self.endpoint, self.purpose)?;
        let url = target.url;
        let unreachable = |why: ureq::Error| EndpointError::Unreachable { url: url.clone(), why: why.to_string() };
        let agent = self.agent.get_or_init(|| agent(target.local, self.bounds.request));
        let mut request = agent.post(url.as_str()).header("Content-Type", "application/json");
        if let Some(bearer) = self.bearer()? {
            request = request.header("Authorization", bearer);
        }
        let mut response = request.send(body.to_string()).map_err(unreachable)?;
        let status = response.status().as_u16();
        if status == 200 {
            let body = response.body_mut().with_config().limit(self.bounds.answer).read_to_vec().map_err(unreachable)?;
            return Ok(Response { url, body });
        }
        let said = response.body_mut().with_config().limit(REFUSAL).lossy_utf8(true).read_to_string().unwrap_or_default();
        let (said, model) = (reason(&said, self.endpoint.key.as_ref()), self.endpoint.model.clone());
        Err(match (status, self.endpoint.api) {
            (404, Api::Ollama) => EndpointError::UnknownModel { way_out: format!("`ollama pull {model}` gets it"), model, url, said },
            (404, Api::OpenAi) => {
                EndpointError::UnknownModel { way_out: "choose a model that the server lists".to_owned(), model, url, said }
            }
            _ => EndpointError::Refused { url, status, said },
        })
    }

    fn bearer(&self) -> Result<Option<HeaderValue>, EndpointError> {
        let Some(Secret(key)) = self.endpoint.key.as_ref().filter(|key| !key.0.is_empty()) else { return Ok(None) };
        match HeaderValue::from_str(&format!("Bearer {key}")) {
            Ok(mut value) => {
                value.set_sensitive(true);
                Ok(Some(value))
            }
            Err(_) => Err(EndpointError::Address { url: self.endpoint.url.clone(), why: "its key holds a character that no key may hold" }),
        }
    }
}

fn agent(local: bool, request: Duration) -> Agent {
    // The system's certificates, because a company's own server may use its own authority.
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    Agent::config_builder()
        .http_status_as_error(false)
        // A redirect could send texts and key to another host.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_connect(Some(CONNECT))
        .timeout_global(Some(request))
        .tls_config(tls)
        .proxy(if local { None } else { Proxy::try_from_env() })
        .build()
        .into()
}

/// The reason in the body of an error response: its `error`, or its first line, without the key that the request had.
fn reason(body: &str, key: Option<&Secret>) -> String {
    let key = key.map(|Secret(key)| key.as_str()).filter(|key| !key.is_empty());
    let body = key.map_or_else(|| body.to_owned(), |key| body.replace(key, "[the key]"));
    let json = serde_json::from_str::<Value>(&body).unwrap_or_default();
    let error = &json["error"];
    let told = error.as_str().or_else(|| error["message"].as_str()).unwrap_or_else(|| body.trim().lines().next().unwrap_or_default());
    let told: String = told.chars().filter(|c| !c.is_control()).take(200).collect();
    if told.is_empty() { "it gave no reason".to_owned() } else { told }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_that_repeats_the_key_is_told_without_it() {
        let key = Secret("plain-words-9".into());
        for (body, told) in [
            (r#"{"error":{"message":"no such key: plain-words-9"}}"#, "no such key: [the key]"),
            ("plain-words-9 is not known\n<html>", "[the key] is not known"),
            ("", "it gave no reason"),
        ] {
            assert_eq!(reason(body, Some(&key)), told);
        }
        assert_eq!(reason("busy", Some(&Secret(String::new()))), "busy");
    }
}
