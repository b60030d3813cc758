//! Permitted addresses: https anywhere, http only on this machine.

use crate::error::EndpointError;
use crate::{Api, Endpoint, Purpose};
use std::net::IpAddr;
use ureq::http::Uri;

/// A validated address.
#[derive(Debug)]
pub struct Target {
    /// The complete address of the request.
    pub url: String,
    /// Whether it is on this machine.
    pub local: bool,
}

/// Completes the address with the path of the API.
///
/// # Errors
/// [`EndpointError::Address`]. It contains the address, except for a password in it.
pub fn target(endpoint: &Endpoint, purpose: Purpose) -> Result<Target, EndpointError> {
    let given = endpoint.url.trim();
    let refuse = |why| Err(EndpointError::Address { url: shown(given), why });
    let Ok(uri) = given.parse::<Uri>() else { return refuse("it is no address such as http://localhost:11434") };
    let (Some(scheme), Some(host), Some(authority)) = (uri.scheme_str(), uri.host(), uri.authority()) else {
        return refuse("it is no address such as http://localhost:11434");
    };
    if authority.as_str().contains('@') {
        return refuse("it holds a name or password; set the key instead");
    }
    let local = is_local(host);
    match scheme {
        "https" => {}
        "http" if local => {}
        "http" => return refuse("texts would travel unencrypted to another machine; use https"),
        _ => return refuse("only http on this machine and https are spoken"),
    }
    let whole = complete(uri.path().trim_end_matches('/'), endpoint.api, purpose);
    Ok(Target { url: format!("{scheme}://{authority}{whole}"), local })
}

fn complete(path: &str, api: Api, purpose: Purpose) -> String {
    let (folder, end) = match (api, purpose) {
        (Api::Ollama, Purpose::Vectors) => ("/api", "/embed"),
        (Api::Ollama, Purpose::Chat) => ("/api", "/chat"),
        (Api::OpenAi, Purpose::Vectors) => ("/v1", "/embeddings"),
        (Api::OpenAi, Purpose::Chat) => ("/v1", "/chat/completions"),
    };
    if path.ends_with(end) {
        path.to_owned()
    } else if path.ends_with(folder) {
        format!("{path}{end}")
    } else {
        format!("{path}{folder}{end}")
    }
}

fn is_local(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The address without credentials.
fn shown(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://…@{rest}"),
        (None, Some((_, rest))) => format!("…@{rest}"),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(url: &str, api: Api) -> Result<Target, EndpointError> {
        target(&Endpoint { url: url.to_owned(), model: "m".to_owned(), api, key: None }, Purpose::Vectors)
    }

    #[test]
    fn addresses_are_completed() {
        for (given, api, expected, local) in [
            ("http://localhost:11434", Api::Ollama, "http://localhost:11434/api/embed", true),
            (" http://127.0.0.1:11434/ ", Api::Ollama, "http://127.0.0.1:11434/api/embed", true),
            ("http://[::1]:1/api", Api::Ollama, "http://[::1]:1/api/embed", true),
            ("https://gpu.example/ollama/api/embed", Api::Ollama, "https://gpu.example/ollama/api/embed", false),
            ("https://api.openai.com", Api::OpenAi, "https://api.openai.com/v1/embeddings", false),
            ("https://api.openai.com/v1/", Api::OpenAi, "https://api.openai.com/v1/embeddings", false),
            ("http://LOCALHOST:8080/v1/embeddings", Api::OpenAi, "http://LOCALHOST:8080/v1/embeddings", true),
        ] {
            let target = at(given, api).unwrap();
            assert_eq!((target.url.as_str(), target.local), (expected, local), "{given}");
        }
    }

    #[test]
    fn a_chat_has_an_address_of_its_own() {
        for (api, expected) in [(Api::Ollama, "http://localhost:1/api/chat"), (Api::OpenAi, "http://localhost:1/v1/chat/completions")] {
            let endpoint = Endpoint { url: "http://localhost:1".to_owned(), model: "m".to_owned(), api, key: None };
            assert_eq!(target(&endpoint, Purpose::Chat).unwrap().url, expected);
        }
    }

    #[test]
    fn what_would_leave_the_machine_in_the_open_is_refused() {
        for given in [
            "http://gpu.example:11434",
            "http://10.0.0.7",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "ftp://localhost",
            "file:///etc/passwd",
            "localhost:11434",
            "/api",
            "",
            "http://",
            "not an address",
        ] {
            assert!(matches!(at(given, Api::Ollama), Err(EndpointError::Address { .. })), "{given}");
        }
    }

    #[test]
    fn a_password_in_the_address_is_refused_and_not_repeated() {
        let refusal = at("https://me:hunter2@gpu.example", Api::OpenAi).unwrap_err().to_string();
        assert!(!refusal.contains("hunter2") && refusal.contains("gpu.example"), "{refusal}");
    }
}
