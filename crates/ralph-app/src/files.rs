//! Writing files so that a crash leaves the old or the new content, never half of one.

use std::io::Write as _;
use std::path::Path;

/// Replaces a file's content in one step: writes beside it, syncs, renames.
pub fn write_whole(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}.new", std::process::id()));
    let written = (|| {
        let mut file = std::fs::File::create(&beside)?;
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
