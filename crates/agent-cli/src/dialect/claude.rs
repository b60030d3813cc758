//! Claude Code, `claude -p --verbose --output-format stream-json`.
//!
//! One line per content block; a `result` line ends a turn, not the process. An API error ends as `subtype: "success"` with
//! `is_error: true`, and the CLI's own limits as `subtype: "error_max_turns"`, in older versions with `is_error: false`: either of the two
//! makes it an error. `total_cost_usd` and `modelUsage` grow over the session: a turn's own usage is
//! `model_usage_since_last_result`, or a difference where an older version lacks it.

use super::fields::{self, count, dollars, status, string};
use super::reason;
use super::spending::TurnUsage;
use ralph_core::signal::{AgentSignal, Ending, McpServerStatus, OF_ONE_MODEL, Usage};
use ralph_core::time::Timestamp;
use serde_json::Value;
use std::collections::HashMap;

/// Prefixes of errors of the provider, or of the CLI in its place, in CLI versions without a structured reason.
const PROVIDER: [&str; 21] = [
    "API Error",
    "[API Error",
    "There's an issue with the selected model",
    "Prompt is too long",
    "Credit balance is too low",
    "Please run /login",
    "Not logged in · ",
    "Invalid API key · ",
    "Invalid auth token · ",
    "OAuth token has expired · ",
    "OAuth token revoked · ",
    "Login expired · ",
    "Claude AI usage limit reached",
    "Claude usage limit reached",
    "You've hit your limit · ",
    "You've hit your session limit",
    "You've hit your weekly limit",
    "You're out of extra usage",
    "5-hour limit reached",
    "Session limit reached",
    "Weekly limit reached",
];

/// The model that the CLI names for its own message in the agent's place.
const ITSELF: &str = "<synthetic>";

/// Kinds of errors by which the CLI itself says why there was no answer; they take precedence over a status. Other kinds are the
/// model's own doing, such as `empty_completion`, or explained by the status.
const KINDS: [(Ending, &[&str]); 5] = [
    (
        Ending::Authentication,
        &[
            "authentication_failed",
            "billing_error",
            "oauth_org_not_allowed",
            "account_on_hold",
            "verification_required",
            "cloud_credential_error",
            "provider_credentials",
            "gateway_signin_required",
            "gateway_session_expired",
            "api_key_auth_disabled",
            "org_disabled_credential",
            "invalid_credential_header",
            "stored_login_refused",
            "named_profile_unusable",
            "oauth_refresh_store_refused",
        ],
    ),
    (
        Ending::Network,
        &[
            "connection_failed",
            "no_response",
            "stream_idle_timeout",
            // The machine did, in the middle of an answer.
            "computer_slept",
            "tls_untrusted_ca",
            "tls_cert_signature_failure",
            "gateway_content_type",
        ],
    ),
    (
        Ending::ModelUnavailable,
        &["model_not_found", "model_requires_usage_credits", "consent_unanswered", "no_allowed_fallback", "model_substitution_disabled"],
    ),
    (Ending::ContextTooLong, &["message_over_context_limit", "autocompact_thrashing", "long_context_credits_required"]),
    (Ending::RateLimited, &["usage_limit_reached"]),
];

/// How it says that the weekly limit of one model is reached: "You've hit your Opus limit · resets 3pm".
const LIMIT_OF_MODEL: &str = "You've hit your ";

/// Prefix of the CLI's internal notes, which it reports as errors when interrupted: not for people.
const ITS_OWN_NOTES: &str = "[ede_diagnostic]";

/// State for later lines.
#[derive(Debug, Default)]
pub struct Claude {
    /// Calls without a result yet: id → summary, for denials.
    open_calls: HashMap<String, String>,
    /// Ids of calls whose denial was reported; a result may repeat those of earlier turns.
    denied: Vec<String>,
    /// Usage of the session, as of the last result.
    session: Usage,
    /// Usage of the open turn so far.
    spending: TurnUsage,
    /// Kind of the last API error in this turn (`rate_limit`, `billing_error` …).
    api_error: Option<String>,
    /// Whether the usage limit refused requests in this turn.
    limit_reached: bool,
    /// Whether the last message of this turn was the CLI's own, which its result repeats.
    spoke_itself: bool,
    /// Why a hook of its settings kept the prompt from the model, if one did: its result looks like an answer.
    refused_by_hook: Option<String>,
    /// Whether commands or agents of it work in the background: it waits for them after its result, and takes another turn when they end.
    pub works_in_background: bool,
}

