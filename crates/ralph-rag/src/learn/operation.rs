//! An operation: one call of a tool, of Ralph's own or of an agent's.

use ralph_core::detection::ToolKind;
use ralph_core::shell_words;
use ralph_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One call of a tool. Its texts have lost their secrets.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Operation {
    /// The tool's name.
    pub tool: String,
    /// What it was called with; of a command `{"command": text}`.
    pub arguments: Value,
    /// Why it failed; `None` = it worked.
    pub error: Option<String>,
    /// What a command ended with, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// When it began.
    pub at: Timestamp,
    /// How long it took.
    pub duration_ms: u32,
}

impl Operation {
    /// Whether it worked.
    pub fn succeeded(&self) -> bool {
        self.error.is_none()
    }

    /// What its tool is for.
    pub fn kind(&self) -> ToolKind {
        ToolKind::of(&self.tool)
    }

    /// The command that it ran, if it ran one.
    pub fn command(&self) -> Option<&str> {
        self.arguments["command"].as_str().filter(|_| self.kind() == ToolKind::Run)
    }

    /// By what one failure is told from another: the tool, or the program and its subcommand.
    pub fn name(&self) -> String {
        self.command().map(shell_words::program_and_subcommand).filter(|name| !name.is_empty()).unwrap_or_else(|| self.tool.clone())
    }
}
