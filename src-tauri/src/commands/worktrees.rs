//! Commands for worktrees of concurrent tasks.

use crate::desk::{Answer, Desk};
use crate::launcher::no_program_for_folders;
use ralph_app::RemoveMode;
use ralph_core::view::{PrunedWorktrees, WorktreeRow};
use tauri::State;

type Its<'a> = State<'a, Desk>;

/// Handling of uncommitted work: it keeps the worktree, or is saved as a snapshot.
fn mode(with_snapshot: bool) -> RemoveMode {
    if with_snapshot { RemoveMode::WithSnapshot } else { RemoveMode::Safely }
}

/// Worktrees with their state and size.
#[tauri::command]
#[specta::specta]
pub async fn list_worktrees(desk: Its<'_>) -> Answer<Vec<WorktreeRow>> {
    desk.ask(|app| app.worktree_rows()).await
}

/// Submodules whose files a new worktree lacks.
#[tauri::command]
#[specta::specta]
pub async fn empty_in_worktrees(desk: Its<'_>) -> Answer<Vec<String>> {
    desk.ask(|app| app.empty_in_worktrees()).await
}

/// The folder of git hooks that a new worktree lacks, so that none of them runs there.
#[tauri::command]
#[specta::specta]
pub async fn hooks_missing_in_worktrees(desk: Its<'_>) -> Answer<Option<String>> {
    desk.ask(|app| app.hooks_missing_in_worktrees()).await
}

/// Shows a worktree's folder in the desktop's own program for folders.
#[tauri::command]
#[specta::specta]
pub async fn show_worktree(desk: Its<'_>, branch: String) -> Answer<()> {
    let folder = desk.ask(move |app| app.worktree_folder(&branch)).await?;
    desk.hand_over(folder, no_program_for_folders).await
}

/// Removes a worktree's folder; a branch that is not merged stays.
#[tauri::command]
#[specta::specta]
pub async fn remove_worktree(desk: Its<'_>, branch: String, with_snapshot: bool) -> Answer<WorktreeRow> {
    desk.ask(move |app| app.remove_worktree(&branch, mode(with_snapshot))).await
}

/// What [`prune_worktrees`] would remove, and what stays.
#[tauri::command]
#[specta::specta]
pub async fn prunable_worktrees(desk: Its<'_>, with_snapshot: bool) -> Answer<PrunedWorktrees> {
    desk.ask(move |app| app.prunable_worktrees(mode(with_snapshot))).await
}

/// Removes the worktrees that may go.
#[tauri::command]
#[specta::specta]
pub async fn prune_worktrees(desk: Its<'_>, with_snapshot: bool) -> Answer<PrunedWorktrees> {
    desk.ask(move |app| app.prune_worktrees(mode(with_snapshot))).await
}
