//! A merge conflict resolved by an errand: in the task's worktree, off its branch, which moves only to a
//! result that contains both sides, has no markers and passes the check.

use super::merge::MergeRequest;
use super::merging::Merging;
use crate::app::App;
use crate::errands::{Order, Purse};
use crate::error::{AppError, Result};
use crate::worktrees::checkout::Checkout;
use agent_cli::StopHandle;
use git_repo::{Resolution, Unsettled};
use ralph_core::TaskId;
use ralph_core::authority::Act;
use ralph_core::conflict::{self, FileConflict};
use ralph_core::errand::{Errand, ErrandAgent, ErrandId, ErrandKind, ErrandState};
use ralph_core::noun::Noun;
use ralph_core::worktree::{RefusalKind, Work, Worktree, WorktreeId};
use sqlite_db::Tx;
use std::sync::Arc;

/// The conflict for an agent.
struct Question {
    tip: String,
    base: String,
    conflicts: Vec<FileConflict>,
    files: Vec<Unsettled>,
}

impl App {
    /// Has an agent resolve the conflict between a task's work and its base, paid out of the purse of `request`. The result is judged by
    /// git and by the project's check; if invalid, everything is restored.
    ///
    /// # Errors
    /// [`AppError::MergeRefused`] if the conflict remains, with the reason.
    pub(super) async fn settle_conflict(
        self: &Arc<Self>,
        task: TaskId,
        request: &MergeRequest<'_>,
        by: &ErrandAgent,
        stop: &StopHandle,
    ) -> Result<Errand> {
        self.allowed(&Act::SteerRun)?;
        let max_usd = Purse::open(request.purse, self.settings()?.max_usd)?;
        let program = self.errand_program(ErrandKind::ResolveConflict, by).await?;
        let into = request.into.map(str::to_owned);
        let (mut merging, question) = self.blocking(move |app| app.begin_resolution(task, into.as_deref())).await?;
        let title = format!("Settle the conflict of task #{task}");
        let order = Order {
            task: Some(task),
            run: request.purse.map(|purse| purse.run),
            max_usd,
            ..program.order(title, self.checkout_in(&merging.worktree))
        };
        let prompt = prompt(&merging.title, &merging.worktree, &question, &merging.settings.check);
        let id = merging.worktree.id;
        // From here on the errand's recovery rolls back.
        let begun = self.blocking(move |app| app.begin_errand(order, |tx, _| clear_landing(tx, id))).await;
        // It touches no base, so that others may merge meanwhile.
        merging.lock = None;
        let ended = match begun {
            Ok(running) => self.see_errand_through(running, &prompt, stop).await,
            Err(error) => Err(error),
        };
        let (errand, setback) = match ended {
            Ok(ended) => ended,
            Err(error) => {
                self.blocking(move |app| app.leave(&merging)).await?;
                return Err(error);
            }
        };
        let (back, mut judged) = self.blocking(move |app| app.judge_resolution(merging, question, &errand)).await?;
        merging = back;
        if let Resolution::Settled(_) = judged.resolution
            && let Some(check) = self.check_result(&merging, stop).await
        {
            if !check.passed {
                judged.resolution = Resolution::Open("the check did not pass on what the agent left".to_owned());
            }
            merging.check = Some(check);
        }
        self.blocking(move |app| app.end_resolution(&merging, &judged)).await.map_err(|error| match error {
            AppError::MergeRefused { work, refusal, .. } => AppError::MergeRefused { work, refusal, setback },
            other => other,
        })
    }

    /// Checks all preconditions; then the conflict is in the worktree.
    fn begin_resolution(&self, task: TaskId, into: Option<&str>) -> Result<(Merging, Question)> {
        let Some(lock) = self.merge_lock()? else {
            return Err(AppError::invalid("task", "another merge is under way", "try again in a moment"));
        };
        let merging = self.begin_open_merge(Work::Task(task), into, lock)?;
        let (repo, worktree) = (&merging.repo, &merging.worktree);
        let gone =
            |branch: &str| AppError::invalid("task", format!("the branch '{branch}' is gone"), "`ralph worktree list` shows what is there");
        let tip = repo.branch_tip(&worktree.branch)?.ok_or_else(|| gone(&worktree.branch))?;
        let base = repo.branch_tip(&worktree.base)?.ok_or_else(|| gone(&worktree.base))?;
        let fork = repo.fork_of(&merging.start, &tip, &base)?.filter(|fork| fork.is_left);
        let conflicts = repo.conflicts(fork.as_ref(), &base, &tip)?;
        if conflicts.is_empty() {
            let fault = format!("the work on task #{task} has no conflict with '{}'", worktree.base);
            return Err(AppError::invalid("task", fault, format!("`ralph merge {task}` merges it")));
        }
        if fork.is_some() {
            return self.conflict(&merging, fork.as_ref(), &conflicts);
        }
        self.note_landing(worktree, &base, &tip)?;
        let files = self.told(&merging, repo.begin_resolution(&tip, &base).map_err(AppError::from))?;
        self.faults.point()?;
        Ok((merging, Question { tip, base, conflicts, files }))
    }

