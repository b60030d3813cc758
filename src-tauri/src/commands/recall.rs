//! Commands of search.

use crate::desk::{Answer, Desk};
use ralph_core::recall::{IndexState, RecallQuery, RecallResponse};
use tauri::State;

/// What is known about a question or a task, best first, each with the reasons for its place.
#[tauri::command]
#[specta::specta]
pub async fn recall(desk: State<'_, Desk>, request: RecallQuery) -> Answer<RecallResponse> {
    desk.ask(move |app| app.recall(&request)).await
}

/// The embedding model, and how far the index is.
#[tauri::command]
#[specta::specta]
pub async fn index_state(desk: State<'_, Desk>) -> Answer<IndexState> {
    desk.ask(|app| app.index_state()).await
}
