//! The commands of the page: each takes its arguments, asks the [`App`], and answers.

use crate::desk::{Answer, Desk};
use ralph_app::App;
use ralph_core::discipline::{Discipline, DisciplinePatch};
use ralph_core::feature::{Feature, FeaturePatch, FeatureRow, NewFeature};
use ralph_core::learning::{
    ConflictChoice, FeatureLearning, JournalEntry, LearningFilter, LearningPage, LearningRow, LearningState, MergeOffer, NewLearning,
    StagedLearning,
};
use ralph_core::quality::{LearningQuality, ReviewQueue};
use ralph_core::recall::{IndexState, RecallQuery, RecallResponse};
use ralph_core::remember::RememberOutcome;
use ralph_core::run::prompt::Prompt;
use ralph_core::saturation::FeatureSaturation;
use ralph_core::task::{NewTask, Task, TaskComment, TaskFilter, TaskPatch};
use ralph_core::time::Timestamp;
use ralph_core::view::{
    BeforePutBack, DoctorReport, Insights, IterationFilter, IterationPage, Overview, ProjectInfo, PutBack, Settings, SinceLook, TaskDetail,
};
use ralph_core::{IterationId, LearningId, TaskId};
use std::path::PathBuf;
use tauri::State;

type Its<'a> = State<'a, Desk>;

/// What is known about a question or a task, best first, each with the reasons for its place.
#[tauri::command]
#[specta::specta]
pub async fn recall(desk: Its<'_>, request: RecallQuery) -> Answer<RecallResponse> {
    desk.ask(move |app| app.recall(&request)).await
}

/// The embedding model, and how far the index is.
#[tauri::command]
#[specta::specta]
pub async fn index_state(desk: Its<'_>) -> Answer<IndexState> {
    desk.ask(|app| app.index_state()).await
}

/// The open project.
#[tauri::command]
#[specta::specta]
pub async fn current_project(desk: Its<'_>) -> Answer<Option<ProjectInfo>> {
    Ok(desk.app().map(|app| app.project()))
}

/// The folder that was named at the start and could not be opened.
#[tauri::command]
#[specta::specta]
pub async fn refused_project(desk: Its<'_>) -> Answer<Option<String>> {
    Ok(desk.refused())
}

/// Projects that were opened before, newest first.
#[tauri::command]
#[specta::specta]
pub async fn recent_projects(desk: Its<'_>) -> Answer<Vec<ProjectInfo>> {
    Ok(desk.recent())
}

/// Opens a project; with `init` makes one of a folder that is none.
#[tauri::command]
#[specta::specta]
pub async fn open_project(desk: Its<'_>, path: PathBuf, init: bool) -> Answer<ProjectInfo> {
    desk.open_beside(path, init).await
}

/// Counts of the rail, what runs, and what waits for a person.
#[tauri::command]
#[specta::specta]
pub async fn overview(desk: Its<'_>) -> Answer<Overview> {
    desk.ask(|app| app.overview()).await
}

/// What happened since the person last looked, or since what is still shown; nothing before the first look.
#[tauri::command]
#[specta::specta]
pub async fn since_look(desk: Its<'_>, from: Option<Timestamp>) -> Answer<Option<SinceLook>> {
    desk.ask(move |app| app.since_look(from)).await
}

/// The person looks now, which is when.
#[tauri::command]
#[specta::specta]
pub async fn look(desk: Its<'_>) -> Answer<Timestamp> {
    desk.ask(|app| Ok(app.look())).await
}

/// All features as rows.
#[tauri::command]
#[specta::specta]
pub async fn list_features(desk: Its<'_>) -> Answer<Vec<FeatureRow>> {
    desk.ask(|app| app.feature_rows()).await
}

/// One feature as a row.
#[tauri::command]
#[specta::specta]
pub async fn get_feature(desk: Its<'_>, name: String) -> Answer<FeatureRow> {
    desk.ask(move |app| app.feature_row(&name)).await
}

/// Makes a feature.
#[tauri::command]
#[specta::specta]
pub async fn create_feature(desk: Its<'_>, feature: NewFeature) -> Answer<Feature> {
    desk.ask(move |app| app.create_feature(&feature)).await
}

/// Changes fields of a feature.
#[tauri::command]
#[specta::specta]
pub async fn update_feature(desk: Its<'_>, name: String, patch: FeaturePatch) -> Answer<Feature> {
    desk.ask(move |app| app.update_feature(&name, &patch)).await
}

/// How full every feature is.
#[tauri::command]
#[specta::specta]
pub async fn get_feature_saturations(desk: Its<'_>) -> Answer<Vec<FeatureSaturation>> {
    desk.ask(|app| app.get_feature_saturations()).await
}

