//! This machine's data on a project outside of its folder: its existence, its newest state, copies, and the lock of its run. No
//! `rm -rf`, `git clean` or stash in the folder reaches it, so an empty project never silently replaces an existing one.

mod copy;
mod held_logs;
mod last_words;
pub(crate) mod ports;
pub(crate) mod user_data;

pub(crate) use held_logs::bring_back_logs;
pub(crate) use last_words::LastWords;

use crate::error::{AppError, Result};
use crate::files::{Readers, write_whole};
use crate::owner::is_left_unfinished;
use crate::paths::{Paths, canonical, joined};
use git_repo::{Ages, Repo};
use ralph_core::text::in_shell;
use ralph_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlite_db::Writer;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The first part of the names of last states that were set aside.
const EARLIER: &str = "earlier-";

/// The project's folder in the person's data.
#[derive(Debug, Clone)]
pub(crate) struct Outside {
    folder: PathBuf,
}

/// Records that a project is, or was, at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marker {
    /// The folder that holds `.ralph/`.
    pub path: String,
    /// Git's own folder, shared by all work trees of the repository.
    pub repository: Option<String>,
    /// Its database.
    pub replica: String,
    /// Where the same database was found later: then it is not lost here.
    pub moved_to: Option<String>,
}

impl Outside {
    /// The folder for the project at `root`; `None` for a user without a home.
    pub fn of(root: &Path) -> Option<Outside> {
        user_data::of_project(root).map(|folder| Outside { folder })
    }

    /// The marker of the project, if any.
    pub fn marker(&self) -> Option<Marker> {
        serde_json::from_slice(&std::fs::read(self.folder.join("marker.json")).ok()?).ok()
    }

    fn set_marker(&self, marker: &Marker) -> std::io::Result<()> {
        user_data::make_private(&self.folder)?;
        write_whole(&self.folder.join("marker.json"), &serde_json::to_vec_pretty(marker)?, Readers::Owner)
    }

    /// The lock of the project's run in a slot.
    pub fn lock(&self, slot: u32) -> PathBuf {
        self.folder.join(crate::owner::lock_file(slot))
    }

    /// The lock of the project's restoration.
    pub fn restore_lock(&self) -> PathBuf {
        self.folder.join(crate::owner::RESTORE_LOCK)
    }

    /// A hard link to the project's database: removing the original leaves this one.
    pub fn last_state(&self) -> PathBuf {
        self.folder.join("ralph.db")
    }

    /// Whether a database is the file that has its second name here; `None` if none has.
    pub fn is_last_state(&self, database: &Path) -> Option<bool> {
        let second = self.last_state();
        second.exists().then(|| is_same_file(&second, database))
    }

    /// The cached history, so that ages are not recomputed.
    pub fn ages(&self) -> Option<Ages> {
        serde_json::from_slice(&std::fs::read(self.folder.join("ages.json")).ok()?).ok()
    }

    /// Caches the history.
    pub fn keep_ages(&self, ages: &Ages) -> std::io::Result<()> {
        user_data::make_private(&self.folder)?;
        write_whole(&self.folder.join("ages.json"), &serde_json::to_vec(ages)?, Readers::Owner)
    }

    /// A snapshot of the index, for the next process.
    pub fn index(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// What such a snapshot holds; `None` when there is none.
    pub fn read_index(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.index(name)).ok()
    }

