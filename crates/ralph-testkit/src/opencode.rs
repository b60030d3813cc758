//! The real OpenCode, offline: its program, and the settings that give it a model on loopback and Ralph's tools.

use crate::installed::installed;
use crate::{LessonServer, ModelServer, Sandbox};
use serde_json::{Value, json};
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
    /// Puts OpenCode on PATH, and makes the server its person's model, by the name of `loop/m`.
    ///
    /// # Panics
    /// When OpenCode is not installed.
    pub fn use_opencode(&mut self, server: &ModelServer) -> &mut Sandbox {
        self.put_on_path(&program());
        let config = json!({ "model": "loop/m", "small_model": "loop/m", "provider": { "loop": provider(&server.url()) } });
        let folder = self.home().join(".config/opencode");
        std::fs::create_dir_all(&folder).expect("the folder of OpenCode's settings");
        std::fs::write(folder.join("opencode.json"), config.to_string()).expect("OpenCode's settings");
        self.set("OPENCODE_DISABLE_MODELS_FETCH", "1").set("OPENCODE_DISABLE_AUTOUPDATE", "1")
    }

    /// OpenCode on a prompt in the project, with `ralph mcp` and the model of a server, not yet started. No run is around it.
    pub fn opencode(&self, server: &LessonServer, prompt: &str) -> Command {
        let ralph = json!({ "type": "local", "command": [crate::sandbox::ralph_program(), "mcp"], "enabled": true });
        let config = json!({
            "model": "loop/m", "small_model": "loop/m", "autoupdate": false, "share": "disabled",
            "provider": { "loop": provider(&server.url()) }, "mcp": { "ralph": ralph },
        });
        self.write("opencode.json", &config.to_string());
        let mut command = self.command(program());
        command.args(["run", "--format", "json", "-m", "loop/m", prompt]);
        command
    }
}

fn provider(url: &str) -> Value {
    let options = json!({ "baseURL": format!("{url}/v1"), "apiKey": "not-a-key" });
    json!({ "npm": "@ai-sdk/openai-compatible", "name": "loop", "options": options, "models": { "m": { "name": "m" } } })
}
