//! The page's active channels.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Active channels, by id. A channel that the page dropped would be fed forever, so the page must report it.
#[derive(Default)]
pub struct Follows(Mutex<Channels>);

#[derive(Default)]
struct Channels {
    active: HashSet<u32>,
    /// Those that the page dropped before they began: two requests of a page may overtake each other.
    dropped: HashSet<u32>,
}

/// A channel that is being fed; it is forgotten when that ends, in whatever way.
pub struct Follow<'a> {
    all: &'a Follows,
    channel: u32,
}

impl Follow<'_> {
    /// Whether the page still follows it.
    pub fn is_wanted(&self) -> bool {
        self.all.with(|channels| channels.active.contains(&self.channel))
    }
}

impl Drop for Follow<'_> {
    fn drop(&mut self) {
        self.all.with(|channels| channels.active.remove(&self.channel));
    }
}

impl Follows {
    /// Registers a channel.
    pub fn begin(&self, channel: u32) -> Follow<'_> {
        self.with(|channels| !channels.dropped.remove(&channel) && channels.active.insert(channel));
        Follow { all: self, channel }
    }

    /// Stops feeding a channel. A page that has got the end of a log does not call it.
    pub fn end(&self, channel: u32) {
        self.with(|channels| channels.active.remove(&channel) || channels.dropped.insert(channel));
    }

    /// Stops feeding all channels: the page is gone, or shows another project.
    pub fn end_all(&self) {
        self.with(|channels| *channels = Channels::default());
    }

    fn with<T>(&self, act: impl FnOnce(&mut Channels) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number_of_channels(all: &Follows) -> usize {
        all.with(|channels| channels.active.len() + channels.dropped.len())
    }

    #[test]
    fn a_channel_is_forgotten_however_its_feeding_ends() {
        let all = Follows::default();
        let follow = all.begin(7);
        assert!(follow.is_wanted());
        all.end(7);
        assert!(!follow.is_wanted());
        // What fails while it is fed only drops it.
        drop((follow, all.begin(8)));
        assert_eq!(number_of_channels(&all), 0);
    }

    #[test]
    fn a_channel_that_the_page_dropped_before_it_began_is_not_fed() {
        let all = Follows::default();
        all.end(7);
        assert!(!all.begin(7).is_wanted());
        assert_eq!(number_of_channels(&all), 0);
    }

    #[test]
    fn a_page_that_is_gone_follows_nothing() {
        let all = Follows::default();
        let follow = all.begin(7);
        all.end(8);
        all.end_all();
        assert!(!follow.is_wanted());
        assert_eq!(number_of_channels(&all), 0);
    }
}
