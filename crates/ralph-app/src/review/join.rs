//! Base and work joined in the worktree of the work, on a detached head: what is checked before anything lands.

use super::merging::{Merging, first_lines};
use super::whole::not_committed;
use crate::app::App;
use crate::error::{AppError, Result};
use crate::rows::find_task;
use git_repo::{Fork, GitError, MergeOrder, MergeOutcome};
use ralph_core::conflict::{self, FileConflict};
use ralph_core::limits::NAMED_FILES;
use ralph_core::noun::Noun;
use ralph_core::task::TaskStatus;
use ralph_core::text::in_shell;
use ralph_core::worktree::{Landing, MergeStrategy, Refusal, RefusalKind, Worktree, WorktreeState};

/// Characters of a commit in a message.
pub(super) const SHORT: usize = 12;

/// How git begins its refusal of what would overwrite or remove files that it does not track.
const UNTRACKED_IN_THE_WAY: &str = "untracked working tree files would be";

/// A result to be checked and landed.
pub(super) enum Step {
    /// The base already contained the work.
    Contained,
    /// From a commit of the base to the result.
    Result(String, String),
}

impl App {
    /// The merge of base and work, checked out in the worktree on a detached head.
    pub(super) fn join(&self, merging: Merging) -> Result<(Merging, Step)> {
        let step = self.told(&merging, self.step_of(&merging))?;
        Ok((merging, step))
    }

    fn step_of(&self, merging: &Merging) -> Result<Step> {
        let (worktree, repo) = (&merging.worktree, &merging.repo);
        let Some(base) = repo.branch_tip(&worktree.base)? else {
            return self.refuse_as(merging, super::base_gone(worktree));
        };
        let Some(tip) = repo.branch_tip(&worktree.branch)? else {
            let message = format!("the branch '{}' is gone", worktree.branch);
            return self.refuse(merging, RefusalKind::ByGit, &message);
        };
        if merging.only.as_ref().is_some_and(|only| *only != tip) {
            let name = worktree.work.name();
            let message = format!("'{}' was changed since it was checked; `ralph diff {name}` shows it", worktree.branch);
            return self.refuse(merging, RefusalKind::CheckFailed, &message);
        }
        if repo.has_taken(&merging.start, &tip, &base)? {
            if repo.is_without(&merging.start, &tip, &base)? {
                return self.refuse(merging, RefusalKind::ByGit, &nothing_left(worktree));
            }
            if let Some(lost) = self.lost_work(worktree, &tip, &base)? {
                let lost = lost.get(..SHORT).unwrap_or(&lost);
                let (branch, base) = (&worktree.branch, &worktree.base);
                let message = format!(
                    "'{branch}' was set back, and '{base}' lacks the work that was on it, commit {lost}; \
                     `git -C {} reset --keep {lost}` brings it back",
                    in_shell(&worktree.path)
                );
                return self.refuse(merging, RefusalKind::ByGit, &message);
            }
            if tip == worktree.base_commit
                && let Some(message) = self.left_elsewhere(worktree)?
            {
                return self.refuse(merging, RefusalKind::ByGit, &message);
            }
            return Ok(Step::Contained);
        }
        let inside = repo.undeclared_nested(&base, &tip)?;
        if !inside.is_empty() {
            let message =
                format!("'{}' holds repositories of their own, whose files would not come along: {}", worktree.branch, inside.join(", "));
            return self.refuse_naming(merging, RefusalKind::RepositoryInside, &message, inside);
        }
        let fork = repo.fork_of(&merging.start, &tip, &base)?.filter(|fork| fork.is_left);
        if fork.is_none()
            && let Some(before) = repo.brings_back(&merging.start, &tip, &base)?
        {
            let message = would_bring_back(worktree, &before, &merging.start);
            return self.refuse(merging, RefusalKind::StartLost, &message);
        }
        let conflicts = match repo.conflicts(fork.as_ref(), &base, &tip) {
            Err(GitError::Failed { .. }) if !repo.are_related(&base, &tip)? => {
                let (base, branch, name) = (&worktree.base, &worktree.branch, worktree.work.name());
                let way = if repo.is_shallow()? {
                    " here, where the history is cut off; `git fetch --unshallow` brings the rest of it".to_owned()
                } else {
                    format!("; `ralph merge {name} --into BRANCH` names another base")
                };
                let message = format!("'{base}' and '{branch}' have no commit in common{way}");
                return self.refuse(merging, RefusalKind::ByGit, &message);
            }
            found => found?,
        };
        if !conflicts.is_empty() {
            return self.conflict(merging, fork.as_ref(), &conflicts);
        }
        self.note_landing(worktree, &base, &tip)?;
        self.faults.point()?;
        self.merged_apart(merging, fork.as_ref(), (base, tip))
    }

