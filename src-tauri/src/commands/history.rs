//! Commands for the history over time: work by day, retrieval, and a person's labels.

use crate::desk::{Answer, Desk};
use ralph_core::evaluation::{
    EffectOrder, EvalInsights, Label, LabelQueue, LearningEffects, LearningEvidence, QuestionFilter, QuestionRows,
};
use ralph_core::feedback::{NewSelection, Rollback, SelectionOutcome};
use ralph_core::view::{Insights, IterationFilter, IterationPage, WorkOverTime};
use ralph_core::{IterationId, LearningId};
use tauri::State;

type Its<'a> = State<'a, Desk>;

/// The totals of each day and each feature.
#[tauri::command]
#[specta::specta]
pub async fn work_over_time(desk: Its<'_>) -> Answer<WorkOverTime> {
    desk.ask(|app| app.work_over_time()).await
}

/// What is known about retrieval.
#[tauri::command]
#[specta::specta]
pub async fn get_eval_insights(desk: Its<'_>) -> Answer<EvalInsights> {
    desk.ask(|app| app.eval_insights()).await
}

/// The effect of learnings on the attempts that were told them: the first ones in an order.
#[tauri::command]
#[specta::specta]
pub async fn learning_effects(desk: Its<'_>, order: EffectOrder, limit: u32) -> Answer<LearningEffects> {
    desk.ask(move |app| app.learning_effects(order, limit as usize)).await
}

/// Pairs of a question and a memory that wait for a person's label: those that were skipped, and the next ones.
#[tauri::command]
#[specta::specta]
pub async fn pairs_to_label(desk: Its<'_>, skipped: u32) -> Answer<LabelQueue> {
    desk.ask(move |app| app.pairs_to_label(skipped as usize)).await
}

/// Says, as a person, whether a memory answers a question.
#[tauri::command]
#[specta::specta]
pub async fn label_pair(desk: Its<'_>, query: String, memory: String, relevant: bool) -> Answer<Label> {
    desk.ask(move |app| app.label_pair(&query, &memory, relevant)).await
}

/// The questions, or results of them, behind a figure.
#[tauri::command]
#[specta::specta]
pub async fn question_rows(desk: Its<'_>, filter: QuestionFilter) -> Answer<QuestionRows> {
    desk.ask(move |app| app.question_rows(&filter)).await
}

/// Takes back one learned term of a learning.
#[tauri::command]
#[specta::specta]
pub async fn unlearn(desk: Its<'_>, learning: LearningId, term: String) -> Answer<Rollback> {
    desk.ask(move |app| app.unlearn(&learning, Some(&term))).await
}

/// Records what a person does with a memory that a question found.
#[tauri::command]
#[specta::specta]
pub async fn select_memory(desk: Its<'_>, selection: NewSelection) -> Answer<SelectionOutcome> {
    desk.ask(move |app| app.select_memory(&selection)).await
}

/// What people, agents and measurements say about a learning.
#[tauri::command]
#[specta::specta]
pub async fn learning_evidence(desk: Its<'_>, learning: LearningId) -> Answer<LearningEvidence> {
    desk.ask(move |app| app.learning_evidence(&learning)).await
}

/// What the project's own history says.
#[tauri::command]
#[specta::specta]
pub async fn get_insights(desk: Its<'_>) -> Answer<Insights> {
    desk.ask(|app| app.insights()).await
}

/// Iterations behind a figure, newest first, a page at a time.
#[tauri::command]
#[specta::specta]
pub async fn iterations_where(desk: Its<'_>, filter: IterationFilter, before: Option<IterationId>) -> Answer<IterationPage> {
    desk.ask(move |app| app.iterations_where(&filter, before)).await
}
