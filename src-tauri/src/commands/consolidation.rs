//! Commands for consolidation: preview, order and undo.

use crate::desk::{Answer, Desk};
use ralph_core::consolidation::ConsolidationView;
use tauri::State;

type Its<'a> = State<'a, Desk>;

/// Ages, triggers, decisions and history.
#[tauri::command]
#[specta::specta]
pub async fn consolidation_view(desk: Its<'_>) -> Answer<ConsolidationView> {
    desk.ask(|app| app.consolidation_view()).await
}

/// How many learnings of a feature could become documents.
#[tauri::command]
#[specta::specta]
pub async fn learnings_to_consolidate(desk: Its<'_>, feature: String) -> Answer<u32> {
    desk.ask(move |app| app.learnings_to_consolidate(&feature)).await
}

/// Has an agent write the documents; the name of the proposal that waits for its review. Nothing waits when it was merged at once, or when
/// no entry was ready.
#[tauri::command]
#[specta::specta]
pub async fn consolidate(desk: Its<'_>, feature: Option<String>) -> Answer<Option<String>> {
    desk.consolidate(feature).await
}

/// Proposes the documents as they were before a consolidation, by its act; the name of the proposal.
#[tauri::command]
#[specta::specta]
pub async fn undo_consolidation(desk: Its<'_>, act: String) -> Answer<Option<String>> {
    desk.undo_consolidation(act).await
}