impl Claude {
    pub fn line(&mut self, line: &Value) -> Vec<AgentSignal> {
        match (line["type"].as_str(), line["subtype"].as_str()) {
            (Some("system"), Some("init")) => vec![started(line)],
            (Some("system"), Some("api_retry")) => vec![retry(line)],
            (Some("system"), Some("permission_denied")) => vec![self.denial(line, &line["message"])],
            (Some("system"), Some("background_tasks_changed")) => {
                self.works_in_background = blocks(&line["tasks"]).next().is_some();
                vec![fields::unknown(&[&line["type"], &line["subtype"]])]
            }
            (Some("system"), Some("informational")) => {
                let outcome = &line["prompt_submit_outcome"];
                if matches!(outcome["kind"].as_str(), Some("blocked_by_hook" | "stopped_by_hook")) {
                    self.refused_by_hook = Some(string(outcome, "reason").unwrap_or_default());
                }
                vec![fields::unknown(&[&line["type"], &line["subtype"]])]
            }
            // A count that grows with every token: the thinking itself follows as a block.
            (Some("system"), Some("thinking_tokens")) => Vec::new(),
            // Parts of blocks that follow completely: using both would duplicate the text.
            (Some("stream_event"), _) => self.spending.event(line).into_iter().collect(),
            (Some("assistant"), _) => self.assistant(line),
            (Some("user"), _) => self.user(line),
            (Some("rate_limit_event"), _) => vec![self.rate_limit(&line["rate_limit_info"])],
            (Some("result"), _) => self.result(line),
            (Some("control_request"), _) => vec![fields::unknown(&[&line["type"], &line["request"]["subtype"]])],
            _ => vec![fields::unknown(&[&line["type"], &line["subtype"]])],
        }
    }

    fn assistant(&mut self, line: &Value) -> Vec<AgentSignal> {
        let message = &line["message"];
        let of_subagent = line["parent_tool_use_id"].is_string();
        // The agent is told of its helper's error, and may continue.
        if let Some(error) = fields::id(line, "error").filter(|_| !of_subagent) {
            self.api_error = Some(error);
        }
        // An API error, which the result repeats.
        let itself = message["model"] == ITSELF;
        if !of_subagent {
            self.spoke_itself = itself;
        }
        if itself {
            return vec![fields::unknown(&[&line["type"], &message["model"]])];
        }
        let spent = self.spending.message(line);
        blocks(&message["content"]).flat_map(|block| self.block(block, of_subagent)).chain(spent).collect()
    }

