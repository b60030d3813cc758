//! The merge queue: base and work are merged in the worktree, checked there, and landed; one at a time.

use super::edits::KeptEdits;
use super::join::{SHORT, Step};
use super::merging::{Merging, first_lines};
use crate::app::App;
use crate::errands::Purse;
use crate::error::{AppError, Result};
use crate::owner::RunLock;
use crate::rows::find_task;
use agent_cli::{CheckSpec, RunMarks, StopHandle};
use git_repo::{GitError, Repo};
use ralph_core::authority::Act;
use ralph_core::errand::ErrandAgent;
use ralph_core::noun::Noun;
use ralph_core::run::CheckResult;
use ralph_core::task::TaskStatus;
use ralph_core::trust::name;
use ralph_core::view::MergeDone;
use ralph_core::worktree::{Refusal, RefusalKind, ResolvePolicy, Work, Worktree, WorktreeState};
use std::path::PathBuf;
use std::sync::Arc;

/// Attempts while the base keeps moving.
const TRIES: u32 = 3;
/// Turns of some seconds each that a merge waits in the queue: half an hour, the longest duration of a check.
const TURNS: u32 = 900;
/// Name of the merge lock.
const LOCK_FILE: &str = "merge.lock";

/// Result of landing.
pub(super) enum LandOutcome {
    Done,
    /// As after a killed merge.
    Found(MergeDone),
    Again,
}

/// How work is merged. Without more: into its base, and a conflict of a task's work is resolved as the project's settings say.
#[derive(Debug, Clone, Copy, Default)]
pub struct MergeRequest<'a> {
    /// The branch that gets the work instead of its base.
    pub(crate) into: Option<&'a str>,
    /// The agent that resolves a conflict, whatever the settings say.
    pub(crate) resolver: Option<&'a ErrandAgent>,
    /// The purse that pays that agent, in a run.
    pub(crate) purse: Option<Purse>,
    /// The commit that was checked, if nobody reviews the work: whatever its branch has got since waits for a person.
    pub(crate) only: Option<&'a str>,
}

impl<'a> MergeRequest<'a> {
    /// One by a person.
    pub fn new(into: Option<&'a str>, resolver: Option<&'a ErrandAgent>) -> Self {
        MergeRequest { into, resolver, ..MergeRequest::default() }
    }
}

impl App {
    /// Merges work in review: merged, checked, landed; then its task is done, or its errand's proposal in effect. Waits for a merge in
    /// progress.
    ///
    /// # Errors
    /// [`AppError::MergeRefused`] with the reason; then nothing is left half done.
    pub async fn merge(self: &Arc<Self>, work: Work, request: &MergeRequest<'_>, stop: &StopHandle) -> Result<MergeDone> {
        let resolver = match request.resolver {
            Some(by) => Some(by.clone()),
            None => (self.settings()?.worktrees.resolve == ResolvePolicy::Agent).then(ErrandAgent::default),
        };
        let settled = match request.into.is_none() && self.blocking(move |app| app.joins_index(work)).await? {
            // Why it is not possible, the merge itself says.
            true => self.settled(work, request.only).await.unwrap_or_default(),
            false => None,
        };
        // It contains the only commit that may be merged, and nothing else but the base.
        let only = request.only.map(|only| settled.as_deref().unwrap_or(only));
        let merged = self.merge_once(work, &MergeRequest { only, ..*request }, stop).await;
        let conflicts = matches!(&merged, Err(AppError::MergeRefused { refusal, .. }) if refusal.kind == RefusalKind::Conflict);
        match (work.task(), resolver) {
            (Some(task), Some(by)) if conflicts => self.settle_conflict(task, request, &by, stop).await?,
            (None, _) if conflicts && request.into.is_none() => {
                let Some(settled) = self.settled(work, request.only).await? else { return merged };
                // It contains the only commit that may be merged, and nothing else but the base.
                let only = request.only.map(|_| settled.as_str());
                return self.merge_once(work, &MergeRequest { only, ..*request }, stop).await;
            }
            _ => return merged,
        };
        self.merge_once(work, request, stop).await
    }

    /// See [`App::settle_written_files`].
    async fn settled(self: &Arc<Self>, work: Work, only: Option<&str>) -> Result<Option<String>> {
        let only = only.map(str::to_owned);
        self.blocking(move |app| app.settle_written_files(work, only.as_deref())).await
    }

