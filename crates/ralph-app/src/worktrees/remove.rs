//! Removing worktrees: never the person's checkout, never with work that exists nowhere else, never while somebody is in one.

use super::lives;
use crate::app::App;
use crate::error::{AppError, Result};
use git_repo::{Repo, Snapshot};
use ralph_core::authority::Act;
use ralph_core::errand::ErrandState;
use ralph_core::limits::{GIGABYTE, NAMED_FILES};
use ralph_core::noun::Noun;
use ralph_core::text::listed;
use ralph_core::time::Timestamp;
use ralph_core::view::{PrunedWorktrees, WorktreeRow};
use ralph_core::worktree::{Upkeep, Work, Worktree, WorktreeStanding};
use std::path::{Path, PathBuf};

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// Handling of uncommitted work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoveMode {
    /// It prevents the removal.
    Safely,
    /// It is saved as a snapshot, and the worktree is removed.
    WithSnapshot,
}

/// How the removal of a folder came out.
pub(crate) enum TakenAway {
    /// Removed, with the name of the snapshot of uncommitted work, if there was any.
    Gone(Option<String>),
    /// Left as it is, and why.
    Stays(String),
}

impl App {
    /// Removes the folder of a worktree, identified by task or errand, path or branch; an unmerged branch stays.
    pub fn remove_worktree(&self, name: &str, mode: RemoveMode) -> Result<WorktreeRow> {
        self.allowed(&Act::SteerRun)?;
        let found = self.named_worktree(name)?;
        let repo = self.repository_for("worktree")?;
        let found = if self.repo_in(&found).is_some() { found } else { self.find_moved(repo, found)? };
        let row = self.worktree_row(&found);
        if let Some(why) = self.why_held(&found)? {
            return Err(AppError::invalid("worktree", format!("{} stays: {why}", found.path), "wait for it, stop it, or move it away"));
        }
        if let Some(stands) = self.repo_in(&found) {
            let uncommitted = stands.uncommitted(NAMED_FILES)?;
            if !uncommitted.is_empty() && mode == RemoveMode::Safely {
                let fault = format!("{} holds work that is not committed: {}", found.path, uncommitted.join(", "));
                return Err(AppError::invalid("worktree", fault, "commit it there, or remove it with --force, which keeps a snapshot"));
            }
        }
        self.take_away(&found)?;
        Ok(row)
    }

    /// The folder of a worktree, identified by task, path or branch.
    pub fn worktree_folder(&self, name: &str) -> Result<PathBuf> {
        let found = self.named_worktree(name)?;
        let found = if self.repo_in(&found).is_some() { found } else { self.find_moved(self.repository_for("worktree")?, found)? };
        self.repo_in(&found).map(|repo| repo.root().to_owned()).ok_or_else(|| AppError::not_found(Noun::Folder, &found.path))
    }

    fn named_worktree(&self, name: &str) -> Result<Worktree> {
        let given = name.trim_start_matches('#');
        let named =
            |worktree: &Worktree| worktree.branch == name || Path::new(&worktree.path) == Path::new(name) || worktree.work.name() == given;
        let all = self.db.read(|r| r.worktrees())?;
        let found = all.into_iter().filter(|worktree| !worktree.removed).rfind(named);
        found.ok_or_else(|| AppError::not_found(Noun::Worktree, name))
    }

    /// Removes worktrees: merged ones at once, others after their time or above the limit, if nothing would be lost.
    pub fn prune_worktrees(&self, mode: RemoveMode) -> Result<PrunedWorktrees> {
        self.allowed(&Act::SteerRun)?;
        self.prune_unused_since(None, mode)
    }

    /// The same for those in which nobody has worked since a time.
    fn prune_unused_since(&self, since: Option<Timestamp>, mode: RemoveMode) -> Result<PrunedWorktrees> {
        let repo = self.repository_for("worktree")?;
        if let Ok(folder) = self.worktrees_folder(&self.settings()?) {
            Repo::finish_removals(&folder).iter().for_each(|fault| tracing::warn!("what was left of a worktree stays: {fault}"));
        }
        self.sift_worktrees(mode, since, Some(repo))
    }

    /// What [`App::prune_worktrees`] would do; changes nothing.
    pub fn prunable_worktrees(&self, mode: RemoveMode) -> Result<PrunedWorktrees> {
        self.repository_for("worktree")?;
        self.sift_worktrees(mode, None, None)
    }

