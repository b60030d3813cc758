//! The three pipes of an agent. Each has its own task, so that a full one never blocks the others.

use super::AgentEvent;
use super::pulse::Pulse;
use super::queue::{EventSender, Unheard};
use crate::dialect::{Dialect, Parser};
use crate::lines::{Line, LineSplitter};
use ralph_core::limits::{AGENT_NOISE_LINES, AGENT_STDERR_BYTES};
use ralph_core::signal::AgentSignal;
use std::collections::VecDeque;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;

/// Bytes kept of one line of standard error, which is for display only.
const STDERR_LINE_BYTES: usize = 4_096;
/// Lines of standard error that may explain an exit.
const LAST_WORDS: usize = 3;
const CHUNK_BYTES: usize = 64 * 1024;
/// Bytes read after the process ended: more than any pipe holds, so the rest comes from a process that inherited it.
const AFTERWARDS_BYTES: usize = 1_048_576;

/// Writes the prompt and closes the pipe. It is not an error if the agent does not read it.
pub(super) async fn write_prompt(mut stdin: ChildStdin, prompt: String) {
    if let Err(error) = stdin.write_all(prompt.as_bytes()).await {
        tracing::debug!(%error, "the agent did not read its whole prompt");
    }
}

/// Passes on the signals of standard output.
pub(super) async fn read_signals(stdout: impl AsyncRead + Unpin, dialect: Dialect, events: &EventSender, pulse: &Pulse) {
    let mut parser = Parser::new(dialect);
    let mut noise = Noise::default();
    let mut splitter = LineSplitter::json();
    let mut chunks = Chunks::new(stdout);
    loop {
        let mut signals: Vec<AgentSignal> = Vec::new();
        let Some(chunk) = chunks.next(pulse).await else { break };
        splitter.push(chunk, |line| signals.extend(parser.line(&line).into_iter().filter(|signal| noise.admits(signal, line.length))));
        pulse.works_in_background(parser.works_in_background());
        if hand_on(signals, events, pulse).await.is_err() {
            return;
        }
    }
    let mut rest: Vec<AgentSignal> = Vec::new();
    splitter.finish(|line| rest.extend(parser.line(&line)));
    rest.extend(parser.finish());
    rest.extend(noise.passed_over.signal());
    // Without a consumer there is nothing to do about it.
    let _ = hand_on(rest, events, pulse).await;
}

/// Passes on the lines of standard error; returns the last of them.
pub(super) async fn read_stderr(stderr: impl AsyncRead + Unpin, events: &EventSender, pulse: &Pulse) -> VecDeque<String> {
    let (mut last_words, mut handed_on, mut passed_over) = (VecDeque::new(), 0, PassedOver::default());
    let mut splitter = LineSplitter::plain(STDERR_LINE_BYTES);
    let mut chunks = Chunks::new(stderr);
    loop {
        let mut lines: Vec<String> = Vec::new();
        let mut keep = |line: Line<'_>| lines.push(String::from_utf8_lossy(line.bytes).into_owned());
        let more = match chunks.next(pulse).await {
            Some(chunk) => {
                splitter.push(chunk, &mut keep);
                true
            }
            None => {
                splitter.finish(&mut keep);
                false
            }
        };
        for line in lines.into_iter().filter(|line| !line.trim().is_empty()) {
            if last_words.len() == LAST_WORDS {
                last_words.pop_front();
            }
            last_words.push_back(line.clone());
            if handed_on >= AGENT_STDERR_BYTES {
                passed_over.add(line.len() as u64);
                continue;
            }
            handed_on += line.len();
            if events.send(AgentEvent::Stderr(line), pulse).await.is_err() {
                return last_words;
            }
        }
        if !more {
            // Without a consumer there is nobody to inform.
            let _ = hand_on(passed_over.signal().into_iter().collect(), events, pulse).await;
            return last_words;
        }
    }
}

/// Lines without content, which are dropped beyond the first ones.
#[derive(Default)]
struct Noise {
    admitted: usize,
    passed_over: PassedOver,
}

impl Noise {
    fn admits(&mut self, signal: &AgentSignal, length: u64) -> bool {
        if !matches!(signal, AgentSignal::Garbled { .. } | AgentSignal::Unknown { .. }) {
            return true;
        }
        if self.admitted >= AGENT_NOISE_LINES {
            self.passed_over.add(length);
            return false;
        }
        self.admitted += 1;
        true
    }
}

/// Counts what is dropped.
#[derive(Default)]
struct PassedOver {
    lines: u32,
    bytes: u64,
}

impl PassedOver {
    fn add(&mut self, bytes: u64) {
        self.lines = self.lines.saturating_add(1);
        self.bytes += bytes + 1;
    }

    fn signal(&self) -> Option<AgentSignal> {
        let kib = u32::try_from(self.bytes.div_ceil(1_024)).unwrap_or(u32::MAX);
        (self.lines > 0).then_some(AgentSignal::Dropped { lines: self.lines, kib })
    }
}

struct Chunks<R> {
    pipe: R,
    buffer: Vec<u8>,
    afterwards: usize,
}

impl<R: AsyncRead + Unpin> Chunks<R> {
    fn new(pipe: R) -> Self {
        Chunks { pipe, buffer: vec![0; CHUNK_BYTES], afterwards: 0 }
    }

    async fn next(&mut self, pulse: &Pulse) -> Option<&[u8]> {
        if self.afterwards > AFTERWARDS_BYTES {
            return None;
        }
        // A failing pipe has no further data, like one that ended.
        let length = self.pipe.read(&mut self.buffer).await.ok().filter(|&length| length > 0)?;
        pulse.output();
        if pulse.has_process_ended() {
            self.afterwards += length;
        }
        Some(&self.buffer[..length])
    }
}

async fn hand_on(signals: Vec<AgentSignal>, events: &EventSender, pulse: &Pulse) -> Result<(), Unheard> {
    for signal in signals {
        pulse.signal(&signal);
        events.send(AgentEvent::Signal(signal), pulse).await?;
    }
    Ok(())
}