    /// One merge; a conflict refuses it.
    async fn merge_once(self: &Arc<Self>, work: Work, request: &MergeRequest<'_>, stop: &StopHandle) -> Result<MergeDone> {
        self.allowed(&Act::SteerRun)?;
        self.blocking(App::nothing_planted).await?;
        let mut lock = None;
        // Nobody is there to try again for a run, and the merges before it in the queue will end.
        let turns = if request.purse.is_some() { u32::MAX } else { TURNS };
        for _ in 0..turns {
            lock = self.blocking(App::merge_lock).await?;
            if lock.is_some() || stop.asked().is_some() {
                break;
            }
        }
        let busy = || refused(work, RefusalKind::Busy, "another merge is under way".into());
        let lock = lock.ok_or_else(busy)?;
        let into = request.into.map(str::to_owned);
        let mut merging = match self.blocking(move |app| app.begin_merge(work, into.as_deref(), lock)).await? {
            Begun::Over(done) => return Ok(done),
            Begun::Merging(merging) => Merging { only: request.only.map(str::to_owned), ..*merging },
        };
        for _ in 0..TRIES {
            let (back, step) = self.blocking_until(stop, move |app| app.join(merging)).await?;
            merging = back;
            let Step::Result(from, to) = step else {
                return self.blocking(move |app| app.finish_merge(&merging)).await;
            };
            if !merging.settings.check.trim().is_empty()
                && let Err(fault) = self.set_up_again(&merging.worktree, &merging.settings, stop).await
            {
                return self.blocking(move |app| app.refuse(&merging, RefusalKind::CheckFailed, &fault.to_string())).await;
            }
            merging.check = self.check_result(&merging, stop).await;
            if stop.asked().is_some() && merging.check.take_if(|check| !check.passed).is_some() {
                let message = "it was stopped before its check was over";
                return self.blocking(move |app| app.refuse(&merging, RefusalKind::Busy, message)).await;
            }
            let (back, landed) = self.blocking(move |app| app.land_result(merging, &from, &to)).await?;
            merging = back;
            match landed {
                LandOutcome::Done => return self.blocking(move |app| app.finish_merge(&merging)).await,
                LandOutcome::Found(done) => return Ok(done),
                LandOutcome::Again => {}
            }
        }
        let message = format!("'{}' or '{}' moved {TRIES} times meanwhile", merging.worktree.base, merging.worktree.branch);
        self.blocking(move |app| app.refuse(&merging, RefusalKind::BaseMoved, &message)).await
    }

    /// The merge lock; `None` while somebody holds it.
    pub(crate) fn merge_lock(&self) -> Result<Option<RunLock>> {
        RunLock::take(&[self.merge_lock_path()])
    }

    pub(super) fn merge_lock_path(&self) -> PathBuf {
        self.paths.db.join(LOCK_FILE)
    }

