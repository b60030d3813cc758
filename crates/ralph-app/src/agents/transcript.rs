//! The live event log of an iteration: one JSONL file, bounded, redacted before it is written, readable by any follower.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::files::{ProjectFiles, Readers};
use crate::secrets::wash;
use ralph_core::errand::ErrandId;
use ralph_core::noun::Noun;
use ralph_core::run::Iteration;
use ralph_core::signal::{AgentSignal, Ending, TranscriptEntry, TranscriptSignal};
use ralph_core::time::Timestamp;
use ralph_core::view::{LaneSignal, TranscriptPage};
use ralph_core::{IterationId, limits};
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Maximum bytes read for one page: the longest line, with every character escaped, and more.
const PAGE_BYTES: u64 = 8 * limits::AGENT_TEXT_BYTES as u64;
/// Bytes after which a page takes no further line: what a screen renders at once.
const ENOUGH_BYTES: u64 = 4 * 1_048_576;

/// Bytes at the end of a log that are searched for its last entry: some hundred ordinary ones.
const TAIL_BYTES: u64 = 65_536;

/// Prefix of the exit code in the note on an agent's exit.
const EXIT_CODE: &str = "exit code ";
const NO_CODE: &str = "no exit code";

/// Writes an iteration's log.
pub(crate) struct EventLog {
    file: BufWriter<File>,
    written: u64,
    /// The last limit that was reported.
    told: u64,
    /// Omitted entries, and their bytes.
    left_out: (u32, u64),
}

/// Priority of entries when a log grows too long.
enum Weight {
    /// Tools, thinking, and unknown lines.
    Noise,
    /// What the agent said.
    Words,
    /// Reports on how it went.
    Vital,
    /// Ralph's own notes, which are few.
    Own,
}

fn weight(signal: &TranscriptSignal) -> Weight {
    let signal = match signal {
        TranscriptSignal::Agent { signal } => signal,
        TranscriptSignal::Ralph { note, .. } => return if note == "stderr" { Weight::Noise } else { Weight::Own },
    };
    match signal {
        AgentSignal::Text { .. } | AgentSignal::Spent { .. } => Weight::Words,
        AgentSignal::Thinking { .. }
        | AgentSignal::SubagentText { .. }
        | AgentSignal::ToolCall { .. }
        | AgentSignal::ToolResult { .. }
        | AgentSignal::Denied { .. }
        | AgentSignal::Retry { .. }
        | AgentSignal::Unknown { .. }
        | AgentSignal::Garbled { .. } => Weight::Noise,
        _ => Weight::Vital,
    }
}

/// Whether an entry shows what the agent does, rather than its cost or connections.
fn tells_what_is_done(entry: &TranscriptEntry) -> bool {
    match &entry.signal {
        TranscriptSignal::Agent { signal } => matches!(
            signal,
            AgentSignal::Text { .. }
                | AgentSignal::Thinking { .. }
                | AgentSignal::SubagentText { .. }
                | AgentSignal::ToolCall { .. }
                | AgentSignal::Denied { .. }
                | AgentSignal::Retry { .. }
        ),
        TranscriptSignal::Ralph { note, .. } => note != "stderr",
    }
}

impl EventLog {
    /// Creates a log.
    pub(crate) fn create(files: ProjectFiles<'_>, path: &Path) -> Result<EventLog> {
        let file = files.append(path, Readers::Owner)?;
        Ok(EventLog { file: BufWriter::with_capacity(65_536, file), written: 0, told: 0, left_out: (0, 0) })
    }

    /// Adds an entry. Beyond the limit tool calls and thinking are omitted, after a note that says so; beyond a second limit also the
    /// agent's words, which recovery needs; and beyond a third also ends of turns. Ralph's own notes are always kept. A log that can't be
    /// written (full disk) never stops the run: the error is logged.
    pub(crate) fn add(&mut self, entry: &TranscriptEntry) {
        let (bound, what) = match weight(&entry.signal) {
            Weight::Own => (u64::MAX, ""),
            Weight::Vital => (limits::EVENT_LOG_BYTES + 2 * limits::EVENT_LOG_WORDS_BYTES, "nothing more of the agent is kept"),
            Weight::Words => (limits::EVENT_LOG_BYTES + limits::EVENT_LOG_WORDS_BYTES, "what follows is not kept, but for how turns end"),
            Weight::Noise => (limits::EVENT_LOG_BYTES, "of what follows only the agent's words are kept"),
        };
        if self.written <= bound {
            return self.write(entry);
        }
        self.left_out = (self.left_out.0.saturating_add(1), self.left_out.1 + line_of(entry).len() as u64);
        if self.told < bound {
            self.told = bound;
            self.write(&remark(entry.at, "note", format!("the log reached {} MiB; {what}", bound >> 20)));
        }
    }

