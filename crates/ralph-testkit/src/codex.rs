//! The real Codex, offline: its program, and settings of a person whose model is on loopback.

use crate::installed::installed;
use crate::{ModelServer, Sandbox};
use std::path::PathBuf;

/// The pinned program that `cargo xtask test install` puts below `target/tools`, or the one that `RALPH_CODEX_BIN` names.
///
/// # Panics
/// When there is none.
pub fn program() -> PathBuf {
    let system = match std::env::consts::OS {
        "macos" => "apple-darwin",
        "windows" => "pc-windows-msvc",
        _ => "unknown-linux-musl",
    };
    let program = format!("vendor/{}-{system}/bin/codex", std::env::consts::ARCH);
    installed("Codex", "RALPH_CODEX_BIN", "codex/node_modules/@openai", &program)
}

impl Sandbox {
    /// Puts Codex on PATH, and makes the server its person's model.
    ///
    /// # Panics
    /// When Codex is not installed.
    pub fn use_codex(&mut self, server: &ModelServer) -> &mut Sandbox {
        self.put_on_path(&program());
        let home = self.folder_outside_of_tmp();
        let provider =
            format!("name = \"loop\"\nbase_url = \"{}/v1\"\nenv_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n", server.url());
        let config = format!(
            "model = \"gpt-loop\"\nmodel_provider = \"loop\"\ncheck_for_update_on_startup = false\n[model_providers.loop]\n{provider}request_max_retries = 1\nstream_max_retries = 2\n"
        );
        std::fs::write(home.join("config.toml"), config).expect("the settings of Codex");
        self.set("CODEX_HOME", home).set("OPENAI_API_KEY", "not-a-key-of-anybody")
    }
}
