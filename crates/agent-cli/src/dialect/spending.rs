//! Usage of a turn so far, from the partial messages of Claude Code: known before its result, and without one.
//!
//! The input of a message is reported when it starts, its output when it ends; output counts in between are placeholders.

use super::fields::{count, id};
use ralph_core::prices;
use ralph_core::signal::{AgentSignal, Usage};
use serde_json::Value;

/// Concurrently open messages, one for each running subagent.
const OPEN_MESSAGES: usize = 64;

/// The open turn's messages.
#[derive(Debug, Default)]
pub struct TurnUsage {
    /// Usage of finished messages.
    over: Usage,
    open: Vec<Message>,
    /// The last model that answered.
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
                self.begin(Message::of(message, parent, usage));
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
        if !message["stop_reason"].is_string() || self.open.iter().any(|open| open.parent == parent && open.id == message_id) {
            return None;
        }
        self.end(parent.as_deref());
        let usage = counts(&message["usage"], Usage::default());
        self.begin(Message { stopped: true, ..Message::of(message, parent, usage) });
        Some(AgentSignal::Spent { model: self.model.clone(), usage: self.so_far() })
    }

    /// Ends the turn; returns whether the agent's own last message was complete.
    pub fn turn_ended(&mut self) -> bool {
        let whole = self.open.iter().all(|open| open.stopped || open.parent.is_some());
        *self = TurnUsage { model: self.model.take(), ..TurnUsage::default() };
        whole
    }

    fn begin(&mut self, message: Message) {
        self.model = message.model.clone().or_else(|| self.model.take());
        if self.open.len() < OPEN_MESSAGES {
            self.open.push(message);
        }
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
        Message { parent, id: id(message, "id"), model: id(message, "model"), usage, kept_for_an_hour, stopped: false }
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
