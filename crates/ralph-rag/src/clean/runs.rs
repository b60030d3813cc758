//! Secrets without an announcing word: long runs of letters, digits and signs with a distinctive shape, and encoded text that
//! contains a secret once decoded.

use super::found::Secret;
use super::value::entropy;
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Id of the rule for tokens identified by shape.
pub(super) const ID: &str = "token-by-shape";
/// Id of the rule for encoded secrets.
pub(super) const ENCODED_ID: &str = "encoded-secret";
/// Minimum bytes of a run: shorter tokens have no distinctive shape.
const SHORTEST: usize = 20;
/// Maximum bytes of a decoded run; a key file needs far less, and an image is not text.
const LONGEST_DECODED: usize = 65_536;
/// Bytes of an encoded run that must decode to readable text before the rest is tried.
const PROBE: usize = 24;
/// Minimum bytes of a line of encoded text for the next line to continue it.
const FULL_LINE: usize = 48;

/// Shapes: Discord's and Mapbox's three parts, and services whose prefix is a common word.
static SHAPES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?-u:(?:mfa\.[A-Za-z0-9_-]{60,}|[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
        r"|re_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,}|pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}|pat-(?:na|eu)\d-[a-f0-9-]{36}|cio[A-Za-z0-9]{32}",
        r"|t1\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{60,}|fw_[A-Za-z0-9]{22,}|fc-[a-f0-9]{32}",
        r"|[a-f0-9]{32}-(?:[a-f0-9]{8}-[a-f0-9]{8}|us\d{1,2})|sl\.[A-Za-z0-9_-]{60,}|v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}|[sr]k_[a-z]{2,8}_[A-Za-z0-9]{24,}))$"
    ))
    .expect("a constant pattern")
});

/// Whether a decoded text contains a secret.
type Holds = fn(&str) -> bool;

/// Adds the secrets in runs of a text.
pub(super) fn search(text: &str, rank: usize, holds: Holds, secrets: &mut Vec<Secret>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    // A window of that many bytes is examined from its end: in prose, everything before the last blank in it is skipped.
    while let Some(first) = bytes.get(at..at + SHORTEST) {
        if let Some(last) = first.iter().rposition(|byte| !is_of_run(*byte)) {
            at += last + 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| is_of_run(**byte)).count();
        let run = at..at + length;
        at = run.end;
        if let Some((range, rule)) = in_run(text, &run, holds) {
            at = range.end.max(at);
            secrets.push(Secret { range, rule, rank });
        }
    }
}

fn is_of_run(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/')
}

fn in_run(text: &str, run: &Range<usize>, holds: Holds) -> Option<(Range<usize>, &'static str)> {
    let word = text[run.clone()].trim_start_matches(['.', '-', '/', '+']).trim_end_matches(['.', '/', '+']);
    let bytes = word.as_bytes();
    if !bytes.iter().any(u8::is_ascii_digit) && bytes.len() < 2 * SHORTEST {
        return encoded(text, run, holds);
    }
    if bytes.iter().any(u8::is_ascii_digit) && SHAPES.is_match(bytes) && entropy(word) > 3.0 {
        let start = run.start + text[run.clone()].find(word).unwrap_or(0);
        return Some((start..start + word.len(), ID));
    }
    encoded(text, run, holds)
}

/// A run that decodes to a text with a secret, with its continuation lines.
fn encoded(text: &str, run: &Range<usize>, holds: Holds) -> Option<(Range<usize>, &'static str)> {
    let word = &text[run.clone()];
    // A path or a dotted name is not encoded.
    if word.len() > LONGEST_DECODED || word.contains('.') || !is_readable(&decoded(word.get(..PROBE.min(word.len()))?)?) {
        return None;
    }
    let mut end = run.end;
    let mut whole = word.to_owned();
    let mut line = word.len();
    while line >= FULL_LINE && whole.len() < LONGEST_DECODED {
        let rest = &text[end..];
        let gap = rest.len() - rest.trim_start_matches(['\n', '\r', ' ', '\t', '\\', 'n']).len();
        // `n` belongs to an escaped line end only.
        let gap = if rest[..gap].contains('\n') {
            rest.len() - rest.trim_start().len()
        } else if rest.starts_with("\\n") {
            2
        } else {
            break;
        };
        let next: usize =
            rest[gap..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-')).count();
        // A continuation line contains nothing else, and is long or the last.
        let after = rest.as_bytes().get(gap + next);
        let is_whole = matches!(after, None | Some(b'\n' | b'\r' | b'"' | b'=' | b'\\' | b'\''));
        if !is_whole || gap > 40 || next < 4 {
            break;
        }
        whole.push_str(&rest[gap..gap + next]);
        (line, end) = (next, end + gap + next);
    }
    end += text[end..].bytes().take(2).take_while(|byte| *byte == b'=').count();
    let decoded = decoded(&whole)?;
    (is_readable(&decoded) && holds(&String::from_utf8_lossy(&decoded))).then_some((run.start..end, ENCODED_ID))
}

fn is_readable(bytes: &[u8]) -> bool {
    bytes.len() >= 12 && bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t'))
}

/// Whether a text is the encoded form of `user:password`.
pub(super) fn is_encoded_pair(text: &str) -> bool {
    let pair = |bytes: Vec<u8>| {
        bytes.iter().all(|byte| matches!(byte, b'!'..=b'~'))
            && bytes.iter().position(|b| *b == b':').is_some_and(|at| at > 0 && bytes.len() - at > 4)
    };
    text.len() >= 12 && decoded(text.trim_end_matches('=')).is_some_and(pair)
}

/// Base64 in either alphabet, padded or not; a truncated last group is ignored.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut group, mut bits) = (0_u32, 0);
    for byte in text.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        group = (group << 6) | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((group >> bits) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{decoded, is_encoded_pair, search};

    #[test]
    fn a_run_is_found_wherever_it_stands() {
        // Assembled here, so that this file does not look like a leak.
        let token = ["re", "_8fK2mQ9x_Ab3dEf6hIj9kLm2nOp5q"].concat();
        for before in 0..70 {
            for (filler, after) in
                [(" ", ""), ("word, ", "\n"), ("ä", " x"), ("a.very-long/path_without_blanks: ", " and more than twenty bytes")]
            {
                let start: String = filler.chars().cycle().take(before).chain([' ']).collect();
                let mut secrets = Vec::new();
                search(&format!("{start}{token}{after}"), 0, |_| false, &mut secrets);
                let found: Vec<_> = secrets.iter().map(|secret| (secret.range.start, secret.range.end)).collect();
                assert_eq!(found, [(start.len(), start.len() + token.len())], "{before} of {filler:?}");
            }
        }
    }

    #[test]
    fn both_alphabets_are_decoded() {
        for (text, expected) in [("aGVsbG8", "hello"), ("aGVsbG8gd29ybGQ", "hello world"), ("fn5-fn5_", "~~~~~\u{7f}")] {
            assert_eq!(decoded(text).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(decoded("not base64!"), None);
        assert!(is_encoded_pair("dXNlcjpwYXNzd29yZA=="));
        assert!(!is_encoded_pair("aGVsbG8gd29ybGQ="));
    }
}
