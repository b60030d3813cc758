//! Review: work in worktrees is shown, decided on and merged, one merge at a time.

mod beside;
mod decide;
mod edits;
mod give_back;
mod join;
mod land;
mod merge;
mod merging;
pub(crate) mod planted;
mod recover;
mod resolve;
mod reviewer;
mod settle;
mod stack;
mod text;
mod whole;

pub(crate) use decide::FollowUpEnd;
pub use merge::MergeRequest;

use crate::app::App;
use crate::error::{AppError, Result};
use crate::worktrees::is_in_review;
use git_repo::{ChangeKind, FileChange, Fork, GitError, Repo};
use ralph_core::conflict::FileConflict;
use ralph_core::limits::{REVIEW_COMMITS, REVIEW_DIFF_BYTES};
use ralph_core::noun::Noun;
use ralph_core::time::Timestamp;
use ralph_core::view::{FileChangeKind, Review, ReviewCommit, ReviewDiff, ReviewFile, ReviewRow, ReviewStanding};
use ralph_core::worktree::{Refusal, RefusalKind, Work, Worktree, WorktreeState};
use sqlite_db::Read;
use std::collections::BTreeSet;

/// Iterations searched for the last check.
const ITERATIONS_READ: u32 = 20;
/// How a revert is reverted: git considers commits that it has as merged.
const REVERT: &str = "`git revert` of the commit that took it back";
/// Context lines of a diff.
const CONTEXT: u32 = 3;
/// Context lines to show a whole file: more than any has.
const WHOLE: u32 = 10_000_000;

/// A branch and its base at one moment.
struct Sides {
    /// The last commit of the work.
    tip: String,
    /// Where the work began.
    fork: String,
    standing: ReviewStanding,
    conflicts: Vec<FileConflict>,
}

impl App {
    /// Work awaiting review, and discarded work that is recoverable.
    pub fn reviews(&self) -> Result<Vec<ReviewRow>> {
        let Some(repo) = &self.repo else { return Ok(Vec::new()) };
        let all = self.db.read(|r| {
            let mut all = Vec::new();
            for worktree in r.worktrees()? {
                if is_in_review(r, &worktree)? || worktree.state == WorktreeState::Discarded && !worktree.pruned {
                    all.push(worktree);
                }
            }
            Ok::<_, AppError>(all)
        })?;
        all.iter().map(|worktree| Ok(self.review_row(repo, worktree, &self.sides(repo, worktree)?)?.0)).collect()
    }

    /// Everything about a review except the diff.
    pub fn review(&self, work: Work) -> Result<Review> {
        let repo = self.repository_for("task")?;
        let worktree = self.worktree_of(work)?;
        let sides = self.sides(repo, &worktree)?;
        let (row, files) = self.review_row(repo, &worktree, &sides)?;
        let commits = repo.branch_commits(&sides.fork, &sides.tip, REVIEW_COMMITS)?;
        let read = |commit: git_repo::BranchCommit| ReviewCommit {
            id: commit.id,
            subject: crate::secrets::wash::text(&commit.subject),
            author: commit.author,
            time: Timestamp(commit.time.saturating_mul(1_000)),
            files: commit.files,
        };
        let stands = self.repo_in(&worktree).is_some();
        Ok(Review {
            row,
            worktree_path: if stands { worktree.path.clone() } else { String::new() },
            commits: commits.into_iter().map(read).collect(),
            files,
            conflicts: sides.conflicts,
            comments: self.db.read(|r| work.task().map_or(Ok(Vec::new()), |task| r.review_comments(task)))?,
            by_agent: self.last_diff_review(work, &sides.tip)?,
            divergences: self.divergences_of(&worktree, repo, &sides.fork, &sides.tip)?,
            refusal: worktree.refusal.map(|refusal| AppError::MergeRefused { work, refusal, setback: None }.into()),
        })
    }

