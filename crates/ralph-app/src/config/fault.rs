//! Why `.ralph/config.toml` can't be used.

use crate::files::FileFault;
use std::path::PathBuf;

/// Why the file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFault {
    /// Not TOML.
    #[error("{}: {fault}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The parser's message, with the line.
        fault: String,
    },
    /// A key with an invalid value.
    #[error("{}: '{key}' {fault}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// Which key.
        key: &'static str,
        /// What is wrong.
        fault: String,
    },
    /// The file can't be read or written.
    #[error("{0}")]
    File(#[from] FileFault),
}
