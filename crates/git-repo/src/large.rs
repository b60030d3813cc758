//! New files that are too large for git hosts: once one is committed, nothing can be pushed until it is out of the history again.

use crate::{GitError, Repo};
use std::path::{Path, PathBuf};

/// GitHub refuses larger ones. Agents download models, and dump databases.
const HOSTED_BYTES: u64 = 100 * 1_048_576;

impl Repo {
    /// Which of these new files are larger, except those that a filter stores elsewhere, as Git LFS does.
    pub(crate) fn too_large(&self, new: &[PathBuf]) -> Result<Vec<String>, GitError> {
        let is_large = |path: &&PathBuf| {
            let found = self.root().join(path).symlink_metadata();
            found.is_ok_and(|found| found.is_file() && found.len() > HOSTED_BYTES)
        };
        let large: Vec<&Path> = new.iter().filter(is_large).map(PathBuf::as_path).collect();
        if large.is_empty() {
            return Ok(Vec::new());
        }
        let is_unfiltered = |filter: &str| matches!(filter, "unspecified" | "unset");
        let filters = self.attribute("filter", large)?.into_iter();
        Ok(filters.filter(|(_, filter)| is_unfiltered(filter)).map(|(path, _)| path).collect())
    }
}
