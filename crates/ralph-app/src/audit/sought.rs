//! What an audit of the store searches for and takes out: secrets, or one text that a person wants gone.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::secrets::names as secret_names;
use crate::secrets::wash;
use ralph_rag::clean::{UnwantedFault, UnwantedText, redact, redact_json};
use serde_json::Value;
use sqlite_db::Wash;
use std::borrow::Cow;
use std::sync::Arc;

/// Columns and fields with the words of people and agents, which can be any words.
const OF_WORDS: &str = "tags terms term category text title description display_name acronym boundaries architecture reason lesson subject \
    value quote note body";

/// What is searched for.
#[derive(Clone)]
pub(super) enum Sought {
    /// Whatever a rule knows as a secret.
    Secrets,
    /// This text.
    Text(Arc<UnwantedText>),
}

impl Sought {
    /// A text of a column of the database without what is sought, and how often it was there.
    pub fn out_of_column(&self, place: &str, text: &str) -> (String, usize) {
        match self {
            Sought::Secrets => wash::kept_text(place, text),
            // No name contains it, so references to names stay.
            Sought::Text(_) if secret_names::is_column(place) => (text.to_owned(), 0),
            Sought::Text(unwanted) if text.starts_with(['{', '[']) => unwanted.taken_out_of_json(text),
            Sought::Text(unwanted) => unwanted.taken_out(text),
        }
    }

    /// The same for a text of a file, which may be JSON, and may hold names of features.
    pub fn out_of_file(&self, text: &str, json: bool, has_names: bool) -> (String, usize) {
        match self {
            Sought::Secrets => {
                let (named, replaced) = if has_names { secret_names::replaced_in("", text) } else { (Cow::Borrowed(text), 0) };
                let (kept, count) = if json { redact_json(&named) } else { redact(&named) };
                (kept, count + replaced)
            }
            Sought::Text(unwanted) if json => unwanted.taken_out_of_json(text),
            Sought::Text(unwanted) => unwanted.taken_out(text),
        }
    }

    /// Whether a text contains something that is searched for.
    pub fn is_in(&self, text: &str) -> bool {
        self.out_of_file(text, false, false).1 > 0
    }

    /// Whether the name of a feature is to be removed.
    pub fn takes_name(&self, name: &str) -> bool {
        matches!(self, Sought::Secrets) && secret_names::is_one(name)
    }

    /// The removal, for the database.
    pub fn wash(&self) -> Wash {
        let sought = self.clone();
        Arc::new(move |place: &str, text: &str| sought.out_of_column(place, text).0)
    }
}

impl App {
    /// A text to search for, if it can be removed without destroying something of Ralph's.
    pub(super) fn sought_text(&self, text: &str) -> Result<Sought> {
        let invalid = |why: String, hint: &'static str| AppError::invalid("text", why, hint);
        let unwanted = UnwantedText::of(text).map_err(|fault| {
            let hint = match fault {
                UnwantedFault::Short => "give it with the words around it",
                UnwantedFault::Long => "give a part that only it has, then the next one",
            };
            invalid(fault.to_string(), hint)
        })?;
        let named = self.db.read(|r| Ok::<_, AppError>(r.features()?.into_iter().map(|feature| feature.name).collect::<Vec<_>>()))?;
        let disciplines = self.disciplines()?.into_iter().map(|discipline| discipline.name);
        if let Some(name) = named.into_iter().chain(disciplines).find(|name| unwanted.taken_out(name).1 > 0) {
            return Err(invalid(
                format!("the name '{name}' holds it, by which other things are found"),
                "give it with the words around it",
            ));
        }
        // Without a word that names a state or a kind somewhere, nothing could be read any longer.
        if unwanted.may_be_a_word_of_ours() {
            let is_word_of_ours = |place: &str, text: &str| usize::from(is_used_by_us(&unwanted, place, text));
            if let Some(column) = self.db.audit(&is_word_of_ours)?.into_iter().find(|column| column.found > 0) {
                return Err(invalid(
                    format!("it is a word that Ralph itself uses, in {}", column.place),
                    "give it with the words around it",
                ));
            }
        }
        Ok(Sought::Text(Arc::new(unwanted)))
    }
}

/// Whether a word is the entire text of a column, or of a string in its JSON, that never holds words of people or agents.
fn is_used_by_us(word: &UnwantedText, place: &str, text: &str) -> bool {
    let field = place.rsplit('.').next().unwrap_or_default();
    match serde_json::from_str(text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => is_used_in(word, field, &value),
        _ => !OF_WORDS.split_whitespace().any(|words| words == field) && word.is(text),
    }
}

fn is_used_in(word: &UnwantedText, field: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => !OF_WORDS.split_whitespace().any(|words| words == field) && word.is(text),
        Value::Array(items) => items.iter().any(|item| is_used_in(word, field, item)),
        Value::Object(fields) => fields.iter().any(|(field, value)| word.is(field) || is_used_in(word, field, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_stands_for_something_of_ours_is_told_from_one_of_a_text() {
        let word = |text| UnwantedText::of(text).expect("a text");
        for (text, place, said, ours) in [
            ("active", "tasks.state", "active", true),
            ("swordfish", "tasks.title", "swordfish", false),
            ("swordfish", "events.line", r#"{"learning":{"tags":["swordfish"],"text":"swordfish"},"event":"learned"}"#, false),
            ("learned", "events.line", r#"{"learning":{"tags":[]},"event":"learned"}"#, true),
            ("learning", "events.line", r#"{"learning":{"tags":[]},"event":"learned"}"#, true),
            ("completed", "iterations.note", "It completed.", false),
        ] {
            assert_eq!(is_used_by_us(&word(text), place, said), ours, "{text} in {place}");
        }
    }
}
