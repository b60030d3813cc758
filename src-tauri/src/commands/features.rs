//! Commands of features.

use crate::desk::{Answer, Desk};
use ralph_core::feature::{Feature, FeaturePatch, FeatureRow, NewFeature};
use ralph_core::learning::JournalEntry;
use ralph_core::saturation::FeatureSaturation;
use tauri::State;

/// All features as rows.
#[tauri::command]
#[specta::specta]
pub async fn list_features(desk: State<'_, Desk>) -> Answer<Vec<FeatureRow>> {
    desk.ask(|app| app.feature_rows()).await
}

/// One feature as a row.
#[tauri::command]
#[specta::specta]
pub async fn get_feature(desk: State<'_, Desk>, name: String) -> Answer<FeatureRow> {
    desk.ask(move |app| app.feature_row(&name)).await
}

/// Makes a feature.
#[tauri::command]
#[specta::specta]
pub async fn create_feature(desk: State<'_, Desk>, feature: NewFeature) -> Answer<Feature> {
    desk.ask(move |app| app.create_feature(&feature)).await
}

/// Changes fields of a feature.
#[tauri::command]
#[specta::specta]
pub async fn update_feature(desk: State<'_, Desk>, name: String, patch: FeaturePatch) -> Answer<Feature> {
    desk.ask(move |app| app.update_feature(&name, &patch)).await
}

/// How full every feature is.
#[tauri::command]
#[specta::specta]
pub async fn get_feature_saturations(desk: State<'_, Desk>) -> Answer<Vec<FeatureSaturation>> {
    desk.ask(|app| app.get_feature_saturations()).await
}

/// The newest events of a feature's journal.
#[tauri::command]
#[specta::specta]
pub async fn list_journal(desk: State<'_, Desk>, feature: String, limit: u32) -> Answer<Vec<JournalEntry>> {
    desk.ask(move |app| app.journal(&feature, limit as usize)).await
}
