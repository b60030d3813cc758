//! Usage of a turn so far, from the partial messages of Claude Code: known before its result, and without one.
//!
//! The input of a message is reported when it starts, its output when it ends; output counts in between are placeholders. The messages of
//! helpers are not streamed and never report their output: until the result does, it is estimated from what they say.

use super::fields::{count, id};
use ralph_core::prices;
use ralph_core::signal::{AgentSignal, Usage};
use serde_json::Value;

/// Concurrently open messages, one for each running subagent.
const OPEN_MESSAGES: usize = 64;

/// Bytes of a token, roughly.
const BYTES_PER_TOKEN: usize = 4;

/// The open turn's messages.
#[derive(Debug, Default)]
pub struct TurnUsage {
    /// Usage of finished messages.
    over: Usage,
    open: Vec<Message>,
    /// The last model that answered the agent itself.
    model: Option<String>,
}

#[derive(Debug)]
struct Message {
    /// The call that started its author; `None` for the agent itself.
    parent: Option<String>,
    id: Option<String>,
    model: Option<String>,
    usage: Usage,
    /// Those of its cache writes that are kept for an hour, which cost more.
    kept_for_an_hour: u32,
    /// Whether the model gave a stop reason.
    stopped: bool,
    /// Whether its counts come from the model's stream.
    streamed: bool,
}

impl TurnUsage {
    /// Handles an event of the model's stream; returns the usage so far if it changed.
    pub fn event(&mut self, line: &Value) -> Option<AgentSignal> {
        let (event, parent) = (&line["event"], id(line, "parent_tool_use_id"));
        match event["type"].as_str()? {
            "message_start" => {
                self.end(parent.as_deref());
                let message = &event["message"];
                let usage = Usage { output_tokens: 0, ..counts(&message["usage"], Usage::default()) };
                self.begin(Message { streamed: true, ..Message::of(message, parent, usage) });
            }
            "message_delta" => {
                let open = self.open.iter_mut().find(|open| open.parent == parent)?;
                open.usage = counts(&event["usage"], open.usage);
                open.kept_for_an_hour = kept_for_an_hour(&event["usage"]).unwrap_or(open.kept_for_an_hour);
                open.stopped |= event["delta"]["stop_reason"].is_string();
            }
            _ => return None,
        }
        Some(AgentSignal::Spent { model: self.model.clone(), usage: self.so_far() })
    }

    /// Handles a complete message. One that was not streamed has its true usage only here.
    pub fn message(&mut self, line: &Value) -> Option<AgentSignal> {
        let (message, parent) = (&line["message"], id(line, "parent_tool_use_id"));
        let message_id = id(message, "id");
        let stopped = message["stop_reason"].is_string();
        if let Some(open) = self.open.iter_mut().find(|open| open.parent == parent && open.id == message_id) {
            if !open.streamed && stopped {
                open.usage = counts(&message["usage"], open.usage);
                open.stopped = true;
            } else if !open.streamed {
                open.usage.output_tokens = open.usage.output_tokens.saturating_add(estimated_output(message));
            }
            return None;
        }
        if !stopped && (parent.is_none() || !message["usage"].is_object()) {
            return None;
        }
        self.end(parent.as_deref());
        let told = counts(&message["usage"], Usage::default());
        let usage = if stopped { told } else { Usage { output_tokens: estimated_output(message), ..told } };
        self.begin(Message { stopped, ..Message::of(message, parent, usage) });
        Some(AgentSignal::Spent { model: self.model.clone(), usage: self.so_far() })
    }

    /// Ends the turn; returns whether the agent's own last message was complete.
    pub fn turn_ended(&mut self) -> bool {
        let whole = self.open.iter().all(|open| open.stopped || open.parent.is_some());
        *self = TurnUsage { model: self.model.take(), ..TurnUsage::default() };
        whole
    }

    fn begin(&mut self, message: Message) {
        if message.parent.is_none() {
            self.model = message.model.clone().or_else(|| self.model.take());
        }
        if self.open.len() >= OPEN_MESSAGES {
            // Most likely of a helper that is done, whose last message nothing ends.
            let oldest = self.open.iter().position(|open| open.parent.is_some()).unwrap_or(0);
            self.over.add(&self.open.remove(oldest).priced());
        }
        self.open.push(message);
    }