    /// A review as a unified diff: of the whole branch, of one commit, or of one file, with all its lines if
    /// `whole`.
    pub fn review_diff(&self, work: Work, commit: Option<&str>, path: Option<&str>, whole: bool) -> Result<ReviewDiff> {
        let repo = self.repository_for("task")?;
        let sides = self.sides(repo, &self.worktree_of(work)?)?;
        let (before, after) = match commit {
            None => (sides.fork, sides.tip),
            Some(commit) => {
                let known = repo.branch_commits(&sides.fork, &sides.tip, REVIEW_COMMITS)?;
                let found = known.into_iter().find(|known| commit.len() >= 4 && known.id.starts_with(commit));
                let found = found.ok_or_else(|| AppError::not_found(Noun::Commit, commit))?;
                (repo.before_commit(&found.id)?, found.id)
            }
        };
        let mut paths = Vec::new();
        if let Some(path) = path {
            let changes = repo.changes_between(&before, &after)?;
            let found = changes.into_iter().find(|change| change.path == path || change.old_path.as_deref() == Some(path));
            // Both names of a renamed file, otherwise it would look like a new one.
            paths = found.ok_or_else(|| AppError::not_found(Noun::ChangedFile, path))?.names;
        }
        let (text, cut) = repo.diff_of(&before, &after, &paths, if whole { WHOLE } else { CONTEXT }, REVIEW_DIFF_BYTES)?;
        Ok(ReviewDiff { text: crate::secrets::wash::text(&text), cut })
    }

    fn sides(&self, repo: &Repo, worktree: &Worktree) -> Result<Sides> {
        let tip = repo.branch_tip(&worktree.branch)?.or_else(|| worktree.tip.clone()).unwrap_or_else(|| worktree.base_commit.clone());
        let standing_base = repo.branch_tip(&worktree.base)?;
        let is_base_gone = standing_base.is_none();
        // Without its base, work is shown as what it adds to its starting point.
        let base = standing_base.unwrap_or_else(|| worktree.base_commit.clone());
        let start = &worktree.base_commit;
        // Every base contains a branch without commits; what could not be committed is still to come.
        let landed = (worktree.state == WorktreeState::Merged && !is_taken_back(repo, worktree)?)
            || tip != *start && repo.has_landed(start, &tip, &base)?;
        let fork = repo.fork_of(start, &tip, &base)?;
        let mut conflicts = if landed { Vec::new() } else { conflicts_between(repo, fork.as_ref(), &base, &tip)? };
        if !conflicts.is_empty()
            && !fork.as_ref().is_some_and(|fork| fork.is_left)
            && self.settles(worktree.work, repo, &base, &conflicts)?
        {
            conflicts.clear();
        }
        // Landed work shares all its commits with the base, and nothing can be compared where they share none.
        let fork = fork.filter(|_| !landed).map_or_else(|| start.clone(), |fork| fork.commit);
        let standing = match (landed, conflicts.is_empty()) {
            (true, _) => ReviewStanding::Landed,
            _ if is_base_gone => ReviewStanding::BaseGone,
            (false, false) => ReviewStanding::Conflicts,
            (false, true) if repo.is_ancestor(&base, &tip)? => ReviewStanding::Clean,
            (false, true) => ReviewStanding::BaseMoved,
        };
        Ok(Sides { tip, fork, standing, conflicts })
    }

    fn review_row(&self, repo: &Repo, worktree: &Worktree, sides: &Sides) -> Result<(ReviewRow, Vec<ReviewFile>)> {
        let (title, check) = self.db.read(|r| {
            let Work::Task(task) = worktree.work else { return Ok((title_of(r, worktree.work)?, None)) };
            let iterations = r.iterations_of_task(task, ITERATIONS_READ)?;
            let check = iterations.into_iter().find_map(|iteration| iteration.evidence.check);
            Ok::<_, AppError>((title_of(r, worktree.work)?, check))
        })?;
        let files: Vec<ReviewFile> = repo.changes_between(&sides.fork, &sides.tip)?.into_iter().map(shown).collect();
        let sum = |count: fn(&ReviewFile) -> u32| files.iter().map(count).fold(0, u32::saturating_add);
        let row = ReviewRow {
            task: worktree.work.task(),
            errand: worktree.work.errand(),
            title,
            branch: worktree.branch.clone(),
            base: worktree.base.clone(),
            files: u32::try_from(files.len()).unwrap_or(u32::MAX),
            added: sum(|file| file.added),
            removed: sum(|file| file.removed),
            check: worktree.check.clone().or(check),
            standing: sides.standing,
            state: worktree.state,
        };
        Ok((row, files))
    }
}

