//! The operations of a running agent, from its signals: a call and its result form one.

use ralph_core::detection::ToolKind;
use ralph_core::signal::AgentSignal;
use ralph_core::time::Timestamp;
use ralph_rag::learn::Operation;
use serde_json::{Value, json};
use std::path::Path;

/// Calls without a result that are remembered: parallel calls are a handful, and a flood must be bounded.
const OPEN: usize = 256;

/// Calls awaiting their results.
#[derive(Debug, Default)]
pub(crate) struct OpenCalls {
    open: Vec<(String, HeardCall)>,
}

/// One call.
#[derive(Debug, PartialEq)]
pub(crate) struct HeardCall {
    pub operation: Operation,
    /// Whether it is the call of a subagent.
    pub of_subagent: bool,
}

impl OpenCalls {
    /// Processes one signal, and returns the operation that it completes. Paths below `checkout` become relative to it.
    pub(crate) fn hear(&mut self, signal: &AgentSignal, now: Timestamp, checkout: &Path) -> Option<HeardCall> {
        match signal {
            AgentSignal::ToolCall { id, name, summary, paths, arguments, of_subagent } => {
                let arguments = match arguments {
                    // If an agent reports no arguments, its summary is used.
                    Value::Null if ToolKind::of(name) == ToolKind::Run => json!({ "command": summary }),
                    Value::Null => {
                        let told = serde_json::from_str(summary).ok().map(Value::Object);
                        told.unwrap_or_else(|| Operation::untold(paths, summary))
                    }
                    told => told.clone(),
                };
                if self.open.len() == OPEN {
                    self.open.remove(0);
                }
                let operation = Operation::of(name.clone(), below(arguments, checkout), now);
                self.open.push((id.clone(), HeardCall { operation, of_subagent: *of_subagent }));
                None
            }
            AgentSignal::ToolResult { id, is_error, summary, exit_code } => {
                let at = self.open.iter().rposition(|(open, _)| open == id)?;
                let (_, HeardCall { operation, of_subagent }) = self.open.remove(at);
                let failed = *is_error || exit_code.is_some_and(|code| code != 0);
                let operation = Operation {
                    error: failed.then(|| summary.clone()),
                    idle: !failed && operation.command().is_some() && Operation::tested_nothing(summary),
                    exit_code: *exit_code,
                    duration_ms: u32::try_from(now.millis_since(operation.at)).unwrap_or(u32::MAX),
                    ..operation
                };
                Some(HeardCall { operation, of_subagent })
            }
            _ => None,
        }
    }
}

/// Removes from a call of Ralph's own tools, under its agent's name for them, the choice whether to learn from it.
pub(crate) fn take_auto_learn(operation: &mut Operation) -> Option<bool> {
    let own = operation.tool.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == "ralph");
    operation.arguments.as_object_mut().filter(|_| own)?.remove("auto_learn")?.as_bool()
}

/// The same with paths relative to the checkout.
fn below(mut arguments: Value, checkout: &Path) -> Value {
    let Some(prefix) = checkout.to_str().map(|folder| format!("{folder}{}", std::path::MAIN_SEPARATOR)) else { return arguments };
    let mut walk: Vec<&mut Value> = vec![&mut arguments];
    while let Some(value) = walk.pop() {
        match value {
            Value::String(text) if text.contains(&prefix) => *text = text.replace(&prefix, ""),
            Value::Array(items) => walk.extend(items),
            Value::Object(fields) => walk.extend(fields.values_mut()),
            _ => {}
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_and_its_result_are_one_operation_with_paths_of_the_checkout() {
        let mut calls = OpenCalls::default();
        let call = |id: &str, name: &str, arguments: Value| AgentSignal::ToolCall {
            id: id.into(),
            name: name.into(),
            summary: "make".into(),
            paths: vec![],
            arguments,
            of_subagent: id == "1",
        };
        let result = |id: &str, code| AgentSignal::ToolResult { id: id.into(), is_error: false, summary: "out".into(), exit_code: code };
        let checkout = Path::new("/p");
        assert!(calls.hear(&call("1", "Edit", json!({"file_path": "/p/src/a.rs", "n": 1})), Timestamp(10), checkout).is_none());
        assert!(calls.hear(&call("2", "Bash", Value::Null), Timestamp(11), checkout).is_none());
        let HeardCall { operation: failed, of_subagent } = calls.hear(&result("2", Some(2)), Timestamp(15), checkout).expect("completed");
        assert!(!of_subagent);
        assert_eq!((failed.command(), failed.error.as_deref(), failed.duration_ms), (Some("make"), Some("out"), 4));
        let HeardCall { operation: edited, of_subagent } = calls.hear(&result("1", None), Timestamp(20), checkout).expect("completed");
        assert!(of_subagent);
        assert_eq!((edited.arguments["file_path"].as_str(), edited.succeeded()), (Some("src/a.rs"), true));
        assert!(calls.hear(&result("1", None), Timestamp(21), checkout).is_none(), "a result without a call");
        assert!(calls.hear(&call("3", "Bash", json!({"command": "cargo test crc"})), Timestamp(22), checkout).is_none());
        let summary = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 14 filtered out".to_owned();
        let idle = AgentSignal::ToolResult { id: "3".into(), is_error: false, summary, exit_code: Some(0) };
        let HeardCall { operation: idle, .. } = calls.hear(&idle, Timestamp(23), checkout).expect("completed");
        assert!(idle.succeeded() && idle.idle && !idle.worked(), "a run without tests shows nothing");
    }
}
