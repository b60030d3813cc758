//! Commands of tasks.

use crate::desk::{Answer, Desk};
use ralph_core::TaskId;
use ralph_core::run::prompt::Prompt;
use ralph_core::task::{ImportedTasks, ListedTasks, NewTask, Task, TaskComment, TaskFilter, TaskList, TaskPatch};
use ralph_core::view::{BeforePutBack, PutBack, TaskDetail};
use tauri::State;

/// Tasks that pass the filter.
#[tauri::command]
#[specta::specta]
pub async fn list_tasks(desk: State<'_, Desk>, filter: TaskFilter) -> Answer<Vec<Task>> {
    desk.ask(move |app| app.tasks(&filter)).await
}

/// A task with comments and iterations.
#[tauri::command]
#[specta::specta]
pub async fn get_task(desk: State<'_, Desk>, id: TaskId) -> Answer<TaskDetail> {
    desk.ask(move |app| app.task(id)).await
}

/// The prompt that the next iteration on a task would get.
#[tauri::command]
#[specta::specta]
pub async fn next_prompt(desk: State<'_, Desk>, task: TaskId) -> Answer<Prompt> {
    desk.ask(move |app| app.next_prompt(task)).await
}

/// Makes a task.
#[tauri::command]
#[specta::specta]
pub async fn create_task(desk: State<'_, Desk>, task: NewTask) -> Answer<Task> {
    desk.ask(move |app| app.create_task(&task)).await
}

/// What a list of tasks would come to.
#[tauri::command]
#[specta::specta]
pub async fn listed_tasks(desk: State<'_, Desk>, list: TaskList) -> Answer<ListedTasks> {
    desk.ask(move |app| app.listed_tasks(&list)).await
}

/// Makes the tasks of a list.
#[tauri::command]
#[specta::specta]
pub async fn import_tasks(desk: State<'_, Desk>, list: TaskList) -> Answer<ImportedTasks> {
    desk.ask(move |app| app.import_tasks(&list)).await
}

/// Changes fields of a task.
#[tauri::command]
#[specta::specta]
pub async fn update_task(desk: State<'_, Desk>, id: TaskId, patch: TaskPatch) -> Answer<Task> {
    desk.ask(move |app| app.update_task(id, &patch)).await
}

/// Adds a remark to a task.
#[tauri::command]
#[specta::specta]
pub async fn add_comment(desk: State<'_, Desk>, id: TaskId, text: String) -> Answer<TaskComment> {
    desk.ask(move |app| app.add_comment(id, &text)).await
}

/// Puts tasks back to work that are blocked or failed, with what the next attempt is told.
#[tauri::command]
#[specta::specta]
pub async fn put_back(desk: State<'_, Desk>, tasks: Vec<TaskId>, answer: Option<String>) -> Answer<Vec<PutBack>> {
    desk.ask(move |app| app.put_back(&tasks, answer.as_deref())).await
}

/// Restores tasks to their state before they were put back to work.
#[tauri::command]
#[specta::specta]
pub async fn undo_put_back(desk: State<'_, Desk>, acts: Vec<BeforePutBack>) -> Answer<Vec<Task>> {
    desk.ask(move |app| app.undo_put_back(&acts)).await
}
