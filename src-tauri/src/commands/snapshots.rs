//! Commands for snapshots: uncommitted work that was saved, and restoring it.

use crate::desk::{Answer, Desk};
use ralph_core::snapshot::{RestoredSnapshot, SnapshotInfo, SnapshotView};
use tauri::State;

type Its<'a> = State<'a, Desk>;

/// The snapshots that are kept, newest first.
#[tauri::command]
#[specta::specta]
pub async fn list_snapshots(desk: Its<'_>) -> Answer<Vec<SnapshotInfo>> {
    desk.ask(|app| app.snapshots()).await
}

/// What restoring a snapshot would do to each of its files.
#[tauri::command]
#[specta::specta]
pub async fn get_snapshot(desk: Its<'_>, name: String) -> Answer<SnapshotView> {
    desk.ask(move |app| app.snapshot_view(&name, &[])).await
}

/// Puts uncommitted work back as it was kept: of these files, or of all when none is named. What stands there now is kept first.
#[tauri::command]
#[specta::specta]
pub async fn restore_snapshot(desk: Its<'_>, name: String, files: Vec<String>) -> Answer<RestoredSnapshot> {
    desk.ask(move |app| app.restore_files_of_snapshot(&name, &files)).await
}