    fn block(&mut self, block: &Value, of_subagent: bool) -> Option<AgentSignal> {
        let text = |key| string(block, key).unwrap_or_default();
        match block["type"].as_str() {
            Some("text") if of_subagent => Some(AgentSignal::SubagentText { text: text("text") }),
            Some("text") => Some(AgentSignal::Text { text: text("text") }),
            Some("thinking") => Some(AgentSignal::Thinking { text: text("thinking") }),
            Some("redacted_thinking") => Some(AgentSignal::Thinking { text: String::new() }),
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                let id = fields::id(block, "id").unwrap_or_default();
                if self.open_calls.len() < fields::OPEN_CALLS {
                    self.open_calls.insert(id.clone(), fields::call_summary(&block["input"]));
                }
                let call = fields::tool_call(id, fields::id(block, "name").unwrap_or_default(), &block["input"]);
                Some(if of_subagent { fields::by_subagent(call) } else { call })
            }
            _ => Some(fields::unknown(&[&Value::from("assistant"), &block["type"]])),
        }
    }

    fn user(&mut self, line: &Value) -> Vec<AgentSignal> {
        let content = &line["message"]["content"];
        if content.is_string() {
            return vec![fields::unknown(&[&line["type"], &Value::from("text")])];
        }
        blocks(content)
            .map(|block| match block["type"].as_str() {
                Some("tool_result") => {
                    let id = fields::id(block, "tool_use_id").unwrap_or_default();
                    self.open_calls.remove(&id);
                    fields::tool_result(id, block["is_error"] == true, &block["content"])
                }
                _ => fields::unknown(&[&line["type"], &block["type"]]),
            })
            .collect()
    }

    fn denial(&mut self, denial: &Value, otherwise: &Value) -> AgentSignal {
        let id = fields::id(denial, "tool_use_id").unwrap_or_default();
        let asked = self.open_calls.get(&id).cloned().filter(|asked| !asked.is_empty());
        if self.denied.len() < fields::OPEN_CALLS {
            self.denied.push(id);
        }
        let summary = asked.unwrap_or_else(|| fields::call_summary(otherwise));
        AgentSignal::Denied { tool: fields::id(denial, "tool_name").unwrap_or_default(), summary }
    }

    fn rate_limit(&mut self, info: &Value) -> AgentSignal {
        let rejected = info["status"] == "rejected";
        self.limit_reached |= rejected;
        let resets_at = info["resetsAt"].as_f64().and_then(epoch);
        AgentSignal::RateLimit { rejected, resets_at, resets_in_ms: None, limit: fields::id(info, "rateLimitType") }
    }

    fn result(&mut self, line: &Value) -> Vec<AgentSignal> {
        let text = string(line, "result").unwrap_or_else(|| {
            let errors = blocks(&line["errors"]).filter_map(Value::as_str);
            let errors: Vec<&str> = errors.filter(|words| !words.starts_with(ITS_OWN_NOTES)).collect();
            if errors.is_empty() { string(&line["error"], "message").unwrap_or_default() } else { errors.join("; ") }
        });
        let mut signals = Vec::new();
        for denial in blocks(&line["permission_denials"]) {
            // Older versions report denials only here.
            if !denial["tool_use_id"].as_str().is_some_and(|id| self.denied.iter().any(|told| told == id)) {
                signals.push(self.denial(denial, &denial["tool_input"]));
            }
        }
        let denials = u32::try_from(blocks(&line["permission_denials"]).count()).unwrap_or(u32::MAX);
        let whole = self.spending.turn_ended();
        let (ending, text) = match (self.ending(line, &text), self.refused_by_hook.take()) {
            (Ending::Completed, Some(reason)) => {
                (Ending::PromptRefused, format!("a hook in the agent's settings (UserPromptSubmit) refused the prompt: {}", reason.trim()))
            }
            (Ending::Completed, None) if !whole => (Ending::Failed, format!("the model's answer was cut off in the middle: {text}")),
            (ending, _) => (ending, text),
        };
        // Older versions give the end of the limit only here.
        if let Some((_, at)) = text.split_once("usage limit reached|").filter(|_| ending == Ending::RateLimited && !self.limit_reached) {
            let resets_at = at.trim().parse().ok().and_then(epoch);
            signals.push(AgentSignal::RateLimit { rejected: true, resets_at, resets_in_ms: None, limit: None });
        }
        // Which limit it is may be said only in its text.
        let family = text.strip_prefix(LIMIT_OF_MODEL).and_then(|rest| rest.split_once(" limit")).map(|(family, _)| family.to_lowercase());
        if let Some(family) = family.filter(|_| ending == Ending::RateLimited && !self.limit_reached) {
            let limit = Some(format!("{OF_ONE_MODEL}{family}"));
            signals.push(AgentSignal::RateLimit { rejected: true, resets_at: None, resets_in_ms: None, limit });
        }
        signals.push(AgentSignal::TurnEnded { ending, text, usage: self.usage(line), denials });
        self.api_error = None;
        self.limit_reached = false;
        self.spoke_itself = false;
        signals
    }

    fn ending(&self, line: &Value, text: &str) -> Ending {
        let is_error = line["is_error"] == true || line["subtype"].as_str().is_some_and(|kind| kind.starts_with("error"));
        match (is_error, line["stop_reason"].as_str()) {
            (true, _) => {}
            (false, Some("refusal" | "max_tokens")) => return Ending::Failed,
            (false, Some("model_context_window_exceeded")) => return Ending::ContextTooLong,
            (false, _) => return Ending::Completed,
        }
        match line["subtype"].as_str() {
            Some("error_max_turns") => return Ending::MaxTurns,
            Some("error_max_budget_usd") => return Ending::MaxBudget,
            _ => {}
        }
        let terminal = line["terminal_reason"].as_str().unwrap_or_default();
        let answered = status(line, "api_error_status");
        let word = line["api_error"].as_str().or(self.api_error.as_deref()).unwrap_or_default();
        // Messages of the provider, or of the CLI in its place; an agent's own never begin like that in an error.
        let provider = matches!(terminal, "api_error" | "prompt_too_long")
            || self.spoke_itself
            || PROVIDER.iter().any(|begin| text.starts_with(begin));
        let told = if provider { text } else { "" };
        let kind = KINDS.iter().find(|(_, kinds)| kinds.contains(&word)).map(|(ending, _)| *ending);
        match (terminal, kind, answered, word) {
            (aborted, ..) if aborted.starts_with("aborted") => Ending::Interrupted,
            ("prompt_too_long", ..) => Ending::ContextTooLong,
            (_, Some(ending), ..) => ending,
            (_, _, Some(404), _) if line["api_error_type"] == "not_found_error" => Ending::ModelUnavailable,
            (_, _, Some(status), _) => {
                reason::beyond_status(told).filter(|_| status < 429).or_else(|| reason::of_status(status)).unwrap_or(Ending::Failed)
            }
            (_, _, None, "rate_limit") => Ending::RateLimited,
            (_, _, None, _) if self.limit_reached => Ending::RateLimited,
            (_, _, None, "overloaded" | "server_error") => Ending::Overloaded,
            (_, _, None, "connection_error" | "timeout") => Ending::Network,
            _ => reason::of_words(told).unwrap_or(Ending::Failed),
        }
    }

    /// Usage of the turn: as reported; or the growth of the session's totals; or the plain usage, which excludes subagents.
    fn usage(&mut self, line: &Value) -> Usage {
        let session = model_usage(&line["modelUsage"]);
        let since_last = model_usage(&line["model_usage_since_last_result"]);
        let turn = since_last.or_else(|| session.map(|now| growth(&now, &self.session))).unwrap_or_else(|| {
            let total = dollars(line, "total_cost_usd");
            let before = self.session.cost_usd.unwrap_or(0.0);
            let usage = &line["usage"];
            Usage {
                input_tokens: count(usage, "input_tokens"),
                output_tokens: count(usage, "output_tokens"),
                cache_read_tokens: count(usage, "cache_read_input_tokens"),
                cache_write_tokens: count(usage, "cache_creation_input_tokens"),
                cost_usd: total.map(|now| (now - before).max(0.0)),
                ..Usage::default()
            }
        });
        match session {
            Some(now) => self.session = now,
            // The next result that reports on the session covers this turn, too.
            None => self.session.add(&turn),
        }
        turn
    }
}

