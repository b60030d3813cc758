//! One call, as input to automatic learning.

use ralph_app::AnsweredCall;
use ralph_core::text::cut;
use rmcp::model::JsonObject;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};
use std::time::Instant;

/// Arguments heard, and characters of each: more than are recorded, because a cut tears a secret, and half of one is not recognized.
const ARGUMENTS: usize = 16;
const HEARD_CHARS: usize = 2_000;
/// Characters of the calling program's name, which it chooses itself.
const CLIENT_CHARS: usize = 80;

/// Tools whose results contain knowledge.
const TELLING: [&str; 5] = ["recall", "search", "get_context", "list_learnings", "get_task"];
/// Bytes recorded of a result: the maximum that an agent gets.
const TOLD_BYTES: usize = 20_000;

/// A call in progress.
pub(crate) struct Call {
    heard: AnsweredCall,
    begun: Instant,
}

impl Call {
    pub(crate) fn begin(tool: &str, arguments: &JsonObject, auto_learn: Option<bool>, context: &RequestContext<RoleServer>) -> Call {
        let short = |value: &Value| match value {
            Value::String(text) => Value::String(cut(text, HEARD_CHARS).to_owned()),
            Value::Array(_) | Value::Object(_) => Value::String(cut(&value.to_string(), HEARD_CHARS).to_owned()),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        };
        let arguments: Map<String, Value> = arguments.iter().take(ARGUMENTS).map(|(name, value)| (name.clone(), short(value))).collect();
        let client = context.peer.peer_info().map(|info| cut(&info.client_info.name, CLIENT_CHARS).to_owned()).unwrap_or_default();
        let heard = AnsweredCall {
            tool: tool.to_owned(),
            arguments: arguments.into(),
            error: None,
            duration_ms: 0,
            auto_learn,
            client,
            told: String::new(),
        };
        Call { heard, begun: Instant::now() }
    }

    /// The call with its result: the answer, or the error.
    pub(crate) fn ended(self, answer: Result<&Value, &str>) -> AnsweredCall {
        let error = answer.err();
        let told = answer.ok().map(|answer| told_by(&self.heard.tool, answer)).unwrap_or_default();
        let duration_ms = u32::try_from(self.begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        AnsweredCall { error: error.map(str::to_owned), duration_ms, told, ..self.heard }
    }
}

/// Knowledge in the result of a tool, remembered so that it is not learned as if the agent had found it itself; otherwise empty.
pub(crate) fn told_by(tool: &str, answer: &Value) -> String {
    if TELLING.contains(&tool) { words_of(answer) } else { String::new() }
}

/// The texts of a result, one per line, up to the limit.
fn words_of(answer: &Value) -> String {
    let mut words = String::new();
    let mut walk = vec![answer];
    while let Some(value) = walk.pop() {
        match value {
            Value::String(text) if words.len() < TOLD_BYTES => {
                words.push_str(cut(text, TOLD_BYTES));
                words.push('\n');
            }
            Value::Array(items) => walk.extend(items.iter().rev()),
            Value::Object(fields) => walk.extend(fields.values()),
            _ => {}
        }
    }
    words
}
