//! Paths as git reads and writes them.

use std::path::{Path, PathBuf};

/// Paths in git's input format: their bytes, each followed by a NUL.
pub(crate) fn bytes_of_paths<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for path in paths {
        bytes.extend_from_slice(path.as_os_str().as_encoded_bytes());
        bytes.push(0);
    }
    bytes
}

/// A path from git's output: bytes, which on Unix need not be UTF-8.
pub(crate) fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
