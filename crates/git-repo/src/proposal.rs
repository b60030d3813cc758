//! A proposed change on its own branch: the files it touches, its single commit, and its reversal.

use crate::paths::path_from_bytes;
use crate::{GitError, Hooks, Repo};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

impl Repo {
    /// Every file whose content differs from `commit`, committed or not, including new ones, without ignored ones. Relative to
    /// the root of the work tree.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn differing_files(&self, commit: &str) -> Result<Vec<String>, GitError> {
        let tracked = self.diffing().args(["--name-only", "-z", "--no-renames", commit, "--"]).output("diff")?;
        let new = self.reading().args(["ls-files", "--others", "--exclude-standard", "-z", "--", ":(top)"]).output("ls-files")?;
        let paths = [tracked, new].concat();
        let paths = paths.split(|&byte| byte == 0).filter(|path| !path.is_empty());
        let found: BTreeSet<String> = paths.map(|path| path_from_bytes(path).to_string_lossy().into_owned()).collect();
        Ok(found.into_iter().collect())
    }

    /// Turns the content of these files and folders into one commit on top of `start`, whatever was committed since, and moves the branch
    /// to it. Runs no hooks: those of the merge do. Returns the commit; `None` if nothing differs.
    ///
    /// # Errors
    /// [`GitError::Failed`] if git refuses, as it does for files that it ignores.
    pub fn commit_onto(&self, start: &str, paths: &[PathBuf], message: &str) -> Result<Option<String>, GitError> {
        self.writing_large().args(["reset", "--quiet", "--mixed", start]).output("reset")?;
        for path in paths.iter().filter(|path| self.is_known(path)) {
            self.writing_large().args(["--literal-pathspecs", "add", "--all", "--"]).args([path]).output("add")?;
        }
        if self.diffing().args(["--cached", "--quiet"]).run()?.success {
            return Ok(None);
        }
        self.merging(Hooks::Skip)?.args(["commit", "--quiet", "--message", message]).output("commit")?;
        self.head()
    }

    /// Whether there is something at `path` to add: a file, or a tracked one that is gone.
    fn is_known(&self, path: &Path) -> bool {
        let listed = || self.reading().args(["--literal-pathspecs", "ls-files", "-z", "--"]).args([path]).output("ls-files");
        self.root().join(path).exists() || listed().is_ok_and(|listed| !listed.is_empty())
    }

    /// Reverts, in this work tree and uncommitted, the changes from `start` to `tip`, whatever else was committed since. Returns the files
    /// with conflicting later changes; then nothing was touched.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn take_back(&self, start: &str, tip: &str) -> Result<Vec<String>, GitError> {
        let tree = format!("{start}^{{tree}}");
        let reverse = self.merging(Hooks::Skip)?.args(["commit-tree", &tree, "-p", tip, "-m", "taken back"]).output("commit-tree")?;
        let reverse = String::from_utf8_lossy(&reverse).trim().to_owned();
        let picked = self.merging(Hooks::Skip)?.args(["cherry-pick", "--no-commit", &reverse]).run()?;
        if picked.success {
            return Ok(Vec::new());
        }
        let files = self.unmerged()?;
        self.writing_large().args(["reset", "--hard", "--quiet"]).output("reset")?;
        if files.is_empty() { Err(picked.into_error("cherry-pick")) } else { Ok(files.into_iter().map(|conflict| conflict.path).collect()) }
    }
}
