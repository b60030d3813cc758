//! An operation: one call of a tool, of Ralph's own or of an agent's.

use ralph_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One call of a tool. Its texts have lost their secrets.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Operation {
    /// The tool's name.
    pub tool: String,
    /// What it was called with.
    pub arguments: Value,
    /// Why it failed; `None` = it worked.
    pub error: Option<String>,
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
}
