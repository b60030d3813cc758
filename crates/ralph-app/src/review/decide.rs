//! Follow-up of completed work in a worktree, and a person's decisions on it other than merging.

use super::give_back::give_back;
use super::merge::MergeRequest;
use super::must_be_idle;
use super::reviewer::ReviewerVerdict;
use super::whole::not_committed;
use crate::app::App;
use crate::errands::Purse;
use crate::error::{AppError, Result};
use crate::notices::set_task_status;
use crate::rows::find_task;
use crate::secrets::check_input;
use agent_cli::StopHandle;
use git_repo::{GitError, Repo};
use ralph_core::TaskId;
use ralph_core::authority::Act;
use ralph_core::limits::NAMED_FILES;
use ralph_core::noun::Noun;
use ralph_core::run::GitRemark;
use ralph_core::run::machine::Setback;
use ralph_core::task::{Task, TaskStatus};
use ralph_core::text::in_shell;
use ralph_core::view::LineComment;
use ralph_core::worktree::{Refusal, RefusalKind, ReviewPolicy, Work, Worktree, WorktreeState};
use sqlite_db::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How an attempt's work turned out.
enum Gathered {
    /// It awaits review.
    Waits,
    /// There was nothing to merge, so the task is done, and its worktree may go.
    Merged(Box<Worktree>),
    /// There is nothing to review yet, or nothing any more.
    Over,
}

/// The result of a follow-up.
pub(crate) enum FollowUpEnd {
    /// It is over, whatever came of it; with a worktree that may go.
    Done(Option<Box<Worktree>>),
    /// An agent that has a part in it met a usage limit, or had no connection. It stays owed.
    PutOff(Setback),
}

impl App {
    /// Follow-up of a successful attempt in a worktree: uncommitted changes are committed on its branch; work without
    /// changes is done as is; an agent reviews it if configured; and with `review = "auto"` it is merged. A refused merge
    /// leaves the task in review, and so does something that must be changed. `all_committed` means that the attempt left nothing to
    /// commit; agents that review the work or resolve a conflict are paid out of `purse`. What a stop or an error cuts short stays owed,
    /// and the next run does it.
    pub(crate) async fn settle_follow_up(
        self: &Arc<Self>,
        task: TaskId,
        all_committed: bool,
        purse: Purse,
        stop: &StopHandle,
    ) -> Result<FollowUpEnd> {
        let end = self.follow_up(task, all_committed, purse, stop).await?;
        if stop.asked().is_none() && !matches!(end, FollowUpEnd::PutOff(_)) {
            self.blocking(move |app| app.write(|tx| Ok(tx.set_owed(task, None)?))).await?;
        }
        Ok(end)
    }

    async fn follow_up(self: &Arc<Self>, task: TaskId, all_committed: bool, mut purse: Purse, stop: &StopHandle) -> Result<FollowUpEnd> {
        match self.blocking_until(stop, move |app| app.gather_work(task, all_committed)).await? {
            Gathered::Waits => {}
            Gathered::Over => return Ok(FollowUpEnd::Done(None)),
            Gathered::Merged(worktree) => return Ok(FollowUpEnd::Done(Some(worktree))),
        }
        match self.review_by_agent(task, &mut purse, stop).await? {
            ReviewerVerdict::GoOn => {}
            ReviewerVerdict::Waits => return Ok(FollowUpEnd::Done(None)),
            ReviewerVerdict::PutOff(setback) => return Ok(FollowUpEnd::PutOff(setback)),
        }
        let auto = self.settings()?.worktrees.review == ReviewPolicy::Auto;
        let request = MergeRequest { purse: Some(purse), ..MergeRequest::default() };
        if auto && let Err(error) = self.merge(Work::Task(task), &request, stop).await {
            match error {
                AppError::MergeRefused { setback: Some(setback), .. } => return Ok(FollowUpEnd::PutOff(setback)),
                AppError::MergeRefused { .. } | AppError::Untrusted { .. } => tracing::warn!("{error}"),
                error => return Err(error),
            }
        }
        Ok(FollowUpEnd::Done(None))
    }

