//! Errors, each with a way out.

/// Why a server gave no usable response.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The address or key is unusable.
    #[error("the model server {url} can't be asked: {why}")]
    Address {
        /// The address, without a password.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// It did not respond.
    #[error("the model server {url} does not answer ({why})")]
    Unreachable {
        /// The address of the request.
        url: String,
        /// The connection error.
        why: String,
    },
    /// It does not have the model.
    #[error("the model server {url} does not know the model {model} ({said})")]
    UnknownModel {
        /// The address of the request.
        url: String,
        /// The requested model.
        model: String,
        /// The server's message.
        said: String,
        /// How to get the model.
        way_out: String,
    },
    /// It answered with an error.
    #[error("the model server {url} refused ({status}: {said})")]
    Refused {
        /// The address of the request.
        url: String,
        /// The HTTP status.
        status: u16,
        /// The server's message.
        said: String,
    },
    /// Its response does not match the API.
    #[error("the answer of the model server {url} is not what the API promises ({why})")]
    Shape {
        /// The address of the request.
        url: String,
        /// What is wrong with it.
        why: String,
    },
}

impl EndpointError {
    /// What to do, for the hint beside the message.
    pub fn way_out(&self) -> String {
        match self {
            EndpointError::Address { .. } => "correct its address or key in the settings".to_owned(),
            EndpointError::Unreachable { .. } => "check that it runs".to_owned(),
            EndpointError::UnknownModel { way_out, .. } => format!("{way_out}, or check the address"),
            EndpointError::Refused { .. } => "check its key and its log".to_owned(),
            EndpointError::Shape { .. } => "check that the right API is chosen".to_owned(),
        }
    }
}