    fn write(&mut self, entry: &TranscriptEntry) {
        let line = line_of(entry);
        self.written += line.len() as u64;
        if let Err(error) = self.file.write_all(&line) {
            tracing::warn!("the event log could not be written: {error}");
        }
    }

    /// What was omitted so far.
    pub(crate) fn left_out(&self) -> Option<AgentSignal> {
        let (lines, bytes) = self.left_out;
        (lines > 0).then(|| AgentSignal::Dropped { lines, kib: u32::try_from(bytes.div_ceil(1_024)).unwrap_or(u32::MAX) })
    }

    /// Makes added entries visible to readers, and returns the file if it is no longer at `path`: whoever has it open can still read it.
    pub(crate) fn gone_from(&mut self, path: &Path) -> Option<&mut File> {
        self.flush();
        path.symlink_metadata().is_err().then_some(self.file.get_mut())
    }

    /// Makes added entries visible to readers.
    pub(crate) fn flush(&mut self) {
        if let Err(error) = self.file.flush() {
            tracing::warn!("the event log could not be written: {error}");
        }
    }
}

fn line_of(entry: &TranscriptEntry) -> Vec<u8> {
    let mut line = serde_json::to_vec(entry).expect("entries hold only strings and numbers");
    line.push(b'\n');
    line
}

/// A note of Ralph's own.
pub(crate) fn remark(at: Timestamp, note: &str, text: impl Into<String>) -> TranscriptEntry {
    TranscriptEntry { at, signal: TranscriptSignal::Ralph { note: note.to_owned(), text: wash::text(&text.into()) } }
}

/// Text of the note on an agent's exit.
pub(crate) fn exit_words(ending: Ending, code: Option<i32>, detail: &str) -> String {
    let code = code.map_or_else(|| NO_CODE.to_owned(), |code| format!("{EXIT_CODE}{code}"));
    format!("{ending} ({code}) {detail}")
}

/// Parses [`exit_words`], except the detail.
pub(crate) fn read_exit(words: &str) -> Option<(Ending, Option<i32>)> {
    let (ending, rest) = words.split_once(" (")?;
    let (code, _) = rest.split_once(')')?;
    Some((ending.parse().ok()?, code.strip_prefix(EXIT_CODE).and_then(|code| code.parse().ok())))
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

    /// Entries of an iteration's log from a byte offset, at most `max`. A line that is still being written is left to the next page.
    pub fn transcript(&self, iteration: IterationId, offset: u64, max: usize) -> Result<TranscriptPage> {
        let running =
            self.db.read(|r| r.iteration(iteration))?.ok_or_else(|| AppError::not_found(Noun::Iteration, iteration))?.ended.is_none();
        page_of(self.paths.files(), &self.log_path(iteration), running, offset, max)
    }

    /// The same for an errand.
    pub fn errand_transcript(&self, errand: ErrandId, offset: u64, max: usize) -> Result<TranscriptPage> {
        let running = self.errand(errand)?.ended.is_none();
        page_of(self.paths.files(), &self.errand_log(errand), running, offset, max)
    }

    /// What the agent of each lane of the active runs did or said last.
    pub fn lane_signals(&self) -> Result<Vec<LaneSignal>> {
        let at_work = self.db.read(|r| r.all_running_iterations())?;
        let signal = |row: Iteration| Ok(LaneSignal { lane: row.lane, iteration: row.id, last: self.last_entry(&self.log_path(row.id))? });
        let mut signals = at_work.into_iter().map(signal).collect::<Result<Vec<_>>>()?;
        signals.sort_by_key(|signal| signal.lane);
        Ok(signals)
    }

    /// The last informative entry near the end of a log.
    fn last_entry(&self, path: &Path) -> Result<Option<TranscriptEntry>> {
        let Some(mut file) = self.paths.files().open(path)? else { return Ok(None) };
        let io = |source| AppError::io(path, source);
        let length = file.metadata().map_err(io)?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES))).map_err(io)?;
        let mut tail = Vec::new();
        file.take(TAIL_BYTES).read_to_end(&mut tail).map_err(io)?;
        // The first line may be torn, and the last one incomplete: neither parses as an entry.
        let mut entries = tail.split(|byte| *byte == b'\n').rev().filter_map(|line| serde_json::from_slice::<TranscriptEntry>(line).ok());
        Ok(entries.find(tells_what_is_done))
    }
}

