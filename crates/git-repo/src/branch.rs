//! What a branch holds beside its base: commits, files with counts, and the differences.

use crate::command::path_from_bytes;
use crate::{GitError, Repo};
use std::collections::BTreeMap;

/// Bytes of the list of files that is read: some 50,000 of them.
const LIST_BYTES: usize = 8 * 1_048_576;
/// What a branch brings: all but Ralph's own file of what was learnt on it.
const WORK: [&str; 3] = ["--", ":(top)", ":(top,exclude,glob)**/.ralph/db/memory/staged/**"];
/// How differences are shown, whatever is configured: no program runs.
const SHOWN: [&str; 7] =
    ["--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short"];

/// What became of a file.
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
    /// It began as another one, which is still there.
    Copied,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Its path from the top folder; what is no UTF-8 is shown with `�`.
    pub path: String,
    /// Its name before, when it was renamed.
    pub old_path: Option<String>,
    /// What became of it.
    pub kind: ChangeKind,
    /// Lines that were added and removed; `None` when it is no text.
    pub lines: Option<(u32, u32)>,
}

/// A commit of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchCommit {
    /// Its full id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// Who wrote it.
    pub author: String,
    /// The second of the epoch in which it was written.
    pub time: i64,
    /// Files that it changed.
    pub files: u32,
}

impl Repo {
    /// Where a branch began: the last commit that it shares with its base, or the base when they share none.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
    pub fn branched_from(&self, base: &str, tip: &str) -> Result<String, GitError> {
        Ok(self.fork_point(base, tip)?.unwrap_or_else(|| base.to_owned()))
    }

    /// The parent that a commit is compared with; the empty tree for a first one.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
    pub fn before_commit(&self, commit: &str) -> Result<String, GitError> {
        let parent = self.reading().args(["rev-parse", "--verify", "--quiet", &format!("{commit}^1")]).run()?;
        if parent.success { Ok(parent.text().trim().to_owned()) } else { self.empty_tree() }
    }

    /// The commits of `tip` that `base` does not contain, oldest first; at most the newest `max`.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
    pub fn branch_commits(&self, base: &str, tip: &str, max: usize) -> Result<Vec<BranchCommit>, GitError> {
        let format = "--format=%x1e%H%x1f%an%x1f%at%x1f%s";
        let shown = ["log", format, "--shortstat", "--no-renames", "--diff-merges=first-parent", "--no-ext-diff", "--no-color"];
        let log = self.reading().args(shown).args([&format!("--max-count={max}"), &format!("{base}..{tip}"), "--"]).output("log")?;
        let text = String::from_utf8_lossy(&log);
        let mut commits: Vec<BranchCommit> = text.split('\u{1e}').filter_map(read_commit).collect();
        commits.reverse();
        Ok(commits)
    }

    /// The files that differ from `before` to `after`, by path.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
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
            let old_path = if matches!(kind, ChangeKind::Renamed | ChangeKind::Copied) { fields.next().map(shown_path) } else { None };
            let Some(path) = fields.next().map(shown_path) else { break };
            let lines = counts.get(&path).copied().flatten();
            changes.push(FileChange { path, old_path, kind, lines });
        }
        Ok(changes)
    }

    /// The differences from `before` to `after` as a unified diff of at most `max_bytes` bytes, of all files or those named by `paths`, and
    /// whether more was left out. Each file keeps `context` lines around a change.
    ///
    /// # Errors
    /// [`GitError`] when git fails or takes too long.
    pub fn diff_of(&self, before: &str, after: &str, paths: &[&str], context: u32, max_bytes: usize) -> Result<(String, bool), GitError> {
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
            // A torn last line would be read as another one.
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