    /// Commits an attempt's changes.
    fn gather_work(&self, task: TaskId, all_committed: bool) -> Result<Gathered> {
        let (task, worktree) = (self.db.read(|r| find_task(r, task))?, self.worktree_of(Work::Task(task))?);
        if worktree.state != WorktreeState::Ready {
            return Ok(Gathered::Over);
        }
        // Agents create branches of their own; what they committed there counts as work on this one.
        let stands = self.work_stands(&worktree);
        if let Err(error) = self.keep_staged(&worktree) {
            // The database has it, and the next iteration tries again.
            tracing::warn!("what was learnt on {} is not in its file: {error}", worktree.branch);
        }
        if task.status != TaskStatus::InReview {
            return Ok(Gathered::Over);
        }
        let repo = self.repository_for("task")?;
        let refusal = match stands {
            Ok(_) if all_committed => None,
            Ok(own) => match self.commit_left(&task, &own) {
                // A hook may change a file with each commit.
                Ok(()) => Some(own.uncommitted_tracked(NAMED_FILES)?)
                    .filter(|left| !left.is_empty())
                    .map(|left| not_committed(&worktree, left, None)),
                // It stays owed.
                Err(error @ AppError::Git(GitError::Stopped { .. })) => return Err(error),
                Err(error) => Some(not_committed(&worktree, own.uncommitted(NAMED_FILES)?, Some(&error))),
            },
            Err(error) => {
                let message = [error.to_string(), error.hint()].join("; ");
                Some(Refusal::new(RefusalKind::ByGit, crate::secrets::wash::text(message.trim_end_matches("; ")), Vec::new()))
            }
        };
        // Also if the work waits for a person, who may merge it by hand.
        self.hold_lines_of(&worktree)?;
        if let Some(refusal) = refusal {
            // It may be somewhere other than on its branch, so nothing is known to be done.
            tracing::warn!("the work on task #{} waits: {}", task.id, refusal.message);
            self.change_worktree(worktree.id, |worktree| worktree.refusal = Some(refusal))?;
            return Ok(Gathered::Over);
        }
        let tip = repo.branch_tip(&worktree.branch)?;
        if tip.is_some() && worktree.tip != tip {
            // What is known after somebody has deleted the branch.
            self.change_worktree(worktree.id, |worktree| worktree.tip.clone_from(&tip))?;
        }
        let changes = tip.as_ref().map(|tip| repo.differs(&worktree.base_commit, tip)).transpose()?;
        if changes == Some(false) {
            if let Some(message) = self.left_elsewhere(&worktree)? {
                self.change_worktree(worktree.id, |worktree| {
                    worktree.refusal = Some(Refusal::new(RefusalKind::ByGit, message, Vec::new()));
                })?;
                return Ok(Gathered::Over);
            }
            return Ok(Gathered::Merged(Box::new(self.note_merged(&worktree, None)?)));
        }
        Ok(Gathered::Waits)
    }

    /// The fault that nothing is on the branch of the work, because the stash, or a branch of the agent's own, holds what it did.
    pub(super) fn left_elsewhere(&self, worktree: &Worktree) -> Result<Option<String>> {
        let Some(task) = worktree.work.task() else { return Ok(None) };
        let repo = self.repository_for("task")?;
        let (path, own) = (in_shell(&worktree.path), &worktree.branch);
        if let Some(entry) = repo.stashed_on(own)? {
            let way = format!("`git -C {path} stash pop '{entry}'` brings it, and `stash drop` throws it away");
            return Ok(Some(format!("'{own}' holds no work, and the stash does: {way}")));
        }
        let last = self.db.read(|r| r.iterations_of_task(task, 1))?.into_iter().next();
        let left = last.map(|row| row.evidence.remarks).unwrap_or_default().into_iter().find_map(|remark| match remark {
            GitRemark::CommittedElsewhere { branch, from: None, to, .. } => Some((branch, to)),
            _ => None,
        });
        let Some((branch, to)) = left else { return Ok(None) };
        if let Some(base) = repo.branch_tip(&worktree.base)?
            && (!repo.has_commit(&to)? || repo.is_ancestor(&to, &base)?)
        {
            return Ok(None);
        }
        Ok(Some(format!(
            "'{own}' holds no work, and the new branch '{branch}' does: `git -C {path} merge {}` brings it",
            in_shell(&branch)
        )))
    }

