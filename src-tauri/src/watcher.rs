//! Tells the page which topics changed, whoever wrote: this window, the CLI, an agent's MCP server.

use crate::desk::Desk;
use ralph_app::{App, TopicWatch};
use ralph_core::topic::Topic;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tauri::{AppHandle, Manager};
use tauri_specta::Event;

/// How often it looks: a change is on screen well within half a second, and a look costs microseconds.
const LOOK: Duration = Duration::from_millis(100);

/// What a commit touched.
#[derive(Debug, Clone, Serialize, Deserialize, specta::Type, Event)]
pub struct TopicsChanged {
    /// Each topic once.
    pub topics: Vec<Topic>,
}

/// Watches a project for as long as it is the open one.
pub fn start(handle: AppHandle, app: Arc<App>, watch: TopicWatch) {
    std::thread::spawn(move || look(&handle, &app, watch));
}

fn look(handle: &AppHandle, app: &Arc<App>, mut watch: TopicWatch) {
    loop {
        std::thread::sleep(LOOK);
        // The first project is opened before the desk stands; then there is nothing to compare with yet.
        if let Some(open) = handle.try_state::<Desk>().and_then(|desk| desk.app())
            && !Arc::ptr_eq(&open, app)
        {
            return;
        }
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
