//! Sending work in review back to the agents, by a person or by a reviewing agent.

use crate::error::{AppError, Result};
use crate::notices::set_task_status;
use crate::rows::find_task;
use ralph_core::TaskId;
use ralph_core::task::{Task, TaskProvenance, TaskStatus};
use ralph_core::time::Timestamp;
use ralph_core::view::LineComment;
use ralph_core::worktree::{Worktree, WorktreeState};
use sqlite_db::Tx;

/// Sends a task in review back to the agents; its next attempt gets the general and the line comments.
pub(super) fn give_back(
    tx: &Tx<'_>,
    task: TaskId,
    worktree: &Worktree,
    author: TaskProvenance,
    (comment, lines): (&str, &[LineComment]),
    now: Timestamp,
) -> Result<Task> {
    let (before, worktree) = (find_task(tx, task)?, tx.worktree(worktree.id)?.unwrap_or_else(|| worktree.clone()));
    if worktree.landing.is_some() {
        return Err(AppError::invalid("task", format!("task #{task} is being merged"), "wait until that ends"));
    }
    if before.status != TaskStatus::InReview || worktree.state != WorktreeState::Ready {
        let fault = format!("task #{task} is not in review: it is {}", before.status.as_str().replace('_', " "));
        return Err(AppError::invalid("task", fault, "`ralph task list --status in_review` shows what is"));
    }
    for LineComment { file, line, text } in lines {
        tx.insert_review_comment(task, author, Some((file, *line)), text, now)?;
    }
    if !comment.is_empty() {
        tx.insert_review_comment(task, author, None, comment, now)?;
    }
    tx.update_worktree(&Worktree { refusal: None, check: None, ..worktree })?;
    set_task_status(tx, task, TaskStatus::Pending, None, now)?;
    tx.forget_attempts(task)?;
    find_task(tx, task)
}
