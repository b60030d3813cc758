//! What has landed: whether a branch has the work of another one, however it got there, and whether it still has it.

use crate::branch::Fork;
use crate::{GitError, Repo};
use std::path::Path;

/// Maximum bytes of patches that are compared with a branch's.
const PATCH_BYTES: usize = 32 * 1_048_576;
/// Of a merge the tree, and the names of the files that conflict.
const NAMES: [&str; 2] = ["--no-messages", "--name-only"];

impl Repo {
    /// Whether `base` contains the work at `tip` that was started from `start`: it took it, and has not reverted it since.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn has_landed(&self, start: &str, tip: &str, base: &str) -> Result<bool, GitError> {
        if !self.has_taken(start, tip, base)? {
            return Ok(false);
        }
        if self.is_ancestor(tip, base)? {
            return Ok(!self.is_without(start, tip, base)?);
        }
        // With a merge driver a merge may add nothing although the base has none of the work.
        let fork = self.fork_of(start, tip, base)?;
        Ok(!self.lacks(fork.as_ref().map_or(start, |fork| &fork.commit), tip, base)?)
    }

    /// Whether `base` took everything of the work at `tip` that was started from `start`, whatever became of it there: its commits, the
    /// same patches (a rebase), all of it in one commit (a squash), or a merge of it would change nothing.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn has_taken(&self, start: &str, tip: &str, base: &str) -> Result<bool, GitError> {
        if self.is_ancestor(tip, base)? {
            return Ok(true);
        }
        let Some(fork) = self.fork_of(start, tip, base)? else { return Ok(false) };
        if self.adds_nothing(&fork, tip, base)? {
            return Ok(true);
        }
        match self.taken_as_patches(&fork, tip, base) {
            // A partial clone may lack what the patches are made from.
            Err(GitError::Failed { .. }) => Ok(false),
            told => told,
        }
    }

    /// Whether the base has the work as the same patches, or as one. The same patch may be at another place, or indented differently, so it
    /// counts only if a merge of the work would have changed nothing once the base had it.
    fn taken_as_patches(&self, fork: &Fork, tip: &str, base: &str) -> Result<bool, GitError> {
        let since = format!("{}..{base}", fork.commit);
        let theirs = self.patches(&since)?;
        if theirs.is_empty() {
            return Ok(false);
        }
        let whole = self.diffing().args([&fork.commit, tip]).at_most(PATCH_BYTES).output("diff")?;
        let whole: Vec<String> = self.patch_ids(whole)?.into_iter().map(|(id, _)| id).collect();
        for (_, commit) in theirs.iter().filter(|(id, _)| whole.contains(id)) {
            if self.adds_nothing(fork, tip, commit)? {
                return Ok(true);
            }
        }
        // Merges may change something themselves, and commits that the base merged may have been reverted.
        if fork.is_left && self.is_ancestor(&fork.commit, base)? || self.has_merges(&fork.commit, tip)? {
            return Ok(false);
        }
        let ours = self.patches(&format!("{}..{tip}", fork.commit))?;
        let is_picked = !ours.is_empty() && ours.iter().all(|(own, _)| theirs.iter().any(|(id, _)| id == own));
        let newest = theirs.iter().find(|(id, _)| ours.iter().any(|(own, _)| own == id)).filter(|_| is_picked);
        newest.map_or(Ok(false), |(_, commit)| self.adds_nothing(fork, tip, commit))
    }

    /// Whether `base` has nothing left of the changes of the work at `tip` that was started from `start`: they never got there, or were
    /// reverted. If the same lines have changed in another way since, nobody can tell, and they count as present; so does what the merge
    /// itself left out, which was decided by whoever resolved its conflicts.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn is_without(&self, start: &str, tip: &str, base: &str) -> Result<bool, GitError> {
        let is_inside = self.is_ancestor(tip, base)?;
        let merge = if is_inside { self.merge_of(tip, base)? } else { None };
        // What the work had merged from the base by then is not a change of its own.
        let fork = match &merge {
            Some((_, before)) => self.fork_of(start, tip, before)?,
            None if is_inside => None,
            None => self.fork_of(start, tip, base)?,
        };
        if !self.lacks(fork.as_ref().map_or(start, |fork| &fork.commit), tip, base)? {
            return Ok(false);
        }
        let took_nothing = match (&merge, &fork) {
            (Some((merge, _)), Some(fork)) => self.lacks(&fork.commit, tip, merge)?,
            // Left to a merge driver.
            (None, Some(fork)) => self.adds_nothing(fork, tip, base)?,
            (_, None) => false,
        };
        Ok(!took_nothing)
    }

    /// The first of the commits before `start`, where the work at `tip` began, that `base` has removed from its history and that merging
    /// the work would bring back, although the work has merged something from `base` since; `None` if there is none. What got into `base`
    /// in another form counts as present.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn brings_back(&self, start: &str, tip: &str, base: &str) -> Result<Option<String>, GitError> {
        if self.is_ancestor(start, base)? || !self.has_commit(start)? || !self.is_ancestor(start, tip)? {
            return Ok(None);
        }
        let Some(shared) = self.fork_point(start, base)? else { return Ok(None) };
        let is_off = self.still_changes(&shared, start, base)? == Some(false);
        Ok(if is_off && self.still_changes(&shared, start, tip)? != Some(false) { Some(shared) } else { None })
    }

    /// Whether a merge of the work would leave `base` as it is.
    fn adds_nothing(&self, fork: &Fork, tip: &str, base: &str) -> Result<bool, GitError> {
        let merged = self.merged_tree(fork, base, tip)?;
        Ok(merged.is_some() && merged == Some(self.tree_of(base)?))
    }

    fn lacks(&self, start: &str, tip: &str, base: &str) -> Result<bool, GitError> {
        let Some((tree, conflicts)) = self.taken_out(start, tip, base)? else { return Ok(false) };
        Ok(conflicts.is_empty() && !self.differs(&tree, base)? && self.differs(start, tip)?)
    }

    /// The merge that brought `tip` into `base`, and the commit that the base was at before; `None` if `tip` is not part of `base`, or
    /// became its last commit.
    pub(crate) fn merge_of(&self, tip: &str, base: &str) -> Result<Option<(String, String)>, GitError> {
        let since = ["rev-list", "--merges", "--ancestry-path", "--topo-order", "--parents", "--reverse"];
        let listed = self.reading().args(since).args([&format!("{tip}..{base}"), "--"]).output("rev-list")?;
        let text = String::from_utf8_lossy(&listed);
        let mut first = text.lines().next().unwrap_or_default().split(' ');
        let (Some(merge), Some(parent)) = (first.next(), first.next()) else { return Ok(None) };
        Ok((!self.is_ancestor(tip, parent)?).then(|| (merge.to_owned(), parent.to_owned())))
    }

    /// Whether `head` still has the changes from `before` to `after`, or a part of them: removing them from `head` would change something.
    /// `None` = they touched only files of Ralph, later changes of the same lines keep them from being removed, one of the files has been
    /// renamed since, or git can't tell.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn still_changes(&self, before: &str, after: &str, head: &str) -> Result<Option<bool>, GitError> {
        if !self.differs_in(before, after, self.work())? {
            return Ok(None);
        }
        let Some((tree, conflicts)) = self.taken_out(before, after, head)? else { return Ok(None) };
        // Ralph appends to its journals, whatever is reverted.
        let is_ralphs = |file: &String| self.ralphs.as_ref().is_some_and(|ralphs| Path::new(file).starts_with(ralphs));
        if !conflicts.iter().all(is_ralphs) {
            return Ok(None);
        }
        let changes = self.differs_in(&tree, head, self.work())?;
        // A file that was moved and then rewritten is another one to a merge.
        if changes || !self.has_moved(before, after, head)? { Ok(Some(changes)) } else { Ok(None) }
    }

    /// Whether a file that changed from `before` to `after` was moved on the way to `head`.
    fn has_moved(&self, before: &str, after: &str, head: &str) -> Result<bool, GitError> {
        let changed = self.changes_between(before, after)?;
        let log = ["log", "--format=", "--diff-filter=R", "--name-status", "--find-renames", "--no-ext-diff", "-z"];
        let told = self.reading().args(log).args([&format!("{after}..{head}"), "--"]).at_most(PATCH_BYTES).output("log")?;
        let text = String::from_utf8_lossy(&told);
        let parts: Vec<&str> = text.split('\0').filter(|part| !part.is_empty()).collect();
        // For each its similarity, the old name and the new one.
        let mut old = parts.chunks(3).filter_map(|rename| rename.get(1));
        Ok(old.any(|old| changed.iter().any(|change| change.path == *old)))
    }

    /// The tree of `head` without what changed from `before` to `after`, and the files whose later changes keep that from being removed;
    /// `None` if git can't tell.
    fn taken_out(&self, before: &str, after: &str, head: &str) -> Result<Option<(String, Vec<String>)>, GitError> {
        let taken_out = self.merge_tree(Some(after), [head, before], &NAMES)?.told;
        // Ends with 1 if there are conflicts, whose files follow the tree.
        if !taken_out.success && taken_out.code != Some(1) {
            return Ok(None);
        }
        let text = taken_out.text();
        let mut told = text.split('\0').filter(|part| !part.is_empty()).map(str::to_owned);
        Ok(told.next().map(|tree| (tree, told.collect())))
    }

    /// The tree of `base` with the work from `fork` to `tip`; `None` if the two conflict, or git can't tell.
    pub(crate) fn merged_tree(&self, fork: &Fork, base: &str, tip: &str) -> Result<Option<String>, GitError> {
        let merged = self.merge_tree(fork.told(), [base, tip], &NAMES)?.told;
        Ok(merged.success.then(|| merged.text().trim_end_matches('\0').trim().to_owned()))
    }

    /// The ids of the patches of a range, each with its commit, children before their parents.
    fn patches(&self, range: &str) -> Result<Vec<(String, String)>, GitError> {
        let log = ["log", "--topo-order", "--no-merges", "--patch", "--no-ext-diff", "--no-textconv", "--no-color"];
        self.patch_ids(self.reading().args(log).args([range, "--"]).at_most(PATCH_BYTES).output("log")?)
    }

    /// An id for each patch of a text, independent of line numbers and blanks, with its commit if the text names it.
    fn patch_ids(&self, patches: Vec<u8>) -> Result<Vec<(String, String)>, GitError> {
        let ids = self.reading().args(["patch-id", "--stable"]).input(patches).output("patch-id")?;
        let pair = |line: &str| line.split_once(' ').map(|(id, commit)| (id.to_owned(), commit.to_owned()));
        Ok(String::from_utf8_lossy(&ids).lines().filter_map(pair).collect())
    }
}
