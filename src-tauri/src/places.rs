//! Clicks on notifications, and the person's choice of when they are shown.

use crate::announce::{Choice, PLACE, PROJECT, WINDOW};
use crate::desk::{Answer, Desk, internal};
use ralph_core::announce::{Announce, Destination};
use ralph_core::view::CommandError;
use serde::{Deserialize, Serialize};
use tauri::{AppHandle, Manager, State, WebviewWindow};
use tauri_plugin_notification::NotificationExt;
use tauri_specta::Event;

/// A click on an announcement: the page goes there.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, Event)]
pub struct PlaceOpened {
    /// The destination.
    pub place: Destination,
}

/// Navigates to the place of a clicked notification.
pub fn on_click(handle: &AppHandle) {
    let window = handle.clone();
    let listens = handle.notification().on_action(move |performed| {
        let extra = |name| performed.notification().and_then(|notification| notification.extra().get(name));
        // Another project may be open by now, with other runs under the same numbers.
        let opened = window.state::<Desk>().app_now().map(|app| app.paths().root.to_string_lossy().into_owned());
        let is_open = opened.is_some() && opened.as_deref() == extra(PROJECT).and_then(|project| project.as_str());
        open(&window, extra(PLACE).filter(|_| is_open).and_then(|place| Destination::deserialize(place).ok()));
    });
    if let Err(fault) = listens {
        tracing::warn!("clicks on notifications will lead nowhere: {fault}");
    }
}

fn open(handle: &AppHandle, place: Option<Destination>) {
    if let Some(window) = handle.get_webview_window(WINDOW) {
        // A desktop that forbids taking the focus highlights the window instead.
        let _ = window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
    }
    if let Some(Err(fault)) = place.map(|place| PlaceOpened { place }.emit(handle)) {
        tracing::warn!("the page was not told where to go: {fault}");
    }
}

/// The window's title, which the desktop also shows in its list of windows.
#[tauri::command]
#[specta::specta]
pub async fn name_window(window: WebviewWindow, title: String) -> Answer<()> {
    window.set_title(&title).map_err(|fault| internal(&fault))
}

/// When the desktop is told.
#[tauri::command]
#[specta::specta]
pub async fn announce_choice(kept: State<'_, Choice>) -> Answer<Announce> {
    Ok(kept.get())
}

/// Chooses when the desktop is told.
#[tauri::command]
#[specta::specta]
pub async fn choose_announce(kept: State<'_, Choice>, choice: Announce) -> Answer<Announce> {
    let not_kept = |fault: std::io::Error| {
        let hint = "look whether the folder of the app's data can be written";
        CommandError::new("io", format!("the choice was not kept: {fault}"), hint)
    };
    kept.set(choice).map_err(not_kept)?;
    Ok(choice)
}
