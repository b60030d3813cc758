//! Gemini CLI, `gemini -o stream-json`. Its text comes in pieces, which are joined: a sigil may be split across two of them.

use super::fields::{self, count, status, string};
use super::reason;
use ralph_core::limits::AGENT_TEXT_BYTES;
use ralph_core::signal::{AgentSignal, Ending, Usage};
use serde_json::Value;

/// The text so far.
#[derive(Debug, Default)]
pub struct Gemini {
    pieces: String,
    last_text: String,
}

impl Gemini {
    pub fn line(&mut self, line: &Value) -> Vec<AgentSignal> {
        if line["type"] == "message" && line["role"] == "assistant" {
            return self.piece(line);
        }
        let mut signals = self.finish();
        match line["type"].as_str() {
            Some("init") => signals.push(AgentSignal::Started {
                session: string(line, "session_id"),
                model: string(line, "model"),
                mcp_servers: Vec::new(),
            }),
            // The prompt, echoed.
            Some("message") => {}
            Some("tool_use") => signals.push(fields::tool_call(
                string(line, "tool_id").unwrap_or_default(),
                string(line, "tool_name").unwrap_or_default(),
                &line["parameters"],
            )),
            Some("tool_result") => {
                let failed = line["status"] == "error";
                let answer = if failed && !line["error"]["message"].is_null() { &line["error"]["message"] } else { &line["output"] };
                signals.push(fields::tool_result(string(line, "tool_id").unwrap_or_default(), failed, answer));
            }
            Some("result") => signals.push(self.result(line)),
            _ => signals.push(fields::unknown(&[&line["type"], &line["severity"]])),
        }
        signals
    }

    /// The text that no later line completed.
    pub fn finish(&mut self) -> Vec<AgentSignal> {
        if self.pieces.is_empty() {
            return Vec::new();
        }
        self.last_text = std::mem::take(&mut self.pieces);
        vec![AgentSignal::Text { text: self.last_text.clone() }]
    }

    fn piece(&mut self, line: &Value) -> Vec<AgentSignal> {
        let piece = line["content"].as_str().unwrap_or_default();
        let full = line["delta"] != true || self.pieces.len() + piece.len() > AGENT_TEXT_BYTES;
        let signals = if full { self.finish() } else { Vec::new() };
        self.pieces.push_str(piece);
        signals
    }

    fn result(&mut self, line: &Value) -> AgentSignal {
        let stats = &line["stats"];
        let cached = count(stats, "cached");
        let error = &line["error"];
        let failed = line["status"] == "error" || error.is_object();
        AgentSignal::TurnEnded {
            ending: if failed { ending(error) } else { Ending::Completed },
            text: string(error, "message").unwrap_or_else(|| std::mem::take(&mut self.last_text)),
            usage: Usage {
                // Gemini includes cached tokens in the input.
                input_tokens: count(stats, "input_tokens").saturating_sub(cached),
                output_tokens: count(stats, "output_tokens"),
                cache_read_tokens: cached,
                ..Usage::default()
            },
            denials: 0,
        }
    }
}

fn ending(error: &Value) -> Ending {
    let words = error["message"].as_str().unwrap_or_default();
    let answered = status(error, "code").or_else(|| status(error, "status")).and_then(reason::of_status);
    match (reason::beyond_status(words).or(answered), error["type"].as_str()) {
        (Some(ending), _) => ending,
        (None, Some("FatalAuthenticationError")) => Ending::Authentication,
        (None, Some("FatalTurnLimitedError" | "MaxSessionTurnsError")) => Ending::MaxTurns,
        (None, Some("FatalCancellationError")) => Ending::Interrupted,
        _ => reason::of_words(words).unwrap_or(Ending::Failed),
    }
}
