//! Streams the event log of an iteration or an errand to a page, in batches, until it ends or the page stops following.

use crate::desk::{Answer, Desk};
use ralph_app::{App, AppError};
use ralph_core::limits;
use ralph_core::view::{ShownEntry, TranscriptPage};
use serde::Serialize;
use std::time::Duration;
use tauri::ipc::Channel;

/// Interval between reads at the end of a log: at most 20 batches a second.
const AT_TAIL: Duration = Duration::from_millis(50);
/// Interval between batches while there is more to read: catches up fast and leaves the page time to render.
const BEHIND: Duration = Duration::from_millis(16);

/// Entries of a transcript, in order.
#[derive(Debug, Clone, Serialize, specta::Type)]
pub struct TranscriptBatch {
    /// At most [`limits::TRANSCRIPT_BATCH`].
    pub entries: Vec<ShownEntry>,
    /// Whether nothing follows.
    pub ended: bool,
    /// Whether the log is not there.
    pub gone: bool,
}

/// Streams a log to `channel` from its beginning; `page` reads its pages: from a byte offset, at most this many entries.
///
/// # Errors
/// If there is no such iteration or errand, or its log can't be read.
pub async fn feed<F>(desk: &Desk, channel: &Channel<TranscriptBatch>, page: F) -> Answer<()>
where
    F: Fn(&App, u64, usize) -> Result<TranscriptPage, AppError> + Clone + Send + 'static,
{
    let follow = desk.follows.begin(channel.id());
    let mut offset = 0;
    while follow.is_wanted() {
        let page = page.clone();
        let page = desk.ask(move |app| page(app, offset, limits::TRANSCRIPT_BATCH)).await?;
        let (full, ended, gone) = (page.entries.len() >= limits::TRANSCRIPT_BATCH, page.ended, page.gone);
        offset = page.next_offset.parse().unwrap_or(offset);
        let news = ended || !page.entries.is_empty();
        let entries = page.entries.into_iter().map(ShownEntry::of).collect();
        if news && channel.send(TranscriptBatch { entries, ended, gone }).is_err() || ended {
            break;
        }
        tokio::time::sleep(if full { BEHIND } else { AT_TAIL }).await;
    }
    Ok(())
}
