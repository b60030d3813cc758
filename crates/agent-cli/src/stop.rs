//! Stop requests for a child, from any source.

use std::sync::Arc;
use tokio::sync::watch;

/// Who stops a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopCause {
    /// A person.
    Person,
    /// The run that it works for: that ended, or reached a limit.
    Run,
    /// The watchdog, for its silence or for not ending after its result.
    Watchdog,
}

/// Stops an agent or a check, from any task, at any time; the first cause stays. Clones stop the same child.
#[derive(Clone, Debug)]
pub struct StopHandle(Arc<watch::Sender<Option<StopCause>>>);

impl Default for StopHandle {
    fn default() -> Self {
        StopHandle::new()
    }
}

impl StopHandle {
    /// An unused handle.
    pub fn new() -> StopHandle {
        StopHandle(Arc::new(watch::Sender::new(None)))
    }

    /// Requests the stop and returns at once; the child's end is reported by its events.
    pub fn stop(&self, cause: StopCause) {
        self.0.send_if_modified(|asked| asked.is_none() && asked.replace(cause).is_none());
    }

    /// The cause, once there is one.
    pub fn asked(&self) -> Option<StopCause> {
        *self.0.borrow()
    }

    /// Waits for the first cause.
    pub(crate) async fn requested(&self) -> StopCause {
        let mut changes = self.0.subscribe();
        match changes.wait_for(Option::is_some).await.map(|asked| *asked) {
            Ok(Some(cause)) => cause,
            // The sender lives in `self`, so it is never gone while this waits.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }
}
