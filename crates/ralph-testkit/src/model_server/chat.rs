//! A reply as OpenAI's Chat Completions stream it.

use super::{Block, Reply, tool_id};
use bytes::Bytes;
use serde_json::{Value, json};

/// The chunks of a message: one for each block, one with the reason of its end and its usage, and the end.
pub(super) fn events(reply: &Reply, blocks: &[Block], number: usize) -> Vec<Bytes> {
    let mut calls = 0;
    let mut chunks: Vec<Bytes> = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let delta = match block {
            Block::Text(text) => json!({ "role": "assistant", "content": text }),
            Block::Thinking(text) => json!({ "role": "assistant", "reasoning_content": text }),
            Block::ToolUse { name, input } => {
                let function = json!({ "name": name, "arguments": input.to_string() });
                let call = json!({ "index": calls, "id": tool_id(number, index), "type": "function", "function": function });
                calls += 1;
                json!({ "role": "assistant", "tool_calls": [call] })
            }
        };
        chunks.push(chunk(number, &delta, &Value::Null, &Value::Null));
    }
    let reason = if calls > 0 { "tool_calls" } else { "stop" };
    let (input, output) = (reply.input_tokens, reply.output_tokens);
    let usage = json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output });
    chunks.push(chunk(number, &json!({}), &reason.into(), &usage));
    chunks.push(Bytes::from_static(b"data: [DONE]\n\n"));
    chunks
}

fn chunk(number: usize, delta: &Value, reason: &Value, usage: &Value) -> Bytes {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
    let data = json!({
        "id": format!("chat_{number}"), "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], "usage": usage,
    });
    Bytes::from(format!("data: {data}\n\n"))
}
