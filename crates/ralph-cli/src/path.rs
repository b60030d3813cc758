//! Paths as they are given on the command line: relative ones start from the command's working folder.

use ralph_app::AppError;
use ralph_core::view::CommandError;
use std::path::{Path, PathBuf};

/// The absolute path.
pub fn absolute(path: &Path) -> Result<PathBuf, CommandError> {
    std::path::absolute(path).map_err(|source| CommandError::from(AppError::io(path, source)))
}

/// The same as text.
pub fn absolute_name(path: &Path) -> Result<String, CommandError> {
    Ok(absolute(path)?.to_string_lossy().into_owned())
}
