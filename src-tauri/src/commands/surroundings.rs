//! Commands for a project's surroundings: the folder before it is a project, the agent, and the settings file in an editor.

use crate::desk::{Answer, Desk, nothing_open};
use crate::launcher::no_program;
use ralph_app::App;
use ralph_core::run::AgentKind;
use ralph_core::view::{DoctorCheck, FolderLook};
use std::path::PathBuf;
use tauri::State;

/// What a folder offers a project created in it.
#[tauri::command]
#[specta::specta]
pub async fn look_at_folder(desk: State<'_, Desk>, path: PathBuf) -> Answer<FolderLook> {
    desk.apart(move || Ok(App::look_at_folder(&path))).await
}

/// Whether an agent could be started now.
#[tauri::command]
#[specta::specta]
pub async fn check_agent(desk: State<'_, Desk>, agent: AgentKind) -> Answer<DoctorCheck> {
    let app = desk.app().await.ok_or_else(nothing_open)?;
    Ok(app.check_agent(agent).await?)
}

/// Opens the file of settings in the desktop's own program for it.
#[tauri::command]
#[specta::specta]
pub async fn open_settings_file(desk: State<'_, Desk>) -> Answer<()> {
    let file = desk.ask(|app| Ok(app.paths().config.clone())).await?;
    desk.hand_over(file, no_program).await
}
