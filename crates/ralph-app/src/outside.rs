//! This machine's data on a project outside of its folder: its existence, its newest state, copies, and the lock of its run. No
//! `rm -rf`, `git clean` or stash in the folder reaches it, so an empty project never silently replaces an existing one.

use crate::App;
use crate::error::{AppError, Result};
use crate::files::{ExpectedKind, Readers, write_whole};
use crate::paths::{Paths, canonical};
use crate::user_data;
use git_repo::{Ages, Repo};
use ralph_core::limits;
use ralph_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlite_db::{BackupReason, Writer, store_copy};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::UNIX_EPOCH;

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

    /// A hard link to the project's database: removing the original leaves this one.
    pub fn last_state(&self) -> PathBuf {
        self.folder.join("ralph.db")
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

    /// When the project's person last looked at the window.
    pub fn last_look(&self) -> Option<Timestamp> {
        serde_json::from_slice(&std::fs::read(self.folder.join("last-look.json")).ok()?).ok()
    }

    /// Stores the time of the person's look.
    pub fn keep_look(&self, now: Timestamp) -> std::io::Result<()> {
        user_data::make_private(&self.folder)?;
        write_whole(&self.folder.join("last-look.json"), &serde_json::to_vec(&now)?, Readers::Owner)
    }

    /// Copies of the database.
    pub fn copies(&self) -> Vec<PathBuf> {
        sqlite_db::copies(&self.folder)
    }

    /// Sets aside the last state of a project that a new one replaces, next to its copies.
    pub fn put_last_state_aside(&self) -> std::io::Result<()> {
        let Some(marker) = self.marker() else { return Ok(()) };
        if !self.last_state().exists() {
            return Ok(());
        }
        let folder = self.folder.join("backups");
        user_data::make_private(&folder)?;
        std::fs::rename(self.last_state(), folder.join(format!("earlier-{}.db", marker.replica)))
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
        let beside = self.folder.join("ralph.db.new");
        let _ = std::fs::remove_file(&beside);
        std::fs::hard_link(database, &beside)?;
        std::fs::rename(&beside, &link)
    }
}

#[cfg(unix)]
fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let number = |path: &Path| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    number(one).is_some() && number(one) == number(other)
}

/// Without file numbers, an existing link is assumed to be the right one.
#[cfg(not(unix))]
fn is_same_file(one: &Path, _other: &Path) -> bool {
    one.exists()
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
        Err(_) if root.join(".ralph").is_dir() => "its database .ralph/db/ralph.db is missing",
        Err(_) => "its folder .ralph is missing",
    };
    let marker = Outside::of(root)?.marker()?;
    marker.moved_to.is_none().then(|| AppError::ProjectLost { path: root.to_owned(), missing: missing.to_owned() })
}

/// See [`App::bring_into_file`]; for holders of the write lock.
pub(crate) fn into_file(writer: &Writer<'_>) {
    if let Err(error) = writer.checkpoint_now() {
        tracing::debug!("the newest changes are in the WAL alone: {error}");
    }
}

impl App {
    /// Ensures that this machine knows of the project, and that its newest state has a hard link outside. Only another database in the
    /// project's place is an error: whatever else fails, the project itself works.
    pub(crate) fn mark(&self) -> Result<()> {
        let Some(outside) = &self.outside else { return Ok(()) };
        if self.db.is_read_only() {
            return Ok(());
        }
        let Some(replica) = self.replica()? else { return Ok(()) };
        let marker = outside.marker().filter(|marker| marker.moved_to.is_none());
        match marker {
            Some(marker) if marker.replica == replica => {}
            Some(_) => {
                let missing = "another database stands in the place of its own".to_owned();
                return Err(AppError::ProjectLost { path: self.paths.root.clone(), missing });
            }
            None => self.mark_anew(outside, &replica),
        }
        if let Err(error) = outside.link(self.db.path()) {
            tracing::debug!("the database has no second name outside the project: {error}");
        }
        Ok(())
    }

    fn mark_anew(&self, outside: &Outside, replica: &str) {
        let path = self.paths.root.to_string_lossy().into_owned();
        for (elsewhere, marker) in all_markers() {
            let is_gone = marker.path != path && !database_of(Path::new(&marker.path)).exists();
            if marker.replica == replica && is_gone && marker.moved_to.is_none() {
                let moved = Marker { moved_to: Some(path.clone()), ..marker };
                if let Err(error) = elsewhere.set_marker(&moved) {
                    tracing::debug!("{} is not known to have moved: {error}", moved.path);
                }
            }
        }
        let repository = self.repo.as_ref().and_then(|repo| repo.common_folder().ok()).map(|folder| folder.to_string_lossy().into_owned());
        if let Err(error) = outside.set_marker(&Marker { path, repository, replica: replica.to_owned(), moved_to: None }) {
            tracing::debug!("this machine can't remember the project: {}: {error}", outside.folder.display());
        }
        if let Some(repo) = &self.repo
            && let Err(error) = repo.exclude(&self.paths.root, &[".ralph/db/*", "!.ralph/db/memory/"])
        {
            tracing::debug!("git's own list of what stays out was not changed: {error}");
        }
    }

