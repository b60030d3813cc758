//! Commands for trust: what a folder brings along, and a person's agreement to it.

use crate::desk::{Answer, Desk};
use ralph_app::TrustAct;
use ralph_core::trust::TrustReport;
use std::path::PathBuf;
use tauri::State;

type Its<'a> = State<'a, Desk>;

/// What the project's folder brings along, with what waits for a yes.
#[tauri::command]
#[specta::specta]
pub async fn get_trust(desk: Its<'_>) -> Answer<TrustReport> {
    desk.ask(|app| app.trust()).await
}

/// A person agrees to exactly what the report with this fingerprint showed.
#[tauri::command]
#[specta::specta]
pub async fn agree(desk: Its<'_>, fingerprint: String) -> Answer<TrustReport> {
    desk.ask(move |app| app.agree(Some(&fingerprint))).await
}

/// A person puts settings and rules back as they were when they were agreed to.
#[tauri::command]
#[specta::specta]
pub async fn restore_agreed(desk: Its<'_>) -> Answer<TrustReport> {
    desk.ask(|app| app.restore_agreed()).await
}

/// What a folder that can't be opened yet brings along: another user's, or one whose database was not made here.
#[tauri::command]
#[specta::specta]
pub async fn get_trust_of(desk: Its<'_>, path: PathBuf) -> Answer<TrustReport> {
    desk.trust_of(path, TrustAct::Show).await
}

/// A person agrees to open such a folder, and to what it brings along.
#[tauri::command]
#[specta::specta]
pub async fn agree_to_folder(desk: Its<'_>, path: PathBuf) -> Answer<TrustReport> {
    desk.trust_of(path, TrustAct::Agree).await
}
