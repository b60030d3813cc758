//! Digests by which the states at two moments are compared.

use ralph_core::text::hex;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Bytes of a file that are compared.
const FILE_BYTES: u64 = 256 * 1_024;
/// Bytes kept of a digest.
const DIGEST_BYTES: usize = 16;

/// A digest of a file's beginning, or of a link's target.
pub(crate) fn digest_of(path: &Path) -> String {
    if let Ok(target) = std::fs::read_link(path) {
        return digest(target.as_os_str().as_encoded_bytes());
    }
    let mut bytes = Vec::new();
    // A pipe would wait for a writer; git runs none.
    if path.is_file()
        && let Ok(file) = File::open(path)
    {
        // A file that can't be read to its end is compared as far as it was read.
        let _ = file.take(FILE_BYTES).read_to_end(&mut bytes);
    }
    digest(&bytes)
}

/// The same in every build of Ralph: it is stored, and compared by whichever build recovers a killed run.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes)[..DIGEST_BYTES])
}
