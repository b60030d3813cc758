//! One call, as input to automatic learning.

use ralph_app::AnsweredCall;
use ralph_core::signal::heard_arguments;
use ralph_core::text::cut;
use rmcp::model::JsonObject;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use std::time::Instant;

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
        let client = context.peer.peer_info().map(|info| cut(&info.client_info.name, CLIENT_CHARS).to_owned()).unwrap_or_default();
        let heard = AnsweredCall {
            tool: tool.to_owned(),
            arguments: heard_arguments(arguments),
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