    /// The worktree with its branch checked out, and everything committed there on that branch.
    fn work_stands(&self, worktree: &Worktree) -> Result<Repo> {
        let worktree = self.stand_up(self.repository_for("task")?, worktree.clone())?;
        let own = self.repo_in(&worktree).ok_or_else(|| AppError::not_found(Noun::Worktree, &worktree.path))?;
        if own.adopt(&worktree.branch)? {
            return Ok(own);
        }
        let hint = format!("check '{}' out there, with what belongs to it", worktree.branch);
        Err(AppError::invalid("worktree", super::elsewhere(&worktree, &own)?, hint))
    }

    /// Refuses to call a task done that nobody works on and whose work its base lacks: nothing would lead to that work any longer.
    pub(crate) fn must_be_merged(&self, task: TaskId) -> Result<()> {
        let (status, is_running, worktree) = self
            .db
            .read(|r| Ok::<_, AppError>((find_task(r, task)?.status, r.running_iteration_of(task)?.is_some(), r.worktree_of(task)?)))?;
        // For these the change of the status itself says more.
        let is_told = is_running || matches!(status, TaskStatus::Done | TaskStatus::InReview);
        let worktree = worktree.filter(|worktree| !is_told && worktree.state == WorktreeState::Ready);
        let (Some(repo), Some(worktree)) = (&self.repo, worktree) else { return Ok(()) };
        let Some(tip) = repo.branch_tip(&worktree.branch)?.filter(|tip| *tip != worktree.base_commit) else { return Ok(()) };
        if let Some(base) = repo.branch_tip(&worktree.base)?
            && repo.has_landed(&worktree.base_commit, &tip, &base)?
        {
            return Ok(());
        }
        let (branch, base) = (&worktree.branch, &worktree.base);
        let fault = format!("task #{task} has work on '{branch}': it is done when '{base}' contains it");
        let hint = format!("`git merge {}` there; or `ralph discard {task}`, then close it", in_shell(branch));
        Err(AppError::invalid("status", fault, hint))
    }

    /// Discards work: its folder is removed by the next prune, its branch later; until then it can be restored.
    pub fn discard_work(&self, work: Work) -> Result<Worktree> {
        self.allowed(&Act::SteerRun)?;
        let worktree = self.worktree_of(work)?;
        self.db.read(|r| must_wait(r, &worktree))?;
        let repo = self.repository_for("task")?;
        if let Some(own) = self.repo_in(&worktree) {
            let snapshot = own.snapshot()?;
            if snapshot.is_dirty() {
                own.keep(&snapshot, &self.snapshot_name(work)?)?;
            }
        }
        let tip = repo.branch_tip(&worktree.branch)?.or_else(|| worktree.tip.clone());
        // Work that has never been in review is an earlier attempt's: its task starts over without it.
        let was_in_review = worktree.tip.is_some();
        let closes: &[TaskStatus] = if was_in_review { &[TaskStatus::InReview, TaskStatus::Pending] } else { &[TaskStatus::InReview] };
        // The snapshot takes its time, in which a run may take the work up, or somebody merge it.
        self.put_away(&worktree, tip.as_deref(), closes, |tx, now| must_wait(tx, now))
    }

