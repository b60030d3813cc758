//! The logs of iterations whose project was deleted while their agents worked. The run that had them open keeps them here, and a restoration
//! brings them back, so that what was said is heard. The folder may also have been moved, if only to a dustbin: then they go once the project
//! is found where it is now.

use super::{Outside, user_data};
use crate::app::App;
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers, write_whole};
use crate::paths::Paths;
use ralph_core::text::hex;
use ralph_core::{IterationId, limits};
use sha2::{Digest as _, Sha256};
use std::io::{Read as _, Seek as _};
use std::path::PathBuf;

/// Bytes of the digest of a database's id: what it says is no name of a folder.
const NAME_BYTES: usize = 8;
/// Bytes of the longest log.
const LOG_BYTES: u64 = 2 * (limits::EVENT_LOG_BYTES + 2 * limits::EVENT_LOG_WORDS_BYTES);

impl Outside {
    fn logs_of(&self, replica: &str) -> PathBuf {
        self.folder.join("logs").join(hex(&Sha256::digest(replica)[..NAME_BYTES]))
    }

    fn hold_log(&self, replica: &str, iteration: IterationId, log: &mut std::fs::File) -> std::io::Result<()> {
        let (folder, mut text) = (self.logs_of(replica), Vec::new());
        user_data::make_private(&folder)?;
        log.rewind()?;
        log.take(LOG_BYTES).read_to_end(&mut text)?;
        write_whole(&folder.join(format!("{iteration}.jsonl")), &text, Readers::Owner)
    }

    /// Removes the logs kept for a database that was found elsewhere, with its own.
    pub fn forget_logs(&self, replica: &str) {
        if let Err(error) = std::fs::remove_dir_all(self.logs_of(replica))
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::debug!("logs of a project that was moved stay in {}: {error}", self.folder.display());
        }
    }

    /// The logs that are kept for iterations of a database.
    pub fn held_logs(&self, replica: &str) -> Vec<(IterationId, PathBuf)> {
        let files = ProjectFiles::of(&self.folder).list(&self.logs_of(replica), "jsonl").unwrap_or_default();
        let number = |path: &PathBuf| path.file_stem()?.to_str()?.parse().ok();
        files.into_iter().filter_map(|path| Some((number(&path)?, path))).collect()
    }
}

impl App {
    /// Keeps the log of an iteration of this process whose file is gone from its place.
    pub(crate) fn hold_log(&self, replica: &str, iteration: IterationId, log: &mut std::fs::File) -> Result<()> {
        let Some(outside) = &self.outside else { return Ok(()) };
        outside.hold_log(replica, iteration, log).map_err(|source| AppError::io(outside.logs_of(replica), source))
    }
}

/// Brings the logs kept for a database back into the project; one that is there stays as it is.
pub(crate) fn bring_back_logs(paths: &Paths, outside: &Outside, replica: &str) -> Result<()> {
    for (iteration, held) in outside.held_logs(replica) {
        let place = paths.logs.join(format!("{iteration}.jsonl"));
        if paths.files().metadata(&place)?.is_none()
            && let Some(text) = ProjectFiles::of(&outside.folder).read(&held, LOG_BYTES)?
        {
            paths.files().write(&place, &text, Readers::Owner)?;
        }
        std::fs::remove_file(&held).map_err(|source| AppError::io(&held, source))?;
    }
    Ok(())
}
