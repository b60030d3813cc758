//! The background indexer: computes vectors and compares learnings after commits, in any long-lived process.

use crate::app::App;
use agent_cli::StopHandle;
use ralph_core::settings::LearningExtractor;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// A shorter process should not index: loading the weights would not pay off for a handful of texts.
const FIRST_LOOK: Duration = Duration::from_secs(3);
/// Interval between checks for new work.
const LOOK: Duration = Duration::from_secs(1);
/// How long after the last question the model is released, once everything has its vector: people who search ask several times.
const UNASKED: Duration = Duration::from_secs(60);
/// Number of looks without new work after which it may do so: lessons come in groups.
const IDLE_LOOKS: u32 = 3;
/// Checks between looking for lessons queued for a model, and the time spent on them.
const LESSONS_EVERY: u32 = 5;
/// Checks between comparisons of questions under other weights, and before the first: nobody waits for them, and each loads the model.
const SHADOW_EVERY: u32 = 300;
const SHADOW_FIRST: u32 = 120;
const LESSONS_PATIENCE: Duration = Duration::from_secs(60);

/// The indexer of one project, running until dropped; it finishes what it has begun.
pub struct Indexer {
    /// Closed by the drop, which the thread sees.
    _stop: mpsc::Sender<()>,
}

impl App {
    /// Computes vectors and reconciles in the background, whenever there is work. Several processes may do so concurrently: each
    /// result is stored once, and work done meanwhile is found done.
    pub fn start_indexer(self: &Arc<Self>) -> Indexer {
        let (sender, stop) = mpsc::channel();
        let app = Arc::clone(self);
        std::thread::spawn(move || index_until(&app, &stop));
        Indexer { _stop: sender }
    }

    /// Requests lessons queued for a model, unless a run is in progress, which does so at its end.
    fn extract_beside(self: &Arc<Self>) -> crate::error::Result<()> {
        let waits = self.db.read(|r| Ok::<_, crate::error::AppError>(r.count_detections_to_ask()? > 0 && !r.is_at_work()?))?;
        if !waits || self.settings()?.automatic_learning.extractor == LearningExtractor::Rules {
            return Ok(());
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|source| crate::error::AppError::io(&self.paths.root, source))?;
        runtime.block_on(self.extract_lessons(LESSONS_PATIENCE, &StopHandle::new())).map(|_| ())
    }

    /// Compares some questions. A model that was loaded for that alone leaves memory again.
    fn shadow_in_passing(&self) -> crate::error::Result<()> {
        let embedder = self.embedder()?;
        let was_at_rest = embedder.resident_bytes() == 0;
        self.shadow_beside()?;
        if was_at_rest {
            embedder.rest(Duration::ZERO);
        }
        Ok(())
    }

    /// One unit of work of about a second. Returns the number left; 0 = none.
    fn index_once(&self) -> crate::error::Result<u32> {
        // Alternating: learnings do not wait for a backlog of failure reports without vectors.
        let to_embed = self.embed_passages()?.map_or(0, |left| left.max(1));
        Ok(to_embed + self.reconcile()?.left)
    }
}

fn index_until(app: &Arc<App>, stop: &Receiver<()>) {
    let stopped = |wait| !matches!(stop.recv_timeout(wait), Err(RecvTimeoutError::Timeout));
    let (mut seen, mut wait, mut looks, mut idle) = (None, FIRST_LOOK, 0_u32, 0_u32);
    while !stopped(wait) {
        wait = LOOK;
        if looks == 0 {
            // Files changed while no process looked.
            app.learn_from_code_or_warn();
        }
        looks = looks.wrapping_add(1);
        if looks.is_multiple_of(LESSONS_EVERY)
            && let Err(error) = app.extract_beside()
        {
            tracing::warn!("automatic learning: {error}");
        }
        if looks % SHADOW_EVERY == SHADOW_FIRST {
            app.promote_held_back_or_warn();
            if let Err(error) = app.shadow_in_passing() {
                tracing::debug!("questions are not compared: {error}");
            }
        }
        let Ok(version) = app.passages_version() else { continue };
        if seen.as_ref() == Some(&version) {
            idle = idle.saturating_add(1);
            if idle >= IDLE_LOOKS
                && let Ok(embedder) = app.embedder()
            {
                embedder.rest(UNASKED);
            }
            continue;
        }
        idle = 0;
        match app.index_once() {
            Ok(0) => seen = Some(version),
            Ok(_) => wait = Duration::ZERO,
            Err(error) => {
                // Retried when something changes: a missing model stays missing for now, and search continues by words.
                tracing::warn!("the index is not up to date: {error}");
                seen = Some(version);
            }
        }
    }
}
