//! Finds the tags of sigils in a text, in linear time.

/// Maximum bytes of a tag's attributes; anything longer is prose after a `<`.
const ATTRIBUTES_BYTES: usize = 1_000;
/// Bytes of the longest sigil's name.
const NAME_BYTES: usize = "difficulty-estimate".len();

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sigil {
    TaskDone,
    TaskFailed,
    Learning,
    FailureReport,
    RetrySuggestion,
    DifficultyEstimate,
    NextModel,
}

impl Sigil {
    pub(super) const ALL: [Sigil; 7] = [
        Sigil::TaskDone,
        Sigil::TaskFailed,
        Sigil::Learning,
        Sigil::FailureReport,
        Sigil::RetrySuggestion,
        Sigil::DifficultyEstimate,
        Sigil::NextModel,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Sigil::TaskDone => "task-done",
            Sigil::TaskFailed => "task-failed",
            Sigil::Learning => "learning",
            Sigil::FailureReport => "failure-report",
            Sigil::RetrySuggestion => "retry-suggestion",
            Sigil::DifficultyEstimate => "difficulty-estimate",
            Sigil::NextModel => "next-model",
        }
    }

    /// Whether it claims the outcome of a task.
    pub(super) fn is_claim(self) -> bool {
        matches!(self, Sigil::TaskDone | Sigil::TaskFailed)
    }

    /// Whether tags inside it are plain text, not sigils.
    pub(super) fn holds_free_text(self) -> bool {
        matches!(self, Sigil::Learning | Sigil::RetrySuggestion)
    }

    fn of(name: &str) -> Option<Sigil> {
        let same = |a: u8, b: u8| a.eq_ignore_ascii_case(&b) || (a == b'_' && b == b'-');
        Sigil::ALL.into_iter().find(|s| s.name().len() == name.len() && name.bytes().zip(s.name().bytes()).all(|(a, b)| same(a, b)))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Open,
    Close,
    /// `<x/>`: self-closing.
    Empty,
}

/// One tag of a sigil with its byte positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag<'a> {
    pub(super) sigil: Sigil,
    pub(super) shape: Shape,
    pub(super) attributes: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// All tags of sigils, in order.
pub(super) fn tags(text: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut from = 0;
    while let Some(offset) = text[from..].find('<') {
        let start = from + offset;
        match tag_at(text, start) {
            Some(tag) => {
                from = tag.end;
                tags.push(tag);
            }
            None => from = start + 1,
        }
    }
    tags
}

/// The tag at byte `start`, which is a `<`.
pub(super) fn tag_at(text: &str, start: usize) -> Option<Tag<'_>> {
    let inner = text[start + 1..].trim_start();
    let (closing, inner) = match inner.strip_prefix('/') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, inner),
    };
    let name_end = inner.bytes().take(NAME_BYTES + 1).position(|b| !b.is_ascii_alphabetic() && b != b'-' && b != b'_')?;
    let sigil = Sigil::of(&inner[..name_end])?;
    let rest = &inner[name_end..];
    if !rest.starts_with(|c: char| c == '>' || c == '/' || c.is_whitespace()) {
        return None;
    }
    let close = end_of_tag(rest)?;
    let attributes = rest[..close].trim();
    let (attributes, empty) = match attributes.strip_suffix('/') {
        Some(attributes) => (attributes, true),
        None => (attributes, false),
    };
    let shape = match (closing, empty) {
        (true, _) => Shape::Close,
        (false, true) => Shape::Empty,
        (false, false) => Shape::Open,
    };
    Some(Tag { sigil, shape, attributes, start, end: text.len() - rest.len() + close + 1 })
}

/// Byte of the `>` that ends a tag. A quoted value may contain `<` and `>`; a quote counts only after `=`.
fn end_of_tag(rest: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = b' ';
    for (i, byte) in rest.bytes().enumerate().take(ATTRIBUTES_BYTES) {
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if byte == b'>' => return Some(i),
            None if byte == b'<' => return None,
            None if before == b'=' && (byte == b'"' || byte == b'\'') => quote = Some(byte),
            None => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    None
}

/// The value of an attribute: `name="value"`, `name='value'` or `name=value`. Names are case-insensitive.
pub(super) fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = attributes.trim_start();
    while let Some(equals) = rest.find('=') {
        let key = rest[..equals].split_whitespace().next_back().unwrap_or_default();
        let value = rest[equals + 1..].trim_start();
        let (value, after) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            _ => value.split_once(char::is_whitespace).unwrap_or((value, "")),
        };
        if key.eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = after;
    }
    None
}
