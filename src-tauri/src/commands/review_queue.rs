//! Commands for what waits for a person among the learnings, and for what Ralph did by itself.

use crate::desk::{Answer, Desk};
use ralph_core::LearningId;
use ralph_core::learning::{ConflictChoice, FeatureLearning};
use ralph_core::quality::{LearningQuality, ReviewQueue};
use tauri::State;

/// What waits for a person, and what Ralph did by itself.
#[tauri::command]
#[specta::specta]
pub async fn review_queue(desk: State<'_, Desk>) -> Answer<ReviewQueue> {
    desk.ask(|app| app.review_queue()).await
}

/// What the gate and the comparison by vectors say about a feature's learnings, or about all.
#[tauri::command]
#[specta::specta]
pub async fn learning_qualities(desk: State<'_, Desk>, feature: Option<String>) -> Answer<Vec<LearningQuality>> {
    desk.ask(move |app| app.learning_qualities(feature.as_deref())).await
}

/// A person keeps what the gate warned of, or puts it away.
#[tauri::command]
#[specta::specta]
pub async fn decide_gate(desk: State<'_, Desk>, id: LearningId, kept: bool) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.decide_gate(&id, kept)).await
}

/// A person takes back what was decided about a warning.
#[tauri::command]
#[specta::specta]
pub async fn reopen_warning(desk: State<'_, Desk>, id: LearningId) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.reopen_warning(&id)).await
}

/// Takes back what followed from comparing a learning.
#[tauri::command]
#[specta::specta]
pub async fn undo_reconciliation(desk: State<'_, Desk>, id: LearningId) -> Answer<()> {
    desk.ask(move |app| app.undo_reconciliation(&id)).await
}

/// A person decides a conflict.
#[tauri::command]
#[specta::specta]
pub async fn resolve_conflict(desk: State<'_, Desk>, older: LearningId, newer: LearningId, choice: ConflictChoice) -> Answer<()> {
    desk.ask(move |app| app.resolve_conflict(&older, &newer, choice)).await
}

/// A person takes back what was decided about a conflict.
#[tauri::command]
#[specta::specta]
pub async fn reopen_conflict(desk: State<'_, Desk>, older: LearningId, newer: LearningId) -> Answer<()> {
    desk.ask(move |app| app.reopen_conflict(&older, &newer)).await
}
