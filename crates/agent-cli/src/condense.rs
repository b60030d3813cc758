//! Condenses a line of JSON as it is read, so that the important fields survive at any length: a result after megabytes of
//! denied files, a text with half a character in it.
//!
//! It validates nothing and knows no schema: it bounds every string, repairs what JSON parsers reject inside of one (lone surrogates,
//! control characters, unknown escapes) and numbers that JSON does not have (`1e400`, `NaN`), and closes what was cut. Whoever parses the
//! result decides whether it is JSON.

use memchr::memchr2;

/// Bytes of one string that are kept: several times what a model can say at once.
pub(crate) const STRING_BYTES: usize = ralph_core::limits::AGENT_TEXT_BYTES;
/// Bytes of one string below a key of [`MINOR`].
const MINOR_STRING_BYTES: usize = 2_048;
/// Keys whose values are complete files and answers; at most a line of them is shown.
const MINOR: [&[u8]; 3] = [b"tool_input", b"tool_use_result", b"partial_json"];
/// Bytes of a key that are compared.
const KEY_BYTES: usize = 32;
/// Maximum nesting that is tracked; deeper JSON is not parsed anyway.
const DEPTH: usize = 256;

/// The condensed line so far.
#[derive(Debug)]
pub(crate) struct Condenser {
    out: Vec<u8>,
    bound: usize,
    /// The open objects and arrays.
    open: Vec<u8>,
    /// Whether the next token is a key of the innermost object, or its colon.
    key_next: bool,
    /// The beginning of the last key.
    key: Vec<u8>,
    /// Depth of the open value of a minor key.
    minor: Option<usize>,
    state: State,
    /// Remaining bytes for the open string.
    room: usize,
    /// A high surrogate, whose low surrogate may follow.
    high: Option<u16>,
    /// Where the open number or word begins in what is kept.
    literal: Option<usize>,
    left_out: u64,
    /// The rest is dropped: the limit is reached, or the nesting is too deep.
    full: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Outside,
    Key,
    Value,
    Escape { key: bool },
    Hex { key: bool, digits: u8, value: u16 },
}

impl Condenser {
    /// Keeps at most `bound` bytes, plus what is needed to close them.
    pub fn new(bound: usize) -> Condenser {
        Condenser {
            out: Vec::new(),
            bound,
            open: Vec::new(),
            key_next: false,
            key: Vec::new(),
            minor: None,
            state: State::Outside,
            room: 0,
            high: None,
            literal: None,
            left_out: 0,
            full: false,
        }
    }

