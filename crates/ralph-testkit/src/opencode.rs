//! The real OpenCode, offline: its program, and the settings that give it a model on loopback and Ralph's tools.

use crate::installed::installed;
use crate::{LessonServer, Sandbox};
use serde_json::json;
use std::path::PathBuf;
use std::process::Command;

/// The pinned program that `cargo xtask test install` puts below `target/tools`, or the one that `RALPH_OPENCODE_BIN` names.
///
/// # Panics
/// When there is none.
pub fn program() -> PathBuf {
    installed("OpenCode", "RALPH_OPENCODE_BIN", "opencode/node_modules", "bin/opencode")
}

impl Sandbox {
    /// OpenCode on a prompt in the project, with `ralph mcp` and the model of a server, not yet started. No run is around it.
    pub fn opencode(&self, server: &LessonServer, prompt: &str) -> Command {
        let options = json!({ "baseURL": format!("{}/v1", server.url()), "apiKey": "not-a-key" });
        let provider =
            json!({ "npm": "@ai-sdk/openai-compatible", "name": "loop", "options": options, "models": { "m": { "name": "m" } } });
        let ralph = json!({ "type": "local", "command": [crate::sandbox::ralph_program(), "mcp"], "enabled": true });
        let config = json!({
            "model": "loop/m", "small_model": "loop/m", "autoupdate": false, "share": "disabled",
            "provider": { "loop": provider }, "mcp": { "ralph": ralph },
        });
        self.write("opencode.json", &config.to_string());
        let mut command = self.command(program());
        command.args(["run", "--format", "json", "-m", "loop/m", prompt]);
        command
    }
}
