//! Writing files so that a crash leaves the old or the new content, never half of one.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Whoever the system lets: meant to be committed.
    Anyone,
    /// Its owner: prompts and exports hold what the database holds.
    Owner,
}

/// Replaces a file's content in one step: writes beside it, syncs, renames.
pub fn write_whole(path: &Path, content: &[u8], readers: Readers) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}.new", std::process::id()));
    let written = (|| {
        let mut file = create(&beside, readers)?;
        file.write_all(content)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    })();
    if written.is_err() {
        // What was not renamed is of no use; the first error is the one to tell.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn create(path: &Path, readers: Readers) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    if readers == Readers::Owner {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = readers;
    options.open(path)
}
