//! Commands for work in worktrees: review, merge, discard, send back.

use crate::desk::{Answer, Desk};
use ralph_app::AppError;
use ralph_core::noun::Noun;
use ralph_core::view::{MergeDone, PullRequestText, Review, ReviewDiff, ReviewRow, SentBack};
use ralph_core::worktree::{NoWork, Work};
use tauri::State;

type Its<'a> = State<'a, Desk>;

/// What waits for its review, and what was discarded and can come back.
#[tauri::command]
#[specta::specta]
pub async fn list_reviews(desk: Its<'_>) -> Answer<Vec<ReviewRow>> {
    desk.ask(|app| app.reviews()).await
}

/// Everything about a review, the differences aside. Work is named by its task's number, or as an errand, such as `e3`.
#[tauri::command]
#[specta::specta]
pub async fn get_review(desk: Its<'_>, work: String) -> Answer<Review> {
    desk.ask(move |app| app.review(named(&work)?)).await
}

/// The differences of a review: of the branch or one commit; of one file with all its lines.
#[tauri::command]
#[specta::specta]
pub async fn review_diff(desk: Its<'_>, work: String, commit: Option<String>, path: Option<String>) -> Answer<ReviewDiff> {
    desk.ask(move |app| app.review_diff(named(&work)?, commit.as_deref(), path.as_deref(), path.is_some())).await
}

/// Merges the work on a task, or what an errand proposes, into its base. With `resolve` an agent settles a conflict, whatever the settings
/// say.
#[tauri::command]
#[specta::specta]
pub async fn merge_work(desk: Its<'_>, work: String, resolve: bool) -> Answer<MergeDone> {
    desk.merge(named(&work)?, resolve).await
}

/// Stops a merge that this window began. Work that had not landed by then stays in review.
#[tauri::command]
#[specta::specta]
pub async fn stop_merge(desk: Its<'_>, work: String) -> Answer<()> {
    desk.stop_merge(named(&work)?).await
}

/// Throws work away, until it is asked for again.
#[tauri::command]
#[specta::specta]
pub async fn discard_work(desk: Its<'_>, work: String) -> Answer<()> {
    desk.ask(move |app| app.discard_work(named(&work)?).map(drop)).await
}

/// Brings discarded work back into review.
#[tauri::command]
#[specta::specta]
pub async fn undo_discard(desk: Its<'_>, work: String) -> Answer<()> {
    desk.ask(move |app| app.undo_discard(named(&work)?).map(drop)).await
}

/// Sends a task back to the agents with the requested changes.
#[tauri::command]
#[specta::specta]
pub async fn send_back_task(desk: Its<'_>, sent: SentBack) -> Answer<()> {
    desk.ask(move |app| app.send_back_task(sent.task, &sent.comment, &sent.lines).map(drop)).await
}

/// Title and body of a pull request for work.
#[tauri::command]
#[specta::specta]
pub async fn pull_request_text(desk: Its<'_>, work: String) -> Answer<PullRequestText> {
    desk.ask(move |app| app.pull_request_text(named(&work)?)).await
}

/// Pushes the branch of work and opens a pull request for it with `gh`; its address.
#[tauri::command]
#[specta::specta]
pub async fn open_pull_request(desk: Its<'_>, work: String) -> Answer<String> {
    desk.ask(move |app| app.open_pull_request(named(&work)?)).await
}

fn named(work: &str) -> Result<Work, AppError> {
    work.parse().map_err(|fault: NoWork| AppError::NotFound { what: Noun::Work, name: format!("{work}: {fault}") })
}
