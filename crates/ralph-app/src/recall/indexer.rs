//! The background indexer: it makes vectors and compares learnings after the commits, beside whatever a long-lived process does.

use crate::App;
use agent_cli::StopHandle;
use ralph_core::settings::LearningExtractor;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// A process that ends before this has nothing to index: the weights would be read for a handful of texts.
const FIRST_LOOK: Duration = Duration::from_secs(3);
/// How often it looks for something new.
const LOOK: Duration = Duration::from_secs(1);
/// Looks after which it looks for lessons that wait for a model, and how long it asks for them.
const LESSONS_EVERY: u32 = 5;
const LESSONS_PATIENCE: Duration = Duration::from_secs(60);

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
        std::thread::spawn(move || index_until(&app, &stop));
        Indexer { _stop: sender }
    }

    /// Asks for the lessons that wait for a model, unless a run is at work, which does so at its end.
    fn extract_beside(self: &Arc<Self>) -> crate::Result<()> {
        let waits = self.db.read(|r| Ok::<_, crate::AppError>(r.count_detections_to_ask()? > 0 && !r.is_at_work()?))?;
        if !waits || self.settings()?.automatic_learning.extractor == LearningExtractor::Rules {
            return Ok(());
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|source| crate::AppError::io(&self.paths.root, source))?;
        runtime.block_on(self.extract_lessons(LESSONS_PATIENCE, &StopHandle::new())).map(|_| ())
    }

    /// One piece of work of about a second. Answers what is left; 0 = nothing.
    fn index_once(&self) -> crate::Result<u32> {
        // Both in turn: what is learnt is not kept waiting by a past of failure reports that has no vectors yet.
        let without_vector = self.embed_passages()?;
        Ok(without_vector + self.reconcile()?.left)
    }
}

fn index_until(app: &Arc<App>, stop: &Receiver<()>) {
    let stopped = |wait| !matches!(stop.recv_timeout(wait), Err(RecvTimeoutError::Timeout));
    let (mut seen, mut wait, mut looks) = (None, FIRST_LOOK, 0_u32);
    while !stopped(wait) {
        wait = LOOK;
        looks = looks.wrapping_add(1);
        if looks.is_multiple_of(LESSONS_EVERY)
            && let Err(error) = app.extract_beside()
        {
            tracing::warn!("automatic learning: {error}");
        }
        let Ok(version) = app.passages_version() else { continue };
        if seen.as_ref() == Some(&version) {
            continue;
        }
        match app.index_once() {
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