    /// Returns discarded work to review: the newest that can come back.
    pub fn undo_discard(&self, work: Work) -> Result<Worktree> {
        self.allowed(&Act::SteerRun)?;
        let newest = self.idle_worktree(work)?;
        let repo = self.repository_for("task")?;
        // A worktree without work has nothing to bring back; what could not be committed is work, too.
        let discarded = self.db.read(|r| r.discarded_worktrees_of(work))?;
        let is_committed = |worktree: &Worktree| worktree.tip.as_ref() != Some(&worktree.base_commit);
        let has_work =
            |worktree: &Worktree| is_committed(worktree) || self.repo_in(worktree).is_some_and(|own| own.is_dirty().unwrap_or(true));
        let worktree = match discarded.into_iter().find(has_work) {
            Some(earlier) if newest.state == WorktreeState::Discarded => earlier,
            Some(earlier) => {
                let fault = format!("newer work of {work} is {} on '{}'", newest.state, newest.branch);
                let place = if is_committed(&earlier) { format!("on '{}'", earlier.branch) } else { format!("in {}", earlier.path) };
                let hint = format!("what was discarded before stays {place} until that is pruned");
                return Err(AppError::invalid("work", fault, hint));
            }
            None => newest,
        };
        let tip = worktree.tip.clone().filter(|_| worktree.state == WorktreeState::Discarded);
        let Some(tip) = tip else {
            let fault = format!("the work of {work} was not discarded");
            return Err(AppError::invalid("work", fault, "`ralph worktree list` shows what was"));
        };
        if let Err(error) = repo.return_branch(&worktree.branch, &tip) {
            let fault = format!("the branch '{}' can't come back: {error}", worktree.branch);
            return Err(AppError::invalid("work", fault, "it was pruned, or its name was taken since"));
        }
        let now = self.clock.now();
        self.write(|tx| {
            let mut worktree = worktree.clone();
            (worktree.state, worktree.ended, worktree.pruned) = (WorktreeState::Ready, None, false);
            tx.update_worktree(&worktree)?;
            tx.reopen_discarded(&worktree)?;
            if let Some(task) = work.task()
                && matches!(find_task(tx, task)?.status, TaskStatus::Skipped | TaskStatus::Failed)
            {
                set_task_status(tx, task, TaskStatus::InReview, None, now)?;
            }
            Ok(worktree)
        })
    }

    /// Sends a task back to the agents with the requested changes; its next attempt continues in the same worktree and gets them.
    pub fn send_back_task(&self, task: TaskId, comment: &str, lines: &[LineComment]) -> Result<Task> {
        self.allowed(&Act::SteerRun)?;
        let comment = check_input::long("comment", comment)?;
        let comment = comment.trim();
        let lines = lines.iter().map(checked_line).collect::<Result<Vec<_>>>()?;
        if comment.is_empty() && lines.is_empty() {
            return Err(AppError::invalid("comment", "is empty", "say what is to be changed"));
        }
        let worktree = self.idle_worktree(Work::Task(task))?;
        self.must_be_in_work(&worktree, &lines)?;
        let (now, author) = (self.clock.now(), self.actor.provenance());
        self.write(|tx| give_back(tx, task, &worktree, author, (comment, &lines), now))
    }

    /// Refuses comments on lines that exist neither in the work nor in its starting point: an agent would look for them in vain.
    fn must_be_in_work(&self, worktree: &Worktree, lines: &[LineComment]) -> Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let repo = self.repository_for("task")?;
        let Some(tip) = repo.branch_tip(&worktree.branch)?.or_else(|| worktree.tip.clone()) else { return Ok(()) };
        let changes = repo.changes_between(&worktree.base_commit, &tip)?;
        for comment in lines {
            let file = &comment.file;
            // As git has it: the displayed name may lack bytes.
            let name = changes.iter().find(|change| change.path == *file).and_then(|change| change.names.first());
            let name = name.map_or(Path::new(file), PathBuf::as_path);
            // A comment may be on a file that the work removed.
            let Some(before) = repo.lines_of(&worktree.base_commit, name)?.max(repo.lines_of(&tip, name)?) else {
                let fault = format!("'{file}' is not in the work on '{}'", worktree.branch);
                return Err(AppError::invalid("file", fault, "name a file as `ralph diff` does, from the top of the repository"));
            };
            if comment.line.is_some_and(|line| line > before) {
                let fault = format!("'{file}' has {before} lines, and no line {}", comment.line.unwrap_or_default());
                return Err(AppError::invalid("line", fault, "give the line of the new text"));
            }
        }
        Ok(())
    }

    /// The worktree of work that nobody is working on or merging.
    fn idle_worktree(&self, work: Work) -> Result<Worktree> {
        let worktree = self.worktree_of(work)?;
        self.db.read(|r| must_be_idle(r, work).and_then(|()| must_not_land(&worktree)))?;
        Ok(worktree)
    }
}