/// Learnings of a feature, or of all; in any state when `states` is empty.
#[tauri::command]
#[specta::specta]
pub async fn list_learnings(desk: Its<'_>, feature: Option<String>, states: Vec<LearningState>) -> Answer<Vec<LearningRow>> {
    desk.ask(move |app| app.learning_rows(feature.as_deref(), &states)).await
}

/// At most `most` of the learnings that pass a filter, from row `from` on.
#[tauri::command]
#[specta::specta]
pub async fn learning_page(desk: Its<'_>, filter: LearningFilter, from: u32, most: u32) -> Answer<LearningPage> {
    desk.ask(move |app| app.learning_page(&filter, from, most)).await
}

/// Categories that learnings of a feature, or of all, have; in any state when `states` is empty.
#[tauri::command]
#[specta::specta]
pub async fn learning_categories(desk: Its<'_>, feature: Option<String>, states: Vec<LearningState>) -> Answer<Vec<String>> {
    desk.ask(move |app| app.learning_categories(feature.as_deref(), &states)).await
}

/// These learnings, whatever their state; unknown ids are skipped.
#[tauri::command]
#[specta::specta]
pub async fn learnings_by_id(desk: Its<'_>, ids: Vec<LearningId>) -> Answer<Vec<LearningRow>> {
    desk.ask(move |app| app.learning_rows_by_id(&ids)).await
}

/// What is known on branches only; of one feature or of all.
#[tauri::command]
#[specta::specta]
pub async fn list_staged(desk: Its<'_>, feature: Option<String>) -> Answer<Vec<StagedLearning>> {
    desk.ask(move |app| app.staged(feature.as_deref())).await
}

/// Remembers a learning, and tells the verdict.
#[tauri::command]
#[specta::specta]
pub async fn append_feature_learning(desk: Its<'_>, learning: NewLearning) -> Answer<RememberOutcome> {
    desk.ask(move |app| app.append_feature_learning(&learning)).await
}

/// A person's new wording; it supersedes the old record.
#[tauri::command]
#[specta::specta]
pub async fn edit_learning(desk: Its<'_>, id: LearningId, text: String, reason: Option<String>) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.edit_learning(&id, &text, reason.as_deref())).await
}

/// A person vouches for a learning.
#[tauri::command]
#[specta::specta]
pub async fn review_learning(desk: Its<'_>, id: LearningId) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.review_learning(&id)).await
}

/// A person puts a learning away.
#[tauri::command]
#[specta::specta]
pub async fn retire_learning(desk: Its<'_>, id: LearningId) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.retire_learning(&id)).await
}

/// A person brings a learning back.
#[tauri::command]
#[specta::specta]
pub async fn restore_learning(desk: Its<'_>, id: LearningId) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.restore_learning(&id)).await
}

/// What waits for a person, and what Ralph did by itself.
#[tauri::command]
#[specta::specta]
pub async fn review_queue(desk: Its<'_>) -> Answer<ReviewQueue> {
    desk.ask(|app| app.review_queue()).await
}

/// What the gate and the comparison by vectors say about a feature's learnings, or about all.
#[tauri::command]
#[specta::specta]
pub async fn learning_qualities(desk: Its<'_>, feature: Option<String>) -> Answer<Vec<LearningQuality>> {
    desk.ask(move |app| app.learning_qualities(feature.as_deref())).await
}

/// A person keeps what the gate warned of, or puts it away.
#[tauri::command]
#[specta::specta]
pub async fn decide_gate(desk: Its<'_>, id: LearningId, kept: bool) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.decide_gate(&id, kept)).await
}

/// A person takes back what was decided about a warning.
#[tauri::command]
#[specta::specta]
pub async fn reopen_warning(desk: Its<'_>, id: LearningId) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.reopen_warning(&id)).await
}

/// Takes back what followed from comparing a learning.
#[tauri::command]
#[specta::specta]
pub async fn undo_reconciliation(desk: Its<'_>, id: LearningId) -> Answer<()> {
    desk.ask(move |app| app.undo_reconciliation(&id)).await
}

/// A person decides a conflict.
#[tauri::command]
#[specta::specta]
pub async fn resolve_conflict(desk: Its<'_>, older: LearningId, newer: LearningId, choice: ConflictChoice) -> Answer<()> {
    desk.ask(move |app| app.resolve_conflict(&older, &newer, choice)).await
}

/// A person takes back what was decided about a conflict.
#[tauri::command]
#[specta::specta]
pub async fn reopen_conflict(desk: Its<'_>, older: LearningId, newer: LearningId) -> Answer<()> {
    desk.ask(move |app| app.reopen_conflict(&older, &newer)).await
}

/// Learnings that say much about the same.
#[tauri::command]
#[specta::specta]
pub async fn list_merge_offers(desk: Its<'_>) -> Answer<Vec<MergeOffer>> {
    desk.ask(|app| app.merge_offers()).await
}