    /// Processes the next bytes of the line.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while let Some(&byte) = bytes.first() {
            if self.full {
                self.left_out += bytes.len() as u64;
                return;
            }
            let taken = match self.state {
                State::Outside => {
                    self.outside(byte);
                    1
                }
                State::Key | State::Value => match memchr2(b'"', b'\\', bytes) {
                    Some(0) => {
                        self.special(byte);
                        1
                    }
                    plain => {
                        let length = plain.unwrap_or(bytes.len());
                        self.plain(&bytes[..length]);
                        length
                    }
                },
                State::Escape { key } => {
                    self.escape(byte, key);
                    1
                }
                State::Hex { key, digits, value } => usize::from(self.hex(byte, key, digits, value)),
            };
            bytes = &bytes[taken..];
            self.full |= self.out.len() >= self.bound || self.open.len() > DEPTH;
        }
    }

    /// The condensed line, and the number of significant bytes that were dropped.
    pub fn finish(mut self) -> (Vec<u8>, u64) {
        if self.full {
            self.close();
        }
        let bytes = match String::from_utf8_lossy(&self.out) {
            std::borrow::Cow::Borrowed(_) => self.out,
            std::borrow::Cow::Owned(lossy) => lossy.into_bytes(),
        };
        (bytes, self.left_out)
    }

    fn outside(&mut self, byte: u8) {
        if matches!(byte, b'"' | b'{' | b'[' | b'}' | b']' | b',' | b':') || byte.is_ascii_whitespace() {
            self.end_literal();
        } else if self.literal.is_none() {
            self.literal = Some(self.out.len());
        }
        match byte {
            b'"' if self.key_next => {
                self.key.clear();
                (self.state, self.room) = (State::Key, MINOR_STRING_BYTES);
            }
            b'"' => {
                (self.state, self.room) = (State::Value, if self.minor.is_some() { MINOR_STRING_BYTES } else { STRING_BYTES });
            }
            b'{' | b'[' => {
                if self.minor.is_none() && self.open.last() == Some(&b'{') && MINOR.contains(&self.key.as_slice()) {
                    self.minor = Some(self.open.len());
                }
                self.open.push(byte);
                self.key_next = byte == b'{';
            }
            b'}' | b']' => {
                self.open.pop();
                self.key_next = false;
                if self.minor.is_some_and(|depth| self.open.len() <= depth) {
                    self.minor = None;
                }
            }
            b',' => self.key_next = self.open.last() == Some(&b'{'),
            b':' => self.key_next = false,
            byte if byte.is_ascii_whitespace() => return,
            _ => {}
        }
        self.out.push(byte);
    }

    /// Replaces numbers that JSON does not have.
    fn end_literal(&mut self) {
        let Some(start) = self.literal.take().filter(|_| !self.open.is_empty() && !self.key_next) else { return };
        let word = &self.out[start..];
        let is_number = word.first().is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+'));
        if (is_number || [b"NaN".as_slice(), b"Infinity"].contains(&word)) && serde_json::from_slice::<f64>(word).is_err() {
            self.out.truncate(start);
            self.out.extend_from_slice(b"null");
        }
    }

    /// A quote or a backslash in a string.
    fn special(&mut self, byte: u8) {
        if byte == b'\\' {
            self.state = State::Escape { key: self.state == State::Key };
            return;
        }
        self.half_is_none();
        self.state = State::Outside;
        self.out.push(byte);
    }

    fn plain(&mut self, bytes: &[u8]) {
        self.half_is_none();
        if self.state == State::Key {
            let room = KEY_BYTES.saturating_sub(self.key.len());
            self.key.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
        let kept = bytes.len().min(self.room).min(self.bound.saturating_sub(self.out.len()));
        self.out.extend(bytes[..kept].iter().map(|&byte| if byte < b' ' { b' ' } else { byte }));
        self.room -= kept;
        self.leave_out(bytes.len() - kept);
    }

    fn escape(&mut self, byte: u8, key: bool) {
        self.state = if key { State::Key } else { State::Value };
        match byte {
            b'u' => self.state = State::Hex { key, digits: 0, value: 0 },
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.unit(&[b'\\', byte]),
            // Not a valid escape: a literal backslash.
            _ => self.unit(&[b'\\', b'\\', byte]),
        }
    }

    /// Returns whether the byte was consumed: a non-digit belongs to what follows.
    fn hex(&mut self, byte: u8, key: bool, digits: u8, value: u16) -> bool {
        let inside = if key { State::Key } else { State::Value };
        let Some(digit) = char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok()) else {
            self.state = inside;
            self.unit(b"\\ufffd");
            return false;
        };
        let value = value << 4 | digit;
        if digits < 3 {
            self.state = State::Hex { key, digits: digits + 1, value };
            return true;
        }
        self.state = inside;
        match (self.high.take(), value) {
            (Some(high), 0xdc00..=0xdfff) => self.unit(format!("\\u{high:04x}\\u{value:04x}").as_bytes()),
            (high, value) => {
                if high.is_some() {
                    self.unit(b"\\ufffd");
                }
                match value {
                    0xd800..=0xdbff => self.high = Some(value),
                    0xdc00..=0xdfff => self.unit(b"\\ufffd"),
                    _ => self.unit(format!("\\u{value:04x}").as_bytes()),
                }
            }
        }
        true
    }

    /// The low surrogate did not follow.
    fn half_is_none(&mut self) {
        if self.high.take().is_some() {
            self.unit(b"\\ufffd");
        }
    }

    /// Keeps an escape completely, or not at all.
    fn unit(&mut self, bytes: &[u8]) {
        if self.high.is_some() {
            self.half_is_none();
        }
        if bytes.len() <= self.room {
            self.room -= bytes.len();
            self.out.extend_from_slice(bytes);
        } else {
            self.room = 0;
            self.leave_out(bytes.len());
        }
    }

    fn leave_out(&mut self, bytes: usize) {
        if self.minor.is_none() {
            self.left_out += bytes as u64;
        }
    }

    /// Closes everything open at the cut.
    fn close(&mut self) {
        if self.state != State::Outside {
            self.out.push(b'"');
        }
        // A number or a word may be torn: dropped, it is at least not a different one.
        while self.out.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')) {
            self.out.pop();
        }
        match self.out.last() {
            Some(b',') => {
                self.out.pop();
            }
            Some(b':') => self.out.extend_from_slice(b"null"),
            Some(b'"') if self.key_next => self.out.extend_from_slice(b":null"),
            _ => {}
        }
        while let Some(open) = self.open.pop() {
            self.out.push(if open == b'{' { b'}' } else { b']' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn condensed(line: &[u8], bound: usize) -> (Option<Value>, u64) {
        let mut whole = Condenser::new(bound);
        whole.push(line);
        let (bytes, left_out) = whole.finish();
        let mut in_pieces = Condenser::new(bound);
        line.iter().for_each(|byte| in_pieces.push(std::slice::from_ref(byte)));
        assert_eq!(in_pieces.finish(), (bytes.clone(), left_out), "pieces change nothing");
        (serde_json::from_slice(&bytes).ok(), left_out)
    }

    #[test]
    fn what_is_json_stays_what_it_is() {
        for line in [
            r#"{"a": [1, -2.5e3, true, null, "x\n\"\u00e4\ud83d\ude00ä"], "b": {"c": {}}, "": []}"#,
            r#"{"type":"result","is_error":false,"permission_denials":[{"tool_input":{"content":"x"}}]}"#,
        ] {
            let expected: Value = serde_json::from_str(line).unwrap();
            assert_eq!(condensed(line.as_bytes(), 10_000), (Some(expected), 0), "{line}");
        }
    }

    #[test]
    fn broken_characters_cost_themselves_alone() {
        for (line, text) in [
            (br#"{"a":"x\ud800y"}"#.as_slice(), "x\u{fffd}y"),
            (br#"{"a":"\ud800"}"#, "\u{fffd}"),
            (br#"{"a":"\ud800\ud83d\ude00"}"#, "\u{fffd}\u{1f600}"),
            (br#"{"a":"\udc00\n"}"#, "\u{fffd}\n"),
            (br#"{"a":"\ud800\n"}"#, "\u{fffd}\n"),
            (br#"{"a":"\u12zz"}"#, "\u{fffd}zz"),
            (br#"{"a":"C:\dir"}"#, "C:\\dir"),
            (b"{\"a\":\"x\xff\x01y\"}", "x\u{fffd} y"),
        ] {
            assert_eq!(condensed(line, 10_000).0, Some(json!({ "a": text })), "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn numbers_that_are_none_cost_themselves_alone() {
        for number in ["1e400", "-1e999", "NaN", "Infinity", "-Infinity", "+1", "01", "1.", "0x10"] {
            let line = format!(r#"{{"usd":{number},"all":[{number}, 2],"said":"{number}","done":true}}"#);
            let expected = json!({ "usd": null, "all": [null, 2], "said": number, "done": true });
            assert_eq!(condensed(line.as_bytes(), 10_000).0, Some(expected), "{number}");
        }
    }

    #[test]
    fn a_long_line_keeps_what_stands_behind_its_files() {
        let file = "ä".repeat(5_000_000);
        let line = json!({ "type": "result", "permission_denials": [{ "tool_input": { "file_path": "a", "content": file } }], "usd": 1.5 });
        let (kept, left_out) = condensed(line.to_string().as_bytes(), 8 << 20);
        let kept = kept.unwrap();
        assert_eq!((&kept["usd"], &kept["permission_denials"][0]["tool_input"]["file_path"]), (&json!(1.5), &json!("a")));
        assert_eq!(left_out, 0, "nobody reads a denied file");
        let text = json!({ "text": "x".repeat(STRING_BYTES + 7), "usd": 1.5 });
        let (kept, left_out) = condensed(text.to_string().as_bytes(), 64 << 20);
        assert_eq!((kept.unwrap()["usd"].clone(), left_out), (json!(1.5), 7));
    }

    #[test]
    fn what_has_no_room_is_closed_wherever_it_is_cut() {
        let line = r#"{"a":[1,{"b":"x\n\ud83d\ude00y","cc":[true,null]}],"d":-12.5,"e":{"f":"g"}}"#;
        for bound in 1..line.len() {
            let (kept, _) = condensed(line.as_bytes(), bound);
            assert!(kept.is_some(), "cut at {bound}");
        }
    }

    #[test]
    fn what_is_not_closed_by_its_writer_stays_broken() {
        for line in
            [r#"{"type":"result","is_error":false"#, r#"{"type":"result"}}"#, r#"{"a":1} b"#, r#"{"a" 1}"#, r#"{"a":b}"#, r#"{1e400:1}"#]
        {
            assert_eq!(condensed(line.as_bytes(), 10_000).0, None, "{line}");
        }
    }
}
