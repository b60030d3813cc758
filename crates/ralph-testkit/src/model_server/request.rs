//! A request to the model, with the questions that tests ask of it.

use hyper::HeaderMap;
use serde_json::Value;
use std::collections::BTreeMap;

/// One request for a message, in one of the three APIs.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// Its path, by which the API is known.
    pub path: String,
    /// Headers by lower-case name.
    pub headers: BTreeMap<String, String>,
    /// The whole body; null when it was not JSON.
    pub body: Value,
}

/// The result of a tool call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolResult {
    /// Id of the call, as the reply gave it.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Whether the tool reported failure.
    pub is_error: bool,
}

impl Request {
    pub(super) fn new(path: &str, headers: &HeaderMap, body: &[u8]) -> Request {
        let header = |(name, value): (&hyper::header::HeaderName, &hyper::header::HeaderValue)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        Request {
            path: path.to_owned(),
            headers: headers.iter().map(header).collect(),
            body: serde_json::from_slice(body).unwrap_or_default(),
        }
    }

    /// The model that was asked for.
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// The system prompt.
    pub fn system(&self) -> String {
        text_of(&self.body["system"])
    }

    /// Whether it is one of OpenAI's Responses API.
    pub(super) fn is_responses(&self) -> bool {
        self.path.ends_with("/responses")
    }

    /// Whether it is one of OpenAI's Chat Completions.
    pub(super) fn is_chat(&self) -> bool {
        self.path.ends_with("/chat/completions")
    }

    /// All text of the person's side, oldest first: prompts, and reminders that the client adds.
    pub fn user_text(&self) -> String {
        let texts = self.messages().filter(|message| message["role"] == "user").map(|message| text_of(&message["content"]));
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// Names of the tools that the model may call.
    pub fn tool_names(&self) -> Vec<&str> {
        list(&self.body["tools"]).iter().filter_map(|tool| tool["name"].as_str().or_else(|| tool["function"]["name"].as_str())).collect()
    }

    /// Every tool result of the conversation, oldest first.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        let blocks = self.messages().flat_map(|message| list(&message["content"]));
        let outputs = self.messages().filter_map(|item| {
            let (id, text) = match (item["type"].as_str(), item["role"].as_str()) {
                (Some("function_call_output"), _) => (&item["call_id"], &item["output"]),
                (_, Some("tool")) => (&item["tool_call_id"], &item["content"]),
                _ => return None,
            };
            // These APIs have no flag for a failure.
            Some(ToolResult { id: id.as_str().unwrap_or_default().to_owned(), text: text_of(text), is_error: false })
        });
        let results = blocks.filter(|block| block["type"] == "tool_result").map(|block| ToolResult {
            id: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
            text: text_of(&block["content"]),
            is_error: block["is_error"] == true,
        });
        results.chain(outputs).collect()
    }

    fn messages(&self) -> impl Iterator<Item = &Value> {
        list(&self.body["messages"]).iter().chain(list(&self.body["input"]))
    }
}

/// Content is a string or a list of blocks.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        _ => list(content).iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n"),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_strings_and_blocks_alike() {
        let body = json!({
            "model": "m",
            "system": [{"type": "text", "text": "be brief"}],
            "tools": [{"name": "Bash"}, {"name": "mcp__ralph__get_task"}],
            "messages": [
                {"role": "user", "content": "hello"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "no"}], "is_error": true},
                    {"type": "text", "text": "go on"},
                ]},
            ],
        });
        let request = Request::new("/v1/messages", &HeaderMap::new(), body.to_string().as_bytes());
        assert_eq!((request.model(), request.system().as_str()), ("m", "be brief"));
        assert_eq!(request.user_text(), "hello\ngo on");
        assert_eq!(request.tool_names(), ["Bash", "mcp__ralph__get_task"]);
        assert_eq!(request.tool_results(), [ToolResult { id: "t1".into(), text: "no".into(), is_error: true }]);
        assert_eq!(Request::new("/v1/messages", &HeaderMap::new(), b"{").tool_results(), []);
    }
}