    fn end(&mut self, parent: Option<&str>) {
        while let Some(at) = self.open.iter().position(|open| open.parent.as_deref() == parent) {
            self.over.add(&self.open.swap_remove(at).priced());
        }
    }

    fn so_far(&self) -> Usage {
        let mut sum = self.over;
        self.open.iter().for_each(|open| sum.add(&open.priced()));
        sum
    }
}

impl Message {
    fn of(message: &Value, parent: Option<String>, usage: Usage) -> Message {
        let kept_for_an_hour = kept_for_an_hour(&message["usage"]).unwrap_or_default();
        Message { parent, id: id(message, "id"), model: id(message, "model"), usage, kept_for_an_hour, stopped: false, streamed: false }
    }

    fn priced(&self) -> Usage {
        let priced = |model| prices::with_cost_of_request(model, self.usage, self.kept_for_an_hour);
        self.model.as_deref().map_or(self.usage, priced)
    }
}

fn kept_for_an_hour(usage: &Value) -> Option<u32> {
    let kept = &usage["cache_creation"];
    kept["ephemeral_1h_input_tokens"].is_number().then(|| count(kept, "ephemeral_1h_input_tokens"))
}

/// Tokens of what a message says, by its length.
fn estimated_output(message: &Value) -> u32 {
    let bytes = |block: &Value| match block["type"].as_str() {
        Some("text") => block["text"].as_str().map_or(0, str::len),
        Some("thinking") => block["thinking"].as_str().map_or(0, str::len),
        _ => block["input"].to_string().len(),
    };
    let said: usize = message["content"].as_array().into_iter().flatten().map(bytes).sum();
    u32::try_from(said.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u32::MAX)
}