    fn leave_resolution(&self, worktree: &Worktree) -> Result<()> {
        let checkout: Checkout = self.checkout_in(worktree);
        if let Some(repo) = checkout.repo {
            // Those of a git that ended with its agent would keep anything from being reset.
            self.clear_own_locks(&repo, &worktree.branch)?;
            repo.leave_merge(&worktree.branch)?;
        }
        Ok(())
    }

    fn judge_resolution(&self, merging: Merging, question: Question, errand: &Errand) -> Result<(Merging, CheckedResolution)> {
        let message = format!("Merge '{}' into {}", merging.worktree.base, merging.worktree.branch);
        let resolution = match (errand.state, self.nothing_planted()) {
            // What its agent planted would run with the final commit.
            (ErrandState::Done, Err(planted)) => Resolution::Open(planted.to_string()),
            (ErrandState::Done, Ok(())) => {
                let ended = merging.repo.end_resolution(&question.tip, &question.base, &question.files, &message);
                // If git refuses, the agent caused it, for example by creating a nested repository.
                ended.unwrap_or_else(|fault| Resolution::Open(fault.to_string()))
            }
            _ => Resolution::Open(errand.note.clone().unwrap_or_else(|| format!("the errand is {}", errand.state))),
        };
        Ok((merging, CheckedResolution { question, errand: errand.id, resolution }))
    }

    /// Moves the branch to a valid result, or rolls back.
    fn end_resolution(&self, merging: &Merging, judged: &CheckedResolution) -> Result<Errand> {
        let (worktree, CheckedResolution { question, errand, resolution }) = (&merging.worktree, judged);
        let fault = match resolution {
            Resolution::Settled(commit) => match self.take_resolution(merging, &question.tip, commit) {
                Ok(()) => return self.errand(*errand),
                Err(fault) => crate::secrets::wash::text(&fault.to_string()),
            },
            Resolution::Open(fault) => crate::secrets::wash::text(fault),
        };
        self.leave_resolution(worktree)?;
        self.write(|tx| Ok(tx.fail_errand(*errand, &fault)?))?;
        let files = question.files.iter().map(|file| file.path.clone()).collect();
        let conflict = conflict::in_words(&worktree.base, &worktree.branch, &question.conflicts);
        let message = format!("{conflict}; an agent tried to settle that (errand {errand}): {fault}");
        self.refuse_naming(merging, RefusalKind::Conflict, &message, files)
    }

    fn take_resolution(&self, Merging { worktree, repo, .. }: &Merging, tip: &str, commit: &str) -> Result<()> {
        // What the check changed is not part of the result.
        self.keep_differences(worktree, repo)?;
        repo.move_branch(&worktree.branch, tip, commit)?;
        self.change_worktree(worktree.id, |worktree| worktree.refusal = None)?;
        Ok(())
    }

    /// Recovers such an errand whose Ralph was killed: the branch never moved, and the worktree is reset to it.
    pub(crate) fn recover_resolution(&self, task: TaskId) -> Result<()> {
        let worktree = self.worktree_of(Work::Task(task))?;
        self.leave_resolution(&worktree)
    }
}

/// Result of an errand, and whether it is valid.
struct CheckedResolution {
    question: Question,
    errand: ErrandId,
    resolution: Resolution,
}

/// Clears the note of a merge that has nothing left to roll back.
fn clear_landing(tx: &Tx<'_>, id: WorktreeId) -> Result<()> {
    let worktree = tx.worktree(id)?.ok_or_else(|| AppError::not_found(Noun::Worktree, id))?;
    Ok(tx.update_worktree(&Worktree { landing: None, ..worktree })?)
}

fn prompt(title: &str, worktree: &Worktree, question: &Question, check: &str) -> String {
    let of = |conflict: &FileConflict| format!("- {}\n", conflict.in_words(&worktree.base, &worktree.branch));
    let files: String = question.conflicts.iter().map(of).collect();
    let check = if check.trim().is_empty() { String::new() } else { format!("Then run `{}`; it must pass.\n", check.trim()) };
    format!(
        "Two branches contradict each other. Settle the conflict in this folder, so that what both sides were after holds.\n\n\
         The work: branch {branch}, commit {tip}, for the task \"{title}\".\n\
         The base: branch {base}, commit {base_commit}.\n\
         A merge of the base into the work is under way here, without a branch checked out. These files are in conflict, those with lines hold its \
         markers:\n\
         {files}\n\
         Read both sides (`git log --merge -p`, `git show`) before you decide. Change nothing that the conflict does not ask for, remove every \
         marker, and neither abort the merge nor switch, reset or push any branch.\n\
         {check}\
         End with `git add` of the files and `git commit --no-edit`. Say in one sentence per file how you settled it.\n",
        branch = worktree.branch,
        tip = question.tip,
        title = crate::secrets::wash::text(title),
        base = worktree.base,
        base_commit = question.base,
    )
}
