//! Tells the page which topics changed, whoever wrote: this window, the CLI, an agent's MCP server.

use ralph_app::TopicWatch;
use ralph_core::topic::Topic;
use serde::{Deserialize, Serialize};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;
use tauri::AppHandle;
use tauri_specta::Event;

/// How often it looks: a change is on screen well within half a second, and a look costs microseconds.
const LOOK: Duration = Duration::from_millis(100);

/// What a commit touched.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, Event)]
pub struct TopicsChanged {
    /// Each topic once.
    pub topics: Vec<Topic>,
}

/// A project that is watched; dropped, it is watched no more.
#[derive(Debug)]
pub struct Watched {
    _ends_when_dropped: Sender<()>,
}

/// Watches a project for as long as the answer is kept.
pub fn start(handle: AppHandle, watch: TopicWatch) -> Watched {
    let (sender, dropped) = std::sync::mpsc::channel();
    std::thread::spawn(move || look(&handle, watch, &dropped));
    Watched { _ends_when_dropped: sender }
}

fn look(handle: &AppHandle, mut watch: TopicWatch, dropped: &Receiver<()>) {
    while dropped.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        match watch.changed() {
            Ok(topics) if topics.is_empty() => {}
            Ok(topics) => {
                if let Err(fault) = (TopicsChanged { topics }).emit(handle) {
                    tracing::warn!("the page was not told of a change: {fault}");
                }
            }
            Err(fault) => tracing::warn!("changes can't be seen for now: {fault}"),
        }
    }
}
