//! What the model answers, and how the Messages API puts it.

use super::stream::{self, End, Frames};
use super::{Request, chat, event, responses, tool_id};
use bytes::Bytes;
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

/// A block of the model's message.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// Text.
    Text(String),
    /// Thinking that the model shows.
    Thinking(String),
    /// A call of a tool; its id becomes `toolu_<request number>_<block number>`, both from 1.
    ToolUse {
        /// Name of the tool.
        name: String,
        /// Its arguments.
        input: Value,
    },
}

#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Message { blocks: Vec<Block>, end: End },
    Status { status: StatusCode, headers: Vec<(&'static str, String)>, error: &'static str, message: String },
    Silence,
}

/// One scripted reply.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    kind: Kind,
    pub(super) input_tokens: u32,
    pub(super) output_tokens: u32,
    /// Why the message stops, where that does not follow from its blocks.
    stop: Option<&'static str>,
}

impl Reply {
    /// A message of these blocks; it stops for tools when one of them is a tool call.
    pub fn message(blocks: impl IntoIterator<Item = Block>) -> Reply {
        Reply::new(Kind::Message { blocks: blocks.into_iter().collect(), end: End::Complete })
    }

    /// A message that is one text.
    pub fn text(text: impl Into<String>) -> Reply {
        Reply::message([Block::Text(text.into())])
    }

    /// A message that calls one tool.
    pub fn tool(name: impl Into<String>, input: Value) -> Reply {
        Reply::message([Block::ToolUse { name: name.into(), input }])
    }

    /// 429: too many requests; the client may come back after this many seconds.
    pub fn rate_limited(retry_after_seconds: u32) -> Reply {
        let headers = vec![("retry-after", retry_after_seconds.to_string())];
        let message = "This request would exceed your account's rate limit.".to_owned();
        Reply::new(Kind::Status { status: StatusCode::TOO_MANY_REQUESTS, headers, error: "rate_limit_error", message })
    }

    /// 529: the service is overloaded.
    pub fn overloaded() -> Reply {
        Reply::error(529, "overloaded_error", "Overloaded")
    }

    /// 401: the key is wrong.
    pub fn unauthorized() -> Reply {
        Reply::error(401, "authentication_error", "invalid x-api-key")
    }

    /// 400: the account has no money left.
    pub fn no_credit() -> Reply {
        Reply::error(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.")
    }

    /// Any other error of the API.
    ///
    /// # Panics
    /// When `status` is not an HTTP status.
    pub fn error(status: u16, error: &'static str, message: impl Into<String>) -> Reply {
        let status = StatusCode::from_u16(status).expect("an HTTP status");
        Reply::new(Kind::Status { status, headers: Vec::new(), error, message: message.into() })
    }

    /// No response at all until the client or the test gives up.
    pub fn silence() -> Reply {
        Reply::new(Kind::Silence)
    }

    /// The same message, its connection cut after this many events of the stream (the first is `message_start`).
    #[must_use]
    pub fn dropped_after(mut self, events: usize) -> Reply {
        if let Kind::Message { end, .. } = &mut self.kind {
            *end = End::Dropped { after: events };
        }
        self
    }

    /// The same message with these token counts.
    #[must_use]
    pub fn usage(mut self, input_tokens: u32, output_tokens: u32) -> Reply {
        (self.input_tokens, self.output_tokens) = (input_tokens, output_tokens);
        self
    }

    /// The same message, stopped for this reason, such as `refusal`.
    #[must_use]
    pub fn stopping_for(mut self, reason: &'static str) -> Reply {
        self.stop = Some(reason);
        self
    }

    fn stop_reason(&self, blocks: &[Block]) -> &'static str {
        self.stop.unwrap_or_else(|| stop_reason(blocks))
    }

    fn new(kind: Kind) -> Reply {
        Reply { kind, input_tokens: 100, output_tokens: 20, stop: None }
    }

