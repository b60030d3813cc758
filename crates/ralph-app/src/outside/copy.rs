//! An open project records its existence, its newest state and copies outside its folder.

use super::{Marker, Outside, all_markers, changed, database_of, into_file, is_same_file};
use crate::app::App;
use crate::error::{AppError, Result};
use crate::files::ExpectedKind;
use crate::trust::store::Store;
use ralph_core::limits;
use ralph_core::text::{counted, in_shell};
use sqlite_db::{BackupReason, CopyFacts, Writer, look_at_copy, store_copy};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

impl App {
    /// Ensures that this machine knows of the project, and that its newest state has a hard link outside. Only a different database in the
    /// project's place is an error: if anything else fails, the project itself still works.
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
        let is_another = outside.is_last_state(self.db.path()) == Some(false);
        if let Err(error) = outside.link(self.db.path()) {
            tracing::debug!("the database has no second name outside the project: {error}");
        }
        if is_another && let Some((later, way_back)) = self.later_state()? {
            tracing::warn!("{later}: {way_back}");
        }
        Ok(())
    }

    /// Whether a copy outside has more than the database, which means that an earlier state was put in its place by hand, since tasks and
    /// iterations are never deleted. Returns what the copy has, and the way back to it.
    pub(crate) fn later_state(&self) -> Result<Option<(String, String)>> {
        let Some(outside) = &self.outside else { return Ok(None) };
        let own = self.db.read(|r| r.copy_facts())?;
        let is_later = |of: &CopyFacts| of.replica == own.replica && (of.tasks > own.tasks || of.last_iteration > own.last_iteration);
        let looked = outside.all_states(self.db.path()).into_iter().filter_map(|path| Some((look_at_copy(&path).ok()?, path)));
        let latest = looked.filter(|(facts, _)| is_later(facts)).max_by_key(|(facts, _)| (facts.tasks, facts.last_iteration));
        Ok(latest.map(|(later, path)| {
            let known = |of: &CopyFacts| format!("{}, {}", counted(of.tasks, "task"), counted(of.last_iteration, "iteration"));
            let (here, there, path) = (known(&own), known(&later), in_shell(&path.to_string_lossy()));
            (
                format!("an earlier state of the database stands in its place ({here}): a later one is kept ({there})"),
                format!("`ralph restore --from {path} --yes` puts that back; the earlier one is kept aside"),
            )
        }))
    }

    fn mark_anew(&self, outside: &Outside, replica: &str) {
        let path = self.paths.root.to_string_lossy().into_owned();
        for (elsewhere, marker) in all_markers() {
            let is_gone = marker.path != path && !database_of(Path::new(&marker.path)).exists();
            if marker.replica == replica && is_gone && marker.moved_to.is_none() {
                elsewhere.forget_logs(replica);
                let moved = Marker { moved_to: Some(path.clone()), ..marker };
                // First, since whatever is there later is another project.
                let agreements = Store::of(Path::new(&moved.path)).forget();
                let told = || elsewhere.set_marker(&moved).map_err(|source| AppError::io(&elsewhere.folder, source));
                if let Err(error) = agreements.and_then(|()| told()) {
                    tracing::debug!("{} is not known to have moved: {error}", moved.path);
                }
            }
        }
        let repository = self.repo.as_ref().and_then(|repo| repo.common_folder().ok()).map(|folder| folder.to_string_lossy().into_owned());
        if let Err(error) = outside.set_marker(&Marker { path, repository, replica: replica.to_owned(), moved_to: None }) {
            tracing::debug!("this machine can't remember the project: {}: {error}", outside.folder.display());
        }
        if let Some(repo) = &self.repo
            && let Err(error) = repo.exclude(&self.paths.root, &[".ralph/db/*", "!.ralph/db/memory/", ".ralph/db/memory/.*.new"])
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

    /// Whether it is time to check the age of the last copy outside.
    pub(crate) fn is_copy_due(&self) -> bool {
        let due = *self.next_copy.lock().unwrap_or_else(PoisonError::into_inner);
        self.outside.is_some() && due.is_none_or(|due| self.clock.steady() >= due)
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
            // A time in the future comes from a clock that has been set back since: the copy may be of any age.
            let since = |path: &Path| changed(path).map(|at| if at > now { u64::MAX } else { now.millis_since(at) });
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
        let what = match (linked, copies) {
            (false, 0) => return None,
            (true, 0) => "the database has a second name".to_owned(),
            (true, copies) => format!("the database has a second name, and {}", counted(copies, "copy")),
            (false, copies) => format!("{} of the database", counted(copies, "copy")),
        };
        Some(format!("{what}, in {}", outside.folder.display()))
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
        let writer = self.db.writer()?;
        let path = writer.backup(&self.paths.db, BackupReason::Regular)?;
        if let Some(outside) = &self.outside
            && let Err(error) = store_copy(&path, &outside.folder, BackupReason::Regular)
        {
            tracing::warn!("no copy outside the project: {error}");
        }
        drop(writer);
        if self.evaluation.path().exists()
            && let Err(error) = self.back_up_history()
        {
            tracing::warn!("no copy of the history of retrieval: {error}");
        }
        Ok(path)
    }

    /// The folders of what this machine keeps of the project: that of its path, and those of where it was before it was moved.
    pub(crate) fn all_outside(&self) -> Result<Vec<Outside>> {
        let replica = self.db.read(|r| r.replica())?;
        let of_this_one = |marker: &Marker| marker.moved_to.is_some() && Some(&marker.replica) == replica.as_ref();
        let former = all_markers().into_iter().filter(|(_, marker)| of_this_one(marker)).map(|(outside, _)| outside);
        Ok(self.outside.iter().cloned().chain(former).collect())
    }

    /// Removes what kills left of copies of the project, here and outside.
    pub(crate) fn remove_unfinished_copies(&self, writer: &Writer<'_>, outside: &[Outside]) {
        let outside = outside.iter().map(|outside| outside.folder.as_path());
        writer.remove_unfinished_copies(&outside.chain([self.paths.db.as_path()]).collect::<Vec<_>>(), false);
    }

    fn back_up_history(&self) -> Result<()> {
        if let Some(db) = self.evaluation_db()? {
            db.writer()?.backup(&self.paths.db, BackupReason::Evaluation)?;
        }
        Ok(())
    }
}
