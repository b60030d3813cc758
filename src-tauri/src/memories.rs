//! Commands about episodes and facts.

use crate::desk::{Answer, Desk};
use ralph_core::memory::{EpisodeRow, FactRow, NewFact, StatedFact};
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

/// Lets an episode or a fact be told again.
#[tauri::command]
#[specta::specta]
pub async fn restore_memory(desk: Its<'_>, id: String) -> Answer<()> {
    desk.ask(move |app| app.restore_memory(&id)).await
}
