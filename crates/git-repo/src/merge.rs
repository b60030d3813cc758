//! Merging a branch and its base separately from both: the result is checked out in the branch's own work tree on a detached head,
//! where it can be checked before anything lands.

use crate::branch::Fork;
use crate::command::{CommandOutput, Git, place_around};
use crate::entries::Entries;
use crate::paths::{bytes_of_paths, path_from_bytes};
use crate::{GitError, Hooks, Repo, WORK, except, plain};
use ralph_core::conflict::FileConflict;
use ralph_core::text::cut;
use ralph_core::worktree::MergeStrategy;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Timeout of a merge: hooks may run whole test suites.
pub(crate) const MERGE_LIMIT: Duration = Duration::from_secs(1_800);

/// A rebase of what is checked out, whatever is configured.
const REBASE: [&str; 7] = ["-c", "rebase.autoSquash=false", "-c", "rebase.updateRefs=false", "rebase", "--quiet", "--no-autostash"];

/// Characters of the first line of a message beyond which commitlint refuses it.
const CONVENTIONAL_CHARS: usize = 100;

/// Ancestors that were found, with their descendants.
static ANCESTRY: Mutex<BTreeSet<(String, String)>> = Mutex::new(BTreeSet::new());
/// How many of them are kept: a run asks about the same few again and again.
const ANCESTRY_KEPT: usize = 1_000;

/// The parameters of a merge.
#[derive(Clone, Copy, Debug)]
pub struct MergeOrder<'a> {
    /// The last commit of the work.
    pub tip: &'a str,
    /// The last commit of the base.
    pub base: &'a str,
    /// The strategy.
    pub strategy: MergeStrategy,
    /// The message of a merge commit.
    pub message: &'a str,
}

/// Result of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeOutcome {
    /// This commit contains both, and is checked out on a detached head.
    Clean(String),
    /// These files have conflicting changes.
    Conflict(Vec<FileConflict>),
    /// Git or a hook refused, with its message.
    Refused(String),
    /// They merged, but the commit was refused, as by a hook, with its message.
    NotCommitted(String),
}

