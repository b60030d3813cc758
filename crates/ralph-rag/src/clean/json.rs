//! Secrets in JSON files: journals, logs, exports.

use super::redact;
use std::borrow::Cow;

/// As [`redact`], for one or many JSON documents: every string is searched in its decoded form, and then the whole text, because a
/// key can indicate what a value is. Text without secrets is unchanged byte for byte.
pub fn redact_json(text: &str) -> (String, usize) {
    let (redacted, count) = each_string(text, |string, _| redact(string));
    let (whole, found) = redact(&redacted);
    (whole, count + found)
}

/// One or many JSON documents in which each string, in its decoded form, is replaced by the result of `of`; and how much was found. `of` is
/// also told whether the string is a key. Strings in which nothing is found stay byte for byte.
pub(super) fn each_string(text: &str, mut of: impl FnMut(&str, bool) -> (String, usize)) -> (String, usize) {
    let mut replaced = String::with_capacity(text.len());
    let mut count = 0;
    let mut rest = text;
    while let Some(open) = rest.find('"') {
        let Some(length) = literal(&rest.as_bytes()[open..]) else { break };
        let (before, string) = (&rest[..open], &rest[open..open + length]);
        replaced.push_str(before);
        rest = &rest[open + length..];
        let is_key = rest.trim_start().starts_with(':');
        let (string, found) = replaced_literal(string, is_key, &mut of);
        replaced.push_str(&string);
        count += found;
    }
    replaced.push_str(rest);
    (replaced, count)
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

fn replaced_literal<'l>(literal: &'l str, is_key: bool, of: &mut impl FnMut(&str, bool) -> (String, usize)) -> (Cow<'l, str>, usize) {
    let Ok(string) = serde_json::from_str::<String>(literal) else { return (Cow::Borrowed(literal), 0) };
    let (replaced, found) = of(&string, is_key);
    if found == 0 { (Cow::Borrowed(literal), 0) } else { (Cow::Owned(serde_json::Value::from(replaced).to_string()), found) }
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
