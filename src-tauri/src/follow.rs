//! Feeds a page the event log of an iteration or an errand, in batches, until it ends or the page is done with it.

use crate::desk::{Answer, Desk};
use ralph_app::{App, AppError};
use ralph_core::limits;
use ralph_core::view::{ShownEntry, TranscriptPage};
use serde::Serialize;
use std::time::Duration;
use tauri::ipc::Channel;

/// Between two looks at a log that is read to its end: 20 batches a second at most.
const AT_TAIL: Duration = Duration::from_millis(50);
/// Between two batches while there is more to read: catches up fast and leaves the page time to draw.
const BEHIND: Duration = Duration::from_millis(16);

/// Entries of a transcript, in order.
#[derive(Debug, Clone, Serialize, specta::Type)]
pub struct TranscriptBatch {
    /// At most [`limits::TRANSCRIPT_BATCH`].
    pub entries: Vec<ShownEntry>,
    /// Whether nothing follows.
    pub ended: bool,
}

/// Feeds `channel` from the beginning of a log, whose pages `page` reads: from a byte offset on, at most so many entries.
///
/// # Errors
/// When there is no such log, or it can't be read.
pub async fn feed<F>(desk: &Desk, channel: &Channel<TranscriptBatch>, page: F) -> Answer<()>
where
    F: Fn(&App, u64, usize) -> Result<TranscriptPage, AppError> + Clone + Send + 'static,
{
    let id = channel.id();
    desk.follows.begin(id);
    let mut offset = 0;
    while desk.follows.wanted(id) {
        let page = page.clone();
        let page = desk.ask(move |app| page(app, offset, limits::TRANSCRIPT_BATCH)).await?;
        let (full, ended) = (page.entries.len() >= limits::TRANSCRIPT_BATCH, page.ended);
        offset = page.next_offset.parse().unwrap_or(offset);
        let news = ended || !page.entries.is_empty();
        let entries = page.entries.into_iter().map(ShownEntry::of).collect();
        if news && channel.send(TranscriptBatch { entries, ended }).is_err() || ended {
            break;
        }
        tokio::time::sleep(if full { BEHIND } else { AT_TAIL }).await;
    }
    desk.follows.end(id);
    Ok(())
}
