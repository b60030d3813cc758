//! Qwen Code prints Claude Code's line kinds, without costs and with additional notices among the stream events.

use super::claude::Claude;
use ralph_core::signal::AgentSignal;
use serde_json::Value;

#[derive(Debug, Default)]
pub struct Qwen(Claude);

impl Qwen {
    pub fn line(&mut self, line: &Value) -> Vec<AgentSignal> {
        self.0.line(line)
    }
}
