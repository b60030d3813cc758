//! Dropped records that `eval.db` does not count yet, because it can't be written: a byte for each in a file beside it, so that any number
//! of processes can add to it and end. Whoever can write the database again moves the count there.

use crate::files::{ProjectFiles, Readers};
use ralph_core::limits;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The count that waits.
pub(crate) struct Owed {
    file: PathBuf,
}

impl Owed {
    /// The count of a database.
    pub(crate) fn of(database: &Path) -> Owed {
        Owed { file: database.with_extension("dropped") }
    }

    fn files(&self) -> ProjectFiles<'_> {
        ProjectFiles::of(self.file.parent().unwrap_or(Path::new(".")))
    }

    /// The number of records; 0 when it is unknown.
    pub(crate) fn count(&self) -> u32 {
        let length = self.files().metadata(&self.file).ok().flatten().map_or(0, |file| file.len());
        u32::try_from(length.min(limits::EVAL_OWED)).unwrap_or(u32::MAX)
    }

    /// Adds to the count; returns whether that was possible.
    pub(crate) fn add(&self, more: u32) -> bool {
        let room = limits::EVAL_OWED.saturating_sub(u64::from(self.count()));
        let bytes = vec![b'.'; usize::try_from(u64::from(more).min(room)).unwrap_or(0)];
        self.files().append(&self.file, Readers::Owner).is_ok_and(|mut file| file.write_all(&bytes).is_ok())
    }

    /// Takes the count, to be stored elsewhere: only by the process that holds the right to write to the database.
    pub(crate) fn take(&self) -> u32 {
        let taken = self.count();
        // What another process adds in between is lost with the file; in a count of losses one more or less makes no difference.
        match if taken > 0 { self.files().remove(&self.file) } else { Ok(()) } {
            Ok(()) => taken,
            Err(fault) => {
                tracing::debug!("the count of dropped records stays beside the database: {fault}");
                0
            }
        }
    }
}
