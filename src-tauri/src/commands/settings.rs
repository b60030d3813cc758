//! Commands of settings and disciplines.

use crate::desk::{Answer, Desk};
use ralph_core::discipline::{Discipline, DisciplinePatch};
use ralph_core::settings::Settings;
use tauri::State;

/// Makes or changes a discipline, as a person.
#[tauri::command]
#[specta::specta]
pub async fn set_discipline(desk: State<'_, Desk>, name: String, patch: DisciplinePatch) -> Answer<Discipline> {
    desk.ask(move |app| app.set_discipline(&name, &patch)).await
}

/// All disciplines.
#[tauri::command]
#[specta::specta]
pub async fn list_disciplines(desk: State<'_, Desk>) -> Answer<Vec<Discipline>> {
    desk.ask(|app| app.disciplines()).await
}

/// The project's settings.
#[tauri::command]
#[specta::specta]
pub async fn get_settings(desk: State<'_, Desk>) -> Answer<Settings> {
    desk.ask(|app| app.written_settings()).await
}

/// Changes what differs from the settings that the person saw; what was written into the file meanwhile stays, and comments do.
#[tauri::command]
#[specta::specta]
pub async fn update_settings(desk: State<'_, Desk>, base: Settings, settings: Settings) -> Answer<Settings> {
    desk.ask(move |app| app.update_settings(&base, &settings)).await
}