    /// Checks all preconditions before a file is touched.
    fn begin_merge(&self, work: Work, into: Option<&str>, lock: RunLock) -> Result<Begun> {
        self.recover_merges_holding(&lock)?;
        let repo = self.repository_for("task")?;
        let mut worktree = self.without_killed_merge(self.worktree_of(work)?, &lock)?;
        let task = work.task().map(|task| self.db.read(|r| find_task(r, task))).transpose()?;
        self.db.read(|r| super::must_be_idle(r, work))?;
        worktree = self.follow_branch(repo, worktree)?;
        if worktree.state == WorktreeState::Merged {
            if super::is_taken_back(repo, &worktree)? {
                let (base, tip) = (&worktree.base, worktree.tip.as_deref().unwrap_or_default());
                let fault = format!("{work} was merged, and '{base}' does not contain its work any more");
                let has_commits = repo.branch_tip(base)?.is_some_and(|now| repo.is_ancestor(tip, &now).unwrap_or(false));
                let way = if has_commits { super::REVERT.to_owned() } else { format!("`git merge {}`", tip.get(..SHORT).unwrap_or(tip)) };
                return Err(AppError::invalid("work", fault, format!("{way} there brings it again")));
            }
            must_have_got_it(repo, &worktree, into)?;
            let base = into.unwrap_or(&worktree.base).to_owned();
            return Ok(Begun::Over(done(repo, &Worktree { base, ..worktree })?));
        }
        if worktree.state != WorktreeState::Ready || task.as_ref().is_some_and(|task| task.status != TaskStatus::InReview) {
            let status = task.as_ref().map_or(worktree.state.as_str(), |task| task.status.as_str());
            let state = if worktree.state == WorktreeState::Discarded { "discarded" } else { status };
            let fault = format!("{work} is not in review: it is {}", state.replace('_', " "));
            let hint = match worktree.state {
                WorktreeState::Discarded => format!("`ralph discard {} --undo` brings it back until its branch is pruned", work.name()),
                _ => "`ralph task list --status in_review` shows what is".to_owned(),
            };
            return Err(AppError::invalid("work", fault, hint));
        }
        let base = into.unwrap_or(&worktree.base).to_owned();
        if base == worktree.branch {
            return Err(AppError::invalid(
                "into",
                format!("'{base}' is the branch of the work itself"),
                "name the branch that is to get it",
            ));
        }
        if base != worktree.base && (!repo.is_branch_name(&base)? || repo.branch_tip(&base)?.is_none()) {
            return Err(AppError::invalid("into", format!("there is no branch '{base}'"), "name a local branch"));
        }
        let start = if base == worktree.base {
            worktree.base_commit.clone()
        } else {
            let tip = repo.branch_tip(&worktree.branch)?.unwrap_or_else(|| worktree.base_commit.clone());
            repo.branched_from(&base, &tip)?
        };
        // Stored only with what was merged into it: a merge that is refused leaves no trace.
        worktree.base.clone_from(&base);
        self.must_stand_on_base(&worktree)?;
        let worktree = Worktree { base, ..self.stand_up(repo, worktree)? };
        let own = self.checkout_in(&worktree).repo.ok_or_else(|| AppError::not_found(Noun::Worktree, &worktree.path))?;
        let title = self.db.read(|r| super::title_of(r, work))?;
        let merging = Merging {
            task,
            title,
            worktree,
            start,
            repo: own,
            only: None,
            settings: self.settings()?,
            check: None,
            kept: None,
            lock: Some(lock),
        };
        self.standing_settings()?.must_be_agreed(name::CHECK)?;
        self.must_be_whole(&merging)?;
        self.hold_lines_of(&merging.worktree)?;
        Ok(Begun::Merging(Box::new(merging)))
    }

    /// A merge in progress, for its preceding steps.
    pub(super) fn begin_open_merge(&self, work: Work, into: Option<&str>, lock: RunLock) -> Result<Merging> {
        match self.begin_merge(work, into, lock)? {
            Begun::Merging(merging) => Ok(*merging),
            Begun::Over(_) => Err(AppError::invalid("work", format!("{work} is merged"), "nothing is left to settle")),
        }
    }

    /// A refusal of git's on the way, such as by a failing hook, refuses the merge.
    pub(super) fn told<T>(&self, merging: &Merging, result: Result<T>) -> Result<T> {
        match result {
            Err(AppError::Git(GitError::Stopped { .. })) => {
                self.refuse(merging, RefusalKind::Busy, "it was stopped before it was joined with its base")
            }
            Err(AppError::Git(fault)) => self.refuse(merging, RefusalKind::ByGit, &first_lines(&fault.to_string())),
            other => other,
        }
    }

    /// The project's check on the merged result.
    pub(super) async fn check_result(&self, merging: &Merging, stop: &StopHandle) -> Option<CheckResult> {
        let command = merging.settings.check.clone();
        if command.trim().is_empty() {
            return None;
        }
        let checkout = self.checkout_in(&merging.worktree);
        let marks = RunMarks {
            task: merging.worktree.work.task().unwrap_or(0),
            task_title: merging.title.clone(),
            feature: merging.task.as_ref().map(|task| task.feature.clone()).unwrap_or_default(),
            more: checkout.variables,
            replica: self.db.read(|r| r.own()).map(|own| own.replica).unwrap_or_default(),
            ..RunMarks::apart(self.paths.root.clone())
        };
        let spec = CheckSpec::new(command, checkout.folder, marks, merging.settings.pass_env.clone());
        let mut result = agent_cli::run_check(&spec, stop).await;
        result.output_tail = crate::secrets::wash::text(&result.output_tail);
        Some(result)
    }

