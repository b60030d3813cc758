//! What can go wrong, each with the way out.

/// Why a server gave no answer that could be looked at.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The address or key can't be used.
    #[error("the model server {url} can't be asked: {why}")]
    Address {
        /// The address, without a password.
        url: String,
        /// What is wrong and the way out.
        why: &'static str,
    },
    /// It did not answer.
    #[error("the model server {url} does not answer ({why}); check that it runs")]
    Unreachable {
        /// The address of the request.
        url: String,
        /// What the connection said.
        why: String,
    },
    /// It does not have the model.
    #[error("the model server {url} does not know the model {model} ({said}); {way_out}, or check the address")]
    UnknownModel {
        /// The address of the request.
        url: String,
        /// The model that was asked for.
        model: String,
        /// What it said.
        said: String,
        /// How to get the model.
        way_out: String,
    },
    /// It answered with an error.
    #[error("the model server {url} refused ({status}: {said}); check its key and its log")]
    Refused {
        /// The address of the request.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What it said.
        said: String,
    },
    /// What it answered is not of the API's shape.
    #[error("the answer of the model server {url} is not what the API promises ({why}); is the right API chosen?")]
    Shape {
        /// The address of the request.
        url: String,
        /// What is wrong with it.
        why: String,
    },
}
