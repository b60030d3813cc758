//! The real Claude Code CLI, offline: its program and the environment that keeps it on loopback.

use crate::installed::installed;
use crate::{ModelServer, Sandbox};
use std::path::PathBuf;

/// The pinned program that `cargo xtask test install` puts below `target/tools`, or the one that `RALPH_CLAUDE_BIN` names.
///
/// # Panics
/// When there is none.
pub fn program() -> PathBuf {
    installed("Claude Code", "RALPH_CLAUDE_BIN", "claude/node_modules/@anthropic-ai", "claude")
}

impl Sandbox {
    /// Puts Claude Code on PATH and points it at the server: base URL, a key that opens nothing, no calls of its own, one retry.
    ///
    /// # Panics
    /// When Claude Code is not installed.
    pub fn use_claude(&mut self, server: &ModelServer) -> &mut Sandbox {
        self.put_on_path(&program());
        for (name, value) in [
            ("ANTHROPIC_BASE_URL", server.url().as_str()),
            ("ANTHROPIC_API_KEY", "sk-ant-not-a-key"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("CLAUDE_CODE_MAX_RETRIES", "1"),
        ] {
            self.set(name, value);
        }
        self
    }
}
