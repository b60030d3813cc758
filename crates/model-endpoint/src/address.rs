//! Permitted addresses: https anywhere, http only on this machine.

use crate::error::EndpointError;
use crate::{Api, Endpoint, Purpose};
use std::net::IpAddr;
use ureq::http::Uri;
use ureq::http::uri::{Authority, Parts, Scheme};

/// A validated address.
#[derive(Debug)]
pub struct Target {
    /// The complete address of the request.
    pub url: String,
    /// Whether it is on this machine.
    pub local: bool,
}

/// The server at an address: scheme, host and port, in lower case. A key belongs to it.
///
/// # Errors
/// [`EndpointError::Address`], as for a request, except that an http address is accepted too, although no request would be sent to it.
pub fn server(address: &str) -> Result<String, EndpointError> {
    let (scheme, authority, _) = parts(address)?;
    Ok(format!("{scheme}://{}", authority.as_str().to_ascii_lowercase()))
}

/// Completes the address with the path of the API.
///
/// # Errors
/// [`EndpointError::Address`]. It contains the address, except for a password in it.
pub fn target(endpoint: &Endpoint, purpose: Purpose) -> Result<Target, EndpointError> {
    let (scheme, authority, path) = parts(&endpoint.url)?;
    let local = is_local(authority.host());
    if scheme == Scheme::HTTP && !local {
        return Err(refused(&endpoint.url, "texts would travel unencrypted to another machine; use https"));
    }
    let whole = complete(path.trim_end_matches('/'), endpoint.api, purpose);
    Ok(Target { url: format!("{scheme}://{authority}{whole}"), local })
}

/// The parts of an http or https address; a missing path is `/`.
fn parts(address: &str) -> Result<(Scheme, Authority, String), EndpointError> {
    let no_address = || refused(address, "it is not an address such as http://localhost:11434");
    let uri = address.trim().parse::<Uri>().map_err(|_| no_address())?;
    let path = uri.path().to_owned();
    let Parts { scheme: Some(scheme), authority: Some(authority), .. } = uri.into_parts() else { return Err(no_address()) };
    if authority.as_str().contains('@') {
        return Err(refused(address, "it holds a name or password; set the key instead"));
    }
    if ![Scheme::HTTP, Scheme::HTTPS].contains(&scheme) {
        return Err(refused(address, "only http on this machine and https are spoken"));
    }
    Ok((scheme, authority, path))
}

fn refused(address: &str, why: &'static str) -> EndpointError {
    EndpointError::Address { url: shown(address.trim()), why }
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
    fn a_server_is_the_one_that_a_request_goes_to() {
        for (address, expected) in [
            ("https://API.example.com/v1", "https://api.example.com"),
            ("http://localhost:11434", "http://localhost:11434"),
            ("HTTPS://a.example", "https://a.example"),
            (" https://a.example:8443/x?y#z ", "https://a.example:8443"),
            ("https://a.example\\@evil.example", ""),
            ("https://a.example?x", "https://a.example"),
        ] {
            let found = server(address).unwrap_or_default();
            assert_eq!(found, expected, "{address}");
            let asked = at(address, Api::OpenAi).map(|target| server(&target.url).unwrap());
            assert_eq!(asked.unwrap_or_default(), expected, "{address}");
        }
        assert_eq!(server("http://gpu.example:1").unwrap(), "http://gpu.example:1", "a key of such an address can be forgotten");
        for address in ["", "api.example.com", "ftp://a", "https://", "https://user:pw@a.example", "file:///etc"] {
            assert!(server(address).is_err(), "{address}");
        }
    }

    #[test]
    fn a_password_in_the_address_is_refused_and_not_repeated() {
        let refusal = at("https://me:hunter2@gpu.example", Api::OpenAi).unwrap_err().to_string();
        assert!(!refusal.contains("hunter2") && refusal.contains("gpu.example"), "{refusal}");
    }
}
