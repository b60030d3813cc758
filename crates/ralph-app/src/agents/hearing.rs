//! An agent's output, cleaned in the background: a flood that is slow to clean delays the agent, never the loop that handles a stop.

use crate::secrets::wash;
use agent_cli::{AgentEvent, AgentExit, RunningAgent, StopCause, StopHandle};
use ralph_core::signal::{AgentSignal, Ending};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Batches queued for the loop.
const WAITING_BATCHES: usize = 2;
/// Events of one batch, and the bytes of its texts after which it is passed on: the loop checks for requests between batches.
const BATCH_EVENTS: usize = 256;
const BATCH_BYTES: usize = 256 * 1_024;
/// Bytes of a text from which it is cleaned on a separate thread, so that it blocks no other task.
const LONG_TEXT_BYTES: usize = 16 * 1_024;
/// Bytes of text that are still cleaned after a stop request: at most a second's work. Beyond that they are only counted.
const AFTER_STOP_BYTES: usize = 512 * 1_024;

/// A running agent's cleaned output. Dropping it stops the agent.
pub(crate) struct Hearing {
    batches: mpsc::Receiver<Vec<AgentEvent>>,
    stop: StopHandle,
    task: JoinHandle<()>,
    over: bool,
}

impl Hearing {
    /// Starts receiving from an agent.
    pub(crate) fn of(agent: RunningAgent) -> Hearing {
        let (sender, batches) = mpsc::channel(WAITING_BATCHES);
        let stop = agent.stop_handle();
        let task = tokio::spawn(Washer { agent, stop: stop.clone(), washed_after_stop: 0, passed_over: (0, 0) }.run(sender));
        Hearing { batches, stop, task, over: false }
    }

    /// The next events; the very last is its exit. Cancel-safe.
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

/// The exit of an agent that can no longer be observed.
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

/// Without secrets. A failure of the cleaning loses that event, not the run.
fn washed(event: AgentEvent) -> AgentEvent {
    let lost = AgentEvent::Signal(AgentSignal::Dropped { lines: 1, kib: 1 });
    let wash = || match event {
        AgentEvent::Signal(signal) => AgentEvent::Signal(wash::kept(&signal)),
        AgentEvent::Stderr(line) => AgentEvent::Stderr(wash::text(&line)),
        AgentEvent::Exited(exit) => AgentEvent::Exited(AgentExit { detail: wash::text(&exit.detail), ..exit }),
    };
    catch_unwind(AssertUnwindSafe(wash)).unwrap_or(lost)
}

/// Whether it reports how the agent fared, rather than what the agent says.
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
