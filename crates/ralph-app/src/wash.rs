//! Where what an agent, its tools, git or a check said loses its secrets and its control characters, before anything keeps or shows it.
//!
//! Each function takes its value apart by name, without `..`: a field that is added later does not compile until it is decided here
//! whether it holds words. What a person or an agent hands to a use case is washed by [`crate::check_input`] instead.

use crate::secret_names;
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

/// A text as it is kept and shown: without secrets, without what a terminal would obey, without what a reader does not see.
pub(crate) fn text(text: &str) -> String {
    clean::redact(&clean::visible(text)).0
}

/// A text of the database, which may be JSON, without secrets, and how many there were. `place` is its column.
pub(crate) fn kept_text(place: &str, text: &str) -> (String, usize) {
    if secret_names::is_column(place) {
        return (secret_names::kept(text), usize::from(secret_names::is_one(text)));
    }
    let json = text.starts_with(['{', '[']);
    let (text, names) = match place {
        // Names are not redacted: what they name would be lost.
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

/// A call of a tool, as automatic learning hears it.
pub(crate) fn operation(of: Operation) -> Operation {
    each_word(of)
}

/// What an agent wishes for, as it is kept until a person decides about it.
pub(crate) fn wish(of: Wish) -> Wish {
    each_word(of)
}

/// A value of many forms with every text in it washed; as it was, should a form no longer be one.
fn each_word<T: Serialize + DeserializeOwned>(of: T) -> T {
    fn walk(value: &mut Value) {
        match value {
            Value::String(words) => *words = text(words),
            Value::Array(items) => items.iter_mut().for_each(walk),
            Value::Object(fields) => fields.values_mut().for_each(walk),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let Ok(mut value) = serde_json::to_value(&of) else { return of };
    walk(&mut value);
    serde_json::from_value(value).unwrap_or(of)
}

/// An agent's words without secrets. What stands between two tags of sigils is looked at by itself, so that no secret that seems to
/// begin before a sigil takes the sigil with it.
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

/// Line ends that Markdown does not know become blanks: washed as line ends, they would let a sigil begin a line that stood in a sentence.
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

/// A signal as it is kept, shown and judged.
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
        AgentSignal::ToolCall { id, name, summary, paths, arguments } => AgentSignal::ToolCall {
            id: text(id),
            name: text(name),
            summary: text(summary),
            paths: list(paths),
            arguments: each_word(arguments.clone()),
        },
        AgentSignal::ToolResult { id, is_error, summary, exit_code } => {
            AgentSignal::ToolResult { id: text(id), is_error: *is_error, summary: text(summary), exit_code: *exit_code }
        }
        AgentSignal::Denied { tool, summary } => AgentSignal::Denied { tool: text(tool), summary: text(summary) },
        AgentSignal::Retry { attempt, status, delay_ms } => AgentSignal::Retry { attempt: *attempt, status: *status, delay_ms: *delay_ms },
        AgentSignal::RateLimit { rejected, resets_at, limit } => {
            AgentSignal::RateLimit { rejected: *rejected, resets_at: *resets_at, limit: optional(limit.as_ref()) }
        }
        AgentSignal::Spent { model, usage } => AgentSignal::Spent { model: optional(model.as_ref()), usage: *usage },
        AgentSignal::Dropped { lines, kib } => AgentSignal::Dropped { lines: *lines, kib: *kib },
        AgentSignal::TurnEnded { ending, text: words, usage, denials } => {
            AgentSignal::TurnEnded { ending: *ending, text: text(words), usage: *usage, denials: *denials }
        }
        AgentSignal::Unknown { line_kind } => AgentSignal::Unknown { line_kind: text(line_kind) },
        AgentSignal::Garbled { text: words } => AgentSignal::Garbled { text: text(words) },
    }
}

/// What an iteration left behind: subjects of commits, names of files and the check's command come from outside.
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

/// What a check said.
pub(crate) fn check(of: CheckResult) -> CheckResult {
    let CheckResult { command, passed, exit_code, output_tail } = of;
    CheckResult { command: text(&command), passed, exit_code, output_tail: text(&output_tail) }
}

/// Everything that an iteration is about to commit. Its parts came from signals and evidence that were washed one by one; put together
/// they can show what none of them did.
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
        // The door washes what it lets in.
        RowEffect::Remember(candidate) => RowEffect::Remember(candidate),
        RowEffect::NoteSaturation => RowEffect::NoteSaturation,
        // Its words are made in the commit, and cleaned there.
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
    fn no_field_of_any_signal_keeps_a_secret() {
        let token = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let t = || format!("\u{1b}[31m{token}\u{202e}");
        let signals = [
            AgentSignal::Started { session: Some(t()), model: Some(t()), mcp_servers: vec![McpServerStatus { name: t(), status: t() }] },
            AgentSignal::Text { text: t() },
            AgentSignal::Thinking { text: t() },
            AgentSignal::SubagentText { text: t() },
            AgentSignal::ToolCall { id: t(), name: t(), summary: t(), paths: vec![t()], arguments: serde_json::json!({ "command": t() }) },
            AgentSignal::ToolResult { id: t(), is_error: false, summary: t(), exit_code: None },
            AgentSignal::Denied { tool: t(), summary: t() },
            AgentSignal::RateLimit { rejected: true, resets_at: Some(Timestamp(1)), limit: Some(t()) },
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
        // Put together here, so that this file does not look like a leak.
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
