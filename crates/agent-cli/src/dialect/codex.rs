//! Codex, `codex exec --json`: a thread of turns, each a list of items that start and complete.

use super::fields::{self, count, string};
use super::untold::Untold;
use super::{reason, reset};
use ralph_core::shell_words::script_of;
use ralph_core::signal::{AgentSignal, Ending, Usage};
use ralph_core::text::{cut, one_line};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The status used for messages about an overloaded server.
const OVERLOADED: u16 = 503;

/// An item by which the agent starts a subagent, or gives one its next instructions.
const SUBAGENT: &str = "collab_tool_call";

/// Characters kept of what a provider said to a request that is tried again: a sentence, and its address.
const WORDS_CHARS: usize = 600;

/// State for later lines.
#[derive(Debug, Default)]
pub struct Codex {
    session: Option<String>,
    /// Items reported as a call, so that their completion is only the result.
    open_items: HashSet<String>,
    /// The last text, which ends the turn.
    last_text: String,
    /// Whether a subagent has been started, or got more to do, in this turn: its tokens are not among the turn's.
    with_subagents: bool,
    untold: Untold,
}

impl Codex {
    pub fn line(&mut self, line: &Value) -> Vec<AgentSignal> {
        let signals = self.signals(line);
        self.untold.hear(signals, Usage::default())
    }

    fn signals(&mut self, line: &Value) -> Vec<AgentSignal> {
        match line["type"].as_str() {
            Some("thread.started") => {
                self.session = fields::id(line, "thread_id");
                Vec::new()
            }
            Some("turn.started") => vec![AgentSignal::Started { session: self.session.clone(), model: None, mcp_servers: Vec::new() }],
            Some("item.started") => self.item_started(&line["item"]),
            Some("item.completed") => self.item_completed(&line["item"]),
            Some("turn.completed") => vec![self.turn_ended(Ending::Completed, None, &line["usage"])],
            Some("turn.failed") => {
                let message = string(&line["error"], "message").unwrap_or_default();
                let ending = reason::of_words(&message).unwrap_or(Ending::Failed);
                let reset = reset::told(ending, reset::in_words(&message));
                reset.into_iter().chain([self.turn_ended(ending, Some(message), &line["usage"])]).collect()
            }
            Some("error") => vec![retry(line["message"].as_str().unwrap_or_default()).unwrap_or_else(|| fields::unknown(&[&line["type"]]))],
            _ => vec![fields::unknown(&[&line["type"], &line["item"]["type"]])],
        }
    }

    fn item_started(&mut self, item: &Value) -> Vec<AgentSignal> {
        let Some(call) = call(item) else { return Vec::new() };
        self.with_subagents |= item["type"] == SUBAGENT;
        if self.open_items.len() < fields::OPEN_CALLS {
            self.open_items.insert(fields::id(item, "id").unwrap_or_default());
        }
        vec![call]
    }

    fn item_completed(&mut self, item: &Value) -> Vec<AgentSignal> {
        let text = || string(item, "text").unwrap_or_default();
        match item["type"].as_str() {
            Some("agent_message") => {
                self.last_text = text();
                vec![AgentSignal::Text { text: text() }]
            }
            Some("reasoning") => vec![AgentSignal::Thinking { text: text() }],
            _ => {
                let Some(call) = call(item) else {
                    return vec![fields::unknown(&[&Value::from("item.completed"), &item["type"]])];
                };
                self.with_subagents |= item["type"] == SUBAGENT;
                let id = fields::id(item, "id").unwrap_or_default();
                let told = self.open_items.remove(&id);
                let failed = item["status"] == "failed" || item["error"].is_object();
                let denied = denial(item);
                let result = fields::exited(fields::tool_result(id, failed, answer(item)), &item["exit_code"]);
                let call = (!told).then_some(call);
                call.into_iter().chain([result]).chain(denied).collect()
            }
        }
    }

    fn turn_ended(&mut self, ending: Ending, text: Option<String>, usage: &Value) -> AgentSignal {
        let cached = count(usage, "cached_input_tokens");
        self.untold.end();
        AgentSignal::TurnEnded {
            ending,
            text: text.unwrap_or_else(|| std::mem::take(&mut self.last_text)),
            usage: Usage {
                // Codex includes cached tokens in the input.
                input_tokens: count(usage, "input_tokens").saturating_sub(cached),
                output_tokens: count(usage, "output_tokens"),
                cache_read_tokens: cached,
                cache_write_tokens: count(usage, "cache_write_input_tokens"),
                unpriced: std::mem::take(&mut self.with_subagents),
                ..Usage::default()
            },
            denials: 0,
        }
    }
}