    pub(super) fn into_response(self, number: usize, request: &Request) -> Response<Frames> {
        match &self.kind {
            Kind::Status { status, headers, error, message } => {
                let body = json!({"type": "error", "error": {"type": error, "message": message}, "request_id": format!("req_{number}")});
                stream::whole(*status, headers, body.to_string().as_bytes())
            }
            Kind::Silence => stream::silent(),
            Kind::Message { blocks, end } if request.is_responses() => stream::events(responses::events(&self, blocks, number), *end),
            Kind::Message { blocks, end } if request.is_chat() => stream::events(chat::events(&self, blocks, number), *end),
            Kind::Message { blocks, end } if request.body["stream"] == true => stream::events(self.events(blocks, number, request), *end),
            Kind::Message { blocks, .. } => {
                let content = blocks.iter().enumerate().map(|(index, block)| block.whole(number, index)).collect::<Vec<_>>();
                let body = self.envelope(number, request, &content, Some(self.stop_reason(blocks)), self.output_tokens);
                stream::whole(StatusCode::OK, &[], body.to_string().as_bytes())
            }
        }
    }

    fn envelope(&self, number: usize, request: &Request, content: &[Value], stop: Option<&str>, output_tokens: u32) -> Value {
        json!({
            "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": request.model(),
            "content": content, "stop_reason": stop, "stop_sequence": null,
            "usage": {
                "input_tokens": self.input_tokens, "output_tokens": output_tokens,
                "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            },
        })
    }

    fn events(&self, blocks: &[Block], number: usize, request: &Request) -> Vec<Bytes> {
        let message = self.envelope(number, request, &[], None, 1);
        let mut events = vec![event("message_start", &json!({"type": "message_start", "message": message}))];
        for (index, block) in blocks.iter().enumerate() {
            let start = json!({"type": "content_block_start", "index": index, "content_block": block.empty(number, index)});
            events.push(event("content_block_start", &start));
            let delta = json!({"type": "content_block_delta", "index": index, "delta": block.delta()});
            events.push(event("content_block_delta", &delta));
            events.push(event("content_block_stop", &json!({"type": "content_block_stop", "index": index})));
        }
        let delta = json!({"stop_reason": self.stop_reason(blocks), "stop_sequence": null});
        let usage = json!({"output_tokens": self.output_tokens});
        events.push(event("message_delta", &json!({"type": "message_delta", "delta": delta, "usage": usage})));
        events.push(event("message_stop", &json!({"type": "message_stop"})));
        events
    }
}

fn stop_reason(blocks: &[Block]) -> &'static str {
    if blocks.iter().any(|block| matches!(block, Block::ToolUse { .. })) { "tool_use" } else { "end_turn" }
}

impl Block {
    fn whole(&self, number: usize, index: usize) -> Value {
        match self {
            Block::Text(text) => json!({"type": "text", "text": text}),
            Block::Thinking(text) => json!({"type": "thinking", "thinking": text, "signature": "c2lnbmF0dXJl"}),
            Block::ToolUse { name, input } => json!({"type": "tool_use", "id": tool_id(number, index), "name": name, "input": input}),
        }
    }

    fn empty(&self, number: usize, index: usize) -> Value {
        match self {
            Block::Text(_) => json!({"type": "text", "text": ""}),
            Block::Thinking(_) => json!({"type": "thinking", "thinking": "", "signature": ""}),
            Block::ToolUse { name, .. } => json!({"type": "tool_use", "id": tool_id(number, index), "name": name, "input": {}}),
        }
    }

    fn delta(&self) -> Value {
        match self {
            Block::Text(text) => json!({"type": "text_delta", "text": text}),
            Block::Thinking(text) => json!({"type": "thinking_delta", "thinking": text}),
            Block::ToolUse { input, .. } => json!({"type": "input_json_delta", "partial_json": input.to_string()}),
        }
    }
}
