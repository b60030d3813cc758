//! What `.ralph/db` holds apart from journals is this machine's own: the database, logs, prompts, copies. Git is told to ignore it, but
//! `git add --force` adds it all the same. Then a push publishes it, and a checkout puts an old write-ahead log beside a newer
//! database, and SQLite takes the log for the database's own.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::paths::Paths;
use git_repo::{GitError, Repo};
use ralph_core::text::{self, cut, listed, on_one_line};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How many of the files that git holds are named.
const NAMED_FILES: usize = 3;

/// Characters of a commit's name in a command.
const HASH_CHARS: usize = 12;

/// What was added to git while an agent worked, in words.
pub(crate) struct Exposed {
    /// What was found, and what was done about it.
    pub told: String,
    /// Whether a commit holds it, which only a person can change.
    pub committed: bool,
}

/// Where it is held, as the beginning of a sentence that says what.
pub(crate) fn holder(committed: bool) -> &'static str {
    if committed { "the last commit holds" } else { "git tracks" }
}

/// What to do about it. The command leaves the files in place, and journals in git; a shorter one would let a later `git checkout .` put
/// the old log of the database beside the newer database.
pub(crate) fn way_out(root: &Path) -> String {
    format!(
        "`{}` takes them out and keeps the files; commit that, and push no commit that holds them. If the database is not yours, as in a \
         clone, delete it: the journals bring the knowledge back",
        command(root)
    )
}

fn command(root: &Path) -> String {
    let root = text::in_shell(&root.to_string_lossy());
    format!("git -C {root} rm -r -f -q --cached --ignore-unmatch -- .ralph/db \":(exclude).ralph/db/memory\"")
}

/// Refuses a database of which git tracks a part, agreed to or not: every pull or checkout could bring another.
pub(crate) fn refuse_tracked(paths: &Paths, repo: Option<&Repo>) -> Result<()> {
    let Some(repo) = repo.filter(|_| paths.database().exists()) else { return Ok(()) };
    // A repository that can't be read is reported by whoever needs it.
    let files = repo.tracked_below(&paths.db, &paths.memory).unwrap_or_default();
    refuse(paths, &files, false)
}

/// Refuses to work while the checked-out commit contains a part of the database: worktrees would have their own copy, and `git reset` or
/// `git stash` would bring it back.
pub(crate) fn refuse_committed(paths: &Paths, repo: Option<&Repo>) -> Result<()> {
    let Some(repo) = repo else { return Ok(()) };
    refuse(paths, &repo.committed_below(&paths.db, &paths.memory).unwrap_or_default(), true)
}

fn refuse(paths: &Paths, files: &[PathBuf], committed: bool) -> Result<()> {
    if !files.iter().any(|file| is_of_database(file)) {
        return Ok(());
    }
    Err(AppError::HeldByGit { files: in_short(files), holder: holder(committed), way_out: way_out(&paths.root) })
}

/// Whether SQLite takes a file of this name for a part of the database.
fn is_of_database(file: &Path) -> bool {
    file.file_name().is_some_and(|name| ["ralph.db", "ralph.db-wal", "ralph.db-shm"].iter().any(|part| name == *part))
}

/// Files in brief, those of the database first.
fn in_short(files: &[PathBuf]) -> String {
    let mut files: Vec<&PathBuf> = files.iter().collect();
    files.sort_by_key(|file| !is_of_database(file));
    let names: Vec<String> = files.iter().map(|file| on_one_line(&file.to_string_lossy())).collect();
    listed(&names, NAMED_FILES)
}

impl App {
    /// Which of these files git tracks now. What can't be read is reported elsewhere.
    pub(crate) fn tracked_private_files(&self) -> BTreeSet<PathBuf> {
        let tracked = self.repo.as_ref().map(|repo| repo.tracked_below(&self.paths.db, &self.paths.memory));
        tracked.and_then(std::result::Result::ok).unwrap_or_default().into_iter().collect()
    }

    /// Which of these files the index or the checked-out commit contains, in brief, and whether the commit does; `None` if neither does.
    pub(crate) fn private_files_in_git(&self) -> std::result::Result<Option<(String, bool)>, GitError> {
        let Some(repo) = &self.repo else { return Ok(None) };
        let committed = repo.committed_below(&self.paths.db, &self.paths.memory)?;
        let files = if committed.is_empty() { repo.tracked_below(&self.paths.db, &self.paths.memory)? } else { committed.clone() };
        Ok((!files.is_empty()).then(|| (in_short(&files), !committed.is_empty())))
    }

    /// Which of these files commits since `head` brought into history although the last commit no longer has them: `of_commits` are their
    /// files, and `tracked` is what git tracked before.
    pub(crate) fn private_in_commits(
        &self,
        of_commits: BTreeSet<PathBuf>,
        tracked: &BTreeSet<PathBuf>,
        head: Option<&str>,
    ) -> Option<String> {
        let below = |folder: &Path| folder.strip_prefix(self.repo.as_ref()?.root()).ok().map(Path::to_owned);
        let (db, journals) = (below(&self.paths.db)?, below(&self.paths.memory)?);
        let is_private = |file: &PathBuf| file.starts_with(&db) && !file.starts_with(&journals);
        let files: Vec<PathBuf> = of_commits.into_iter().filter(|file| is_private(file) && !tracked.contains(file)).collect();
        let root = text::in_shell(&self.paths.root.to_string_lossy());
        let way_out = head.map_or_else(String::new, |head| {
            let head = cut(head, HASH_CHARS);
            format!("; `git -C {root} reset --soft {head} && git -C {root} commit` makes one commit of that work without them")
        });
        (!files.is_empty()).then(|| {
            format!(
                "{}: in commits of this work, though they are this machine's own and no longer in the last one: push none of these \
                 commits and check none of them out{way_out}",
                in_short(&files)
            )
        })
    }

    /// Removes from git's index what was added to it since `before`. A commit that contains it stays as it is: a person decides about that.
    pub(crate) fn take_out_of_git(&self, before: &BTreeSet<PathBuf>) -> Option<Exposed> {
        let repo = self.repo.as_ref()?;
        let new: Vec<PathBuf> = self.tracked_private_files().difference(before).cloned().collect();
        if new.is_empty() {
            return None;
        }
        let files = in_short(&new);
        let of_commit = repo.committed_below(&self.paths.db, &self.paths.memory).unwrap_or_default();
        let committed = new.iter().any(|file| of_commit.contains(file));
        let taken = match repo.untrack_below(&self.paths.db, &self.paths.memory) {
            Ok(()) => "git's index no longer holds it".to_owned(),
            Err(fault) => format!("it could not be taken out of git's index ({fault}): `{}`", command(&self.paths.root)),
        };
        Some(Exposed {
            told: match committed {
                false => format!("{files}: added to git, which is not to hold this machine's own files; {taken}"),
                true => format!(
                    "{files}: committed, though they are this machine's own: database, logs and prompts; {taken}. Commit that \
                     (`git commit`), and push no commit that holds them: a checkout of one puts its files in the place of the newer ones"
                ),
            },
            committed,
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn no_letter_of_the_folder_means_anything_in_the_way_out() {
        let typed = command(Path::new("/home/it's/q $HOME `echo y` \"z\""));
        assert!(typed.starts_with(r#"git -C '/home/it'\''s/q $HOME `echo y` "z"' rm "#), "{typed}");
    }
}