/// The reported counts; missing ones are unchanged.
fn counts(usage: &Value, before: Usage) -> Usage {
    let told = |key: &str, before: u32| if usage[key].is_number() { count(usage, key) } else { before };
    Usage {
        input_tokens: told("input_tokens", before.input_tokens),
        output_tokens: told("output_tokens", before.output_tokens),
        cache_read_tokens: told("cache_read_input_tokens", before.cache_read_tokens),
        cache_write_tokens: told("cache_creation_input_tokens", before.cache_write_tokens),
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn start(id: &str, model: &str, input: u32, parent: Option<&str>) -> Value {
        let message = json!({ "id": id, "model": model, "usage": { "input_tokens": input, "output_tokens": 7 } });
        json!({ "type": "stream_event", "event": { "type": "message_start", "message": message }, "parent_tool_use_id": parent })
    }

    fn delta(output: u32, stop: Option<&str>, parent: Option<&str>) -> Value {
        let event = json!({ "type": "message_delta", "delta": { "stop_reason": stop }, "usage": { "output_tokens": output } });
        json!({ "type": "stream_event", "event": event, "parent_tool_use_id": parent })
    }

    fn told(signal: Option<AgentSignal>) -> (u32, u32, f64) {
        match signal {
            Some(AgentSignal::Spent { usage, .. }) => (usage.input_tokens, usage.output_tokens, usage.cost_usd.unwrap_or(-1.0)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn messages_add_up_by_their_last_counts_and_the_prices_of_their_models() {
        let mut spending = TurnUsage::default();
        assert_eq!(told(spending.event(&start("m1", "claude-sonnet-4-5", 1_000_000, None))), (1_000_000, 0, 3.0));
        assert_eq!(told(spending.event(&delta(10_000, None, None))), (1_000_000, 10_000, 3.15));
        assert_eq!(told(spending.event(&delta(100_000, Some("tool_use"), None))), (1_000_000, 100_000, 4.5));
        let (input, output, cost) = told(spending.event(&start("h1", "claude-haiku-4-5", 1_000_000, Some("toolu_1"))));
        assert_eq!((input, output), (2_000_000, 100_000));
        assert!((cost - 5.5).abs() < 1e-9, "the helper's own model has its own price: {cost}");
        assert_eq!(told(spending.event(&start("m2", "claude-sonnet-4-5", 0, None))).0, 2_000_000);
        let unpriced = |signal: Option<AgentSignal>| matches!(signal, Some(AgentSignal::Spent { usage, .. }) if usage.unpriced);
        assert!(!unpriced(spending.event(&delta(1, None, None))));
        assert!(unpriced(spending.event(&start("h2", "nobody-knows", 5, Some("toolu_2")))), "what a helper cost is not known");
        assert!(!spending.turn_ended(), "its last message has no end");
        assert_eq!(told(spending.event(&start("m3", "nobody-knows", 5, None))), (5, 0, -1.0));
    }

    #[test]
    fn cache_writes_cost_what_the_length_of_their_life_asks() {
        let usage = |kept| json!({ "cache_creation_input_tokens": 1_000_000, "cache_creation": { "ephemeral_1h_input_tokens": kept } });
        let mut spending = TurnUsage::default();
        let message = json!({ "id": "m1", "model": "claude-sonnet-4-5", "usage": usage(1_000_000) });
        let begun = json!({ "type": "stream_event", "event": { "type": "message_start", "message": message } });
        assert_eq!(told(spending.event(&begun)), (0, 0, 6.0));
        assert_eq!(told(spending.event(&delta(0, None, None))), (0, 0, 6.0), "an end that tells no cache leaves it as it was");
        let message = json!({ "id": "m2", "model": "claude-sonnet-4-5", "stop_reason": "end_turn", "usage": usage(0) });
        assert_eq!(told(spending.message(&json!({ "type": "assistant", "message": message }))), (0, 0, 9.75));
    }

    #[test]
    fn what_a_started_agent_uses_counts_while_it_works() {
        let mut spending = TurnUsage::default();
        let said = |id: &str, content: Value, stop: Option<&str>, parent: &str| {
            let usage = json!({ "input_tokens": 1_000_000, "output_tokens": 1 });
            let message = json!({ "id": id, "model": "claude-haiku-4-5", "stop_reason": stop, "content": [content], "usage": usage });
            json!({ "type": "assistant", "parent_tool_use_id": parent, "message": message })
        };
        let text = json!({ "type": "text", "text": "x".repeat(400) });
        let call = json!({ "type": "tool_use", "input": { "command": "y".repeat(386) } });
        assert_eq!(told(spending.event(&start("m1", "claude-sonnet-4-5", 0, None))).0, 0);
        let first = spending.message(&said("h1", text.clone(), None, "toolu_1"));
        let model = |signal: &Option<AgentSignal>| matches!(signal, Some(AgentSignal::Spent { model: Some(model), .. }) if model == "claude-sonnet-4-5");
        assert!(model(&first), "the iteration's model is the agent's own: {first:?}");
        assert_eq!(told(first).1, 100);
        assert_eq!(spending.message(&said("h1", call, None, "toolu_1")), None, "a part of the same message");
        let (input, output, cost) = told(spending.message(&said("h2", text.clone(), None, "toolu_1")));
        assert_eq!((input, output), (2_000_000, 300));
        assert!((cost - 2.001_5).abs() < 1e-9, "{cost}");
        assert_eq!(spending.message(&said("h2", text.clone(), Some("end_turn"), "toolu_1")), None);
        assert_eq!(told(spending.message(&said("h3", text.clone(), None, "toolu_2"))).1, 301, "its end told one token");
        for helper in 3..200 {
            spending.message(&said("h", text.clone(), None, &format!("toolu_{helper}")));
        }
        assert_eq!(told(spending.message(&said("h", text, None, "toolu_200"))).0, 201_000_000, "however many there are");
        assert!(!spending.turn_ended(), "the agent's own message has no end");
    }

    #[test]
    fn a_message_that_was_not_streamed_counts_once_and_placeholders_never() {
        let mut spending = TurnUsage::default();
        let line = |id: &str, stop: Option<&str>| {
            let usage = json!({ "input_tokens": 10, "output_tokens": 4 });
            json!({ "type": "assistant", "message": { "id": id, "model": "sonnet", "stop_reason": stop, "usage": usage } })
        };
        assert_eq!(spending.message(&line("m1", None)), None);
        spending.event(&start("m1", "sonnet", 10, None));
        assert_eq!(spending.message(&line("m1", None)), None);
        assert_eq!(told(spending.message(&line("m2", Some("end_turn")))).1, 4);
        assert_eq!(spending.message(&line("m2", Some("end_turn"))), None);
        assert!(spending.turn_ended());
    }
}