fn call(item: &Value) -> Option<AgentSignal> {
    let id = fields::id(item, "id").unwrap_or_default();
    match item["type"].as_str()? {
        "command_execution" => {
            let mut item = item.clone();
            // Codex hands each command to a shell, as `/bin/bash -lc 'npm test'`: the command is what its agent said.
            if let Some(said) = item["command"].as_str().and_then(script_of) {
                item["command"] = said.into();
            }
            Some(fields::tool_call(id, "shell".to_owned(), &item))
        }
        "mcp_tool_call" => {
            let part = |key| item[key].as_str().unwrap_or("?");
            Some(fields::tool_call(id, format!("mcp__{}__{}", part("server"), part("tool")), &item["arguments"]))
        }
        "file_change" => {
            let changes = item["changes"].as_array().into_iter().flatten();
            let paths: Vec<String> = changes.filter_map(|change| string(change, "path")).collect();
            Some(AgentSignal::ToolCall {
                id,
                name: "file_change".to_owned(),
                summary: one_line(&paths.join(", "), 300),
                arguments: json!({ "paths": paths }),
                of_subagent: false,
                paths,
            })
        }
        "web_search" => Some(fields::tool_call(id, "web_search".to_owned(), item)),
        SUBAGENT => {
            let told = string(item, "prompt").map_or(Value::Null, |prompt| json!({ "prompt": prompt }));
            Some(fields::tool_call(id, string(item, "tool").unwrap_or_default(), &told))
        }
        _ => None,
    }
}

/// A call that Codex refused because nobody can be asked.
fn denial(item: &Value) -> Option<AgentSignal> {
    let words = item["error"]["message"].as_str()?;
    let refused = words.contains("requires approval") || words.contains("rejected by user");
    let Some(AgentSignal::ToolCall { name, summary, .. }) = call(item).filter(|_| refused) else { return None };
    Some(AgentSignal::Denied { tool: name, summary })
}

fn answer(item: &Value) -> &Value {
    match item["type"].as_str() {
        Some("command_execution") => &item["aggregated_output"],
        Some("mcp_tool_call") if item["error"].is_object() => &item["error"]["message"],
        Some("mcp_tool_call") => &item["result"]["content"],
        _ => &Value::Null,
    }
}

/// `Reconnecting... 2/5 (what happened)`, or `Reconnecting... waiting for network (what happened)`, which it repeats without end.
fn retry(message: &str) -> Option<AgentSignal> {
    let waits = |text: &str| text.to_lowercase().starts_with("waiting for network");
    let rest = message.strip_prefix("Reconnecting...").map(str::trim_start);
    if waits(rest.unwrap_or(message)) {
        return Some(AgentSignal::Retry { attempt: 1, status: None, delay_ms: 0, words: String::new() });
    }
    let (attempt, rest) = rest?.split_once('/')?;
    let attempt = attempt.parse().ok()?;
    let words = rest.split_once('(').map_or("", |(_, words)| words.strip_suffix(')').unwrap_or(words));
    // Without a status the server did answer: a model at its limits, for example.
    let overloaded = reason::of_words(message) == Some(Ending::Overloaded);
    let status = reason::status_in(message).or(overloaded.then_some(OVERLOADED));
    Some(AgentSignal::Retry { attempt, status, delay_ms: 0, words: cut(words, WORDS_CHARS).to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retry_keeps_what_the_provider_said() {
        let told = |message: &str| match &Codex::default().line(&json!({ "type": "error", "message": message }))[..] {
            [AgentSignal::Retry { attempt, status, words, .. }] => (*attempt, *status, words.clone()),
            other => panic!("{other:?}"),
        };
        let refused = "unexpected status 403 Forbidden: Country not supported (yet), url: http://127.0.0.1:1/v1/responses";
        assert_eq!(told(&format!("Reconnecting... 2/5 ({refused})")), (2, Some(403), refused.to_owned()));
        assert_eq!(told("Reconnecting... 3/5"), (3, None, String::new()));
        let busy = "We\u{2019}re currently experiencing high demand, which may cause temporary errors.";
        assert_eq!(told(&format!("Reconnecting... 1/2 ({busy})")), (1, Some(OVERLOADED), busy.to_owned()));
    }

    #[test]
    fn a_usage_limit_that_names_its_length_ends_then() {
        let told = |message: &str| match &Codex::default().line(&json!({ "type": "turn.failed", "error": { "message": message } }))[..] {
            [AgentSignal::RateLimit { rejected: true, resets_in_ms, .. }, AgentSignal::TurnEnded { ending, .. }] => {
                (*resets_in_ms, *ending)
            }
            [AgentSignal::TurnEnded { ending, .. }] => (None, *ending),
            other => panic!("{other:?}"),
        };
        let limit = "You've hit your usage limit. Upgrade to Pro or try again in 3 days 4 hours 2 minutes.";
        assert_eq!(told(limit), (Some(273_720_000), Ending::RateLimited));
        assert_eq!(told("You've hit your usage limit. Try again at 11:05 PM."), (None, Ending::RateLimited));
        assert_eq!(told("The tool failed; try again in 3 days."), (None, Ending::Failed));
        let mut codex = Codex::default();
        codex.line(&json!({ "type": "item.completed", "item": { "type": "agent_message", "text": format!("{limit} Run codex login.") } }));
        let end = &codex.line(&json!({ "type": "turn.completed" }))[..];
        assert!(matches!(end, [AgentSignal::TurnEnded { ending: Ending::Completed, .. }]), "{end:?}");
    }
}