impl Repo {
    /// Whether `part` is an ancestor of `whole`; both are commits.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn is_ancestor(&self, part: &str, whole: &str) -> Result<bool, GitError> {
        // Commits never change, so neither does this.
        let pair = (part.to_owned(), whole.to_owned());
        let known = ANCESTRY.lock().unwrap_or_else(PoisonError::into_inner).contains(&pair);
        if known || part == whole && plain::certainly_has(self.root(), part) {
            return Ok(true);
        }
        let found = self.reading().args(["merge-base", "--is-ancestor", part, whole]).run()?;
        if found.success && [part, whole].iter().all(|id| plain::is_commit(id)) {
            let mut known = ANCESTRY.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= ANCESTRY_KEPT {
                known.clear();
            }
            known.insert(pair);
        }
        if found.success || found.code == Some(1) { Ok(found.success) } else { Err(found.into_error("merge-base")) }
    }

    /// Whether a branch, here or of a remote, or a tag leads to a commit.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn is_referenced(&self, commit: &str) -> Result<bool, GitError> {
        let places = ["refs/heads", "refs/remotes", "refs/tags"];
        let found = self.reading().args(["for-each-ref", "--count=1", "--format=%(refname)", "--contains", commit]).args(places);
        Ok(!found.output("for-each-ref")?.is_empty())
    }

    /// Merges the two in this work tree, which must have no uncommitted change of a tracked file. No branch moves. Whatever the
    /// result, [`Repo::leave_merge`] restores the branch.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn merge_apart(&self, order: &MergeOrder<'_>) -> Result<MergeOutcome, GitError> {
        let start = if order.strategy == MergeStrategy::Rebase { order.tip } else { order.base };
        let checkout = ["checkout", "--quiet", "--detach", "--no-overwrite-ignore", start, "--"];
        let started = self.writing_large().stoppable().args(checkout).run()?;
        if !started.success && !self.is_apart_at(start)? {
            return Ok(MergeOutcome::Refused(started.message));
        }
        let finished = match order.strategy {
            MergeStrategy::Merge => self
                .merging(Hooks::Run)?
                .args(["merge", "--quiet", "--no-ff", "--no-autostash", "--no-stat", "-m", order.message, order.tip])
                .run()?,
            MergeStrategy::Squash => self.squash(order)?,
            MergeStrategy::Rebase => self.merging(Hooks::Run)?.args(REBASE).args([order.base]).run()?,
        };
        self.outcome(finished)
    }

    /// How a merge or a rebase here ended.
    fn outcome(&self, finished: CommandOutput) -> Result<MergeOutcome, GitError> {
        if finished.success {
            let Some(head) = self.head()? else { return Ok(MergeOutcome::Refused(finished.message)) };
            return Ok(MergeOutcome::Clean(head));
        }
        let files = self.unmerged()?;
        if !files.is_empty() {
            return Ok(MergeOutcome::Conflict(files));
        }
        let is_merged = self.diffing().args(["--cached", "--quiet"]).run()?.code == Some(1);
        Ok(if is_merged { MergeOutcome::NotCommitted(finished.message) } else { MergeOutcome::Refused(finished.message) })
    }

    /// The work from `fork` to `tip` on top of `base` instead, checked out here as in [`Repo::merge_apart`]: commit by commit where that is
    /// all of it, and otherwise as one commit with `message`. A rebase leaves out what merge commits of the work change themselves, and its
    /// commits may conflict with the base one by one although the result does not.
    ///
    /// # Errors
    /// [`GitError::Failed`] if changes here would be lost.
    pub fn replant_apart(&self, fork: &Fork, tip: &str, base: &str, message: &str) -> Result<MergeOutcome, GitError> {
        let Some(wanted) = self.merged_tree(fork, base, tip)? else {
            return Ok(MergeOutcome::Conflict(self.conflicts(Some(fork), base, tip)?));
        };
        if !self.has_merges(&fork.commit, tip)? {
            self.check_out_apart(tip)?;
            let rebased = self.merging(Hooks::Run)?.args(REBASE).args(["--onto", base, &fork.commit]).run()?;
            if let Some(head) = self.head()?.filter(|_| rebased.success)
                && self.tree_of(&head)? == wanted
            {
                return Ok(MergeOutcome::Clean(head));
            }
            self.end_attempt()?;
        }
        let whole = self.signed(self.writing_large())?.args(["commit-tree", &wanted, "-p", base, "-m", message]).output("commit-tree")?;
        let whole = String::from_utf8_lossy(&whole).trim().to_owned();
        self.check_out_apart(&whole)?;
        Ok(MergeOutcome::Clean(whole))
    }

    /// Whether a branch at `tip` contains merges that `base` does not.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn has_merges(&self, base: &str, tip: &str) -> Result<bool, GitError> {
        let range = format!("{base}..{tip}");
        Ok(!self.reading().args(["rev-list", "--merges", "--max-count=1", &range, "--"]).output("rev-list")?.is_empty())
    }

    /// Checks out a commit here on a detached head, so that further commits move no branch.
    ///
    /// # Errors
    /// [`GitError::Failed`] if changes here would be lost.
    pub fn check_out_apart(&self, commit: &str) -> Result<(), GitError> {
        let args = ["checkout", "--quiet", "--detach", "--no-overwrite-ignore", commit, "--"];
        let done = self.writing_large().stoppable().args(args).run()?;
        if done.success || self.is_apart_at(commit)? { Ok(()) } else { Err(done.into_error("checkout")) }
    }

    /// Whether `commit` is checked out without a branch: a hook that only complained after the check-out changed nothing about that.
    fn is_apart_at(&self, commit: &str) -> Result<bool, GitError> {
        Ok(self.branch()?.is_none() && self.head()?.as_deref() == Some(commit) && self.uncommitted_tracked(1)?.is_empty())
    }

    /// Brings `branch` forward to what is checked out here on another branch or on none, if that only adds to it, and checks it out; no
    /// file changes, and the other branch stays. Returns whether `branch` is checked out now.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
    pub fn adopt(&self, branch: &str) -> Result<bool, GitError> {
        if self.branch()?.as_deref() == Some(branch) {
            return Ok(true);
        }
        let (Some(head), Some(tip)) = (self.head()?, self.branch_tip(branch)?) else { return Ok(false) };
        if !self.operations()?.is_empty() || !self.is_ancestor(&tip, &head)? {
            return Ok(false);
        }
        if self.worktrees()?.iter().any(|other| other.branch.as_deref() == Some(branch)) {
            return Ok(false);
        }
        let name = format!("refs/heads/{branch}");
        self.writing_large()
            .args(["update-ref", "-m", "ralph: work that was committed elsewhere", &name, &head, &tip])
            .output("update-ref")?;
        self.writing_large().args(["symbolic-ref", "HEAD", &name]).output("symbolic-ref")?;
        Ok(true)
    }

    /// Returns from a merge, finished or not, to `branch`: uncommitted changes of tracked files belong to the attempt, and are discarded.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn leave_merge(&self, branch: &str) -> Result<(), GitError> {
        self.end_attempt()?;
        // Somebody may have checked it out in another folder meanwhile, since nothing is on it here.
        let checkout = ["checkout", "--quiet", "--force", "--ignore-other-worktrees", branch, "--"];
        let back = self.writing_large().args(checkout).run()?;
        // A hook that only complained after the check-out changed nothing about that.
        if back.success || self.branch()?.as_deref() == Some(branch) { Ok(()) } else { Err(back.into_error("checkout")) }
    }

    /// Ends a merge or a rebase here, finished or not, without what it left in tracked files.
    fn end_attempt(&self) -> Result<(), GitError> {
        // Fails if no rebase is in progress.
        let _ = self.writing_large().args(["rebase", "--quit"]).run()?;
        self.writing_large().args(["reset", "--hard", "--quiet"]).output("reset").map(drop)
    }

    /// Uncommitted work, by name, without ignored files; at most `max`.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn uncommitted(&self, max: usize) -> Result<Vec<String>, GitError> {
        let snapshot = self.snapshot()?;
        Ok(snapshot.dirty.keys().take(max).map(|path| path.to_string_lossy().into_owned()).collect())
    }

    /// Tracked files that differ from HEAD, staged or not; at most `max`.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn uncommitted_tracked(&self, max: usize) -> Result<Vec<String>, GitError> {
        let listed = self.diffing().args(["--name-only", "-z", "HEAD"]).args(self.work()).output("diff")?;
        let paths = listed.split(|&byte| byte == 0).filter(|path| !path.is_empty());
        Ok(paths.take(max).map(|path| path_from_bytes(path).to_string_lossy().into_owned()).collect())
    }

    /// Commits all work that is not ignored, with or without hooks, including what a hook made of it. Returns the commit, or `None` if
    /// there was nothing.
    ///
    /// # Errors
    /// [`GitError::Failed`] if a hook refuses; then everything is unchanged, but staged. The same, with nothing staged, if files are in
    /// conflict and nobody has resolved that, and [`GitError::TooLarge`] for new files that are too large for git hosts.
    pub fn commit_work(&self, message: &str, hooks: Hooks) -> Result<Option<String>, GitError> {
        let Some(work) = self.uncommitted_entries()? else { return Ok(None) };
        // Adding them would tell git that they are resolved.
        let unsettled = self.unsettled()?;
        if !unsettled.is_empty() {
            let message = format!("nobody has settled the conflict in {}", unsettled.join(", "));
            return Err(GitError::Failed { command: "commit", message });
        }
        let files = self.too_large(&work.untracked)?;
        if !files.is_empty() {
            return Err(GitError::TooLarge { files });
        }
        self.stage_work(&work)?;
        if self.diffing().args(["--cached", "--quiet"]).run()?.success {
            return Ok(None);
        }
        self.commit_staged(message, hooks)?;
        // A hook that formats files leaves it to the committer to add them, which is done here. What differs need not be a file: a
        // submodule with changes of its own can't be added.
        if !self.uncommitted_tracked(1)?.is_empty() {
            self.writing_large().args(["add", "--update", "--sparse"]).args(self.work()).output("add")?;
            if !self.diffing().args(["--cached", "--quiet"]).run()?.success {
                self.merging(hooks)?.args(["commit", "--quiet", "--amend", "--no-edit"]).output("commit")?;
            }
        }
        self.head()
    }

    /// Commits what is staged. Ralph chose the message, so it is not the work's fault if a hook refuses it: the hook is asked once more,
    /// with the message in another form.
    fn commit_staged(&self, message: &str, hooks: Hooks) -> Result<(), GitError> {
        let commit = |message: &str| self.merging(hooks)?.args(["commit", "--quiet", "--message", message]).run();
        // Git writes the message into this file once `pre-commit` has passed, and then asks about it.
        let asked = place_around(self.root()).map(|place| place.own.join("COMMIT_EDITMSG"));
        asked.iter().for_each(|file| drop(std::fs::remove_file(file)));
        let refused = commit(message)?;
        let may_be_the_message = || asked.is_some_and(|file| file.exists()) && self.has_commit_hooks().unwrap_or(false);
        if refused.success || hooks == Hooks::Run && may_be_the_message() && commit(&conventional(message))?.success {
            return Ok(());
        }
        Err(refused.into_error("commit"))
    }

    /// Stages all work, new files included.
    pub(crate) fn stage_work(&self, work: &Entries) -> Result<(), GitError> {
        // Past the `--` that separates paths from options: here they come by the input, since a command line may have no room for so many.
        let selected: Vec<OsString> = self.work().into_iter().skip(1).chain(work.generated.iter().map(|folder| except(folder))).collect();
        let paths = bytes_of_paths(selected.iter().map(Path::new));
        let add = ["add", "--all", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"];
        self.writing_large().stoppable().args(add).input(paths).output("add").map(drop)
    }

    /// Commits one file and nothing else, whatever else is staged; no hook runs, since it is not a person's work. No effect if unchanged.
    ///
    /// # Errors
    /// [`GitError::Failed`] if git refuses, as it does during a merge.
    pub fn commit_file(&self, path: &Path, message: &str) -> Result<(), GitError> {
        // Also where a sparse checkout leaves the file out.
        self.writing_large().args(["add", "--sparse", "--"]).args([path]).output("add")?;
        if self.diffing().args(["--cached", "--quiet", "--"]).args([path]).run()?.success {
            return Ok(());
        }
        self.merging(Hooks::Skip)?.args(["commit", "--quiet", "--only", "--message", message, "--"]).args([path]).output("commit")?;
        Ok(())
    }

    /// Whether any work differs between two commits.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn differs(&self, one: &str, other: &str) -> Result<bool, GitError> {
        self.differs_in(one, other, WORK)
    }

    pub(crate) fn differs_in<A: AsRef<OsStr>>(&self, one: &str, other: &str, paths: impl IntoIterator<Item = A>) -> Result<bool, GitError> {
        if one == other {
            return Ok(false);
        }
        let found = self.diffing().args(["--quiet", one, other]).args(paths).run()?;
        match found.code {
            Some(0) => Ok(false),
            Some(1) => Ok(true),
            _ => Err(found.into_error("diff")),
        }
    }

    /// Whether git ignores a file that it does not track.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn is_ignored(&self, path: &Path) -> Result<bool, GitError> {
        Ok(self.reading().args(["check-ignore", "--quiet", "--"]).args([path]).run()?.success)
    }

    fn squash(&self, order: &MergeOrder<'_>) -> Result<CommandOutput, GitError> {
        let squashed =
            self.merging(Hooks::Run)?.args(["merge", "--quiet", "--squash", "--ff", "--no-autostash", "--no-stat", order.tip]).run()?;
        // Without a difference there is nothing to commit: the base contains all of it.
        if !squashed.success || self.diffing().args(["--cached", "--quiet"]).run()?.success {
            return Ok(squashed);
        }
        self.merging(Hooks::Run)?.args(["commit", "--quiet", "--message", order.message]).run()
    }

    /// A command that may create commits: no editor opens, and no background maintenance is started.
    pub(crate) fn merging(&self, hooks: Hooks) -> Result<Git, GitError> {
        let command = Git::hooked(self.root(), hooks).within(MERGE_LIMIT).env("GIT_EDITOR", "true").env("GIT_MERGE_AUTOEDIT", "no");
        self.signed(command.args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"]))
    }
}

/// A message in the form of Conventional Commits, as commitlint wants it by default: with a type, and a subject that begins in lower case and
/// ends without a full stop.
fn conventional(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    let whole: String = "chore: ".chars().chain(first).chain(letters).collect();
    cut(&whole, CONVENTIONAL_CHARS).trim_end_matches(['.', ' ']).to_owned()
}
