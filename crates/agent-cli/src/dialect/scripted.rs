//! The scripted agent prints its signals as JSON, so that it needs no grammar of its own.

use super::fields;
use ralph_core::signal::AgentSignal;
use serde_json::Value;

pub fn line(line: Value) -> Vec<AgentSignal> {
    let kind = fields::unknown(&[&line["kind"]]);
    vec![serde_json::from_value(line).unwrap_or(kind)]
}
