//! Splits a stream of bytes into lines of bounded length.

use crate::condense::Condenser;
use ralph_core::limits::{AGENT_LINE_BYTES, CONDENSED_LINE_BYTES};

/// One line without its line break.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Its beginning, at most the splitter's limit; or all of it, condensed.
    pub bytes: &'a [u8],
    /// Its original length in bytes.
    pub length: u64,
    /// Bytes dropped when it was condensed; `None` if it was not.
    pub condensed: Option<u64>,
}

impl Line<'_> {
    /// Whether its end was dropped.
    pub fn is_cut(&self) -> bool {
        self.condensed.is_none() && self.length > self.bytes.len() as u64
    }
}

/// Splits chunks from a pipe into lines. Of a line that is too long only the beginning is kept or, if
/// lines are JSON, the important fields.
#[derive(Debug)]
pub(crate) struct LineSplitter {
    bound: usize,
    json: bool,
    kept: Vec<u8>,
    length: u64,
    /// Used once the line is too long to be kept verbatim.
    condenser: Option<Box<Condenser>>,
}

impl LineSplitter {
    /// Lines for people.
    pub fn plain(bound: usize) -> Self {
        LineSplitter { bound, json: false, kept: Vec::new(), length: 0, condenser: None }
    }

    /// Lines for a parser: verbatim up to [`AGENT_LINE_BYTES`], condensed beyond that.
    pub fn json() -> Self {
        LineSplitter { json: true, ..LineSplitter::plain(AGENT_LINE_BYTES) }
    }

    /// Calls `each` with every line that `chunk` completes.
    pub fn push(&mut self, mut chunk: &[u8], mut each: impl FnMut(Line<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', chunk) {
            let (head, tail) = chunk.split_at(end);
            self.keep(head);
            self.hand_out(&mut each);
            chunk = &tail[1..];
        }
        self.keep(chunk);
    }

    /// Calls `each` with the last line when the stream ended without a line break.
    pub fn finish(&mut self, mut each: impl FnMut(Line<'_>)) {
        if self.length > 0 {
            self.hand_out(&mut each);
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        if let Some(condenser) = &mut self.condenser {
            return condenser.push(bytes);
        }
        let room = self.bound - self.kept.len();
        if bytes.len() > room && self.json && self.kept.iter().chain(bytes).find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{') {
            let mut condenser = Condenser::new(CONDENSED_LINE_BYTES);
            condenser.push(&std::mem::take(&mut self.kept));
            condenser.push(bytes);
            self.condenser = Some(Box::new(condenser));
            return;
        }
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn hand_out(&mut self, each: &mut impl FnMut(Line<'_>)) {
        if let Some(condenser) = self.condenser.take() {
            let (bytes, left_out) = condenser.finish();
            each(Line { bytes: &bytes, length: self.length, condensed: Some(left_out) });
        } else {
            let mut line = Line { bytes: &self.kept, length: self.length, condensed: None };
            if line.bytes.last() == Some(&b'\r') && !line.is_cut() {
                line = Line { bytes: &line.bytes[..line.bytes.len() - 1], length: line.length - 1, condensed: None };
            }
            each(line);
        }
        self.kept.clear();
        self.length = 0;
        // One giant line must not occupy memory for the hours of a run.
        self.kept.shrink_to(64 * 1024);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(bound: usize, chunks: &[&str]) -> Vec<(String, u64)> {
        let mut lines = Vec::new();
        let mut splitter = LineSplitter::plain(bound);
        let mut each = |line: Line<'_>| lines.push((String::from_utf8_lossy(line.bytes).into_owned(), line.length));
        for chunk in chunks {
            splitter.push(chunk.as_bytes(), &mut each);
        }
        splitter.finish(&mut each);
        lines
    }

    #[test]
    fn lines_do_not_depend_on_chunks() {
        let whole = split(10, &["ab\ncd\r\n\nef"]);
        assert_eq!(whole, [("ab".into(), 2), ("cd".into(), 2), (String::new(), 0), ("ef".into(), 2)]);
        assert_eq!(split(10, &["a", "b\nc", "d\r", "\n", "\n", "e", "f"]), whole);
    }

    #[test]
    fn a_long_line_keeps_its_beginning_and_its_length() {
        assert_eq!(split(3, &["abcdefgh", "ij\nk\n"]), [("abc".into(), 10), ("k".into(), 1)]);
        assert_eq!(split(3, &["abc\n"]), [("abc".into(), 3)]);
    }
}