/// Number of groups that are offered: what a page tells that does not list them.
#[tauri::command]
#[specta::specta]
pub async fn count_merge_offers(desk: Its<'_>) -> Answer<u32> {
    desk.ask(|app| Ok(u32::try_from(app.merge_offers()?.len()).unwrap_or(u32::MAX))).await
}

/// A person says several learnings in one; it supersedes them all.
#[tauri::command]
#[specta::specta]
pub async fn merge_learnings(desk: Its<'_>, ids: Vec<LearningId>, text: String, reason: Option<String>) -> Answer<FeatureLearning> {
    desk.ask(move |app| app.merge_learnings(&ids, &text, reason.as_deref())).await
}

/// The newest events of a feature's journal.
#[tauri::command]
#[specta::specta]
pub async fn list_journal(desk: Its<'_>, feature: String, limit: u32) -> Answer<Vec<JournalEntry>> {
    desk.ask(move |app| app.journal(&feature, limit as usize)).await
}

/// Tasks that pass the filter.
#[tauri::command]
#[specta::specta]
pub async fn list_tasks(desk: Its<'_>, filter: TaskFilter) -> Answer<Vec<Task>> {
    desk.ask(move |app| app.tasks(&filter)).await
}

/// A task with comments and iterations.
#[tauri::command]
#[specta::specta]
pub async fn get_task(desk: Its<'_>, id: TaskId) -> Answer<TaskDetail> {
    desk.ask(move |app| app.task(id)).await
}

/// The prompt that the next iteration on a task would get.
#[tauri::command]
#[specta::specta]
pub async fn next_prompt(desk: Its<'_>, task: TaskId) -> Answer<Prompt> {
    desk.ask(move |app| app.next_prompt(task)).await
}

/// Makes a task.
#[tauri::command]
#[specta::specta]
pub async fn create_task(desk: Its<'_>, task: NewTask) -> Answer<Task> {
    desk.ask(move |app| app.create_task(&task)).await
}

/// Changes fields of a task.
#[tauri::command]
#[specta::specta]
pub async fn update_task(desk: Its<'_>, id: TaskId, patch: TaskPatch) -> Answer<Task> {
    desk.ask(move |app| app.update_task(id, &patch)).await
}

/// Adds a remark to a task.
#[tauri::command]
#[specta::specta]
pub async fn add_comment(desk: Its<'_>, id: TaskId, text: String) -> Answer<TaskComment> {
    desk.ask(move |app| app.add_comment(id, &text)).await
}

/// Puts tasks back to work that are blocked or failed, with what the next attempt is told.
#[tauri::command]
#[specta::specta]
pub async fn put_back(desk: Its<'_>, tasks: Vec<TaskId>, answer: Option<String>) -> Answer<Vec<PutBack>> {
    desk.ask(move |app| app.put_back(&tasks, answer.as_deref())).await
}

/// Makes tasks stand as before they were put back to work.
#[tauri::command]
#[specta::specta]
pub async fn undo_put_back(desk: Its<'_>, acts: Vec<BeforePutBack>) -> Answer<Vec<Task>> {
    desk.ask(move |app| app.undo_put_back(&acts)).await
}

/// Makes or changes a discipline, as a person.
#[tauri::command]
#[specta::specta]
pub async fn set_discipline(desk: Its<'_>, name: String, patch: DisciplinePatch) -> Answer<Discipline> {
    desk.ask(move |app| app.set_discipline(&name, &patch)).await
}

/// All disciplines.
#[tauri::command]
#[specta::specta]
pub async fn list_disciplines(desk: Its<'_>) -> Answer<Vec<Discipline>> {
    desk.ask(|app| app.disciplines()).await
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

/// The project's settings.
#[tauri::command]
#[specta::specta]
pub async fn get_settings(desk: Its<'_>) -> Answer<Settings> {
    desk.ask(|app| app.written_settings()).await
}

/// Changes what differs from the settings that the person saw; what was written into the file meanwhile stays, and comments do.
#[tauri::command]
#[specta::specta]
pub async fn update_settings(desk: Its<'_>, base: Settings, settings: Settings) -> Answer<Settings> {
    desk.ask(move |app| app.update_settings(&base, &settings)).await
}

/// Health of the project and the agents that were found.
#[tauri::command]
#[specta::specta]
pub async fn doctor(desk: Its<'_>) -> Answer<DoctorReport> {
    Ok(desk.doctor().await)
}

/// Writes everything into one file and tells where: the given one, or one beside the database.
#[tauri::command]
#[specta::specta]
pub async fn export_project(desk: Its<'_>, path: Option<PathBuf>) -> Answer<String> {
    desk.ask(move |app| App::export_to(app, path.as_deref()).map(|path| path.to_string_lossy().into_owned())).await
}
