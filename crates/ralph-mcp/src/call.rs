//! One call, as automatic learning hears it.

use ralph_app::AnsweredCall;
use ralph_core::text::cut;
use rmcp::model::JsonObject;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};
use std::time::Instant;

/// Arguments that are heard, and characters of each: enough to tell one call from another.
const ARGUMENTS: usize = 16;
const ARGUMENT_CHARS: usize = 600;

/// Tools that answer with what is known.
const TELLING: [&str; 5] = ["recall", "search", "get_context", "list_learnings", "get_task"];
/// Bytes of an answer that are heard: the longest that an agent is given.
const TOLD_BYTES: usize = 20_000;

/// A call that is being answered.
pub(crate) struct Call {
    heard: AnsweredCall,
    begun: Instant,
}

impl Call {
    pub(crate) fn begin(tool: &str, arguments: &JsonObject, auto_learn: Option<bool>, context: &RequestContext<RoleServer>) -> Call {
        let short = |value: &Value| match value {
            Value::String(text) => Value::String(cut(text, ARGUMENT_CHARS).to_owned()),
            Value::Array(_) | Value::Object(_) => Value::String(cut(&value.to_string(), ARGUMENT_CHARS).to_owned()),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        };
        let arguments: Map<String, Value> = arguments.iter().take(ARGUMENTS).map(|(name, value)| (name.clone(), short(value))).collect();
        let client = context.peer.peer_info().map(|info| info.client_info.name.clone()).unwrap_or_default();
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

    /// The call with what came of it: the answer, or why it failed.
    pub(crate) fn ended(self, answer: Result<&Value, &str>) -> AnsweredCall {
        let error = answer.err();
        // What was told is known again, so that it is not learnt as if the agent had found it out.
        let told = answer.ok().filter(|_| TELLING.contains(&self.heard.tool.as_str())).map(words_of).unwrap_or_default();
        let duration_ms = u32::try_from(self.begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        AnsweredCall { error: error.map(str::to_owned), duration_ms, told, ..self.heard }
    }
}

/// The texts of an answer, one a line, as far as they are heard.
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