fn started(line: &Value) -> AgentSignal {
    let mcp_servers = blocks(&line["mcp_servers"])
        .map(|server| McpServerStatus {
            name: fields::id(server, "name").unwrap_or_default(),
            status: fields::id(server, "status").unwrap_or_default(),
        })
        .collect();
    AgentSignal::Started { session: fields::id(line, "session_id"), model: fields::id(line, "model"), mcp_servers }
}

fn retry(line: &Value) -> AgentSignal {
    AgentSignal::Retry {
        attempt: count(line, "attempt"),
        status: status(line, "error_status"),
        delay_ms: count(line, "retry_delay_ms"),
        words: String::new(),
    }
}

fn blocks(content: &Value) -> impl Iterator<Item = &Value> {
    content.as_array().into_iter().flatten()
}

/// A reset time: seconds since the epoch, or milliseconds if the number is too large for that (year 5138), up to the year 9892.
fn epoch(number: f64) -> Option<Timestamp> {
    let millis = if number < 1e11 { number * 1_000.0 } else { number };
    (millis > 0.0 && millis < 2.5e14).then_some(Timestamp(millis as i64))
}

/// The sum over models; `None` if the field is missing, or empty, as in an older version's errors, which says nothing about the session.
/// Its cost is known if that of each model is.
fn model_usage(models: &Value) -> Option<Usage> {
    let models = models.as_object().filter(|models| !models.is_empty())?;
    let mut sum = Usage { cost_usd: Some(0.0), ..Usage::default() };
    let mut priced = true;
    for model in models.values() {
        let cost_usd = dollars(model, "costUSD");
        priced &= cost_usd.is_some();
        sum.add(&Usage {
            input_tokens: count(model, "inputTokens"),
            output_tokens: count(model, "outputTokens"),
            cache_read_tokens: count(model, "cacheReadInputTokens"),
            cache_write_tokens: count(model, "cacheCreationInputTokens"),
            cost_usd,
            ..Usage::default()
        });
    }
    // If the cost of one is missing, all of them are estimated.
    Some(Usage { cost_usd: sum.cost_usd.filter(|_| priced), unpriced: false, ..sum })
}

fn growth(now: &Usage, before: &Usage) -> Usage {
    Usage {
        input_tokens: now.input_tokens.saturating_sub(before.input_tokens),
        output_tokens: now.output_tokens.saturating_sub(before.output_tokens),
        cache_read_tokens: now.cache_read_tokens.saturating_sub(before.cache_read_tokens),
        cache_write_tokens: now.cache_write_tokens.saturating_sub(before.cache_write_tokens),
        cost_usd: now.cost_usd.map(|cost| (cost - before.cost_usd.unwrap_or(0.0)).max(0.0)),
        unpriced: now.unpriced,
        ..Usage::default()
    }
}

#[cfg(test)]
#[path = "claude_tests.rs"]
mod tests;
