//! Commands for notices, and settling them.

use crate::desk::{Answer, Desk};
use ralph_core::notice::{Notice, NoticeId};
use tauri::State;

/// Notices that wait, oldest first; with `all` also the settled ones, newest first.
#[tauri::command]
#[specta::specta]
pub async fn list_notices(desk: State<'_, Desk>, all: bool) -> Answer<Vec<Notice>> {
    desk.ask(move |app| app.notices(all)).await
}

/// Settles a notice: accepting a proposal makes its change.
#[tauri::command]
#[specta::specta]
pub async fn settle_notice(desk: State<'_, Desk>, id: NoticeId, accept: bool) -> Answer<Notice> {
    desk.ask(move |app| app.settle_notice(id, accept)).await
}

/// Puts a settled notice back among those that wait.
#[tauri::command]
#[specta::specta]
pub async fn reopen_notice(desk: State<'_, Desk>, id: NoticeId) -> Answer<Notice> {
    desk.ask(move |app| app.reopen_notice(id)).await
}
