//! Commands for knowledge over time: saturation history, a split's progress, moves and undo.

use crate::desk::{Answer, Desk};
use ralph_core::LearningId;
use ralph_core::learning::FeatureLearning;
use ralph_core::saturation::SaturationHistory;
use ralph_core::split::SplitView;
use tauri::State;

/// How full every feature was over time, or one of them.
#[tauri::command]
#[specta::specta]
pub async fn saturation_history(desk: State<'_, Desk>, feature: Option<String>) -> Answer<Vec<SaturationHistory>> {
    desk.ask(move |app| app.saturation_history(feature.as_deref())).await
}

/// How far the split of a feature has come, and what could go together.
#[tauri::command]
#[specta::specta]
pub async fn get_split(desk: State<'_, Desk>, feature: String) -> Answer<SplitView> {
    desk.ask(move |app| app.split_view(&feature)).await
}

/// A person moves a learning to another feature.
#[tauri::command]
#[specta::specta]
pub async fn move_learning(desk: State<'_, Desk>, id: LearningId, to: String) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.move_learning(&id, &to)).await
}

/// Takes back the last thing that a person did with a learning.
#[tauri::command]
#[specta::specta]
pub async fn undo_learning(desk: State<'_, Desk>, id: LearningId) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.undo_learning(&id)).await
}
