//! The page's active channels.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Active channels, by id. A channel that the page dropped would be fed forever, so the page must report it.
#[derive(Default)]
pub struct Follows(Mutex<HashSet<u32>>);

impl Follows {
    /// Registers a channel.
    pub fn begin(&self, channel: u32) {
        self.set().insert(channel);
    }

    /// Whether the page still follows it.
    pub fn wanted(&self, channel: u32) -> bool {
        self.set().contains(&channel)
    }

    /// Stops feeding a channel.
    pub fn end(&self, channel: u32) {
        self.set().remove(&channel);
    }

    /// Stops feeding all channels: the page is gone, or shows another project.
    pub fn end_all(&self) {
        self.set().clear();
    }

    fn set(&self) -> std::sync::MutexGuard<'_, HashSet<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
