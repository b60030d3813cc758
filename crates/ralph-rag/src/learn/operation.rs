//! An operation: one tool call, of Ralph's own tools or of an agent's.

use super::about::{about_the_same, is_an_id, names_a_thing};
use ralph_core::detection::ToolKind;
use ralph_core::shell_words::{self, Try};
use ralph_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Words of an error that says that what an argument names does not exist, or is not a name.
const NOTHING: [&str; 6] = ["there is no", "not found", "not_found", "does not exist", "is not accepted", "invalid"];

/// Arguments by which agents start a command in the background.
const IN_BACKGROUND: [&str; 2] = ["run_in_background", "is_background"];

/// One tool call. Its texts are free of secrets.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Operation {
    /// The tool's name.
    pub tool: String,
    /// Its arguments; for a command `{"command": text}`.
    pub arguments: Value,
    /// Error message; `None` = success.
    pub error: Option<String>,
    /// Exit code of a command, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// When it began.
    pub at: Timestamp,
    /// Duration in milliseconds.
    pub duration_ms: u32,
    /// Whether the call asked to be learnt from.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
}

impl Operation {
    /// Whether it was not reported as failed.
    pub fn succeeded(&self) -> bool {
        self.error.is_none()
    }

    /// Whether it is known that it worked: the shell's exit code is that of the last part of a command, and a start in the background has
    /// none.
    pub fn worked(&self) -> bool {
        self.succeeded() && !self.is_in_background() && self.command().is_none_or(shell_words::tells_success)
    }

    /// Whether it was answered before it ended.
    fn is_in_background(&self) -> bool {
        IN_BACKGROUND.iter().any(|argument| self.arguments[*argument] == true)
    }

    /// Purpose of its tool.
    pub fn kind(&self) -> ToolKind {
        ToolKind::of(&self.tool)
    }

    /// The command that it ran, if it ran one.
    pub fn command(&self) -> Option<&str> {
        self.arguments["command"].as_str().filter(|_| self.kind() == ToolKind::Run)
    }

    /// Whether what it runs begins where the command before it went to: so does the shell of Claude Code.
    pub(super) fn keeps_its_folder(&self) -> bool {
        self.tool == "Bash"
    }

    /// What it tries: another operation that is like it is another try.
    pub fn tried(&self) -> Try {
        let of_command = self.command().map(Try::of).filter(|tried| !tried.name.is_empty());
        of_command.unwrap_or_else(|| Try::of_tool(&self.tool))
    }

    /// Whether it is a call about the same thing as another: it names nothing else. A name that, according to its error, stood for nothing
    /// does not count as something else.
    pub(super) fn is_about_that_of(&self, other: &Operation) -> bool {
        if let (Some(one), Some(other)) = (self.command(), other.command()) {
            return about_the_same(one, other);
        }
        let (Value::Object(one), Value::Object(other_arguments)) = (&self.arguments, &other.arguments) else { return true };
        let mut named = one.iter().filter(|(argument, _)| names_a_thing(argument));
        named.all(|(argument, value)| {
            other_arguments.get(argument).is_none_or(|other| other == value) || other.succeeded() && self.named_nothing(argument, value)
        })
    }

    /// Whether its error says that the id in an argument stands for nothing.
    fn named_nothing(&self, argument: &str, value: &Value) -> bool {
        let error = self.error.as_deref().unwrap_or_default();
        let lower = error.to_lowercase();
        let id = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let is_named = error.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').any(|word| word == id);
        let is_of_it = is_named || error.strip_prefix(argument).is_some_and(|rest| rest.starts_with(':'));
        is_an_id(argument) && is_of_it && NOTHING.iter().any(|words| lower.contains(words))
    }

    /// Arguments of a call that its agent reports in a line alone.
    pub fn untold(paths: &[String], summary: &str) -> Value {
        json!({ "paths": paths, "on": summary })
    }

    /// Whether its agent reported the call in a line alone, see [`Operation::untold`].
    pub(super) fn is_untold(&self) -> bool {
        self.arguments
            .as_object()
            .is_some_and(|arguments| arguments.len() == 2 && arguments.contains_key("paths") && arguments.contains_key("on"))
    }
}
