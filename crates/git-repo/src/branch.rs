//! The content of a branch compared with its base: commits, files with counts, and the diff; and whether there is any.

use crate::paths::path_from_bytes;
use crate::{GitError, Repo, WORK};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Bytes read of the list of files: some 50,000 of them.
const LIST_BYTES: usize = 8 * 1_048_576;
/// Diff options that override any configuration: no program runs.
const SHOWN: [&str; 7] =
    ["--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short"];

/// Kind of change to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content, mode or type differs.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another name.
    Renamed,
    /// It was copied from another one that still exists.
    Copied,
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Its path from the root; non-UTF-8 bytes are shown as `�`.
    pub path: String,
    /// Its previous name, if it was renamed.
    pub old_path: Option<String>,
    /// Both in git's own form.
    pub names: Vec<PathBuf>,
    /// Kind of change.
    pub kind: ChangeKind,
    /// Lines added and removed; `None` for a binary file.
    pub lines: Option<(u32, u32)>,
}

/// A commit of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchCommit {
    /// Its full hash.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// Author.
    pub author: String,
    /// Commit time in seconds since the epoch.
    pub time: i64,
    /// Number of changed files.
    pub files: u32,
}

/// Where the work of a branch begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// The commit.
    pub commit: String,
    /// Whether git would use another commit as the fork: an older one if the base lacks this one, so that the commits between would count
    /// as work, or a newer one if the base has reverted the commits between, so that they would not.
    pub is_left: bool,
}

impl Fork {
    /// The commit, if git must be told it in order to merge.
    pub(crate) fn told(&self) -> Option<&str> {
        self.is_left.then_some(self.commit.as_str())
    }
}

/// What the reflog says about a branch that [`Repo::add_worktree`] made.
pub(crate) const BEGUN: &str = "branch: created by Ralph";

impl Repo {
    /// Whether [`Repo::add_worktree`] made a branch and nothing happened to it since: its reflog has one line, which says so. Runs no
    /// program.
    pub fn is_just_begun(&self, branch: &str) -> bool {
        let log = self.common_folder().ok().and_then(|common| std::fs::read(common.join("logs/refs/heads").join(branch)).ok());
        log.is_some_and(|log| {
            let mut lines = log.strip_suffix(b"\n").unwrap_or(&log).split(|byte| *byte == b'\n');
            lines.next().is_some_and(|line| line.ends_with(BEGUN.as_bytes())) && lines.next().is_none()
        })
    }

