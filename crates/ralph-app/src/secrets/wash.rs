//! Removal of secrets and control characters from the words of agents, tools, git and checks, before anything is stored or shown.
//!
//! Each function destructures its value by name, without `..`: a field added later does not compile until it is decided here
//! whether it contains words. Input of a person or an agent to a use case is cleaned by [`crate::secrets::check_input`] instead.

use crate::secrets::names as secret_names;
use ralph_core::authority::Wish;
use ralph_core::run::attempt::FailureRecord;
use ralph_core::run::hooks::{IterationCommit, RowEffect};
use ralph_core::run::{CheckResult, Evidence, HookNote};
use ralph_core::sigil;
use ralph_core::signal::{AgentSignal, McpServerStatus};
use ralph_core::visible::is_line_end;
use ralph_rag::clean;
use ralph_rag::learn::Operation;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;

/// Characters of a tool call's one-line summary and of a line that is not JSON, as one row shows them.
const ROW_CHARS: usize = 300;
/// Characters of each argument of a call: enough to distinguish calls.
const ARGUMENT_CHARS: usize = 600;
/// Characters of a tool's result.
const RESULT_CHARS: usize = 500;
/// Stands for what was left out of an error.
const LEFT_OUT: &str = "\n…\n";

/// Compiles the rules for secrets on a thread of its own: a run begins with them, and opening its project takes as long.
pub fn compile_beside() {
    // If no thread can be started, whoever needs them first compiles them.
    let _ = std::thread::Builder::new().spawn(clean::compile);
}

/// A text as stored and shown: without secrets, terminal sequences and invisible characters.
pub(crate) fn text(text: &str) -> String {
    clean::redact(&clean::visible(text)).0
}

/// The beginning of a text, as [`text`]. It is shortened last: a cut can split a secret, and half of one is no longer recognized.
pub fn kept_beginning(words: &str, max_chars: usize) -> String {
    let mut kept = text(words);
    kept.truncate(clean::cut_outside_marks(&kept, max_chars).len());
    kept
}

/// An error, as [`text`], shortened to its beginning and its end. One that is shortened already stays as it is.
fn both_ends(words: &str) -> String {
    let kept = text(words);
    let beginning = clean::cut_outside_marks(&kept, RESULT_CHARS / 2);
    let end = clean::end_outside_marks(&kept[beginning.len()..], RESULT_CHARS / 2);
    if beginning.len() + LEFT_OUT.len() + end.len() < kept.len() { format!("{beginning}{LEFT_OUT}{end}") } else { kept }
}

/// A text of the database, which may be JSON, without secrets, and their number. `place` is its column.
pub(crate) fn kept_text(place: &str, text: &str) -> (String, usize) {
    if secret_names::is_column(place) {
        return (secret_names::kept(text), usize::from(secret_names::is_one(text)));
    }
    let json = text.starts_with(['{', '[']);
    let (text, names) = match place {
        // Names are not redacted: what they refer to would be lost.
        "events.line" | "notices.wish" if json => secret_names::replaced_in("", text),
        "features.dependencies" => secret_names::replaced_in("dependencies", text),
        _ => (Cow::Borrowed(text), 0),
    };
    let (kept, secrets) = if json { clean::redact_json(&text) } else { clean::redact(&text) };
    (kept, names + secrets)
}

fn optional(of: Option<&String>) -> Option<String> {
    of.map(|words| text(words))
}

fn list(of: &[String]) -> Vec<String> {
    of.iter().map(|words| text(words)).collect()
}

/// A tool call for automatic learning.
pub(crate) fn operation(of: Operation) -> Operation {
    let arguments = arguments(of.arguments.clone());
    each_word(Operation { arguments, ..of })
}

/// The arguments of a call, each as a [`kept_beginning`].
fn arguments(mut of: Value) -> Value {
    each_text(&mut of);
    let of_call = of.as_object_mut().into_iter().flat_map(|fields| fields.values_mut());
    for argument in of_call {
        if let Value::String(words) = argument {
            words.truncate(clean::cut_outside_marks(words, ARGUMENT_CHARS).len());
        }
    }
    of
}

/// An agent's request, as stored until a person decides on it.
pub(crate) fn wish(of: Wish) -> Wish {
    each_word(of)
}

