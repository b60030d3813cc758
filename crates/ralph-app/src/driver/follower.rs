//! The channel of a run's events to a follower: bounded by number and bytes, since a terminal may be suspended.

use super::RunEvent;
use ralph_core::signal::TranscriptSignal;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::error::{SendTimeoutError, TrySendError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Events that may be queued for the follower.
const WAITING_EVENTS: usize = 256;
/// KiB of all queued texts, and of one event as far as it is counted: the longest single text.
const WAITING_KIB: u32 = 4 * 1_024;

/// Sending end for a run's events.
#[derive(Debug, Clone)]
pub struct Follower {
    events: mpsc::Sender<Waiting>,
    room: Arc<Semaphore>,
}

/// An event with its permit.
type Waiting = (RunEvent, OwnedSemaphorePermit);

/// Receiving end.
#[derive(Debug)]
pub struct RunEvents {
    events: mpsc::Receiver<Waiting>,
}

/// Creates a channel for a run's events.
pub fn follower() -> (Follower, RunEvents) {
    let (sender, events) = mpsc::channel(WAITING_EVENTS);
    (Follower { events: sender, room: Arc::new(Semaphore::new(WAITING_KIB as usize)) }, RunEvents { events })
}

impl RunEvents {
    /// The next event; `None` after the last one. Cancel-safe.
    pub async fn next(&mut self) -> Option<RunEvent> {
        self.events.recv().await.map(|(event, _)| event)
    }
}

impl Follower {
    /// Sends an event if there is room; otherwise returns it.
    #[allow(clippy::result_large_err, reason = "what comes back is the event itself, to be tried again")]
    pub(super) fn try_send(&self, event: RunEvent) -> Result<(), TrySendError<RunEvent>> {
        match Arc::clone(&self.room).try_acquire_many_owned(weight(&event)) {
            Ok(place) => self.events.try_send((event, place)).map_err(|error| match error {
                TrySendError::Full((event, _)) => TrySendError::Full(event),
                TrySendError::Closed((event, _)) => TrySendError::Closed(event),
            }),
            Err(_) if self.events.is_closed() => Err(TrySendError::Closed(event)),
            Err(_) => Err(TrySendError::Full(event)),
        }
    }

    /// Waits for room, for a while.
    pub(super) async fn send_timeout(&self, event: RunEvent, patience: Duration) -> Result<(), SendTimeoutError<RunEvent>> {
        let until = tokio::time::Instant::now() + patience;
        let room = Arc::clone(&self.room).acquire_many_owned(weight(&event));
        let Ok(Ok(place)) = tokio::time::timeout_at(until, room).await else {
            return Err(if self.events.is_closed() { SendTimeoutError::Closed(event) } else { SendTimeoutError::Timeout(event) });
        };
        self.events.send_timeout((event, place), until.duration_since(tokio::time::Instant::now())).await.map_err(|error| match error {
            SendTimeoutError::Timeout((event, _)) => SendTimeoutError::Timeout(event),
            SendTimeoutError::Closed((event, _)) => SendTimeoutError::Closed(event),
        })
    }
}

/// KiB of an event's texts, at least one.
fn weight(event: &RunEvent) -> u32 {
    let bytes = match event {
        RunEvent::Entry { entry, .. } => match &entry.signal {
            TranscriptSignal::Agent { signal } => signal.text_bytes(),
            TranscriptSignal::Ralph { text, .. } => text.len(),
        },
        // Rows, whose texts are bounded.
        _ => 0,
    };
    u32::try_from(bytes >> 10).unwrap_or(WAITING_KIB).clamp(1, WAITING_KIB)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::signal::{AgentSignal, TranscriptEntry};
    use ralph_core::time::Timestamp;

    fn said(bytes: usize) -> RunEvent {
        let signal = TranscriptSignal::Agent { signal: AgentSignal::Text { text: "x".repeat(bytes) } };
        RunEvent::Entry { iteration: 1, entry: TranscriptEntry { at: Timestamp(0), signal } }
    }

    #[tokio::test]
    async fn long_texts_do_not_pile_up_before_a_follower_who_stands_still() {
        let (follower, mut events) = follower();
        let taken = (0..100).take_while(|_| follower.try_send(said(1 << 20)).is_ok()).count();
        assert_eq!(taken, 4, "MiB");
        assert!(matches!(follower.try_send(said(9 << 20)), Err(TrySendError::Full(_))), "longer than all the room");
        assert!(matches!(follower.send_timeout(said(1), Duration::from_millis(1)).await, Err(SendTimeoutError::Timeout(_))));
        assert!(events.next().await.is_some());
        assert!(follower.send_timeout(said(1 << 20), Duration::ZERO).await.is_ok(), "there is room again");
        drop(events);
        assert!(matches!(follower.try_send(said(1)), Err(TrySendError::Closed(_))));
        assert!(matches!(follower.send_timeout(said(1), Duration::ZERO).await, Err(SendTimeoutError::Closed(_))));
    }

    #[tokio::test]
    async fn short_ones_wait_up_to_their_number() {
        let (follower, _events) = follower();
        assert_eq!((0..1_000).take_while(|_| follower.try_send(said(10)).is_ok()).count(), WAITING_EVENTS);
    }
}
