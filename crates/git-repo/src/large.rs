//! New files that hosts of git do not take: once one is committed, nothing can be pushed until it is out of the history again.

use crate::entries::Entries;
use crate::paths::bytes_of_paths;
use crate::{GitError, Repo};
use std::path::PathBuf;

/// GitHub refuses larger ones. Agents download models, and dump databases.
const HOSTED_BYTES: u64 = 100 * 1_048_576;

impl Repo {
    /// New files that are larger, but for those that a filter keeps elsewhere, as Git LFS does.
    pub(crate) fn too_large(&self) -> Result<Vec<String>, GitError> {
        let is_large = |path: &PathBuf| {
            let found = self.root().join(path).symlink_metadata();
            found.is_ok_and(|found| found.is_file() && found.len() > HOSTED_BYTES)
        };
        let large: Vec<PathBuf> = Entries::within_bounds(self)?.untracked.into_iter().filter(is_large).collect();
        if large.is_empty() {
            return Ok(Vec::new());
        }
        let names = bytes_of_paths(large.iter().map(PathBuf::as_path));
        let told = self.reading().args(["check-attr", "-z", "--stdin", "filter"]).input(names).output("check-attr")?;
        let mut fields = told.split(|&byte| byte == 0).map(|field| String::from_utf8_lossy(field).into_owned());
        let mut files = Vec::new();
        while let (Some(path), Some(_), Some(filter)) = (fields.next(), fields.next(), fields.next()) {
            files.extend(matches!(&*filter, "unspecified" | "unset").then_some(path));
        }
        Ok(files)
    }
}
