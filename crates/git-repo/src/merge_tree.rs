//! Merging two commits without a work tree.

use crate::command::CommandOutput;
use crate::{GitError, Repo};

/// How git ends when it does not know an option.
const UNKNOWN_OPTION: i32 = 129;
/// The time of commits that stand for nothing but their files.
const NO_TIME: &str = "@0 +0000";

/// What `git merge-tree` told.
pub(crate) struct MergedTree {
    /// Its output: 0 if the two merge cleanly, 1 if they conflict.
    pub told: CommandOutput,
    /// The names that it has for ours and theirs.
    pub sides: [String; 2],
}

/// Major and minor number of the first git that merges without a work tree.
const OLDEST: (u32, u32) = (2, 38);

/// Whether a git that says this of its version lacks such merges; one that says nothing known is tried.
pub(crate) fn is_too_old(version: &str) -> bool {
    let mut numbers = version.trim_start_matches("git version ").split('.').map(str::parse);
    matches!((numbers.next(), numbers.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) < OLDEST)
}

impl Repo {
    /// Merges two commits, or trees, with what changed since `base`, where `None` is the last commit that both share.
    ///
    /// # Errors
    /// [`GitError::TooOld`] before git 2.38; [`GitError`] if git can't be run.
    pub(crate) fn merge_tree(&self, base: Option<&str>, sides: [&str; 2], shown: &[&str]) -> Result<MergedTree, GitError> {
        let merge = |named: Option<String>, sides: [String; 2]| {
            let merge = self.reading().args(["merge-tree", "--write-tree", "-z"]).args(shown).args(named).args(&sides);
            Ok::<_, GitError>(MergedTree { told: merge.run()?, sides })
        };
        let mut merged = merge(base.map(|base| format!("--merge-base={base}")), sides.map(str::to_owned))?;
        if let Some(base) = base.filter(|_| merged.told.code == Some(UNKNOWN_OPTION)) {
            merged = merge(None, self.forked(base, sides)?)?;
        }
        if merged.told.code == Some(UNKNOWN_OPTION) {
            Repo::version()?;
        }
        Ok(merged)
    }

    /// Two commits with the files of `sides` whose last shared one has those of `base`: git before 2.40 is told no other. The same files
    /// give the same commits, so that asking again adds nothing to the repository.
    pub(crate) fn forked(&self, base: &str, sides: [&str; 2]) -> Result<[String; 2], GitError> {
        let git = || self.quietly().env("GIT_AUTHOR_DATE", NO_TIME).env("GIT_COMMITTER_DATE", NO_TIME);
        let commit = |files: &str, parents: &[String]| Repo::commit_tree_by(git(), &self.tree_of(files)?, parents, "A side of a merge");
        let fork = [commit(base, &[])?];
        let [ours, theirs] = sides;
        Ok([commit(ours, &fork)?, commit(theirs, &fork)?])
    }
}
