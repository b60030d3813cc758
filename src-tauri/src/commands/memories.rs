//! Commands for episodes and facts, automatic learning, and junk.

use crate::desk::{Answer, Desk};
use ralph_core::audit::{AuditClass, AuditReport, AuditRetired, AuditUndone};
use ralph_core::memory::{EpisodeRow, FactRow, NewFact, OperationBehind, StatedFact};
use ralph_core::view::LearningStatus;
use tauri::State;

type Its<'a> = State<'a, Desk>;

/// All facts, oldest first.
#[tauri::command]
#[specta::specta]
pub async fn list_facts(desk: Its<'_>) -> Answer<Vec<FactRow>> {
    desk.ask(|app| app.list_facts(None)).await
}

/// All episodes, oldest first.
#[tauri::command]
#[specta::specta]
pub async fn list_episodes(desk: Its<'_>) -> Answer<Vec<EpisodeRow>> {
    desk.ask(|app| app.list_episodes(None)).await
}

/// States a fact.
#[tauri::command]
#[specta::specta]
pub async fn state_fact(desk: Its<'_>, fact: NewFact) -> Answer<StatedFact> {
    desk.ask(move |app| app.state_fact(&fact)).await
}

/// Puts an episode or a fact away.
#[tauri::command]
#[specta::specta]
pub async fn withdraw_memory(desk: Its<'_>, id: String) -> Answer<()> {
    desk.ask(move |app| app.withdraw_memory(&id)).await
}

/// Restores an episode or a fact.
#[tauri::command]
#[specta::specta]
pub async fn restore_memory(desk: Its<'_>, id: String) -> Answer<()> {
    desk.ask(move |app| app.restore_memory(&id)).await
}

/// The tool calls that an episode was learned from.
#[tauri::command]
#[specta::specta]
pub async fn operations_behind(desk: Its<'_>, episode: String) -> Answer<Vec<OperationBehind>> {
    desk.ask(move |app| app.operations_behind(&episode)).await
}

/// What automatic learning did.
#[tauri::command]
#[specta::specta]
pub async fn learning_status(desk: Its<'_>) -> Answer<LearningStatus> {
    desk.ask(|app| app.learning_status()).await
}

/// Junk among the memories, by class.
#[tauri::command]
#[specta::specta]
pub async fn audit_report(desk: Its<'_>) -> Answer<AuditReport> {
    desk.ask(|app| app.audit_report()).await
}

/// Puts the memories of a class away, except protected ones.
#[tauri::command]
#[specta::specta]
pub async fn retire_class(desk: Its<'_>, of: AuditClass) -> Answer<AuditRetired> {
    desk.ask(move |app| app.retire_class(of, false)).await
}

/// Brings back what an act put away.
#[tauri::command]
#[specta::specta]
pub async fn undo_audit(desk: Its<'_>, act: String) -> Answer<AuditUndone> {
    desk.ask(move |app| app.undo_audit(Some(&act))).await
}