fn must_not_land(worktree: &Worktree) -> Result<()> {
    if worktree.landing.is_none() {
        return Ok(());
    }
    Err(AppError::invalid("work", format!("{} is being merged", worktree.work), "wait until that ends"))
}

/// Refuses work that does not wait for a person's decision: somebody works on it or merges it, or it is decided.
fn must_wait(r: &Read<'_>, worktree: &Worktree) -> Result<()> {
    must_be_idle(r, worktree.work)?;
    must_not_land(worktree)?;
    if worktree.state == WorktreeState::Ready {
        return Ok(());
    }
    let fault = format!("the work of {} is {} already", worktree.work, worktree.state);
    Err(AppError::invalid("work", fault, "only what waits can be discarded"))
}

/// A comment on a file, validated for storage.
fn checked_line(comment: &LineComment) -> Result<LineComment> {
    let (file, text) = (check_input::title("file", &comment.file)?, check_input::long("text", &comment.text)?);
    if text.trim().is_empty() {
        return Err(AppError::invalid("text", format!("the comment on {file} is empty"), "say what is to be changed there"));
    }
    if comment.line == Some(0) {
        return Err(AppError::invalid("line", "lines count from 1", "give the line of the new text"));
    }
    Ok(LineComment { file, line: comment.line, text: text.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::tests::running_by;
    use crate::clock::Clock;
    use ralph_core::settings::Settings;
    use ralph_core::task::NewTask;
    use ralph_core::worktree::Landing;

    #[test]
    fn work_that_is_taken_up_or_merged_while_it_is_looked_at_is_not_thrown_away() {
        let (_folder, app) = running_by(4_000_000, Clock::system());
        let put_away = |worktree: &Worktree| app.put_away(worktree, None, &[TaskStatus::InReview], |tx, now| must_wait(tx, now));
        let made = |task| {
            let path = std::path::PathBuf::from(format!("/worktrees/{task}"));
            let worktree = app.reserve(Work::Task(task), (&path, &format!("ralph/{task}")), ("main", ""), &Settings::default());
            let ready = |worktree: &mut Worktree| worktree.state = WorktreeState::Ready;
            app.change_worktree(worktree.expect("is stored").id, ready).expect("is made")
        };
        let taken_up = put_away(&made(1)).expect_err("its run works on it");
        assert!(matches!(taken_up, AppError::TaskRunning { task: 1, iteration: 1 }), "{taken_up}");
        app.create_task(&NewTask { feature: "pay".into(), title: "Invoice".into(), ..NewTask::default() }).expect("is made");
        let looked_at = made(2);
        let landing = Landing { from: String::new(), to: None, tip: None, into: None, waits: false };
        app.change_worktree(looked_at.id, |worktree| worktree.landing = Some(landing)).expect("a merge begins");
        assert!(put_away(&looked_at).expect_err("it is being merged").to_string().contains("being merged"));
        app.change_worktree(looked_at.id, |worktree| worktree.landing = None).expect("it is refused");
        assert_eq!(put_away(&looked_at).expect("nobody is in the way").state, WorktreeState::Discarded);
        assert!(put_away(&looked_at).is_err(), "it is decided");
    }
}
