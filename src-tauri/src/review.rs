//! Commands about work that is done in worktrees: looked at, merged, discarded, sent back.

use crate::desk::{Answer, Desk};
use ralph_core::TaskId;
use ralph_core::view::{Review, ReviewDiff, ReviewRow, SentBack, WorktreeRow};
use ralph_core::worktree::Work;
use tauri::State;

type Its<'a> = State<'a, Desk>;

/// What waits for its review, and what was discarded and can come back.
#[tauri::command]
#[specta::specta]
pub async fn list_reviews(desk: Its<'_>) -> Answer<Vec<ReviewRow>> {
    desk.ask(|app| app.reviews()).await
}

/// Everything about the review of a task, the differences aside.
#[tauri::command]
#[specta::specta]
pub async fn get_review(desk: Its<'_>, task: TaskId) -> Answer<Review> {
    desk.ask(move |app| app.review(Work::Task(task))).await
}

/// The differences of a review: of the branch or one commit; of one file with all its lines.
#[tauri::command]
#[specta::specta]
pub async fn review_diff(desk: Its<'_>, task: TaskId, commit: Option<String>, path: Option<String>) -> Answer<ReviewDiff> {
    desk.ask(move |app| app.review_diff(Work::Task(task), commit.as_deref(), path.as_deref(), path.is_some())).await
}

/// Brings the work on a task into its base.
#[tauri::command]
#[specta::specta]
pub async fn merge_task(desk: Its<'_>, task: TaskId) -> Answer<ReviewRow> {
    desk.merge(task).await?;
    Ok(desk.ask(move |app| app.review(Work::Task(task))).await?.row)
}

/// Throws the work on a task away, until it is asked for again.
#[tauri::command]
#[specta::specta]
pub async fn discard_task(desk: Its<'_>, task: TaskId) -> Answer<()> {
    desk.ask(move |app| app.discard_work(Work::Task(task)).map(drop)).await
}

/// Brings discarded work back into review.
#[tauri::command]
#[specta::specta]
pub async fn undo_discard(desk: Its<'_>, task: TaskId) -> Answer<()> {
    desk.ask(move |app| app.undo_discard(Work::Task(task)).map(drop)).await
}

/// Gives a task back to the agents with what is to be changed.
#[tauri::command]
#[specta::specta]
pub async fn send_back_task(desk: Its<'_>, sent: SentBack) -> Answer<()> {
    desk.ask(move |app| app.send_back_task(sent.task, &sent.comment, &sent.lines).map(drop)).await
}

/// Title and body of a pull request for the work on a task.
#[tauri::command]
#[specta::specta]
pub async fn pull_request_text(desk: Its<'_>, task: TaskId) -> Answer<String> {
    desk.ask(move |app| app.pull_request_text(Work::Task(task))).await
}

/// Worktrees with their state and size.
#[tauri::command]
#[specta::specta]
pub async fn list_worktrees(desk: Its<'_>) -> Answer<Vec<WorktreeRow>> {
    desk.ask(|app| app.worktree_rows()).await
}
