//! Bringing a branch and its base together, apart from both: the result stands in the branch's own work tree with no branch checked out,
//! where it can be checked before anything lands.

use crate::command::{Finished, Git, path_from_bytes};
use crate::{GitError, Repo};
use ralph_core::worktree::MergeStrategy;
use std::time::Duration;

/// Time that a merge may take: hooks may run whole test suites.
pub(crate) const MERGE_LIMIT: Duration = Duration::from_secs(1_800);
/// Bytes of commits whose patches are compared with a branch's.
const PATCH_BYTES: usize = 32 * 1_048_576;

/// What is to be brought together.
#[derive(Clone, Copy, Debug)]
pub struct MergeOrder<'a> {
    /// The last commit of the work.
    pub tip: &'a str,
    /// The last commit of the base.
    pub base: &'a str,
    /// How.
    pub strategy: MergeStrategy,
    /// The message of a commit that is made for it.
    pub message: &'a str,
}

/// How bringing together came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// This commit holds both, and is checked out without a branch.
    Clean(String),
    /// These files are changed on both sides in ways that exclude each other.
    Conflict(Vec<String>),
    /// Git or a hook refused, in its words.
    Refused(String),
}

impl Repo {
    /// Whether everything that a branch at `tip` holds is in `base`: its commits, the same patches (a rebase), all of it in one commit (a
    /// squash), or a merge of it would change nothing.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
    pub fn has_landed(&self, tip: &str, base: &str) -> Result<bool, GitError> {
        if self.is_ancestor(tip, base)? {
            return Ok(true);
        }
        let Some(fork) = self.fork_point(tip, base)? else { return Ok(false) };
        let merged = self.merge_tree(base, tip)?;
        if merged.success && merged.text().trim_end_matches('\0').trim() == self.tree(base)? {
            return Ok(true);
        }
        let cherry = self.reading().args(["cherry", base, tip]).output("cherry")?;
        if !cherry.is_empty() && String::from_utf8_lossy(&cherry).lines().all(|line| line.starts_with('-')) {
            return Ok(true);
        }
        let shown = ["--no-ext-diff", "--no-textconv", "--no-color"];
        let whole = self.reading().args(["diff"]).args(shown).args([&fork, tip]).at_most(PATCH_BYTES).output("diff")?;
        let Some(wanted) = self.patch_ids(whole)?.into_iter().next() else { return Ok(false) };
        let log = ["log", "--no-merges", "--patch"];
        let log = self.reading().args(log).args(shown).args([&format!("{fork}..{base}"), "--"]).at_most(PATCH_BYTES).output("log")?;
        Ok(self.patch_ids(log)?.contains(&wanted))
    }

    /// Whether all of `part`'s history is in `whole`'s; both are commits.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
    pub fn is_ancestor(&self, part: &str, whole: &str) -> Result<bool, GitError> {
        let found = self.reading().args(["merge-base", "--is-ancestor", part, whole]).run()?;
        if found.success || found.code == Some(1) { Ok(found.success) } else { Err(found.into_error("merge-base")) }
    }

    /// The files that would conflict if `tip` were merged into `base`; none when it merges cleanly. Touches no work tree.
    ///
    /// # Errors
    /// [`GitError::Failed`] when the two have no common history.
    pub fn conflicts(&self, base: &str, tip: &str) -> Result<Vec<String>, GitError> {
        let merged = self.merge_tree(base, tip)?;
        match merged.code {
            Some(0) => Ok(Vec::new()),
            Some(1) => {
                let fields = merged.stdout.split(|&byte| byte == 0).skip(1).filter(|field| !field.is_empty());
                let mut files: Vec<String> = fields.map(|path| path_from_bytes(path).to_string_lossy().into_owned()).collect();
                files.dedup();
                Ok(files)
            }
            _ => Err(merged.into_error("merge-tree")),
        }
    }

    /// Brings the two together in this work tree, which must hold no uncommitted change of a tracked file. No branch moves. Whatever
    /// comes out, [`Repo::leave_merge`] leads back.
    ///
    /// # Errors
    /// [`GitError`] when git cannot be run in time.
    pub fn merge_apart(&self, order: &MergeOrder<'_>) -> Result<Merged, GitError> {
        let start = if order.strategy == MergeStrategy::Rebase { order.tip } else { order.base };
        let checkout = ["checkout", "--quiet", "--detach", "--no-overwrite-ignore", start, "--"];
        let started = self.writing_large().args(checkout).run()?;
        if !started.success {
            return Ok(Merged::Refused(started.message));
        }
        let finished = match order.strategy {
            MergeStrategy::Merge => self
                .merging()?
                .args(["merge", "--quiet", "--no-ff", "--no-autostash", "--no-stat", "-m", order.message, order.tip])
                .run()?,
            MergeStrategy::Squash => self.squash(order)?,
            MergeStrategy::Rebase => {
                let rebase = ["-c", "rebase.autoSquash=false", "-c", "rebase.updateRefs=false", "rebase", "--quiet", "--no-autostash"];
                self.merging()?.args(rebase).args([order.base]).run()?
            }
        };
        if finished.success {
            let Some(head) = self.head()? else { return Ok(Merged::Refused(finished.message)) };
            return Ok(Merged::Clean(head));
        }
        let files = self.unmerged()?;
        Ok(if files.is_empty() { Merged::Refused(finished.message) } else { Merged::Conflict(files) })
    }

