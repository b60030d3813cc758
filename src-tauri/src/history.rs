//! Commands for the history over time: work by day, retrieval, and a person's labels.

use crate::desk::{Answer, Desk};
use ralph_core::evaluation::{EvalInsights, Label, LabelQueue};
use ralph_core::feedback::Rollback;
use ralph_core::time::Timestamp;
use ralph_core::view::WorkOverTime;
use tauri::State;

type Its<'a> = State<'a, Desk>;

/// What each day and each feature came to.
#[tauri::command]
#[specta::specta]
pub async fn work_over_time(desk: Its<'_>) -> Answer<WorkOverTime> {
    desk.ask(|app| app.work_over_time()).await
}

/// What is known of retrieval, and of what learnings do.
#[tauri::command]
#[specta::specta]
pub async fn get_eval_insights(desk: Its<'_>) -> Answer<EvalInsights> {
    desk.ask(|app| app.eval_insights()).await
}

/// Pairs of a question and a memory that wait for a person's word.
#[tauri::command]
#[specta::specta]
pub async fn pairs_to_label(desk: Its<'_>) -> Answer<LabelQueue> {
    desk.ask(|app| app.pairs_to_label()).await
}

/// Says, as a person, whether a memory answers a question.
#[tauri::command]
#[specta::specta]
pub async fn label_pair(desk: Its<'_>, query: String, memory: String, relevant: bool) -> Answer<Label> {
    desk.ask(move |app| app.label_pair(&query, &memory, relevant)).await
}

/// Takes back what was learned from selections since a time, and what was said with them.
#[tauri::command]
#[specta::specta]
pub async fn roll_feedback_back(desk: Its<'_>, since: Timestamp) -> Answer<Rollback> {
    desk.ask(move |app| app.roll_feedback_back(None, Some(since))).await
}
