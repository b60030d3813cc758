//! The live event log of an iteration: one JSONL file, bounded, redacted before it is written, read by whoever wants to follow.

use crate::App;
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers};
use ralph_core::signal::{AgentSignal, TranscriptEntry, TranscriptSignal};
use ralph_core::time::Timestamp;
use ralph_core::view::TranscriptPage;
use ralph_core::{IterationId, limits};
use ralph_rag::clean::redact;
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Bytes one page reads at most: several times the longest line, with every character escaped.
const PAGE_BYTES: u64 = 8 * limits::AGENT_LINE_BYTES as u64;

/// Writes an iteration's log.
pub(crate) struct EventLog {
    file: BufWriter<File>,
    written: u64,
    cut: bool,
}

impl EventLog {
    /// Begins a log.
    pub(crate) fn create(files: ProjectFiles<'_>, path: &Path) -> Result<EventLog> {
        let file = files.append(path, Readers::Owner)?;
        Ok(EventLog { file: BufWriter::with_capacity(65_536, file), written: 0, cut: false })
    }

    /// Adds an entry. Beyond the bound only Ralph's own remarks and ends of turns are kept, after a note that says so.
    /// A log that can't be written (full disk) never stops the run: the fault is traced.
    pub(crate) fn add(&mut self, entry: &TranscriptEntry) {
        let vital =
            matches!(&entry.signal, TranscriptSignal::Ralph { .. } | TranscriptSignal::Agent { signal: AgentSignal::TurnEnded { .. } });
        if self.written > limits::EVENT_LOG_BYTES && !vital {
            if !self.cut {
                self.cut = true;
                self.write(&remark(
                    entry.at,
                    "note",
                    format!("the log reached {} MiB; what follows is not kept", limits::EVENT_LOG_BYTES >> 20),
                ));
            }
            return;
        }
        self.write(entry);
    }

    fn write(&mut self, entry: &TranscriptEntry) {
        let mut line = serde_json::to_vec(entry).expect("entries hold only strings and numbers");
        line.push(b'\n');
        self.written += line.len() as u64;
        if let Err(error) = self.file.write_all(&line) {
            tracing::warn!("the event log could not be written: {error}");
        }
    }

    /// Lets readers see what was added.
    pub(crate) fn flush(&mut self) {
        if let Err(error) = self.file.flush() {
            tracing::warn!("the event log could not be written: {error}");
        }
    }
}

/// A remark of Ralph's own.
pub(crate) fn remark(at: Timestamp, note: &str, text: impl Into<String>) -> TranscriptEntry {
    TranscriptEntry { at, signal: TranscriptSignal::Ralph { note: note.to_owned(), text: redact(&text.into()).0 } }
}

/// A signal as it is kept and shown: without secrets.
pub fn kept(signal: &AgentSignal) -> AgentSignal {
    let clean = |text: &String| redact(text).0;
    match signal {
        AgentSignal::Text { text } => AgentSignal::Text { text: clean(text) },
        AgentSignal::Thinking { text } => AgentSignal::Thinking { text: clean(text) },
        AgentSignal::SubagentText { text } => AgentSignal::SubagentText { text: clean(text) },
        AgentSignal::ToolCall { id, name, summary, paths } => {
            AgentSignal::ToolCall { id: id.clone(), name: name.clone(), summary: clean(summary), paths: paths.clone() }
        }
        AgentSignal::ToolResult { id, is_error, summary } => {
            AgentSignal::ToolResult { id: id.clone(), is_error: *is_error, summary: clean(summary) }
        }
        AgentSignal::Denied { tool, summary } => AgentSignal::Denied { tool: tool.clone(), summary: clean(summary) },
        AgentSignal::TurnEnded { ending, text, usage, denials } => {
            AgentSignal::TurnEnded { ending: *ending, text: clean(text), usage: *usage, denials: *denials }
        }
        AgentSignal::Garbled { text } => AgentSignal::Garbled { text: clean(text) },
        other @ (AgentSignal::Started { .. } | AgentSignal::Retry { .. } | AgentSignal::RateLimit { .. } | AgentSignal::Unknown { .. }) => {
            other.clone()
        }
    }
}

impl App {
    /// The event log of an iteration.
    pub(crate) fn log_path(&self, iteration: IterationId) -> PathBuf {
        self.paths.logs.join(format!("{iteration}.jsonl"))
    }

    /// The prompt of an iteration.
    pub(crate) fn prompt_path(&self, iteration: IterationId) -> PathBuf {
        self.paths.logs.join(format!("{iteration}.prompt.md"))
    }

    /// Entries of an iteration's log from a byte offset on, at most `max`. A line that is still being written waits for the next page.
    pub fn transcript(&self, iteration: IterationId, offset: u64, max: usize) -> Result<TranscriptPage> {
        let running = self.db.read(|r| r.iteration(iteration))?.ok_or_else(|| AppError::not_found("iteration", iteration))?.ended.is_none();
        let path = self.log_path(iteration);
        let Some(mut file) = self.paths.files().open(&path)? else {
            return Ok(TranscriptPage { entries: Vec::new(), next_offset: offset.to_string(), ended: !running });
        };
        let io = |source| AppError::io(&path, source);
        file.seek(SeekFrom::Start(offset)).map_err(io)?;
        let mut reader = BufReader::new(file.take(PAGE_BYTES));
        let (mut entries, mut next, mut line) = (Vec::new(), offset, Vec::new());
        let mut at_end = true;
        while reader.read_until(b'\n', &mut line).map_err(io)? > 0 {
            if line.last() != Some(&b'\n') {
                break;
            }
            next += line.len() as u64;
            // A torn line (a kill in the middle of a write) is passed over.
            entries.extend(serde_json::from_slice::<TranscriptEntry>(&line));
            line.clear();
            if entries.len() >= max {
                at_end = false;
                break;
            }
        }
        // Near the bound there may be more; the next page tells.
        let ended = !running && at_end && next - offset < PAGE_BYTES / 2;
        Ok(TranscriptPage { entries, next_offset: next.to_string(), ended })
    }
}
