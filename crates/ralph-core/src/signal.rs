//! Agent signals: one vocabulary for all agents. Dialect parsers (`agent-cli`) convert each CLI's lines into these.

use crate::limits::{HEARD_ARGUMENTS, HEARD_CHARS};
use crate::text::cut;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One thing that an agent did or said.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AgentSignal {
    /// A turn began (once per turn, so more than once per process).
    Started {
        /// The agent's own session id.
        session: Option<String>,
        /// Model it reports.
        model: Option<String>,
        /// MCP servers it reports, with their status word (`connected`, `failed` …).
        mcp_servers: Vec<McpServerStatus>,
    },
    /// The agent's own words. Only these are searched for sigils.
    Text {
        /// The words.
        text: String,
    },
    /// The agent's thinking; never searched for sigils.
    Thinking {
        /// The words; empty when only their count is known.
        text: String,
    },
    /// Words of a subagent; never searched for sigils.
    SubagentText {
        /// The words.
        text: String,
    },
    /// The agent calls a tool.
    ToolCall {
        /// Joins the call with its result.
        id: String,
        /// Tool name in the agent's spelling (`Bash`, `mcp__ralph__create_task`).
        name: String,
        /// Its main argument, one line: the path, the command, the first argument.
        summary: String,
        /// Files it names, as given.
        paths: Vec<String>,
        /// All arguments, each text truncated. Used while the agent works, and not stored.
        #[serde(skip)]
        arguments: Value,
        /// Whether the call is a subagent's, which this agent started and which works beside it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        of_subagent: bool,
    },
    /// A tool's result.
    ToolResult {
        /// Id of the call.
        id: String,
        /// Whether the tool reports a failure.
        is_error: bool,
        /// The result's text, truncated for display.
        summary: String,
        /// Exit code of a command, if the agent reports it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
    },
    /// A tool was refused by the agent's permission rules.
    Denied {
        /// Tool name.
        tool: String,
        /// What was requested, one line.
        summary: String,
    },
    /// The agent's own retry of a failed request.
    Retry {
        /// Number of the retry, from 1.
        attempt: u32,
        /// HTTP status; `None` when the network failed.
        status: Option<u16>,
        /// Milliseconds it waits; 0 if it does not say.
        delay_ms: u32,
        /// The provider's words, if the agent reports them. Used while the agent works, and not stored.
        #[serde(skip)]
        words: String,
    },
    /// A structured event about usage limits.
    RateLimit {
        /// Whether requests are refused now.
        rejected: bool,
        /// When the limit ends, if reported.
        resets_at: Option<Timestamp>,
        /// Milliseconds until it ends, if only that is reported: a parser has no clock, so whoever hears it uses [`AgentSignal::dated`].
        #[serde(skip)]
        resets_in_ms: Option<u64>,
        /// Which limit (`five_hour` …), see [`limited_model`].
        limit: Option<String>,
    },
    /// Usage of the open turn so far, by the provider's own counts: replaces earlier reports on this turn, and is replaced by
    /// the usage of its [`AgentSignal::TurnEnded`]. Sent when a message ends, not with each of its parts.
    Spent {
        /// The last model that answered, as named by the provider.
        model: Option<String>,
        /// Tokens, and dollars at the listed prices of the models that answered.
        usage: Usage,
    },
    /// Output that was not read because there was too much.
    Dropped {
        /// Skipped lines.
        lines: u32,
        /// Skipped amount in KiB, rounded up.
        kib: u32,
    },
    /// A turn ended. The process may continue: wait for the end of its output.
    TurnEnded {
        /// How it ended.
        ending: Ending,
        /// The result text: repeats the last words, or states the error. Not searched for sigils.
        text: String,
        /// Usage of this turn, to be summed over turns.
        usage: Usage,
        /// Tools refused during the turn.
        denials: u32,
    },
    /// A line of a kind that this version does not know.
    Unknown {
        /// `type/subtype`, as far as present.
        line_kind: String,
    },
    /// A line that is not JSON, kept as text (truncated).
    Garbled {
        /// Its beginning.
        text: String,
    },
}

