//! Commands for documents: files of the project that recall searches.

use crate::desk::{Answer, Desk};
use ralph_core::document::{AgentsFileAct, AgentsFileChange, Document, Forgotten, IngestOutcome};
use std::path::PathBuf;
use tauri::State;

type Its<'a> = State<'a, Desk>;

/// All documents by path.
#[tauri::command]
#[specta::specta]
pub async fn list_documents(desk: Its<'_>) -> Answer<Vec<Document>> {
    desk.ask(|app| app.documents()).await
}

/// Ingests files and folders, by their absolute paths; without any, looks at all again.
#[tauri::command]
#[specta::specta]
pub async fn ingest_documents(desk: Its<'_>, paths: Vec<PathBuf>) -> Answer<IngestOutcome> {
    desk.ask(move |app| app.ingest(&paths)).await
}

/// Forgets what was ingested, by paths relative to the project.
#[tauri::command]
#[specta::specta]
pub async fn forget_documents(desk: Its<'_>, paths: Vec<PathBuf>) -> Answer<Forgotten> {
    desk.ask(move |app| app.forget_documents(&paths)).await
}

/// The text of a document, by its path relative to the project.
#[tauri::command]
#[specta::specta]
pub async fn read_document(desk: Its<'_>, path: String) -> Answer<String> {
    desk.ask(move |app| app.document_text(&path)).await
}

/// Shows, writes or removes the section of AGENTS.md or CLAUDE.md; without a name, of the one that is there.
#[tauri::command]
#[specta::specta]
pub async fn agents_file(desk: Its<'_>, file: Option<String>, act: AgentsFileAct) -> Answer<AgentsFileChange> {
    desk.ask(move |app| app.agents_file(file.as_deref(), act)).await
}
