//! Field helpers shared by the dialects.

use crate::lines::Line;
use ralph_core::limits::{self, HEARD_CHARS};
use ralph_core::signal::{AgentSignal, heard_arguments};
use ralph_core::text::{cut, one_line};
use serde_json::Value;
use std::borrow::Cow;

/// Characters kept of a line that is not JSON, see [`HEARD_CHARS`].
const HEARD_JUNK_CHARS: usize = 800;
/// Characters of an id or a name.
const ID_CHARS: usize = 200;
/// Paths kept per call, and characters of each: no system has longer ones.
const PATHS: usize = 8;
const PATH_CHARS: usize = 4_096;
/// Characters kept of a tool result, at its beginning and, if it is an error, at its end. As many as the longest secret, a private key.
const HEARD_RESULT_CHARS: usize = 8_192;
/// Characters of an unknown line's kind.
const KIND_CHARS: usize = 100;
/// Tool calls without a result that a parser remembers; parallel calls are a handful, and a flood must be bounded.
pub const OPEN_CALLS: usize = 1_000;

/// Names of inputs with a file path, over all agents.
const PATH_KEYS: [&str; 6] = ["file_path", "filePath", "notebook_path", "path", "absolute_path", "dir_path"];
/// Names of inputs that best summarize a call, best first.
const SUMMARY_KEYS: [&str; 13] = [
    "command",
    "file_path",
    "filePath",
    "notebook_path",
    "path",
    "pattern",
    "query",
    "url",
    "description",
    "subject",
    "title",
    "prompt",
    "text",
];

/// The string at `key`, if any.
pub fn string(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(str::to_owned)
}

/// The id or name at `key`, truncated, since parsers remember many of them.
pub fn id(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(|id| cut(id, ID_CHARS).to_owned())
}

/// The number at `key` as a saturated count; anything invalid counts as 0.
pub fn count(value: &Value, key: &str) -> u32 {
    let number = &value[key];
    let whole = number.as_u64().or_else(|| number.as_f64().filter(|n| *n >= 0.0).map(|n| n as u64));
    u32::try_from(whole.unwrap_or(0)).unwrap_or(u32::MAX)
}

/// The dollars at `key`; `None` for an amount that no session costs, so that an estimate takes its place and sums stay sound.
pub fn dollars(value: &Value, key: &str) -> Option<f64> {
    value[key].as_f64().filter(|usd| (0.0..=limits::SESSION_USD).contains(usd))
}

/// An HTTP status at `key`, if any.
pub fn status(value: &Value, key: &str) -> Option<u16> {
    value[key].as_u64().and_then(|n| u16::try_from(n).ok())
}

/// The call of tool `name` with `input`.
pub fn tool_call(id: String, name: String, input: &Value) -> AgentSignal {
    AgentSignal::ToolCall {
        id,
        name,
        summary: call_summary(input),
        paths: call_paths(input),
        arguments: input.as_object().map_or(Value::Null, heard_arguments),
        of_subagent: false,
    }
}

/// The call of a subagent of the agent whose line this is.
pub fn by_subagent(mut call: AgentSignal) -> AgentSignal {
    if let AgentSignal::ToolCall { of_subagent, .. } = &mut call {
        *of_subagent = true;
    }
    call
}

/// A one-line summary of a tool's input.
pub fn call_summary(input: &Value) -> String {
    let told = SUMMARY_KEYS.iter().find_map(|key| input[*key].as_str().filter(|s| !s.is_empty()));
    match (told, input) {
        (Some(text), _) => one_line(text, HEARD_CHARS),
        (None, Value::String(text)) => one_line(text, HEARD_CHARS),
        (None, Value::Null) => String::new(),
        (None, Value::Object(map)) if map.is_empty() => String::new(),
        (None, other) => one_line(&other.to_string(), HEARD_CHARS),
    }
}

fn call_paths(input: &Value) -> Vec<String> {
    let paths = PATH_KEYS.iter().filter_map(|key| input[*key].as_str()).filter(|path| !path.is_empty());
    paths.take(PATHS).map(|path| cut(path, PATH_CHARS).to_owned()).collect()
}

/// The result `content` of a tool, which is a string, or blocks with text.
pub fn tool_result(id: String, is_error: bool, content: &Value) -> AgentSignal {
    let text: Cow<'_, str> = match content {
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
            Cow::Owned(texts.join("\n"))
        }
        Value::Null => Cow::Borrowed(""),
        other => Cow::Owned(other.to_string()),
    };
    let summary = if is_error { both_ends(&text) } else { cut(&text, HEARD_RESULT_CHARS).to_owned() };
    // Claude Code reports it in the result's text.
    let exit_code = text.strip_prefix("Exit code ").and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    AgentSignal::ToolResult { id, is_error, summary, exit_code }
}

/// The result of a command that exited with `code`, where the agent reports it.
pub fn exited(mut result: AgentSignal, code: &Value) -> AgentSignal {
    if let AgentSignal::ToolResult { exit_code, .. } = &mut result {
        *exit_code = code.as_i64().and_then(|code| i32::try_from(code).ok());
    }
    result
}

/// The beginning and the end of an error: a compiler reports its fault first, a test at the end.
fn both_ends(text: &str) -> String {
    let beginning = cut(text, HEARD_RESULT_CHARS);
    let rest = &text[beginning.len()..];
    match rest.char_indices().rev().nth(HEARD_RESULT_CHARS) {
        Some((at, last)) => format!("{beginning}\n…\n{}", &rest[at + last.len_utf8()..]),
        None => text.to_owned(),
    }
}

/// A line of kind `parts[0]/parts[1]…` without a corresponding signal.
pub fn unknown(parts: &[&Value]) -> AgentSignal {
    let words: Vec<String> = parts
        .iter()
        .filter_map(|part| match part {
            Value::String(word) => Some(one_line(word, KIND_CHARS)),
            Value::Null => None,
            _ => Some("?".to_owned()),
        })
        .collect();
    let line_kind = if words.is_empty() { "no type".to_owned() } else { cut(&words.join("/"), KIND_CHARS).to_owned() };
    AgentSignal::Unknown { line_kind }
}

/// The kept part of a line that is not a JSON object.
pub fn garbled(line: &Line<'_>) -> String {
    // Four bytes suffice for any character; a megabyte of junk need not be converted for that.
    let beginning = &line.bytes[..line.bytes.len().min(HEARD_JUNK_CHARS * 4)];
    let text = one_line(&String::from_utf8_lossy(beginning), HEARD_JUNK_CHARS);
    match line.is_cut() {
        true => format!("(a line of {} bytes, of which {} were kept) {text}", line.length, line.bytes.len()),
        false => text,
    }
}
