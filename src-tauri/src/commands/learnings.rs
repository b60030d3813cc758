//! Commands of learnings.

use crate::desk::{Answer, Desk};
use ralph_core::LearningId;
use ralph_core::learning::{
    FeatureLearning, LearningFilter, LearningPage, LearningRow, LearningState, MergeOffer, NewLearning, StagedLearning,
};
use ralph_core::remember::RememberOutcome;
use tauri::State;

/// Learnings of a feature, or of all; in any state when `states` is empty.
#[tauri::command]
#[specta::specta]
pub async fn list_learnings(desk: State<'_, Desk>, feature: Option<String>, states: Vec<LearningState>) -> Answer<Vec<LearningRow>> {
    desk.ask(move |app| app.learning_rows(feature.as_deref(), &states)).await
}

/// At most `most` of the learnings that pass a filter, from row `from` on.
#[tauri::command]
#[specta::specta]
pub async fn learning_page(desk: State<'_, Desk>, filter: LearningFilter, from: u32, most: u32) -> Answer<LearningPage> {
    desk.ask(move |app| app.learning_page(&filter, from, most)).await
}

/// Categories that learnings of a feature, or of all, have; in any state when `states` is empty.
#[tauri::command]
#[specta::specta]
pub async fn learning_categories(desk: State<'_, Desk>, feature: Option<String>, states: Vec<LearningState>) -> Answer<Vec<String>> {
    desk.ask(move |app| app.learning_categories(feature.as_deref(), &states)).await
}

/// These learnings, whatever their state; unknown ids are skipped.
#[tauri::command]
#[specta::specta]
pub async fn learnings_by_id(desk: State<'_, Desk>, ids: Vec<LearningId>) -> Answer<Vec<LearningRow>> {
    desk.ask(move |app| app.learning_rows_by_id(&ids)).await
}

/// What is known on branches only; of one feature or of all.
#[tauri::command]
#[specta::specta]
pub async fn list_staged(desk: State<'_, Desk>, feature: Option<String>) -> Answer<Vec<StagedLearning>> {
    desk.ask(move |app| app.staged(feature.as_deref())).await
}

/// Remembers a learning, and returns the verdict.
#[tauri::command]
#[specta::specta]
pub async fn append_feature_learning(desk: State<'_, Desk>, learning: NewLearning) -> Answer<RememberOutcome> {
    desk.ask(move |app| app.append_feature_learning(&learning)).await
}

/// A person's new wording; it supersedes the old record.
#[tauri::command]
#[specta::specta]
pub async fn edit_learning(desk: State<'_, Desk>, id: LearningId, text: String, reason: Option<String>) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.edit_learning(&id, &text, reason.as_deref())).await
}

/// A person vouches for a learning.
#[tauri::command]
#[specta::specta]
pub async fn review_learning(desk: State<'_, Desk>, id: LearningId) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.review_learning(&id)).await
}

/// A person puts a learning away.
#[tauri::command]
#[specta::specta]
pub async fn retire_learning(desk: State<'_, Desk>, id: LearningId) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.retire_learning(&id)).await
}

/// A person brings a learning back.
#[tauri::command]
#[specta::specta]
pub async fn restore_learning(desk: State<'_, Desk>, id: LearningId) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.restore_learning(&id)).await
}

/// Learnings on much the same subject.
#[tauri::command]
#[specta::specta]
pub async fn list_merge_offers(desk: State<'_, Desk>) -> Answer<Vec<MergeOffer>> {
    desk.ask(|app| app.merge_offers()).await
}

/// Number of groups that are offered, for a page that does not list them.
#[tauri::command]
#[specta::specta]
pub async fn count_merge_offers(desk: State<'_, Desk>) -> Answer<u32> {
    desk.ask(|app| Ok(u32::try_from(app.merge_offers()?.len()).unwrap_or(u32::MAX))).await
}

/// A person merges several learnings into one, which supersedes them all.
#[tauri::command]
#[specta::specta]
pub async fn merge_learnings(desk: State<'_, Desk>, ids: Vec<LearningId>, text: String, reason: Option<String>) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.merge_learnings(&ids, &text, reason.as_deref())).await
}
