//! Small bounded steps through the bytes of a text.

/// At most `max` bytes of the text from an offset.
pub(super) fn window(text: &str, at: usize, max: usize) -> &str {
    &text[at..text.floor_char_boundary((at + max).min(text.len()))]
}

/// Skips at most `max` matching bytes.
pub(super) fn skip(bytes: &[u8], at: usize, max: usize, passes: impl Fn(u8) -> bool) -> usize {
    at + bytes[at..].iter().take(max).take_while(|byte| passes(**byte)).count()
}

/// Skips the few bytes that may be between a joint and its value.
pub(super) fn past(bytes: &[u8], at: usize, passes: impl Fn(u8) -> bool) -> usize {
    skip(bytes, at, 8, passes)
}

/// Skips one line end, literal or escaped; the same offset when there is none.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    let cr = skip(bytes, at, 1, |b| b == b'\r');
    if bytes.get(cr) == Some(&b'\n') {
        return cr + 1;
    }
    let slashes = skip(bytes, at, 8, |b| b == b'\\');
    match bytes.get(slashes) {
        Some(b'r') if slashes > at => {
            let more = skip(bytes, slashes + 1, 8, |b| b == b'\\');
            if more > slashes + 1 && bytes.get(more) == Some(&b'n') { more + 1 } else { slashes + 1 }
        }
        Some(b'n') if slashes > at => slashes + 1,
        _ => at,
    }
}

/// A blank within a line.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
