//! Output schemas of tools, so that programs can rely on them. A result has more fields than its schema
//! names: the whole list of tools is read in every session, so only fields that a program would act on are included.

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// One field of a result.
pub(crate) struct Part {
    name: &'static str,
    shape: Shape,
    presence: Presence,
}

/// Type of a field.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Text,
    Texts,
    Number,
    Flag,
    Object(&'static [Part]),
    Objects(&'static [Part]),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Always,
    Sometimes,
    /// Always present, `null` if empty.
    OrNull,
}

impl Part {
    /// A field present in every result.
    pub(crate) const fn new(name: &'static str, shape: Shape) -> Part {
        Part { name, shape, presence: Presence::Always }
    }

    /// A field that is omitted if empty.
    pub(crate) const fn sometimes(self) -> Part {
        Part { presence: Presence::Sometimes, ..self }
    }

    /// A field that is `null` if empty.
    pub(crate) const fn or_null(self) -> Part {
        Part { presence: Presence::OrNull, ..self }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.shape {
            Shape::Text => json!({"type": "string"}),
            Shape::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Shape::Number => json!({"type": "integer"}),
            Shape::Flag => json!({"type": "boolean"}),
            Shape::Object(parts) => json!({"type": "object", "properties": properties(parts)}),
            Shape::Objects(parts) => json!({"type": "array", "items": {"type": "object", "properties": properties(parts)}}),
        };
        if self.presence == Presence::OrNull {
            schema["type"] = json!([schema["type"], "null"]);
        }
        schema
    }
}

fn properties(parts: &[Part]) -> Map<String, Value> {
    parts.iter().map(|part| (part.name.to_owned(), part.schema())).collect()
}

/// The JSON schema of a result with these fields.
pub(crate) fn schema(parts: &[Part]) -> JsonObject {
    let required: Vec<&str> = parts.iter().filter(|part| part.presence != Presence::Sometimes).map(|part| part.name).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties(parts).into());
    schema.insert("required".into(), required.into());
    schema
}
