//! Sends changed topics to the page, whoever wrote: this window, the CLI, an agent's MCP server.

use crate::allocator;
use crate::announce::Herald;
use ralph_app::{App, TopicWatch};
use ralph_core::topic::Topic;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;
use tauri::AppHandle;
use tauri_specta::Event;

/// Polling interval: a change is on screen well within half a second, and a poll costs microseconds.
const LOOK: Duration = Duration::from_millis(100);

/// Polls after which memory that was freed meanwhile is returned to the system: ten seconds.
const GIVE_BACK_EVERY: u32 = 100;

/// Topics of a commit.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, Event)]
pub struct TopicsChanged {
    /// Each topic once.
    pub topics: Vec<Topic>,
}

/// A watched project; dropping it ends the watch.
#[derive(Debug)]
pub struct WatchHandle {
    _ends_when_dropped: Sender<()>,
}

/// Watches a project until the handle is dropped.
pub fn start(handle: AppHandle, app: Arc<App>, watch: TopicWatch) -> WatchHandle {
    let (sender, dropped) = std::sync::mpsc::channel();
    std::thread::spawn(move || look(&handle, &app, watch, &dropped));
    WatchHandle { _ends_when_dropped: sender }
}

fn look(handle: &AppHandle, app: &App, mut watch: TopicWatch, dropped: &Receiver<()>) {
    let (mut herald, mut looks) = (Herald::of(app), 0_u32);
    while dropped.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        let topics = watch.changed().unwrap_or_else(|fault| {
            tracing::warn!("changes can't be seen for now: {fault}");
            Vec::new()
        });
        let changed = !topics.is_empty();
        if let Some(Err(fault)) = changed.then(|| (TopicsChanged { topics }).emit(handle)) {
            tracing::warn!("the page was not told of a change: {fault}");
        }
        if let Some(herald) = &mut herald {
            herald.look(handle, app, changed);
        }
        looks = looks.wrapping_add(1);
        if looks.is_multiple_of(GIVE_BACK_EVERY) {
            allocator::give_back();
        }
    }
}