    /// Restores the worktree, and clears the merge note. Returns what was changed there meanwhile.
    pub(super) fn leave(&self, merging: &Merging) -> Result<Option<KeptEdits>> {
        let kept = self.keep_edits(&merging.worktree, &merging.repo)?;
        merging.repo.leave_merge(&merging.worktree.branch)?;
        self.clear_branch_locks(&merging.repo, &merging.worktree.branch)?;
        self.change_worktree(merging.worktree.id, |worktree| worktree.landing = None)?;
        Ok(kept)
    }

    /// Restores everything and stores the reason, which is the error.
    pub(super) fn refuse<T>(&self, merging: &Merging, kind: RefusalKind, message: &str) -> Result<T> {
        self.refuse_naming(merging, kind, message, Vec::new())
    }

    /// The same, for a reason that concerns `files`.
    pub(super) fn refuse_naming<T>(&self, merging: &Merging, kind: RefusalKind, message: &str, files: Vec<String>) -> Result<T> {
        self.refuse_as(merging, Refusal::new(kind, message.to_owned(), files))
    }

    pub(super) fn refuse_as<T>(&self, merging: &Merging, refusal: Refusal) -> Result<T> {
        let mut kept = merging.kept.clone();
        if self.db.read(|r| r.worktree(merging.worktree.id))?.is_some_and(|worktree| worktree.landing.is_some()) {
            // What git refuses to roll back now, recovery rolls back before the next merge.
            let left = self.leave(merging).inspect_err(|error| tracing::warn!("{} is not as it was yet: {error}", merging.worktree.path));
            kept = left.ok().flatten().or(kept);
        }
        let message = format!("{}{}", refusal.message, kept.map(|kept| format!("; {kept}")).unwrap_or_default());
        let refusal = Refusal { message: crate::secrets::wash::text(&message), ..refusal };
        self.change_worktree(merging.worktree.id, |worktree| {
            worktree.refusal = Some(refusal.clone());
            worktree.check = merging.check.clone().or(worktree.check.take());
        })?;
        Err(AppError::MergeRefused { work: merging.worktree.work, refusal, setback: None })
    }

    /// The base contains the work: the task is done, and the worktree is removed.
    fn finish_merge(&self, merging: &Merging) -> Result<MergeDone> {
        let check = merging.check.clone();
        let edits = self.keep_edits(&merging.worktree, &merging.repo)?.or(merging.kept.clone());
        let (worktree, left) = self.settle_merged(&merging.worktree, check)?;
        let done = done(self.repository_for("task")?, &worktree)?;
        // A snapshot of edits contains the new files, too.
        Ok(MergeDone { kept: edits.map(|edits| edits.name).or(left), ..done })
    }
}

/// State found at the beginning of a merge.
enum Begun {
    /// It was already done.
    Over(MergeDone),
    Merging(Box<Merging>),
}

/// Refuses to merge already merged work into another branch, unless that has it: its own branch is gone, or no longer in review.
fn must_have_got_it(repo: &Repo, merged: &Worktree, into: Option<&str>) -> Result<()> {
    let Some(into) = into.filter(|into| *into != merged.base) else { return Ok(()) };
    let Some(has) = repo.branch_tip(into)? else {
        return Err(AppError::invalid("into", format!("there is no branch '{into}'"), "name a local branch"));
    };
    let tip = merged.tip.as_deref().unwrap_or_default();
    if repo.has_commit(tip)? && repo.has_landed(&merged.base_commit, tip, &has)? {
        return Ok(());
    }
    let fault = format!("{} is merged into '{}' already, and '{into}' does not contain it", merged.work, merged.base);
    Err(AppError::invalid("into", fault, format!("`git merge {}` on '{into}' brings it there, too", tip.get(..SHORT).unwrap_or(tip))))
}

pub(super) fn done(repo: &Repo, worktree: &Worktree) -> Result<MergeDone> {
    let commit = repo.branch_tip(&worktree.base)?.unwrap_or_default();
    let (branch, base, check) = (worktree.branch.clone(), worktree.base.clone(), worktree.check.clone());
    Ok(MergeDone { task: worktree.work.task(), errand: worktree.work.errand(), branch, base, commit, check, kept: None })
}

pub(super) fn refused(work: Work, kind: RefusalKind, message: String) -> AppError {
    AppError::MergeRefused { work, refusal: Refusal::new(kind, message, Vec::new()), setback: None }
}