    /// Determines for each worktree whether it may be removed, and removes it from `prunes`: one after the other, since somebody may begin
    /// to work in the next one meanwhile. One that can't be examined or removed stays, with the reason, and does not hold up the others.
    fn sift_worktrees(&self, mode: RemoveMode, since: Option<Timestamp>, prunes: Option<&Repo>) -> Result<PrunedWorktrees> {
        let settings = self.settings()?.worktrees;
        let all = self.db.read(|r| r.worktrees())?;
        let rows: Vec<(Worktree, WorktreeRow)> = all.iter().map(|worktree| (worktree.clone(), self.worktree_row(worktree))).collect();
        let limit = if settings.keep_gb == 0 { u64::MAX } else { u64::from(settings.keep_gb) * GIGABYTE };
        let mut bytes: u64 = rows.iter().map(|(_, row)| row.bytes).sum();
        let mut sifted = PrunedWorktrees { removed: Vec::new(), kept: Vec::new() };
        for (worktree, mut row) in rows {
            let used = self.last_used(&worktree)?;
            let upkeep = Upkeep {
                state: worktree.state,
                is_missing: row.state == WorktreeStanding::Missing,
                unused_days: self.clock.now().millis_since(used) / DAY,
                keep_days: settings.keep_days,
                over_limit: bytes > limit,
            };
            if !worktree.removed {
                row.kept = match upkeep.may_folder_go() {
                    true if since.is_some_and(|since| used >= since) => Some("somebody has just worked in it".to_owned()),
                    true => self.why_not(&worktree, mode).unwrap_or_else(|fault| Some(fault.to_string())),
                    // What is happening in it says more than its age.
                    false => row.under_way.clone().or_else(|| Some(format!("its {} days are not over", settings.keep_days))),
                };
                if row.kept.is_none() && prunes.is_some() {
                    row.kept = match self.take_away_if_kept(&worktree) {
                        Ok(TakenAway::Gone(_)) => None,
                        Ok(TakenAway::Stays(why)) => Some(why),
                        Err(fault) => Some(fault.to_string()),
                    };
                }
                if row.kept.is_some() {
                    sifted.kept.push(row);
                    continue;
                }
                bytes -= row.bytes;
                sifted.removed.push(row);
            }
            if let Some(repo) = prunes.filter(|_| upkeep.may_branch_go())
                && let Err(fault) = self.prune_branch(repo, &worktree)
            {
                tracing::warn!("the branch {} stays: {fault}", worktree.branch);
            }
        }
        Ok(sifted)
    }

    /// When somebody last worked in a worktree, as far as Ralph knows.
    fn last_used(&self, worktree: &Worktree) -> Result<Timestamp> {
        let last = worktree.work.task().map(|task| self.db.read(|r| r.iterations_of_task(task, 1))).transpose()?;
        let last = last.and_then(|rows| rows.into_iter().next()?.ended);
        Ok(worktree.ended.or(last).unwrap_or(worktree.made).max(worktree.made))
    }

    /// Removes old snapshots, and what the settings say, at the end of a run that began at `since`, except what was used in it and has
    /// room: nobody has to remember it.
    pub(crate) fn prune_after_run(&self, since: Timestamp) -> Result<()> {
        if let Some(repo) = self.repo.as_ref().filter(|_| !self.db.is_read_only()) {
            self.forget_old_snapshots(repo);
        }
        self.keep_to_room_or_warn();
        let idle = self.repo.is_some() && !self.db.is_read_only() && !self.db.read(|r| r.is_at_work())?;
        if !idle || self.db.read(|r| r.worktrees())?.is_empty() {
            return Ok(());
        }
        for row in self.prune_unused_since(Some(since), RemoveMode::Safely)?.removed {
            tracing::info!("{} is removed; its branch {} stays unless it is merged", row.path, row.branch);
        }
        Ok(())
    }

    /// Why a finished worktree still exists, for a list.
    pub(super) fn why_kept(&self, worktree: &Worktree, repo: &Repo) -> Result<Option<String>> {
        if lives(worktree) {
            return Ok(None);
        }
        let files = repo.uncommitted(NAMED_FILES)?;
        Ok((!files.is_empty()).then(|| format!("it holds work that is not committed: {}", files.join(", "))))
    }

    pub(super) fn why_not(&self, worktree: &Worktree, mode: RemoveMode) -> Result<Option<String>> {
        if let Some(why) = self.why_held(worktree)? {
            return Ok(Some(why));
        }
        let Some(stands) = self.repo_in(worktree) else { return Ok(None) };
        let files = stands.uncommitted(NAMED_FILES)?;
        // What git does not look at is not among them.
        if files.is_empty() || mode == RemoveMode::WithSnapshot {
            return Ok(why_beyond_keeping(&stands, &stands.snapshot()?));
        }
        Ok(Some(format!("it holds work that is not committed: {}", files.join(", "))))
    }

