//! The id of a malformed request, found in its raw bytes: without it in the answer, the sender waits until it gives up.

use serde_json::Number;

/// Maximum bytes of an id. Ids are numbers or short names.
const ID_BYTES: usize = 256;

/// An id as JSON, exactly as its sender wrote it.
pub(crate) type RawId = String;

/// Searches for `id` in the outermost object, byte by byte, so that neither an overlong line nor excessive nesting
/// hides it. Only a complete id counts: part of a number is another number.
#[derive(Default)]
pub(crate) struct IdScan {
    depth: usize,
    reading: Reading,
    /// The key or id being read in the outermost object.
    text: Vec<u8>,
    /// After a colon.
    in_value: bool,
    key_is_id: bool,
    found: Option<RawId>,
}

#[derive(Default, Clone, Copy)]
enum Reading {
    #[default]
    Structure,
    String {
        escaped: bool,
    },
    Number,
}

impl IdScan {
    /// The id in a complete line.
    pub(crate) fn of(line: &[u8]) -> Option<RawId> {
        let mut scan = IdScan::default();
        scan.feed(line);
        scan.found()
    }

    /// Processes further bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.found.is_some() {
                return;
            }
            self.step(*byte);
        }
    }

    /// The id found so far.
    pub(crate) fn found(self) -> Option<RawId> {
        self.found
    }

    fn step(&mut self, byte: u8) {
        match self.reading {
            Reading::Structure => self.structure(byte),
            Reading::String { escaped } => {
                self.keep(byte);
                self.reading = match (escaped, byte) {
                    (false, b'"') => {
                        self.end_of_string();
                        Reading::Structure
                    }
                    (false, b'\\') => Reading::String { escaped: true },
                    _ => Reading::String { escaped: false },
                };
            }
            Reading::Number if matches!(byte, b',' | b'}' | b' ' | b'\t' | b'\r' | b'\n') => {
                self.found = raw(&self.text).filter(|text| serde_json::from_str::<Number>(text).is_ok());
                self.reading = Reading::Structure;
                self.structure(byte);
            }
            Reading::Number => self.keep(byte),
        }
    }

    fn structure(&mut self, byte: u8) {
        let outermost = self.depth == 1;
        match byte {
            b'"' => self.start(byte, Reading::String { escaped: false }),
            b'{' | b'[' => {
                self.depth += 1;
                self.in_value = false;
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b':' if outermost => self.in_value = true,
            b',' if outermost => (self.in_value, self.key_is_id) = (false, false),
            b'-' | b'0'..=b'9' if outermost && self.in_value && self.key_is_id => self.start(byte, Reading::Number),
            _ => {}
        }
    }

    fn start(&mut self, byte: u8, reading: Reading) {
        self.text.clear();
        self.keep(byte);
        self.reading = reading;
    }

    /// One byte more than the maximum is kept, so that a longer id is recognized as such.
    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.text.len() <= ID_BYTES {
            self.text.push(byte);
        }
    }

    fn end_of_string(&mut self) {
        if self.depth != 1 {
            return;
        }
        if !self.in_value {
            self.key_is_id = self.text == b"\"id\"";
        } else if self.key_is_id {
            self.found = raw(&self.text);
        }
    }
}

/// The bytes as JSON for an answer; the sender's invalid Unicode becomes replacement characters.
fn raw(text: &[u8]) -> Option<RawId> {
    let told = text.len() <= ID_BYTES && !text.iter().any(u8::is_ascii_control);
    told.then(|| String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_found_wherever_it_stands_in_the_outermost_object() {
        for (line, id) in [
            (&br#"{"jsonrpc":"2.0","id":8,"method":"ping""#[..], Some("8")),
            (br#"{"jsonrpc":"2.0","id": -8 ,"#, Some("-8")),
            (br#"{"id":"a-1","params":{"text":"\ud800"}}"#, Some(r#""a-1""#)),
            (br#"{"params":{"arguments":{"id":3}},"method":"tools/call","id":8} trailing"#, Some("8")),
            (b"{\"params\":{\"text\":\"\xe9\"},\"id\":8}", Some("8")),
            (b"{\"id\":\"\xe9\"}", Some("\"\u{fffd}\"")),
            (br#"{"id":"\ud800","method":3}"#, Some(r#""\ud800""#)),
            (br#"{"text":"say \"id\":3, please","id":8}"#, Some("8")),
            (br#"{"text":"id","id":8}"#, Some("8")),
            (br#"noise {"id":8}"#, Some("8")),
            (br#"{"id":1.5}"#, Some("1.5")),
            // Nothing that could be returned, or another object's id.
            (br#"{"jsonrpc":"2.0","id":12"#, None),
            (br#"{"jsonrpc":"2.0","id":"half"#, None),
            (br#"{"id":null}"#, None),
            (br#"{"id":true}"#, None),
            (br#"{"id":[8]}"#, None),
            (br#"{"id":1-2}"#, None),
            (br#"{"params":{"id":3}}"#, None),
            (br#"{"ident":3,"x":"id"}"#, None),
            (br#"[{"id":3}]"#, None),
            (b"hello", None),
            (b"", None),
        ] {
            assert_eq!(IdScan::of(line).as_deref(), id, "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn depth_and_length_hide_no_id() {
        let deep = format!(r#"{{"params":{}{},"id":8}}"#, "[{\"id\":".repeat(50_000), "}]".repeat(50_000));
        assert_eq!(IdScan::of(deep.as_bytes()).as_deref(), Some("8"));
        let long = format!(r#"{{"text":"{}","id":8}}"#, "x".repeat(1 << 20));
        assert_eq!(IdScan::of(long.as_bytes()).as_deref(), Some("8"));
        assert_eq!(IdScan::of(format!(r#"{{"id":"{}"}}"#, "x".repeat(ID_BYTES)).as_bytes()), None, "no one's id is that long");
    }
}