    /// Merges base and work in the worktree. What the work began from but the base lacks does not come along.
    fn merged_apart(&self, merging: &Merging, fork: Option<&Fork>, (base, tip): (String, String)) -> Result<Step> {
        let (worktree, repo) = (&merging.worktree, &merging.repo);
        // In the form of git's own messages, which hooks that check commit messages accept.
        let message = format!("Merge {}: {} into {}", worktree.work, crate::secrets::wash::text(&merging.title), worktree.base);
        let planted = fork.map(|fork| repo.replant_apart(fork, &tip, &base, &message)).transpose()?;
        let tip = match planted {
            None => tip,
            Some(MergeOutcome::Clean(planted)) => planted,
            Some(other) => return self.step_after(merging, fork, base, other),
        };
        // A merge with a resolved conflict can't be replayed commit by commit.
        let settled = merging.settings.worktrees.merge == MergeStrategy::Rebase && repo.has_merges(&base, &tip)?;
        let strategy = if settled { MergeStrategy::Merge } else { merging.settings.worktrees.merge };
        let order = MergeOrder { tip: &tip, base: &base, strategy, message: &message };
        let mut joined = repo.merge_apart(&order)?;
        if strategy == MergeStrategy::Rebase && matches!(joined, MergeOutcome::Conflict(_)) {
            // Commits that conflict one by one but not in the end would be a conflict that nobody can settle.
            repo.leave_merge(&worktree.branch)?;
            joined = repo.merge_apart(&MergeOrder { strategy: MergeStrategy::Merge, ..order })?;
        }
        if let MergeOutcome::NotCommitted(words) = &joined
            && strategy != MergeStrategy::Rebase
            && repo.has_commit_hooks()?
        {
            let words = format!("{}; that was about a commit called '{message}', and `merge = \"rebase\"` makes none", first_lines(words));
            return self.refuse(merging, RefusalKind::ByGit, &words);
        }
        self.step_after(merging, fork, base, joined)
    }

    fn step_after(&self, merging: &Merging, fork: Option<&Fork>, base: String, joined: MergeOutcome) -> Result<Step> {
        match joined {
            MergeOutcome::Clean(result) if result == base => Ok(Step::Contained),
            MergeOutcome::Clean(result) => {
                self.change_landing(&merging.worktree, |landing| landing.to = Some(result.clone()))?;
                Ok(Step::Result(base, result))
            }
            MergeOutcome::Conflict(conflicts) => self.conflict(merging, fork, &conflicts),
            MergeOutcome::Refused(words) if words.contains(UNTRACKED_IN_THE_WAY) => {
                // Such as what a check writes. Git's message doesn't say in which folder.
                let files = merging.repo.uncommitted(NAMED_FILES)?;
                self.refuse_as(merging, not_committed(&merging.worktree, files, None))
            }
            MergeOutcome::Refused(words) | MergeOutcome::NotCommitted(words) => {
                self.refuse(merging, RefusalKind::ByGit, &first_lines(&words))
            }
        }
    }