/// A value with every text in it cleaned; unchanged if it would no longer be valid.
fn each_word<T: Serialize + DeserializeOwned>(of: T) -> T {
    let Ok(mut value) = serde_json::to_value(&of) else { return of };
    each_text(&mut value);
    serde_json::from_value(value).unwrap_or(of)
}

fn each_text(value: &mut Value) {
    match value {
        Value::String(words) => *words = text(words),
        Value::Array(items) => items.iter_mut().for_each(each_text),
        Value::Object(fields) => fields.values_mut().for_each(each_text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// An agent's words without secrets. Text between two sigil tags is cleaned separately, so that a secret that seems to
/// begin before a sigil does not take the sigil with it.
fn words_without_secrets(text: &str) -> String {
    let text = with_line_ends_of_markdown(text);
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for tag in sigil::tags(&text) {
        clean.push_str(&self::text(&text[from..tag.start]));
        clean.push_str(&self::text(&text[tag.clone()]));
        from = tag.end;
    }
    clean.push_str(&self::text(&text[from..]));
    clean
}

/// Replaces line ends unknown to Markdown by blanks: as line ends, they would let a sigil inside a sentence begin a line.
fn with_line_ends_of_markdown(text: &str) -> Cow<'_, str> {
    // Nearly every text has none of them.
    if !text.contains(is_line_end) {
        return Cow::Borrowed(text);
    }
    let mut characters = text.chars().peekable();
    let mut plain = String::with_capacity(text.len());
    while let Some(c) = characters.next() {
        let ends = is_line_end(c) && !(c == '\r' && characters.peek() == Some(&'\n'));
        plain.push(if ends { ' ' } else { c });
    }
    Cow::Owned(plain)
}

/// A signal as stored, shown and judged.
pub fn kept(signal: &AgentSignal) -> AgentSignal {
    match signal {
        AgentSignal::Started { session, model, mcp_servers } => AgentSignal::Started {
            session: optional(session.as_ref()),
            model: optional(model.as_ref()),
            mcp_servers: mcp_servers.iter().map(|s| McpServerStatus { name: text(&s.name), status: text(&s.status) }).collect(),
        },
        AgentSignal::Text { text: words } => AgentSignal::Text { text: words_without_secrets(words) },
        AgentSignal::Thinking { text: words } => AgentSignal::Thinking { text: text(words) },
        AgentSignal::SubagentText { text: words } => AgentSignal::SubagentText { text: text(words) },
        AgentSignal::ToolCall { id, name, summary, paths, arguments: call, of_subagent } => AgentSignal::ToolCall {
            id: text(id),
            name: text(name),
            summary: kept_beginning(summary, ROW_CHARS),
            paths: list(paths),
            arguments: arguments(call.clone()),
            of_subagent: *of_subagent,
        },
        AgentSignal::ToolResult { id, is_error, summary, exit_code } => {
            let summary = if *is_error { both_ends(summary) } else { kept_beginning(summary, RESULT_CHARS) };
            AgentSignal::ToolResult { id: text(id), is_error: *is_error, summary, exit_code: *exit_code }
        }
        AgentSignal::Denied { tool, summary } => AgentSignal::Denied { tool: text(tool), summary: kept_beginning(summary, ROW_CHARS) },
        AgentSignal::Retry { attempt, status, delay_ms, words } => {
            AgentSignal::Retry { attempt: *attempt, status: *status, delay_ms: *delay_ms, words: text(words) }
        }
        AgentSignal::RateLimit { rejected, resets_at, resets_in_ms, limit } => {
            let limit = optional(limit.as_ref());
            AgentSignal::RateLimit { rejected: *rejected, resets_at: *resets_at, resets_in_ms: *resets_in_ms, limit }
        }
        AgentSignal::Spent { model, usage } => AgentSignal::Spent { model: optional(model.as_ref()), usage: *usage },
        AgentSignal::Dropped { lines, kib } => AgentSignal::Dropped { lines: *lines, kib: *kib },
        AgentSignal::TurnEnded { ending, text: words, usage, denials } => {
            AgentSignal::TurnEnded { ending: *ending, text: text(words), usage: *usage, denials: *denials }
        }
        AgentSignal::Unknown { line_kind } => AgentSignal::Unknown { line_kind: text(line_kind) },
        AgentSignal::Garbled { text: words } => AgentSignal::Garbled { text: kept_beginning(words, ROW_CHARS) },
    }
}

/// An iteration's evidence: commit subjects, file names and the check's command come from outside.
pub(crate) fn evidence(of: Evidence) -> Evidence {
    let Evidence { head_before, head_after, commits, changed_files, check: checked, ralph_files, remarks, snapshot } = of;
    Evidence {
        head_before,
        head_after,
        commits: list(&commits),
        changed_files: list(&changed_files),
        check: checked.map(check),
        ralph_files: list(&ralph_files),
        remarks: remarks.into_iter().map(each_word).collect(),
        snapshot,
    }
}

/// A check's result.
pub(crate) fn check(of: CheckResult) -> CheckResult {
    let CheckResult { command, passed, exit_code, output_tail } = of;
    CheckResult { command: text(&command), passed, exit_code, output_tail: text(&output_tail) }
}

/// An iteration's commit. Its parts were cleaned separately when they were signals and evidence; combined
/// they may reveal more.
pub(crate) fn commit(of: IterationCommit) -> IterationCommit {
    let IterationCommit { claim, idle, outcome, attempt, rows, hooks, usage, model, denials, exit_code, evidence: left } = of;
    let note = |HookNote { hook, applied, note }| HookNote { hook, applied, note: text(&note) };
    IterationCommit {
        claim,
        idle,
        outcome,
        attempt,
        rows: rows.into_iter().map(row).collect(),
        hooks: hooks.into_iter().map(note).collect(),
        usage,
        model: optional(model.as_ref()),
        denials: list(&denials),
        exit_code,
        evidence: evidence(left),
    }
}

fn row(of: RowEffect) -> RowEffect {
    match of {
        RowEffect::SetOutcome { outcome, note } => RowEffect::SetOutcome { outcome, note: text(&note) },
        RowEffect::SettleTask { status, blocked_reason } => {
            RowEffect::SettleTask { status, blocked_reason: optional(blocked_reason.as_ref()) }
        }
        RowEffect::ReportFailure(failure) => RowEffect::ReportFailure(report(failure)),
        RowEffect::NoteEstimate { difficulty, next_model } => {
            RowEffect::NoteEstimate { difficulty, next_model: optional(next_model.as_ref()) }
        }
        // Cleaned when it is remembered.
        RowEffect::Remember(candidate) => RowEffect::Remember(candidate),
        RowEffect::NoteSaturation => RowEffect::NoteSaturation,
        // Its text is composed in the commit, and cleaned there.
        RowEffect::TellEpisode => RowEffect::TellEpisode,
    }
}

fn report(of: FailureRecord) -> FailureRecord {
    let FailureRecord { what_was_tried, why_it_failed, category, relevant_files, stack_trace, retry_suggestion, signature, generated } = of;
    FailureRecord {
        what_was_tried: text(&what_was_tried),
        why_it_failed: text(&why_it_failed),
        category,
        relevant_files: list(&relevant_files),
        stack_trace: optional(stack_trace.as_ref()),
        retry_suggestion: optional(retry_suggestion.as_ref()),
        signature: text(&signature),
        generated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::signal::{Ending, Usage};
    use ralph_core::time::Timestamp;

    #[test]
    fn no_secret_is_torn_where_a_signal_is_shortened() {
        let token = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let secret = format!("\nDB_PASSWORD=Zq7vT2mXk9RbL4wYpN8s\nA={token}\n");
        let result = |is_error, summary| AgentSignal::ToolResult { id: "1".into(), is_error, summary, exit_code: None };
        for before in (0..900).step_by(7) {
            let told = format!("{}{secret}{}", "y ".repeat(before / 2), "z ".repeat(450));
            let call = AgentSignal::ToolCall {
                id: "1".into(),
                name: "Bash".into(),
                summary: told.clone(),
                paths: vec![],
                arguments: serde_json::json!({ "command": told }),
                of_subagent: false,
            };
            let operation = Operation::of("update_task", serde_json::json!({ "description": told }), Timestamp(1));
            for signal in [result(true, told.clone()), result(false, told.clone()), call, AgentSignal::Garbled { text: told.clone() }] {
                let once = kept(&signal);
                assert_eq!(kept(&once), once, "{before}");
                let (once, operation) = (format!("{once:?}"), format!("{:?}", super::operation(operation.clone())));
                for shown in [&once, &operation] {
                    let torn = (6..=20).any(|chars| shown.contains(&token[..chars]) || shown.contains(&secret[13..13 + chars]));
                    assert!(!torn && !shown.contains("wYpN8s") && !shown.contains("178B4a"), "{before}: {shown}");
                }
            }
        }
        let AgentSignal::ToolResult { summary, .. } = kept(&result(true, format!("first{}last", " ä".repeat(9_000)))) else {
            panic!("a result")
        };
        assert!(summary.starts_with("first") && summary.ends_with("last") && summary.chars().count() == 503, "{summary}");
    }

    #[test]
    fn a_password_is_known_by_the_name_that_a_shortened_result_leaves_out() {
        for after in 220..=262 {
            let settings = "SETTING=value\n".repeat(100);
            let text = format!("Exit code 2\n{settings}DB_PASSWORD=Zq7vT2mXk9RbL4wYpN8s\n{}", "z".repeat(after));
            let block = serde_json::json!({ "type": "tool_result", "tool_use_id": "t1", "content": text, "is_error": true });
            let line = serde_json::json!({ "type": "user", "message": { "content": [block] } }).to_string();
            let signals = agent_cli::parse_transcript(agent_cli::Dialect::Claude, line.as_bytes()).expect("reads");
            let shown = format!("{:?}", signals.iter().map(kept).collect::<Vec<_>>());
            assert!(shown.contains("Exit code 2") && !shown.contains("N8s") && !shown.contains("Zq7"), "{after}: {shown}");
        }
    }

    #[test]
    fn no_field_of_any_signal_keeps_a_secret() {
        let token = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let t = || format!("\u{1b}[31m{token}\u{202e}");
        let signals = [
            AgentSignal::Started { session: Some(t()), model: Some(t()), mcp_servers: vec![McpServerStatus { name: t(), status: t() }] },
            AgentSignal::Text { text: t() },
            AgentSignal::Thinking { text: t() },
            AgentSignal::SubagentText { text: t() },
            AgentSignal::ToolCall {
                id: t(),
                name: t(),
                summary: t(),
                paths: vec![t()],
                arguments: serde_json::json!({ "command": t() }),
                of_subagent: false,
            },
            AgentSignal::ToolResult { id: t(), is_error: false, summary: t(), exit_code: None },
            AgentSignal::Denied { tool: t(), summary: t() },
            AgentSignal::RateLimit { rejected: true, resets_at: Some(Timestamp(1)), resets_in_ms: Some(1), limit: Some(t()) },
            AgentSignal::Spent { model: Some(t()), usage: Usage::default() },
            AgentSignal::TurnEnded { ending: Ending::Failed, text: t(), usage: Usage::default(), denials: 0 },
            AgentSignal::Unknown { line_kind: t() },
            AgentSignal::Garbled { text: t() },
        ];
        for signal in signals {
            let kept = format!("{:?}", kept(&signal));
            assert!(kept.contains("[redacted:") && !kept.contains(&token) && !kept.contains("\\u{1b}") && !kept.contains("202e"), "{kept}");
        }
    }

    #[test]
    fn sigils_survive_the_redaction_of_what_stands_around_them() {
        // Assembled here, so that this file does not look like a leak.
        let (begin, end, id) = ("-----BEGIN PRIVATE", "-----END PRIVATE", "Q3EGPLK5XWJ2T6NB");
        let text = format!(
            "{begin} KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n<task-done>7</task-done>\nAKIA{id}\n{end} KEY-----\n\
             <learning>password=hunter2</learning>"
        );
        let kept = words_without_secrets(&text);
        assert!(kept.contains("\n<task-done>7</task-done>\n") && kept.contains("<learning>"), "{kept}");
        assert!(!kept.contains("MIIE") && !kept.contains("AKIA") && !kept.contains("hunter2"), "{kept}");
        assert_eq!(words_without_secrets("no tags"), "no tags");
    }
}
