//! An immediate stop request for a run, within its own process.

use std::sync::Arc;
use tokio::sync::watch;

/// Stops a run from within its own process. Clones stop the same run; the first reason stays.
#[derive(Debug, Clone)]
pub struct RunStop(Arc<watch::Sender<Option<String>>>);

impl RunStop {
    pub(crate) fn new() -> RunStop {
        RunStop(Arc::new(watch::Sender::new(None)))
    }

    /// Requests an immediate stop, with the reason: one sentence for the run's row.
    pub fn stop(&self, why: &str) {
        self.0.send_if_modified(|asked| asked.is_none() && asked.replace(why.to_owned()).is_none());
    }

    /// Whether a stop is requested.
    pub(crate) fn is_asked(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Waits for a stop request.
    pub(crate) async fn asked(&self) -> String {
        let mut wishes = self.0.subscribe();
        match wishes.wait_for(Option::is_some).await.map(|why| why.clone()) {
            Ok(Some(why)) => why,
            // The sender lives in `self`, so it is never gone while this waits.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }
}