/// Title of a task or an errand; empty if its row is gone.
fn title_of(r: &Read<'_>, work: Work) -> Result<String> {
    Ok(match work {
        Work::Task(task) => r.task(task)?.map(|task| task.title),
        Work::Errand(errand) => r.errand(errand)?.map(|errand| errand.title),
    }
    .unwrap_or_default())
}

/// Refuses work that somebody is working on.
fn must_be_idle(r: &Read<'_>, work: Work) -> Result<()> {
    if let Some(task) = work.task()
        && let Some(iteration) = r.running_iteration_of(task)?
    {
        return Err(AppError::TaskRunning { task, iteration });
    }
    crate::errands::no_errand_in(r, work)
}

/// The error that there is no longer anything to merge work into.
fn base_gone(worktree: &Worktree) -> Refusal {
    Refusal::new(RefusalKind::BaseGone, format!("the branch '{}' is gone", worktree.base), Vec::new())
}

/// Whether somebody reverted a merge: the base has no trace of the work. If the same lines have changed in another way, nobody can tell.
fn is_taken_back(repo: &Repo, merged: &Worktree) -> Result<bool> {
    let (Some(tip), Some(base)) = (&merged.tip, repo.branch_tip(&merged.base)?) else { return Ok(false) };
    if !repo.has_commit(tip)? {
        return Ok(false);
    }
    if repo.has_taken(&merged.base_commit, tip, &base)? {
        return Ok(repo.is_without(&merged.base_commit, tip, &base)?);
    }
    let fork = repo.branched_from(&base, tip)?;
    let has_now: BTreeSet<String> = repo.changes_between(&fork, &base)?.into_iter().map(|change| change.path).collect();
    let brought = repo.changes_between(&fork, tip)?;
    // Ralph's own lines about what was learnt there are not work: if there is nothing else, nothing was there to be reverted.
    Ok(!brought.is_empty() && brought.iter().all(|change| !has_now.contains(&change.path)))
}

/// Files that would conflict. Without a common commit there is nothing to compare; a merge says so.
fn conflicts_between(repo: &Repo, fork: Option<&Fork>, base: &str, tip: &str) -> Result<Vec<FileConflict>> {
    match repo.conflicts(fork, base, tip) {
        Err(GitError::Failed { .. }) if !repo.are_related(base, tip)? => Ok(Vec::new()),
        found => Ok(found?),
    }
}

/// Reports what is checked out in a worktree in place of its branch.
fn elsewhere(worktree: &Worktree, own: &Repo) -> Result<String> {
    let now = own.branch()?.map_or("no branch".to_owned(), |branch| format!("'{branch}'"));
    Ok(format!("{} has {now} checked out instead of '{}', whose commits it lacks", worktree.path, worktree.branch))
}

fn shown(change: FileChange) -> ReviewFile {
    let (added, removed) = change.lines.unwrap_or((0, 0));
    let kind = match change.kind {
        ChangeKind::Added => FileChangeKind::Added,
        ChangeKind::Modified => FileChangeKind::Changed,
        ChangeKind::Deleted => FileChangeKind::Removed,
        ChangeKind::Renamed => FileChangeKind::Renamed,
        ChangeKind::Copied => FileChangeKind::Copied,
    };
    ReviewFile { path: change.path, old_path: change.old_path, change: kind, added, removed, binary: change.lines.is_none() }
}
