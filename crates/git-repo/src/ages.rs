//! Dates of a file's lines, and the active days of a history: the input for computing ages.

use crate::digest::{digest, digest_of};
use crate::paths::path_from_bytes;
use crate::{GitError, Repo, plain};
use ralph_core::active_days::{ActiveDays, Day};
use ralph_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Ages known at one commit. Kept by the caller, so that the next call reads only what is new.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Ages {
    /// The commit of the last call; `None` before the first, and where the next call must read everything again.
    pub head: Option<String>,
    /// Whether the clone is shallow, so that ages are lower bounds.
    pub shallow: bool,
    /// The distinct author dates of all reachable commits.
    pub days: ActiveDays,
    /// The file whose lines were read.
    file: Option<FileLines>,
}

/// The lines of a file at that commit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct FileLines {
    path: PathBuf,
    digest: String,
    /// The commits that blame was told to ignore, as a digest.
    #[serde(default)]
    ignored: String,
    written: Vec<Option<Day>>,
}

/// Asks for dates as seconds and a zone: of a day before 1970 in its own zone git writes no calendar date. Some encodings of the output
/// would hide the line ends.
const DATES: [&str; 4] = ["log", "--no-color", "--encoding=UTF-8", "--date=raw"];

impl Ages {
    /// The date of each line of the file, in its author's calendar; `None` for an uncommitted line.
    pub fn lines(&self) -> &[Option<Day>] {
        self.file.as_ref().map_or(&[], |file| &file.written)
    }

    /// Whether git knew the dates of the file's lines: then a line without one is uncommitted.
    pub fn knows_lines(&self) -> bool {
        self.file.is_some()
    }
}

