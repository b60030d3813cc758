//! Supervises one agent: its output, its silence, stop requests, its end.

use super::judge::{self, ExitFacts};
use super::pulse::Pulse;
use super::queue::EventSender;
use super::readers::{read_signals, read_stderr, write_prompt};
use super::{AgentEvent, AgentExit};
use crate::command::{McpConfigFile, RunMarks, WatchLimits};
use crate::dialect::Dialect;
use crate::process::{self, Courtesy, Family};
use crate::stop::{StopCause, StopHandle};
use std::collections::VecDeque;
use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Child;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Time for which a pipe may be quiet after the process ended before it is given up: an unknown process holds its other end.
const QUIET_PIPE: Duration = Duration::from_millis(300);

/// Checks within that time. Each must be on time, otherwise nothing is known about the pipe.
const LOOKS: u32 = 6;

/// Owns the process until nothing of it is left.
pub(super) struct Supervisor {
    pub child: Child,
    pub marks: RunMarks,
    pub prompt: String,
    pub dialect: Dialect,
    pub watch: WatchLimits,
    pub stop: StopHandle,
    pub events: EventSender,
    pub mcp_config: Option<McpConfigFile>,
}

impl Supervisor {
    pub async fn run(self) {
        let Supervisor { mut child, marks, prompt, dialect, watch, stop, events, mcp_config } = self;
        let mut family = Family::of(&child, Some(marks));
        let pulse = Arc::new(Pulse::new());
        let pipes = Pipes::open(&mut child, prompt, dialect, &events, &pulse);

        let stopped_by = wait_for_end(&mut child, &watch, &stop, &events, &pulse).await;
        // A stopped agent reports an interruption; what counts is its state before.
        let (turns_before, offline, limited, in_background) =
            (pulse.turns(), pulse.is_offline(), pulse.is_limited(), pulse.awaits_background());
        let status = match stopped_by {
            Some(_) => process::stop(&mut child, &mut family, watch.stop_step).await,
            None => {
                let status = child.wait().await;
                family.clear(Courtesy::Ask).await;
                status
            }
        };
        let last_words = pipes.drain(&events, &pulse).await;
        drop(mcp_config);

        let turns = if stopped_by.is_some() { turns_before } else { pulse.turns() };
        let (code, signal) = how_it_ended(&status);
        let facts = ExitFacts { code, signal, stopped_by, turns, offline, limited, in_background, last_words, watch };
        let (ending, detail) = judge::ending_of(&facts);
        tracing::debug!(?code, ?signal, %ending, detail, "agent ended");
        // If the agent was dropped, nobody is listening.
        let _ = events.send_unseen(AgentEvent::Exited(AgentExit { code, signal, ending, stopped_by, detail })).await;
    }
}

/// Waits until the process has ended (`None`) or is to be stopped.
async fn wait_for_end(child: &mut Child, watch: &WatchLimits, stop: &StopHandle, events: &EventSender, pulse: &Pulse) -> Option<StopCause> {
    loop {
        tokio::select! {
            // A normal end takes precedence over a simultaneous stop request.
            biased;
            _ = child.wait() => return None,
            cause = stop.requested() => return Some(cause),
            () = events.closed() => stop.stop(StopCause::Person),
            () = pulse.turned() => {}
            () = tokio::time::sleep_until(pulse.due(watch)) => {
                // Output received meanwhile has moved the deadline.
                if pulse.due(watch) <= Instant::now() {
                    stop.stop(StopCause::Watchdog);
                }
            }
        }
    }
}

/// The tasks on an agent's pipes.
struct Pipes {
    prompt: Option<JoinHandle<()>>,
    signals: Option<JoinHandle<()>>,
    stderr: Option<JoinHandle<VecDeque<String>>>,
}

impl Pipes {
    fn open(child: &mut Child, prompt: String, dialect: Dialect, events: &EventSender, pulse: &Arc<Pulse>) -> Pipes {
        let prompt = child.stdin.take().map(|pipe| tokio::spawn(write_prompt(pipe, prompt)));
        let signals = child.stdout.take().map(|pipe| {
            let (events, pulse) = (events.clone(), pulse.clone());
            tokio::spawn(async move { read_signals(pipe, dialect, &events, &pulse).await })
        });
        let stderr = child.stderr.take().map(|pipe| {
            let (events, pulse) = (events.clone(), pulse.clone());
            tokio::spawn(async move { read_stderr(pipe, &events, &pulse).await })
        });
        Pipes { prompt, signals, stderr }
    }

    /// Reads what is left in the pipes; returns the last words on standard error.
    async fn drain(self, events: &EventSender, pulse: &Pulse) -> Vec<String> {
        pulse.process_ended();
        if let Some(task) = self.prompt {
            task.abort();
        }
        finish(self.signals, events, pulse).await;
        finish(self.stderr, events, pulse).await.unwrap_or_default().into()
    }
}

/// Waits for a reader as long as data arrives, or its output is being consumed.
async fn finish<T>(task: Option<JoinHandle<T>>, events: &EventSender, pulse: &Pulse) -> Option<T> {
    let mut task = task?;
    let mut looks = 0;
    loop {
        let began = Instant::now();
        tokio::select! {
            biased;
            result = &mut task => return result.ok(),
            () = tokio::time::sleep(QUIET_PIPE / LOOKS) => {
                // If this check is late because the machine is busy, the reader had no chance to read either.
                looks = if began.elapsed() > QUIET_PIPE / 2 { 0 } else { looks + 1 };
                if looks >= LOOKS && (pulse.is_quiet_for(QUIET_PIPE) || events.is_closed()) {
                    task.abort();
                    return task.await.ok();
                }
            }
        }
    }
}

fn how_it_ended(status: &io::Result<ExitStatus>) -> (Option<i32>, Option<i32>) {
    let Ok(status) = status else { return (None, None) };
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(status);
    #[cfg(not(unix))]
    let signal = None;
    (status.code(), signal)
}