    /// Where the work at `tip`, started from `start`, begins compared with `base`; `None` if those two have no commit in common. Normally
    /// that is the last commit that they share. If somebody has since taken commits off the base, or they went into it in another form, it
    /// is `start`, unless the work has taken something from the base since. It is also `start` if the base merged commits of the work and
    /// reverted them.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn fork_of(&self, start: &str, tip: &str, base: &str) -> Result<Option<Fork>, GitError> {
        let Some(shared) = self.fork_point(base, tip)? else { return Ok(None) };
        let is_left = shared != start
            && self.has_commit(start)?
            && self.is_ancestor(start, tip)?
            && (self.is_ancestor(&shared, start)? || self.is_taken_back(start, &shared, tip, base)?);
        Ok(Some(Fork { commit: if is_left { start.to_owned() } else { shared }, is_left }))
    }

    /// Whether `base` merged the work from `start` to `shared`, which has since continued to `tip`, and no longer has any of it. What
    /// the work itself merged does not count as its own, and neither does what was committed on the base.
    fn is_taken_back(&self, start: &str, shared: &str, tip: &str, base: &str) -> Result<bool, GitError> {
        let range = format!("{start}..{tip}");
        let own = self.reading().args(["rev-list", "--first-parent", &range, "--"]).output("rev-list")?;
        let is_own = String::from_utf8_lossy(&own).lines().any(|commit| commit == shared);
        Ok(is_own && self.merge_of(shared, base)?.is_some() && self.is_without(start, shared, base)?)
    }

    /// The fork point of a branch: the last commit shared with its base, or the base if they share none.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn branched_from(&self, base: &str, tip: &str) -> Result<String, GitError> {
        Ok(self.fork_point(base, tip)?.unwrap_or_else(|| base.to_owned()))
    }

    /// Whether this is the name of a folder of branches, so that no branch can have it.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn has_branches_below(&self, branch: &str) -> Result<bool, GitError> {
        let below = format!("refs/heads/{branch}/");
        Ok(!self.reading().args(["for-each-ref", "--count=1", "--format=%(refname)", &below]).output("for-each-ref")?.is_empty())
    }

    /// Whether two commits have one in common.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn are_related(&self, one: &str, other: &str) -> Result<bool, GitError> {
        Ok(self.fork_point(one, other)?.is_some())
    }

    /// The merge base of two histories; `None` if they have nothing in common.
    pub(crate) fn fork_point(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        let found = self.reading().args(["merge-base", one, other]).run()?;
        match found.code {
            Some(0) => Ok(Some(found.text().trim().to_owned())),
            Some(1) => Ok(None),
            _ => Err(found.into_error("merge-base")),
        }
    }

    /// The parent that a commit is compared with; the empty tree for a root commit.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn before_commit(&self, commit: &str) -> Result<String, GitError> {
        let parent = self.reading().args(["rev-parse", "--verify", "--quiet", &format!("{commit}^1")]).run()?;
        if parent.success { Ok(parent.text().trim().to_owned()) } else { self.empty_tree() }
    }

    /// The commits of `tip` that `base` does not contain, oldest first; at most the newest `max`.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn branch_commits(&self, base: &str, tip: &str, max: usize) -> Result<Vec<BranchCommit>, GitError> {
        let format = "--format=%x1e%H%x1f%an%x1f%at%x1f%s";
        let shown = ["log", format, "--shortstat", "--no-renames", "--diff-merges=first-parent", "--no-ext-diff", "--no-color"];
        let log = self.reading().args(shown).args([&format!("--max-count={max}"), &format!("{base}..{tip}"), "--"]).output("log")?;
        let text = String::from_utf8_lossy(&log);
        let mut commits: Vec<BranchCommit> = text.split('\u{1e}').filter_map(read_commit).collect();
        commits.reverse();
        Ok(commits)
    }

    /// The files that differ between `before` and `after`, by path.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn changes_between(&self, before: &str, after: &str) -> Result<Vec<FileChange>, GitError> {
        let diff = |kind| {
            self.reading().args(["diff", "-z", kind]).args(SHOWN).args([before, after]).args(WORK).at_most(LIST_BYTES).output("diff")
        };
        let counts = read_counts(&diff("--numstat")?);
        let statuses = diff("--name-status")?;
        let mut fields = statuses.split(|&byte| byte == 0).filter(|field| !field.is_empty());
        let mut changes = Vec::new();
        while let Some(status) = fields.next() {
            let kind = match status.first() {
                Some(b'A') => ChangeKind::Added,
                Some(b'D') => ChangeKind::Deleted,
                Some(b'R') => ChangeKind::Renamed,
                Some(b'C') => ChangeKind::Copied,
                _ => ChangeKind::Modified,
            };
            let old = if matches!(kind, ChangeKind::Renamed | ChangeKind::Copied) { fields.next() } else { None };
            let Some(name) = fields.next() else { break };
            let path = shown_path(name);
            let lines = counts.get(&path).copied().flatten();
            let names = [Some(name), old].into_iter().flatten().map(path_from_bytes).collect();
            changes.push(FileChange { path, old_path: old.map(shown_path), names, kind, lines });
        }
        Ok(changes)
    }

    /// The unified diff from `before` to `after`, at most `max_bytes` bytes, of all files or those in `paths`, and
    /// whether it was truncated. Each file has `context` lines around a change.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn diff_of(
        &self,
        before: &str,
        after: &str,
        paths: &[PathBuf],
        context: u32,
        max_bytes: usize,
    ) -> Result<(String, bool), GitError> {
        let unified = format!("--unified={context}");
        let git = if paths.is_empty() { self.reading() } else { self.reading().args(["--literal-pathspecs"]) };
        let diff = git.args(["diff", &unified]).args(SHOWN).args([before, after]);
        let diff = if paths.is_empty() { diff.args(WORK) } else { diff.args(["--"]).args(paths) };
        let found = diff.at_most(max_bytes).run()?;
        if !found.success {
            return Err(found.into_error("diff"));
        }
        let mut text = found.text();
        if found.cut {
            // A torn last line could be misread.
            text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        }
        Ok((text, found.cut))
    }
}

fn read_commit(record: &str) -> Option<BranchCommit> {
    let (head, rest) = record.split_once('\n').unwrap_or((record, ""));
    let mut fields = head.splitn(4, '\u{1f}');
    let id = fields.next().filter(|id| id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    let (author, time, subject) = (fields.next()?, fields.next()?, fields.next()?);
    let files = rest.trim().split(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0);
    Some(BranchCommit { id: id.to_owned(), subject: subject.to_owned(), author: author.to_owned(), time: time.parse().ok()?, files })
}

/// Added and removed lines by path: `1\t2\tpath`, or for a rename `1\t2\t`, the old path, the new one.
fn read_counts(listed: &[u8]) -> BTreeMap<String, Option<(u32, u32)>> {
    let mut counts = BTreeMap::new();
    let mut fields = listed.split(|&byte| byte == 0);
    while let Some(field) = fields.next().filter(|field| !field.is_empty()) {
        let mut parts = field.splitn(3, |&byte| byte == b'\t');
        let mut number = || parts.next().and_then(|part| std::str::from_utf8(part).ok()).and_then(|part| part.parse::<u32>().ok());
        let lines = number().zip(number());
        let path = match parts.next() {
            Some(path) if !path.is_empty() => Some(path),
            _ => fields.nth(1),
        };
        let Some(path) = path else { break };
        counts.insert(shown_path(path), lines);
    }
    counts
}

fn shown_path(bytes: &[u8]) -> String {
    path_from_bytes(bytes).to_string_lossy().into_owned()
}
