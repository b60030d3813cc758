//! Snapshots: uncommitted work saved before an agent started, listed and restored.

use crate::app::App;
use crate::error::{AppError, Result};
use git_repo::Repo;
use ralph_core::authority::Act;
use ralph_core::noun::Noun;
use ralph_core::snapshot::{RestoredSnapshot, SnapshotInfo};
use ralph_core::time::Timestamp;
use std::path::{Component, Path, PathBuf};

impl App {
    /// All snapshots, newest first.
    pub fn snapshots(&self) -> Result<Vec<SnapshotInfo>> {
        let info = |(name, made): (String, i64)| SnapshotInfo { name, made: Timestamp(made.saturating_mul(1_000)) };
        Ok(self.repository()?.all_kept()?.into_iter().map(info).collect())
    }

    /// Restores uncommitted work from a snapshot: all of it, or the named files and folders of the project. The current state is first saved
    /// as a separate snapshot, so nothing newer is lost; what that can't hold is not replaced.
    pub fn restore_snapshot(&self, name: &str, paths: &[String]) -> Result<RestoredSnapshot> {
        self.allowed(&Act::RestoreSnapshot)?;
        let place = self.place_of_snapshot(name)?;
        let repo = place.as_ref().map_or_else(|| self.repository(), Ok)?;
        if let Some(run) = self.active_run()? {
            return Err(AppError::RunActive { run: Some(run.id) });
        }
        if repo.kept(name)?.is_none() {
            return Err(AppError::not_found(Noun::Snapshot, name));
        }
        // A snapshot of a worktree may hold files below `.ralph/`, and what stands in their place here is to be kept, too.
        let repo = &Repo::discover(repo.root())?;
        let only = paths.iter().map(|path| self.in_repository(repo, path)).collect::<Result<Vec<_>>>()?;
        let restoration = repo.restoration(name, &only)?;
        let now = repo.snapshot_before(&restoration)?;
        let base = name.split('.').next().unwrap_or(name);
        let kept_first = if now.is_dirty() { Some(repo.keep(&now, base)?) } else { None };
        let lost = repo.lost_by(&restoration, kept_first.as_ref());
        if !lost.is_empty() {
            let fault = format!("no snapshot can keep what stands there now: {}", lost.join(", "));
            return Err(AppError::invalid("path", fault, "move it away first, or restore other files with --path; nothing was restored"));
        }
        let kept_first = kept_first.map(|kept| kept.name);
        let restored = repo.restore(restoration)?;
        if restored.written.is_empty() && restored.removed.is_empty() {
            let fault = format!("snapshot {name} holds none of these files");
            return Err(AppError::invalid("path", fault, "leave --path out to restore all that it holds"));
        }
        Ok(RestoredSnapshot { name: name.to_owned(), written: restored.written, removed: restored.removed, kept_first })
    }

    /// The checkout of a person's that a snapshot was made of, while it stands; `None` for the project's own. Those of Ralph's worktrees go
    /// there, too, as the work does.
    fn place_of_snapshot(&self, name: &str) -> Result<Option<Repo>> {
        let Ok(iteration) = name.split('.').next().unwrap_or(name).parse() else { return Ok(None) };
        let row = self.db.read(|r| r.iteration(iteration))?.filter(|row| row.worktree.is_none());
        Ok(row.map(|row| self.checkout_of_run(row.run)).transpose()?.and_then(|checkout| checkout.repo))
    }

    fn repository(&self) -> Result<&Repo> {
        self.repo.as_ref().ok_or_else(|| self.no_repository("project", "snapshots need `git init`"))
    }

    /// A path of the project relative to its repository.
    fn in_repository(&self, repo: &Repo, path: &str) -> Result<PathBuf> {
        let outside = || AppError::invalid("path", format!("'{path}' is outside the project"), "give paths relative to the project folder");
        let project = self.paths.root.strip_prefix(repo.root()).unwrap_or(Path::new(""));
        let given = Path::new(path);
        let given = given.strip_prefix(&self.paths.root).unwrap_or(given);
        let plain = given.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !plain {
            return Err(outside());
        }
        let parts = given.components().filter(|part| matches!(part, Component::Normal(_)));
        Ok(project.components().chain(parts).collect())
    }
}
