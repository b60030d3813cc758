//! Splits a stream of bytes into lines of bounded length.

/// One line without its line break.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Its beginning, at most the splitter's bound.
    pub bytes: &'a [u8],
    /// Its whole length in bytes, as it came.
    pub length: u64,
}

impl Line<'_> {
    /// Whether its end was dropped.
    pub fn is_cut(&self) -> bool {
        self.length > self.bytes.len() as u64
    }
}

/// Takes chunks as they come from a pipe and hands out whole lines; of a line that is too long, the rest is dropped and counted.
#[derive(Debug)]
pub(crate) struct LineSplitter {
    bound: usize,
    kept: Vec<u8>,
    length: u64,
}

impl LineSplitter {
    pub fn new(bound: usize) -> Self {
        LineSplitter { bound, kept: Vec::new(), length: 0 }
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
        let room = self.bound - self.kept.len();
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.length += bytes.len() as u64;
    }

    fn hand_out(&mut self, each: &mut impl FnMut(Line<'_>)) {
        let mut line = Line { bytes: &self.kept, length: self.length };
        if line.bytes.last() == Some(&b'\r') && !line.is_cut() {
            line = Line { bytes: &line.bytes[..line.bytes.len() - 1], length: line.length - 1 };
        }
        each(line);
        self.kept.clear();
        self.length = 0;
        // One giant line must not hold its memory for the hours of a run.
        self.kept.shrink_to(64 * 1024);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(bound: usize, chunks: &[&str]) -> Vec<(String, u64)> {
        let mut lines = Vec::new();
        let mut splitter = LineSplitter::new(bound);
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
