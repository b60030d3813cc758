//! Closing the window while it drives a run, or while a form holds what is not saved: asks first, and then leaves no agent behind.

use crate::desk::Desk;
use ralph_core::run::RunControl;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tauri::{AppHandle, Manager, State, Window, WindowEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogButtons};

/// Timeout of a stop: the stop ladder's two steps plus a margin.
const STOP: Duration = Duration::from_secs(6);

/// Whether a form of the page holds what is neither saved nor kept as a draft: a page is not consulted when its window closes.
#[derive(Debug, Default)]
pub struct Unsaved(AtomicBool);

impl Unsaved {
    /// Notes what the page says about itself.
    pub fn set(&self, unsaved: bool) {
        self.0.store(unsaved, Ordering::Relaxed);
    }
}

/// Whether a form of the page holds what is not saved. Not async: two answers of the page must not overtake each other.
#[tauri::command]
#[specta::specta]
#[expect(clippy::needless_pass_by_value, reason = "Tauri gives commands their states by value")]
pub fn tell_unsaved(kept: State<'_, Unsaved>, unsaved: bool) {
    kept.set(unsaved);
}

/// What a person is asked before the window closes.
#[derive(Debug, PartialEq, Eq)]
struct Question {
    title: &'static str,
    message: String,
    close: &'static str,
    stay: &'static str,
}

/// The one question about everything that closing would interrupt or lose; `None` if there is nothing.
fn question(at_work: bool, unsaved: bool) -> Option<Question> {
    let stops = "The loop is at work in this window. Its task is released and tried again by the next run.";
    let loses = "What was changed on this page is not saved, and is lost once the window closes.";
    let said = [(at_work, stops), (unsaved, loses)].into_iter().filter_map(|(holds, words)| holds.then_some(words));
    let message = said.collect::<Vec<_>>().join("\n\n");
    if at_work {
        Some(Question { title: "Stop the loop and close?", message, close: "Stop and close", stay: "Keep working" })
    } else {
        unsaved.then_some(Question { title: "Close without saving?", message, close: "Close without saving", stay: "Stay" })
    }
}

/// Asks before the window closes during a run of its own, or with something unsaved. A run driven by another process continues without it.
pub fn on_window_event(window: &Window, event: &WindowEvent) {
    let WindowEvent::CloseRequested { api, .. } = event else { return };
    let desk = window.state::<Desk>();
    let at_work = !desk.driven().borrow().is_empty();
    let Some(asked) = question(at_work, window.state::<Unsaved>().0.load(Ordering::Relaxed)) else { return };
    api.prevent_close();
    let handle = window.app_handle().clone();
    let answer = handle.clone();
    handle
        .dialog()
        .message(asked.message)
        .title(asked.title)
        .buttons(MessageDialogButtons::OkCancelCustom(asked.close.to_owned(), asked.stay.to_owned()))
        .show(move |close| {
            if close {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_question_tells_all_that_closing_would_break_off_or_lose() {
        assert_eq!(question(false, false), None);
        let unsaved = question(false, true).unwrap();
        assert_eq!((unsaved.title, unsaved.stay), ("Close without saving?", "Stay"));
        assert!(!unsaved.message.contains("loop"), "{unsaved:?}");
        let both = question(true, true).unwrap();
        assert_eq!(both.title, "Stop the loop and close?");
        assert!(both.message.contains("released") && both.message.contains("not saved"), "{both:?}");
    }
}
