//! The channel of an agent's events to the consumer: bounded by number and bytes. A flooding agent blocks on its pipe.

use super::AgentEvent;
use super::pulse::Pulse;
use std::sync::Arc;
use tokio::sync::{Semaphore, mpsc};

/// Events that may be queued.
const WAITING_EVENTS: usize = 256;
/// KiB of all queued texts, and of one event as far as it is counted: the longest single text.
const WAITING_KIB: u32 = 4 * 1_024;

/// The consumer is gone.
#[derive(Debug)]
pub(super) struct Unheard;

/// The readers' end.
#[derive(Clone, Debug)]
pub(super) struct EventSender {
    events: mpsc::Sender<AgentEvent>,
    room: Arc<Semaphore>,
}

/// The consumer's end.
#[derive(Debug)]
pub(super) struct EventReceiver {
    events: mpsc::Receiver<AgentEvent>,
    room: Arc<Semaphore>,
}

pub(super) fn queue() -> (EventSender, EventReceiver) {
    let (sender, receiver) = mpsc::channel(WAITING_EVENTS);
    let room = Arc::new(Semaphore::new(WAITING_KIB as usize));
    (EventSender { events: sender, room: Arc::clone(&room) }, EventReceiver { events: receiver, room })
}

impl EventSender {
    /// Sends an event once there is room; meanwhile the pulse knows that the agent is blocked, not silent.
    pub async fn send(&self, event: AgentEvent, pulse: &Pulse) -> Result<(), Unheard> {
        let weight = weight(&event);
        if let (Ok(room), Ok(place)) = (self.room.try_acquire_many(weight), self.events.try_reserve()) {
            room.forget();
            place.send(event);
            return Ok(());
        }
        pulse.held_up(true);
        let sent = tokio::select! {
            sent = self.send_unseen(event) => sent,
            // The consumer is gone.
            () = self.events.closed() => Err(Unheard),
        };
        pulse.held_up(false);
        sent
    }

    /// The same without updating the pulse.
    pub async fn send_unseen(&self, event: AgentEvent) -> Result<(), Unheard> {
        if let Ok(room) = self.room.acquire_many(weight(&event)).await {
            room.forget();
        }
        self.events.send(event).await.map_err(|_| Unheard)
    }

    /// Waits until the consumer is gone.
    pub async fn closed(&self) {
        self.events.closed().await;
    }

    pub fn is_closed(&self) -> bool {
        self.events.is_closed()
    }
}

impl EventReceiver {
    /// The next event. Cancel-safe.
    pub async fn next(&mut self) -> Option<AgentEvent> {
        let event = self.events.recv().await?;
        self.room.add_permits(weight(&event) as usize);
        Some(event)
    }

    /// A queued event, if any.
    pub fn try_next(&mut self) -> Option<AgentEvent> {
        let event = self.events.try_recv().ok()?;
        self.room.add_permits(weight(&event) as usize);
        Some(event)
    }
}

/// KiB of an event's texts, at least one.
fn weight(event: &AgentEvent) -> u32 {
    let bytes = match event {
        AgentEvent::Signal(signal) => signal.text_bytes(),
        AgentEvent::Stderr(line) => line.len(),
        AgentEvent::Exited(exit) => exit.detail.len(),
    };
    u32::try_from(bytes >> 10).unwrap_or(WAITING_KIB).clamp(1, WAITING_KIB)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::signal::AgentSignal;

    #[tokio::test]
    async fn long_texts_wait_at_the_pipe_and_not_in_memory() {
        let (sender, mut receiver) = queue();
        let pulse = Pulse::new();
        let text = || AgentEvent::Signal(AgentSignal::Text { text: "x".repeat(4 << 20) });
        assert!(sender.send(text(), &pulse).await.is_ok());
        let mut second = Box::pin(sender.send(text(), &pulse));
        assert!(is_pending(&mut second).await, "there is room for one of them");
        assert!(receiver.next().await.is_some());
        assert!(second.await.is_ok());
        drop(receiver);
        assert!(sender.send(text(), &pulse).await.is_err(), "nobody takes it");
    }

    async fn is_pending(future: &mut (impl Future<Output = Result<(), Unheard>> + Unpin)) -> bool {
        tokio::select! {
            biased;
            _ = future => false,
            () = tokio::task::yield_now() => true,
        }
    }
}