    /// Notes that work at `tip` is being merged into its base at `from`, unless it is no longer in review: nobody else gets it from here
    /// on. A base named for this merge alone stays a part of the note until it has landed.
    pub(super) fn note_landing(&self, worktree: &Worktree, from: &str, tip: &str) -> Result<()> {
        let (from, tip) = (from.to_owned(), Some(tip.to_owned()));
        self.write(|tx| {
            let mut stored = tx.worktree(worktree.id)?.ok_or_else(|| AppError::not_found(Noun::Worktree, worktree.id))?;
            let task = stored.work.task().map(|task| find_task(tx, task)).transpose()?;
            if stored.state != WorktreeState::Ready || task.is_some_and(|task| task.status != TaskStatus::InReview) {
                let hint = "`ralph task list --status in_review` shows what is";
                return Err(AppError::invalid("work", format!("{} is not in review any more", stored.work), hint));
            }
            let into = Some(&worktree.base).filter(|into| **into != stored.base).cloned();
            stored.landing = Some(Landing { from, to: None, tip, into, waits: true });
            Ok(tx.update_worktree(&stored)?)
        })
    }

    /// Changes the note of a merge.
    pub(super) fn change_landing(&self, worktree: &Worktree, change: impl FnOnce(&mut Landing)) -> Result<()> {
        self.change_worktree(worktree.id, |worktree| {
            worktree.landing.as_mut().map(change);
        })
        .map(drop)
    }

    /// Refuses a merge of sides that conflict.
    pub(super) fn conflict<T>(&self, merging: &Merging, fork: Option<&Fork>, conflicts: &[FileConflict]) -> Result<T> {
        let worktree = &merging.worktree;
        let mut message = conflict::in_words(&worktree.base, &worktree.branch, conflicts);
        let mut kind = RefusalKind::Conflict;
        if let Some(fork) = fork {
            // A merge would count as work whatever the base lacks of the fork's history.
            kind = RefusalKind::StartLost;
            message += &format!("; {}", start_lost(worktree, &fork.commit));
        }
        let files: Vec<String> = conflicts.iter().map(|conflict| conflict.path.clone()).collect();
        let left_out = merging.repo.left_out_drivers(&files)?;
        if !left_out.is_empty() {
            message += &format!("; nobody agreed to what merges them otherwise: {}", left_out.join(", "));
        }
        self.refuse_as(merging, Refusal { left_out, ..Refusal::new(kind, message, files) })
    }
}

/// Why work that its base once took is no longer in it, and what to do about it.
fn nothing_left(worktree: &Worktree) -> String {
    let (branch, base, name) = (&worktree.branch, &worktree.base, worktree.work.name());
    let task = worktree.work.task();
    let moved = task.map(|task| format!(", or `ralph task update {task} --status done` after that if it went on there in another form"));
    format!(
        "'{base}' had the work on '{branch}', and nothing of it is left there; if that was taken back, {} brings it there again; \
         `ralph discard {name}` puts it away{}",
        super::REVERT,
        moved.unwrap_or_default()
    )
}

/// Says that a base has dropped what the work has from before it began, and how to leave that out: after a merge of the base, a rebase
/// would repeat what the merge did.
fn would_bring_back(worktree: &Worktree, before: &str, start: &str) -> String {
    let (path, base, branch) = (in_shell(&worktree.path), &worktree.base, &worktree.branch);
    let [before, start] = [before, start].map(|commit| commit.get(..SHORT).unwrap_or(commit));
    format!(
        "'{base}' does not have what '{branch}' began from any more, {before}..{start}, and a merge would bring that back; \
         `git -C {path} revert --no-edit {before}..{start}` leaves it out"
    )
}

/// Says that a base lacks what work began from, and how to bring the work there without it.
fn start_lost(worktree: &Worktree, start: &str) -> String {
    let (base, start) = (&worktree.base, start.get(..SHORT).unwrap_or(start));
    format!(
        "'{base}' does not have what the work stands on, its commit {start} or the work's own since, so \
         `git -C {} rebase --onto {} {start}` is where to settle that",
        in_shell(&worktree.path),
        in_shell(base)
    )
}