    /// The id of this database; assigned when it is first opened. `None` if somebody else is writing.
    fn replica(&self) -> Result<Option<String>> {
        if let Some(replica) = self.db.read(|r| r.replica())? {
            return Ok(Some(replica));
        }
        let now = self.clock.now();
        let Some(mut writer) = self.db.try_writer()? else { return Ok(None) };
        writer.transaction(|tx| match tx.replica()? {
            Some(replica) => Ok(Some(replica)),
            None => {
                let replica = crate::clock::next_id(None, now);
                tx.set_replica(&replica)?;
                Ok(Some(replica))
            }
        })
    }

    /// Copies the database outside if the last copy is old: a young project changes fast, and is small.
    pub(crate) fn copy_outside_if_due(&self) {
        let (Some(outside), now) = (&self.outside, self.clock.now()) else { return };
        let steady = self.clock.steady();
        {
            let mut due = self.next_copy.lock().unwrap_or_else(PoisonError::into_inner);
            if due.is_some_and(|due| steady < due) {
                return;
            }
            let since = |path: &Path| changed(path).map(|at| now.millis_since(at));
            let Some(age) = since(&outside.folder.join("marker.json")) else { return };
            let every = (age / 2).min(limits::BACKUP_OUTSIDE_MILLIS);
            let newest = outside.copies().iter().filter_map(|copy| since(copy)).min();
            let wait = newest.map_or(0, |newest| every.saturating_sub(newest));
            *due = Some(steady.plus_millis(if wait == 0 { every } else { wait }));
            let small = std::fs::metadata(self.db.path()).is_ok_and(|found| found.len() <= limits::BACKUP_OUTSIDE_BYTES);
            if wait > 0 || !small {
                return;
            }
        }
        let copied = self.db.writer().and_then(|writer| writer.backup(&outside.folder, BackupReason::Regular));
        if let Err(error) = copied {
            tracing::debug!("no copy outside the project: {error}");
        }
    }

    /// What `ralph restore` would find if the folder were gone, in brief.
    pub(crate) fn kept_outside(&self) -> Option<String> {
        let outside = self.outside.as_ref()?;
        let (linked, copies) = (is_same_file(&outside.last_state(), self.db.path()), outside.copies().len());
        match (linked, copies) {
            (false, 0) => None,
            (true, 0) => Some("the database has a second name".to_owned()),
            (true, copies) => Some(format!("the database has a second name, and {copies} copies")),
            (false, copies) => Some(format!("{copies} copies of the database")),
        }
    }

    /// Checkpoints the WAL as far as possible without waiting: only the database file has a hard link outside, and whoever removes
    /// it takes the WAL with it. A run does so before its agent starts and with each heartbeat.
    pub(crate) fn bring_into_file(&self) {
        match self.db.try_writer() {
            Ok(writer) => writer.iter().for_each(into_file),
            Err(error) => tracing::debug!("the newest changes are in the WAL alone: {error}"),
        }
    }

    /// Checkpoints what this process still has of a removed database into the file, which has its hard link outside.
    pub(crate) fn save_what_is_open(&self) -> Result<()> {
        Ok(self.db.writer_of_opened()?.checkpoint()?)
    }

    /// A copy of the database in the project and outside of it; the newest few are kept.
    pub fn backup(&self) -> Result<PathBuf> {
        self.paths.files().must_be(&self.paths.backups(), ExpectedKind::Folder)?;
        let path = self.db.writer()?.backup(&self.paths.db, BackupReason::Regular)?;
        if self.evaluation.path().exists()
            && let Err(error) = self.back_up_history()
        {
            tracing::warn!("no copy of the history of retrieval: {error}");
        }
        if let Some(outside) = &self.outside
            && let Err(error) = store_copy(&path, &outside.folder, BackupReason::Regular)
        {
            tracing::warn!("no copy outside the project: {error}");
        }
        Ok(path)
    }
}

impl App {
    fn back_up_history(&self) -> Result<()> {
        if let Some(db) = self.evaluation_db()? {
            db.writer()?.backup(&self.paths.db, BackupReason::Evaluation)?;
        }
        Ok(())
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
    Some(main.join(place))
}

/// The project of a bare repository, whose work trees are all linked: in the one of them that has a database. `None` if several have one.
fn beside(repo: &Repo, within: &Path) -> Option<PathBuf> {
    let others = repo.worktrees().ok()?.into_iter().filter_map(|known| canonical(&known.path).ok());
    let root_in = |other: PathBuf| within.ancestors().map(|below| other.join(below)).find(|root| database_of(root).is_file());
    let mut roots = others.filter_map(root_in);
    let root = roots.next()?;
    roots.next().is_none().then_some(root)
}

/// The repository of a folder, as stored in markers.
pub(crate) fn repository_of(root: &Path) -> Option<String> {
    Some(Repo::discover(root).ok()?.common_folder().ok()?.to_string_lossy().into_owned())
}

/// The nearest folder with a `.ralph/`, at `folder` or above; an error if this machine knows of a project that is incomplete. In a
/// worktree linked to the project's repository it is the project's own folder, not the copy of `.ralph/` that git checked out.
pub(crate) fn find_root(folder: &Path) -> Result<PathBuf> {
    let start = canonical(folder)?;
    if let Some(root) = root_of_linked(&start) {
        return lost(&root).map_or(Ok(root), Err);
    }
    let root = start.ancestors().find(|folder| folder.join(".ralph").is_dir() || lost(folder).is_some());
    let root = root.ok_or_else(|| AppError::NoProject { path: start.clone() })?;
    lost(root).map_or_else(|| Ok(root.to_owned()), Err)
}
