//! Closing the window during a run, a merge or an errand, or while a form has unsaved input: asks first, and then leaves no agent behind.
//! Neither does a signal that ends it.

use crate::desk::Desk;
use ralph_app::StopCause;
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

/// What this window does that closing it would end.
#[derive(Debug, Clone, Copy, Default)]
struct UnderWay {
    runs: bool,
    merges: bool,
    errands: bool,
}

impl UnderWay {
    fn of(desk: &Desk) -> UnderWay {
        let (driven, orders) = (desk.driven(), desk.orders());
        let (driven, orders) = (driven.borrow(), orders.borrow());
        UnderWay {
            runs: !driven.is_empty(),
            merges: orders.iter().any(|order| order.merges.is_some()),
            errands: orders.iter().any(|order| order.merges.is_none()),
        }
    }
}

/// The one question about everything that closing would interrupt or lose; `None` if there is nothing.
fn question(work: UnderWay, unsaved: bool) -> Option<Question> {
    let said = [
        (work.runs, "The loop is at work in this window. Its task is released and tried again by the next run."),
        (work.merges, "Work is being merged. That is stopped, and the work stays in review."),
        (work.errands, "Documents are being written. That is stopped, and nothing of it is proposed."),
        (unsaved, "What was changed on this page is not saved, and is lost once the window closes."),
    ];
    let message = said.into_iter().filter_map(|(holds, words)| holds.then_some(words)).collect::<Vec<_>>().join("\n\n");
    if work.runs || work.merges || work.errands {
        let title = if work.runs { "Stop the loop and close?" } else { "Stop this and close?" };
        Some(Question { title, message, close: "Stop and close", stay: "Keep working" })
    } else {
        unsaved.then_some(Question { title: "Close without saving?", message, close: "Close without saving", stay: "Stay" })
    }
}

/// Asks before the window closes during work of its own, or with something unsaved. A run driven by another process continues without it.
pub fn on_window_event(window: &Window, event: &WindowEvent) {
    let WindowEvent::CloseRequested { api, .. } = event else { return };
    let unsaved = window.state::<Unsaved>().0.load(Ordering::Relaxed);
    let Some(asked) = question(UnderWay::of(&window.state::<Desk>()), unsaved) else { return };
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
                tauri::async_runtime::spawn(stop_and_exit(answer, 0));
            }
        });
}

/// Ends the window's work before a signal ends the window, without asking: a person who logs out, or presses Ctrl-C where it was started,
/// has said what they want. A second signal does not wait. If signals can't be handled, they end it as usual.
#[cfg(unix)]
pub fn on_signal(handle: &AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};
    for (kind, code) in [(SignalKind::interrupt(), 130), (SignalKind::terminate(), 143)] {
        let handle = handle.clone();
        tauri::async_runtime::spawn(async move {
            let Ok(mut signals) = signal(kind) else { return };
            signals.recv().await;
            tauri::async_runtime::spawn(stop_and_exit(handle.clone(), code));
            signals.recv().await;
            handle.exit(code);
        });
    }
}

async fn stop_and_exit(handle: AppHandle, code: i32) {
    let (mut driven, mut orders) = (handle.state::<Desk>().driven(), handle.state::<Desk>().orders());
    for order in orders.borrow().iter() {
        order.stop.stop(StopCause::Person);
    }
    let runs = driven.borrow().clone();
    for (app, run) in runs {
        let asked = tauri::async_runtime::spawn_blocking(move || app.control_run(Some(run), None, RunControl::StopNow)).await;
        if !matches!(asked, Ok(Ok(_))) {
            tracing::warn!("a run was not asked to stop: {asked:?}");
        }
    }
    // What does not end in time is recovered by the next start.
    let _ = tokio::time::timeout(STOP, async {
        let _ = driven.wait_for(Vec::is_empty).await;
        let _ = orders.wait_for(Vec::is_empty).await;
    })
    .await;
    handle.exit(code);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_question_tells_all_that_closing_would_break_off_or_lose() {
        let nothing = UnderWay::default();
        assert_eq!(question(nothing, false), None);
        let unsaved = question(nothing, true).unwrap();
        assert_eq!((unsaved.title, unsaved.stay), ("Close without saving?", "Stay"));
        assert!(!unsaved.message.contains("loop"), "{unsaved:?}");
        let both = question(UnderWay { runs: true, ..nothing }, true).unwrap();
        assert_eq!(both.title, "Stop the loop and close?");
        assert!(both.message.contains("released") && both.message.contains("not saved"), "{both:?}");
    }

    #[test]
    fn a_merge_or_an_errand_is_not_broken_off_unasked() {
        for (work, words) in [
            (UnderWay { merges: true, ..UnderWay::default() }, "stays in review"),
            (UnderWay { errands: true, ..UnderWay::default() }, "nothing of it is proposed"),
        ] {
            let asked = question(work, false).unwrap();
            assert_eq!((asked.title, asked.close), ("Stop this and close?", "Stop and close"));
            assert!(asked.message.contains(words), "{asked:?}");
        }
    }
}
