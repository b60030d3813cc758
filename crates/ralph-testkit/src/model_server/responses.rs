//! A reply as OpenAI's Responses API streams it.

use super::{Block, Reply, event, tool_id};
use bytes::Bytes;
use serde_json::{Value, json};

/// The events of a message: an item for each block, and the end with its usage.
pub(super) fn events(reply: &Reply, blocks: &[Block], number: usize) -> Vec<Bytes> {
    let id = format!("resp_{number}");
    let mut events = vec![typed("response.created", json!({ "response": { "id": id } }))];
    for (index, block) in blocks.iter().enumerate() {
        let item = item(block, number, index);
        events.push(typed("response.output_item.added", json!({ "output_index": index, "item": item })));
        events.push(typed("response.output_item.done", json!({ "output_index": index, "item": item })));
    }
    let usage = json!({
        "input_tokens": reply.input_tokens, "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": reply.output_tokens, "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": reply.input_tokens + reply.output_tokens,
    });
    events.push(typed("response.completed", json!({ "response": { "id": id, "usage": usage } })));
    events
}

fn typed(name: &str, mut data: Value) -> Bytes {
    data["type"] = name.into();
    event(name, &data)
}

fn item(block: &Block, number: usize, index: usize) -> Value {
    match block {
        Block::Text(text) => json!({
            "type": "message", "role": "assistant", "id": format!("msg_{number}_{index}"),
            "content": [{ "type": "output_text", "text": text }],
        }),
        Block::Thinking(text) => json!({
            "type": "reasoning", "id": format!("rs_{number}_{index}"), "summary": [{ "type": "summary_text", "text": text }],
        }),
        Block::ToolUse { name, input } => {
            let mut call = json!({
                "type": "function_call", "id": format!("fc_{number}_{index}"), "call_id": tool_id(number, index),
                "name": name, "arguments": input.to_string(),
            });
            // Tools of a server are in a namespace: `mcp__ralph__get_task` is `get_task` of `mcp__ralph`.
            if let Some((namespace, tool)) = name.rsplit_once("__").filter(|_| name.starts_with("mcp__")) {
                call["namespace"] = namespace.into();
                call["name"] = tool.into();
            }
            call
        }
    }
}
