//! What can go wrong, each with the way out.

use std::path::PathBuf;

/// Why a text got no vector.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The bundled model's files are nowhere.
    #[error(
        "the embedding model is not installed (looked in {}); in a checkout `cargo xtask test install` \
         fetches it, else name the folder that holds all-MiniLM-L6-v2 in RALPH_MODELS",
        list(looked)
    )]
    Missing {
        /// The folders that were looked in.
        looked: Vec<PathBuf>,
    },
    /// The folder that the person named does not hold the model.
    #[error(
        "RALPH_MODELS names a folder without the embedding model: {} must hold tokenizer.json and model.safetensors; correct \
         RALPH_MODELS, or unset it to use the model that came with Ralph",
        folder.display()
    )]
    Named {
        /// Where the model's files were looked for.
        folder: PathBuf,
    },
    /// A file of the model can't be read or is not what it should be.
    #[error("{} can't be used as the embedding model: {why}; remove its folder and install it again", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The network of the model failed on these texts.
    #[error("the embedding model failed: {0}; the texts are kept and can be embedded later")]
    Compute(#[from] candle_core::Error),
    /// The endpoint could not be asked, or refused.
    #[error(transparent)]
    Endpoint(#[from] model_endpoint::EndpointError),
    /// The endpoint's answer can't be used.
    #[error("the answer of the embedding endpoint {url} can't be used: {why}")]
    Answer {
        /// The address of the request.
        url: String,
        /// What is wrong with it.
        why: Wrong,
    },
    /// The tokenizer refused a text.
    #[error("a text can't be split into tokens: {0}")]
    Tokens(#[source] tokenizers::Error),
}

impl EmbedError {
    /// Whether a person named something that is not there, so that what they wanted can't be had by waiting.
    pub fn is_a_mistake(&self) -> bool {
        matches!(self, EmbedError::Named { .. })
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// What is wrong with an answer.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum Wrong {
    /// Not JSON, or not of the API's shape.
    #[error("it is not what the API promises ({0}); is the right API chosen?")]
    Shape(String),
    /// Not one vector for each text.
    #[error("it holds {found} vectors for {asked} texts")]
    Count {
        /// Texts that were sent.
        asked: usize,
        /// Vectors that came.
        found: usize,
    },
    /// OpenAI's numbering names a text twice, or one that was not sent.
    #[error("it numbers its vectors wrongly")]
    Order,
    /// Another length than before.
    #[error("its vectors have {found} numbers and earlier ones {known}; if the model has changed, restart Ralph to embed again")]
    Dimension {
        /// Length of the first vector of this client.
        known: usize,
        /// Length of this one.
        found: usize,
    },
    /// Numbers that no cosine can be made of.
    #[error("vector {0} is empty, zero or holds a number that is not finite")]
    Number(usize),
}
