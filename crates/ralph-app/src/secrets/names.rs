//! Names of features and disciplines that look like secrets. A feature's name is a file name and occurs in committed lines, so such
//! names are refused; existing ones are renamed, in the same way everywhere and in every clone.

use crate::error::{AppError, Result};
use ralph_core::feature::check_name;
use ralph_core::text::hex;
use ralph_rag::clean::redact;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;

/// Prefix of the kind of a removed secret.
const TAKEN_OUT: &str = "[redacted:";
/// Bytes of the old name's hash that keep different names different.
const HASH_BYTES: usize = 3;
/// Fields of lines and documents that contain a name, or a list of names.
const FIELDS: [&str; 7] = ["name", "feature", "parent", "dependencies", "to", "from", "discipline"];
/// Columns that contain only a name.
const COLUMNS: [&str; 5] = ["features.name", "events.feature", "journal_files.feature", "disciplines.name", "tasks.discipline"];

/// Whether a name can't stay: it looks like a secret, or earlier cleaning left nothing of it.
pub(crate) fn is_one(name: &str) -> bool {
    name.starts_with(TAKEN_OUT) || redact(name).1 > 0
}

/// Refuses such a name on input.
pub(crate) fn refuse(name: &str) -> Result<()> {
    if is_one(name) {
        return Err(AppError::invalid("name", "it holds what looks like a secret", "choose a name that can be committed and shown"));
    }
    Ok(())
}

/// The replacement name: valid, with the kind of secret, and deterministic.
fn instead_of(name: &str) -> String {
    let redacted = redact(name).0;
    let kind = redacted.split_once(TAKEN_OUT).and_then(|(_, rest)| Some(rest.split_once(']')?.0)).unwrap_or("name");
    let hash = hex(&Sha256::digest(name.to_lowercase())[..HASH_BYTES]);
    let told = format!("redacted-{kind}-{hash}");
    if check_name(&told).is_ok() && !is_one(&told) { told } else { format!("redacted-{hash}") }
}

/// A name that can stay: itself, or its replacement.
pub(crate) fn kept(name: &str) -> String {
    if is_one(name) { instead_of(name) } else { name.to_owned() }
}

/// Whether a column of the database contains only a name.
pub(crate) fn is_column(place: &str) -> bool {
    COLUMNS.contains(&place)
}

/// A JSON text with all such names replaced, and their number; the text itself if there are none.
pub(crate) fn replaced_in<'t>(field: &str, json: &'t str) -> (Cow<'t, str>, usize) {
    let Ok(mut value) = serde_json::from_str::<Value>(json) else { return (Cow::Borrowed(json), 0) };
    let count = replace(field, &mut value);
    if count == 0 {
        return (Cow::Borrowed(json), 0);
    }
    let end = if json.ends_with('\n') { "\n" } else { "" };
    let text = if json.trim_end().contains('\n') { format!("{value:#}") } else { value.to_string() };
    (Cow::Owned(text + end), count)
}

fn replace(field: &str, value: &mut Value) -> usize {
    match value {
        Value::String(name) if FIELDS.contains(&field) && is_one(name) => {
            *name = instead_of(name);
            1
        }
        Value::Array(items) => items.iter_mut().map(|item| replace(field, item)).sum(),
        Value::Object(fields) => fields.iter_mut().map(|(field, value)| replace(field, value)).sum(),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Assembled here, so that this file does not look like a leak.
    fn token(letter: char) -> String {
        ["ghp", "_16C7e42F292c6912E7710c838347Ae17", &letter.to_string().repeat(4)].concat()
    }

    #[test]
    fn a_name_like_a_secret_gets_one_that_is_valid_stays_and_is_another_for_another() {
        let (one, other) = (kept(&token('A')), kept(&token('B')));
        assert_ne!(one, other);
        for name in [&one, &other, &kept("[redacted:github-pat]"), &kept(&format!("pay-{}", token('C')))] {
            assert!(name.starts_with("redacted-") && check_name(name).is_ok(), "{name}");
            assert_eq!(&kept(name), name, "once is enough");
        }
        for name in ["payments", "auth-core", "v2.1", "redacted-things"] {
            assert_eq!(kept(name), name);
        }
    }

    #[test]
    fn names_are_replaced_where_a_name_stands_and_words_stay() {
        let line = format!(
            "{{\"feature\":{{\"dependencies\":[\"pay\",\"{0}\"],\"display_name\":\"[redacted:github-pat]\",\"name\":\"{0}\"}},\"id\":\"1\"}}\n",
            token('A')
        );
        let (kept, count) = replaced_in("", &line);
        assert_eq!(count, 2);
        assert_eq!(kept, line.replace(&token('A'), &instead_of(&token('A'))));
        assert_eq!(replaced_in("", "{\"text\":\"[redacted:github-pat]\", \"name\": \"pay\"}").1, 0);
        assert_eq!(replaced_in("dependencies", "[\"[redacted:github-pat]\"]").1, 1);
        assert_eq!(replaced_in("", "no json"), ("no json".into(), 0));
    }
}
