//! OpenCode, `opencode run --format json`: steps with parts. The last step of a turn finishes for a reason other than tool calls.

use super::fields::{self, count, dollars, status, string};
use super::untold::Untold;
use super::{reason, reset};
use ralph_core::signal::{AgentSignal, Ending, Usage};
use serde_json::Value;

/// How the error begins of a call that a rule or a person does not allow.
const REFUSED: [&str; 2] = ["The user has specified a rule which prevents", "The user rejected permission"];

/// The tool by which a subagent works. Its usage is never reported.
const SUBAGENT: &str = "task";

/// The turn so far.
#[derive(Debug, Default)]
pub struct Opencode {
    in_turn: bool,
    usage: Usage,
    last_text: String,
    untold: Untold,
}

impl Opencode {
    pub fn line(&mut self, line: &Value) -> Vec<AgentSignal> {
        let signals = self.signals(line);
        self.untold.hear(signals, self.usage)
    }

    fn signals(&mut self, line: &Value) -> Vec<AgentSignal> {
        let part = &line["part"];
        match line["type"].as_str() {
            Some("step_start") => self.step_start(line),
            Some("text") => {
                self.last_text = string(part, "text").unwrap_or_default();
                vec![AgentSignal::Text { text: self.last_text.clone() }]
            }
            Some("reasoning") => vec![AgentSignal::Thinking { text: string(part, "text").unwrap_or_default() }],
            Some("tool_use") => self.tool_use(part),
            Some("step_finish") => self.step_finish(part),
            Some("error") => {
                let error = &line["error"];
                let text = string(&error["data"], "message").or_else(|| string(error, "name")).unwrap_or_default();
                let ending = ending(error, &text);
                let wait = reset::in_headers(&error["data"]["responseHeaders"]).or_else(|| reset::in_words(&text));
                reset::told(ending, wait).into_iter().chain([self.turn_ended(ending, text)]).collect()
            }
            _ => vec![fields::unknown(&[&line["type"], &part["type"]])],
        }
    }

    fn step_start(&mut self, line: &Value) -> Vec<AgentSignal> {
        if std::mem::replace(&mut self.in_turn, true) {
            return Vec::new();
        }
        vec![AgentSignal::Started { session: string(line, "sessionID"), model: None, mcp_servers: Vec::new() }]
    }

    /// A tool part appears once, when it is complete.
    fn tool_use(&mut self, part: &Value) -> Vec<AgentSignal> {
        let state = &part["state"];
        let id = string(part, "callID").unwrap_or_default();
        let refused = state["status"] == "error";
        let answer = if refused { &state["error"] } else { &state["output"] };
        // A command that failed is "completed", too.
        let code = &state["metadata"]["exit"];
        let failed = refused || code.as_i64().is_some_and(|code| code != 0);
        let call = fields::tool_call(id.clone(), string(part, "tool").unwrap_or_default(), &state["input"]);
        let words = state["error"].as_str().unwrap_or_default();
        let denied = match &call {
            AgentSignal::ToolCall { name, summary, .. } if refused && REFUSED.iter().any(|begin| words.starts_with(begin)) => {
                Some(AgentSignal::Denied { tool: name.clone(), summary: summary.clone() })
            }
            _ => None,
        };
        self.usage.unpriced |= part["tool"] == SUBAGENT && denied.is_none();
        let result = fields::exited(fields::tool_result(id, failed, answer), code);
        [call, result].into_iter().chain(denied).collect()
    }