    /// Leads back from a merge, finished or not, onto `branch`: what lies uncommitted in tracked files is part of the attempt, and goes.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
    pub fn leave_merge(&self, branch: &str) -> Result<(), GitError> {
        // Fails where no rebase is under way.
        let _ = self.writing_large().args(["rebase", "--quit"]).run()?;
        self.writing_large().args(["reset", "--hard", "--quiet"]).output("reset")?;
        self.writing_large().args(["checkout", "--quiet", "--force", branch, "--"]).output("checkout").map(drop)
    }

    /// Changes and new files that are not committed, by name; ignored ones and those below `.ralph/` left out; at most `max`.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
    pub fn uncommitted(&self, max: usize) -> Result<Vec<String>, GitError> {
        let snapshot = self.snapshot()?;
        Ok(snapshot.dirty.keys().take(max).map(|path| path.to_string_lossy().into_owned()).collect())
    }

    /// Commits everything outside `.ralph/` that is not ignored, with the hooks of the repository. The commit, or `None` when there was
    /// nothing.
    ///
    /// # Errors
    /// [`GitError::Failed`] when a hook refuses; then everything is as it was, but staged.
    pub fn commit_work(&self, message: &str) -> Result<Option<String>, GitError> {
        self.writing_large().args(["add", "--all"]).args(crate::OUTSIDE_RALPH).output("add")?;
        if self.reading().args(["diff", "--cached", "--quiet"]).run()?.success {
            return Ok(None);
        }
        self.merging()?.args(["commit", "--quiet", "--message", message]).output("commit")?;
        self.head()
    }

    fn squash(&self, order: &MergeOrder<'_>) -> Result<Finished, GitError> {
        let squashed = self.merging()?.args(["merge", "--quiet", "--squash", "--no-autostash", "--no-stat", order.tip]).run()?;
        // Without a difference there is nothing to commit: the base holds all of it.
        if !squashed.success || self.reading().args(["diff", "--cached", "--quiet"]).run()?.success {
            return Ok(squashed);
        }
        self.merging()?.args(["commit", "--quiet", "--message", order.message]).run()
    }

    /// A command that may make commits: hooks run, no editor opens, and no housekeeping stays behind.
    fn merging(&self) -> Result<Git, GitError> {
        let command = Git::writing(self.root()).within(MERGE_LIMIT).env("GIT_EDITOR", "true").env("GIT_MERGE_AUTOEDIT", "no");
        self.signed(command.args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"]))
    }

    fn unmerged(&self) -> Result<Vec<String>, GitError> {
        let listed = self.reading().args(["diff", "--name-only", "--diff-filter=U", "-z"]).output("diff")?;
        let paths = listed.split(|&byte| byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| path_from_bytes(path).to_string_lossy().into_owned()).collect())
    }

    fn merge_tree(&self, base: &str, tip: &str) -> Result<Finished, GitError> {
        self.reading().args(["merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", base, tip]).run()
    }

    /// The commit at which two histories part; `None` when they have nothing in common.
    pub(crate) fn fork_point(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        let found = self.reading().args(["merge-base", one, other]).run()?;
        match found.code {
            Some(0) => Ok(Some(found.text().trim().to_owned())),
            Some(1) => Ok(None),
            _ => Err(found.into_error("merge-base")),
        }
    }

    fn tree(&self, commit: &str) -> Result<String, GitError> {
        let tree = self.reading().args(["rev-parse", "--verify", &format!("{commit}^{{tree}}")]).output("rev-parse")?;
        Ok(String::from_utf8_lossy(&tree).trim().to_owned())
    }

    /// What stands for each patch of a text, whatever its line numbers are.
    fn patch_ids(&self, patches: Vec<u8>) -> Result<Vec<String>, GitError> {
        let ids = self.reading().args(["patch-id", "--stable"]).input(patches).output("patch-id")?;
        let first = |line: &str| line.split(' ').next().map(str::to_owned);
        Ok(String::from_utf8_lossy(&ids).lines().filter_map(first).collect())
    }
}
