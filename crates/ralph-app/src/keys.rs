//! Keys of model servers: in the system's keyring, else in the environment, never in a file of the project.

use crate::app::App;
use crate::error::{AppError, Result};
use model_endpoint::Secret;
use ralph_core::authority::Act;
use ralph_core::noun::Noun;
use serde::Serialize;

/// Where a server's key is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyState {
    /// The server: scheme, host and port of its address.
    pub server: String,
    /// Whether the keyring has a key for it.
    pub kept: bool,
    /// Why the keyring can't be asked, where it can't.
    pub fault: Option<String>,
}

impl App {
    /// Stores the key of a server in the system's keyring.
    pub fn keep_key(&self, address: &str, key: &str) -> Result<KeyState> {
        self.allowed(&Act::Agree)?;
        let key = key.trim();
        if key.is_empty() || key.chars().any(char::is_control) {
            return Err(AppError::invalid("key", "is empty, or holds more than one line".to_owned(), "give it on standard input, alone"));
        }
        let server = server_of(address)?;
        key_store::keep(&server, key).map_err(|fault| unavailable(&fault))?;
        Ok(KeyState { server, kept: true, fault: None })
    }

    /// Forgets the key of a server.
    pub fn forget_key(&self, address: &str) -> Result<KeyState> {
        self.allowed(&Act::Agree)?;
        let server = server_of(address)?;
        if !key_store::forget(&server).map_err(|fault| unavailable(&fault))? {
            return Err(AppError::not_found(Noun::Key, server));
        }
        Ok(KeyState { server, kept: false, fault: None })
    }

    /// Whether the keyring has a key for a server. The key itself is shown to nobody.
    pub fn key_state(&self, address: &str) -> Result<KeyState> {
        let server = server_of(address)?;
        Ok(match key_store::secret(&server) {
            Ok(found) => KeyState { server, kept: found.is_some(), fault: None },
            Err(fault) => KeyState { server, kept: false, fault: Some(fault.to_string()) },
        })
    }
}

/// The key of the server at an address: the keyring's for that server, else the value of a variable in the environment. A key in the
/// keyring belongs to its server, so that another address never gets it.
pub(crate) fn key_for(address: &str, variable: &str) -> Option<Secret> {
    let kept = server_of(address).ok().and_then(|server| {
        // A run or a call waits for it.
        key_store::secret_at_work(&server).unwrap_or_else(|fault| {
            tracing::debug!("{fault}");
            None
        })
    });
    kept.or_else(|| std::env::var(variable).ok()).filter(|key| !key.trim().is_empty()).map(Secret::new)
}

/// The server at an address.
fn server_of(address: &str) -> Result<String> {
    model_endpoint::server(address).map_err(|_| {
        let hint = "give it as in the settings, such as https://api.example.com/v1";
        // It is not repeated: it may hold a password.
        AppError::invalid("server", "that is not an address of a server, or it holds a name or password", hint)
    })
}

fn unavailable(fault: &key_store::KeyStoreError) -> AppError {
    AppError::invalid("keyring", fault.to_string(), "set RALPH_EXTRACTOR_KEY or RALPH_EMBEDDING_KEY in the environment instead")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_belongs_to_scheme_host_and_port() {
        for (address, server) in [
            ("https://API.example.com/v1", "https://api.example.com"),
            ("http://localhost:11434", "http://localhost:11434"),
            (" https://a.example:8443/x?y#z ", "https://a.example:8443"),
        ] {
            assert_eq!(server_of(address).expect("a server"), server);
        }
        for address in ["", "api.example.com", "ftp://a", "https://", "https://user:pw@a.example", "file:///etc"] {
            assert!(server_of(address).is_err(), "{address}");
        }
    }

    #[test]
    fn without_a_keyring_the_environment_holds_the_key() {
        // There is no key for this address, and without a keyring there can't be one.
        assert!(key_for("http://127.0.0.1:1", "RALPH_NO_SUCH_VARIABLE").is_none());
        assert!(key_for("http://127.0.0.1:1", "PATH").is_some());
        assert!(key_for("no address", "PATH").is_some());
    }
}
