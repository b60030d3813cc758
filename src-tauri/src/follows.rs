//! Which channels of the page are fed.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The channels that are fed, by id. A channel that the page dropped would be fed for ever: the page must say so.
#[derive(Default)]
pub struct Follows(Mutex<HashSet<u32>>);

impl Follows {
    /// Begins to feed a channel.
    pub fn begin(&self, channel: u32) {
        self.set().insert(channel);
    }

    /// Whether the page still wants it.
    pub fn wanted(&self, channel: u32) -> bool {
        self.set().contains(&channel)
    }

    /// Stops feeding a channel.
    pub fn end(&self, channel: u32) {
        self.set().remove(&channel);
    }

    /// Stops feeding all of them: the page is gone, or shows another project.
    pub fn end_all(&self) {
        self.set().clear();
    }

    fn set(&self) -> std::sync::MutexGuard<'_, HashSet<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
