//! Arguments of tools: published as a schema and validated by it, so that an agent learns which field is invalid.
//!
//! Validated arguments match a wire type of `ralph-core` and are deserialized as one.

use crate::refused::Refused;
use ralph_app::kept_beginning;
use ralph_core::limits::HEARD_CHARS;
use ralph_core::text::cut;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// One argument of a tool.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    /// Documentation beyond the name; may be empty.
    pub(crate) about: &'static str,
    /// Maximum characters of a text, if relevant to an agent.
    pub(crate) chars: Option<usize>,
}

/// Type of an argument.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Text,
    Texts,
    /// A non-negative integer; also as a string, since agents quote ids.
    Number,
    /// How many of something an answer has: the usual number if not given, and never more than the most.
    Count(Count),
    Numbers,
    Flag,
    /// Whatever a program gives.
    Object,
    /// One of these words.
    Word(fn() -> Vec<&'static str>),
}

/// The bounds of [`Kind::Count`].
#[derive(Clone, Copy)]
pub(crate) struct Count {
    pub(crate) usual: u32,
    pub(crate) most: u32,
}

impl Field {
    pub(crate) const fn new(name: &'static str, kind: Kind, about: &'static str) -> Field {
        Field { name, kind, required: false, about, chars: None }
    }

    pub(crate) const fn required(mut self) -> Field {
        self.required = true;
        self
    }

    pub(crate) const fn at_most(mut self, chars: usize) -> Field {
        self.chars = Some(chars);
        self
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Number | Kind::Count(_) => json!({"type": "integer"}),
            Kind::Numbers => json!({"type": "array", "items": {"type": "integer"}}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Object => json!({"type": "object"}),
            Kind::Word(words) => json!({"type": "string", "enum": words()}),
        };
        if !self.about.is_empty() {
            let chars = self.chars.map_or(String::new(), |chars| format!(", at most {chars} characters"));
            let count = match self.kind {
                Kind::Count(Count { usual, most }) => format!(", {usual} if not given, at most {most}"),
                _ => String::new(),
            };
            schema["description"] = format!("{}{count}{chars}", self.about).into();
        }
        schema
    }

    /// The value as deserialized by the wire types.
    pub(crate) fn check(&self, value: Value) -> Result<Value, Refused> {
        let expected = match (self.kind, &value) {
            (Kind::Text, Value::String(_)) => return Ok(value),
            (Kind::Text, _) => "a string".to_owned(),
            (Kind::Texts, Value::Array(items)) if items.iter().all(Value::is_string) => return Ok(value),
            (Kind::Texts, _) => "a list of strings".to_owned(),
            (Kind::Number, given) => match number(given) {
                Some(number) => return Ok(number.into()),
                None => "a whole number from 0 to 4294967295".to_owned(),
            },
            (Kind::Count(Count { most, .. }), given) => match number(given).filter(|number| *number > 0) {
                Some(number) => return Ok(number.into()),
                None => format!("a whole number from 1 to {most}"),
            },
            (Kind::Numbers, Value::Array(items)) => match items.iter().map(number).collect::<Option<Vec<u32>>>() {
                Some(numbers) => return Ok(numbers.into()),
                None => "a list of whole numbers".to_owned(),
            },
            (Kind::Numbers, _) => "a list of whole numbers".to_owned(),
            (Kind::Flag, Value::Bool(_)) => return Ok(value),
            (Kind::Flag, _) => "true or false".to_owned(),
            (Kind::Object, Value::Object(_)) => return Ok(value),
            (Kind::Object, _) => "an object".to_owned(),
            (Kind::Word(words), given) => {
                let words = words();
                if given.as_str().is_some_and(|word| words.contains(&word)) {
                    return Ok(value);
                }
                format!("one of: {}", words.join(", "))
            }
        };
        // The refusal is recorded: what it quotes must not contain a secret, or a part of one that the cut left.
        let given = kept_beginning(cut(&value.to_string(), HEARD_CHARS), 80);
        Err(Refused::argument(self.name, format_args!("{given} is not accepted"), format!("give {expected}")))
    }
}

fn number(value: &Value) -> Option<u32> {
    match value {
        // To JSON Schema 2.0 is an integer, too.
        Value::Number(number) => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number))?;
            Some(whole as u32)
        }
        // `#12` is how people and agents write a task.
        Value::String(text) => text.trim().trim_start_matches('#').parse().ok(),
        _ => None,
    }
}

/// The JSON schema of these fields.
pub(crate) fn schema(fields: &[Field]) -> JsonObject {
    let properties: Map<String, Value> = fields.iter().map(|field| (field.name.to_owned(), field.schema())).collect();
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

/// Arguments validated against their fields.
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Validates arguments; `null` is the same as a missing one.
    pub(crate) fn checked(fields: &[Field], given: JsonObject) -> Result<Arguments, Refused> {
        let mut checked = Map::new();
        for (name, value) in given {
            let Some(field) = fields.iter().find(|field| field.name == name) else {
                let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
                let hint = if known.is_empty() { "give no arguments".into() } else { format!("known are: {}", known.join(", ")) };
                return Err(Refused::argument(cut(&name, 80), "is not known", hint));
            };
            if !value.is_null() {
                checked.insert(name, field.check(value)?);
            }
        }
        match fields.iter().find(|field| field.required && !checked.contains_key(field.name)) {
            Some(missing) => Err(Refused::argument(missing.name, "is missing", format!("give {}", missing.name))),
            None => Ok(Arguments(checked)),
        }
    }

    /// Removes one, as `T`; `None` if it was not given.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, Refused> {
        let Some(value) = self.0.remove(name) else { return Ok(None) };
        serde_json::from_value(value).map(Some).map_err(|error| Refused::argument(name, error, ""))
    }

    /// Removes a [`Kind::Count`], which is never above its most.
    pub(crate) fn take_count(&mut self, name: &str, Count { usual, most }: Count) -> Result<u32, Refused> {
        Ok(self.take::<u32>(name)?.unwrap_or(usual).min(most))
    }

    /// Removes one that the schema requires.
    pub(crate) fn take_required<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, Refused> {
        self.take(name)?.ok_or_else(|| Refused::argument(name, "is missing", format!("give {name}")))
    }

    /// The remaining ones, as a wire type.
    pub(crate) fn rest<T: DeserializeOwned>(self) -> Result<T, Refused> {
        serde_json::from_value(Value::Object(self.0)).map_err(|error| Refused::argument("arguments", error, ""))
    }
}
