//! Closing the window while it drives a run: asks first, and then leaves no agent behind.

use crate::desk::Desk;
use ralph_core::run::RunControl;
use std::time::Duration;
use tauri::{AppHandle, Manager, Window, WindowEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogButtons};

/// Timeout of a stop: the stop ladder's two steps plus a margin.
const STOP: Duration = Duration::from_secs(6);

/// Asks before the window closes during a run of its own. A run driven by another process continues without it.
pub fn on_window_event(window: &Window, event: &WindowEvent) {
    let WindowEvent::CloseRequested { api, .. } = event else { return };
    let desk = window.state::<Desk>();
    if desk.driven().borrow().is_empty() {
        return;
    }
    api.prevent_close();
    let handle = window.app_handle().clone();
    let answer = handle.clone();
    handle
        .dialog()
        .message("The loop is at work in this window. Its task is released and tried again by the next run.")
        .title("Stop the loop and close?")
        .buttons(MessageDialogButtons::OkCancelCustom("Stop and close".to_owned(), "Keep working".to_owned()))
        .show(move |stop| {
            if stop {
                tauri::async_runtime::spawn(stop_and_exit(answer));
            }
        });
}

async fn stop_and_exit(handle: AppHandle) {
    let mut driven = handle.state::<Desk>().driven();
    let runs = driven.borrow().clone();
    for (app, run) in runs {
        let asked = tauri::async_runtime::spawn_blocking(move || app.control_run(Some(run), None, RunControl::StopNow)).await;
        if !matches!(asked, Ok(Ok(_))) {
            tracing::warn!("a run was not asked to stop: {asked:?}");
        }
    }
    // A run that does not end in time is recovered by the next start.
    let _ = tokio::time::timeout(STOP, driven.wait_for(Vec::is_empty)).await;
    handle.exit(0);
}