    fn step_finish(&mut self, part: &Value) -> Vec<AgentSignal> {
        let tokens = &part["tokens"];
        let worked = self.untold.end();
        self.usage.add(&Usage {
            input_tokens: count(tokens, "input"),
            output_tokens: count(tokens, "output").saturating_add(count(tokens, "reasoning")),
            cache_read_tokens: count(&tokens["cache"], "read"),
            cache_write_tokens: count(&tokens["cache"], "write"),
            // For a model whose prices it does not know it says 0.
            cost_usd: dollars(part, "cost").filter(|usd| *usd > 0.0),
            ..Usage::default()
        });
        if part["reason"] == "tool-calls" {
            return vec![AgentSignal::Spent { model: None, usage: self.usage }];
        }
        let text = std::mem::take(&mut self.last_text);
        vec![match part["reason"].as_str() {
            // The stream ended before the model gave a reason, and before the server reported the usage.
            Some("unknown") if uses_nothing(tokens) => {
                self.usage.unpriced |= worked;
                self.turn_ended(Ending::Network, "the connection ended in the middle of the model's answer".to_owned())
            }
            // The server gave no reason that is known, or the answer was cut off: an incomplete text.
            Some(word @ ("unknown" | "error" | "length" | "content-filter")) => {
                self.turn_ended(Ending::Failed, format!("the model's answer was cut off ({word})"))
            }
            _ => self.turn_ended(Ending::Completed, text),
        }]
    }

    fn turn_ended(&mut self, ending: Ending, text: String) -> AgentSignal {
        self.in_turn = false;
        self.usage.unpriced |= self.untold.end();
        AgentSignal::TurnEnded { ending, text, usage: std::mem::take(&mut self.usage), denials: 0 }
    }
}

fn uses_nothing(tokens: &Value) -> bool {
    count(tokens, "input") == 0 && count(tokens, "output") == 0
}

fn ending(error: &Value, text: &str) -> Ending {
    let answered = status(&error["data"], "statusCode");
    match (error["name"].as_str(), answered) {
        (Some("MessageAbortedError"), _) => Ending::Interrupted,
        (Some("ProviderAuthError"), _) => Ending::Authentication,
        (_, Some(status)) => reason::beyond_status(text).or_else(|| reason::of_status(status)).unwrap_or(Ending::Failed),
        // A request without an answer.
        (Some("APIError"), None) => reason::of_words(text).unwrap_or(Ending::Network),
        _ => reason::of_words(text).unwrap_or(Ending::Failed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_whose_stream_ended_early_is_a_fault_of_the_connection() {
        for (reason, input, expected) in [
            ("unknown", 0, Ending::Network),
            ("unknown", 1_000, Ending::Failed),
            ("length", 0, Ending::Failed),
            ("stop", 0, Ending::Completed),
        ] {
            let tokens = json!({ "input": input, "output": 0, "reasoning": 0, "cache": { "write": 0, "read": 0 } });
            let part = json!({ "type": "step-finish", "reason": reason, "tokens": tokens, "cost": 0 });
            match &Opencode::default().line(&json!({ "type": "step_finish", "part": part }))[..] {
                [AgentSignal::TurnEnded { ending, .. }] => assert_eq!(*ending, expected, "{reason} {input}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_limit_ends_when_its_answer_says() {
        let refused = |status: u16, message: &str, retry_after: &str| {
            let data = json!({ "message": message, "statusCode": status, "responseHeaders": { "retry-after": retry_after } });
            let line = json!({ "type": "error", "error": { "name": "APIError", "data": data } });
            match &Opencode::default().line(&line)[..] {
                [AgentSignal::RateLimit { rejected: true, resets_in_ms, .. }, AgentSignal::TurnEnded { ending, .. }] => {
                    (*resets_in_ms, *ending)
                }
                [AgentSignal::TurnEnded { ending, .. }] => (None, *ending),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(refused(429, "Rate limit reached", "3600"), (Some(3_600_000), Ending::RateLimited));
        assert_eq!(refused(429, "Limited. It will reset in 2 minutes.", "soon"), (Some(120_000), Ending::RateLimited));
        assert_eq!(refused(429, "Rate limit reached", "soon"), (None, Ending::RateLimited));
        assert_eq!(refused(503, "Overloaded", "3600"), (None, Ending::Overloaded));
        assert_eq!(refused(401, "Unauthorized", "3600"), (None, Ending::Authentication));
    }
}