fn page_of(files: ProjectFiles<'_>, path: &Path, running: bool, offset: u64, max: usize) -> Result<TranscriptPage> {
    let Some(mut file) = files.open(path)? else {
        return Ok(TranscriptPage { entries: Vec::new(), next_offset: offset.to_string(), ended: !running, gone: !running });
    };
    let io = |source| AppError::io(path, source);
    file.seek(SeekFrom::Start(offset)).map_err(io)?;
    let mut reader = BufReader::new(file.take(PAGE_BYTES));
    let (mut entries, mut next, mut line) = (Vec::new(), offset, Vec::new());
    let mut at_end = true;
    while reader.read_until(b'\n', &mut line).map_err(io)? > 0 {
        if line.last() != Some(&b'\n') {
            break;
        }
        next += line.len() as u64;
        // A torn line (a kill during a write) is skipped.
        entries.extend(serde_json::from_slice::<TranscriptEntry>(&line));
        line.clear();
        if entries.len() >= max || next - offset >= ENOUGH_BYTES {
            at_end = false;
            break;
        }
    }
    // Near the limit there may be more; the next page shows.
    let ended = !running && at_end && next - offset < PAGE_BYTES / 2;
    Ok(TranscriptPage { entries, next_offset: next.to_string(), ended, gone: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn entry(signal: AgentSignal) -> TranscriptEntry {
        TranscriptEntry { at: Timestamp(0), signal: TranscriptSignal::Agent { signal } }
    }

    #[test]
    fn the_remark_about_an_exit_is_read_back() {
        for ending in Ending::ALL {
            for code in [None, Some(0), Some(-1)] {
                assert_eq!(read_exit(&exit_words(*ending, code, "It (exit code 7) said (so).")), Some((*ending, code)));
            }
        }
        for words in ["", "completed", "completed (", "gone (exit code 0) "] {
            assert_eq!(read_exit(words), None, "{words}");
        }
    }

    #[test]
    fn a_log_that_is_gone_is_none_that_is_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let (files, path) = (ProjectFiles::of(folder.path()), folder.path().join("1.jsonl"));
        let page = |running| page_of(files, &path, running, 0, 9).map(|page| (page.ended, page.gone)).expect("reads");
        assert_eq!((page(false), page(true)), ((true, true), (false, false)), "it may not have begun");
        EventLog::create(ProjectFiles::of(folder.path()), &path).expect("a log").flush();
        assert_eq!((page(false), page(true)), ((true, false), (false, false)));
    }

    #[test]
    fn the_agent_s_words_outlive_the_noise_of_its_tools() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("1.jsonl");
        let mut log = EventLog::create(ProjectFiles::of(folder.path()), &path).expect("a log");
        let mebibyte = "x".repeat(1 << 20);
        let result = || entry(AgentSignal::ToolResult { id: String::new(), is_error: false, summary: mebibyte.clone(), exit_code: None });
        let words = || entry(AgentSignal::Text { text: mebibyte.clone() });
        for _ in 0..(limits::EVENT_LOG_BYTES >> 20) + 5 {
            log.add(&result());
        }
        for _ in 0..(limits::EVENT_LOG_WORDS_BYTES >> 20) + 5 {
            log.add(&words());
        }
        log.add(&result());
        log.add(&remark(Timestamp(0), "exited", "completed"));
        log.flush();
        let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
        for line in std::fs::read_to_string(&path).expect("the log").lines() {
            let entry: TranscriptEntry = serde_json::from_str(line).expect("an entry");
            let kind = match entry.signal {
                TranscriptSignal::Agent { signal: AgentSignal::Text { .. } } => "words".to_owned(),
                TranscriptSignal::Agent { .. } => "noise".to_owned(),
                TranscriptSignal::Ralph { note, .. } => note,
            };
            *kinds.entry(kind).or_default() += 1;
        }
        assert_eq!(kinds["noise"], limits::EVENT_LOG_BYTES >> 20);
        assert_eq!(kinds["words"], limits::EVENT_LOG_WORDS_BYTES >> 20);
        assert_eq!((kinds["note"], kinds["exited"]), (2, 1));
    }
}