    /// What is left here of files that were being written when their process ended.
    pub fn unfinished(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| is_left_unfinished(path)).collect()
    }

    /// When the project's person last looked at the window.
    pub fn last_look(&self) -> Option<Timestamp> {
        serde_json::from_slice(&std::fs::read(self.folder.join("last-look.json")).ok()?).ok()
    }

    /// Stores the time of the person's look.
    pub fn keep_look(&self, now: Timestamp) -> std::io::Result<()> {
        user_data::make_private(&self.folder)?;
        write_whole(&self.folder.join("last-look.json"), &serde_json::to_vec(&now)?, Readers::Owner)
    }

    /// Copies of the database, with a last state that is another file than the database itself.
    pub fn all_states(&self, database: &Path) -> Vec<PathBuf> {
        let last = Some(self.last_state()).filter(|last| last.exists() && !is_same_file(last, database));
        self.copies().into_iter().chain(last).collect()
    }

    /// Copies of the database.
    pub fn copies(&self) -> Vec<PathBuf> {
        sqlite_db::copies(&self.folder)
    }

    /// Sets aside the last state that something other than `database` takes the place of, next to its copies. However many there are, each
    /// is kept: one may be all that is left of a project.
    pub fn put_last_state_aside(&self, database: &Path) -> std::io::Result<()> {
        let last_state = self.last_state();
        if !last_state.exists() || is_same_file(&last_state, database) {
            return Ok(());
        }
        let folder = self.folder.join("backups");
        user_data::make_private(&folder)?;
        let taken = |error: &std::io::Error| error.kind() == std::io::ErrorKind::AlreadyExists;
        let mut names = (1_u32..).map(|number| folder.join(format!("{EARLIER}{number:05}.db")));
        // A second name first, since a rename would overwrite.
        let kept = names.find_map(|name| match std::fs::hard_link(&last_state, name) {
            Err(error) if taken(&error) => None,
            kept => Some(kept),
        });
        kept.expect("one of four thousand million names is free")?;
        std::fs::remove_file(last_state)
    }

    /// Whether a copy is a last state that was set aside.
    pub fn was_last_state(&self, copy: &Path) -> bool {
        copy.starts_with(&self.folder) && copy.file_name().is_some_and(|name| name.to_string_lossy().starts_with(EARLIER))
    }

    /// Removes the marker of the path; its copies stay.
    pub fn forget(&self) -> std::io::Result<()> {
        match std::fs::remove_file(self.folder.join("marker.json")) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(source),
            _ => Ok(()),
        }
    }

    /// Creates the hard link to the database. No effect if impossible: on another file system the copies must suffice.
    fn link(&self, database: &Path) -> std::io::Result<()> {
        let link = self.last_state();
        if is_same_file(&link, database) {
            return Ok(());
        }
        // Another file is in the place of the database that has its second name here: git may have put an earlier one there.
        self.put_last_state_aside(database)?;
        // At once, and under no other name first: Windows renames no file that SQLite has open, by whichever name.
        match std::fs::hard_link(database, &link) {
            // Another process was faster.
            Err(taken) if taken.kind() == std::io::ErrorKind::AlreadyExists && is_same_file(&link, database) => Ok(()),
            linked => linked,
        }
    }
}

/// Whether two names are those of one file.
#[cfg(unix)]
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let number = |path: &Path| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    number(one).is_some() && number(one) == number(other)
}

/// Whether two names are those of one file.
#[cfg(not(unix))]
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    looks_the_same(one, other)
}

/// For systems that report no numbers of files: two names of one file share its length and its time of change. Where that misleads, because
/// the file is being written to, the link is merely made anew.
#[cfg(any(test, not(unix)))]
fn looks_the_same(one: &Path, other: &Path) -> bool {
    let look = |path: &Path| std::fs::metadata(path).and_then(|found| Ok((found.len(), found.modified()?))).ok();
    look(one).is_some() && look(one) == look(other)
}

/// Every marker of this machine, with its folder.
pub(crate) fn all_markers() -> Vec<(Outside, Marker)> {
    let folder = user_data::folder().map(|folder| folder.join("projects"));
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let places = entries.map(|entry| Outside { folder: entry.path() });
    places.filter_map(|outside| outside.marker().map(|marker| (outside, marker))).collect()
}

/// The database of the project at `root`.
pub(crate) fn database_of(root: &Path) -> PathBuf {
    root.join(".ralph").join("db").join("ralph.db")
}

const EMPTY: &str = "its database is an empty file";

/// Whether the folder has remains of a used database: then an empty file is not one, even without a marker.
fn knows_copies_or_logs(root: &Path) -> bool {
    let paths = Paths::of(root);
    !sqlite_db::copies(&paths.db).is_empty() || paths.files().list(&paths.logs, "jsonl").is_ok_and(|logs| !logs.is_empty())
}

/// What is missing of a project that was at `root`; `None` if nothing is, or there was none.
pub(crate) fn lost(root: &Path) -> Option<AppError> {
    let missing = match std::fs::symlink_metadata(database_of(root)) {
        // Anything but a file is refused by its kind.
        Ok(found) if !found.is_file() || found.len() > 0 => return None,
        Ok(_) if knows_copies_or_logs(root) => {
            return Some(AppError::ProjectLost { path: root.to_owned(), missing: EMPTY.to_owned() });
        }
        Ok(_) => EMPTY,
        // Nobody can say what is there, so nothing is begun anew.
        Err(denied) if denied.kind() == std::io::ErrorKind::PermissionDenied => return Some(AppError::io(database_of(root), denied)),
        Err(_) if root.join(".ralph").is_dir() => "its database .ralph/db/ralph.db is missing",
        Err(_) if root.join(".ralph").symlink_metadata().is_ok() => "a file stands in the place of its folder .ralph",
        Err(_) => "its folder .ralph is missing",
    };
    let marker = Outside::of(root)?.marker()?;
    let told = || match left_out(root) {
        Some(place) => {
            format!("{missing}, since the sparse checkout leaves it out; first, `git sparse-checkout add {}`", in_shell(&place))
        }
        None => missing.to_owned(),
    };
    marker.moved_to.is_none().then(|| AppError::ProjectLost { path: root.to_owned(), missing: told() })
}