    /// Who or what is using a worktree.
    pub(crate) fn why_held(&self, worktree: &Worktree) -> Result<Option<String>> {
        match worktree.work {
            Work::Task(task) => {
                if let Some(iteration) = self.db.read(|r| r.running_iteration_of(task))? {
                    return Ok(Some(format!("iteration {iteration} works on its task")));
                }
            }
            Work::Errand(errand) => {
                if self.errand(errand)?.state == ErrandState::Running {
                    return Ok(Some(format!("errand {errand} is at work")));
                }
            }
        }
        if worktree.landing.is_some() {
            return Ok(Some("it is being merged".into()));
        }
        let path = Path::new(&worktree.path);
        if self.repo_in(worktree).is_none() && path.symlink_metadata().is_ok() {
            return Ok(Some("something else stands there now, which is left alone".into()));
        }
        if let Some(repo) = &self.repo
            && repo.worktrees()?.iter().any(|known| known.locked && known.path == path)
        {
            return Ok(Some("it is locked; `git worktree unlock` frees it".into()));
        }
        let living = agent_cli::inhabitants(path);
        Ok(living.first().map(|one| format!("process {} ({}) lives in it", one.pid, one.name)))
    }

    /// The name of a snapshot of uncommitted work in a worktree: that of its last iteration, or of the errand.
    pub(crate) fn snapshot_name(&self, work: Work) -> Result<String> {
        match work {
            Work::Task(task) => Ok(self.db.read(|r| r.iterations_of_task(task, 1))?.first().map_or(0, |row| row.id).to_string()),
            Work::Errand(_) => Ok(work.name()),
        }
    }

    /// Removes the folder. Returns the name of the snapshot of uncommitted work, if there was any; an error if it holds what no snapshot
    /// can.
    pub(crate) fn take_away(&self, worktree: &Worktree) -> Result<Option<String>> {
        match self.take_away_if_kept(worktree)? {
            TakenAway::Gone(kept) => Ok(kept),
            TakenAway::Stays(why) => {
                Err(AppError::invalid("worktree", format!("{} stays: {why}", worktree.path), "move it away, or commit it there"))
            }
        }
    }

    /// Removes the folder, unless it holds what no snapshot can keep.
    pub(crate) fn take_away_if_kept(&self, worktree: &Worktree) -> Result<TakenAway> {
        let repo = self.repository_for("worktree")?;
        let mut kept = None;
        let path = Path::new(&worktree.path);
        if let Some(stands) = self.repo_in(worktree) {
            let snapshot = stands.snapshot()?;
            if let Some(why) = why_beyond_keeping(&stands, &snapshot) {
                return Ok(TakenAway::Stays(why));
            }
            if snapshot.is_dirty() {
                let name = stands.keep(&snapshot, &self.snapshot_name(worktree.work)?)?.name;
                tracing::info!("what was not committed in {} is kept: `ralph snapshot restore {name}` brings it back", worktree.path);
                kept = Some(name);
            }
            if let Some(head) = stands.head()? {
                // Commits on no branch, as on a detached head.
                repo.hold(&head)?;
            }
            let nested = stands.keep_nested(&snapshot, &self.snapshot_name(worktree.work)?)?;
            if !nested.is_empty() {
                tracing::info!("commits of repositories in {} are kept below refs/ralph/nested: {}", worktree.path, nested.join(", "));
            }
        }
        if repo.worktrees()?.iter().any(|known| known.path == path) {
            repo.remove_worktree(path)?;
        }
        self.change_worktree(worktree.id, |worktree| worktree.removed = true)?;
        Ok(TakenAway::Gone(kept))
    }

    /// Removes the branch of work that is over, which may go. Its last commit is kept below `refs/ralph/`.
    pub(crate) fn prune_branch(&self, repo: &Repo, worktree: &Worktree) -> Result<()> {
        let gone = match repo.branch_tip(&worktree.branch)? {
            None => {
                // A git that was killed while it removed the branch may have left the lock of the list of branches.
                self.clear_branch_locks(repo, &worktree.branch)?;
                true
            }
            // A branch that moved since belongs to somebody.
            Some(tip) => worktree.tip.as_deref() == Some(&tip) && repo.remove_branch(&worktree.branch, &tip).is_ok(),
        };
        if gone {
            self.change_worktree(worktree.id, |worktree| worktree.pruned = true)?;
        }
        Ok(())
    }
}

/// What would be lost with a worktree's folder even if a snapshot of it were taken.
fn why_beyond_keeping(stands: &Repo, snapshot: &Snapshot) -> Option<String> {
    let files = stands.beyond_keeping(snapshot);
    let named = listed(&files, NAMED_FILES);
    (!files.is_empty()).then(|| {
        format!("it holds what no snapshot can keep, too large, too many files, a repository or in the place of a submodule: {named}")
    })
}