impl AgentSignal {
    /// Bytes of all its texts, as a measure for storing and scanning it for secrets.
    pub fn text_bytes(&self) -> usize {
        let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        match self {
            AgentSignal::Started { session, model, mcp_servers } => {
                optional(session)
                    + optional(model)
                    + mcp_servers.iter().map(|server| server.name.len() + server.status.len()).sum::<usize>()
            }
            AgentSignal::Text { text }
            | AgentSignal::Thinking { text }
            | AgentSignal::SubagentText { text }
            | AgentSignal::TurnEnded { text, .. }
            | AgentSignal::Garbled { text } => text.len(),
            AgentSignal::ToolCall { id, name, summary, paths, .. } => {
                id.len() + name.len() + summary.len() + paths.iter().map(String::len).sum::<usize>()
            }
            AgentSignal::ToolResult { id, summary, .. } => id.len() + summary.len(),
            AgentSignal::Denied { tool, summary } => tool.len() + summary.len(),
            AgentSignal::RateLimit { limit, .. } => optional(limit),
            AgentSignal::Spent { model, .. } => optional(model),
            AgentSignal::Unknown { line_kind } => line_kind.len(),
            AgentSignal::Retry { words, .. } => words.len(),
            AgentSignal::Dropped { .. } => 0,
        }
    }

    /// The signal as received at `now`, with a point in time if its agent reported only how long a limit lasts: a log keeps no duration.
    pub fn dated(self, now: Timestamp) -> AgentSignal {
        match self {
            AgentSignal::RateLimit { rejected, resets_at: None, resets_in_ms: Some(wait), limit } => {
                AgentSignal::RateLimit { rejected, resets_at: Some(now.plus_millis(wait)), resets_in_ms: None, limit }
            }
            other => other,
        }
    }
}

/// An MCP server as an agent sees it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct McpServerStatus {
    /// Name.
    pub name: String,
    /// The agent's word: `connected`, `failed`, `pending` …
    pub status: String,
}

crate::word_enum! {
    /// How a turn or a whole agent process ended.
    Ending {
        /// Normally, without an error.
        Completed = "completed",
        /// The agent's own turn limit.
        MaxTurns = "max_turns",
        /// The agent's own dollar limit.
        MaxBudget = "max_budget",
        /// A usage limit or 429: not an attempt, wait.
        RateLimited = "rate_limited",
        /// The provider is overloaded (529, 503): not an attempt, wait.
        Overloaded = "overloaded",
        /// Key, login or credit is missing (401, 403, 400 credit): not an attempt, a person must act.
        Authentication = "authentication",
        /// No connection, or it was dropped: not an attempt.
        Network = "network",
        /// Stopped by a signal or by a person.
        Interrupted = "interrupted",
        /// The watchdog stopped it: no output for too long, or none after the result.
        TimedOut = "timed_out",
        /// The provider does not know the model, or does not offer it for this key: another attempt needs another model.
        ModelUnavailable = "model_unavailable",
        /// The input exceeds the model's context: another attempt needs another model, or a person.
        ContextTooLong = "context_too_long",
        /// A hook in the agent's own settings kept the prompt from the model: not an attempt, a person must act.
        PromptRefused = "prompt_refused",
        /// Any other error that the agent reported.
        Failed = "failed",
        /// The process died without a result.
        Crashed = "crashed",
    }
}

/// How the name of a weekly limit of one model begins: `seven_day_opus`.
pub const OF_ONE_MODEL: &str = "seven_day_";
/// Families of models that have such a limit. Other names with this beginning are limits of all models.
const LIMITED_MODELS: [&str; 3] = ["opus", "sonnet", "haiku"];

/// The family of models that a usage limit is of alone.
pub fn limited_model(limit: &str) -> Option<&str> {
    limit.strip_prefix(OF_ONE_MODEL).filter(|model| LIMITED_MODELS.contains(model))
}

impl Ending {
    /// Whether it counts as an attempt at the task.
    pub fn is_attempt(self) -> bool {
        matches!(
            self,
            Ending::Completed
                | Ending::MaxTurns
                | Ending::MaxBudget
                | Ending::TimedOut
                | Ending::ModelUnavailable
                | Ending::ContextTooLong
                | Ending::Failed
                | Ending::Crashed
        )
    }

    /// Whether the provider refused something that any further attempt with the same model would request again.
    pub fn needs_another_model(self) -> bool {
        matches!(self, Ending::ModelUnavailable | Ending::ContextTooLong)
    }
}

