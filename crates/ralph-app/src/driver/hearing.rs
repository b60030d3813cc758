//! What an agent sends, washed beside the loop: a flood that is slow to wash holds up the agent, never the loop that obeys a stop.

use crate::wash;
use agent_cli::{AgentEvent, AgentExit, RunningAgent, StopCause, StopHandle};
use ralph_core::signal::{AgentSignal, Ending};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Batches that wait for the loop.
const WAITING_BATCHES: usize = 2;
/// Events of one batch, and the bytes of its texts after which it is handed on: the loop looks at the world between two of them.
const BATCH_EVENTS: usize = 256;
const BATCH_BYTES: usize = 256 * 1_024;
/// Bytes of a text from which it is washed on a thread of its own, so that it holds up no other task.
const LONG_TEXT_BYTES: usize = 16 * 1_024;
/// Bytes of text that are still washed once a stop was asked for: a second's work at most. Beyond that it is counted.
const AFTER_STOP_BYTES: usize = 512 * 1_024;

/// An agent at work, heard through the wash. Dropping it stops the agent.
pub(crate) struct Hearing {
    batches: mpsc::Receiver<Vec<AgentEvent>>,
    stop: StopHandle,
    task: JoinHandle<()>,
    over: bool,
}

impl Hearing {
    /// Listens to an agent.
    pub(crate) fn of(agent: RunningAgent) -> Hearing {
        let (sender, batches) = mpsc::channel(WAITING_BATCHES);
        let stop = agent.stop_handle();
        let task = tokio::spawn(Washer { agent, stop: stop.clone(), washed_after_stop: 0, passed_over: (0, 0) }.run(sender));
        Hearing { batches, stop, task, over: false }
    }

    /// The next events; the last one of all is its exit, and nothing comes after that. May be cancelled.
    pub(crate) async fn next(&mut self) -> Vec<AgentEvent> {
        if self.over {
            return std::future::pending().await;
        }
        let batch = self.batches.recv().await.unwrap_or_else(|| vec![AgentEvent::Exited(unheard())]);
        self.over = matches!(batch.last(), Some(AgentEvent::Exited(_)));
        batch
    }

    /// Asks the agent to end.
    pub(crate) fn stop(&self) {
        self.stop.stop(StopCause::Person);
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        self.stop();
        self.task.abort();
    }
}

/// How an agent ended of whom nothing more can be heard.
fn unheard() -> AgentExit {
    let detail = "Ralph could not go on listening to it".to_owned();
    AgentExit { code: None, signal: None, ending: Ending::Crashed, stopped_by: None, detail }
}

struct Washer {
    agent: RunningAgent,
    stop: StopHandle,
    washed_after_stop: usize,
    /// Events and bytes.
    passed_over: (u32, usize),
}

impl Washer {
    async fn run(mut self, batches: mpsc::Sender<Vec<AgentEvent>>) {
        while let Some(first) = self.agent.next().await {
            let (mut batch, mut bytes, mut next) = (Vec::new(), 0, Some(first));
            while let Some(event) = next.take() {
                bytes += text_bytes(&event);
                self.wash(event, &mut batch).await;
                if batch.len() < BATCH_EVENTS && bytes < BATCH_BYTES {
                    next = self.agent.try_next();
                }
            }
            if !batch.is_empty() && batches.send(batch).await.is_err() {
                return;
            }
        }
    }

    async fn wash(&mut self, event: AgentEvent, batch: &mut Vec<AgentEvent>) {
        let bytes = text_bytes(&event);
        if self.stop.asked().is_some() && !is_vital(&event) {
            self.washed_after_stop += bytes;
            if self.washed_after_stop > AFTER_STOP_BYTES {
                self.passed_over = (self.passed_over.0.saturating_add(1), self.passed_over.1 + bytes);
                return;
            }
        }
        if matches!(event, AgentEvent::Exited(_)) && self.passed_over.0 > 0 {
            let (lines, bytes) = self.passed_over;
            let kib = u32::try_from(bytes.div_ceil(1_024)).unwrap_or(u32::MAX).max(1);
            batch.push(AgentEvent::Signal(AgentSignal::Dropped { lines, kib }));
        }
        batch.push(if bytes < LONG_TEXT_BYTES {
            washed(event)
        } else {
            let lost = AgentEvent::Signal(AgentSignal::Dropped { lines: 1, kib: u32::try_from(bytes >> 10).unwrap_or(u32::MAX) });
            tokio::task::spawn_blocking(move || washed(event)).await.unwrap_or(lost)
        });
    }
}

/// Without secrets. A fault of the wash costs what it was at, not the run.
fn washed(event: AgentEvent) -> AgentEvent {
    let lost = AgentEvent::Signal(AgentSignal::Dropped { lines: 1, kib: 1 });
    let wash = || match event {
        AgentEvent::Signal(signal) => AgentEvent::Signal(wash::kept(&signal)),
        AgentEvent::Stderr(line) => AgentEvent::Stderr(wash::text(&line)),
        AgentEvent::Exited(exit) => AgentEvent::Exited(AgentExit { detail: wash::text(&exit.detail), ..exit }),
    };
    catch_unwind(AssertUnwindSafe(wash)).unwrap_or(lost)
}

/// Whether it tells how the agent did, rather than what it says.
fn is_vital(event: &AgentEvent) -> bool {
    matches!(
        event,
        AgentEvent::Exited(_) | AgentEvent::Signal(AgentSignal::TurnEnded { .. } | AgentSignal::Spent { .. } | AgentSignal::Dropped { .. })
    )
}

fn text_bytes(event: &AgentEvent) -> usize {
    match event {
        AgentEvent::Signal(signal) => signal.text_bytes(),
        AgentEvent::Stderr(line) => line.len(),
        AgentEvent::Exited(exit) => exit.detail.len(),
    }
}
