//! Secrets in JSON files: journals, logs, exports.

use super::redact;
use std::borrow::Cow;

/// As [`redact`], for one or many JSON documents: every string is searched in its decoded form, and then the whole text, because a
/// key can indicate what a value is. Text without secrets is unchanged byte for byte.
pub fn redact_json(text: &str) -> (String, usize) {
    let mut redacted = String::with_capacity(text.len());
    let mut count = 0;
    let mut rest = text;
    while let Some(open) = rest.find('"') {
        let Some(length) = literal(&rest.as_bytes()[open..]) else { break };
        let (before, string) = (&rest[..open], &rest[open..open + length]);
        redacted.push_str(before);
        let (string, found) = redacted_literal(string);
        redacted.push_str(&string);
        count += found;
        rest = &rest[open + length..];
    }
    redacted.push_str(rest);
    let (whole, found) = redact(&redacted);
    (whole, count + found)
}

/// Length in bytes of the string that begins here, with both quotes; `None` if it does not end on its line.
fn literal(bytes: &[u8]) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in bytes.iter().enumerate().skip(1) {
        match byte {
            b'\n' => return None,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn redacted_literal(literal: &str) -> (Cow<'_, str>, usize) {
    let Ok(string) = serde_json::from_str::<String>(literal) else { return (Cow::Borrowed(literal), 0) };
    let (redacted, found) = redact(&string);
    if found == 0 { (Cow::Borrowed(literal), 0) } else { (Cow::Owned(serde_json::Value::from(redacted).to_string()), found) }
}

#[cfg(test)]
mod tests {
    use super::redact_json;

    #[test]
    fn strings_are_redacted_as_they_are_meant_and_the_rest_stays_byte_for_byte() {
        let line = |text: &str| format!("{{\"b\" : 1,\"a\":{},  \"c\":[true]}}\n", serde_json::Value::from(text));
        let key = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let (redacted, count) =
            redact_json(&format!("{}{}", line(&format!("user\tpassword\nbob\thunter{}\n{key}", 22)), line("plain \"quoted\" \\ text")));
        assert_eq!(count, 2, "{redacted}");
        assert!(!redacted.contains("hunter22") && !redacted.contains(&key));
        assert!(redacted.ends_with(&line("plain \"quoted\" \\ text")));
        let (pair, count) = redact_json(&format!("{{\"password\":\"hunter{}\"}}", 22));
        assert_eq!((count, pair.contains("hunter22")), (1, false), "{pair}");
        assert_eq!(redact_json("\"torn"), ("\"torn".to_owned(), 0));
    }
}