/// Tokens and dollars.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Usage {
    /// Fresh input tokens.
    pub input_tokens: u32,
    /// Output tokens.
    pub output_tokens: u32,
    /// Input tokens read from the provider's cache.
    pub cache_read_tokens: u32,
    /// Input tokens written to the provider's cache.
    pub cache_write_tokens: u32,
    /// Dollars as reported by the CLI, or as estimated by [`crate::prices`]; `None` when neither is known.
    pub cost_usd: Option<f64>,
    /// Whether `cost_usd` is an estimate, or a sum that includes one.
    #[serde(default)]
    pub cost_estimated: bool,
    /// Whether `cost_usd`, or an estimate of these tokens, leaves something out: this is a sum that includes tokens of unknown cost, or
    /// subagents worked whose tokens nobody reports.
    #[serde(default)]
    pub unpriced: bool,
}

impl Usage {
    /// Whether `cost_usd` leaves out some of the tokens, or all.
    pub fn lacks_cost(&self) -> bool {
        self.unpriced || (self.cost_usd.is_none() && self.input_tokens.saturating_add(self.output_tokens) > 0)
    }

    /// Adds another turn's usage.
    pub fn add(&mut self, other: &Usage) {
        // As long as no part has a cost, one estimate can cover all of them.
        let is_mixed = self.cost_usd.is_some() != other.cost_usd.is_some() && (self.lacks_cost() || other.lacks_cost());
        self.unpriced |= other.unpriced || is_mixed;
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cache_read_tokens = self.cache_read_tokens.saturating_add(other.cache_read_tokens);
        self.cache_write_tokens = self.cache_write_tokens.saturating_add(other.cache_write_tokens);
        self.cost_estimated |= other.cost_estimated;
        self.cost_usd = match (self.cost_usd, other.cost_usd) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0.0) + b.unwrap_or(0.0)),
        };
    }
}

/// The arguments of a tool call as they are kept: shortened, but distinct between calls.
pub fn heard_arguments(fields: &Map<String, Value>) -> Value {
    let short = |value: &Value| match value {
        Value::String(text) => Value::String(cut(text, HEARD_CHARS).to_owned()),
        Value::Array(_) | Value::Object(_) => Value::String(cut(&value.to_string(), HEARD_CHARS).to_owned()),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    };
    let (most, name_chars) = HEARD_ARGUMENTS;
    fields.iter().take(most).map(|(name, value)| (cut(name, name_chars).to_owned(), short(value))).collect::<Map<_, _>>().into()
}

/// One entry of an iteration's live event log: a line of its JSONL file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TranscriptEntry {
    /// When Ralph read it.
    pub at: Timestamp,
    /// The entry.
    #[serde(flatten)]
    pub signal: TranscriptSignal,
}

/// Content of an event log line: an agent's signal, or a note of Ralph's own.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum TranscriptSignal {
    /// The agent's.
    Agent {
        /// The signal.
        signal: AgentSignal,
    },
    /// Ralph's: started, stderr, check output, cut log, stop step …
    Ralph {
        /// Short kind: `started`, `stderr`, `check`, `note`, `exited`.
        note: String,
        /// The words.
        text: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_flood_of_arguments_is_heard_in_part_and_calls_stay_apart() {
        let long = "ä".repeat(9_000);
        let heard = |call: &Value| heard_arguments(call.as_object().unwrap());
        let call = json!({ &long: [long], "n": 7, "text": long });
        let (name, text) = (&"ä".repeat(200), "ä".repeat(2_000));
        assert_eq!(heard(&call), json!({ name: format!("[\"{}", "ä".repeat(1_998)), "n": 7, "text": text }));
        let many: Map<String, Value> = (0..100).map(|n| (n.to_string(), Value::Null)).collect();
        assert_eq!(heard_arguments(&many).as_object().map(Map::len), Some(16));
    }

    #[test]
    fn a_limit_that_is_told_by_its_length_has_its_end_in_the_log() {
        let limit = |resets_at, resets_in_ms| AgentSignal::RateLimit { rejected: true, resets_at, resets_in_ms, limit: None };
        let now = Timestamp(1_000);
        for (told, end) in [
            ((None, Some(500)), Some(Timestamp(1_500))),
            ((Some(Timestamp(9)), Some(500)), Some(Timestamp(9))),
            ((Some(Timestamp(9)), None), Some(Timestamp(9))),
            ((None, None), None),
        ] {
            let line = serde_json::to_string(&limit(told.0, told.1).dated(now)).unwrap();
            let read: AgentSignal = serde_json::from_str(&line).unwrap();
            assert_eq!(read, limit(end, None), "{told:?}");
        }
    }
}
