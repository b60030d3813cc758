//! When an agent was last heard, and how its turns went: what the watchdog and the judgement of its exit go by.

use crate::command::WatchLimits;
use ralph_core::signal::{AgentSignal, Ending};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::time::Instant;

/// Shared by the readers, who hear, and the supervisor, who waits.
#[derive(Debug)]
pub(super) struct Pulse {
    heard: Mutex<PulseState>,
    turned: Notify,
}

#[derive(Debug)]
struct PulseState {
    last_output: Instant,
    /// Readers that wait for whoever takes the events; that is not the agent's silence.
    held_up: u32,
    turn_ended: Option<Instant>,
    turns: Turns,
    process_ended: bool,
}

/// How an agent's turns went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Turns {
    /// How the last turn ended, if one did.
    pub last: Option<Ending>,
    /// Whether another one began since.
    pub open: bool,
}

impl Pulse {
    pub fn new() -> Pulse {
        let heard = PulseState { last_output: Instant::now(), held_up: 0, turn_ended: None, turns: Turns::default(), process_ended: false };
        Pulse { heard: Mutex::new(heard), turned: Notify::new() }
    }

    /// Bytes came.
    pub fn output(&self) {
        self.lock().last_output = Instant::now();
    }

    /// A reader begins, or ceases, to wait for the taker of events.
    pub fn held_up(&self, waits: bool) {
        let mut heard = self.lock();
        heard.held_up = if waits { heard.held_up + 1 } else { heard.held_up.saturating_sub(1) };
        heard.last_output = Instant::now();
    }

    /// A signal was handed on.
    pub fn signal(&self, signal: &AgentSignal) {
        let mut heard = self.lock();
        match signal {
            AgentSignal::Started { .. } => {
                heard.turns.open = true;
                heard.turn_ended = None;
            }
            AgentSignal::TurnEnded { ending, .. } => {
                heard.turns = Turns { last: Some(*ending), open: false };
                heard.turn_ended = Some(Instant::now());
            }
            _ => return,
        }
        drop(heard);
        self.turned.notify_one();
    }

    /// Waits until a turn began or ended: the time that is due changed.
    pub async fn turned(&self) {
        self.turned.notified().await;
    }

    /// When the silence becomes too long, as far as is known now.
    pub fn due(&self, limits: &WatchLimits) -> Instant {
        let heard = self.lock();
        let since = |heard_at: Instant| if heard.held_up > 0 { Instant::now() } else { heard_at };
        let silence = since(heard.last_output) + limits.silence;
        heard.turn_ended.map_or(silence, |ended| silence.min(since(ended) + limits.result_grace))
    }

    pub fn turns(&self) -> Turns {
        self.lock().turns
    }

    /// The process is gone; what still comes is what its pipe held.
    pub fn process_ended(&self) {
        self.lock().process_ended = true;
    }

    pub fn has_process_ended(&self) -> bool {
        self.lock().process_ended
    }

    /// Whether nothing came for `span`, though someone took the events.
    pub fn is_quiet_for(&self, span: std::time::Duration) -> bool {
        let heard = self.lock();
        heard.held_up == 0 && heard.last_output.elapsed() >= span
    }

    fn lock(&self) -> MutexGuard<'_, PulseState> {
        // Plain values: a panic elsewhere leaves none of them half written.
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
