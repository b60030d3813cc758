//! The background indexer: it makes vectors and compares learnings after the commits, beside whatever a long-lived process does.

use crate::App;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// A process that ends before this has nothing to index: the weights would be read for a handful of texts.
const FIRST_LOOK: Duration = Duration::from_secs(3);
/// How often it looks for something new.
const LOOK: Duration = Duration::from_secs(1);

/// The indexer of one project, at work until it is dropped; what it began it finishes.
pub struct Indexer {
    /// Closed by the drop, which the thread sees.
    _stop: mpsc::Sender<()>,
}

impl App {
    /// Makes vectors and reconciles beside the caller, whenever something is found to do. Several processes may do so at once: each
    /// result is stored once, and what was done meanwhile is found done.
    pub fn start_indexer(self: &Arc<Self>) -> Indexer {
        let (sender, stop) = mpsc::channel();
        let app = Arc::clone(self);
        std::thread::spawn(move || app.index_until(&stop));
        Indexer { _stop: sender }
    }

    fn index_until(&self, stop: &Receiver<()>) {
        let stopped = |wait| !matches!(stop.recv_timeout(wait), Err(RecvTimeoutError::Timeout));
        let mut seen = None;
        let mut wait = FIRST_LOOK;
        while !stopped(wait) {
            wait = LOOK;
            let Ok(version) = self.passages_version() else { continue };
            if seen.as_ref() == Some(&version) {
                continue;
            }
            match self.index_once() {
                Ok(0) => seen = Some(version),
                Ok(_) => wait = Duration::ZERO,
                Err(error) => {
                    // Tried again when something changes: a missing model stays missing for now, and search goes on by words.
                    tracing::warn!("the index is not up to date: {error}");
                    seen = Some(version);
                }
            }
        }
    }

    /// One piece of work of about a second. Answers what is left; 0 = nothing.
    fn index_once(&self) -> crate::Result<u32> {
        // Both in turn: what is learnt is not kept waiting by a past of failure reports that has no vectors yet.
        let without_vector = self.embed_passages()?;
        Ok(without_vector + self.reconcile()?.left)
    }
}
