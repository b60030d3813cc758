//! One call, as automatic learning hears it.

use ralph_app::Heard;
use ralph_core::text::cut;
use rmcp::model::JsonObject;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};
use std::time::Instant;

/// Arguments that are heard, and characters of each: enough to tell one call from another.
const ARGUMENTS: usize = 16;
const ARGUMENT_CHARS: usize = 600;

/// A call that is being answered.
pub(crate) struct Call {
    heard: Heard,
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
        let heard = Heard { tool: tool.to_owned(), arguments: arguments.into(), error: None, duration_ms: 0, auto_learn, client };
        Call { heard, begun: Instant::now() }
    }

    /// The call with what came of it: why it failed, if it did.
    pub(crate) fn ended(self, error: Option<&str>) -> Heard {
        let duration_ms = u32::try_from(self.begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        Heard { error: error.map(str::to_owned), duration_ms, ..self.heard }
    }
}