impl Repo {
    /// The active days of the history, and the date of each line of `file`, a path below the root whose content has the given digest. Lines
    /// that were moved or copied, also from other files, keep their date, and so do those from a merge, a rebase or a cherry-pick, or with
    /// other white space or line ends. What is `known` from an earlier call is not read again; any value is accepted, also of another
    /// repository.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn learning_ages(&self, file: Option<(&Path, &str)>, known: Ages) -> Result<Ages, GitError> {
        let Some(head) = self.head()? else {
            let uncommitted = file.map(|(path, digest)| FileLines {
                path: path.to_owned(),
                digest: digest.to_owned(),
                ignored: String::new(),
                written: Vec::new(),
            });
            return Ok(Ages { file: uncommitted, ..Ages::default() });
        };
        let shallow = self.is_shallow()?;
        // A shallow history can be deepened below the same commit, so none of it counts as known.
        let since = known.head.as_deref().filter(|_| !shallow && !known.shallow && !plain::may_be_replaced(self.root()));
        let (since, days) = match since {
            Some(before) if before == head => (since, known.days),
            Some(before) => match self.days_since(before, &head)? {
                Some(new) => {
                    let mut days = known.days;
                    days.extend(new);
                    (since, days)
                }
                None => (None, self.author_days(&head)?.into_iter().collect()),
            },
            None => (None, self.author_days(&head)?.into_iter().collect()),
        };
        let file = match file {
            Some((path, digest)) => {
                let ignored = self.ignored_commits()?;
                let same = |kept: &FileLines| kept.path == path && kept.digest == digest && kept.ignored == ignored;
                match known.file.filter(same) {
                    Some(kept) if self.untouched(since, &head, path)? => Some(kept),
                    _ => Some(FileLines { path: path.to_owned(), digest: digest.to_owned(), ignored, written: self.blame(path)? }),
                }
            }
            None => None,
        };
        // If commits are replaced (`git replace`), the same commit may have other ancestors next time.
        let head = Some(head).filter(|_| !plain::may_be_replaced(self.root()));
        Ok(Ages { head, shallow, days, file })
    }

    /// The distinct days, each in its author's own time zone, of all commits reachable from HEAD. Ages are set
    /// arithmetic over them.
    ///
    /// # Errors
    /// [`GitError`] if git fails or takes too long.
    pub fn active_days(&self) -> Result<ActiveDays, GitError> {
        let Some(head) = self.head()? else { return Ok(ActiveDays::default()) };
        Ok(self.author_days(&head)?.into_iter().collect())
    }

    fn author_days(&self, range: &str) -> Result<Vec<Day>, GitError> {
        let log = self.reading().args(DATES).args(["--format=%ad", range, "--"]).output("log")?;
        Ok(String::from_utf8_lossy(&log).lines().filter_map(day_of).collect())
    }

    /// The author dates of the commits since another; `None` if that one is unknown, or no longer part of the history.
    fn days_since(&self, before: &str, head: &str) -> Result<Option<Vec<Day>>, GitError> {
        if !self.has_commit(before)? {
            return Ok(None);
        }
        let both = ["--left-right", "--format=%m%ad", &format!("{before}...{head}"), "--"];
        let log = self.reading().args(DATES).args(both).output("log")?;
        let log = String::from_utf8_lossy(&log);
        Ok((!log.contains('<')).then(|| log.lines().filter_map(|line| day_of(line.strip_prefix('>')?)).collect()))
    }

    /// What blame is told to ignore, as a digest of the lists that the settings name and their content; empty if none is named.
    fn ignored_commits(&self) -> Result<String, GitError> {
        let named = self.reading().args(["config", "-z", "--type=path", "--get-all", "blame.ignoreRevsFile"]).run()?;
        if named.stdout.is_empty() {
            return Ok(String::new());
        }
        let mut known = named.stdout.clone();
        for list in named.stdout.split(|byte| *byte == 0).filter(|list| !list.is_empty()) {
            let list = self.root().join(path_from_bytes(list));
            known.extend(digest_of(&crate::real_path(&list).unwrap_or(list)).bytes());
        }
        Ok(digest(&known))
    }

    /// Whether the history is cut off.
    ///
    /// # Errors
    /// [`GitError`] if git can't be run in time.
    pub fn is_shallow(&self) -> Result<bool, GitError> {
        match plain::is_shallow(self.root()) {
            Some(known) => Ok(known),
            None => Ok(self.reading().args(["rev-parse", "--is-shallow-repository"]).output("rev-parse")?.starts_with(b"true")),
        }
    }

    /// Whether no commit since `before` touched a path on any side of a merge, so that blame is unchanged.
    fn untouched(&self, since: Option<&str>, head: &str, path: &Path) -> Result<bool, GitError> {
        let Some(before) = since else { return Ok(false) };
        if before == head {
            return Ok(true);
        }
        let listed = ["--literal-pathspecs", "rev-list", "--full-history", "--max-count=1", &format!("{before}..{head}"), "--"];
        Ok(self.reading().args(listed).args([path]).output("rev-list")?.is_empty())
    }

    /// The date of each line of a file in the work tree.
    fn blame(&self, path: &Path) -> Result<Vec<Option<Day>>, GitError> {
        // Other white space or line ends are no other words.
        let blame = ["blame", "--porcelain", "--encoding=UTF-8", "-w", "-C", "-C", "--no-textconv", "--"];
        let mut found = self.reading().args(blame).args([path]).run()?;
        if found.message.contains("could not open object name list") {
            // `blame.ignoreRevsFile` names a file that is not there, as in a branch from before it: then no commit is ignored.
            let [command, options @ ..] = blame;
            found = self.reading().args([command, "--no-ignore-revs-file"]).args(options).args([path]).run()?;
        }
        if found.success {
            return Ok(days_of_lines(&found.stdout));
        }
        // Not committed yet, or ignored: no line has a date.
        if found.message.contains("no such path") { Ok(Vec::new()) } else { Err(found.into_error("blame")) }
    }
}

/// Parses the porcelain format: each line has a header, a commit's data follows its first one, the content follows a tab.
fn days_of_lines(porcelain: &[u8]) -> Vec<Option<Day>> {
    let mut of_commit: BTreeMap<String, Option<Day>> = BTreeMap::new();
    let mut lines = Vec::new();
    let (mut commit, mut seconds) = (String::new(), 0_i64);
    for line in porcelain.split(|byte| *byte == b'\n') {
        if line.first() == Some(&b'\t') {
            lines.push(of_commit.get(&commit).copied().flatten());
            commit.clear();
            continue;
        }
        let line = String::from_utf8_lossy(line);
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            id if commit.is_empty() => id.clone_into(&mut commit),
            "author-time" => seconds = rest.parse().unwrap_or(0),
            "author-tz" if commit.bytes().any(|digit| digit != b'0') => {
                let day = Day::of(Timestamp(seconds.saturating_mul(1_000)), minutes(rest));
                of_commit.insert(commit.clone(), Some(day));
            }
            _ => {}
        }
    }
    lines
}

/// The day of a raw date such as `1772618400 -0330`, in its own zone.
fn day_of(raw: &str) -> Option<Day> {
    let (seconds, zone) = raw.trim().split_once(' ')?;
    let seconds: i64 = seconds.parse().ok()?;
    Some(Day::of(Timestamp(seconds.saturating_mul(1_000)), minutes(zone)))
}

/// Minutes of a time zone such as `-0330`; an invalid one counts as UTC.
fn minutes(zone: &str) -> i32 {
    let number: i32 = zone.parse().unwrap_or(0);
    number / 100 * 60 + number % 100
}
