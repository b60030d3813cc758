//! Where the bundled model lies.

use crate::error::EmbedError;
use std::path::{Path, PathBuf};

/// The model's name: its id, and its folder below each folder of models.
pub const NAME: &str = "all-MiniLM-L6-v2";

/// Names a folder of models ahead of all others.
const VARIABLE: &str = "RALPH_MODELS";

/// The files that make a model.
pub const CONFIG: &str = "config.json";
/// Splits text into tokens.
pub const TOKENIZER: &str = "tokenizer.json";
/// The weights.
pub const WEIGHTS: &str = "model.safetensors";

/// The first of the folders that holds the whole model.
///
/// # Errors
/// [`EmbedError::Missing`] names every folder that was looked in.
pub fn find(given: Option<&Path>) -> Result<PathBuf, EmbedError> {
    let named = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    let program = std::env::current_exe().ok();
    first_whole(folders(named, given, program.as_deref()))
}

fn first_whole(folders: Vec<PathBuf>) -> Result<PathBuf, EmbedError> {
    let whole = |folder: &PathBuf| [CONFIG, TOKENIZER, WEIGHTS].iter().all(|file| folder.join(NAME).join(file).is_file());
    match folders.iter().find(|folder| whole(folder)) {
        Some(folder) => Ok(folder.join(NAME)),
        None => Err(EmbedError::Missing { looked: folders }),
    }
}

/// Folders of models in the order in which they are asked: named by the person, given by the shell, beside the program as the
/// installers of Linux, Windows and macOS put it, and the checkout that the program was built in.
fn folders(named: Option<PathBuf>, given: Option<&Path>, program: Option<&Path>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = named.into_iter().chain(given.map(Path::to_path_buf)).collect();
    if let Some(beside) = program.and_then(Path::parent) {
        folders.push(beside.join("models"));
        if let Some(above) = beside.parent() {
            folders.push(above.join("lib/Ralph/models"));
            folders.push(above.join("Resources/models"));
        }
    }
    folders.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"));
    folders
}
