//! Errors, each with a way out.

use std::path::PathBuf;

/// Why a text got no vector.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The bundled model's files were not found.
    #[error("the embedding model is not installed (looked in {})", list(looked))]
    Missing {
        /// The folders searched.
        looked: Vec<PathBuf>,
    },
    /// The folder given by the person does not contain the model.
    #[error(
        "RALPH_MODELS names a folder without the embedding model: {} must hold tokenizer.json and model.safetensors",
        folder.display()
    )]
    Named {
        /// The folder searched.
        folder: PathBuf,
    },
    /// A file of the model is unreadable or invalid.
    #[error("{} can't be used as the embedding model: {why}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The model's weights could not be read for these texts.
    #[error("the embedding model failed: {0}")]
    Weights(#[from] crate::weights::WeightsError),
    /// The endpoint could not be reached, or refused.
    #[error(transparent)]
    Endpoint(#[from] model_endpoint::EndpointError),
    /// The endpoint's response is unusable.
    #[error("the answer of the embedding endpoint {url} can't be used: {why}")]
    Answer {
        /// The address of the request.
        url: String,
        /// What is wrong with it.
        why: Wrong,
    },
    /// The tokenizer rejected a text.
    #[error("a text can't be split into tokens: {0}")]
    Tokens(#[source] tokenizers::Error),
}

impl EmbedError {
    /// Whether a person named something that does not exist, so that waiting does not help.
    pub fn is_a_mistake(&self) -> bool {
        matches!(self, EmbedError::Named { .. })
    }

    /// What to do, for the hint beside the message.
    pub fn way_out(&self) -> String {
        let told = match self {
            EmbedError::Missing { .. } => {
                "in a checkout `cargo xtask test install` fetches it; else name the folder that holds all-MiniLM-L6-v2 in RALPH_MODELS"
            }
            EmbedError::Named { .. } => "correct RALPH_MODELS, or unset it to use the model that came with Ralph",
            EmbedError::Broken { .. } => "remove its folder and install it again",
            EmbedError::Weights(_) => "the texts are kept and can be embedded later",
            EmbedError::Endpoint(fault) => return fault.way_out(),
            EmbedError::Answer { why: Wrong::Shape(_), .. } => "check that the right API is chosen",
            EmbedError::Answer { why: Wrong::Dimension { .. }, .. } => "if the model has changed, restart Ralph to embed again",
            EmbedError::Answer { .. } => "check that the server has an embedding model under this name",
            EmbedError::Tokens(_) => "search still finds the text by its words",
        };
        told.to_owned()
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// What is wrong with a response.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum Wrong {
    /// Not JSON, or not matching the API.
    #[error("it is not what the API promises ({0})")]
    Shape(String),
    /// Not one vector for each text.
    #[error("it holds {found} vectors for {asked} texts")]
    Count {
        /// Texts that were sent.
        asked: usize,
        /// Vectors received.
        found: usize,
    },
    /// OpenAI's indices contain a text twice, or one that was not sent.
    #[error("it numbers its vectors wrongly")]
    Order,
    /// Another dimension than before.
    #[error("its vectors have {found} numbers and earlier ones {known}")]
    Dimension {
        /// Dimension of the first vector of this client.
        known: usize,
        /// Dimension of this one.
        found: usize,
    },
    /// Numbers without a valid cosine.
    #[error("vector {0} is empty, zero or holds a number that is not finite")]
    Number(usize),
}
