//! Commands for the restoration of a missing or damaged project.

use crate::desk::{Answer, Desk};
use ralph_app::{App, Clock};
use ralph_core::restoration::Restoration;
use ralph_core::view::ProjectInfo;
use std::path::PathBuf;
use tauri::State;

/// What a restoration of the project in a folder would do, and what would be missing.
#[tauri::command]
#[specta::specta]
pub async fn restoration(desk: State<'_, Desk>, path: PathBuf) -> Answer<Restoration> {
    desk.apart(move || App::restoration(&path, None)).await
}

/// Brings the project in a folder back, and opens it.
#[tauri::command]
#[specta::specta]
pub async fn restore_project(desk: State<'_, Desk>, path: PathBuf) -> Answer<ProjectInfo> {
    let told = desk.apart(move || App::restore(&path, None, Clock::system())).await?;
    desk.open_beside(PathBuf::from(told.path), false).await
}

/// Starts over where a project was; its remains are kept aside.
#[tauri::command]
#[specta::specta]
pub async fn begin_anew(desk: State<'_, Desk>, path: PathBuf) -> Answer<ProjectInfo> {
    let folder = path.clone();
    desk.apart(move || App::init_fresh(&folder, Clock::system()).map(drop)).await?;
    desk.open_beside(path, false).await
}
