//! Commands of the open project and of those that can be opened.

use crate::desk::{Answer, Desk};
use ralph_app::App;
use ralph_core::time::Timestamp;
use ralph_core::view::{CommandError, DoctorReport, Overview, ProjectInfo, SinceLook};
use std::path::PathBuf;
use tauri::State;

/// The open project.
#[tauri::command]
#[specta::specta]
pub async fn current_project(desk: State<'_, Desk>) -> Answer<Option<ProjectInfo>> {
    let Some(app) = desk.app().await else { return Ok(None) };
    desk.apart(move || Ok(Some(app.project()))).await
}

/// The folder that was named at the start and could not be opened.
#[tauri::command]
#[specta::specta]
pub async fn refused_project(desk: State<'_, Desk>) -> Answer<Option<String>> {
    Ok(desk.refused().await)
}

/// Projects that were opened before, newest first.
#[tauri::command]
#[specta::specta]
pub async fn recent_projects(desk: State<'_, Desk>) -> Answer<Vec<ProjectInfo>> {
    desk.recent().await
}

/// Opens a project; with `init` creates one in a folder without any.
#[tauri::command]
#[specta::specta]
pub async fn open_project(desk: State<'_, Desk>, path: PathBuf, init: bool) -> Answer<ProjectInfo> {
    desk.open_beside(path, init).await
}

/// Why nothing can be changed in the open project, if so.
#[tauri::command]
#[specta::specta]
pub async fn write_refusal(desk: State<'_, Desk>) -> Answer<Option<CommandError>> {
    desk.ask(|app| Ok(app.write_refusal().map(CommandError::from))).await
}

/// Counts of the rail, what runs, and what waits for a person.
#[tauri::command]
#[specta::specta]
pub async fn overview(desk: State<'_, Desk>) -> Answer<Overview> {
    desk.ask(|app| app.overview()).await
}

/// What happened since the person last looked, or since what is still shown; nothing before the first look.
#[tauri::command]
#[specta::specta]
pub async fn since_look(desk: State<'_, Desk>, from: Option<Timestamp>) -> Answer<Option<SinceLook>> {
    desk.ask(move |app| app.since_look(from)).await
}

/// Notes that the person looks now, and returns the time.
#[tauri::command]
#[specta::specta]
pub async fn look(desk: State<'_, Desk>) -> Answer<Timestamp> {
    desk.ask(|app| Ok(app.look())).await
}

/// Health of the project and the agents that were found.
#[tauri::command]
#[specta::specta]
pub async fn doctor(desk: State<'_, Desk>) -> Answer<DoctorReport> {
    Ok(desk.doctor().await)
}

/// Writes everything into one file and tells where: the given one, or one beside the database.
#[tauri::command]
#[specta::specta]
pub async fn export_project(desk: State<'_, Desk>, path: Option<PathBuf>) -> Answer<String> {
    desk.ask(move |app| App::export_to(app, path.as_deref()).map(|path| path.to_string_lossy().into_owned())).await
}
