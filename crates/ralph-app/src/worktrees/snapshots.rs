//! Snapshots: uncommitted work saved before an agent started, listed and restored.

use crate::app::App;
use crate::error::{AppError, Result};
use git_repo::{GitError, Repo, Restoration};
use ralph_core::authority::Act;
use ralph_core::noun::Noun;
use ralph_core::run::{Iteration, remark_lines};
use ralph_core::snapshot::{RestoredSnapshot, SnapshotEffect, SnapshotFile, SnapshotInfo, SnapshotIteration, SnapshotView};
use ralph_core::time::Timestamp;
use ralph_core::{IterationId, count, limits};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Files of a snapshot that are named: what a person can look through.
const NAMED_FILES: usize = 500;

/// The iteration or errand that a snapshot is named after, without the suffix that distinguishes several.
fn called_after(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// What restoring these files of a snapshot would do, or all of them.
fn restoration(repo: &Repo, name: &str, only: &[PathBuf]) -> Result<Restoration> {
    repo.restoration(name, only).map_err(|fault| match fault {
        GitError::NotKept { .. } => AppError::not_found(Noun::Snapshot, name),
        fault => fault.into(),
    })
}

impl App {
    /// All snapshots, newest first.
    pub fn snapshots(&self) -> Result<Vec<SnapshotInfo>> {
        self.in_words(self.repository()?.all_kept()?)
    }

    /// What restoring a snapshot would do: all of it, or the named files and folders of the project.
    pub fn snapshot_view(&self, name: &str, paths: &[String]) -> Result<SnapshotView> {
        let kept = self.repository()?.all_kept()?.into_iter().filter(|(kept, _)| kept == name).collect();
        let info = self.in_words(kept)?.pop().ok_or_else(|| AppError::not_found(Noun::Snapshot, name))?;
        let repo = self.repository_of_snapshot(name)?;
        let restoration = restoration(&repo, name, &self.all_in_repository(&repo, paths)?)?;
        let effects = repo.effects(&restoration, &repo.snapshot_before(&restoration)?)?;
        let file = |(path, effect): (PathBuf, SnapshotEffect)| SnapshotFile { path: path.to_string_lossy().into_owned(), effect };
        let mut files: Vec<SnapshotFile> = effects.into_iter().map(file).collect();
        files.sort_by_key(|file| file.effect);
        let more = count(files.len().saturating_sub(NAMED_FILES));
        files.truncate(NAMED_FILES);
        let folder = repo.root().to_string_lossy().into_owned();
        Ok(SnapshotView { info, folder, files, more })
    }

    /// Restores uncommitted work from a snapshot: all of it, or the named files and folders of the project. The current state is first
    /// saved as a separate snapshot, so nothing newer is lost; what that can't hold is not replaced.
    pub fn restore_snapshot(&self, name: &str, paths: &[String]) -> Result<RestoredSnapshot> {
        self.allowed(&Act::RestoreSnapshot)?;
        let repo = self.repository_of_snapshot(name)?;
        let only = self.all_in_repository(&repo, paths)?;
        self.restore_of(name, &repo, &only)
    }

    /// The same of files as [`App::snapshot_view`] names them.
    pub fn restore_files_of_snapshot(&self, name: &str, files: &[String]) -> Result<RestoredSnapshot> {
        self.allowed(&Act::RestoreSnapshot)?;
        let only: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        self.restore_of(name, &self.repository_of_snapshot(name)?, &only)
    }

    /// `only` selects among the files of the snapshot; nothing else can be named by it.
    fn restore_of(&self, name: &str, repo: &Repo, only: &[PathBuf]) -> Result<RestoredSnapshot> {
        if let Some(run) = self.active_run()? {
            return Err(AppError::RunActive { run: Some(run.id) });
        }
        let restoration = restoration(repo, name, only)?;
        let now = repo.snapshot_before(&restoration)?;
        let effects = repo.effects(&restoration, &now)?;
        if effects.is_empty() {
            let fault = format!("snapshot {name} holds none of these files");
            return Err(AppError::invalid("path", fault, "restore all that it holds"));
        }
        let those =
            |effect| effects.iter().filter(move |(_, found)| **found == effect).map(|(path, _)| path.to_string_lossy().into_owned());
        let lost: Vec<String> = those(SnapshotEffect::InTheWay).collect();
        if !lost.is_empty() {
            let fault = format!("no snapshot can keep what stands there now: {}", lost.join(", "));
            return Err(AppError::invalid("path", fault, "move it away first, or restore other files; nothing was restored"));
        }
        let kept_first = if now.is_dirty() { Some(repo.keep(&now, called_after(name))?.name) } else { None };
        let halfway = |fault| {
            let way_back =
                kept_first.as_ref().map_or_else(|| "`git restore .`".to_owned(), |kept| format!("`ralph snapshot restore {kept}`"));
            GitError::PartlyRestored { name: name.to_owned(), way_back, fault: Box::new(fault) }
        };
        let restored = repo.restore(restoration).map_err(halfway)?;
        // What was the same already is not reported, although it was written again.
        let unchanged: BTreeSet<String> = those(SnapshotEffect::Unchanged).collect();
        let written = restored.written.into_iter().filter(|path| !unchanged.contains(path)).collect();
        Ok(RestoredSnapshot { name: name.to_owned(), written, removed: restored.removed, kept_first })
    }

    /// Forgets snapshots that are old or too many. If that fails, they stay for now.
    pub(crate) fn forget_old_snapshots(&self, repo: &Repo) {
        let since = self.clock.now().0 / 1_000 - limits::SNAPSHOT_SECONDS;
        let forgotten = repo.all_kept().map_err(AppError::from).and_then(|all| {
            let told = if all.len() > limits::SNAPSHOTS_KEPT { self.told_snapshots(&all)? } else { BTreeSet::new() };
            Ok(repo.forget_kept((limits::SNAPSHOTS_KEPT, limits::SNAPSHOTS_MOST), since, &told)?)
        });
        forgotten.unwrap_or_else(|fault| tracing::warn!("old snapshots stay: {fault}"));
    }

    /// Those from which a person can recover what they were told is gone, and those that were not taken before an agent started: of a
    /// removed worktree, or of what was in the way of another one.
    fn told_snapshots(&self, all: &[(String, i64)]) -> Result<BTreeSet<String>> {
        let first = all.iter().filter_map(|(name, _)| called_after(name).parse().ok()).min().unwrap_or(IterationId::MAX);
        let remarked = self.db.read(|r| r.remarked_on_since(first))?;
        let mut told: BTreeSet<String> =
            remarked.iter().flat_map(|left| remark_lines(&left.remarks)).filter_map(|line| line.snapshot).collect();
        let beside = |info: &SnapshotInfo| info.errand.is_some() || info.iteration.as_ref().is_some_and(|iteration| !iteration.before);
        told.extend(self.in_words(all.to_vec())?.into_iter().filter(beside).map(|info| info.name));
        Ok(told)
    }

    /// The repository in whose work tree the files of a snapshot belong.
    fn repository_of_snapshot(&self, name: &str) -> Result<Repo> {
        let place = self.place_of_snapshot(name)?;
        let repo = place.as_ref().map_or_else(|| self.repository(), Ok)?;
        // A snapshot of a worktree may contain files below `.ralph/`, and what is in their place here must be saved, too.
        Ok(Repo::discover(repo.root())?)
    }

    /// Snapshots, by name and seconds since the epoch, with what they are named after.
    fn in_words(&self, kept: Vec<(String, i64)>) -> Result<Vec<SnapshotInfo>> {
        let ids: Vec<IterationId> = kept.iter().filter_map(|(name, _)| called_after(name).parse().ok()).collect();
        let rows: BTreeMap<IterationId, Iteration> =
            self.db.read(|r| r.iterations_by_id(&ids))?.into_iter().map(|row| (row.id, row)).collect();
        let info = |(name, made): (String, i64)| {
            let called = called_after(&name);
            let iteration = called.parse().ok().and_then(|id| rows.get(&id)).map(|row| SnapshotIteration {
                id: row.id,
                run: row.run,
                task: row.task,
                task_title: row.task_title.clone(),
                before: row.evidence.snapshot.as_ref() == Some(&name),
            });
            let errand = called.strip_prefix('e').and_then(|number| number.parse().ok());
            SnapshotInfo { name, made: Timestamp(made.saturating_mul(1_000)), iteration, errand }
        };
        Ok(kept.into_iter().map(info).collect())
    }

    /// The person's checkout that a snapshot was taken of, as long as it exists; `None` for the project's own. Snapshots of Ralph's
    /// worktrees are restored there, too, as the work itself is merged there.
    fn place_of_snapshot(&self, name: &str) -> Result<Option<Repo>> {
        let Ok(iteration) = called_after(name).parse() else { return Ok(None) };
        let row = self.db.read(|r| r.iteration(iteration))?.filter(|row| row.worktree.is_none());
        Ok(row.map(|row| self.checkout_of_run(row.run)).transpose()?.and_then(|checkout| checkout.repo))
    }

    fn repository(&self) -> Result<&Repo> {
        self.repo.as_ref().ok_or_else(|| self.no_repository("project", "snapshots need `git init`"))
    }

    fn all_in_repository(&self, repo: &Repo, paths: &[String]) -> Result<Vec<PathBuf>> {
        paths.iter().map(|path| self.in_repository(repo, path)).collect()
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
