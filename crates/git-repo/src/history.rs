//! History of commits: which are new, and what changed.

use crate::entries::Entries;
use crate::paths::path_from_bytes;
use crate::{GitError, Repo, plain};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Characters kept of a commit's subject: one line on screen.
const SUBJECT_CHARS: usize = 200;
/// Untracked files whose content is included in a diff; more are an unpacked archive, not work.
const DIFFED_UNTRACKED: usize = 50;

impl Repo {
    /// The commits reachable from `after` and not from `before`, newest first, as `abc1234 subject`; at most `max`. `None` stands for
    /// "no commit yet". If history was rewritten so that `before` is gone, only `after` itself is known to be new.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn commits_between(&self, before: Option<&str>, after: Option<&str>, max: usize) -> Result<Vec<String>, GitError> {
        self.commits_beyond(before, after, &[], max)
    }

    /// The same, without commits that one of `others` contains; ids in `others` that are not commits here are ignored.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn commits_beyond(
        &self,
        before: Option<&str>,
        after: Option<&str>,
        others: &[String],
        max: usize,
    ) -> Result<Vec<String>, GitError> {
        let Some(after) = after else { return Ok(Vec::new()) };
        if before == Some(after) || !self.has_commit(after)? {
            return Ok(Vec::new());
        }
        let (before, max) = match before {
            None => (None, max),
            Some(before) if self.has_commit(before)? => (Some(before), max),
            Some(_) => (None, max.min(1)),
        };
        let count = format!("--max-count={max}");
        let log = self.log_beyond(before, after, others, &["--no-decorate", "--no-color", "--format=%h %s", &count])?;
        let commits = log.split(|&byte| byte == 0).filter(|commit| !commit.is_empty());
        Ok(commits.map(|commit| String::from_utf8_lossy(commit).chars().take(SUBJECT_CHARS).collect()).collect())
    }

    /// The files that commits between two others changed only where one of `others` contains them: by what was pulled or merged. Empty if
    /// all commits are new, of which there are `new`.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn files_of_others(
        &self,
        before: Option<&str>,
        after: Option<&str>,
        others: &[String],
        new: usize,
    ) -> Result<BTreeSet<PathBuf>, GitError> {
        let (Some(before), Some(after)) = (before, after) else { return Ok(BTreeSet::new()) };
        if before == after || !self.has_commit(before)? || self.commits_between(Some(before), Some(after), new + 1)?.len() <= new {
            return Ok(BTreeSet::new());
        }
        let files = |others: &[String]| self.files_of_commits(Some(before), Some(after), others);
        Ok(&files(&[])? - &files(others)?)
    }

    /// The files that the commits between two others changed, also those that a later one took out again, without the commits that one of
    /// `others` contains; none if `before` is gone.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn files_of_commits(&self, before: Option<&str>, after: Option<&str>, others: &[String]) -> Result<BTreeSet<PathBuf>, GitError> {
        let Some(after) = after.filter(|after| before != Some(*after)) else { return Ok(BTreeSet::new()) };
        if before.is_some_and(|before| !self.has_commit(before).unwrap_or(false)) {
            return Ok(BTreeSet::new());
        }
        // A merge's own changes are only what differs from both sides.
        let log = self.log_beyond(before, after, others, &["--format=", "--name-only", "-c", "--no-renames"])?;
        Ok(log.split(|&byte| byte == 0).filter(|path| !path.is_empty()).map(path_from_bytes).collect())
    }

    /// Git's log of what `after` contains, and neither `before` nor `others` do.
    fn log_beyond(&self, before: Option<&str>, after: &str, others: &[String], shown: &[&str]) -> Result<Vec<u8>, GitError> {
        // By its input, since there may be more branches than a command line has room for.
        let without = before.into_iter().chain(others.iter().map(String::as_str)).map(|commit| format!("^{commit}\n"));
        let wanted: String = std::iter::once(format!("{after}\n")).chain(without).collect();
        self.reading().args(["log", "-z"]).args(shown).args(["--ignore-missing", "--stdin", "--"]).input(wanted.into_bytes()).output("log")
    }

    /// Changes since `before_head` (`None`: since there was no commit), committed or not, including new files, as
    /// a unified diff of at most `max_bytes` bytes; a note marks where it was truncated.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn diff(&self, before_head: Option<&str>, max_bytes: usize) -> Result<String, GitError> {
        let known = match before_head {
            Some(before) => self.has_commit(before)?,
            None => true,
        };
        let base = match (before_head, known) {
            (Some(before), true) => before.to_owned(),
            (Some(_), false) if self.head()?.is_some() => "HEAD".to_owned(),
            _ => self.empty_tree()?,
        };
        let mut text = String::new();
        if let Some(before) = before_head.filter(|_| !known) {
            text.push_str(&format!("[commit {} is not in this repository; uncommitted changes only]\n", first_chars(before, 40)));
        }
        let tracked =
            self.diffing().args(["--find-renames", &base]).args(self.work()).at_most(max_bytes.saturating_add(1)).output("diff")?;
        text.push_str(&String::from_utf8_lossy(&tracked));
        let untracked = Entries::read(self, &BTreeSet::new())?.untracked;
        for path in untracked.iter().take(DIFFED_UNTRACKED) {
            if text.len() > max_bytes {
                break;
            }
            let shown = ["diff", "--no-index", "--no-ext-diff", "--no-textconv", "--no-color", "--", "/dev/null"];
            // Exits with 1 if there is a difference, as always here; a file that is gone meanwhile yields nothing.
            let new = self.reading().args(shown).args([path.as_path()]).at_most(max_bytes.saturating_add(1)).run()?;
            text.push_str(&new.text());
        }
        if untracked.len() > DIFFED_UNTRACKED {
            text.push_str(&format!("[and {} more untracked files]\n", untracked.len() - DIFFED_UNTRACKED));
        }
        Ok(cut_at_line(text, max_bytes))
    }

    /// Changes from one commit to another, as a unified diff of at most `max_bytes` bytes; a note marks where it
    /// was truncated, or which commit is gone. Before the first commit the tree is empty.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn diff_between(&self, before: Option<&str>, after: &str, max_bytes: usize) -> Result<String, GitError> {
        for commit in before.into_iter().chain([after]) {
            if !self.has_commit(commit)? {
                return Ok(format!("[commit {} is not in this repository]\n", first_chars(commit, 40)));
            }
        }
        let begin = before.map_or_else(|| self.empty_tree(), |before| Ok(before.to_owned()))?;
        let diff =
            self.diffing().args(["--find-renames", &begin, after]).args(self.work()).at_most(max_bytes.saturating_add(1)).output("diff")?;
        Ok(cut_at_line(String::from_utf8_lossy(&diff).into_owned(), max_bytes))
    }

    /// The lines added by commits reachable from `after` but not from `before`, by file; at most `max_bytes` bytes of diffs are
    /// read. Merges count through their own commits, except where what those changed is not here, as in a partial clone.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn added_lines(&self, before: Option<&str>, after: Option<&str>, max_bytes: usize) -> Result<BTreeMap<String, String>, GitError> {
        let mut added: BTreeMap<String, String> = BTreeMap::new();
        let Some(after) = after.filter(|after| before != Some(*after)) else { return Ok(added) };
        if !self.has_commit(after)? {
            return Ok(added);
        }
        let range = match before {
            Some(before) if self.has_commit(before)? => format!("{before}..{after}"),
            Some(_) => format!("{after}^!"),
            None => after.to_owned(),
        };
        let shown = ["-p", "--unified=0", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
        let each = self.reading().args(["log", "--format=", &range]).args(shown).args(self.work()).at_most(max_bytes).run()?;
        let text = match before {
            // Both ends were checked out here, so that they are whole.
            Some(before) if !each.success => {
                self.diffing().args(shown).args([before, after]).args(self.work()).at_most(max_bytes).output("diff")?
            }
            _ if each.success => each.stdout,
            _ => return Err(each.into_error("log")),
        };
        let mut file: Option<String> = None;
        for line in String::from_utf8_lossy(&text).lines() {
            if line.starts_with("diff --git ") {
                file = None;
            } else if file.is_none()
                && let Some(path) = line.strip_prefix("+++ ")
            {
                // Names with special bytes are quoted.
                let path = path.trim_end_matches('\t').trim_matches('"');
                file = Some(path.strip_prefix("b/").unwrap_or(path).to_owned());
            } else if let (Some(file), Some(line)) = (&file, line.strip_prefix('+')) {
                let lines = added.entry(file.clone()).or_default();
                lines.push_str(line);
                lines.push('\n');
            }
        }
        Ok(added)
    }

    /// Whether `commit` is the id of a commit in this repository. Only hexadecimal ids are accepted, so that no input
    /// can be interpreted as an option.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn has_commit(&self, commit: &str) -> Result<bool, GitError> {
        let is_id = (4..=64).contains(&commit.len()) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        Ok(is_id
            && (plain::certainly_has(self.root(), commit)
                || self.reading().args(["cat-file", "-e", &format!("{commit}^{{commit}}")]).run()?.success))
    }

    /// Lines of a file in a commit; `None` if it is not there. For a very large file, as many as can be counted for sure.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn lines_of(&self, commit: &str, path: &Path) -> Result<Option<u32>, GitError> {
        let mut object = OsString::from(format!("{commit}:"));
        object.push(path);
        let said = self.reading().args(["cat-file", "blob"]).args([object]).run()?;
        if !said.success {
            return Ok(None);
        }
        if said.cut {
            return Ok(Some(u32::MAX));
        }
        let ends = said.stdout.iter().filter(|&&byte| byte == b'\n').count();
        let open = usize::from(said.stdout.last().is_some_and(|&byte| byte != b'\n'));
        Ok(Some(u32::try_from(ends + open).unwrap_or(u32::MAX)))
    }

    /// The id of the empty tree, which depends on the repository's hash function.
    pub(crate) fn empty_tree(&self) -> Result<String, GitError> {
        let id = self.reading().args(["hash-object", "-t", "tree", "--stdin"]).output("hash-object")?;
        Ok(String::from_utf8_lossy(&id).trim().to_owned())
    }
}

fn first_chars(text: &str, max: usize) -> String {
    text.chars().take(max).collect()
}

/// Truncates `text` to `max_bytes` bytes, including a note, after a complete line.
fn cut_at_line(mut text: String, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text;
    }
    let note = format!("[diff cut at {max_bytes} bytes]\n");
    let room = text.floor_char_boundary(max_bytes.saturating_sub(note.len()));
    text.truncate(text[..room].rfind('\n').map_or(0, |at| at + 1));
    text.push_str(&note);
    text
}