/// The folder of a project that is committed and that the sparse checkout of its work tree leaves out, as git names it.
pub(crate) fn left_out(root: &Path) -> Option<String> {
    if root.join(".ralph").symlink_metadata().is_ok() {
        return None;
    }
    let repo = Repo::discover(root).ok()?;
    let place = root.strip_prefix(canonical(repo.root()).ok()?).ok()?.join(".ralph");
    let settings = place.join("config.toml");
    let is_project = repo.leaves_out(&settings).ok()? && repo.entry_at("HEAD", &settings).ok()?.is_some();
    is_project.then(|| place.to_string_lossy().replace('\\', "/"))
}

/// See [`App::bring_into_file`]; for holders of the write lock.
pub(crate) fn into_file(writer: &Writer<'_>) {
    if let Err(error) = writer.checkpoint_now() {
        tracing::debug!("the newest changes are in the WAL alone: {error}");
    }
}

/// Modification time of a file.
pub(crate) fn changed(path: &Path) -> Option<Timestamp> {
    let changed = std::fs::metadata(path).ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(changed.as_millis()).ok().map(Timestamp)
}

/// The project of a linked worktree: at the same path in the main one, or where there is none, because the repository is bare, in the one
/// that has a project. `None` elsewhere, if the main worktree contains no project, and
/// if one was created in the linked one itself.
pub(crate) fn root_of_linked(folder: &Path) -> Option<PathBuf> {
    // Most folders are not in a linked worktree, and git need not be run.
    let top = folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
    if !top.join(".git").is_file() {
        return None;
    }
    let repo = Repo::discover(top).ok()?;
    let within = folder.strip_prefix(canonical(repo.root()).ok()?).ok()?;
    let own = folder.ancestors().take_while(|above| above.starts_with(top)).find(|above| database_of(above).is_file());
    if own.is_some() {
        return None;
    }
    let main = canonical(&repo.main_worktree().ok()??).ok()?;
    if !main.join(".git").exists() {
        return beside(&repo, within);
    }
    let place = within.ancestors().find(|below| main.join(below).join(".ralph").is_dir() || lost(&main.join(below)).is_some())?;
    Some(joined(&main, place))
}

/// The project of a bare repository, whose work trees are all linked: in the one of them that has a database. `None` if several have one.
fn beside(repo: &Repo, within: &Path) -> Option<PathBuf> {
    let others = repo.worktrees().ok()?.into_iter().filter_map(|known| canonical(&known.path).ok());
    let root_in = |other: PathBuf| within.ancestors().map(|below| joined(&other, below)).find(|root| database_of(root).is_file());
    let mut roots = others.filter_map(root_in);
    let root = roots.next()?;
    roots.next().is_none().then_some(root)
}

/// The repository of a folder, as stored in markers.
pub(crate) fn repository_of(root: &Path) -> Option<String> {
    Some(Repo::discover(root).ok()?.common_folder().ok()?.to_string_lossy().into_owned())
}

/// The nearest folder with a `.ralph/`, at `start` or above, or with a project that this machine knows. In a worktree linked to the
/// project's repository it is the project's own folder, not the copy of `.ralph/` that git checked out. `start` is canonical.
pub(crate) fn nearest_root(start: &Path) -> Option<PathBuf> {
    let above = || start.ancestors().find(|folder| folder.join(".ralph").is_dir() || lost(folder).is_some()).map(Path::to_owned);
    root_of_linked(start).or_else(above)
}

/// The root of the project that contains `folder`; an error if this machine knows of one that is incomplete.
pub(crate) fn find_root(folder: &Path) -> Result<PathBuf> {
    let start = canonical(folder)?;
    let root = nearest_root(&start).ok_or(AppError::NoProject { path: start })?;
    lost(&root).map_or(Ok(root), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_name_is_told_from_another_file_without_numbers_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("ralph.db"), "new").unwrap();
        std::fs::write(path("earlier.db"), "an earlier one").unwrap();
        std::fs::hard_link(path("ralph.db"), path("link.db")).unwrap();
        for (name, same) in [("link.db", true), ("earlier.db", false), ("missing.db", false)] {
            let (link, database) = (path(name), path("ralph.db"));
            assert_eq!((looks_the_same(&link, &database), is_same_file(&link, &database)), (same, same), "{name}");
        }
    }
}
